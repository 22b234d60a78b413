// Package doc is an open document without its panes: selection (Choice), editing (Editor), problems (Findings, Causes, Check),
// bookmarks, the change being previewed, and the record of unsaved edits. It also describes values, findings and repairs in words, and has
// List, the base of several panes that list places.
//
// A pane takes a *Document, joins it (Document.Panes, and the lists of functions that are notified) and asks it for everything else. What
// one pane knows and others need, such as the cell that contains a range of bytes, is a function value of the document, set by that pane.
package doc
