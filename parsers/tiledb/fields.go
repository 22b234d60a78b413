package tiledb

import (
	"math"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

const (
	variableCells   = math.MaxUint32 // cell_val_num of cells of varying size
	versionNewest   = 23
	versionReleased = 22             // the newest that TileDB 2.25 to 2.30 reads and writes
	versionTrial    = math.MaxUint32 // version of experimental builds: laid out as version 14
	longestLine     = 1 << 12        // bytes of a line of a commit that names a file
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
	tail        = &model.Field{Name: "tail", Unused: true, Doc: "bytes that the footer does not know", Ref: "5.2", Codec: model.RawBytes}
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
