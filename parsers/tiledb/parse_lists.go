package tiledb

import (
	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// Limits of an R-tree: its levels, where each holds at least half as many boxes as the next, and the boxes of a level that are read
// at once when their sizes vary.
const (
	mostLevels = 64
	eagerBoxes = 1 << 10
)

// readRTree reads the payload of the R-tree tile.
func (m *fragmentMeta) readRTree(c *model.Cursor) {
	if m.version < 5 {
		c.Field(rDims)
	}
	c.Field(rFanout)
	if m.version < 5 {
		c.Field(rType)
	}
	n := c.Field(rLevels)
	if n.Uint() > mostLevels {
		c.Wrong(countTooLarge, n, n.Value, "at most "+filter.Text(mostLevels))
		c.Stop()
	}
	var leaves uint64
	readList(c, n, rLevelF, 8, func(c *model.Cursor) {
		c.Struct(rLevel, func(c *model.Cursor) {
			count := c.Field(rCount)
			leaves = count.Uint()
			m.readBoxes(c, count)
		})
	})
	if m.dense {
		return
	}
	if m.leaves = int64(min(leaves, 1<<62)); leaves != m.tiles {
		c.Wrong(treeLeaves, m.tilesAt, m.tiles, filter.Text(leaves)+" leaves")
	}
}

// readBoxes reads bounding boxes: by arithmetic where all dimensions have a fixed size.
func (m *fragmentMeta) readBoxes(c *model.Cursor, n model.Node) {
	dims := m.schema.dims
	if n.Uint() == 0 || len(dims) == 0 {
		return
	}
	var fields []*model.Field
	for i := range dims {
		if !isNumber(dims[i].datatype) {
			fields = nil
			break
		}
		name := dims[i].name.Text()
		low, high := *typed(rangeLow, dims[i].datatype), *typed(rangeHigh, dims[i].datatype)
		low.Name, high.Name = name+" low", name+" high"
		fields = append(fields, &low, &high)
	}
	if fields != nil {
		c.CountOf(n, c.Array(rBoxes, model.NewRecord(fields...), n.Int()))
		return
	}
	box := func(c *model.Cursor) {
		for i := range dims {
			f := *rangeF
			f.Name = dims[i].name.Text()
			readRange(c, &f, &dims[i])
		}
	}
	countFits(c, countTooLarge, n, 8)
	if n.Uint() > eagerBoxes { // where they end is known only by reading them
		size := int64(0)
		for range n.Uint() {
			for i := range dims {
				if isNumber(dims[i].datatype) {
					size += 2 * int64(filter.SizeOf(dims[i].datatype))
					continue
				}
				h := c.PeekAt(c.Pos()+size, 8)
				if len(h) < 8 || filter.Uint(h, 8) > uint64(c.Left()) {
					c.Stop()
				}
				size += 16 + int64(filter.Uint(h, 8))
			}
			if size > c.Left() {
				c.Stop()
			}
		}
		c.Sequence(rBoxes, rBox, size, box)
		return
	}
	c.List(rBoxes, func(c *model.Cursor) {
		for range n.Uint() {
			c.Struct(rBox, box)
		}
	})
}

// readListTile reads the payload of one of a fragment's lists, of one field.
func readListTile(c *model.Cursor, list int, slot fileSlot) {
	if list == lMin || list == lMax {
		fixed, variable := c.Field(minFixed), c.Field(minVar)
		n, cell := min(fixed.Int(), c.Left()+1), slot.cell()
		switch {
		case slot.variable():
			c.LengthOf(fixed, c.Elements(minValues, listElem, n/8))
		case (slot.num != 1 || !isNumber(slot.datatype)) && cell > 0 && n > 0 && n%cell == 0 && n <= c.Left():
			c.LengthOf(fixed, c.Elements(minValues, slot.cellField(minValue), n/cell))
		case slot.num != 1:
			c.FieldN(typed(minValues, filter.Blob), n)
		default:
			c.LengthOf(fixed, readValues(c, minValues, slot.datatype, n))
		}
		c.LengthOf(variable, c.FieldN(typed(minData, slot.datatypeOfBytes()), variable.Int()))
		return
	}
	n := c.Field(listCount)
	elem := listElem
	if list == lSum {
		elem = sumField(slot.datatype)
	}
	if n.Uint() == 0 {
		return
	}
	c.CountOf(n, c.Elements(listF, elem, n.Int()))
}

// sumField is how sums of a datatype are stored: as i64, u64 or f64.
func sumField(t uint8) *model.Field {
	switch {
	case filter.IsFloat(t):
		return typed(listSum, filter.Float64)
	case filter.IsSigned(t):
		return typed(listSum, filter.Int64)
	}
	return typed(listSum, filter.Uint64)
}

// readTotals reads least and greatest value, sum and nulls of each field over all tiles.
func readTotals(c *model.Cursor, slots []fileSlot) {
	for i := range slots {
		s := &slots[i]
		name := total.Named("field[%d]", i)
		name.Doc = s.name
		c.Struct(name, func(c *model.Cursor) {
			for _, f := range [][2]*model.Field{{totMinLen, totMin}, {totMaxLen, totMax}} {
				n := c.Field(f[0])
				t := s.datatype
				if n.Int() != int64(filter.SizeOf(t)) {
					t = s.datatypeOfBytes()
				}
				c.LengthOf(n, readValues(c, f[1], t, min(n.Int(), c.Left()+1)))
			}
			c.Field(sumField(s.datatype))
			c.Field(totNulls)
		})
	}
}

// readDone reads the names of processed delete conditions.
func readDone(c *model.Cursor) {
	n := c.Field(listCount)
	countFits(c, countTooLarge, n, 8)
	if n.Uint() > 0 {
		records(c, doneF, doneEntry, n.Uint(), func(c *model.Cursor) { readText(c, doneLen, doneName) })
	}
}
