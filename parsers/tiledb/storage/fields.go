package storage

import (
	"spandrel/model"
	"spandrel/parsers/tiledb/rule"
)

// Filter pipelines as they lie in generic tile headers and schemas (2.2 and 2.3; format_spec/filter_pipeline.md).
var (
	PipeMaxChunk = &model.Field{Name: "max_chunk_size", Doc: "0: one chunk for each tile; other values are not used", Ref: "2.2",
		Codec: model.U32LE}
	pipeCount   = &model.Field{Name: "num_filters", Ref: "2.2", Codec: model.U32LE}
	pipeFilters = &model.Field{Name: "filters", Doc: "in writing order", Ref: "2.2"}
	filterF     = &model.Field{Name: "filter", Ref: "2.3"}
	filterType  = &model.Field{Name: "type", Ref: "2.3", Codec: model.U8, Enum: filterEnum}
	FilterSize  = &model.Field{Name: "options_size", Doc: "bytes of the options; TileDB uses only the type", Ref: "2.3",
		Codec: model.U32LE}
	filterComp = &model.Field{Name: "compressor", Doc: "takes precedence over the type", Ref: "2.3", Codec: model.U8,
		Enum: Compressors}
	FilterLevel = &model.Field{Name: "level", Doc: "-1: the compressor's default", Ref: "2.3", Codec: model.I32LE}
	filterAs    = &model.Field{Name: "reinterpret_datatype", Doc: "type of the values that are subtracted; ANY: the input's type", Ref: "2.3",
		Codec: model.U8, Enum: Datatypes}
	FilterWindow = &model.Field{Name: "max_window_size", Doc: "bytes", Ref: "2.3", Codec: model.U32LE, Show: model.ShowSize}
	FilterScale  = &model.Field{Name: "scale", Doc: "value = scale x stored + offset", Ref: "2.3", Codec: model.F64LE}
	FilterOffset = &model.Field{Name: "offset", Ref: "2.3", Codec: model.F64LE}
	filterWidth  = &model.Field{Name: "byte_width", Doc: "of a stored integer", Ref: "2.3", Codec: model.U64LE}
	WebPQuality  = &model.Field{Name: "quality", Doc: "0 to 100", Ref: "2.3", Codec: model.F32LE}
	webPFormat   = &model.Field{Name: "format", Ref: "2.3", Codec: model.U8, Enum: pixelOrder}
	WebPLossless = &model.Field{Name: "lossless", Ref: "2.3", Codec: model.U8}
	webPY        = &model.Field{Name: "extent_y", Doc: "rows", Ref: "2.3", Codec: model.U16LE}
	webPX        = &model.Field{Name: "extent_x", Doc: "bytes of a row", Ref: "2.3", Codec: model.U16LE}
	WebPPad      = &model.Field{Name: "struct_padding", Ref: "2.3", Codec: model.BytesOf(2), Check: model.Zeros, Rule: rule.WebPPadding,
		Safe: twoZeros}
	filterOther = &model.Field{Name: "options", Doc: "options of an unknown filter", Ref: "2.3", Codec: model.RawBytes}

	twoZeros = model.Raw([]byte{0, 0})
)

// Generic tiles (2.1; format_spec/generic_tile.md) and tiles (2.4; format_spec/tile.md).
var (
	tileHeader    = &model.Field{Name: "generic_tile", Doc: "header of a filtered payload", Ref: "2.1"}
	tileVersion   = &model.Field{Name: "version", Doc: "format version of the library that wrote the tile", Ref: "2.1", Codec: model.U32LE}
	tilePersisted = &model.Field{Name: "persisted_size", Doc: "bytes of the tile after the pipeline", Ref: "2.1", Codec: model.U64LE,
		Show: model.ShowSize}
	tileSize     = &model.Field{Name: "tile_size", Doc: "bytes of the payload", Ref: "2.1", Codec: model.U64LE, Show: model.ShowSize}
	tileDatatype = &model.Field{Name: "datatype", Ref: "2.1", Codec: model.U8, Enum: Datatypes}
	tileCell     = &model.Field{Name: "cell_size", Ref: "2.1", Codec: model.U64LE}
	tileCrypt    = &model.Field{Name: "encryption_type", Ref: "2.1", Codec: model.U8, Enum: encryptions}
	tilePipeSize = &model.Field{Name: "filter_pipeline_size", Ref: "2.1", Codec: model.U32LE}
	tilePipe     = &model.Field{Name: "filter_pipeline", Ref: "2.2"}
	TileF        = &model.Field{Name: "tile", Doc: "chunks", Ref: "2.4"}
	TileChunks   = &model.Field{Name: "num_chunks", Ref: "2.4", Codec: model.U64LE}
	ChunkList    = &model.Field{Name: "chunks", Ref: "2.4"}
	chunkF       = &model.Field{Name: "chunk", Ref: "2.4"}
	chunkOrig    = &model.Field{Name: "original_length", Doc: "bytes when unfiltered", Ref: "2.4", Codec: model.U32LE,
		Fixed: "it is computed from the content of the chunk"}
	chunkData     = &model.Field{Name: "filtered_length", Ref: "2.4", Codec: model.U32LE}
	chunkMeta     = &model.Field{Name: "metadata_length", Ref: "2.4", Codec: model.U32LE}
	chunkMetadata = &model.Field{Name: "metadata", Doc: "data that the filters need to reverse them", Ref: "2.5", Codec: model.RawBytes}
	chunkFiltered = &model.Field{Name: "filtered_data", Ref: "2.5", Codec: model.RawBytes}
)

var PayloadF = &model.Field{Name: "payload", Doc: "the bytes of the tile, unfiltered"}

// Generic tiles of TileDB 1.3 and older (3.9): without version and pipeline.
var (
	legacyHeader = &model.Field{Name: "legacy_generic_tile", Ref: "3.9"}
	LegacyComp   = &model.Field{Name: "compressor", Ref: "3.9", Codec: model.U8, Enum: Compressors}
	LegacyLevel  = &model.Field{Name: "level", Ref: "3.9", Codec: model.I32LE}
	legacyOrig   = &model.Field{Name: "original_length", Ref: "3.9", Codec: model.U64LE}
	legacyData   = &model.Field{Name: "compressed_length", Ref: "3.9", Codec: model.U64LE}
	legacyBytes  = &model.Field{Name: "compressed_data", Doc: "a zlib stream", Ref: "3.9", Codec: model.RawBytes}
)
