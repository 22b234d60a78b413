// Package gguf reads models in the format of llama.cpp and other programs based on ggml (github.com/ggml-org/ggml, docs/gguf.md),
// versions 2 and 3, in both byte orders.
//
// A file is a header, padding and the data:
//
//	header   "GGUF", version, number of tensors, number of key-value pairs; the pairs: key, type of the value, value;
//	         for each tensor its name, number of dimensions, dimensions (the fastest changing one first), type, and offset in the data
//	data     the tensors in the order of the header, each padded to a multiple of general.alignment (32 by default)
//
// A string is a length of 8 bytes and UTF-8, an array the type of its items, their number, and the items. Most tensors of a model are
// quantised: blocks of 32 or 256 values with scales of their own. A large model is several files, NAME-00001-of-00003.gguf and so on,
// according to the pairs split.no, split.count and split.tensors.count.
//
// There is no checksum, and the header does not state its own length, so one wrong length or count makes everything after it unreadable.
// Most files that do not load are truncated downloads: the header is whole, and data of the last tensors is missing.
package gguf
