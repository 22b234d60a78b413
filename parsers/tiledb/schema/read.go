package schema

import (
	"bytes"
	"cmp"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/rule"
	"spandrel/parsers/tiledb/storage"
)

// Read reads the payload of a schema file. If its own version is invalid, its layout is that of the generic tile's
// header.
func (s *Schema) Read(c *model.Cursor, header uint32) {
	c.DamageIs(rule.SchemaCut)
	s.readVersion(c, header)
	v := s.Layout
	if v >= 5 {
		s.Dups = c.Field(sDups)
	}
	s.Array, s.TileOrder, s.CellOrder, s.Capacity = c.Field(sArray), c.Field(sTileOrder), c.Field(sCellOrder), c.Field(sCapacity)
	s.Coords, s.Offsets = storage.ReadPipeline(c, sCoords, v), storage.ReadPipeline(c, sOffsets, v)
	if v >= 7 {
		s.Validity = storage.ReadPipeline(c, sValidity, v)
	}
	c.Struct(sDomain, s.readDomain)
	s.AttrCount = c.Field(attrCount)
	s.Attrs = make([]Attribute, 0, min(s.AttrCount.Int(), c.Left()/17, storage.MostFields))
	storage.ReadList(c, s.AttrCount, attrs, 17, func(c *model.Cursor) {
		var a Attribute
		a.Self = c.Struct(attrF, func(c *model.Cursor) { readAttr(c, s, &a) })
		s.Attrs = append(s.Attrs, a)
	})
	if v >= 18 {
		n := c.Field(labelCount)
		storage.ReadList(c, n, labels, 34, func(c *model.Cursor) {
			var l Label
			l.Self = c.Struct(labelF, func(c *model.Cursor) { readLabel(c, &l) })
			s.Labels = append(s.Labels, l)
		})
	}
	if v >= 20 {
		s.EnumCount = c.Field(enumCount)
		storage.ReadList(c, s.EnumCount, enums, 8, func(c *model.Cursor) {
			var e EnumerationEntry
			e.Self = c.Struct(enumEntry, func(c *model.Cursor) {
				e.Name = storage.ReadText(c, nameLen, NameF)
				e.File = storage.ReadText(c, enumFileLen, enumFile)
			})
			s.Enums = append(s.Enums, e)
		})
	}
	if v >= 22 {
		s.Current.Self = c.Struct(currentF, func(c *model.Cursor) { readCurrent(c, s) })
	}
	s.Complete = true
	storage.Trailing(c, rule.BehindSchema)
}

// readVersion reads the version; if it is invalid, the layout is that of the header.
func (s *Schema) readVersion(c *model.Cursor, header uint32) {
	s.VersionAt = c.Field(sVersion)
	s.Version = uint32(s.VersionAt.Uint())
	s.Layout = storage.Layout(s.Version)
	switch {
	case s.Version == storage.VersionTrial:
		c.Wrong(rule.Experimental, s.VersionAt, "0xFFFFFFFF", "1 to 23")
	case s.Version == 0 || s.Version > storage.VersionNewest:
		c.Wrong(rule.PayloadVersion, s.VersionAt, s.Version, "1 to 23")
		if s.Layout = storage.Layout(header); s.Layout == 0 || s.Layout > storage.VersionNewest {
			c.Stop()
		}
	}
}

func (s *Schema) readDomain(c *model.Cursor) {
	least := int64(22)
	if s.Layout < 5 {
		s.DomainType = c.Field(domType)
		least = 7
	}
	s.DimCount = c.Field(domCount)
	storage.ReadList(c, s.DimCount, dims, least, func(c *model.Cursor) {
		var d Dimension
		d.Self = c.Struct(dimF, func(c *model.Cursor) { readDim(c, s, &d) })
		s.Dims = append(s.Dims, d)
	})
}

func readDim(c *model.Cursor, s *Schema, d *Dimension) {
	d.Name = storage.ReadText(c, nameLen, NameF)
	d.Datatype = uint8(s.DomainType.Uint())
	num := uint32(1)
	if s.Layout >= 5 {
		d.Typ, d.Num = c.Field(typeF), c.Field(cellNum)
		d.Datatype, num = uint8(d.Typ.Uint()), uint32(d.Num.Uint())
		d.Filters = storage.ReadPipeline(c, filtersF, s.Layout)
		d.size = c.Field(dimSize)
	}
	size := int64(filter.SizeOf(d.Datatype))
	n := 2 * size
	if d.size.Span != nil {
		n = d.size.Int()
	} else if num == storage.VariableCells {
		n = 0
	}
	if size > 0 && n == 2*size && storage.IsNumber(d.Datatype) {
		d.domain = c.Struct(dimDomain, func(c *model.Cursor) {
			d.Low, d.High = c.Field(storage.Typed(dimLow, d.Datatype)), c.Field(storage.Typed(dimHigh, d.Datatype))
		})
	} else {
		d.domain = c.FieldN(storage.Typed(dimDomain, filter.Blob), n)
		c.LengthOf(d.size, d.domain)
	}
	if d.Null = c.Field(dimNull); d.Null.Uint() == 0 {
		switch half := n / 2; {
		case storage.IsNumber(d.Datatype) && (n == 2*size || !s.goesOn(c, half) || s.goesOn(c, size)):
			d.Extent = c.Field(storage.Typed(dimExtent, d.Datatype))
		default: // an invalid type for dimensions: the domain shows the size of a value
			d.Extent = c.FieldN(storage.Typed(dimExtent, filter.Blob), cmp.Or(half, max(size, 1)))
		}
	}
}

// goesOn tells whether what follows a dimension may start n bytes ahead: the name of the next one, or after the last the number
// of attributes and the name of the first.
func (s *Schema) goesOn(c *model.Cursor, n int64) bool {
	if len(s.Dims)+1 == int(s.DimCount.Uint()) {
		n += 4
	}
	b := c.PeekAt(c.Pos()+n, 4)
	if len(b) < 4 || filter.Uint(b, 4) == 0 || filter.Uint(b, 4) > 1<<10 {
		return false
	}
	name := c.PeekAt(c.Pos()+n+4, int64(filter.Uint(b, 4)))
	return len(name) > 0 && bytes.IndexFunc(name, func(r rune) bool { return r < ' ' }) < 0
}

func readAttr(c *model.Cursor, s *Schema, a *Attribute) {
	a.Name = storage.ReadText(c, nameLen, NameF)
	a.Typ, a.Num = c.Field(typeF), c.Field(cellNum)
	a.Datatype = uint8(a.Typ.Uint())
	a.Filters = storage.ReadPipeline(c, filtersF, s.Layout)
	if s.Layout >= 6 {
		a.fillSize = c.Field(attrFillSize)
		n := a.fillSize.Int()
		if n > c.Left() {
			n = c.Left() + 1 // reading it reports the truncation
		}
		a.Fill = storage.ReadValues(c, attrFill, a.Datatype, n)
		c.LengthOf(a.fillSize, a.Fill)
	}
	if s.Layout >= 7 {
		a.Null, a.FillOK = c.Field(attrNull), c.Field(attrFillOK)
	}
	if s.Layout >= 17 {
		a.Order = c.Field(attrOrder)
	}
	if s.Layout >= 20 {
		a.Enum = storage.ReadText(c, attrEnumLen, AttrEnum)
	}
}
