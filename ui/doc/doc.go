// Package doc is an open document without its panes: what is selected (Choice), edited (Editor) and found (Findings, Causes, Check), its
// bookmarks, the change that is being previewed, and the record of unsaved edits. It also says values, findings and repairs in words, and has
// List, the list of places that several panes are.
//
// A pane takes a *Document, joins it (Document.Panes, and the lists of functions that are told of something) and asks it for anything else. What
// one pane knows and others need, such as the cell that holds a range of bytes, is a function value of the document, which that pane sets.
package doc
