package parsers

import (
	"math"
	"math/bits"
	"strings"
	"unicode/utf8"

	"spandrel/model"
)

// tdbCheckSchema checks what the fields of a complete schema say about each other (4.2 to 4.6).
func tdbCheckSchema(c *model.Cursor, s *tdbSchema) {
	dense := s.dense()
	if dense && s.dups.Uint() == 1 {
		tdbReport(c, 54, s.dups, 1, 0, tdbSet(s.dups, model.U(0), true))
	}
	switch order := s.cellOrder.Uint(); {
	case order == 2 || order == 3:
		tdbReport(c, 58, s.cellOrder, tdbLayouts[order], "ROW_MAJOR, COL_MAJOR or HILBERT")
	case order == 4 && dense:
		tdbReport(c, 59, s.cellOrder, "HILBERT", "ROW_MAJOR or COL_MAJOR", tdbSet(s.cellOrder, model.U(0), false))
	case order == 4 && len(s.dims) > 16:
		tdbReport(c, 60, s.cellOrder, tdbText(len(s.dims))+" dimensions", "at most 16")
	}
	switch n := s.capacity.Uint(); {
	case n == 0 && !dense:
		tdbReport(c, 61, s.capacity, 0, "1 or more", tdbSet(s.capacity, model.U(10000), false))
	case n >= 1<<40:
		tdbReport(c, 62, s.capacity, n, "less than 2^40")
	}
	if len(s.dims) == 0 {
		tdbReport(c, 63, s.dimCount, 0, "1 or more")
	}
	if dense && len(s.attrs) == 0 {
		tdbReport(c, 64, s.attrCount, 0, "1 or more")
	}
	tdbCheckNames(c, s)
	cells := uint64(1)
	for i := range s.dims {
		d := &s.dims[i]
		tdbCheckDim(c, s, d)
		if d.extent.Span != nil && dense && tdbIsNumber(d.datatype) && d.extent.Value.Float() > 0 {
			if high, low := bits.Mul64(cells, d.extent.Uint()); high > 0 || low > math.MaxInt64 {
				tdbReport(c, 94, d.extent, d.extent.Value, "fewer than 2^63 cells in a tile")
				cells = 0
			} else {
				cells = low
			}
		}
		tdbCheckPipe(c, &d.filters, tdbPipeUse{datatype: d.datatype, num: uint32(d.num.Uint()), version: s.layout})
	}
	tdbCheckInherited(c, s)
	tdbCheckPipe(c, &s.offsets, tdbPipeUse{datatype: tdbUint64T, num: 1, version: s.layout})
	tdbCheckPipe(c, &s.validity, tdbPipeUse{datatype: 6, num: 1, version: s.layout})
	enums := map[string]bool{}
	for _, e := range s.enums {
		enums[e.name.Text()] = true
	}
	used := map[string]bool{}
	for i := range s.attrs {
		a := &s.attrs[i]
		tdbCheckAttr(c, s, a)
		if name := a.enum.Text(); name != "" {
			if used[name] = true; !enums[name] {
				tdbReport(c, 111, a.enum, name, "a name of the enumeration map", tdbSet(a.enum, model.S(""), false))
			}
			if !tdbIsInteger(a.datatype) || a.values() != 1 {
				tdbReport(c, 112, a.typ, tdbTypeName(a.datatype), "one integer")
			}
		}
		tdbCheckPipe(c, &a.filters, tdbPipeUse{a.datatype, a.values(), s.layout, s.dims, dense, true})
	}
	tdbCheckMap(c, s, used)
	tdbCheckLabels(c, s)
	tdbCheckCurrent(c, s)
}

func tdbCheckNames(c *model.Cursor, s *tdbSchema) {
	seen := map[string]bool{}
	check := func(at model.Node, attr bool) {
		name := at.Text()
		if seen[name] {
			tdbReport(c, 66, at, name, "a name of its own", tdbSet(at, model.S(name+"_2"), false))
		}
		seen[name] = true
		switch {
		case name == "":
			tdbReport(c, 69, at, "nothing", "a name")
		case !utf8.ValidString(name) || strings.ContainsRune(name, 0):
			tdbReport(c, 67, at, at.Value, "UTF-8 without NUL")
		case name == "__coords" || name == "__timestamps" || name == "__delete_timestamps" || name == "__delete_condition_index":
			tdbReport(c, 70, at, name, "another name", tdbSet(at, model.S(strings.TrimPrefix(name, "__")), false))
		case attr && strings.HasPrefix(name, "__"):
			tdbReport(c, 68, at, name, "another name", tdbSet(at, model.S(strings.TrimLeft(name, "_")), false))
		}
	}
	for _, d := range s.dims {
		check(d.name, false)
	}
	for _, a := range s.attrs {
		check(a.name, true)
	}
	for _, l := range s.labels {
		if l.name.Text() != "" { // an empty one is TDB-122
			check(l.name, false)
		}
	}
}

// tdbDimTypes tells which datatypes dimensions, ordered attributes and labels may have.
func tdbDimType(t uint8) bool { return tdbIsNumber(t) && t != tdbBool || t == tdbASCII }

