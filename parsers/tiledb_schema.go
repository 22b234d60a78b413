package parsers

import (
	"bytes"

	"spandrel/model"
)

// Array schemas of format versions 1 to 23 (part 3; tiledb/sm/array_schema/array_schema.cc).
var (
	tdbSchemaF      = &model.Field{Name: "schema", Doc: "the array schema", Ref: "3.1"}
	tdbSVersion     = &model.Field{Name: "version", Doc: "format version of this schema", Ref: "3.1", Codec: model.U32LE, Fixed: "another version is another layout"}
	tdbSDups        = &model.Field{Name: "allows_dups", Doc: "cells with equal coordinates are kept apart", Ref: "3.1", Codec: model.U8, Check: tdbFlag, Rule: tdb(53), Safe: &tdbOne}
	tdbSArray       = &model.Field{Name: "array_type", Ref: "3.1", Codec: model.U8, Enum: tdbArrayTypes, Check: tdbUpTo(1), Rule: tdb(55)}
	tdbSTileOrder   = &model.Field{Name: "tile_order", Ref: "3.1", Codec: model.U8, Enum: tdbLayouts, Check: tdbUpTo(1), Rule: tdb(56), Offer: &tdbNone}
	tdbSCellOrder   = &model.Field{Name: "cell_order", Ref: "3.1", Codec: model.U8, Enum: tdbLayouts, Check: tdbUpTo(4), Rule: tdb(57), Offer: &tdbNone}
	tdbSCapacity    = &model.Field{Name: "capacity", Doc: "cells in a tile of a sparse fragment", Ref: "3.1", Codec: model.U64LE}
	tdbSCoords      = &model.Field{Name: "coords_filters", Doc: "of dimensions without filters of their own", Ref: "3.1"}
	tdbSOffsets     = &model.Field{Name: "offsets_filters", Doc: "of the offsets of variable cells", Ref: "3.1"}
	tdbSValidity    = &model.Field{Name: "validity_filters", Doc: "of the validity of nullable attributes", Ref: "3.1"}
	tdbSDomain      = &model.Field{Name: "domain", Ref: "3.2"}
	tdbDomType      = &model.Field{Name: "datatype", Doc: "of all dimensions", Ref: "3.2", Codec: model.U8, Enum: tdbDatatypes}
	tdbDomCount     = &model.Field{Name: "num_dimensions", Ref: "3.2", Codec: model.U32LE}
	tdbDims         = &model.Field{Name: "dimensions", Ref: "3.3"}
	tdbDimF         = &model.Field{Name: "dimension", Ref: "3.3"}
	tdbNameLen      = &model.Field{Name: "name_length", Ref: "3.3", Codec: model.U32LE}
	tdbNameF        = &model.Field{Name: "name", Ref: "3.3", Codec: model.UTF8}
	tdbTypeF        = &model.Field{Name: "datatype", Ref: "3.8", Codec: model.U8, Enum: tdbDatatypes}
	tdbCellNum      = &model.Field{Name: "cell_val_num", Doc: "values in a cell", Ref: "3.4", Codec: model.U32LE, Enum: tdbVarCells}
	tdbFiltersF     = &model.Field{Name: "filters", Ref: "2.2"}
	tdbDimSize      = &model.Field{Name: "domain_size", Doc: "bytes of the domain", Ref: "3.3", Codec: model.U64LE}
	tdbDimDomain    = &model.Field{Name: "domain", Ref: "3.3"}
	tdbDimLow       = &model.Field{Name: "low", Ref: "3.3"}
	tdbDimHigh      = &model.Field{Name: "high", Ref: "3.3"}
	tdbDimNull      = &model.Field{Name: "null_tile_extent", Doc: "0: an extent follows", Ref: "3.3", Codec: model.U8}
	tdbDimExtent    = &model.Field{Name: "tile_extent", Ref: "3.3"}
	tdbAttrCount    = &model.Field{Name: "num_attributes", Ref: "3.1", Codec: model.U32LE}
	tdbAttrs        = &model.Field{Name: "attributes", Ref: "3.4"}
	tdbAttrF        = &model.Field{Name: "attribute", Ref: "3.4"}
	tdbAttrFillSize = &model.Field{Name: "fill_value_size", Ref: "3.4", Codec: model.U64LE}
	tdbAttrFill     = &model.Field{Name: "fill_value", Doc: "what cells that were never written say", Ref: "3.4"}
	tdbAttrNull     = &model.Field{Name: "nullable", Ref: "3.4", Codec: model.U8, Check: tdbFlag, Rule: tdb(106), Safe: &tdbOne}
	tdbAttrFillOK   = &model.Field{Name: "fill_value_validity", Ref: "3.4", Codec: model.U8, Check: tdbFlag, Rule: tdb(107), Safe: &tdbNone}
	tdbAttrOrder    = &model.Field{Name: "order", Ref: "3.4", Codec: model.U8, Enum: tdbDataOrders, Check: tdbUpTo(2), Rule: tdb(108), Offer: &tdbNone}
	tdbAttrEnumLen  = &model.Field{Name: "enumeration_name_length", Ref: "3.4", Codec: model.U32LE}
	tdbAttrEnum     = &model.Field{Name: "enumeration_name", Doc: "cells are indexes of its values", Ref: "3.4", Codec: model.UTF8}

	tdbOne, tdbNone = model.U(1), model.U(0)
)

