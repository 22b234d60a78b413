// Package samediff reads and writes models of the SameDiff engine of Eclipse Deeplearning4j. References "section" are to the reference
// sheet of the format (formats/samediff.md).
//
// A model is a graph: variables (placeholders, parameters, constants, results), operations between them, what training needs, and arrays
// of values. The graph is always a FlatBuffers table, FlatGraph (package flat); the families differ in what stands around it, and in
// where the large arrays are:
//
//	.fb    the graph alone; all arrays inside it. Written by every release, in five generations of the schema
//	.sdnb  "SDNB", a header, the graph, the large arrays one behind the other, and a manifest of where they are (package manifest)
//	.sdz   a ZIP archive of SDNB files
//	.sdc   "SAMEDIFF_MODEL" and sections, each with a length and a CRC-32: HEADER, METADATA, GRAPH, ARRAYS, SHARD_INFO
//	       (a proposal; readers and writers of it differ in details, which detect_records.go tells apart)
//
// Each of the last three may be divided over shards: <base>.shard<i>-of-<n>; shard 0 has the graph. Arrays may also be in files of their
// own in a folder <base>_external.
//
// What goes wrong with such files: a save that is interrupted leaves an SDNB header without the place of its manifest; a cut file loses
// the manifest or the directory of the archive, which stand last, while graph and arrays are whole; a cut graph loses what its tables lead
// to. In a graph nothing states a length or a checksum: one wrong offset hides everything behind it, and what is right is found by what
// nothing else refers to (flat/mend.go). The lengths of arrays are stated up to four times: by the manifest, by the stub in the graph
// twice, and by shape and type.
//
// Files: fields_*.go say what is remembered of a model, parse_*.go lay spans over its bytes, and compare what a part says as it is
// read, deep*.go what reads everything. Repairs start from what a finding says (rules_about.go). All writing is in action_*.go: a text
// or number in place, a root table put in front of the graph (action_graft.go), or a buffer rewritten (flat.Copy).
package samediff
