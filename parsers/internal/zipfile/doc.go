// Package zipfile reads ZIP archives (APPNOTE.TXT 6.3.10) including ZIP64, for the formats based on them: members in
// file order, the central directory, the end records, and anything before, between and after them.
//
// An archive says everything twice: a local header precedes each member, and the directory after all of them repeats
// it. Readers trust the directory; if it is lost, the local headers say what there is. Sizes and offsets from 0xffffffff on
// are in an extra field (ZIP64); sizes that were not known when the header was written are in a descriptor after the data.
// Archives are usually damaged by a truncated download (the directory is gone, the members are whole), by a conversion to text,
// or by bytes before them, which move all offsets.
//
// Scan reads only through the directory. Read creates spans and declares what sizes, offsets, counts and checksums are derived from, so that
// an edit of a member updates the archive. Problems are reported by the rules that a Client gives; Repairs returns what can be
// done about them.
package zipfile
