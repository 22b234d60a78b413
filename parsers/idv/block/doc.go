// Package block is a reading of a block of an IDV stream: the values of one column in a run of rows, inflated, or one value
// of metadata (§3 of the reference sheet of the format).
//
// Read finds the structure once: which bytes are bounds, text, counts, indices, items. Everything else is based on it: the spans
// of a tree (Parts), problems (Check), cells for people (Cell), values as stored (Raws), and Encode, which makes a
// block from values again. A block contains neither its own length nor a checksum; blocks of texts and vectors contain their counts.
package block
