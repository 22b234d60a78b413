// Package fragment has the metadata of fragments: the footer (footer.go) and the generic tiles that it leads to (metadata.go, lists.go), which fields a
// fragment has and in which files (slots.go), where its cells lie (grid.go), what it repeats of them (statistics.go), and how all that is written
// (draft.go, write.go, write_footer.go).
//
// To hold a number of the footer to something: its field is in fields.go, and takes a Check and a Rule where the value alone tells; what depends on other
// numbers is said in Footer.read, where both are known; what depends on the folder, in checkFragment of package tiledb.
package fragment
