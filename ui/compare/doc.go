// Package compare is the panes that list places: search and replace, the differences between two documents, and the changes since a
// document was opened or saved.
package compare