func tdbFlag(v model.Value) string { return tdbUpTo(1)(v) }

func tdbUpTo(most uint64) func(model.Value) string {
	want := "0 to " + tdbText(most)
	return func(v model.Value) string {
		if v.Uint() > most {
			return want
		}
		return ""
	}
}

// tdbSchema is what a schema says, with the places of what the rules speak of.
type tdbSchema struct {
	file    string // base name of its file
	version uint32
	layout  uint32

	versionAt, dups, array, tileOrder, cellOrder, capacity, dimCount, attrCount, enumCount model.Node

	coords, offsets, validity tdbPipe
	domainType                model.Node // before version 5
	dims                      []tdbDim
	attrs                     []tdbAttr
	labels                    []tdbLabel
	enums                     []tdbEnumRef
	current                   tdbCurrent
	complete                  bool // it was read to its last field
	crypt                     bool
}

func (s *tdbSchema) dense() bool { return s.array.Uint() == 0 }

// tdbDim is a dimension. extent has no span when there is none.
type tdbDim struct {
	self, name, typ, num, size, domain, low, high, null, extent model.Node

	datatype uint8
	filters  tdbPipe
}

func (d *tdbDim) variable() bool { return d.datatype == tdbASCII }

// tdbAttr is an attribute. Fields that its version does not have have no span.
type tdbAttr struct {
	self, name, typ, num, fillSize, fill, null, fillOK, order, enum model.Node

	datatype uint8
	filters  tdbPipe
}

func (a *tdbAttr) values() uint32 { return uint32(a.num.Uint()) }
func (a *tdbAttr) variable() bool { return a.values() == tdbVariable }
func (a *tdbAttr) nullable() bool { return a.null.Uint() != 0 }

