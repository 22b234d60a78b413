package tiledb

import (
	"bytes"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// read reads the payload of a schema file. When its own version is none, its layout is that of the generic tile's
// header.
func (s *schemaInfo) read(c *model.Cursor, header uint32) {
	c.DamageIs(schemaCut)
	s.readVersion(c, header)
	v := s.layout
	if v >= 5 {
		s.dups = c.Field(sDups)
	}
	s.array, s.tileOrder, s.cellOrder, s.capacity = c.Field(sArray), c.Field(sTileOrder), c.Field(sCellOrder), c.Field(sCapacity)
	s.coords, s.offsets = readPipe(c, sCoords, v), readPipe(c, sOffsets, v)
	if v >= 7 {
		s.validity = readPipe(c, sValidity, v)
	}
	c.Struct(sDomain, s.readDomain)
	s.attrCount = c.Field(attrCount)
	s.attrs = make([]attr, 0, min(s.attrCount.Int(), c.Left()/17, mostFields))
	readList(c, s.attrCount, attrs, 17, func(c *model.Cursor) {
		var a attr
		a.self = c.Struct(attrF, func(c *model.Cursor) { readAttr(c, s, &a) })
		s.attrs = append(s.attrs, a)
	})
	if v >= 18 {
		n := c.Field(labelCount)
		readList(c, n, labels, 34, func(c *model.Cursor) {
			var l label
			l.self = c.Struct(labelF, func(c *model.Cursor) { readLabel(c, &l) })
			s.labels = append(s.labels, l)
		})
	}
	if v >= 20 {
		s.enumCount = c.Field(enumCount)
		readList(c, s.enumCount, enums, 8, func(c *model.Cursor) {
			var e enumRef
			e.self = c.Struct(enumEntry, func(c *model.Cursor) {
				e.name = readText(c, nameLen, nameF)
				e.file = readText(c, enumFileLen, enumFile)
			})
			s.enums = append(s.enums, e)
		})
	}
	if v >= 22 {
		s.current.self = c.Struct(currentF, func(c *model.Cursor) { readCurrent(c, s) })
	}
	s.complete = true
	trailing(c, behindSchema)
}

// readVersion reads the version; the layout is that of the header where it is none.
func (s *schemaInfo) readVersion(c *model.Cursor, header uint32) {
	s.versionAt = c.Field(sVersion)
	s.version = uint32(s.versionAt.Uint())
	s.layout = layout(s.version)
	switch {
	case s.version == versionTrial:
		c.Wrong(experimental, s.versionAt, "0xFFFFFFFF", "1 to 23")
	case s.version == 0 || s.version > versionNewest:
		c.Wrong(payloadVersion, s.versionAt, s.version, "1 to 23")
		if s.layout = layout(header); s.layout == 0 || s.layout > versionNewest {
			c.Stop()
		}
	}
}

func (s *schemaInfo) readDomain(c *model.Cursor) {
	least := int64(22)
	if s.layout < 5 {
		s.domainType = c.Field(domType)
		least = 7
	}
	s.dimCount = c.Field(domCount)
	readList(c, s.dimCount, dims, least, func(c *model.Cursor) {
		var d dim
		d.self = c.Struct(dimF, func(c *model.Cursor) { readDim(c, s, &d) })
		s.dims = append(s.dims, d)
	})
}

func readDim(c *model.Cursor, s *schemaInfo, d *dim) {
	d.name = readText(c, nameLen, nameF)
	d.datatype = uint8(s.domainType.Uint())
	num := uint32(1)
	if s.layout >= 5 {
		d.typ, d.num = c.Field(typeF), c.Field(cellNum)
		d.datatype, num = uint8(d.typ.Uint()), uint32(d.num.Uint())
		d.filters = readPipe(c, filtersF, s.layout)
		d.size = c.Field(dimSize)
	}
	size := int64(filter.SizeOf(d.datatype))
	n := 2 * size
	if d.size.Span != nil {
		n = d.size.Int()
	} else if num == variableCells {
		n = 0
	}
	if size > 0 && n == 2*size && isNumber(d.datatype) {
		d.domain = c.Struct(dimDomain, func(c *model.Cursor) {
			d.low, d.high = c.Field(typed(dimLow, d.datatype)), c.Field(typed(dimHigh, d.datatype))
		})
	} else {
		d.domain = c.FieldN(typed(dimDomain, filter.Blob), n)
		c.LengthOf(d.size, d.domain)
	}
	if d.null = c.Field(dimNull); d.null.Uint() == 0 {
		switch half := n / 2; {
		case isNumber(d.datatype) && (n == 2*size || !s.goesOn(c, half) || s.goesOn(c, size)):
			d.extent = c.Field(typed(dimExtent, d.datatype))
		default: // a type that dimensions cannot have, or not this one: the domain tells the size of a value
			if half == 0 {
				half = max(size, 1)
			}
			d.extent = c.FieldN(typed(dimExtent, filter.Blob), half)
		}
	}
}

// goesOn tells whether what follows a dimension may start n bytes ahead: the name of the next one, or behind the last the number
// of attributes and the name of the first.
func (s *schemaInfo) goesOn(c *model.Cursor, n int64) bool {
	if len(s.dims)+1 == int(s.dimCount.Uint()) {
		n += 4
	}
	b := c.PeekAt(c.Pos()+n, 4)
	if len(b) < 4 || filter.Uint(b, 4) == 0 || filter.Uint(b, 4) > 1<<10 {
		return false
	}
	name := c.PeekAt(c.Pos()+n+4, int64(filter.Uint(b, 4)))
	return len(name) > 0 && bytes.IndexFunc(name, func(r rune) bool { return r < ' ' }) < 0
}

func readAttr(c *model.Cursor, s *schemaInfo, a *attr) {
	a.name = readText(c, nameLen, nameF)
	a.typ, a.num = c.Field(typeF), c.Field(cellNum)
	a.datatype = uint8(a.typ.Uint())
	a.filters = readPipe(c, filtersF, s.layout)
	if s.layout >= 6 {
		a.fillSize = c.Field(attrFillSize)
		n := a.fillSize.Int()
		if n > c.Left() {
			n = c.Left() + 1 // reading it reports that it is cut
		}
		a.fill = readValues(c, attrFill, a.datatype, n)
		c.LengthOf(a.fillSize, a.fill)
	}
	if s.layout >= 7 {
		a.null, a.fillOK = c.Field(attrNull), c.Field(attrFillOK)
	}
	if s.layout >= 17 {
		a.order = c.Field(attrOrder)
	}
	if s.layout >= 20 {
		a.enum = readText(c, attrEnumLen, attrEnum)
	}
}
