package tiledb

import (
	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// metadataReader reads the metadata of fragments of an array.
type metadataReader struct {
	schemas *schemaSet
	lock    *lock
	alone   bool // nothing is here of the array that the file is from
}

// readFooter reads a footer of n bytes.
func (r metadataReader) readFooter(c *model.Cursor, n int64, field *model.Field) *footer {
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
		if f.schema = r.schemas.schema(c.Context(), f.schemaName); f.schema == nil {
			rule, at := schemaMissing, f.schemaAt
			if f.version < 10 {
				rule, at = oldSchemaMissing, f.versionAt
			}
			if r.alone {
				c.Wrong(rule, at, f.schemaName, "the array that the file is from", model.Graded(model.Note),
					model.Saying("the file is out of its array: without the schema its footer cannot be read, and nothing is wrong with it for that"))
				c.Stop()
			}
			if near := r.schemas.misspelt(f.schemaName); near != "" && f.version >= 10 {
				c.Wrong(rule, at, f.schemaName, model.S(near), model.Saying("a letter of the name of the schema is wrong here: no file of the array is called so, and one is called almost so"))
			} else if !r.schemas.hasSchema(f.schemaName) { // one that cannot be read has said why
				c.Wrong(rule, at, f.schemaName, "a schema of the array: without it the footer is not understood", model.About(r.schemas))
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

// readConsolidated reads the payload of a consolidated fragment metadata file: names, and footers without their lengths.
func (r metadataReader) readConsolidated(c *model.Cursor) {
	var offsets []model.Node
	readList(c, c.Field(conCount), conEntries, 16, func(c *model.Cursor) {
		c.Struct(conEntry, func(c *model.Cursor) {
			readText(c, conNameLen, nameF)
			offsets = append(offsets, c.Field(conOffset))
		})
	})
	at := c.Pos()
	for i, off := range offsets {
		if off.Int() < at {
			c.Wrong(footerLength, off, off.Value, "ascending offsets behind the entries")
			continue
		}
		c.At(off.Int(), func(c *model.Cursor) {
			end := c.Pos() + c.Left()
			if i+1 < len(offsets) && offsets[i+1].Int() > c.Pos() {
				end = min(end, offsets[i+1].Int())
			}
			f := r.readFooter(c, end-c.Pos(), footerF.Named("footer[%d]", i))
			c.OffsetOf(off, f.self)
			at = c.Pos()
		})
	}
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

// fragmentMeta is a fragment metadata file that was read.
type fragmentMeta struct {
	*footer
	listsAt model.Node                // the frame of the generic tiles
	tree    model.Node                // the generic tile of the R-tree
	tile    [lists]map[int]model.Node // the generic tiles of the lists by slot
	old     *oldMeta                  // of versions 1 and 2
	leaves  int64                     // of the R-tree of a sparse fragment, once it was read; -1
}

// oldMeta is what the fragment metadata of before version 3 list.
type oldMeta struct {
	lists [3][][]uint64 // tile offsets, variable offsets, variable sizes: by field, then tile
	boxes uint64
}

// sizeAt is the number in a footer that says how long a data file is.
func (f *footer) sizeAt(part, slot int) *model.Span {
	if s := [...]model.Node{f.sizes, f.varSizes, f.validSizes}[part].Span; s != nil && int64(slot) < s.Count() {
		return s.Child(int64(slot))
	}
	return nil
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
