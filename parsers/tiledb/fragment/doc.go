// Package fragment handles the metadata of fragments: the footer (footer.go) and the generic tiles that it leads to (metadata.go, lists.go), the fields of a
// fragment and their files (slots.go), where its cells are (grid.go), what it repeats about them (statistics.go), and how all that is written
// (draft.go, write.go, write_footer.go).
//
// To check a number of the footer: its field is in fields.go, and takes a Check and a Rule if the value alone decides; what depends on other
// numbers is checked in Footer.read, where both are known; what depends on the folder, in checkFragment of package tiledb.
package fragment
