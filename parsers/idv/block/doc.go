// Package block is one reading of the blocks of an IDV stream: the values of one column in a run of rows, inflated, or one value
// of metadata (§3 of the reference sheet of the format).
//
// Read finds the structure once: which bytes are bounds, text, counts, indices, items. Everything else is a view of that: the spans
// of a tree (Parts), what is wrong (Check), cells for people (Cell), values as they are stored (Raws), and Encode, which makes a
// block of values again. A block stores neither its own length nor a checksum; texts and vectors say how many they are.
package block
