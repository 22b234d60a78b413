// Package scdl is SCDL archives (Single-Cell Data Loader, NVIDIA BioNeMo), schema 0.0.2 to 0.1.0: a matrix of cells by genes.
//
// An archive is a folder:
//
//	header.sch       types and lengths of the arrays, and which feature folders there are with which files; big-endian
//	data.npy         the values that are not zero      bare numbers in the order of the machine that wrote them, without
//	col_ptr.npy      the gene of each value            a header of their own, whatever their names say (CSR: compressed
//	row_ptr.npy      where each cell's values begin    sparse rows)
//	neighbor_*.npy   a second such matrix, of cells by cells, where it was asked for
//	metadata.json    {"num_rows": N}; version.json: the version of the package
//	var_features/    tables of genes (Parquet), one for each block of cells; which cells those are says cumulative_sum_index.npy
//	obs_features/    tables of cells
//
// A collection is a folder of archives. Archives of an experimental branch are divided into folders of chunks.
//
// What goes wrong: the header has no offsets and no checksum, so that one wrong length shifts all behind it, and only trying tells
// which (detect_header.go). The writer leaves old headers behind (after a cast, after a concat), and a file that was cut looks the
// same at first: the others are asked what they bear out (check_judge.go). Little is lost with a header or with metadata.json, as
// the arrays say nearly all of it (repair_arrays.go).
//
// Section numbers (Ref) are those of the reference sheet of the format.
package scdl
