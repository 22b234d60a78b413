// Package idv reads ML.NET Binary DataView files (.idv), versions 1.1.1.1 to 1.1.1.6, their transposed form (.tdv), and the streams
// inside ML.NET model archives (.zip): docs/code/IdvFileFormat.md and src/Microsoft.ML.Data/DataLoadSave/Binary in
// dotnet/machinelearning. References "§" are to the reference sheet of the format.
//
// A stream is a table, column by column. Its bytes, in the order of the real writer:
//
//	header      256 bytes: signature, versions, places of directory and tail, number of rows and columns
//	blocks      the values of one column in a run of rows, deflated or uncompressed (package block)
//	lookups     for each column, where its blocks are: 16 bytes each
//	metadata    for each column, values of one: key values, slot names; then a directory of them
//	directory   for each column: name, type, compression, rows per block, where lookup and metadata are
//	tail        8 bytes, the signature reversed
//
// None of this order is required: readers follow offsets. There are no checksums. So a changed byte inside a block is noticed
// only if inflating fails or a value is impossible; but numbers of rows, lengths and offsets are stated many times over, by the
// header, by every lookup table and by every block of texts or vectors, and that identifies the wrong one.
//
// Typical damage: truncated downloads and saves lose the directory, which is after the data, and with it the
// names and types of all columns, while the blocks are whole (repair_salvage.go finds them by inflating). The header is written last,
// so an interrupted save leaves 256 zero bytes before its blocks. A wrong offset or count in the header hides everything.
//
// A stream is read in two steps. The directories (parse_directory.go, parse_metadata.go) are read first, because any offset may lead
// anywhere; they divide the stream into regions (parse_division.go), whose spans are then created in file order.
// Blocks are frames: they are inflated and divided when someone looks inside (parse_derive.go, parse_block.go). Edits that change
// sizes rewrite the stream, or append to it if it is large (action_rewrite.go, action_append.go).
package idv
