package tiledb

import (
	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

func readLabel(c *model.Cursor, l *label) {
	l.dim = c.Field(labelDim)
	l.name = readText(c, nameLen, nameF)
	l.relative = c.Field(labelRel)
	l.uri = readText(c, labelURILen, labelURI)
	l.attr = readText(c, labelAttrLen, labelAttr)
	l.order, l.typ, l.num, l.external = c.Field(labelOrder), c.Field(labelType), c.Field(labelNum), c.Field(labelExt)
}

// readRange reads a range of a dimension as the current domain, footers and R-trees store it.
func readRange(c *model.Cursor, f *model.Field, d *dim) (r interval) {
	r.self = c.Struct(f, func(c *model.Cursor) {
		if d.variable() {
			r.size, r.start = c.Field(rangeSize), c.Field(rangeStart)
			r.data = c.FieldN(rangeData, r.size.Int())
			c.LengthOf(r.size, r.data)
			return
		}
		if !isNumber(d.datatype) { // dimensions cannot have it
			c.FieldN(typed(rangeData, filter.Blob), 2*int64(filter.SizeOf(d.datatype)))
			return
		}
		r.low, r.high = c.Field(typed(rangeLow, d.datatype)), c.Field(typed(rangeHigh, d.datatype))
	})
	return r
}

func readCurrent(c *model.Cursor, s *schemaInfo) {
	c.Field(curVersion)
	if empty := c.Field(curEmpty); empty.Uint() != 0 {
		return
	}
	if c.Field(curType).Uint() != 0 {
		if c.More() {
			c.Rest(curData)
		}
		return
	}
	c.List(curRanges, func(c *model.Cursor) {
		for i := range s.dims {
			s.current.ranges = append(s.current.ranges, readRange(c, rangeF, &s.dims[i]))
		}
	})
}
