// Package kit is what every part of the window is made with: buttons, entries and choices that leave Esc and Enter to the dialog they are in,
// dialogs, messages, tooltips, layouts, and the tabs below a document. Host is the window as its parts know it: it runs jobs, says and asks
// things, and has the clipboard and the keyboard. All other packages of the window use it; it knows none of them.
package kit
