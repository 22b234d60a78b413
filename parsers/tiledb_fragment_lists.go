package parsers

import (
	"spandrel/model"
)

// slotList returns the fields of a fragment in the order of its footer's slots.
func (f *tdbFooter) slotList() []tdbSlot {
	s := f.schema
	var out []tdbSlot
	name := func(kind string, i int, field string) string {
		if f.version >= 9 {
			return kind + tdbText(i)
		}
		if f.version == 8 {
			return tdbEscape(field)
		}
		return field
	}
	for i := range s.attrs {
		a := &s.attrs[i]
		out = append(out, tdbSlot{name: a.name.Text(), file: name("a", i, a.name.Text()), datatype: a.datatype, num: a.values(), nullable: a.nullable(), filters: a.filters.list, attr: a})
	}
	coords := tdbSlot{name: "__coords", file: "__coords", datatype: uint8(s.domainType.Uint()), num: uint32(len(s.dims)), filters: s.coords.list, coords: true}
	if len(s.dims) > 0 {
		coords.datatype = s.dims[0].datatype
	}
	out = append(out, coords)
	if f.version < 5 {
		return out
	}
	for i := range s.dims {
		d := &s.dims[i]
		slot := tdbSlot{name: d.name.Text(), file: name("d", i, d.name.Text()), datatype: d.datatype, num: 1, filters: d.filters.list, dim: d}
		if d.variable() {
			slot.num = tdbVariable
		}
		if len(slot.filters) == 0 {
			slot.filters = s.coords.list
		}
		out = append(out, slot)
	}
	extra := func(name, file string) {
		out = append(out, tdbSlot{name: name, file: file, datatype: tdbUint64T, num: 1, filters: s.coords.list})
	}
	if f.times {
		extra("__timestamps", "t")
	}
	if f.deletes {
		extra("__delete_timestamps", "dt")
		extra("__delete_condition_index", "dci")
	}
	return out
}

// tdbEscape is how version 8 made file names of field names (row 31 of part 6: four codes are wrong in the library).
func tdbEscape(name string) string {
	wrong := map[byte]string{'<': "%20", '>': "%2D", '\\': "%30", '|': "%3C"}
	var out []byte
	for i := range len(name) {
		ch := name[i]
		switch {
		case wrong[ch] != "":
			out = append(out, wrong[ch]...)
		case ch == '!' || ch >= '#' && ch <= ',' && ch != '.' || ch == '/' || ch == ':' || ch == ';' || ch == '=' || ch == '?' || ch == '@' || ch == '[' || ch == ']' || ch == '%' || ch == '"' || ch == ' ':
			const digits = "0123456789ABCDEF"
			out = append(out, '%', digits[ch>>4], digits[ch&15])
		default:
			out = append(out, ch)
		}
	}
	return string(out)
}

// Limits of an R-tree: its levels, where each holds at least half as many boxes as the next, and the boxes of a level that are read
// at once when their sizes vary.
const (
	tdbMostLevels = 64
	tdbEagerBoxes = 1 << 10
)

// readRTree reads the payload of the R-tree tile.
func (m *tdbFragmentMeta) readRTree(c *model.Cursor) {
	if m.version < 5 {
		c.Field(tdbRDims)
	}
	c.Field(tdbRFanout)
	if m.version < 5 {
		c.Field(tdbRType)
	}
	n := c.Field(tdbRLevels)
	if n.Uint() > tdbMostLevels {
		tdbReport(c, 65, n, n.Value, "at most "+tdbText(tdbMostLevels))
		c.Stop()
	}
	var leaves uint64
	tdbReadList(c, n, tdbRLevelF, 8, func(c *model.Cursor) {
		c.Struct(tdbRLevel, func(c *model.Cursor) {
			count := c.Field(tdbRCount)
			leaves = count.Uint()
			m.readBoxes(c, count)
		})
	})
	if m.dense {
		return
	}
	if m.leaves = int64(min(leaves, 1<<62)); leaves != m.tiles {
		tdbReport(c, 171, m.tilesAt, m.tiles, tdbText(leaves)+" leaves")
	}
}

