// Package samediff reads and writes models of the SameDiff engine of Eclipse Deeplearning4j. References "section" are to the reference
// sheet of the format (formats/samediff.md).
//
// A model is a graph: variables (placeholders, parameters, constants, results), operations between them, what training needs, and arrays
// of values. The graph is always a FlatBuffers table, FlatGraph (package flat); the families differ in what surrounds it, and in
// where the large arrays are:
//
//	.fb    the graph alone; all arrays inside it. Written by every release, in five generations of the schema
//	.sdnb  "SDNB", a header, the graph, the large arrays one after the other, and a manifest of their places (package manifest)
//	.sdz   a ZIP archive of SDNB files
//	.sdc   "SAMEDIFF_MODEL" and sections, each with a length and a CRC-32: HEADER, METADATA, GRAPH, ARRAYS, SHARD_INFO
//	       (a proposal; readers and writers of it differ in details, which detect_records.go tells apart)
//
// Each of the last three may be divided into shards: <base>.shard<i>-of-<n>; shard 0 has the graph. Arrays may also be in files of their
// own in a folder <base>_external.
//
// Typical damage: an interrupted save leaves an SDNB header without the place of its manifest; a truncated file loses
// the manifest or the directory of the archive, which come last, while graph and arrays are whole; a truncated graph loses what its tables refer
// to. A graph contains no length or checksum: one wrong offset hides everything after it, and the right one is found by what
// nothing else refers to (flat/correct.go). The lengths of arrays are stated up to four times: by the manifest, by the stub in the graph
// twice, and by shape and type.
//
// Files: fields_*.go define the state of a model, parse_*.go create the spans of its bytes and check each part as it is
// read, deep*.go check what needs everything. Repairs start from what a finding carries (rules_about.go). All writing is in action_*.go: a text
// or number in place, a root table put before the graph (action_graft.go), or a rewritten buffer (flat.Copy).
package samediff
