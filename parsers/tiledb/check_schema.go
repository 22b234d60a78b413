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
	checkLayout(c, s)
	checkNames(c, s)
	checkDims(c, s)
	checkInherited(c, s)
	checkPipe(c, &s.offsets, pipeUse{datatype: filter.Uint64, num: 1, version: s.layout})
	checkPipe(c, &s.validity, pipeUse{datatype: 6, num: 1, version: s.layout})
	checkMap(c, s, checkAttrs(c, s))
	checkLabels(c, s)
	checkCurrent(c, s)
}

// checkLayout checks the orders and the capacity, and that there are fields.
func checkLayout(c *model.Cursor, s *schemaInfo) {
	dense := s.dense()
	if dense && s.dups.Uint() == 1 {
		c.Wrong(denseDups, s.dups, 1, model.U(0))
	}
	switch order := s.cellOrder.Uint(); {
	case order == 2 || order == 3:
		c.Wrong(uselessCellOrder, s.cellOrder, layouts[order], "ROW_MAJOR, COL_MAJOR or HILBERT")
	case order == 4 && dense:
		c.Wrong(denseHilbert, s.cellOrder, "HILBERT", "ROW_MAJOR or COL_MAJOR", to(model.U(0)), model.Doubtful)
	case order == 4 && len(s.dims) > 16:
		c.Wrong(hilbertDims, s.cellOrder, filter.Text(len(s.dims))+" dimensions", "at most 16")
	}
	switch n := s.capacity.Uint(); {
	case n == 0 && !dense:
		c.Wrong(noCapacity, s.capacity, 0, "1 or more", to(model.U(10000)), model.Doubtful)
	case n >= 1<<40:
		c.Wrong(hugeCapacity, s.capacity, n, "less than 2^40")
	}
	if len(s.dims) == 0 {
		c.Wrong(noDimension, s.dimCount, 0, "1 or more")
	}
	if dense && len(s.attrs) == 0 {
		c.Wrong(noAttribute, s.attrCount, 0, "1 or more")
	}
}

// checkDims checks the dimensions, and that a tile of theirs is not too large.
func checkDims(c *model.Cursor, s *schemaInfo) {
	cells := uint64(1)
	for i := range s.dims {
		d := &s.dims[i]
		checkDim(c, s, d)
		if d.extent.Span != nil && s.dense() && isNumber(d.datatype) && d.extent.Value.Float() > 0 {
			if high, low := bits.Mul64(cells, d.extent.Uint()); high > 0 || low > math.MaxInt64 {
				c.Wrong(hugeTile, d.extent, d.extent.Value, "fewer than 2^63 cells in a tile")
				cells = 0
			} else {
				cells = low
			}
		}
		checkPipe(c, &d.filters, pipeUse{datatype: d.datatype, num: uint32(d.num.Uint()), version: s.layout})
	}
}

// checkAttrs checks the attributes, and returns the enumerations that they use.
func checkAttrs(c *model.Cursor, s *schemaInfo) (used map[string]bool) {
	enums := map[string]bool{}
	for _, e := range s.enums {
		enums[e.name.Text()] = true
	}
	used = map[string]bool{}
	for i := range s.attrs {
		a := &s.attrs[i]
		checkAttr(c, s, a)
		if name := a.enum.Text(); name != "" {
			if used[name] = true; !enums[name] {
				c.Wrong(enumMissing, a.enum, name, "a name of the enumeration map", to(model.S("")), model.Doubtful)
			}
			if !filter.IsInteger(a.datatype) || a.values() != 1 {
				c.Wrong(enumType, a.typ, typeName(a.datatype), "one integer")
			}
		}
		checkPipe(c, &a.filters, pipeUse{a.datatype, a.values(), s.layout, s.dims, s.dense(), true})
	}
	return used
}

func checkNames(c *model.Cursor, s *schemaInfo) {
	seen := map[string]bool{}
	check := func(at model.Node, attr bool) {
		name := at.Text()
		if seen[name] {
			c.Wrong(sameName, at, name, "a name of its own", to(model.S(name+"_2")), model.Doubtful)
		}
		seen[name] = true
		switch {
		case name == "" && attr && len(s.attrs) == 1: // the anonymous attribute of tiledb.from_numpy
		case name == "":
			c.Wrong(emptyName, at, "nothing", "a name")
		case !utf8.ValidString(name) || strings.ContainsRune(name, 0):
			c.Wrong(badName, at, at.Value, "UTF-8 without NUL")
		case name == "__coords" || name == "__timestamps" || name == "__delete_timestamps" || name == "__delete_condition_index":
			c.Wrong(ownName, at, name, "another name", to(model.S(strings.TrimPrefix(name, "__"))), model.Doubtful)
		case attr && strings.HasPrefix(name, "__"):
			c.Wrong(reservedName, at, name, "another name", to(model.S(strings.TrimLeft(name, "_"))), model.Doubtful)
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
		rule := dimTypeRefused
		if s.layout < 5 {
			rule = oldDimType
		}
		c.Wrong(rule, typ, typeName(d.datatype), "a number, date, time or STRING_ASCII")
		return
	case s.dense() && !isInt:
		c.Wrong(denseDimType, typ, typeName(d.datatype), "an integer, date or time")
		if d.variable() {
			return // the rest of a string dimension is wrong for the same reason
		}
	case s.dense() && d.datatype != s.dims[0].datatype:
		c.Wrong(denseDimsDiffer, typ, typeName(d.datatype), typeName(s.dims[0].datatype))
	}
	if want := map[bool]uint64{false: 1, true: variableCells}[d.variable()]; d.num.Span != nil && d.num.Uint() != want {
		more := []model.Detail{model.Doubtful}
		if s.dense() { // it stores no coordinates
			more = append(more, model.Graded(model.Note))
		}
		c.Wrong(coordValues, d.num, d.num.Value, model.U(want), more...)
	}
	if want := 2 * int64(filter.SizeOf(d.datatype)); d.size.Span != nil && !d.variable() && d.size.Int() != want {
		c.Wrong(domainSize, d.size, d.size.Value, want)
	} else if d.variable() && d.size.Uint() != 0 {
		c.Wrong(domainSize, d.size, d.size.Value, 0)
	}
	if d.null.Uint() > 1 {
		c.Wrong(badNullExtent, d.null, d.null.Value, "0 or 1", to(model.U(1)))
	}
	if d.variable() && d.extent.Span != nil {
		c.Wrong(stringExtent, d.null, 0, 1, model.About(d))
	}
	if d.low.Span == nil {
		return
	}
	low, high := d.low.Value, d.high.Value
	if filter.IsFloat(d.datatype) {
		for _, at := range []model.Node{d.low, d.high} {
			if f := at.Value.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
				c.Wrong(domainInfinite, at, f, "a finite number")
				return
			}
		}
	}
	if compare(low, high) > 0 {
		c.Wrong(domainEmpty, d.domain, low.String()+" to "+high.String(), "low <= high", swapped(d.low, d.high))
		return
	}
	if d.extent.Span == nil {
		if s.cellOrder.Uint() != 4 && d.null.Uint() == 1 {
			c.Wrong(noExtent, d.null, d.null.Value, "an extent", model.About(d))
		}
		return
	}
	checkExtent(c, d, isInt, low, high)
}

