// Package safetensors reads tensors in the format from which the Hugging Face libraries load models (github.com/huggingface/safetensors,
// README "Format").
//
// A file has three parts:
//
//	8 bytes   header_size, little-endian: the length of the header, at most 100 MB
//	header    a JSON object in UTF-8, padded with spaces: the dtype, shape and data_offsets of each tensor by name,
//	          and under the name __metadata__ texts by name
//	data      the tensors, row-major and little-endian, each at its data_offsets, which count from the start of this part
//
// The tensors fill the data without gaps or overlaps, in any order. Readers refuse a file that violates this, one with a
// repeated name, and one whose last offset is not its end: most files that do not load are truncated downloads, which shows at
// the end of the data, or Git-LFS pointers, which are no safetensors at all. There is no checksum: wrong values go unnoticed.
//
// A large model is several files, NAME-00001-of-00003.safetensors and so on, and an index in JSON, NAME.safetensors.index.json: weight_map names
// the file of each tensor, metadata/total_size is the total size. Readers load the files that the index names, and nothing else.
package safetensors
