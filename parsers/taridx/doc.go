// Package taridx is TARIDX 1.0, the index of tar shards that the iTar part of the glzn package writes.
//
// A dataset is a folder of shards, train_0000.tar, train_0001.tar …, and one index a fold, train.taridx, which spares readers
// the walk over all tar headers. A sample is the members of one stem, the name up to its first dot: cat.jpg and cat.cls.
//
//	header      64 bytes: magic, version, counts, where stems and rows start, flags
//	ext         extension names, joined by newlines; a row names one by its position
//	crash       stems whose hash another stem has already, joined by newlines; usually none
//	rows        32 bytes each, up to the end of the file: shard, offset of the tar header, size, extension, collision
//	            number, XXH64 of the stem
//
// Numbers are little-endian; nothing is aligned, compressed or summed up. A stem itself is not stored: the shards have it.
//
// What goes wrong: the file is cut or something is behind it, and the count of rows in the header is the only witness; a field of
// the header is damaged, which the others and the file size outvote (parse_layout.go); a shard is lost, renamed, or another one
// lies in its place, so that whole shards of rows fit nothing (deep_shards.go); tar helper headers were indexed. As long as the
// shards are there nothing is lost: a row is what its member says (repair_members.go), and so is a whole index (reindex.go).
//
// Section numbers (Ref) are those of the reference sheet of the format.
package taridx