// tdbReadSchema reads the payload of a schema file. When its own version is none, its layout is that of the generic tile's
// header.
func tdbReadSchema(c *model.Cursor, header uint32) *tdbSchema {
	s := &tdbSchema{}
	c.DamageIs(tdb(50))
	s.versionAt = c.Field(tdbSVersion)
	s.version = uint32(s.versionAt.Uint())
	s.layout = tdbLayout(s.version)
	switch {
	case s.version == tdbTrial:
		tdbReport(c, 24, s.versionAt, "0xFFFFFFFF", "1 to 23")
	case s.version == 0 || s.version > tdbNewest:
		tdbReport(c, 52, s.versionAt, s.version, "1 to 23")
		if s.layout = tdbLayout(header); s.layout == 0 || s.layout > tdbNewest {
			c.Stop()
		}
	}
	v := s.layout
	if v >= 5 {
		s.dups = c.Field(tdbSDups)
	}
	s.array, s.tileOrder, s.cellOrder, s.capacity = c.Field(tdbSArray), c.Field(tdbSTileOrder), c.Field(tdbSCellOrder), c.Field(tdbSCapacity)
	s.coords, s.offsets = tdbReadPipe(c, tdbSCoords, v), tdbReadPipe(c, tdbSOffsets, v)
	if v >= 7 {
		s.validity = tdbReadPipe(c, tdbSValidity, v)
	}
	c.Struct(tdbSDomain, func(c *model.Cursor) {
		if v < 5 {
			s.domainType = c.Field(tdbDomType)
		}
		s.dimCount = c.Field(tdbDomCount)
		least := int64(22)
		if v < 5 {
			least = 7
		}
		tdbReadList(c, s.dimCount, tdbDims, least, func(c *model.Cursor) {
			var d tdbDim
			d.self = c.Struct(tdbDimF, func(c *model.Cursor) { tdbReadDim(c, s, &d) })
			s.dims = append(s.dims, d)
		})
	})
	s.attrCount = c.Field(tdbAttrCount)
	s.attrs = make([]tdbAttr, 0, min(s.attrCount.Int(), c.Left()/17, tdbMostFields))
	tdbReadList(c, s.attrCount, tdbAttrs, 17, func(c *model.Cursor) {
		var a tdbAttr
		a.self = c.Struct(tdbAttrF, func(c *model.Cursor) { tdbReadAttr(c, s, &a) })
		s.attrs = append(s.attrs, a)
	})
	if v >= 18 {
		n := c.Field(tdbLabelCount)
		tdbReadList(c, n, tdbLabels, 34, func(c *model.Cursor) {
			var l tdbLabel
			l.self = c.Struct(tdbLabelF, func(c *model.Cursor) { tdbReadLabel(c, &l) })
			s.labels = append(s.labels, l)
		})
	}
	if v >= 20 {
		s.enumCount = c.Field(tdbEnumCount)
		tdbReadList(c, s.enumCount, tdbEnums, 8, func(c *model.Cursor) {
			var e tdbEnumRef
			e.self = c.Struct(tdbEnumEntry, func(c *model.Cursor) {
				e.name = tdbReadText(c, tdbNameLen, tdbNameF)
				e.file = tdbReadText(c, tdbEnumFileLen, tdbEnumFile)
			})
			s.enums = append(s.enums, e)
		})
	}
	if v >= 22 {
		s.current.self = c.Struct(tdbCurrentF, func(c *model.Cursor) { tdbReadCurrent(c, s) })
	}
	s.complete = true
	tdbTrailing(c, 51)
	return s
}

// tdbMostFields is how many attributes, labels or enumerations a schema may have to be read: far more than real ones.
const tdbMostFields = 1 << 16

// tdbReadList reads n elements of least bytes and more; a count that cannot be is TDB-065 and ends the frame.
func tdbReadList(c *model.Cursor, n model.Node, f *model.Field, least int64, element func(*model.Cursor)) {
	tdbCountFits(c, 65, n, least)
	if n.Uint() > tdbMostFields {
		c.Report(model.Finding{Rule: model.RuleCap, Span: n.Span, Found: n.Value.String(), Expected: "at most " + tdbText(tdbMostFields)})
		c.Stop()
	}
	if n.Uint() == 0 {
		return
	}
	c.CountOf(n, c.List(f, func(c *model.Cursor) {
		for range n.Uint() {
			element(c)
		}
	})).Unchecked()
}

// tdbCountFits ends the frame with a finding of a rule when fewer than n elements of least bytes are left.
func tdbCountFits(c *model.Cursor, rule int, n model.Node, least int64) {
	if most := c.Left() / least; n.Int() > most {
		tdbReport(c, rule, n, n.Value, "at most "+tdbText(most))
		c.Stop()
	}
}