// readBoxes reads bounding boxes: by arithmetic where all dimensions have a fixed size.
func (m *tdbFragmentMeta) readBoxes(c *model.Cursor, n model.Node) {
	dims := m.schema.dims
	if n.Uint() == 0 || len(dims) == 0 {
		return
	}
	var fields []*model.Field
	for i := range dims {
		if !tdbIsNumber(dims[i].datatype) {
			fields = nil
			break
		}
		name := dims[i].name.Text()
		low, high := *tdbTyped(tdbRangeLow, dims[i].datatype), *tdbTyped(tdbRangeHigh, dims[i].datatype)
		low.Name, high.Name = name+" low", name+" high"
		fields = append(fields, &low, &high)
	}
	if fields != nil {
		c.CountOf(n, c.Array(tdbRBoxes, model.NewRecord(fields...), n.Int())).Unchecked()
		return
	}
	box := func(c *model.Cursor) {
		for i := range dims {
			f := *tdbRangeF
			f.Name = dims[i].name.Text()
			tdbReadRange(c, &f, &dims[i])
		}
	}
	tdbCountFits(c, 65, n, 8)
	if n.Uint() > tdbEagerBoxes { // where they end is known only by reading them
		size := int64(0)
		for range n.Uint() {
			for i := range dims {
				if tdbIsNumber(dims[i].datatype) {
					size += 2 * int64(tdbDatatypeSize(dims[i].datatype))
					continue
				}
				h := c.PeekAt(c.Pos()+size, 8)
				if len(h) < 8 || tdbUint(h, 8) > uint64(c.Left()) {
					c.Stop()
				}
				size += 16 + int64(tdbUint(h, 8))
			}
			if size > c.Left() {
				c.Stop()
			}
		}
		c.Sequence(tdbRBoxes, tdbRBox, size, box)
		return
	}
	c.List(tdbRBoxes, func(c *model.Cursor) {
		for range n.Uint() {
			c.Struct(tdbRBox, box)
		}
	})
}

// tdbReadListTile reads the payload of one of a fragment's lists, of one field.
func tdbReadListTile(c *model.Cursor, list int, slot tdbSlot) {
	if list == tdbLMin || list == tdbLMax {
		fixed, variable := c.Field(tdbMinFixed), c.Field(tdbMinVar)
		n, cell := min(fixed.Int(), c.Left()+1), slot.cell()
		switch {
		case slot.variable():
			c.LengthOf(fixed, c.Elements(tdbMinValues, tdbListElem, n/8)).Unchecked()
		case (slot.num != 1 || !tdbIsNumber(slot.datatype)) && cell > 0 && n > 0 && n%cell == 0 && n <= c.Left():
			c.LengthOf(fixed, c.Elements(tdbMinValues, slot.cellField(tdbMinValue), n/cell)).Unchecked()
		case slot.num != 1:
			c.FieldN(tdbTyped(tdbMinValues, tdbBlob), n)
		default:
			c.LengthOf(fixed, tdbReadValues(c, tdbMinValues, slot.datatype, n)).Unchecked()
		}
		c.LengthOf(variable, c.FieldN(tdbTyped(tdbMinData, slot.datatypeOfBytes()), variable.Int())).Unchecked()
		return
	}
	n := c.Field(tdbListCount)
	elem := tdbListElem
	if list == tdbLSum {
		elem = tdbSumField(slot.datatype)
	}
	if n.Uint() == 0 {
		return
	}
	c.CountOf(n, c.Elements(tdbListF, elem, n.Int())).Unchecked()
}

// datatypeOfBytes is the slot's type where its values are text, and BLOB otherwise.
func (s *tdbSlot) datatypeOfBytes() uint8 {
	if tdbCodec(s.datatype) == model.UTF8 {
		return s.datatype
	}
	return tdbBlob
}

// tdbSumField is how sums of a datatype are stored: as i64, u64 or f64.
func tdbSumField(t uint8) *model.Field {
	switch {
	case tdbIsFloat(t):
		return tdbTyped(tdbListSum, tdbFloat64)
	case tdbIsSigned(t):
		return tdbTyped(tdbListSum, tdbInt64)
	}
	return tdbTyped(tdbListSum, tdbUint64T)
}

// tdbReadTotals reads least and greatest value, sum and nulls of each field over all tiles.
func tdbReadTotals(c *model.Cursor, slots []tdbSlot) {
	for i := range slots {
		s := &slots[i]
		name := tdbTotal.Named("field[%d]", i)
		name.Doc = s.name
		c.Struct(name, func(c *model.Cursor) {
			for _, f := range [][2]*model.Field{{tdbTotMinLen, tdbTotMin}, {tdbTotMaxLen, tdbTotMax}} {
				n := c.Field(f[0])
				t := s.datatype
				if n.Int() != int64(tdbDatatypeSize(t)) {
					t = s.datatypeOfBytes()
				}
				c.LengthOf(n, tdbReadValues(c, f[1], t, min(n.Int(), c.Left()+1))).Unchecked()
			}
			c.Field(tdbSumField(s.datatype))
			c.Field(tdbTotNulls)
		})
	}
}

// tdbReadDone reads the names of processed delete conditions.
func tdbReadDone(c *model.Cursor) {
	n := c.Field(tdbListCount)
	tdbCountFits(c, 65, n, 8)
	if n.Uint() > 0 {
		tdbRecords(c, tdbDoneF, tdbDoneEntry, n.Uint(), func(c *model.Cursor) { tdbReadText(c, tdbDoneLen, tdbDoneName) })
	}
}
