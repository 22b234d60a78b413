// Package safetensors is the format of tensors that the Hugging Face libraries load models from (github.com/huggingface/safetensors,
// README "Format").
//
// A file is three parts, one behind the other:
//
//	8 bytes   header_size, little-endian: how many bytes the header has, at most 100 MB
//	header    a JSON object in UTF-8, filled up with blanks: for each tensor its name with dtype, shape and data_offsets,
//	          and at the name __metadata__ texts by name
//	data      the tensors, row-major and little-endian, each at its data_offsets, which count from the start of this part
//
// The tensors fill the data without holes and without overlaps, in any order. Readers refuse a file that breaks this, one with a
// name twice, and one whose last offset is not its end: most files that do not load are downloads that were cut, which is seen at
// the end of the data, or pointers of Git-LFS, which are no safetensors at all. There is no checksum: wrong values go unseen.
//
// A large model is several files, NAME-00001-of-00003.safetensors and so on, and an index in JSON, NAME.safetensors.index.json: weight_map says
// the file of each tensor, metadata/total_size the bytes of all. Readers load the files that the index names, and nothing else.
package safetensors
