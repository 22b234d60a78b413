package tiledb

import (
	"math"
	"math/bits"
	"strings"
	"unicode/utf8"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// checkSchema checks what the fields of a complete schema say about each other (4.2 to 4.6).
func checkSchema(c *model.Cursor, s *schemaInfo) {
	dense := s.dense()
	if dense && s.dups.Uint() == 1 {
		report(c, 54, s.dups, 1, 0, set(s.dups, model.U(0), true))
	}
	switch order := s.cellOrder.Uint(); {
	case order == 2 || order == 3:
		report(c, 58, s.cellOrder, layouts[order], "ROW_MAJOR, COL_MAJOR or HILBERT")
	case order == 4 && dense:
		report(c, 59, s.cellOrder, "HILBERT", "ROW_MAJOR or COL_MAJOR", set(s.cellOrder, model.U(0), false))
	case order == 4 && len(s.dims) > 16:
		report(c, 60, s.cellOrder, filter.Text(len(s.dims))+" dimensions", "at most 16")
	}
	switch n := s.capacity.Uint(); {
	case n == 0 && !dense:
		report(c, 61, s.capacity, 0, "1 or more", set(s.capacity, model.U(10000), false))
	case n >= 1<<40:
		report(c, 62, s.capacity, n, "less than 2^40")
	}
	if len(s.dims) == 0 {
		report(c, 63, s.dimCount, 0, "1 or more")
	}
	if dense && len(s.attrs) == 0 {
		report(c, 64, s.attrCount, 0, "1 or more")
	}
	checkNames(c, s)
	cells := uint64(1)
	for i := range s.dims {
		d := &s.dims[i]
		checkDim(c, s, d)
		if d.extent.Span != nil && dense && isNumber(d.datatype) && d.extent.Value.Float() > 0 {
			if high, low := bits.Mul64(cells, d.extent.Uint()); high > 0 || low > math.MaxInt64 {
				report(c, 94, d.extent, d.extent.Value, "fewer than 2^63 cells in a tile")
				cells = 0
			} else {
				cells = low
			}
		}
		checkPipe(c, &d.filters, pipeUse{datatype: d.datatype, num: uint32(d.num.Uint()), version: s.layout})
	}
	checkInherited(c, s)
	checkPipe(c, &s.offsets, pipeUse{datatype: filter.Uint64, num: 1, version: s.layout})
	checkPipe(c, &s.validity, pipeUse{datatype: 6, num: 1, version: s.layout})
	enums := map[string]bool{}
	for _, e := range s.enums {
		enums[e.name.Text()] = true
	}
	used := map[string]bool{}
	for i := range s.attrs {
		a := &s.attrs[i]
		checkAttr(c, s, a)
		if name := a.enum.Text(); name != "" {
			if used[name] = true; !enums[name] {
				report(c, 111, a.enum, name, "a name of the enumeration map", set(a.enum, model.S(""), false))
			}
			if !filter.IsInteger(a.datatype) || a.values() != 1 {
				report(c, 112, a.typ, typeName(a.datatype), "one integer")
			}
		}
		checkPipe(c, &a.filters, pipeUse{a.datatype, a.values(), s.layout, s.dims, dense, true})
	}
	checkMap(c, s, used)
	checkLabels(c, s)
	checkCurrent(c, s)
}

func checkNames(c *model.Cursor, s *schemaInfo) {
	seen := map[string]bool{}
	check := func(at model.Node, attr bool) {
		name := at.Text()
		if seen[name] {
			report(c, 66, at, name, "a name of its own", set(at, model.S(name+"_2"), false))
		}
		seen[name] = true
		switch {
		case name == "":
			report(c, 69, at, "nothing", "a name")
		case !utf8.ValidString(name) || strings.ContainsRune(name, 0):
			report(c, 67, at, at.Value, "UTF-8 without NUL")
		case name == "__coords" || name == "__timestamps" || name == "__delete_timestamps" || name == "__delete_condition_index":
			report(c, 70, at, name, "another name", set(at, model.S(strings.TrimPrefix(name, "__")), false))
		case attr && strings.HasPrefix(name, "__"):
			report(c, 68, at, name, "another name", set(at, model.S(strings.TrimLeft(name, "_")), false))
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
func dimType(t uint8) bool { return isNumber(t) && t != filter.Bool || t == filter.Ascii }

func checkDim(c *model.Cursor, s *schemaInfo, d *dim) {
	typ := d.typ
	if typ.Span == nil {
		typ = s.domainType
	}
	isInt := filter.IsInteger(d.datatype) || filter.IsTime(d.datatype)
	switch {
	case !dimType(d.datatype):
		n := 80
		if s.layout < 5 {
			n = 95
		}
		report(c, n, typ, typeName(d.datatype), "a number, date, time or STRING_ASCII")
		return
	case s.dense() && !isInt:
		report(c, 81, typ, typeName(d.datatype), "an integer, date or time")
		if d.variable() {
			return // the rest of a string dimension is wrong for the same reason
		}
	case s.dense() && d.datatype != s.dims[0].datatype:
		report(c, 82, typ, typeName(d.datatype), typeName(s.dims[0].datatype))
	}
	if want := map[bool]uint64{false: 1, true: variableCells}[d.variable()]; d.num.Span != nil && d.num.Uint() != want {
		report(c, 83, d.num, d.num.Value, want, set(d.num, model.U(want), false))
	}
	if want := 2 * int64(filter.SizeOf(d.datatype)); d.size.Span != nil && !d.variable() && d.size.Int() != want {
		report(c, 84, d.size, d.size.Value, want)
	} else if d.variable() && d.size.Uint() != 0 {
		report(c, 84, d.size, d.size.Value, 0)
	}
	if d.null.Uint() > 1 {
		report(c, 88, d.null, d.null.Value, "0 or 1", set(d.null, model.U(1), true))
	}
	if d.variable() && d.extent.Span != nil {
		report(c, 90, d.null, 0, 1, d.dropExtent())
	}
	if d.low.Span == nil {
		return
	}
	low, high := d.low.Value, d.high.Value
	if filter.IsFloat(d.datatype) {
		for _, at := range []model.Node{d.low, d.high} {
			if f := at.Value.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
				report(c, 86, at, f, "a finite number")
				return
			}
		}
	}
	if compare(low, high) > 0 {
		swap := model.Fix{Label: "swap low and high", Edits: []model.Edit{model.SetValue(d.low.Span, high), model.SetValue(d.high.Span, low)}}
		report(c, 85, d.domain, low.String()+" to "+high.String(), "low <= high", swap)
		return
	}
	if d.extent.Span == nil {
		if s.cellOrder.Uint() != 4 && d.null.Uint() == 1 {
			report(c, 89, d.null, d.null.Value, "an extent", d.addExtent())
		}
		return
	}
	checkExtent(c, d, isInt, low, high)
}

func checkExtent(c *model.Cursor, d *dim, isInt bool, low, high model.Value) {
	extent := d.extent.Value
	if f := extent.Float(); !(f > 0) {
		report(c, 91, d.extent, extent, "more than 0")
		return
	}
	if !isInt {
		if extent.Float() > high.Float()-low.Float()+1 {
			report(c, 92, d.extent, extent, "at most "+filter.Text(high.Float()-low.Float()))
		}
		return
	}
	first, last := limitsOf(d.datatype)
	width, e := spread(low, high), extent.Uint()
	switch {
	case low.Equal(first) && high.Equal(last):
		report(c, 87, d.domain, low.String()+" to "+high.String(), "less than all of "+typeName(d.datatype), d.shrink(e))
	case width != math.MaxUint64 && e > width+1:
		report(c, 92, d.extent, extent, "at most "+filter.Text(width+1))
	default:
		tiles := width / e
		over, end := bits.Mul64(tiles, e)
		end, carry := bits.Add64(end, e-1, 0)
		last := model.U(math.MaxUint64) // the library counts in 64 bits of the same sign
		if filter.IsSigned(d.datatype) {
			last = model.I(math.MaxInt64)
		}
		if room := spread(low, last); over != 0 || carry != 0 || end > room {
			fix := d.shrink(width - (room/e*e - 1)) // the tiles that fit
			report(c, 93, d.extent, extent, "whole tiles from "+low.String()+" to at most "+last.String(), fix)
		}
	}
}

func checkAttr(c *model.Cursor, s *schemaInfo, a *attr) {
	size := uint64(filter.SizeOf(a.datatype))
	if size == 0 {
		report(c, 100, a.typ, a.datatype, "0 to 43")
		return
	}
	num := a.values()
	switch {
	case num == 0:
		report(c, 101, a.num, 0, "1 or more", set(a.num, model.U(1), false))
	case a.datatype == filter.Any && num != variableCells:
		report(c, 102, a.num, num, "variable", set(a.num, model.U(variableCells), false))
	}
	if a.fill.Span != nil && num > 0 {
		n := uint64(a.fill.Range.Len)
		fix := model.Fix{Label: "write the default fill value", Edits: []model.Edit{
			model.Splice{Range: a.fill.Range, With: model.Memory(fillOf(a.datatype, num)), Into: a.fill.Path()}}}
		switch {
		case n == 0:
			report(c, 103, a.fillSize, 0, "1 or more", fix)
		case num != variableCells && n != size*uint64(num):
			report(c, 104, a.fillSize, n, size*uint64(num), fix)
		case num == variableCells && n%size != 0:
			report(c, 105, a.fillSize, n, "a multiple of "+filter.Text(size), fix)
		}
	}
	if a.order.Uint() == 0 || a.order.Uint() > 2 {
		return
	}
	if !s.dense() || len(s.dims) != 1 || a.nullable() || !dimType(a.datatype) {
		report(c, 109, a.order, dataOrders[a.order.Uint()], "UNORDERED", set(a.order, model.U(0), false))
	} else if want := map[bool]uint32{false: 1, true: variableCells}[a.datatype == filter.Ascii]; num != want {
		report(c, 110, a.num, num, want)
	}
}
