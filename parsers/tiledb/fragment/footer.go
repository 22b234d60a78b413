package fragment

import (
	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/rule"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// Reader reads the metadata of fragments of an array.
type Reader struct {
	Schemas *schema.Set
	Lock    *storage.Lock
	Alone   bool // the array that the file belongs to is missing
}

// readFooter reads a footer of n bytes.
func (r Reader) readFooter(c *model.Cursor, n int64, field *model.Field) *Footer {
	f := &Footer{}
	f.Self = c.Block(field, n, func(c *model.Cursor) {
		c.DamageIs(rule.FooterLength)
		f.VersionAt = c.Field(fVersion)
		f.Version = storage.Layout(uint32(f.VersionAt.Uint()))
		if f.Version < 3 || f.Version > storage.VersionNewest {
			c.Wrong(rule.FooterLength, f.VersionAt, f.Version, "3 to 23")
			c.Stop()
		}
		f.SchemaName = schema.OldSchema
		if f.Version >= 10 {
			f.schemaAt = storage.ReadText(c, fSchemaLen, SchemaNameF)
			f.SchemaName = f.schemaAt.Text()
		}
		if f.Schema = r.Schemas.Schema(c.Context(), f.SchemaName); f.Schema == nil {
			r.noSchema(c, f)
			c.Stop()
		}
		f.read(c)
		if left := c.Left(); left == 8 && f.Version == 11 {
			c.FieldN(fTail, 8)
		} else if left > 0 {
			c.Wrong(rule.FooterLength, nil, filter.Text(left)+" bytes left", "a footer that ends at its length")
		}
		f.Complete = true
	})
	return f
}

// noSchema says why no schema is available to read a footer.
func (r Reader) noSchema(c *model.Cursor, f *Footer) {
	missing, at := rule.SchemaMissing, f.schemaAt
	if f.Version < 10 {
		missing, at = rule.OldSchemaMissing, f.VersionAt
	}
	near := r.Schemas.Misspelt(f.SchemaName)
	switch {
	case r.Alone:
		c.Wrong(missing, at, f.SchemaName, "the array that the file is from", model.Graded(model.Note),
			model.Saying("the file is outside its array: its footer cannot be read without the schema, which is not an error"))
	case near != "" && f.Version >= 10 && schema.Named(f.SchemaName):
		c.Wrong(missing, at, f.SchemaName, model.S(near), model.Doubtful,
			model.Saying("the array has no schema of this name, but one with almost the same name: either the file was renamed, or the name here is wrong"))
	case near != "" && f.Version >= 10:
		c.Wrong(missing, at, f.SchemaName, model.S(near), model.Saying("a letter of the schema name is wrong here: the array has no such file, but one with almost the same name"))
	case !r.Schemas.HasSchema(f.SchemaName): // an unreadable one has been reported
		c.Wrong(missing, at, f.SchemaName, "a schema of the array, without which the footer cannot be parsed", model.About(r.Schemas))
	}
}

// readDomain reads the box that contains all cells.
func (f *Footer) readDomain(c *model.Cursor) {
	for i := range f.Schema.Dims {
		d := &f.Schema.Dims[i]
		r := schema.ReadRange(c, schema.RangeF, d)
		if f.Domain = append(f.Domain, r); d.Variable() {
			f.told = r.Self.Range.Off + 8
		}
	}
}

// read reads a footer after its schema name.
func (f *Footer) read(c *model.Cursor) {
	dense := c.Field(fDense)
	f.Dense = dense.Uint() != 0
	f.Null = c.Field(fNull).Uint() != 0
	f.told = c.Pos()
	if !f.Null {
		c.List(fDomain, f.readDomain)
	}
	f.TilesAt, f.LastAt = c.Field(fTiles), c.Field(fLast)
	f.Tiles, f.Last = f.TilesAt.Uint(), f.LastAt.Uint()
	if f.Version >= 14 {
		f.Times = c.Field(fTimes).Uint() != 0
		f.told = c.Pos()
	}
	if f.Version >= 15 {
		f.Deletes = c.Field(fDeletes).Uint() != 0
		f.told = c.Pos()
	}
	f.SlotCount = f.countSlots()
	vars := f.SlotCount
	if f.Version < 5 {
		vars = len(f.Schema.Attrs)
	}
	f.Sizes, f.Size[0] = readU64s(c, fSizes, fSize, int64(f.SlotCount))
	f.checkDense(c, dense)
	f.VarSizes, f.Size[1] = readU64s(c, fVarSizes, fSize, int64(vars))
	if f.Version >= 7 {
		f.ValidSizes, f.Size[2] = readU64s(c, fValSizes, fSize, int64(f.SlotCount))
	}
	f.rtree = c.Field(frTree)
	for i := range f.lists {
		n := f.SlotCount
		switch {
		case i == VarOffsets || i == VarSizes:
			n = vars
		case i == ValidityOffsets && f.Version < 7 || i > ValidityOffsets && f.Version < 11:
			continue
		}
		f.listAt[i], f.lists[i] = readU64s(c, listOffsets[i], fOffset, int64(n))
	}
	if f.Version >= 12 {
		f.totals = c.Field(fTotals)
	}
	if f.Version >= 16 {
		f.done = c.Field(fDone)
	}
	if f.Version >= 23 {
		f.readSections(c)
	}
}

// checkDense compares the flag of a dense fragment with what is stored: only a sparse one has bytes of coordinates.
func (f *Footer) checkDense(c *model.Cursor, dense model.Node) {
	values, coordinates := false, false
	for i, size := range f.Size[0] {
		switch attrs := len(f.Schema.Attrs); {
		case i < attrs:
			values = values || size > 0
		case i <= attrs+len(f.Schema.Dims): // one file of all dimensions, or one of each
			coordinates = coordinates || size > 0
		}
	}
	if f.Dense && coordinates || !f.Dense && values && !coordinates {
		c.Wrong(rule.DenseDiffers, dense, dense.Value, model.U(uint64(storage.Flag(!f.Dense))))
	}
}

func (f *Footer) readSections(c *model.Cursor) {
	n := c.Field(fSections)
	f.sections = n
	storage.CountFits(c, rule.FooterLength, n, 12)
	if n.Uint() == 0 {
		return
	}
	c.List(fSectList, func(c *model.Cursor) {
		for range n.Uint() {
			c.Struct(fSect, func(c *model.Cursor) {
				id, size := c.Field(fSectID), c.Field(fSectSize)
				switch want := int64(16 * len(f.Schema.Dims)); {
				case id.Uint() == 0 && size.Int() == want:
					f.boundsAt, f.bounds = readU64s(c, fSectBound, fOffset, want/8)
					return
				case id.Uint() == 0:
					c.Wrong(rule.FooterLength, size, size.Value, want)
				}
				c.LengthOf(size, c.FieldN(fSectData, size.Int()))
			})
		}
	})
}

// ReadConsolidated reads the payload of a consolidated fragment metadata file: names, and footers without their lengths.
// It passes on those that can be read.
func (r Reader) ReadConsolidated(c *model.Cursor, keep func(name string, f *Footer)) {
	var names, offsets []model.Node
	storage.ReadList(c, c.Field(conCount), conEntries, 16, func(c *model.Cursor) {
		c.Struct(conEntry, func(c *model.Cursor) {
			names = append(names, storage.ReadText(c, conNameLen, schema.NameF))
			offsets = append(offsets, c.Field(conOffset))
		})
	})
	at := c.Pos()
	for i, off := range offsets {
		if off.Int() < at {
			c.Wrong(rule.FooterLength, off, off.Value, "increasing offsets after the entries")
			continue
		}
		c.At(off.Int(), func(c *model.Cursor) {
			end := c.Pos() + c.Left()
			if i+1 < len(offsets) && offsets[i+1].Int() > c.Pos() {
				end = min(end, offsets[i+1].Int())
			}
			f := r.readFooter(c, end-c.Pos(), FooterF.Named("footer[%d]", i))
			c.OffsetOf(off, f.Self)
			at = c.Pos()
			if keep != nil && f.Complete {
				keep(names[i].Text(), f)
			}
		})
	}
}

// Footer is the footer of a fragment, or the equivalent content of version 1 and 2 metadata.
type Footer struct {
	Self, VersionAt, schemaAt, LastAt, TilesAt model.Node

	Version    uint32
	SchemaName string
	Schema     *schema.Schema // nil when it is missing
	Dense      bool
	Null       bool
	Domain     []schema.Interval
	Tiles      uint64 // of a sparse fragment
	Last       uint64 // cells of the last tile
	Times      bool
	Deletes    bool
	SlotCount  int

	Sizes, VarSizes, ValidSizes model.Node
	Size                        [3][]uint64 // bytes of the fixed, var and validity file of each slot
	rtree                       model.Node
	lists                       [Lists][]uint64 // offsets of generic tiles
	listAt                      [Lists]model.Node
	totals, done, sections      model.Node
	told                        int64    // end of the part that determines the length, without the sections
	bounds                      []uint64 // global order mins, then maxes
	boundsAt                    model.Node
	Complete                    bool
}

// tdbSlots is how many fields a footer lists: attributes, __coords, dimensions, then the columns of consolidated fragments.
func (f *Footer) countSlots() int {
	n := len(f.Schema.Attrs) + 1
	if f.Version >= 5 {
		n += len(f.Schema.Dims)
		if f.Times {
			n++
		}
		if f.Deletes {
			n += 2
		}
	}
	return n
}

// Metadata is a parsed fragment metadata file.
type Metadata struct {
	*Footer
	ListsAt model.Node                // the frame of the generic tiles
	Tree    model.Node                // the generic tile of the R-tree
	Tile    [Lists]map[int]model.Node // the generic tiles of the lists by slot
	Old     *oldMeta                  // of versions 1 and 2
	Leaves  int64                     // number of leaves of the R-tree of a sparse fragment, once read; -1: unknown
	Boxes   model.Node                // boxes of the last level of the R-tree, once read, if all dimensions are numbers
}

// oldMeta is the lists in fragment metadata before version 3.
type oldMeta struct {
	Lists [3][][]uint64 // tile offsets, variable offsets, variable sizes: by field, then tile
	boxes uint64
}

// SizeAt is the number in a footer with the length of a data file.
func (f *Footer) SizeAt(part, slot int) *model.Span {
	if s := [...]model.Node{f.Sizes, f.VarSizes, f.ValidSizes}[part].Span; s != nil && int64(slot) < s.Count() {
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
