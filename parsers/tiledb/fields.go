package tiledb

import (
	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/storage"
)

const (
	longestLine     = 1 << 12 // bytes of a line of a commit that names a file
	versionReleased = 22      // the newest that TileDB 2.25 to 2.30 reads and writes
)

// Enum tables (3.8; tiledb/sm/enums).
var (
	objects = storage.Enum("INVALID", "GROUP", "ARRAY")
	ops     = model.Enum{0: "LT", 1: "LE", 2: "GT", 3: "GE", 4: "EQ", 5: "NE", 6: "IN", 7: "NOT_IN", 253: "ALWAYS_TRUE",
		254: "ALWAYS_FALSE"}
	combine = storage.Enum("AND", "OR", "NOT")
)

// Delete and update commits, and consolidated fragment metadata (5.4).
var (
	deleteF    = &model.Field{Name: "condition", Doc: "cells that survive: TileDB stores the negated condition", Ref: "5.4"}
	nodeF      = &model.Field{Name: "node", Ref: "5.4"}
	nodeKind   = &model.Field{Name: "kind", Ref: "5.4", Codec: model.U8, Enum: storage.Enum("EXPRESSION", "COMPARISON")}
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
)

// Data files (5.2): consecutive tiles of one field, each in an address space of its own when unfiltered.
var (
	metaFileF  = &model.Field{Name: "__fragment_metadata.tdb", Doc: "footer, tile offsets and statistics of the fragment", Ref: "5.1"}
	tilesF     = &model.Field{Name: "tiles", Ref: "5.2"}
	dataTileF  = &model.Field{Name: "tile", Ref: "5.2"}
	cellsF     = &model.Field{Name: "cells", Doc: "the tile, unfiltered", Ref: "5.2"}
	cellF      = &model.Field{Name: "cell", Ref: "5.2"}
	coordF     = &model.Field{Name: "cell", Doc: "a coordinate", Ref: "5.2", Fixed: "a cell cannot be moved: delete it, and add one elsewhere"}
	ownF       = &model.Field{Name: "cell", Doc: "when a cell was written or deleted", Ref: "5.2", Fixed: "TileDB records here when cells were written or deleted"}
	cellOffset = &model.Field{Name: "offset", Doc: "the start of the cell in the values", Ref: "5.2", Codec: model.U64LE,
		Fixed: "it is computed from the lengths of the cells: edit the values"}
	cellValid   = &model.Field{Name: "valid", Doc: "0: null", Ref: "5.2", Codec: model.U8}
	cellOffsets = &model.Field{Name: "offsets", Doc: "the starts of the cells, from the values tile itself", Ref: "2.6"}
	rawCells    = &model.Field{Name: "cells", Doc: "cells without a compressor, from TileDB 1.3", Ref: "3.9"}
	tail        = &model.Field{Name: "tail", Unused: true, Doc: "bytes that the footer does not cover", Ref: "5.2", Codec: model.RawBytes}
)

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

// Folders of arrays and groups (1.2). Schemas and their enumerations are read at once, because everything depends on them; the
// rest when someone looks inside.
var (
	schemasF   = &model.Field{Name: "schemas", Doc: "oldest first; the last one is current", Ref: "1.4"}
	enumsF     = &model.Field{Name: "enumerations", Ref: "3.6"}
	labelsF    = &model.Field{Name: "labels", Doc: "arrays with the labels of dimensions", Ref: "3.5"}
	fragsF     = &model.Field{Name: "fragments", Doc: "what each write added, oldest first", Ref: "5"}
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

func metaTypes(v model.Value) string {
	if v.Uint() > filter.GeomWKT || v.Uint() == filter.Any {
		return "a datatype other than ANY"
	}
	return ""
}

func printable(v model.Value) string {
	if v.String() != v.Text() || v.Text() == "" {
		return "printable text"
	}
	return ""
}
