package tiledb

import (
	"math"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

const (
	variableCells = math.MaxUint32 // cell_val_num of cells of varying size
	versionNewest = 23
	versionTrial  = math.MaxUint32 // version of experimental builds: laid out as version 14
	longestLine   = 1 << 12        // bytes of a line of a commit that names a file
)

// Delete and update commits, and consolidated fragment metadata (5.4).
var (
	deleteF    = &model.Field{Name: "condition", Doc: "cells that survive: TileDB stores the opposite of what was asked for", Ref: "5.4"}
	nodeF      = &model.Field{Name: "node", Ref: "5.4"}
	nodeKind   = &model.Field{Name: "kind", Ref: "5.4", Codec: model.U8, Enum: enum("EXPRESSION", "COMPARISON")}
	nodeOp     = &model.Field{Name: "op", Ref: "5.4", Codec: model.U8, Enum: ops}
	nodeComb   = &model.Field{Name: "combination", Ref: "5.4", Codec: model.U8, Enum: combine}
	nodeCount  = &model.Field{Name: "num_children", Ref: "5.4", Codec: model.U64LE}
	nodeKids   = &model.Field{Name: "children", Ref: "5.4"}
	nodeName   = &model.Field{Name: "field_length", Ref: "5.4", Codec: model.U32LE}
	nodeField  = &model.Field{Name: "field", Ref: "5.4", Codec: model.UTF8}
	nodeSize   = &model.Field{Name: "value_size", Ref: "5.4", Codec: model.U64LE}
	nodeValue  = &model.Field{Name: "value", Ref: "5.4", Codec: model.RawBytes}
	nodeOffs   = &model.Field{Name: "offsets_size", Ref: "5.4", Codec: model.U64LE}
	nodeOff    = &model.Field{Name: "offsets", Ref: "5.4", Codec: model.RawBytes}
	updateF    = &model.Field{Name: "update", Ref: "5.4"}
	updCount   = &model.Field{Name: "num_values", Ref: "5.4", Codec: model.U64LE}
	updValues  = &model.Field{Name: "values", Ref: "5.4"}
	updValue   = &model.Field{Name: "value", Ref: "5.4"}
	updNameLen = &model.Field{Name: "name_length", Ref: "5.4", Codec: model.U64LE}
	conMetaF   = &model.Field{Name: "fragment_metadata", Doc: "footers of several fragments", Ref: "5.4"}
	conCount   = &model.Field{Name: "num_fragments", Ref: "5.4", Codec: model.U32LE}
	conEntries = &model.Field{Name: "entries", Ref: "5.4"}
	conEntry   = &model.Field{Name: "entry", Ref: "5.4"}
	conOffset  = &model.Field{Name: "footer_offset", Doc: "in this payload", Ref: "5.4", Codec: model.U64LE}
)

// Data files (5.2): tiles of one field, one behind the other, each in an address space of its own when unfiltered.
var (
	metaFileF  = &model.Field{Name: "__fragment_metadata.tdb", Doc: "footer, tile offsets and statistics of the fragment", Ref: "5.1"}
	tilesF     = &model.Field{Name: "tiles", Ref: "5.2"}
	dataTileF  = &model.Field{Name: "tile", Ref: "5.2"}
	cellsF     = &model.Field{Name: "cells", Doc: "the tile, unfiltered", Ref: "5.2"}
	cellF      = &model.Field{Name: "cell", Ref: "5.2"}
	coordF     = &model.Field{Name: "cell", Doc: "a coordinate", Ref: "5.2", Fixed: "a cell stays where it is: delete it, and add one elsewhere"}
	ownF       = &model.Field{Name: "cell", Doc: "when a cell was written or deleted", Ref: "5.2", Fixed: "it is TileDB's own note of when cells were written or deleted"}
	cellOffset = &model.Field{Name: "offset", Doc: "where the cell starts in the values", Ref: "5.2", Codec: model.U64LE,
		Fixed: "it follows from the lengths of the cells: edit the values"}
	cellValid   = &model.Field{Name: "valid", Doc: "0: null", Ref: "5.2", Codec: model.U8}
	cellOffsets = &model.Field{Name: "offsets", Doc: "where cells start, as the values tile itself says", Ref: "2.6"}
	rawCells    = &model.Field{Name: "cells", Doc: "cells as they are: TileDB 1.3 without compressor", Ref: "3.9"}
	tail        = &model.Field{Name: "tail", Doc: "bytes that the footer does not know", Ref: "5.2", Codec: model.RawBytes}
)

// Enum tables of TileDB (3.8 of the reference sheet; tiledb/sm/enums).
var (
	datatypes = enum("INT32", "INT64", "FLOAT32", "FLOAT64", "CHAR", "INT8", "UINT8", "INT16", "UINT16", "UINT32", "UINT64",
		"STRING_ASCII", "STRING_UTF8", "STRING_UTF16", "STRING_UTF32", "STRING_UCS2", "STRING_UCS4", "ANY",
		"DATETIME_YEAR", "DATETIME_MONTH", "DATETIME_WEEK", "DATETIME_DAY", "DATETIME_HR", "DATETIME_MIN", "DATETIME_SEC", "DATETIME_MS",
		"DATETIME_US", "DATETIME_NS", "DATETIME_PS", "DATETIME_FS", "DATETIME_AS", "TIME_HR", "TIME_MIN", "TIME_SEC", "TIME_MS",
		"TIME_US", "TIME_NS", "TIME_PS", "TIME_FS", "TIME_AS", "BLOB", "BOOL", "GEOM_WKB", "GEOM_WKT")
	layouts     = enum("ROW_MAJOR", "COL_MAJOR", "GLOBAL_ORDER", "UNORDERED", "HILBERT")
	arrayTypes  = enum("DENSE", "SPARSE")
	dataOrders  = enum("UNORDERED", "INCREASING", "DECREASING")
	encryptions = enum("NO_ENCRYPTION", "AES_256_GCM")
	objects     = enum("INVALID", "GROUP", "ARRAY")
	compressors = enum("NONE", "GZIP", "ZSTD", "LZ4", "RLE", "BZIP2", "DOUBLE_DELTA", "DICTIONARY", "DELTA")
	filterEnum  = model.Enum{}
	varCells    = model.Enum{math.MaxUint32: "variable"}
	ops         = model.Enum{0: "LT", 1: "LE", 2: "GT", 3: "GE", 4: "EQ", 5: "NE", 6: "IN", 7: "NOT_IN", 253: "ALWAYS_TRUE",
		254: "ALWAYS_FALSE"}
	combine    = enum("AND", "OR", "NOT")
	shapes     = enum("NDRECTANGLE")
	pixelOrder = model.Enum{1: "RGB", 2: "BGR", 3: "RGBA", 4: "BGRA"}
)

func init() {
	for i, name := range filter.Names {
		if name != "" {
			filterEnum[uint64(i)] = name
		}
	}
}

func enum(names ...string) model.Enum {
	e := model.Enum{}
	for i, n := range names {
		e[uint64(i)] = n
	}
	return e
}

// Reading one file of an array or group, whatever it is.
var (
	otherF     = &model.Field{Name: "content", Doc: "a file that TileDB ignores", Codec: model.RawBytes}
	linesF     = &model.Field{Name: "lines", Ref: "5.4"}
	lineF      = &model.Field{Name: "line", Ref: "5.4"}
	linePath   = &model.Field{Name: "path", Ref: "5.4", Codec: model.UTF8}
	lineEnd    = &model.Field{Name: "newline", Ref: "5.4", Codec: model.BytesOf(1)}
	lineSize   = &model.Field{Name: "size", Doc: "bytes of the delete commit that follows", Ref: "5.4", Codec: model.U64LE}
	lineCommit = &model.Field{Name: "commit", Doc: "the bytes of the delete commit", Ref: "5.4"}
)

// Folders of arrays and groups (1.2). Schemas and their enumerations are read at once, as everything depends on them; all
// else when somebody looks inside.
var (
	schemasF   = &model.Field{Name: "schemas", Doc: "the oldest first; the last one is current", Ref: "1.4"}
	enumsF     = &model.Field{Name: "enumerations", Ref: "3.6"}
	labelsF    = &model.Field{Name: "labels", Doc: "arrays that hold the labels of dimensions", Ref: "3.5"}
	fragsF     = &model.Field{Name: "fragments", Doc: "what each write added, the oldest first", Ref: "5"}
	fragF      = &model.Field{Name: "fragment", Ref: "5"}
	metasF     = &model.Field{Name: "metadata", Ref: "5.3"}
	commitsF   = &model.Field{Name: "commits", Ref: "5.4"}
	conMetasF  = &model.Field{Name: "consolidated_metadata", Doc: "footers of several fragments in one file", Ref: "5.4"}
	detailsF   = &model.Field{Name: "details", Doc: "members of the group", Ref: "5.5"}
	membersF   = &model.Field{Name: "members", Doc: "arrays and groups inside the group", Ref: "5.5"}
	membF      = &model.Field{Name: "member", Ref: "5.5"}
	othersF    = &model.Field{Name: "files", Doc: "other files of the folder"}
	folderFile = &model.Field{Name: "file", Ref: "1.2"}
)

// Footers of fragment metadata (5.1.2; tiledb/sm/fragment/fragment_metadata.cc).
var (
	footerF    = &model.Field{Name: "footer", Doc: "sizes of the data files and places of the lists", Ref: "5.1.2"}
	fVersion   = &model.Field{Name: "version", Ref: "5.1.2", Codec: model.U32LE}
	fSchemaLen = &model.Field{Name: "schema_name_length", Ref: "5.1.2", Codec: model.U64LE}
	fSchema    = &model.Field{Name: "schema_name", Doc: "file of the schema that the fragment was written with", Ref: "5.1.2",
		Codec: model.UTF8}
	fDense     = &model.Field{Name: "dense", Ref: "5.1.2", Codec: model.U8}
	fNull      = &model.Field{Name: "null_non_empty_domain", Ref: "5.1.2", Codec: model.U8}
	fDomain    = &model.Field{Name: "non_empty_domain", Doc: "the least box that holds all cells", Ref: "5.1.2"}
	fTiles     = &model.Field{Name: "sparse_tile_num", Ref: "5.1.2", Codec: model.U64LE}
	fLast      = &model.Field{Name: "last_tile_cell_num", Ref: "5.1.2", Codec: model.U64LE}
	fTimes     = &model.Field{Name: "has_timestamps", Ref: "5.1.2", Codec: model.U8}
	fDeletes   = &model.Field{Name: "has_delete_meta", Ref: "5.1.2", Codec: model.U8}
	fSizes     = &model.Field{Name: "file_sizes", Doc: "bytes of each field's file; slot A is for __coords", Ref: "5.1.2"}
	fVarSizes  = &model.Field{Name: "file_var_sizes", Ref: "5.1.2"}
	fValSizes  = &model.Field{Name: "file_validity_sizes", Ref: "5.1.2"}
	fSize      = &model.Field{Name: "size", Ref: "5.1.2", Codec: model.U64LE, Show: model.ShowSize}
	frTree     = &model.Field{Name: "rtree_offset", Ref: "5.1.2", Codec: model.U64LE, Show: model.ShowHex}
	fTotals    = &model.Field{Name: "fragment_min_max_sum_null_count_offset", Ref: "5.1.2", Codec: model.U64LE, Show: model.ShowHex}
	fDone      = &model.Field{Name: "processed_conditions_offset", Ref: "5.1.2", Codec: model.U64LE, Show: model.ShowHex}
	fOffset    = &model.Field{Name: "offset", Ref: "5.1.2", Codec: model.U64LE, Show: model.ShowHex, Target: tileTarget}
	fSections  = &model.Field{Name: "num_optional_sections", Ref: "5.1.2", Codec: model.U32LE}
	fSectList  = &model.Field{Name: "optional", Ref: "5.1.2"}
	fSect      = &model.Field{Name: "section", Ref: "5.1.2"}
	fSectID    = &model.Field{Name: "identifier", Ref: "5.1.2", Codec: model.U64LE, Enum: enum("tile global order bounds")}
	fSectSize  = &model.Field{Name: "data_size", Ref: "5.1.2", Codec: model.U32LE}
	fSectBound = &model.Field{Name: "data", Ref: "5.1.2"}
	fSectData  = &model.Field{Name: "data", Ref: "5.1.2", Codec: model.RawBytes}
	fTail      = &model.Field{Name: "unused", Doc: "an offset that version 11 does not define", Ref: "5.1.2", Codec: model.RawBytes}
	fLength    = &model.Field{Name: "footer_length", Doc: "bytes of the footer", Ref: "5.1", Codec: model.U64LE}
)

// The lists of a fragment that have one generic tile for each field, in the order of their offsets in the footer.
const (
	lTiles = iota
	lVar
	lVarSizes
	lValidity
	lMin
	lMax
	lSum
	lNulls
	lists
)

var listOffsets = [lists]*model.Field{
	{Name: "tile_offsets_offset", Ref: "5.1.2"}, {Name: "tile_var_offsets_offset", Ref: "5.1.2"}, {Name: "tile_var_sizes_offset",
		Ref: "5.1.2"},
	{Name: "tile_validity_offsets_offset", Ref: "5.1.2"}, {Name: "tile_min_offset", Ref: "5.1.2"}, {Name: "tile_max_offset", Ref: "5.1.2"},
	{Name: "tile_sum_offset", Ref: "5.1.2"}, {Name: "tile_null_count_offset", Ref: "5.1.2"},
}

// Fragment metadata (5.1): generic tiles back to back, then the footer.
var (
	rTreeF    = &model.Field{Name: "rtree", Doc: "bounding boxes of the tiles", Ref: "5.1.3"}
	rDims     = &model.Field{Name: "num_dimensions", Ref: "5.1.3", Codec: model.U32LE}
	rFanout   = &model.Field{Name: "fanout", Ref: "5.1.3", Codec: model.U32LE}
	rType     = &model.Field{Name: "datatype", Ref: "5.1.3", Codec: model.U8, Enum: datatypes}
	rLevels   = &model.Field{Name: "num_levels", Ref: "5.1.3", Codec: model.U32LE}
	rLevelF   = &model.Field{Name: "levels", Doc: "the root first", Ref: "5.1.3"}
	rLevel    = &model.Field{Name: "level", Ref: "5.1.3"}
	rCount    = &model.Field{Name: "num_mbrs", Ref: "5.1.3", Codec: model.U64LE}
	rBoxes    = &model.Field{Name: "mbrs", Ref: "5.1.3"}
	rBox      = &model.Field{Name: "mbr", Ref: "5.1.3"}
	listsF    = &model.Field{Name: "lists", Doc: "generic tiles: R-tree, tile offsets, statistics", Ref: "5.1.1"}
	payloadF  = &model.Field{Name: "payload", Doc: "the bytes of the tile, unfiltered"}
	listCount = &model.Field{Name: "count", Ref: "5.1.1", Codec: model.U64LE}
	listF     = &model.Field{Name: "values", Ref: "5.1.1"}
	listElem  = &model.Field{Name: "value", Ref: "5.1.1", Codec: model.U64LE}
	listSum   = &model.Field{Name: "sum", Ref: "5.1.1"}
	minFixed  = &model.Field{Name: "fixed_size", Ref: "5.1.1", Codec: model.U64LE}
	minVar    = &model.Field{Name: "var_size", Ref: "5.1.1", Codec: model.U64LE}
	minValues = &model.Field{Name: "fixed", Doc: "one value for each tile, or where it starts in the variable part", Ref: "5.1.1"}
	minValue  = &model.Field{Name: "value", Ref: "5.1.1"}
	minData   = &model.Field{Name: "var", Ref: "5.1.1"}
	total     = &model.Field{Name: "field", Ref: "5.1.1"}
	totMinLen = &model.Field{Name: "min_size", Ref: "5.1.1", Codec: model.U64LE}
	totMin    = &model.Field{Name: "min", Ref: "5.1.1"}
	totMaxLen = &model.Field{Name: "max_size", Ref: "5.1.1", Codec: model.U64LE}
	totMax    = &model.Field{Name: "max", Ref: "5.1.1"}
	totNulls  = &model.Field{Name: "null_count", Ref: "5.1.1", Codec: model.U64LE}
	doneF     = &model.Field{Name: "conditions", Doc: "delete commits that the cells have gone through", Ref: "5.1.1"}
	doneEntry = &model.Field{Name: "condition", Ref: "5.1.1"}
	doneLen   = &model.Field{Name: "length", Ref: "5.1.1", Codec: model.U64LE}
	doneName  = &model.Field{Name: "name", Ref: "5.1.1", Codec: model.UTF8}

	listNames = [lists]*model.Field{
		{Name: "tile_offsets", Doc: "where each tile starts in the file of", Ref: "5.1.1"}, {Name: "tile_var_offsets",
			Doc: "where each tile starts in the variable file of", Ref: "5.1.1"},
		{Name: "tile_var_sizes", Doc: "unfiltered bytes of each variable tile of", Ref: "5.1.1"}, {Name: "tile_validity_offsets",
			Doc: "where each tile starts in the validity file of", Ref: "5.1.1"},
		{Name: "tile_mins", Doc: "the least value of each tile of", Ref: "5.1.1"}, {Name: "tile_maxes",
			Doc: "the greatest value of each tile of", Ref: "5.1.1"},
		{Name: "tile_sums", Doc: "the sum of each tile of", Ref: "5.1.1"}, {Name: "tile_null_counts", Doc: "the nulls of each tile of",
			Ref: "5.1.1"},
	}
	globalMins  = &model.Field{Name: "tile_global_order_min_coords", Doc: "the first coordinate of each tile of", Ref: "5.1.1"}
	globalMaxes = &model.Field{Name: "tile_global_order_max_coords", Doc: "the last coordinate of each tile of", Ref: "5.1.1"}
	totalsTile  = &model.Field{Name: "fragment_min_max_sum_null_count", Doc: "over all tiles", Ref: "5.1.1"}
	doneTile    = &model.Field{Name: "processed_conditions", Ref: "5.1.1"}
)

// TileDB 1.3 and older (3.9): a generic tile without version and pipeline, and another order of the schema. And fragment
// metadata of versions 1 and 2 (5.1.4), which shares its payload. All of it is shown and nothing of it written.
var (
	legacyHeader = &model.Field{Name: "legacy_generic_tile", Ref: "3.9"}
	legacyComp   = &model.Field{Name: "compressor", Ref: "3.9", Codec: model.U8, Enum: compressors}
	legacyLevel  = &model.Field{Name: "level", Ref: "3.9", Codec: model.I32LE}
	legacyOrig   = &model.Field{Name: "original_length", Ref: "3.9", Codec: model.U64LE}
	legacyData   = &model.Field{Name: "compressed_length", Ref: "3.9", Codec: model.U64LE}
	legacyBytes  = &model.Field{Name: "compressed_data", Doc: "a zlib stream", Ref: "3.9", Codec: model.RawBytes}
	legacyVer    = &model.Field{Name: "library_version", Ref: "3.9"}
	legacyPart   = []*model.Field{{Name: "major", Codec: model.I32LE}, {Name: "minor", Codec: model.I32LE},
		{Name: "patch", Codec: model.I32LE}}
	legacyMetaF = &model.Field{Name: "fragment_metadata", Ref: "5.1.4"}
	legacyPipe  = [2][2]*model.Field{
		{{Name: "coords_compressor", Ref: "3.9", Codec: model.U8, Enum: compressors},
			{Name: "coords_level", Ref: "3.9", Codec: model.I32LE}},
		{{Name: "offsets_compressor", Ref: "3.9", Codec: model.U8, Enum: compressors},
			{Name: "offsets_level", Ref: "3.9", Codec: model.I32LE}},
	}
	oldVersion = &model.Field{Name: "version", Ref: "5.1.4", Codec: model.U32LE}
	oldSize    = &model.Field{Name: "non_empty_domain_size", Ref: "5.1.4", Codec: model.U64LE}
	oldBoxes   = [2][2]*model.Field{
		{{Name: "num_mbrs", Ref: "5.1.4", Codec: model.U64LE}, {Name: "mbrs", Ref: "5.1.4"}},
		{{Name: "num_bounding_coords", Ref: "5.1.4", Codec: model.U64LE}, {Name: "bounding_coords", Ref: "5.1.4"}},
	}
	oldLists = [3]*model.Field{{Name: "tile_offsets", Ref: "5.1.4"}, {Name: "tile_var_offsets", Ref: "5.1.4"},
		{Name: "tile_var_sizes", Ref: "5.1.4"}}
	oldList = &model.Field{Name: "list", Ref: "5.1.4"}
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
