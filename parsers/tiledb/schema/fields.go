package schema

import (
	"math"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/rule"
	"spandrel/parsers/tiledb/storage"
)

// Enum tables (3.8; tiledb/sm/enums).
var (
	arrayTypes = storage.Enum("DENSE", "SPARSE")
	layouts    = storage.Enum("ROW_MAJOR", "COL_MAJOR", "GLOBAL_ORDER", "UNORDERED", "HILBERT")
	dataOrders = storage.Enum("UNORDERED", "INCREASING", "DECREASING")
	shapes     = storage.Enum("NDRECTANGLE")
	varCells   = model.Enum{math.MaxUint32: "variable"}
)

// The orders of tiles and cells that matter: any other is row-major.
const (
	ColMajor    = 1
	globalOrder = 2
	unordered   = 3
	Hilbert     = 4
)

var one, none = model.U(1), model.U(0)

func positive(v model.Value) string {
	if v.Uint() == 0 {
		return "1 or more"
	}
	return ""
}

// Array schemas of format versions 1 to 23 (part 3; tiledb/sm/array_schema/array_schema.cc).
var (
	SchemaF  = &model.Field{Name: "schema", Doc: "the array schema", Ref: "3.1"}
	sVersion = &model.Field{Name: "version", Doc: "format version of this schema", Ref: "3.1", Codec: model.U32LE,
		Fixed: "another version is another layout"}
	sDups = &model.Field{Name: "allows_dups", Doc: "cells with duplicate coordinates are kept", Ref: "3.1", Codec: model.U8,
		Check: model.AtMost(1), Rule: rule.BadDups, Safe: one}
	sArray     = &model.Field{Name: "array_type", Ref: "3.1", Codec: model.U8, Enum: arrayTypes, Check: model.AtMost(1), Rule: rule.BadArrayType}
	sTileOrder = &model.Field{Name: "tile_order", Ref: "3.1", Codec: model.U8, Enum: layouts, Check: model.AtMost(1), Rule: rule.BadTileOrder,
		Offer: none}
	sCellOrder = &model.Field{Name: "cell_order", Ref: "3.1", Codec: model.U8, Enum: layouts, Check: model.AtMost(4), Rule: rule.BadCellOrder,
		Offer: none}
	sCapacity    = &model.Field{Name: "capacity", Doc: "cells in a tile of a sparse fragment", Ref: "3.1", Codec: model.U64LE}
	sCoords      = &model.Field{Name: "coords_filters", Doc: "of dimensions without filters of their own", Ref: "3.1"}
	sOffsets     = &model.Field{Name: "offsets_filters", Doc: "of the offsets of variable cells", Ref: "3.1"}
	sValidity    = &model.Field{Name: "validity_filters", Doc: "of the validity of nullable attributes", Ref: "3.1"}
	sDomain      = &model.Field{Name: "domain", Ref: "3.2"}
	domType      = &model.Field{Name: "datatype", Doc: "of all dimensions", Ref: "3.2", Codec: model.U8, Enum: storage.Datatypes}
	domCount     = &model.Field{Name: "num_dimensions", Ref: "3.2", Codec: model.U32LE}
	dims         = &model.Field{Name: "dimensions", Ref: "3.3"}
	dimF         = &model.Field{Name: "dimension", Ref: "3.3"}
	nameLen      = &model.Field{Name: "name_length", Ref: "3.3", Codec: model.U32LE}
	NameF        = &model.Field{Name: "name", Ref: "3.3", Codec: model.UTF8}
	typeF        = &model.Field{Name: "datatype", Ref: "3.8", Codec: model.U8, Enum: storage.Datatypes}
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
	attrFill     = &model.Field{Name: "fill_value", Doc: "the value of cells that were never written", Ref: "3.4"}
	attrNull     = &model.Field{Name: "nullable", Ref: "3.4", Codec: model.U8, Check: model.AtMost(1), Rule: rule.BadNullable, Safe: one}
	attrFillOK   = &model.Field{Name: "fill_value_validity", Ref: "3.4", Codec: model.U8, Check: model.AtMost(1), Rule: rule.BadFillValid, Safe: none}
	attrOrder    = &model.Field{Name: "order", Ref: "3.4", Codec: model.U8, Enum: dataOrders, Check: model.AtMost(2), Rule: rule.BadOrder, Offer: none}
	attrEnumLen  = &model.Field{Name: "enumeration_name_length", Ref: "3.4", Codec: model.U32LE}
	AttrEnum     = &model.Field{Name: "enumeration_name", Doc: "cells are indexes of its values", Ref: "3.4", Codec: model.UTF8}
)

