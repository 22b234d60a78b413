// Package bytes is the pane that shows the bytes of one address space: offset, digits, text, with a map of all of it, tabs for the spaces that
// were seen, editing by typing, and a second pane beside it while two documents are compared.
package bytes
