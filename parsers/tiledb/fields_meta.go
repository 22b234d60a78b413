package tiledb

import (
	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// Enumerations (3.6), array and group metadata (5.3) and group details (5.5).
var (
	enumerationF = &model.Field{Name: "enumeration", Ref: "3.6"}
	eVersion     = &model.Field{Name: "version", Ref: "3.6", Codec: model.U32LE, Check: upTo(0), Rule: enumVersion,
		Fixed: "it has only one value"}
	ePathLen = &model.Field{Name: "path_name_length", Ref: "3.6", Codec: model.U32LE}
	ePath    = &model.Field{Name: "path_name", Doc: "the file's own name", Ref: "3.6", Codec: model.UTF8}
	eType    = &model.Field{Name: "datatype", Ref: "3.8", Codec: model.U8, Enum: datatypes, Check: upTo(filter.GeomWKT),
		Rule: enumFields}
	eNum         = &model.Field{Name: "cell_val_num", Ref: "3.6", Codec: model.U32LE, Enum: varCells, Check: positive, Rule: enumFields}
	eOrdered     = &model.Field{Name: "ordered", Ref: "3.6", Codec: model.U8, Check: flag, Rule: enumFields}
	eDataSize    = &model.Field{Name: "data_size", Ref: "3.6", Codec: model.U64LE}
	eData        = &model.Field{Name: "data", Doc: "the values, one behind the other", Ref: "3.6"}
	eOffsetsSize = &model.Field{Name: "offsets_size", Ref: "3.6", Codec: model.U64LE}
	eOffsets     = &model.Field{Name: "offsets", Doc: "where each value starts in the data", Ref: "3.6"}
	eOffset      = &model.Field{Name: "offset", Ref: "3.6", Codec: model.U64LE}
	eValues      = &model.Field{Name: "values", Doc: "the data, value by value", Ref: "3.6"}
	eValue       = &model.Field{Name: "value", Ref: "3.6"}

	metaF       = &model.Field{Name: "metadata", Doc: "keys and values, sorted by key", Ref: "5.3"}
	metaEntries = &model.Field{Name: "entries", Ref: "5.3"}
	metaEntry   = &model.Field{Name: "entry", Ref: "5.3"}
	metaKeyLen  = &model.Field{Name: "key_length", Ref: "5.3", Codec: model.U32LE}
	metaKey     = &model.Field{Name: "key", Ref: "5.3", Codec: model.UTF8, Check: printable, Rule: oddMetadata}
	metaDeleted = &model.Field{Name: "deleted", Doc: "1: the key is gone, and nothing follows", Ref: "5.3", Codec: model.U8}
	metaType    = &model.Field{Name: "value_type", Ref: "5.3", Codec: model.U8, Enum: datatypes, Check: metaTypes, Rule: oddMetadata}
	metaNum     = &model.Field{Name: "value_num", Ref: "5.3", Codec: model.U32LE}
	metaValue   = &model.Field{Name: "value", Ref: "5.3"}

	groupF        = &model.Field{Name: "group", Ref: "5.5"}
	groupVersion  = &model.Field{Name: "version", Ref: "5.5", Codec: model.U32LE}
	groupCount    = &model.Field{Name: "member_count", Ref: "5.5", Codec: model.U64LE}
	groupMembers  = &model.Field{Name: "members", Ref: "5.5"}
	groupMember   = &model.Field{Name: "member", Ref: "5.5"}
	memberType    = &model.Field{Name: "object_type", Ref: "5.5", Codec: model.U8, Enum: objects}
	memberRel     = &model.Field{Name: "relative", Doc: "the address is inside the group", Ref: "5.5", Codec: model.U8}
	memberURILen  = &model.Field{Name: "uri_length", Ref: "5.5", Codec: model.U64LE}
	memberURI     = &model.Field{Name: "uri", Ref: "5.5", Codec: model.UTF8}
	memberNamed   = &model.Field{Name: "name_set", Ref: "5.5", Codec: model.U8}
	memberNameLen = &model.Field{Name: "name_length", Ref: "5.5", Codec: model.U64LE}
	memberDeleted = &model.Field{Name: "deleted", Ref: "5.5", Codec: model.U8}
)

func positive(v model.Value) string {
	if v.Uint() == 0 {
		return "1 or more"
	}
	return ""
}

func printable(v model.Value) string {
	if v.String() != v.Text() || v.Text() == "" {
		return "printable text"
	}
	return ""
}

func metaTypes(v model.Value) string {
	if v.Uint() > filter.GeomWKT || v.Uint() == filter.Any {
		return "a datatype other than ANY"
	}
	return ""
}

// Filter pipelines as they lie in generic tile headers and schemas (2.2 and 2.3; format_spec/filter_pipeline.md).
var (
	pipeMaxChunk = &model.Field{Name: "max_chunk_size", Doc: "0: one chunk for each tile; other values are not used", Ref: "2.2",
		Codec: model.U32LE}
	pipeCount   = &model.Field{Name: "num_filters", Ref: "2.2", Codec: model.U32LE}
	pipeFilters = &model.Field{Name: "filters", Doc: "in writing order", Ref: "2.2"}
	filterF     = &model.Field{Name: "filter", Ref: "2.3"}
	filterType  = &model.Field{Name: "type", Ref: "2.3", Codec: model.U8, Enum: filterEnum}
	filterSize  = &model.Field{Name: "options_size", Doc: "bytes of the options; TileDB goes by the type alone", Ref: "2.3",
		Codec: model.U32LE}
	filterComp = &model.Field{Name: "compressor", Doc: "wins over the type where they disagree", Ref: "2.3", Codec: model.U8,
		Enum: compressors}
	filterLevel = &model.Field{Name: "level", Doc: "-1: the compressor's default", Ref: "2.3", Codec: model.I32LE}
	filterAs    = &model.Field{Name: "reinterpret_datatype", Doc: "what differences are taken of; ANY: the input's type", Ref: "2.3",
		Codec: model.U8, Enum: datatypes}
	filterWindow = &model.Field{Name: "max_window_size", Doc: "bytes", Ref: "2.3", Codec: model.U32LE, Show: model.ShowSize}
	filterScale  = &model.Field{Name: "scale", Doc: "value = scale x stored + offset", Ref: "2.3", Codec: model.F64LE}
	filterOffset = &model.Field{Name: "offset", Ref: "2.3", Codec: model.F64LE}
	filterWidth  = &model.Field{Name: "byte_width", Doc: "of a stored integer", Ref: "2.3", Codec: model.U64LE}
	webPQuality  = &model.Field{Name: "quality", Doc: "0 to 100", Ref: "2.3", Codec: model.F32LE}
	webPFormat   = &model.Field{Name: "format", Ref: "2.3", Codec: model.U8, Enum: pixelOrder}
	webPLossless = &model.Field{Name: "lossless", Ref: "2.3", Codec: model.U8}
	webPY        = &model.Field{Name: "extent_y", Doc: "rows", Ref: "2.3", Codec: model.U16LE}
	webPX        = &model.Field{Name: "extent_x", Doc: "bytes of a row", Ref: "2.3", Codec: model.U16LE}
	webPPad      = &model.Field{Name: "struct_padding", Ref: "2.3", Codec: model.BytesOf(2), Check: zero, Rule: webPPadding,
		Safe: twoZeros}
	filterOther = &model.Field{Name: "options", Doc: "options of an unknown filter", Ref: "2.3", Codec: model.RawBytes}

	twoZeros = model.Raw([]byte{0, 0})
)

func zero(v model.Value) string {
	for _, b := range []byte(v.Text()) {
		if b != 0 {
			return "zeros"
		}
	}
	return ""
}

// Array schemas of format versions 1 to 23 (part 3; tiledb/sm/array_schema/array_schema.cc).
var (
	schemaF  = &model.Field{Name: "schema", Doc: "the array schema", Ref: "3.1"}
	sVersion = &model.Field{Name: "version", Doc: "format version of this schema", Ref: "3.1", Codec: model.U32LE,
		Fixed: "another version is another layout"}
	sDups = &model.Field{Name: "allows_dups", Doc: "cells with equal coordinates are kept apart", Ref: "3.1", Codec: model.U8,
		Check: flag, Rule: badDups, Safe: one}
	sArray     = &model.Field{Name: "array_type", Ref: "3.1", Codec: model.U8, Enum: arrayTypes, Check: upTo(1), Rule: badArrayType}
	sTileOrder = &model.Field{Name: "tile_order", Ref: "3.1", Codec: model.U8, Enum: layouts, Check: upTo(1), Rule: badTileOrder,
		Offer: none}
	sCellOrder = &model.Field{Name: "cell_order", Ref: "3.1", Codec: model.U8, Enum: layouts, Check: upTo(4), Rule: badCellOrder,
		Offer: none}
	sCapacity    = &model.Field{Name: "capacity", Doc: "cells in a tile of a sparse fragment", Ref: "3.1", Codec: model.U64LE}
	sCoords      = &model.Field{Name: "coords_filters", Doc: "of dimensions without filters of their own", Ref: "3.1"}
	sOffsets     = &model.Field{Name: "offsets_filters", Doc: "of the offsets of variable cells", Ref: "3.1"}
	sValidity    = &model.Field{Name: "validity_filters", Doc: "of the validity of nullable attributes", Ref: "3.1"}
	sDomain      = &model.Field{Name: "domain", Ref: "3.2"}
	domType      = &model.Field{Name: "datatype", Doc: "of all dimensions", Ref: "3.2", Codec: model.U8, Enum: datatypes}
	domCount     = &model.Field{Name: "num_dimensions", Ref: "3.2", Codec: model.U32LE}
	dims         = &model.Field{Name: "dimensions", Ref: "3.3"}
	dimF         = &model.Field{Name: "dimension", Ref: "3.3"}
	nameLen      = &model.Field{Name: "name_length", Ref: "3.3", Codec: model.U32LE}
	nameF        = &model.Field{Name: "name", Ref: "3.3", Codec: model.UTF8}
	typeF        = &model.Field{Name: "datatype", Ref: "3.8", Codec: model.U8, Enum: datatypes}
	cellNum      = &model.Field{Name: "cell_val_num", Doc: "values in a cell", Ref: "3.4", Codec: model.U32LE, Enum: varCells}
	filtersF     = &model.Field{Name: "filters", Ref: "2.2"}
	dimSize      = &model.Field{Name: "domain_size", Doc: "bytes of the domain", Ref: "3.3", Codec: model.U64LE}
	dimDomain    = &model.Field{Name: "domain", Ref: "3.3"}
	dimLow       = &model.Field{Name: "low", Ref: "3.3"}
	dimHigh      = &model.Field{Name: "high", Ref: "3.3"}
	dimNull      = &model.Field{Name: "null_tile_extent", Doc: "0: an extent follows", Ref: "3.3", Codec: model.U8}
	dimExtent    = &model.Field{Name: "tile_extent", Ref: "3.3"}
	attrCount    = &model.Field{Name: "num_attributes", Ref: "3.1", Codec: model.U32LE}
	attrs        = &model.Field{Name: "attributes", Ref: "3.4"}
	attrF        = &model.Field{Name: "attribute", Ref: "3.4"}
	attrFillSize = &model.Field{Name: "fill_value_size", Ref: "3.4", Codec: model.U64LE}
	attrFill     = &model.Field{Name: "fill_value", Doc: "what cells that were never written say", Ref: "3.4"}
	attrNull     = &model.Field{Name: "nullable", Ref: "3.4", Codec: model.U8, Check: flag, Rule: badNullable, Safe: one}
	attrFillOK   = &model.Field{Name: "fill_value_validity", Ref: "3.4", Codec: model.U8, Check: flag, Rule: badFillValid, Safe: none}
	attrOrder    = &model.Field{Name: "order", Ref: "3.4", Codec: model.U8, Enum: dataOrders, Check: upTo(2), Rule: badOrder, Offer: none}
	attrEnumLen  = &model.Field{Name: "enumeration_name_length", Ref: "3.4", Codec: model.U32LE}
	attrEnum     = &model.Field{Name: "enumeration_name", Doc: "cells are indexes of its values", Ref: "3.4", Codec: model.UTF8}

	one, none = model.U(1), model.U(0)
)

func flag(v model.Value) string { return upTo(1)(v) }

func upTo(most uint64) func(model.Value) string {
	want := "0 to " + filter.Text(most)
	return func(v model.Value) string {
		if v.Uint() > most {
			return want
		}
		return ""
	}
}

// Dimension labels, the enumeration map and the current domain of a schema (3.5 to 3.7).
var (
	labelCount   = &model.Field{Name: "num_dimension_labels", Ref: "3.5", Codec: model.U32LE}
	labels       = &model.Field{Name: "labels", Ref: "3.5"}
	labelF       = &model.Field{Name: "label", Ref: "3.5"}
	labelDim     = &model.Field{Name: "dimension_index", Ref: "3.5", Codec: model.U32LE}
	labelRel     = &model.Field{Name: "relative_uri", Ref: "3.5", Codec: model.U8}
	labelURILen  = &model.Field{Name: "uri_length", Ref: "3.5", Codec: model.U64LE}
	labelURI     = &model.Field{Name: "uri", Doc: "of the array that holds the label", Ref: "3.5", Codec: model.UTF8}
	labelAttrLen = &model.Field{Name: "label_attribute_name_length", Ref: "3.5", Codec: model.U32LE}
	labelAttr    = &model.Field{Name: "label_attribute_name", Ref: "3.5", Codec: model.UTF8}
	labelOrder   = &model.Field{Name: "label_order", Ref: "3.5", Codec: model.U8, Enum: dataOrders}
	labelType    = &model.Field{Name: "label_datatype", Ref: "3.5", Codec: model.U8, Enum: datatypes}
	labelNum     = &model.Field{Name: "label_cell_val_num", Ref: "3.5", Codec: model.U32LE, Enum: varCells}
	labelExt     = &model.Field{Name: "is_external", Doc: "the label array lies elsewhere", Ref: "3.5", Codec: model.U8}
	enumCount    = &model.Field{Name: "num_enumerations", Ref: "3.6", Codec: model.U32LE}
	enums        = &model.Field{Name: "enumerations", Ref: "3.6"}
	enumEntry    = &model.Field{Name: "enumeration", Ref: "3.6"}
	enumFileLen  = &model.Field{Name: "filename_length", Ref: "3.6", Codec: model.U32LE}
	enumFile     = &model.Field{Name: "filename", Doc: "in __schema/__enumerations", Ref: "3.6", Codec: model.UTF8}
	currentF     = &model.Field{Name: "current_domain", Ref: "3.7"}
	curVersion   = &model.Field{Name: "version", Ref: "3.7", Codec: model.U32LE, Check: upTo(0), Rule: currentVersion, Safe: none}
	curEmpty     = &model.Field{Name: "empty", Doc: "1: nothing follows", Ref: "3.7", Codec: model.U8, Check: flag, Rule: currentEmpty}
	curType      = &model.Field{Name: "type", Ref: "3.7", Codec: model.U8, Enum: shapes, Check: upTo(0), Rule: currentType}
	curData      = &model.Field{Name: "data", Doc: "of a type that is not known", Ref: "3.7", Codec: model.RawBytes}
	curRanges    = &model.Field{Name: "ranges", Ref: "3.7"}
	rangeF       = &model.Field{Name: "range", Ref: "3.7"}
	rangeLow     = &model.Field{Name: "low", Ref: "3.7"}
	rangeHigh    = &model.Field{Name: "high", Ref: "3.7"}
	rangeSize    = &model.Field{Name: "size", Doc: "bytes of both ends", Ref: "3.7", Codec: model.U64LE}
	rangeStart   = &model.Field{Name: "start_size", Doc: "bytes of the low end", Ref: "3.7", Codec: model.U64LE}
	rangeData    = &model.Field{Name: "data", Doc: "low end, then high end", Ref: "3.7", Codec: model.UTF8}
)

// Generic tiles (2.1; format_spec/generic_tile.md) and tiles (2.4; format_spec/tile.md).
var (
	tileHeader    = &model.Field{Name: "generic_tile", Doc: "header of a filtered payload", Ref: "2.1"}
	tileVersion   = &model.Field{Name: "version", Doc: "format version of the library that wrote the tile", Ref: "2.1", Codec: model.U32LE}
	tilePersisted = &model.Field{Name: "persisted_size", Doc: "bytes of the tile behind the pipeline", Ref: "2.1", Codec: model.U64LE,
		Show: model.ShowSize}
	tileSize     = &model.Field{Name: "tile_size", Doc: "bytes of the payload", Ref: "2.1", Codec: model.U64LE, Show: model.ShowSize}
	tileDatatype = &model.Field{Name: "datatype", Ref: "2.1", Codec: model.U8, Enum: datatypes}
	tileCell     = &model.Field{Name: "cell_size", Ref: "2.1", Codec: model.U64LE}
	tileCrypt    = &model.Field{Name: "encryption_type", Ref: "2.1", Codec: model.U8, Enum: encryptions}
	tilePipeSize = &model.Field{Name: "filter_pipeline_size", Ref: "2.1", Codec: model.U32LE}
	tilePipe     = &model.Field{Name: "filter_pipeline", Ref: "2.2"}
	tileF        = &model.Field{Name: "tile", Doc: "chunks", Ref: "2.4"}
	tileChunks   = &model.Field{Name: "num_chunks", Ref: "2.4", Codec: model.U64LE}
	chunkList    = &model.Field{Name: "chunks", Ref: "2.4"}
	chunkF       = &model.Field{Name: "chunk", Ref: "2.4"}
	chunkOrig    = &model.Field{Name: "original_length", Doc: "bytes when unfiltered", Ref: "2.4", Codec: model.U32LE,
		Fixed: "it follows from what the chunk holds"}
	chunkData     = &model.Field{Name: "filtered_length", Ref: "2.4", Codec: model.U32LE}
	chunkMeta     = &model.Field{Name: "metadata_length", Ref: "2.4", Codec: model.U32LE}
	chunkMetadata = &model.Field{Name: "metadata", Doc: "what the filters need for their inverse", Ref: "2.5", Codec: model.RawBytes}
	chunkFiltered = &model.Field{Name: "filtered_data", Ref: "2.5", Codec: model.RawBytes}
)

// tileTarget leads from an offset of a footer to the generic tile that starts there.
func tileTarget(t *model.Tree, s *model.Span) (model.Range, bool) {
	b, ok := t.Cached(s.Range)
	if !ok || len(b) != 8 {
		return model.Range{}, false
	}
	at := t.At(s.Range.Space, int64(filter.Uint(b, 8)))
	if at == nil {
		return model.Range{}, false
	}
	return at.Range, true
}