// Dimension labels, the enumeration map and the current domain of a schema (3.5 to 3.7).
var (
	labelCount   = &model.Field{Name: "num_dimension_labels", Ref: "3.5", Codec: model.U32LE}
	labels       = &model.Field{Name: "labels", Ref: "3.5"}
	labelF       = &model.Field{Name: "label", Ref: "3.5"}
	labelDim     = &model.Field{Name: "dimension_index", Ref: "3.5", Codec: model.U32LE}
	labelRel     = &model.Field{Name: "relative_uri", Ref: "3.5", Codec: model.U8}
	labelURILen  = &model.Field{Name: "uri_length", Ref: "3.5", Codec: model.U64LE}
	labelURI     = &model.Field{Name: "uri", Doc: "of the array that contains the label", Ref: "3.5", Codec: model.UTF8}
	labelAttrLen = &model.Field{Name: "label_attribute_name_length", Ref: "3.5", Codec: model.U32LE}
	labelAttr    = &model.Field{Name: "label_attribute_name", Ref: "3.5", Codec: model.UTF8}
	labelOrder   = &model.Field{Name: "label_order", Ref: "3.5", Codec: model.U8, Enum: dataOrders}
	labelType    = &model.Field{Name: "label_datatype", Ref: "3.5", Codec: model.U8, Enum: storage.Datatypes}
	labelNum     = &model.Field{Name: "label_cell_val_num", Ref: "3.5", Codec: model.U32LE, Enum: varCells}
	labelExt     = &model.Field{Name: "is_external", Doc: "the label array is elsewhere", Ref: "3.5", Codec: model.U8}
	enumCount    = &model.Field{Name: "num_enumerations", Ref: "3.6", Codec: model.U32LE}
	enums        = &model.Field{Name: "enumerations", Ref: "3.6"}
	enumEntry    = &model.Field{Name: "enumeration", Ref: "3.6"}
	enumFileLen  = &model.Field{Name: "filename_length", Ref: "3.6", Codec: model.U32LE}
	enumFile     = &model.Field{Name: "filename", Doc: "in __schema/__enumerations", Ref: "3.6", Codec: model.UTF8}
	currentF     = &model.Field{Name: "current_domain", Ref: "3.7"}
	curVersion   = &model.Field{Name: "version", Ref: "3.7", Codec: model.U32LE, Check: model.AtMost(0), Rule: rule.CurrentVersion, Safe: none}
	curEmpty     = &model.Field{Name: "empty", Doc: "1: nothing follows", Ref: "3.7", Codec: model.U8, Check: model.AtMost(1), Rule: rule.CurrentEmpty}
	curType      = &model.Field{Name: "type", Ref: "3.7", Codec: model.U8, Enum: shapes, Check: model.AtMost(0), Rule: rule.CurrentType}
	curData      = &model.Field{Name: "data", Doc: "of an unknown type", Ref: "3.7", Codec: model.RawBytes}
	curRanges    = &model.Field{Name: "ranges", Ref: "3.7"}
	RangeF       = &model.Field{Name: "range", Ref: "3.7"}
	RangeLow     = &model.Field{Name: "low", Ref: "3.7"}
	RangeHigh    = &model.Field{Name: "high", Ref: "3.7"}
	rangeSize    = &model.Field{Name: "size", Doc: "bytes of both ends", Ref: "3.7", Codec: model.U64LE}
	rangeStart   = &model.Field{Name: "start_size", Doc: "bytes of the low end", Ref: "3.7", Codec: model.U64LE}
	rangeData    = &model.Field{Name: "data", Doc: "low end, then high end", Ref: "3.7", Codec: model.UTF8}
)

// Enumerations (3.6): files of their own.
var (
	EnumerationF = &model.Field{Name: "enumeration", Ref: "3.6"}
	eVersion     = &model.Field{Name: "version", Ref: "3.6", Codec: model.U32LE, Check: model.AtMost(0), Rule: rule.EnumVersion,
		Fixed: "it has only one value"}
	ePathLen = &model.Field{Name: "path_name_length", Ref: "3.6", Codec: model.U32LE}
	ePath    = &model.Field{Name: "path_name", Doc: "the file's own name", Ref: "3.6", Codec: model.UTF8}
	eType    = &model.Field{Name: "datatype", Ref: "3.8", Codec: model.U8, Enum: storage.Datatypes, Check: model.AtMost(filter.GeomWKT),
		Rule: rule.EnumFields}
	eNum         = &model.Field{Name: "cell_val_num", Ref: "3.6", Codec: model.U32LE, Enum: varCells, Check: positive, Rule: rule.EnumFields}
	eOrdered     = &model.Field{Name: "ordered", Ref: "3.6", Codec: model.U8, Check: model.AtMost(1), Rule: rule.EnumFields}
	eDataSize    = &model.Field{Name: "data_size", Ref: "3.6", Codec: model.U64LE}
	eData        = &model.Field{Name: "data", Doc: "the values, one after the other", Ref: "3.6"}
	eOffsetsSize = &model.Field{Name: "offsets_size", Ref: "3.6", Codec: model.U64LE}
	eOffsets     = &model.Field{Name: "offsets", Doc: "where each value starts in the data", Ref: "3.6"}
	eOffset      = &model.Field{Name: "offset", Ref: "3.6", Codec: model.U64LE}
	eValues      = &model.Field{Name: "values", Doc: "the data, value by value", Ref: "3.6"}
	eValue       = &model.Field{Name: "value", Ref: "3.6"}
)

// Schemas of TileDB 1.3 and older (3.9): in another order; read-only.
var (
	legacyVer  = &model.Field{Name: "library_version", Ref: "3.9"}
	legacyPart = []*model.Field{{Name: "major", Codec: model.I32LE}, {Name: "minor", Codec: model.I32LE},
		{Name: "patch", Codec: model.I32LE}}
	legacyPipe = [2][2]*model.Field{
		{{Name: "coords_compressor", Ref: "3.9", Codec: model.U8, Enum: storage.Compressors},
			{Name: "coords_level", Ref: "3.9", Codec: model.I32LE}},
		{{Name: "offsets_compressor", Ref: "3.9", Codec: model.U8, Enum: storage.Compressors},
			{Name: "offsets_level", Ref: "3.9", Codec: model.I32LE}},
	}
)
