package parsers

import (
	"spandrel/model"
)

// readCells reads an unfiltered tile of cells, offsets or validity.
func (f *tdbFrag) readCells(c *model.Cursor, s *tdbSlot, part int) {
	switch {
	case !c.More():
	case part == tdbValid:
		c.Elements(tdbCellsF, tdbCellValid, c.Left())
	case s.variable():
		c.Elements(tdbCellsF, tdbCellOffset, c.Left()/8)
	default:
		f.readFixed(c, s, tdbCellsF)
	}
}

// readFixed reads cells of fixed size to the end of the frame.
func (f *tdbFrag) readFixed(c *model.Cursor, s *tdbSlot, name *model.Field) {
	size, elem := int64(tdbDatatypeSize(s.datatype)), tdbTyped(tdbCellF, s.datatype)
	switch {
	case size == 0 || s.cell() > c.Left():
		c.Rest(tdbTail)
	case tdbIsNumber(s.datatype) && (s.num == 1 || s.coords || s.num > 64):
		c.Elements(name, elem, c.Left()/size)
	case tdbIsNumber(s.datatype):
		var fields []*model.Field
		for i := range s.num {
			g := *elem
			g.Name = tdbText(i)
			fields = append(fields, &g)
		}
		c.Array(name, model.NewRecord(fields...), c.Left()/s.cell())
	default:
		c.Elements(name, s.cellField(tdbCellF), c.Left()/s.cell())
	}
}

// cellField is a field for cells of fixed size that are shown as one: texts and bytes.
func (s *tdbSlot) cellField(f *model.Field) *model.Field {
	g := *tdbTyped(f, s.datatype)
	if g.Codec = model.BytesOf(int(s.cell())); tdbCodec(s.datatype) == model.UTF8 {
		g.Codec = model.TextOf(int(s.cell()), 0)
	}
	return &g
}

// readValues reads the values of variable cells, cell by cell where their offsets can be read.
func (f *tdbFrag) readValues(c *model.Cursor, slot int, k int64) {
	if !c.More() {
		return
	}
	s := &f.slots[slot]
	starts, _ := f.starts(c.Context(), slot, k)
	if starts == nil || len(starts) > 1<<24 {
		c.FieldN(tdbTyped(tdbCellF, s.datatypeOfBytes()), c.Left())
		return
	}
	size := c.Left()
	for i := range starts {
		starts[i] = min(starts[i], size)
	}
	if starts[len(starts)-1] < size {
		starts[len(starts)-1] = size
	}
	c.Parts(tdbCellsF, size, &tdbCuts{starts, tdbTyped(tdbCellF, s.datatype)})
}
