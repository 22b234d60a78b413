package tiledb

import (
	"bytes"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// Array schemas of format versions 1 to 23 (part 3; tiledb/sm/array_schema/array_schema.cc).
var (
	schemaF  = &model.Field{Name: "schema", Doc: "the array schema", Ref: "3.1"}
	sVersion = &model.Field{Name: "version", Doc: "format version of this schema", Ref: "3.1", Codec: model.U32LE,
		Fixed: "another version is another layout"}
	sDups = &model.Field{Name: "allows_dups", Doc: "cells with equal coordinates are kept apart", Ref: "3.1", Codec: model.U8,
		Check: flag, Rule: badDups, Safe: one}
	sArray     = &model.Field{Name: "array_type", Ref: "3.1", Codec: model.U8, Enum: arrayTypes, Check: upTo(1), Rule: badArrayType}
	sTileOrder = &model.Field{Name: "tile_order", Ref: "3.1", Codec: model.U8, Enum: layouts, Check: upTo(1), Rule: badTileOrder,
		Offer: none}
	sCellOrder = &model.Field{Name: "cell_order", Ref: "3.1", Codec: model.U8, Enum: layouts, Check: upTo(4), Rule: badCellOrder,
		Offer: none}
	sCapacity    = &model.Field{Name: "capacity", Doc: "cells in a tile of a sparse fragment", Ref: "3.1", Codec: model.U64LE}
	sCoords      = &model.Field{Name: "coords_filters", Doc: "of dimensions without filters of their own", Ref: "3.1"}
	sOffsets     = &model.Field{Name: "offsets_filters", Doc: "of the offsets of variable cells", Ref: "3.1"}
	sValidity    = &model.Field{Name: "validity_filters", Doc: "of the validity of nullable attributes", Ref: "3.1"}
	sDomain      = &model.Field{Name: "domain", Ref: "3.2"}
	domType      = &model.Field{Name: "datatype", Doc: "of all dimensions", Ref: "3.2", Codec: model.U8, Enum: datatypes}
	domCount     = &model.Field{Name: "num_dimensions", Ref: "3.2", Codec: model.U32LE}
	dims         = &model.Field{Name: "dimensions", Ref: "3.3"}
	dimF         = &model.Field{Name: "dimension", Ref: "3.3"}
	nameLen      = &model.Field{Name: "name_length", Ref: "3.3", Codec: model.U32LE}
	nameF        = &model.Field{Name: "name", Ref: "3.3", Codec: model.UTF8}
	typeF        = &model.Field{Name: "datatype", Ref: "3.8", Codec: model.U8, Enum: datatypes}
	cellNum      = &model.Field{Name: "cell_val_num", Doc: "values in a cell", Ref: "3.4", Codec: model.U32LE, Enum: varCells}
	filtersF     = &model.Field{Name: "filters", Ref: "2.2"}
	dimSize      = &model.Field{Name: "domain_size", Doc: "bytes of the domain", Ref: "3.3", Codec: model.U64LE}
	dimDomain    = &model.Field{Name: "domain", Ref: "3.3"}
	dimLow       = &model.Field{Name: "low", Ref: "3.3"}
	dimHigh      = &model.Field{Name: "high", Ref: "3.3"}
	dimNull      = &model.Field{Name: "null_tile_extent", Doc: "0: an extent follows", Ref: "3.3", Codec: model.U8}
	dimExtent    = &model.Field{Name: "tile_extent", Ref: "3.3"}
	attrCount    = &model.Field{Name: "num_attributes", Ref: "3.1", Codec: model.U32LE}
	attrs        = &model.Field{Name: "attributes", Ref: "3.4"}
	attrF        = &model.Field{Name: "attribute", Ref: "3.4"}
	attrFillSize = &model.Field{Name: "fill_value_size", Ref: "3.4", Codec: model.U64LE}
	attrFill     = &model.Field{Name: "fill_value", Doc: "what cells that were never written say", Ref: "3.4"}
	attrNull     = &model.Field{Name: "nullable", Ref: "3.4", Codec: model.U8, Check: flag, Rule: badNullable, Safe: one}
	attrFillOK   = &model.Field{Name: "fill_value_validity", Ref: "3.4", Codec: model.U8, Check: flag, Rule: badFillValid, Safe: none}
	attrOrder    = &model.Field{Name: "order", Ref: "3.4", Codec: model.U8, Enum: dataOrders, Check: upTo(2), Rule: badOrder, Offer: none}
	attrEnumLen  = &model.Field{Name: "enumeration_name_length", Ref: "3.4", Codec: model.U32LE}
	attrEnum     = &model.Field{Name: "enumeration_name", Doc: "cells are indexes of its values", Ref: "3.4", Codec: model.UTF8}

	one, none = model.U(1), model.U(0)
)

func flag(v model.Value) string { return upTo(1)(v) }

func upTo(most uint64) func(model.Value) string {
	want := "0 to " + filter.Text(most)
	return func(v model.Value) string {
		if v.Uint() > most {
			return want
		}
		return ""
	}
}

// schemaInfo is what a schema says, with the places of what the rules speak of.
type schemaInfo struct {
	file    string // base name of its file
	version uint32
	layout  uint32

	versionAt, dups, array, tileOrder, cellOrder, capacity, dimCount, attrCount, enumCount model.Node

	coords, offsets, validity pipe
	domainType                model.Node // before version 5
	dims                      []dim
	attrs                     []attr
	labels                    []label
	enums                     []enumRef
	current                   current
	complete                  bool // it was read to its last field
	crypt                     bool
}

func (s *schemaInfo) dense() bool { return s.array.Uint() == 0 }

// dim is a dimension. extent has no span when there is none.
type dim struct {
	self, name, typ, num, size, domain, low, high, null, extent model.Node

	datatype uint8
	filters  pipe
}

func (d *dim) variable() bool { return d.datatype == filter.Ascii }

// attr is an attribute. Fields that its version does not have have no span.
type attr struct {
	self, name, typ, num, fillSize, fill, null, fillOK, order, enum model.Node

	datatype uint8
	filters  pipe
}

func (a *attr) values() uint32 { return uint32(a.num.Uint()) }
func (a *attr) variable() bool { return a.values() == variableCells }
func (a *attr) nullable() bool { return a.null.Uint() != 0 }

// readSchema reads the payload of a schema file. When its own version is none, its layout is that of the generic tile's
// header.
func readSchema(c *model.Cursor, header uint32) *schemaInfo {
	s := &schemaInfo{}
	c.DamageIs(schemaCut)
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
	v := s.layout
	if v >= 5 {
		s.dups = c.Field(sDups)
	}
	s.array, s.tileOrder, s.cellOrder, s.capacity = c.Field(sArray), c.Field(sTileOrder), c.Field(sCellOrder), c.Field(sCapacity)
	s.coords, s.offsets = readPipe(c, sCoords, v), readPipe(c, sOffsets, v)
	if v >= 7 {
		s.validity = readPipe(c, sValidity, v)
	}
	c.Struct(sDomain, func(c *model.Cursor) {
		if v < 5 {
			s.domainType = c.Field(domType)
		}
		s.dimCount = c.Field(domCount)
		least := int64(22)
		if v < 5 {
			least = 7
		}
		readList(c, s.dimCount, dims, least, func(c *model.Cursor) {
			var d dim
			d.self = c.Struct(dimF, func(c *model.Cursor) { readDim(c, s, &d) })
			s.dims = append(s.dims, d)
		})
	})
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
	return s
}

// mostFields is how many attributes, labels or enumerations a schema may have to be read: far more than real ones.
const mostFields = 1 << 16

// readList reads n elements of least bytes and more; a count that cannot be is TDB-065 and ends the frame.
func readList(c *model.Cursor, n model.Node, f *model.Field, least int64, element func(*model.Cursor)) {
	countFits(c, countTooLarge, n, least)
	if n.Uint() > mostFields {
		c.Wrong(model.RuleCap, n.Span, n.Value.String(), "at most "+filter.Text(mostFields))
		c.Stop()
	}
	if n.Uint() == 0 {
		return
	}
	c.CountOf(n, c.List(f, func(c *model.Cursor) {
		for range n.Uint() {
			element(c)
		}
	}))
}

// countFits ends the frame with a finding of a rule when fewer than n elements of least bytes are left.
func countFits(c *model.Cursor, rule *model.Rule, n model.Node, least int64) {
	if most := c.Left() / least; n.Int() > most {
		c.Wrong(rule, n, n.Value, "at most "+filter.Text(most))
		c.Stop()
	}
}

// readText reads a length and a text of that length.
func readText(c *model.Cursor, length, text *model.Field) model.Node {
	n := c.Field(length)
	t := c.FieldN(text, n.Int())
	c.LengthOf(n, t)
	return t
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
