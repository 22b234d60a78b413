package parsers

import (
	"spandrel/model"
)

// Footers of fragment metadata (5.1.2; tiledb/sm/fragment/fragment_metadata.cc).
var (
	tdbFooterF    = &model.Field{Name: "footer", Doc: "sizes of the data files and places of the lists", Ref: "5.1.2"}
	tdbFVersion   = &model.Field{Name: "version", Ref: "5.1.2", Codec: model.U32LE}
	tdbFSchemaLen = &model.Field{Name: "schema_name_length", Ref: "5.1.2", Codec: model.U64LE}
	tdbFSchema    = &model.Field{Name: "schema_name", Doc: "file of the schema that the fragment was written with", Ref: "5.1.2", Codec: model.UTF8}
	tdbFDense     = &model.Field{Name: "dense", Ref: "5.1.2", Codec: model.U8}
	tdbFNull      = &model.Field{Name: "null_non_empty_domain", Ref: "5.1.2", Codec: model.U8}
	tdbFDomain    = &model.Field{Name: "non_empty_domain", Doc: "the least box that holds all cells", Ref: "5.1.2"}
	tdbFTiles     = &model.Field{Name: "sparse_tile_num", Ref: "5.1.2", Codec: model.U64LE}
	tdbFLast      = &model.Field{Name: "last_tile_cell_num", Ref: "5.1.2", Codec: model.U64LE}
	tdbFTimes     = &model.Field{Name: "has_timestamps", Ref: "5.1.2", Codec: model.U8}
	tdbFDeletes   = &model.Field{Name: "has_delete_meta", Ref: "5.1.2", Codec: model.U8}
	tdbFSizes     = &model.Field{Name: "file_sizes", Doc: "bytes of each field's file; slot A is for __coords", Ref: "5.1.2"}
	tdbFVarSizes  = &model.Field{Name: "file_var_sizes", Ref: "5.1.2"}
	tdbFValSizes  = &model.Field{Name: "file_validity_sizes", Ref: "5.1.2"}
	tdbFSize      = &model.Field{Name: "size", Ref: "5.1.2", Codec: model.U64LE, Show: model.ShowSize}
	tdbFRTree     = &model.Field{Name: "rtree_offset", Ref: "5.1.2", Codec: model.U64LE, Show: model.ShowHex}
	tdbFTotals    = &model.Field{Name: "fragment_min_max_sum_null_count_offset", Ref: "5.1.2", Codec: model.U64LE, Show: model.ShowHex}
	tdbFDone      = &model.Field{Name: "processed_conditions_offset", Ref: "5.1.2", Codec: model.U64LE, Show: model.ShowHex}
	tdbFOffset    = &model.Field{Name: "offset", Ref: "5.1.2", Codec: model.U64LE, Show: model.ShowHex, Target: tdbTileTarget}
	tdbFSections  = &model.Field{Name: "num_optional_sections", Ref: "5.1.2", Codec: model.U32LE}
	tdbFSectList  = &model.Field{Name: "optional", Ref: "5.1.2"}
	tdbFSect      = &model.Field{Name: "section", Ref: "5.1.2"}
	tdbFSectID    = &model.Field{Name: "identifier", Ref: "5.1.2", Codec: model.U64LE, Enum: tdbEnum("tile global order bounds")}
	tdbFSectSize  = &model.Field{Name: "data_size", Ref: "5.1.2", Codec: model.U32LE}
	tdbFSectBound = &model.Field{Name: "data", Ref: "5.1.2"}
	tdbFSectData  = &model.Field{Name: "data", Ref: "5.1.2", Codec: model.RawBytes}
	tdbFTail      = &model.Field{Name: "unused", Doc: "an offset that version 11 does not define", Ref: "5.1.2", Codec: model.RawBytes}
	tdbFLength    = &model.Field{Name: "footer_length", Doc: "bytes of the footer", Ref: "5.1", Codec: model.U64LE}
)

// The lists of a fragment that have one generic tile for each field, in the order of their offsets in the footer.
const (
	tdbLTiles = iota
	tdbLVar
	tdbLVarSizes
	tdbLValidity
	tdbLMin
	tdbLMax
	tdbLSum
	tdbLNulls
	tdbLists
)

