// Package taridx is TARIDX 1.0, the index of tar shards that the iTar part of the glzn package writes.
//
// A dataset is a folder of shards, train_0000.tar, train_0001.tar …, and one index per fold, train.taridx, which saves readers
// from walking all tar headers. A sample is the members with the same stem, the name up to its first dot: cat.jpg and cat.cls.
//
//	header      64 bytes: magic, version, counts, where stems and rows start, flags
//	ext         extension names, joined by newlines; a row names one by its position
//	crash       stems whose hash another stem has too, joined by newlines; usually none
//	rows        32 bytes each, up to the end of the file: shard, offset of the tar header, size, extension, collision
//	            number, XXH64 of the stem
//
// Numbers are little-endian; nothing is aligned, compressed or protected by a checksum. The stem itself is not stored: the shards have it.
//
// Typical damage: the file is truncated or something follows it, and the count of rows in the header is the only witness; a field of
// the header is damaged, which the others and the file size outvote (parse_layout.go); a shard is lost, renamed, or replaced by
// another one, so that whole shards of rows do not fit (deep_shards.go); tar helper headers were indexed. As long as the
// shards exist nothing is lost: a row can be restored from its member (repair_members.go), and so can a whole index (reindex.go).
//
// Section numbers (Ref) are those of the reference sheet of the format.
package taridx
