// Package scdl reads SCDL archives (Single-Cell Data Loader, NVIDIA BioNeMo), schema 0.0.2 to 0.1.0: a matrix of cells by genes.
//
// An archive is a folder:
//
//	header.sch       types and lengths of the arrays, and the feature folders with their files; big-endian
//	data.npy         the non-zero values               bare numbers in the byte order of the machine that wrote them, without
//	col_ptr.npy      the gene of each value            a header of their own, in spite of their names (CSR: compressed
//	row_ptr.npy      where each cell's values begin    sparse rows)
//	neighbor_*.npy   an optional second matrix of the same kind, of cells by cells
//	metadata.json    {"num_rows": N}; version.json: the version of the package
//	var_features/    tables of genes (Parquet), one for each block of cells; cumulative_sum_index.npy says which cells these are
//	obs_features/    tables of cells
//
// A collection is a folder of archives. Archives of an experimental branch are divided into folders of chunks.
//
// Typical damage: the header has no offsets and no checksum, so that one wrong length shifts everything after it, and only trying finds
// it (detect_header.go). The writer leaves old headers behind (after a cast, after a concat), and a truncated file looks the
// same at first: the other files decide (check_judge.go). Little is lost with a header or with metadata.json, because
// the arrays contain nearly all of it (repair_arrays.go).
//
// Section numbers (Ref) are those of the reference sheet of the format.
package scdl
