package fragment

import (
	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/rule"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// Limits of an R-tree: its levels, each with at least half as many boxes as the next, and the boxes of a level that are read
// at once if their sizes vary.
const (
	mostLevels = 64
	eagerBoxes = 1 << 10
)

// readRTree reads the payload of the R-tree tile.
func (m *Metadata) readRTree(c *model.Cursor) {
	if m.Version < 5 {
		c.Field(rDims)
	}
	c.Field(rFanout)
	if m.Version < 5 {
		c.Field(rType)
	}
	n := c.Field(rLevels)
	if n.Uint() > mostLevels {
		c.Wrong(rule.CountTooLarge, n, n.Value, "at most "+filter.Text(mostLevels))
		c.Stop()
	}
	var leaves uint64
	storage.ReadList(c, n, rLevelF, 8, func(c *model.Cursor) {
		c.Struct(rLevel, func(c *model.Cursor) {
			count := c.Field(rCount)
			leaves = count.Uint()
			m.readBoxes(c, count)
		})
	})
	if m.Dense {
		return
	}
	if m.Leaves = int64(min(leaves, 1<<62)); leaves != m.Tiles {
		c.Wrong(rule.TreeLeaves, m.TilesAt, m.Tiles, filter.Text(leaves)+" leaves")
	}
}

// readBoxes reads bounding boxes: by arithmetic if all dimensions have a fixed size.
func (m *Metadata) readBoxes(c *model.Cursor, n model.Node) {
	dims := m.Schema.Dims
	if n.Uint() == 0 || len(dims) == 0 {
		return
	}
	var fields []*model.Field
	for i := range dims {
		if !storage.IsNumber(dims[i].Datatype) {
			fields = nil
			break
		}
		name := dims[i].Name.Text()
		low, high := *storage.Typed(schema.RangeLow, dims[i].Datatype), *storage.Typed(schema.RangeHigh, dims[i].Datatype)
		low.Name, high.Name = name+" low", name+" high"
		fields = append(fields, &low, &high)
	}
	if fields != nil {
		m.Boxes = c.Array(rBoxes, model.NewRecord(fields...), n.Int())
		c.CountOf(n, m.Boxes)
		return
	}
	box := func(c *model.Cursor) {
		for i := range dims {
			f := *schema.RangeF
			f.Name = dims[i].Name.Text()
			schema.ReadRange(c, &f, &dims[i])
		}
	}
	storage.CountFits(c, rule.CountTooLarge, n, 8)
	all := func(c *model.Cursor) {
		for range n.Uint() {
			c.Struct(rBox, box)
		}
	}
	if n.Uint() <= eagerBoxes {
		c.List(rBoxes, all)
		return
	}
	size, ok := c.Try(all) // where they end is known only by reading them
	if !ok {
		c.Stop()
	}
	c.Sequence(rBoxes, rBox, size, box)
}

// readListTile reads the payload of one of a fragment's lists, of one field.
func readListTile(c *model.Cursor, list int, slot Slot) {
	if list == Mins || list == Maxes {
		fixed, variable := c.Field(minFixed), c.Field(minVar)
		n, cell := min(fixed.Int(), c.Left()+1), slot.Cell()
		switch {
		case slot.Variable():
			c.LengthOf(fixed, c.Elements(minValues, listElem, n/8))
		case (slot.Num != 1 || !storage.IsNumber(slot.Datatype)) && cell > 0 && n > 0 && n%cell == 0 && n <= c.Left():
			c.LengthOf(fixed, c.Elements(minValues, slot.CellField(minValue), n/cell))
		case slot.Num != 1:
			c.FieldN(storage.Typed(minValues, filter.Blob), n)
		default:
			c.LengthOf(fixed, storage.ReadValues(c, minValues, slot.Datatype, n))
		}
		c.LengthOf(variable, c.FieldN(storage.Typed(minData, slot.DatatypeOfBytes()), variable.Int()))
		return
	}
	n := c.Field(ListCount)
	elem := listElem
	if list == Sums {
		elem = SumField(slot.Datatype)
	}
	if n.Uint() == 0 {
		return
	}
	c.CountOf(n, c.Elements(listF, elem, n.Int()))
}

// SumField is how sums of a datatype are stored: as i64, u64 or f64.
func SumField(t uint8) *model.Field {
	switch {
	case filter.IsFloat(t):
		return storage.Typed(listSum, filter.Float64)
	case filter.IsSigned(t):
		return storage.Typed(listSum, filter.Int64)
	}
	return storage.Typed(listSum, filter.Uint64)
}

// readTotals reads minimum, maximum, sum and number of nulls of each field over all tiles.
func readTotals(c *model.Cursor, slots []Slot) {
	for i := range slots {
		s := &slots[i]
		name := total.Named("field[%d]", i)
		name.Doc = s.Name
		c.Struct(name, func(c *model.Cursor) {
			for _, f := range [][2]*model.Field{{totMinLen, totMin}, {totMaxLen, totMax}} {
				n := c.Field(f[0])
				t := s.Datatype
				if n.Int() != int64(filter.SizeOf(t)) {
					t = s.DatatypeOfBytes()
				}
				c.LengthOf(n, storage.ReadValues(c, f[1], t, min(n.Int(), c.Left()+1)))
			}
			c.Field(SumField(s.Datatype))
			c.Field(totNulls)
		})
	}
}

// readDone reads the names of processed delete conditions.
func readDone(c *model.Cursor) {
	n := c.Field(ListCount)
	storage.CountFits(c, rule.CountTooLarge, n, 8)
	if n.Uint() > 0 {
		storage.Records(c, doneF, doneEntry, n.Uint(), func(c *model.Cursor) { storage.ReadText(c, doneLen, doneName) })
	}
}
