// Package flat reads and writes FlatBuffers of SameDiff: graphs, indexes, metadata (sections 3.1 to 3.3 of the reference sheet).
//
// A buffer begins with an offset to its root table. A table leads back to a vtable, which says where each field is; texts, vectors
// and other tables are reached by offsets, always forward. Nothing says how long a buffer is, which schema it follows or where an
// object ends: all of that is found by walking it.
//
//   - Buffer reads values without trusting anything: what leads outside reads as absent.
//   - Table and Slot are the schema, by generation.
//   - Open guesses the generation of a graph by its fields, and walks it: every byte of the buffer belongs to one object, and an Issue says what is invalid.
//   - Fields rewrites new tables, Copy writes a buffer with changes.
package flat
