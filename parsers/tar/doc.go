// Package tar reads tape archives: POSIX ustar and pax (IEEE Std 1003.1, pax), GNU and v7 tar. Shards of datasets are such
// files.
//
// An archive is a chain of members, each in blocks of 512 bytes: a header with the name, the size and a checksum of the header, the
// payload, and zeros up to the end of the block. Numbers are octal text; sizes from 8 GiB on are binary (base-256). Two blocks of
// zeros end the archive. A member of type x or g contains records for the next one or for all: names and sizes that do not fit a header
// (pax); L and K contain a long name or link name (GNU).
//
// There is no directory: a wrong size breaks the chain, and readers stop there, although the members after it are whole. Most files
// that do not load were truncated, or are compressed under a name that does not say so. Payloads have no checksum.
package tar