func tdbCheckDim(c *model.Cursor, s *tdbSchema, d *tdbDim) {
	typ := d.typ
	if typ.Span == nil {
		typ = s.domainType
	}
	isInt := tdbIsInteger(d.datatype) || tdbIsTime(d.datatype)
	switch {
	case !tdbDimType(d.datatype):
		n := 80
		if s.layout < 5 {
			n = 95
		}
		tdbReport(c, n, typ, tdbTypeName(d.datatype), "a number, date, time or STRING_ASCII")
		return
	case s.dense() && !isInt:
		tdbReport(c, 81, typ, tdbTypeName(d.datatype), "an integer, date or time")
		if d.variable() {
			return // the rest of a string dimension is wrong for the same reason
		}
	case s.dense() && d.datatype != s.dims[0].datatype:
		tdbReport(c, 82, typ, tdbTypeName(d.datatype), tdbTypeName(s.dims[0].datatype))
	}
	if want := map[bool]uint64{false: 1, true: tdbVariable}[d.variable()]; d.num.Span != nil && d.num.Uint() != want {
		tdbReport(c, 83, d.num, d.num.Value, want, tdbSet(d.num, model.U(want), false))
	}
	if want := 2 * int64(tdbDatatypeSize(d.datatype)); d.size.Span != nil && !d.variable() && d.size.Int() != want {
		tdbReport(c, 84, d.size, d.size.Value, want)
	} else if d.variable() && d.size.Uint() != 0 {
		tdbReport(c, 84, d.size, d.size.Value, 0)
	}
	if d.null.Uint() > 1 {
		tdbReport(c, 88, d.null, d.null.Value, "0 or 1", tdbSet(d.null, model.U(1), true))
	}
	if d.variable() && d.extent.Span != nil {
		tdbReport(c, 90, d.null, 0, 1, d.dropExtent())
	}
	if d.low.Span == nil {
		return
	}
	low, high := d.low.Value, d.high.Value
	if tdbIsFloat(d.datatype) {
		for _, at := range []model.Node{d.low, d.high} {
			if f := at.Value.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
				tdbReport(c, 86, at, f, "a finite number")
				return
			}
		}
	}
	if tdbCompare(low, high) > 0 {
		swap := model.Fix{Label: "swap low and high", Edits: []model.Edit{model.SetValue(d.low.Span, high), model.SetValue(d.high.Span, low)}}
		tdbReport(c, 85, d.domain, low.String()+" to "+high.String(), "low <= high", swap)
		return
	}
	if d.extent.Span == nil {
		if s.cellOrder.Uint() != 4 && d.null.Uint() == 1 {
			tdbReport(c, 89, d.null, d.null.Value, "an extent", d.addExtent())
		}
		return
	}
	tdbCheckExtent(c, d, isInt, low, high)
}

func tdbCheckExtent(c *model.Cursor, d *tdbDim, isInt bool, low, high model.Value) {
	extent := d.extent.Value
	if f := extent.Float(); !(f > 0) {
		tdbReport(c, 91, d.extent, extent, "more than 0")
		return
	}
	if !isInt {
		if extent.Float() > high.Float()-low.Float()+1 {
			tdbReport(c, 92, d.extent, extent, "at most "+tdbText(high.Float()-low.Float()))
		}
		return
	}
	first, last := tdbRange(d.datatype)
	width, e := tdbExtent(low, high), extent.Uint()
	switch {
	case low.Equal(first) && high.Equal(last):
		tdbReport(c, 87, d.domain, low.String()+" to "+high.String(), "less than all of "+tdbTypeName(d.datatype), d.shrink(e))
	case width != math.MaxUint64 && e > width+1:
		tdbReport(c, 92, d.extent, extent, "at most "+tdbText(width+1))
	default:
		tiles := width / e
		over, end := bits.Mul64(tiles, e)
		end, carry := bits.Add64(end, e-1, 0)
		last := model.U(math.MaxUint64) // the library counts in 64 bits of the same sign
		if tdbIsSigned(d.datatype) {
			last = model.I(math.MaxInt64)
		}
		if room := tdbExtent(low, last); over != 0 || carry != 0 || end > room {
			fix := d.shrink(width - (room/e*e - 1)) // the tiles that fit
			tdbReport(c, 93, d.extent, extent, "whole tiles from "+low.String()+" to at most "+last.String(), fix)
		}
	}
}

func tdbCheckAttr(c *model.Cursor, s *tdbSchema, a *tdbAttr) {
	size := uint64(tdbDatatypeSize(a.datatype))
	if size == 0 {
		tdbReport(c, 100, a.typ, a.datatype, "0 to 43")
		return
	}
	num := a.values()
	switch {
	case num == 0:
		tdbReport(c, 101, a.num, 0, "1 or more", tdbSet(a.num, model.U(1), false))
	case a.datatype == tdbAny && num != tdbVariable:
		tdbReport(c, 102, a.num, num, "variable", tdbSet(a.num, model.U(tdbVariable), false))
	}
	if a.fill.Span != nil && num > 0 {
		n := uint64(a.fill.Range.Len)
		fix := model.Fix{Label: "write the default fill value", Edits: []model.Edit{model.Replace(a.fill.Range, tdbFillOf(a.datatype, num))}}
		fix.Edits[0].Into = a.fill.Path()
		switch {
		case n == 0:
			tdbReport(c, 103, a.fillSize, 0, "1 or more", fix)
		case num != tdbVariable && n != size*uint64(num):
			tdbReport(c, 104, a.fillSize, n, size*uint64(num), fix)
		case num == tdbVariable && n%size != 0:
			tdbReport(c, 105, a.fillSize, n, "a multiple of "+tdbText(size), fix)
		}
	}
	if a.order.Uint() == 0 || a.order.Uint() > 2 {
		return
	}
	if !s.dense() || len(s.dims) != 1 || a.nullable() || !tdbDimType(a.datatype) {
		tdbReport(c, 109, a.order, tdbDataOrders[a.order.Uint()], "UNORDERED", tdbSet(a.order, model.U(0), false))
	} else if want := map[bool]uint32{false: 1, true: tdbVariable}[a.datatype == tdbASCII]; num != want {
		tdbReport(c, 110, a.num, num, want)
	}
}