var tdbListOffsets = [tdbLists]*model.Field{
	{Name: "tile_offsets_offset", Ref: "5.1.2"}, {Name: "tile_var_offsets_offset", Ref: "5.1.2"}, {Name: "tile_var_sizes_offset", Ref: "5.1.2"},
	{Name: "tile_validity_offsets_offset", Ref: "5.1.2"}, {Name: "tile_min_offset", Ref: "5.1.2"}, {Name: "tile_max_offset", Ref: "5.1.2"},
	{Name: "tile_sum_offset", Ref: "5.1.2"}, {Name: "tile_null_count_offset", Ref: "5.1.2"},
}

// tdbFooter is the footer of a fragment, or what the metadata of version 1 and 2 say in its place.
type tdbFooter struct {
	self, versionAt, schemaAt, lastAt, tilesAt model.Node

	version    uint32
	schemaName string
	schema     *tdbSchema // nil when it is missing
	dense      bool
	null       bool
	domain     []tdbInterval
	tiles      uint64 // of a sparse fragment
	last       uint64 // cells of the last tile
	times      bool
	deletes    bool
	slots      int

	sizes, varSizes, validSizes model.Node
	size                        [3][]uint64 // bytes of the fixed, var and validity file of each slot
	rtree                       model.Node
	lists                       [tdbLists][]uint64 // offsets of generic tiles
	listAt                      [tdbLists]model.Node
	totals, done                model.Node
	bounds                      []uint64 // global order mins, then maxes
	boundsAt                    model.Node
	complete                    bool
}

// tdbSlots is how many fields a footer lists: attributes, __coords, dimensions, then the columns of consolidated fragments.
func (f *tdbFooter) countSlots() int {
	n := len(f.schema.attrs) + 1
	if f.version >= 5 {
		n += len(f.schema.dims)
		if f.times {
			n++
		}
		if f.deletes {
			n += 2
		}
	}
	return n
}

// readFooter reads a footer of n bytes.
func (a *tdbArray) readFooter(c *model.Cursor, n int64, field *model.Field) *tdbFooter {
	f := &tdbFooter{}
	f.self = c.Block(field, n, func(c *model.Cursor) {
		c.DamageIs(tdb(164))
		f.versionAt = c.Field(tdbFVersion)
		f.version = tdbLayout(uint32(f.versionAt.Uint()))
		if f.version < 3 || f.version > tdbNewest {
			tdbReport(c, 164, f.versionAt, f.version, "3 to 23")
			c.Stop()
		}
		f.schemaName = tdbOldSchema
		if f.version >= 10 {
			f.schemaAt = tdbReadText(c, tdbFSchemaLen, tdbFSchema)
			f.schemaName = f.schemaAt.Text()
		}
		if f.schema = a.schema(c.Context(), f.schemaName); f.schema == nil {
			rule, at := 161, f.schemaAt
			if f.version < 10 {
				rule, at = 162, f.versionAt
			}
			if !a.hasSchema(f.schemaName) { // one that cannot be read has said why
				tdbReport(c, rule, at, f.schemaName, "a schema of the array: without it the footer is not understood")
			}
			c.Stop()
		}
		f.read(c)
		if left := c.Left(); left == 8 && f.version == 11 {
			c.FieldN(tdbFTail, 8)
		} else if left > 0 {
			tdbReport(c, 164, model.Node{Span: c.Span()}, tdbText(left)+" bytes left", "a footer that ends at its length")
		}
		f.complete = true
	})
	return f
}

