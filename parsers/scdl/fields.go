package scdl

import "spandrel/model"

// The header (section 3), its variants (section 7).
var (
	magic      = &model.Field{Name: "magic", Codec: model.TextOf(4, 0), Doc: "SCDL", Ref: "3.1", Rule: badMagic}
	majorField = &model.Field{Name: "version_major", Codec: model.U8, Ref: "3.1"}
	minorField = &model.Field{Name: "version_minor", Codec: model.U8, Ref: "3.1"}
	pointField = &model.Field{Name: "version_point", Codec: model.U8, Ref: "3.1"}
	endian     = &model.Field{Name: "endianness", Codec: model.U8, Doc: "byte order of the header; 1 is network order, the only one",
		Ref: "3.1", Safe: model.U(1)}
	backend    = &model.Field{Name: "backend", Codec: model.U32BE, Ref: "3.1", Enum: model.Enum{1: "MEMMAP_V0", 2: "CHUNKED_MEMMAP_V0"}}
	arrayCount = &model.Field{Name: "array_count", Codec: model.U32BE, Ref: "3.1"}

	arrays     = &model.Field{Name: "arrays", Doc: "array descriptors", Ref: "3.2"}
	arrayField = &model.Field{Name: "array", Ref: "3.2"}
	nameLen    = &model.Field{Name: "name_len", Codec: model.U32BE, Doc: "bytes of the name", Ref: "3.2"}
	nameField  = &model.Field{Name: "name", Codec: model.UTF8, Ref: "3.2, 3.5"}
	length     = &model.Field{Name: "length", Codec: model.U64BE, Doc: "elements; readers use the file size instead",
		Ref: "3.2"}
	dtype      = &model.Field{Name: "dtype", Codec: model.U32BE, Enum: dtypes, Ref: "3.4"}
	hasShape   = &model.Field{Name: "has_shape", Codec: model.U8, Ref: "3.2"}
	shapeDims  = &model.Field{Name: "shape_dims", Codec: model.U32BE, Ref: "3.2"}
	shapeField = &model.Field{Name: "shape", Ref: "3.2"}
	dim        = &model.Field{Name: "dimension", Codec: model.U32BE, Ref: "3.2"}

	fiCount    = &model.Field{Name: "fi_count", Codec: model.U32BE, Doc: "feature indices", Ref: "3.3"}
	fIs        = &model.Field{Name: "feature_indices", Ref: "3.3"}
	fi         = &model.Field{Name: "feature_index", Ref: "3.3"}
	filesCount = &model.Field{Name: "files_count", Codec: model.U32BE, Ref: "3.3"}
	files      = &model.Field{Name: "index_files", Ref: "3.3"}
	fileField  = &model.Field{Name: "index_file", Ref: "3.3"}
	pathLen    = &model.Field{Name: "len", Codec: model.U32BE, Ref: "3.3"}
	pathField  = &model.Field{Name: "path", Codec: model.UTF8, Ref: "3.3"}

	chunkedField = &model.Field{Name: "has_chunked_info", Codec: model.U8, Ref: "7.2"}
	chunkSize    = &model.Field{Name: "chunk_size", Codec: model.U32BE, Doc: "rows per chunk", Ref: "7.2"}
	numChunks    = &model.Field{Name: "num_chunks", Codec: model.U32BE, Ref: "7.2"}
	totalRows    = &model.Field{Name: "total_rows", Codec: model.U64BE, Ref: "7.2"}

	inline     = &model.Field{Name: "inline_data", Doc: "array bytes inside the header, as in the schema text", Ref: "7.1"}
	inlineData = &model.Field{Name: "inline", Codec: model.RawBytes, Ref: "7.1"}
	tail       = &model.Field{Name: "tail", Codec: model.RawBytes, Unused: true, Doc: "unknown bytes after the header; kept on saving"}
)

var dtypes = model.Enum{1: "UINT8_ARRAY", 2: "UINT16_ARRAY", 3: "UINT32_ARRAY", 4: "UINT64_ARRAY", 5: "FLOAT16_ARRAY",
	6: "FLOAT32_ARRAY", 7: "FLOAT64_ARRAY", 8: "STRING_ARRAY", 9: "FIXED_STRING_ARRAY"}

// texts is the type of feature folders.
const texts = 8

// widthOf returns the element size; 0 for dtypes that no file can have.
func widthOf(dtype uint64) int64 {
	if dtype < uint64(len(widths)) {
		return widths[dtype]
	}
	return 0
}

var widths = [...]int64{0, 1, 2, 4, 8, 2, 4, 8}

// maxName is the longest name in bytes.
const maxName = 1024

// chunkBytes is the length of the chunk information, including its mark.
const chunkBytes = 17

// keys are the header's symbolic array names, with the files that they stand for and the dtypes without a header (section 3.5).
var keys = []arrayKey{
	{"DATA", "data.npy", 6}, {"ROWPTR", "row_ptr.npy", 4}, {"COLPTR", "col_ptr.npy", 3},
	{"NEIGHBOR_INDICES_PTR", "neighbor_indptr.npy", 4}, {"NEIGHBOR_INDICES", "neighbor_indices.npy", 3}, {"NEIGHBOR_VALUES",
		"neighbor_values.npy", 6},
}

type arrayKey struct {
	key, file string
	dtype     uint64
}
