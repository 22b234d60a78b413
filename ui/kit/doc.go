// Package kit contains the building blocks of the window: buttons, entries and choices that leave Esc and Enter to their dialog,
// dialogs, messages, tooltips, layouts, and the tabs below a document. Host is the window as its parts see it: it runs jobs, shows messages and
// questions, and provides the clipboard and the focus. All other packages of the window use kit; it knows none of them.
package kit
