package tiledb

import "spandrel/model"

// messages are what readers of the format say, as people report it. The more particular come first.
var messages = []model.Message{
	{Reader: "TileDB", Text: "Array does not exist", Rules: []string{"TDB-160"},
		Means: "TileDB takes a folder for an array only if it contains a folder __schema with a schema, or an old " +
			"__array_schema.tdb."},
	{Reader: "TileDB", Text: "format version … newer than library", Rules: []string{"TDB-004", "TDB-005", "TDB-052"},
		Means: "The file says that it is of a newer format version than this TileDB can read."},
	{Reader: "TileDB (zstd)", Text: "Unknown frame descriptor", Rules: []string{"TDB-020", "model.undecoded"},
		Means: "A compressed chunk does not begin as zstd data does: it is damaged, or its offset is wrong."},
	{Reader: "TileDB", Text: "checksum mismatch", Rules: []string{"TDB-022", "model.checksum"},
		Means: "The bytes of a tile do not match the checksum that they were written with."},
	{Reader: "TileDB", Text: "std::bad_alloc", Rules: []string{"TDB-164", "TDB-165", "TDB-065", "model.truncated"},
		Means: "TileDB took damaged bytes for a length and asked for that much memory: usually the metadata of a " +
			"fragment are truncated or overwritten."},
	{Reader: "TileDB", Text: "Cannot get file size of …__fragment_metadata.tdb",
		Rules: []string{"TDB-174", "TDB-003", "model.truncated"},
		Means: "A commit names a fragment without metadata."},
	{Reader: "TileDB", Text: "Cannot get file size", Rules: []string{"TDB-167", "TDB-174"},
		Means: "A file that the array needs is missing: usually the copy is incomplete."},
	{Reader: "TileDB", Text: "Read exceeds file size",
		Rules: []string{"TDB-003", "TDB-006", "TDB-016", "TDB-167", "model.truncated"},
		Means: "A file is shorter than its header, its footer or its fragment says."},
	{Reader: "TileDB, TileDB-VCF", Text: "std::out_of_range", Rules: []string{"TDB-167", "TDB-168", "TDB-172", "model.truncated"},
		Means: "TileDB followed an offset to a place outside of the data."},
}
