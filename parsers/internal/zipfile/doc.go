// Package zipfile reads ZIP archives (APPNOTE.TXT 6.3.10), ZIP64 among them, for the formats that are made of them: members in the
// order of the file, the central directory, the end records, and what stands before, between and behind.
//
// An archive says everything twice: a local header stands in front of each member, and the directory behind all of them repeats
// it. Readers believe the directory; where it is lost, the local headers tell what there is. Sizes and offsets from 0xffffffff on
// stand in an extra field (ZIP64); sizes that were not known when the header was written stand in a descriptor behind the data.
// Usually an archive is damaged by a download that was cut (the directory is gone, the members are whole), by a conversion to text,
// or by bytes in front of it, which move all offsets.
//
// Scan reads through the directory alone. Read lays spans and states what sizes, offsets, counts and checksums follow from, so that
// an edit of a member lays the archive out again. Problems are reported as the rules that a Client gives; Repairs has what can be
// done about them.
package zipfile