// tdbReadText reads a length and a text of that length.
func tdbReadText(c *model.Cursor, length, text *model.Field) model.Node {
	n := c.Field(length)
	t := c.FieldN(text, n.Int())
	c.LengthOf(n, t).Unchecked()
	return t
}

func tdbReadDim(c *model.Cursor, s *tdbSchema, d *tdbDim) {
	d.name = tdbReadText(c, tdbNameLen, tdbNameF)
	d.datatype = uint8(s.domainType.Uint())
	num := uint32(1)
	if s.layout >= 5 {
		d.typ, d.num = c.Field(tdbTypeF), c.Field(tdbCellNum)
		d.datatype, num = uint8(d.typ.Uint()), uint32(d.num.Uint())
		d.filters = tdbReadPipe(c, tdbFiltersF, s.layout)
		d.size = c.Field(tdbDimSize)
	}
	size := int64(tdbDatatypeSize(d.datatype))
	n := 2 * size
	if d.size.Span != nil {
		n = d.size.Int()
	} else if num == tdbVariable {
		n = 0
	}
	if size > 0 && n == 2*size && tdbIsNumber(d.datatype) {
		d.domain = c.Struct(tdbDimDomain, func(c *model.Cursor) {
			d.low, d.high = c.Field(tdbTyped(tdbDimLow, d.datatype)), c.Field(tdbTyped(tdbDimHigh, d.datatype))
		})
	} else {
		d.domain = c.FieldN(tdbTyped(tdbDimDomain, tdbBlob), n)
		c.LengthOf(d.size, d.domain).Unchecked()
	}
	if d.null = c.Field(tdbDimNull); d.null.Uint() == 0 {
		switch half := n / 2; {
		case tdbIsNumber(d.datatype) && (n == 2*size || !s.goesOn(c, half) || s.goesOn(c, size)):
			d.extent = c.Field(tdbTyped(tdbDimExtent, d.datatype))
		default: // a type that dimensions cannot have, or not this one: the domain tells the size of a value
			if half == 0 {
				half = max(size, 1)
			}
			d.extent = c.FieldN(tdbTyped(tdbDimExtent, tdbBlob), half)
		}
	}
}

// goesOn tells whether what follows a dimension may start n bytes ahead: the name of the next one, or behind the last the number
// of attributes and the name of the first.
func (s *tdbSchema) goesOn(c *model.Cursor, n int64) bool {
	if len(s.dims)+1 == int(s.dimCount.Uint()) {
		n += 4
	}
	b := c.PeekAt(c.Pos()+n, 4)
	if len(b) < 4 || tdbUint(b, 4) == 0 || tdbUint(b, 4) > 1<<10 {
		return false
	}
	name := c.PeekAt(c.Pos()+n+4, int64(tdbUint(b, 4)))
	return len(name) > 0 && bytes.IndexFunc(name, func(r rune) bool { return r < ' ' }) < 0
}

func tdbReadAttr(c *model.Cursor, s *tdbSchema, a *tdbAttr) {
	a.name = tdbReadText(c, tdbNameLen, tdbNameF)
	a.typ, a.num = c.Field(tdbTypeF), c.Field(tdbCellNum)
	a.datatype = uint8(a.typ.Uint())
	a.filters = tdbReadPipe(c, tdbFiltersF, s.layout)
	if s.layout >= 6 {
		a.fillSize = c.Field(tdbAttrFillSize)
		n := a.fillSize.Int()
		if n > c.Left() {
			n = c.Left() + 1 // reading it reports that it is cut
		}
		a.fill = tdbReadValues(c, tdbAttrFill, a.datatype, n)
		c.LengthOf(a.fillSize, a.fill).Unchecked()
	}
	if s.layout >= 7 {
		a.null, a.fillOK = c.Field(tdbAttrNull), c.Field(tdbAttrFillOK)
	}
	if s.layout >= 17 {
		a.order = c.Field(tdbAttrOrder)
	}
	if s.layout >= 20 {
		a.enum = tdbReadText(c, tdbAttrEnumLen, tdbAttrEnum)
	}
}
