package schema

import (
	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/storage"
)

func readLabel(c *model.Cursor, l *Label) {
	l.Dim = c.Field(labelDim)
	l.Name = storage.ReadText(c, nameLen, NameF)
	l.Relative = c.Field(labelRel)
	l.Uri = storage.ReadText(c, labelURILen, labelURI)
	l.Attr = storage.ReadText(c, labelAttrLen, labelAttr)
	l.Order, l.Typ, l.Num, l.external = c.Field(labelOrder), c.Field(labelType), c.Field(labelNum), c.Field(labelExt)
}

// ReadRange reads a range of a dimension as the current domain, footers and R-trees store it.
func ReadRange(c *model.Cursor, f *model.Field, d *Dimension) (r Interval) {
	r.Self = c.Struct(f, func(c *model.Cursor) {
		if d.Variable() {
			r.size, r.start = c.Field(rangeSize), c.Field(rangeStart)
			r.data = c.FieldN(rangeData, r.size.Int())
			c.LengthOf(r.size, r.data)
			return
		}
		if !storage.IsNumber(d.Datatype) { // dimensions cannot have it
			c.FieldN(storage.Typed(rangeData, filter.Blob), 2*int64(filter.SizeOf(d.Datatype)))
			return
		}
		r.Low, r.High = c.Field(storage.Typed(RangeLow, d.Datatype)), c.Field(storage.Typed(RangeHigh, d.Datatype))
	})
	return r
}

func readCurrent(c *model.Cursor, s *Schema) {
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
		for i := range s.Dims {
			s.Current.Ranges = append(s.Current.Ranges, ReadRange(c, RangeF, &s.Dims[i]))
		}
	})
}