func checkExtent(c *model.Cursor, d *dim, isInt bool, low, high model.Value) {
	extent := d.extent.Value
	if f := extent.Float(); !(f > 0) {
		c.Wrong(extentNotPositive, d.extent, extent, "more than 0")
		return
	}
	if !isInt {
		if extent.Float() > high.Float()-low.Float()+1 {
			c.Wrong(extentTooLarge, d.extent, extent, "at most "+filter.Text(high.Float()-low.Float()))
		}
		return
	}
	first, last := limitsOf(d.datatype)
	width, e := spread(low, high), extent.Uint()
	switch {
	case low.Equal(first) && high.Equal(last):
		c.Wrong(domainWhole, d.domain, low.String()+" to "+high.String(), "less than all of "+typeName(d.datatype),
			settings("", setting{d.high, d.lowered(e)}))
	case width != math.MaxUint64 && e > width+1:
		c.Wrong(extentTooLarge, d.extent, extent, "at most "+filter.Text(width+1))
	default:
		tiles := width / e
		over, end := bits.Mul64(tiles, e)
		end, carry := bits.Add64(end, e-1, 0)
		last := model.U(math.MaxUint64) // the library counts in 64 bits of the same sign
		if filter.IsSigned(d.datatype) {
			last = model.I(math.MaxInt64)
		}
		if room := spread(low, last); over != 0 || carry != 0 || end > room {
			fits := d.lowered(width - (room/e*e - 1))
			c.Wrong(extentOverflow, d.extent, extent, "whole tiles from "+low.String()+" to at most "+last.String(),
				settings("", setting{d.high, fits}))
		}
	}
}

func checkAttr(c *model.Cursor, s *schemaInfo, a *attr) {
	size := uint64(filter.SizeOf(a.datatype))
	if size == 0 {
		c.Wrong(unknownType, a.typ, a.datatype, "0 to 43")
		return
	}
	num := a.values()
	switch {
	case num == 0:
		c.Wrong(noValues, a.num, 0, "1 or more", to(model.U(1)), model.Doubtful)
	case a.datatype == filter.Any && num != variableCells:
		c.Wrong(fixedAny, a.num, num, "variable", to(model.U(variableCells)), model.Doubtful)
	}
	if a.fill.Span != nil && num > 0 {
		n := uint64(a.fill.Range.Len)
		switch {
		case n == 0:
			c.Wrong(noFill, a.fillSize, 0, "1 or more", model.About(a))
		case num != variableCells && n != size*uint64(num):
			c.Wrong(fillSize, a.fillSize, n, size*uint64(num), model.About(a))
		case num == variableCells && n%size != 0:
			c.Wrong(fillValues, a.fillSize, n, "a multiple of "+filter.Text(size), model.About(a))
		}
	}
	if a.order.Uint() == 0 || a.order.Uint() > 2 {
		return
	}
	if !s.dense() || len(s.dims) != 1 || a.nullable() || !dimType(a.datatype) {
		c.Wrong(orderMisplaced, a.order, dataOrders[a.order.Uint()], "UNORDERED", to(model.U(0)), model.Doubtful)
	} else if want := map[bool]uint32{false: 1, true: variableCells}[a.datatype == filter.Ascii]; num != want {
		c.Wrong(orderedValues, a.num, num, want)
	}
}

// checkVersion checks the version of a generic tile that is a file of its own; of a schema also against the schema's.
func checkVersion(c *model.Cursor, at model.Node, s *schemaInfo) {
	if at.Span == nil {
		return
	}
	own := s != nil && s.versionAt.Span != nil && s.version >= 1 && s.version <= versionNewest
	var want model.Value
	if own {
		want = model.U(uint64(s.version))
	}
	switch v := uint32(at.Uint()); {
	case v == versionTrial && (s == nil || s.version != v): // the schema has said so
		c.Wrong(experimental, at, "0xFFFFFFFF", "1 to 23")
	case v == versionTrial:
	case v < 1 || v > versionNewest:
		c.Wrong(headerVersion, at, v, "1 to 23", to(want))
	case own && v != s.version:
		c.Wrong(headerDiffers, at, v, s.version, to(want))
	}
}
