package tiledb

import (
	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/storage"
)

// readCells reads an unfiltered tile of cells, offsets or validity.
func (f dataFile) readCells(c *model.Cursor) {
	switch {
	case !c.More():
	case f.part == fragment.Validity:
		c.Elements(cellsF, cellValid, c.Left())
	case f.Variable():
		c.Elements(cellsF, cellOffset, c.Left()/8)
	default:
		f.readFixed(c, cellsF)
	}
}

// readFixed reads fixed-size cells to the end of the frame.
func (f dataFile) readFixed(c *model.Cursor, name *model.Field) {
	s := f.Slot
	size, elem := int64(filter.SizeOf(s.Datatype)), storage.Typed(cellOf(s), s.Datatype)
	switch {
	case size == 0 || s.Cell() > c.Left():
		c.Rest(tail)
	case storage.IsNumber(s.Datatype) && (s.Num == 1 || s.Coords || s.Num > 64):
		c.Elements(name, elem, c.Left()/size)
	case storage.IsNumber(s.Datatype):
		var fields []*model.Field
		for i := range s.Num {
			g := *elem
			g.Name = filter.Text(i)
			fields = append(fields, &g)
		}
		c.Array(name, model.NewRecord(fields...), c.Left()/s.Cell())
	default:
		c.Elements(name, s.CellField(cellOf(s)), c.Left()/s.Cell())
	}
}

// cellOf is the field of a cell: cells other than an attribute's cannot be edited.
func cellOf(s *fragment.Slot) *model.Field {
	switch {
	case s.Attr != nil:
		return cellF
	case s.Dim != nil || s.Coords:
		return coordF
	}
	return ownF
}

// readValues reads the values of the variable cells of tile k, cell by cell if their offsets can be read.
func (f dataFile) readValues(c *model.Cursor, k int64) {
	if !c.More() {
		return
	}
	s := f.Slot
	starts, _ := f.tile(k).starts(c.Context())
	if starts == nil || len(starts) > 1<<24 {
		c.FieldN(storage.Typed(cellF, s.DatatypeOfBytes()), c.Left())
		return
	}
	size := c.Left()
	for i := range starts {
		starts[i] = min(starts[i], size)
	}
	starts[len(starts)-1] = size
	c.Parts(cellsF, size, &storage.Cuts{At: starts, Field: storage.Typed(cellOf(s), s.Datatype)})
}