// read reads a footer behind its schema name.
func (f *tdbFooter) read(c *model.Cursor) {
	f.dense = c.Field(tdbFDense).Uint() != 0
	f.null = c.Field(tdbFNull).Uint() != 0
	if !f.null {
		c.List(tdbFDomain, func(c *model.Cursor) {
			for i := range f.schema.dims {
				f.domain = append(f.domain, tdbReadRange(c, tdbRangeF, &f.schema.dims[i]))
			}
		})
	}
	f.tilesAt, f.lastAt = c.Field(tdbFTiles), c.Field(tdbFLast)
	f.tiles, f.last = f.tilesAt.Uint(), f.lastAt.Uint()
	if f.version >= 14 {
		f.times = c.Field(tdbFTimes).Uint() != 0
	}
	if f.version >= 15 {
		f.deletes = c.Field(tdbFDeletes).Uint() != 0
	}
	f.slots = f.countSlots()
	vars := f.slots
	if f.version < 5 {
		vars = len(f.schema.attrs)
	}
	f.sizes, f.size[0] = tdbReadU64s(c, tdbFSizes, tdbFSize, int64(f.slots))
	f.varSizes, f.size[1] = tdbReadU64s(c, tdbFVarSizes, tdbFSize, int64(vars))
	if f.version >= 7 {
		f.validSizes, f.size[2] = tdbReadU64s(c, tdbFValSizes, tdbFSize, int64(f.slots))
	}
	f.rtree = c.Field(tdbFRTree)
	for i := range f.lists {
		n := f.slots
		switch {
		case i == tdbLVar || i == tdbLVarSizes:
			n = vars
		case i == tdbLValidity && f.version < 7 || i > tdbLValidity && f.version < 11:
			continue
		}
		f.listAt[i], f.lists[i] = tdbReadU64s(c, tdbListOffsets[i], tdbFOffset, int64(n))
	}
	if f.version >= 12 {
		f.totals = c.Field(tdbFTotals)
	}
	if f.version >= 16 {
		f.done = c.Field(tdbFDone)
	}
	if f.version >= 23 {
		f.readSections(c)
	}
}

func (f *tdbFooter) readSections(c *model.Cursor) {
	n := c.Field(tdbFSections)
	tdbCountFits(c, 164, n, 12)
	if n.Uint() == 0 {
		return
	}
	c.List(tdbFSectList, func(c *model.Cursor) {
		for range n.Uint() {
			c.Struct(tdbFSect, func(c *model.Cursor) {
				id, size := c.Field(tdbFSectID), c.Field(tdbFSectSize)
				switch want := int64(16 * len(f.schema.dims)); {
				case id.Uint() == 0 && size.Int() == want:
					f.boundsAt, f.bounds = tdbReadU64s(c, tdbFSectBound, tdbFOffset, want/8)
					return
				case id.Uint() == 0:
					tdbReport(c, 164, size, size.Value, want)
				}
				c.LengthOf(size, c.FieldN(tdbFSectData, size.Int())).Unchecked()
			})
		}
	})
}

// tdbReadU64s reads n numbers and returns them too.
func tdbReadU64s(c *model.Cursor, list, elem *model.Field, n int64) (model.Node, []uint64) {
	if n*8 > c.Left() {
		return c.FieldN(tdbFSectData, n*8), nil // ends the frame
	}
	b := c.Peek(n * 8)
	out := make([]uint64, len(b)/8)
	for i := range out {
		out[i] = tdbUint(b[8*i:], 8)
	}
	return c.Elements(list, elem, n), out
}

// tdbTileTarget leads from an offset of a footer to the generic tile that starts there.
func tdbTileTarget(t *model.Tree, s *model.Span) (model.Range, bool) {
	b, ok := t.Cached(s.Range)
	if !ok || len(b) != 8 {
		return model.Range{}, false
	}
	at := t.At(s.Range.Space, int64(tdbUint(b, 8)))
	if at == nil {
		return model.Range{}, false
	}
	return at.Range, true
}

// footerSize is how many bytes a footer without length field has: versions 3 to 9 with dimensions of fixed size.
func tdbFooterSize(version uint32, s *tdbSchema) int64 {
	slots, vars := len(s.attrs)+1, len(s.attrs)
	if version >= 5 {
		slots += len(s.dims)
		vars = slots
	}
	n := 4 + 2 + 8 + 8 + 8 + 8*2*slots + 8*3*vars // version, flags, counts, R-tree; sizes and offsets
	if version >= 7 {
		n += 8 * 2 * slots
	}
	for i := range s.dims {
		n += 2 * tdbDatatypeSize(s.dims[i].datatype)
	}
	return int64(n)
}

// tdbFooterHasLength tells whether the file ends with the length of its footer.
func tdbFooterHasLength(version uint32, s *tdbSchema) bool {
	if version >= 10 {
		return true
	}
	for i := range s.dims {
		if s.dims[i].variable() {
			return true
		}
	}
	return false
}
