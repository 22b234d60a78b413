package fragment

import (
	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/storage"
)

// Footers of fragment metadata (5.1.2; tiledb/sm/fragment/fragment_metadata.cc).
var (
	FooterF     = &model.Field{Name: "footer", Doc: "sizes of the data files and offsets of the lists", Ref: "5.1.2"}
	fVersion    = &model.Field{Name: "version", Ref: "5.1.2", Codec: model.U32LE}
	fSchemaLen  = &model.Field{Name: "schema_name_length", Ref: "5.1.2", Codec: model.U64LE}
	SchemaNameF = &model.Field{Name: "schema_name", Doc: "file of the schema that the fragment was written with", Ref: "5.1.2",
		Codec: model.UTF8}
	fDense     = &model.Field{Name: "dense", Ref: "5.1.2", Codec: model.U8}
	fNull      = &model.Field{Name: "null_non_empty_domain", Ref: "5.1.2", Codec: model.U8}
	fDomain    = &model.Field{Name: "non_empty_domain", Doc: "the smallest box that contains all cells", Ref: "5.1.2"}
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
	fSectID    = &model.Field{Name: "identifier", Ref: "5.1.2", Codec: model.U64LE, Enum: storage.Enum("tile global order bounds")}
	fSectSize  = &model.Field{Name: "data_size", Ref: "5.1.2", Codec: model.U32LE}
	fSectBound = &model.Field{Name: "data", Ref: "5.1.2"}
	fSectData  = &model.Field{Name: "data", Ref: "5.1.2", Codec: model.RawBytes}
	fTail      = &model.Field{Name: "unused", Doc: "an offset that version 11 does not define", Ref: "5.1.2", Codec: model.RawBytes}
	fLength    = &model.Field{Name: "footer_length", Doc: "bytes of the footer", Ref: "5.1", Codec: model.U64LE}
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

// The lists of a fragment with one generic tile per field, in the order of their offsets in the footer.
const (
	TileOffsets = iota
	VarOffsets
	VarSizes
	ValidityOffsets
	Mins
	Maxes
	Sums
	NullCounts
	Lists
)

// PartOf is the file of a field that a list refers to, by the list's name or that of its offset. It is not ok for lists that refer to none: these
// only tell which tiles need not be read.
func PartOf(list string) (part int, ok bool) {
	for i, part := range []int{TileOffsets: Fixed, VarOffsets: Var, VarSizes: Var, ValidityOffsets: Validity} {
		if list == listNames[i].Name || list == listOffsets[i].Name {
			return part, true
		}
	}
	return 0, false
}

var listOffsets = [Lists]*model.Field{
	{Name: "tile_offsets_offset", Ref: "5.1.2"}, {Name: "tile_var_offsets_offset", Ref: "5.1.2"}, {Name: "tile_var_sizes_offset",
		Ref: "5.1.2"},
	{Name: "tile_validity_offsets_offset", Ref: "5.1.2"}, {Name: "tile_min_offset", Ref: "5.1.2"}, {Name: "tile_max_offset", Ref: "5.1.2"},
	{Name: "tile_sum_offset", Ref: "5.1.2"}, {Name: "tile_null_count_offset", Ref: "5.1.2"},
}

// Fragment metadata (5.1): consecutive generic tiles, then the footer.
var (
	rTreeF  = &model.Field{Name: "rtree", Doc: "bounding boxes of the tiles", Ref: "5.1.3"}
	rDims   = &model.Field{Name: "num_dimensions", Ref: "5.1.3", Codec: model.U32LE}
	rFanout = &model.Field{Name: "fanout", Ref: "5.1.3", Codec: model.U32LE}
	rType   = &model.Field{Name: "datatype", Ref: "5.1.3", Codec: model.U8, Enum: storage.Datatypes}
	rLevels = &model.Field{Name: "num_levels", Ref: "5.1.3", Codec: model.U32LE}
	rLevelF = &model.Field{Name: "levels", Doc: "the root first", Ref: "5.1.3"}
	rLevel  = &model.Field{Name: "level", Ref: "5.1.3"}
	rCount  = &model.Field{Name: "num_mbrs", Ref: "5.1.3", Codec: model.U64LE}
	rBoxes  = &model.Field{Name: "mbrs", Ref: "5.1.3"}
	rBox    = &model.Field{Name: "mbr", Ref: "5.1.3"}
	listsF  = &model.Field{Name: "lists", Doc: "generic tiles: R-tree, tile offsets, statistics", Ref: "5.1.1"}

	ListCount = &model.Field{Name: "count", Ref: "5.1.1", Codec: model.U64LE}
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
	doneF     = &model.Field{Name: "conditions", Doc: "delete commits applied to the cells", Ref: "5.1.1"}
	doneEntry = &model.Field{Name: "condition", Ref: "5.1.1"}
	doneLen   = &model.Field{Name: "length", Ref: "5.1.1", Codec: model.U64LE}
	doneName  = &model.Field{Name: "name", Ref: "5.1.1", Codec: model.UTF8}

	listNames = [Lists]*model.Field{
		{Name: "tile_offsets", Doc: "where each tile starts in the file of", Ref: "5.1.1"}, {Name: "tile_var_offsets",
			Doc: "where each tile starts in the variable file of", Ref: "5.1.1"},
		{Name: "tile_var_sizes", Doc: "unfiltered bytes of each variable tile of", Ref: "5.1.1"}, {Name: "tile_validity_offsets",
			Doc: "where each tile starts in the validity file of", Ref: "5.1.1"},
		{Name: "tile_mins", Doc: "the minimum of each tile of", Ref: "5.1.1"}, {Name: "tile_maxes",
			Doc: "the maximum of each tile of", Ref: "5.1.1"},
		{Name: "tile_sums", Doc: "the sum of each tile of", Ref: "5.1.1"}, {Name: "tile_null_counts", Doc: "the nulls of each tile of",
			Ref: "5.1.1"},
	}
	globalMins  = &model.Field{Name: "tile_global_order_min_coords", Doc: "the first coordinate of each tile of", Ref: "5.1.1"}
	globalMaxes = &model.Field{Name: "tile_global_order_max_coords", Doc: "the last coordinate of each tile of", Ref: "5.1.1"}
	totalsTile  = &model.Field{Name: "fragment_min_max_sum_null_count", Doc: "over all tiles", Ref: "5.1.1"}
	DoneTile    = &model.Field{Name: "processed_conditions", Ref: "5.1.1"}
)

// Fragment metadata of versions 1 and 2, and of TileDB 1.3 and older (5.1.4): shown, and never written.
var (
	legacyMetaF = &model.Field{Name: "fragment_metadata", Ref: "5.1.4"}
	oldVersion  = &model.Field{Name: "version", Ref: "5.1.4", Codec: model.U32LE}
	oldSize     = &model.Field{Name: "non_empty_domain_size", Ref: "5.1.4", Codec: model.U64LE}
	oldBoxes    = [2][2]*model.Field{
		{{Name: "num_mbrs", Ref: "5.1.4", Codec: model.U64LE}, {Name: "mbrs", Ref: "5.1.4"}},
		{{Name: "num_bounding_coords", Ref: "5.1.4", Codec: model.U64LE}, {Name: "bounding_coords", Ref: "5.1.4"}},
	}
	oldLists = [3]*model.Field{{Name: "tile_offsets", Ref: "5.1.4"}, {Name: "tile_var_offsets", Ref: "5.1.4"},
		{Name: "tile_var_sizes", Ref: "5.1.4"}}
	oldList = &model.Field{Name: "list", Ref: "5.1.4"}
)

// Consolidated fragment metadata (5.4): footers of several fragments in one file.
var (
	ConMetaF   = &model.Field{Name: "fragment_metadata", Doc: "footers of several fragments", Ref: "5.4"}
	conCount   = &model.Field{Name: "num_fragments", Ref: "5.4", Codec: model.U32LE}
	conEntries = &model.Field{Name: "entries", Ref: "5.4"}
	conEntry   = &model.Field{Name: "entry", Ref: "5.4"}
	conNameLen = &model.Field{Name: "name_length", Ref: "5.4", Codec: model.U64LE}
	conOffset  = &model.Field{Name: "footer_offset", Doc: "in this payload", Ref: "5.4", Codec: model.U64LE}
)
