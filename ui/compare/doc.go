// Package compare is the panes that list places: the search with its replacement, the differences of two documents, and the changes since a
// document was opened or saved.
package compare
