// Package tiledb reads, checks, repairs and edits arrays and groups of TileDB, from TileDB 1.3 to format version 23. The specification is
// format_spec/ in the TileDB repository; where it and the library disagree, the library decides. Numbers in comments are those of the
// reference sheet: 1 files and names, 2 generic tiles and filters, 3 schemas, 4 rules, 5 fragments, metadata, commits and groups, 7 writing.
//
// # What it is
//
// An array is a folder. Its schemas (__schema/, before version 10 __array_schema.tdb) define which dimensions and attributes a cell has and
// with which filters its bytes are stored. Every write adds a fragment: a folder of data files, one per field (a0.tdb, d0.tdb; for
// variable length a0_var.tdb, for nulls a0_validity.tdb), and a metadata file whose footer says where tiles begin. A fragment counts if
// an empty file in __commits/ names it. Metadata of applications are in __meta/, values of enumerations in __schema/__enumerations/.
// A group is a folder with __group/, whose files list its members.
//
// # Where the bytes are
//
// Schemas, enumerations, metadata, deletions and the lists of a fragment are generic tiles: a header of 34 bytes, the filters, then
// chunks. Data files are consecutive tiles: a number of chunks, then chunks of up to 64 KiB that went through the filters of
// their field. Only the footer of a fragment knows where tiles begin. Footer, lists and cells mean nothing without the fragment's schema.
//
// # Typical damage
//
// Copies lose the empty commit files, so that the array seems empty; downloads truncate data files, whose last tiles are then missing;
// schemas are renamed, and nothing opens; writers die before the commit. A damaged byte in a compressed chunk costs the chunk. No checksum
// detects this by default, but the metadata repeat a lot: minima, maxima, sums and null counts of tiles, their places, sizes and numbers.
//
// # Structure of the package
//
// Packages below this one know neither folders nor tables: filter undoes and applies filters, storage reads generic tiles and values, schema and
// fragment read and write the two kinds of metadata, rule defines the rules. This package is about arrays: parse_*.go contain the state of an array and
// its fragments, and read its small files; check_*.go compare while opening; open_*.go decide what is read when a folder or a file is opened; deep_*.go
// read all cells; table_*.go show cells as readers see them; action_*.go and repair_*.go write. Each uses only those before it.
package tiledb
