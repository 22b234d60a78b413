package tiledb

import (
	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
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

// footer is the footer of a fragment, or what the metadata of version 1 and 2 say in its place.
type footer struct {
	self, versionAt, schemaAt, lastAt, tilesAt model.Node

	version    uint32
	schemaName string
	schema     *schemaInfo // nil when it is missing
	dense      bool
	null       bool
	domain     []interval
	tiles      uint64 // of a sparse fragment
	last       uint64 // cells of the last tile
	times      bool
	deletes    bool
	slots      int

	sizes, varSizes, validSizes model.Node
	size                        [3][]uint64 // bytes of the fixed, var and validity file of each slot
	rtree                       model.Node
	lists                       [lists][]uint64 // offsets of generic tiles
	listAt                      [lists]model.Node
	totals, done                model.Node
	bounds                      []uint64 // global order mins, then maxes
	boundsAt                    model.Node
	complete                    bool
}

// tdbSlots is how many fields a footer lists: attributes, __coords, dimensions, then the columns of consolidated fragments.
func (f *footer) countSlots() int {
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
func (a *array) readFooter(c *model.Cursor, n int64, field *model.Field) *footer {
	f := &footer{}
	f.self = c.Block(field, n, func(c *model.Cursor) {
		c.DamageIs(footerLength)
		f.versionAt = c.Field(fVersion)
		f.version = layout(uint32(f.versionAt.Uint()))
		if f.version < 3 || f.version > versionNewest {
			c.Wrong(footerLength, f.versionAt, f.version, "3 to 23")
			c.Stop()
		}
		f.schemaName = oldSchema
		if f.version >= 10 {
			f.schemaAt = readText(c, fSchemaLen, fSchema)
			f.schemaName = f.schemaAt.Text()
		}
		if f.schema = a.schema(c.Context(), f.schemaName); f.schema == nil {
			rule, at := schemaMissing, f.schemaAt
			if f.version < 10 {
				rule, at = oldSchemaMissing, f.versionAt
			}
			if !a.hasSchema(f.schemaName) { // one that cannot be read has said why
				c.Wrong(rule, at, f.schemaName, "a schema of the array: without it the footer is not understood")
			}
			c.Stop()
		}
		f.read(c)
		if left := c.Left(); left == 8 && f.version == 11 {
			c.FieldN(fTail, 8)
		} else if left > 0 {
			c.Wrong(footerLength, nil, filter.Text(left)+" bytes left", "a footer that ends at its length")
		}
		f.complete = true
	})
	return f
}

// read reads a footer behind its schema name.
func (f *footer) read(c *model.Cursor) {
	f.dense = c.Field(fDense).Uint() != 0
	f.null = c.Field(fNull).Uint() != 0
	if !f.null {
		c.List(fDomain, func(c *model.Cursor) {
			for i := range f.schema.dims {
				f.domain = append(f.domain, readRange(c, rangeF, &f.schema.dims[i]))
			}
		})
	}
	f.tilesAt, f.lastAt = c.Field(fTiles), c.Field(fLast)
	f.tiles, f.last = f.tilesAt.Uint(), f.lastAt.Uint()
	if f.version >= 14 {
		f.times = c.Field(fTimes).Uint() != 0
	}
	if f.version >= 15 {
		f.deletes = c.Field(fDeletes).Uint() != 0
	}
	f.slots = f.countSlots()
	vars := f.slots
	if f.version < 5 {
		vars = len(f.schema.attrs)
	}
	f.sizes, f.size[0] = readU64s(c, fSizes, fSize, int64(f.slots))
	f.varSizes, f.size[1] = readU64s(c, fVarSizes, fSize, int64(vars))
	if f.version >= 7 {
		f.validSizes, f.size[2] = readU64s(c, fValSizes, fSize, int64(f.slots))
	}
	f.rtree = c.Field(frTree)
	for i := range f.lists {
		n := f.slots
		switch {
		case i == lVar || i == lVarSizes:
			n = vars
		case i == lValidity && f.version < 7 || i > lValidity && f.version < 11:
			continue
		}
		f.listAt[i], f.lists[i] = readU64s(c, listOffsets[i], fOffset, int64(n))
	}
	if f.version >= 12 {
		f.totals = c.Field(fTotals)
	}
	if f.version >= 16 {
		f.done = c.Field(fDone)
	}
	if f.version >= 23 {
		f.readSections(c)
	}
}

func (f *footer) readSections(c *model.Cursor) {
	n := c.Field(fSections)
	countFits(c, footerLength, n, 12)
	if n.Uint() == 0 {
		return
	}
	c.List(fSectList, func(c *model.Cursor) {
		for range n.Uint() {
			c.Struct(fSect, func(c *model.Cursor) {
				id, size := c.Field(fSectID), c.Field(fSectSize)
				switch want := int64(16 * len(f.schema.dims)); {
				case id.Uint() == 0 && size.Int() == want:
					f.boundsAt, f.bounds = readU64s(c, fSectBound, fOffset, want/8)
					return
				case id.Uint() == 0:
					c.Wrong(footerLength, size, size.Value, want)
				}
				c.LengthOf(size, c.FieldN(fSectData, size.Int()))
			})
		}
	})
}

// readU64s reads n numbers and returns them too.
func readU64s(c *model.Cursor, list, elem *model.Field, n int64) (model.Node, []uint64) {
	if n*8 > c.Left() {
		return c.FieldN(fSectData, n*8), nil // ends the frame
	}
	b := c.Peek(n * 8)
	out := make([]uint64, len(b)/8)
	for i := range out {
		out[i] = filter.Uint(b[8*i:], 8)
	}
	return c.Elements(list, elem, n), out
}

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

// footerSize is how many bytes a footer without length field has: versions 3 to 9 with dimensions of fixed size.
func footerSize(version uint32, s *schemaInfo) int64 {
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
		n += 2 * filter.SizeOf(s.dims[i].datatype)
	}
	return int64(n)
}

// footerHasLength tells whether the file ends with the length of its footer.
func footerHasLength(version uint32, s *schemaInfo) bool {
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
