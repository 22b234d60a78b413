package tiledb

import (
	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// readCells reads an unfiltered tile of cells, offsets or validity.
func (f *dataFile) readCells(c *model.Cursor) {
	s := &f.in.slots[f.slot]
	switch {
	case !c.More():
	case f.part == fileValid:
		c.Elements(cellsF, cellValid, c.Left())
	case s.variable():
		c.Elements(cellsF, cellOffset, c.Left()/8)
	default:
		f.readFixed(c, cellsF)
	}
}

// readFixed reads cells of fixed size to the end of the frame.
func (f *dataFile) readFixed(c *model.Cursor, name *model.Field) {
	s := &f.in.slots[f.slot]
	size, elem := int64(filter.SizeOf(s.datatype)), typed(cellOf(s), s.datatype)
	switch {
	case size == 0 || s.cell() > c.Left():
		c.Rest(tail)
	case isNumber(s.datatype) && (s.num == 1 || s.coords || s.num > 64):
		c.Elements(name, elem, c.Left()/size)
	case isNumber(s.datatype):
		var fields []*model.Field
		for i := range s.num {
			g := *elem
			g.Name = filter.Text(i)
			fields = append(fields, &g)
		}
		c.Array(name, model.NewRecord(fields...), c.Left()/s.cell())
	default:
		c.Elements(name, s.cellField(cellOf(s)), c.Left()/s.cell())
	}
}

// cellOf is the field of a cell: what is no attribute's cannot be edited.
func cellOf(s *fileSlot) *model.Field {
	switch {
	case s.attr != nil:
		return cellF
	case s.dim != nil || s.coords:
		return coordF
	}
	return ownF
}

// readValues reads the values of the variable cells of tile k, cell by cell where their offsets can be read.
func (f *dataFile) readValues(c *model.Cursor, k int64) {
	if !c.More() {
		return
	}
	s := &f.in.slots[f.slot]
	starts, _ := f.in.starts(c.Context(), f.slot, k)
	if starts == nil || len(starts) > 1<<24 {
		c.FieldN(typed(cellF, s.datatypeOfBytes()), c.Left())
		return
	}
	size := c.Left()
	for i := range starts {
		starts[i] = min(starts[i], size)
	}
	if starts[len(starts)-1] < size {
		starts[len(starts)-1] = size
	}
	c.Parts(cellsF, size, &cuts{starts, typed(cellOf(s), s.datatype)})
}
