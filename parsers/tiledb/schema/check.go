package schema

import (
	"math"
	"math/bits"
	"strings"
	"unicode/utf8"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/rule"
	"spandrel/parsers/tiledb/storage"
)

// Check compares the fields of a complete schema with each other (4.2 to 4.6).
func Check(c *model.Cursor, s *Schema) {
	checkLayout(c, s)
	checkNames(c, s)
	checkDims(c, s)
	checkInherited(c, s)
	checkPipe(c, &s.Offsets, pipeUse{datatype: filter.Uint64, num: 1})
	checkPipe(c, &s.Validity, pipeUse{datatype: filter.Uint8, num: 1})
	checkMap(c, s, checkAttrs(c, s))
	checkLabels(c, s)
	checkCurrent(c, s)
}

// checkLayout checks the orders and the capacity, and that there are fields.
func checkLayout(c *model.Cursor, s *Schema) {
	dense := s.Dense()
	if dense && s.Dups.Uint() == 1 {
		c.Wrong(rule.DenseDups, s.Dups, 1, model.U(0))
	}
	switch order := s.CellOrder.Uint(); {
	case order == globalOrder || order == unordered:
		c.Wrong(rule.UselessCellOrder, s.CellOrder, layouts[order], "ROW_MAJOR, COL_MAJOR or HILBERT")
	case order == Hilbert && dense:
		c.Wrong(rule.DenseHilbert, s.CellOrder, "HILBERT", "ROW_MAJOR or COL_MAJOR", storage.Want(model.U(0)), model.Doubtful)
	case order == Hilbert && len(s.Dims) > 16:
		c.Wrong(rule.HilbertDims, s.CellOrder, filter.Text(len(s.Dims))+" dimensions", "at most 16")
	}
	switch n := s.Capacity.Uint(); {
	case n == 0 && !dense:
		c.Wrong(rule.NoCapacity, s.Capacity, 0, "1 or more", storage.Want(model.U(10000)), model.Doubtful)
	case n >= 1<<40:
		c.Wrong(rule.HugeCapacity, s.Capacity, n, "less than 2^40")
	}
	if len(s.Dims) == 0 {
		c.Wrong(rule.NoDimension, s.DimCount, 0, "1 or more")
	}
	if dense && len(s.Attrs) == 0 {
		c.Wrong(rule.NoAttribute, s.AttrCount, 0, "1 or more")
	}
}

// checkDims checks the dimensions, and that their tile is not too large.
func checkDims(c *model.Cursor, s *Schema) {
	cells := uint64(1)
	for i := range s.Dims {
		d := &s.Dims[i]
		checkDim(c, s, d)
		if d.Extent.Span != nil && s.Dense() && storage.IsNumber(d.Datatype) && d.Extent.Value.Float() > 0 {
			var fits bool
			if cells, fits = model.Times(cells, d.Extent.Uint(), math.MaxInt64); !fits {
				c.Wrong(rule.HugeTile, d.Extent, d.Extent.Value, "fewer than 2^63 cells in a tile")
				cells = 0
			}
		}
		checkPipe(c, &d.Filters, pipeUse{datatype: d.Datatype, num: uint32(d.Num.Uint())})
	}
}

// checkAttrs checks the attributes, and returns the enumerations that they use.
func checkAttrs(c *model.Cursor, s *Schema) (used map[string]bool) {
	enums := map[string]bool{}
	for _, e := range s.Enums {
		enums[e.Name.Text()] = true
	}
	used = map[string]bool{}
	for i := range s.Attrs {
		a := &s.Attrs[i]
		checkAttr(c, s, a)
		if name := a.Enum.Text(); name != "" {
			if used[name] = true; !enums[name] {
				c.Wrong(rule.EnumMissing, a.Enum, name, "a name of the enumeration map", storage.Want(model.S("")), model.Doubtful)
			}
			if !filter.IsInteger(a.Datatype) || a.Values() != 1 {
				c.Wrong(rule.EnumType, a.Typ, storage.TypeName(a.Datatype), "one integer")
			}
		}
		checkPipe(c, &a.Filters, pipeUse{a.Datatype, a.Values(), s.Dims, s.Dense(), true})
	}
	return used
}

func checkNames(c *model.Cursor, s *Schema) {
	seen := map[string]bool{}
	check := func(at model.Node, attr bool) {
		name := at.Text()
		if seen[name] {
			c.Wrong(rule.SameName, at, name, "a name of its own", storage.Want(model.S(name+"_2")), model.Doubtful)
		}
		seen[name] = true
		switch {
		case name == "" && attr && len(s.Attrs) == 1: // the anonymous attribute of tiledb.from_numpy
		case name == "":
			c.Wrong(rule.EmptyName, at, "nothing", "a name")
		case !utf8.ValidString(name) || strings.ContainsRune(name, 0):
			c.Wrong(rule.BadName, at, at.Value, "UTF-8 without NUL")
		case name == "__coords" || name == "__timestamps" || name == "__delete_timestamps" || name == "__delete_condition_index":
			c.Wrong(rule.OwnName, at, name, "another name", storage.Want(model.S(strings.TrimPrefix(name, "__"))), model.Doubtful)
		case attr && strings.HasPrefix(name, "__"):
			c.Wrong(rule.ReservedName, at, name, "another name", storage.Want(model.S(strings.TrimLeft(name, "_"))), model.Doubtful)
		}
	}
	for _, d := range s.Dims {
		check(d.Name, false)
	}
	for _, a := range s.Attrs {
		check(a.Name, true)
	}
	for _, l := range s.Labels {
		if l.Name.Text() != "" { // an empty one is TDB-122
			check(l.Name, false)
		}
	}
}

// dimType tells which datatypes dimensions, ordered attributes and labels may have.
func dimType(t uint8) bool { return storage.IsNumber(t) && t != filter.Bool || t == filter.Ascii }

func checkDim(c *model.Cursor, s *Schema, d *Dimension) {
	if !checkDimType(c, s, d) {
		return
	}
	if want := uint64(d.Values()); d.Num.Span != nil && d.Num.Uint() != want {
		more := []model.Detail{model.Doubtful}
		if s.Dense() { // it stores no coordinates
			more = append(more, model.Graded(model.Note))
		}
		c.Wrong(rule.CoordValues, d.Num, d.Num.Value, model.U(want), more...)
	}
	if want := 2 * int64(filter.SizeOf(d.Datatype)); d.size.Span != nil && !d.Variable() && d.size.Int() != want {
		c.Wrong(rule.DomainSize, d.size, d.size.Value, want)
	} else if d.Variable() && d.size.Uint() != 0 {
		c.Wrong(rule.DomainSize, d.size, d.size.Value, 0)
	}
	if d.Null.Uint() > 1 {
		c.Wrong(rule.BadNullExtent, d.Null, d.Null.Value, "0 or 1", storage.Want(model.U(1)))
	}
	if d.Variable() && d.Extent.Span != nil {
		c.Wrong(rule.StringExtent, d.Null, 0, 1)
	}
	if d.Low.Span != nil {
		checkDomain(c, s, d)
	}
}

// checkDimType checks the datatype of a dimension; false means that other problems would follow from it.
func checkDimType(c *model.Cursor, s *Schema, d *Dimension) bool {
	typ := d.Typ
	if typ.Span == nil {
		typ = s.DomainType
	}
	switch {
	case !dimType(d.Datatype):
		refused := rule.DimTypeRefused
		if s.Layout < 5 {
			refused = rule.OldDimType
		}
		c.Wrong(refused, typ, storage.TypeName(d.Datatype), "a number, date, time or STRING_ASCII")
		return false
	case s.Dense() && !d.whole():
		c.Wrong(rule.DenseDimType, typ, storage.TypeName(d.Datatype), "an integer, date or time")
		return !d.Variable()
	case s.Dense() && d.Datatype != s.Dims[0].Datatype:
		c.Wrong(rule.DenseDimsDiffer, typ, storage.TypeName(d.Datatype), storage.TypeName(s.Dims[0].Datatype))
	}
	return true
}

// whole tells whether the coordinates are integers, dates or times.
func (d *Dimension) whole() bool { return filter.IsInteger(d.Datatype) || filter.IsTime(d.Datatype) }

// checkDomain applies the rules about the domain of a dimension, and about its extent.
func checkDomain(c *model.Cursor, s *Schema, d *Dimension) {
	low, high := d.Low.Value, d.High.Value
	if filter.IsFloat(d.Datatype) {
		for _, at := range []model.Node{d.Low, d.High} {
			if f := at.Value.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
				c.Wrong(rule.DomainInfinite, at, f, "a finite number")
				return
			}
		}
	}
	if storage.Compare(low, high) > 0 {
		c.Wrong(rule.DomainEmpty, d.domain, low.String()+" to "+high.String(), "low <= high")
		return
	}
	if d.Extent.Span == nil {
		if s.CellOrder.Uint() != Hilbert && d.Null.Uint() == 1 {
			c.Wrong(rule.NoExtent, d.Null, d.Null.Value, "an extent")
		}
		return
	}
	checkExtent(c, d, low, high)
}

// checkExtent applies the rules about the extent of a dimension.
func checkExtent(c *model.Cursor, d *Dimension, low, high model.Value) {
	extent := d.Extent.Value
	if f := extent.Float(); !(f > 0) {
		c.Wrong(rule.ExtentNotPositive, d.Extent, extent, "more than 0")
		return
	}
	if !d.whole() {
		if extent.Float() > high.Float()-low.Float()+1 {
			c.Wrong(rule.ExtentTooLarge, d.Extent, extent, "at most "+filter.Text(high.Float()-low.Float()))
		}
		return
	}
	first, last := storage.LimitsOf(d.Datatype)
	width, e := storage.Spread(low, high), extent.Uint()
	switch {
	case low.Equal(first) && high.Equal(last):
		c.Wrong(rule.DomainWhole, d.domain, low.String()+" to "+high.String(), "less than all of "+storage.TypeName(d.Datatype))
	case width != math.MaxUint64 && e > width+1:
		c.Wrong(rule.ExtentTooLarge, d.Extent, extent, "at most "+filter.Text(width+1))
	default:
		tiles := width / e
		over, end := bits.Mul64(tiles, e)
		end, carry := bits.Add64(end, e-1, 0)
		last := model.U(math.MaxUint64) // the library counts in 64 bits of the same signedness
		if filter.IsSigned(d.Datatype) {
			last = model.I(math.MaxInt64)
		}
		if room := storage.Spread(low, last); over != 0 || carry != 0 || end > room {
			c.Wrong(rule.ExtentOverflow, d.Extent, extent, "whole tiles from "+low.String()+" to at most "+last.String())
		}
	}
}

func checkAttr(c *model.Cursor, s *Schema, a *Attribute) {
	size := uint64(filter.SizeOf(a.Datatype))
	if size == 0 {
		c.Wrong(rule.UnknownType, a.Typ, a.Datatype, "0 to 43")
		return
	}
	num := a.Values()
	switch {
	case num == 0:
		c.Wrong(rule.NoValues, a.Num, 0, "1 or more", storage.Want(model.U(1)), model.Doubtful)
	case a.Datatype == filter.Any && num != storage.VariableCells:
		c.Wrong(rule.FixedAny, a.Num, num, "variable", storage.Want(model.U(storage.VariableCells)), model.Doubtful)
	}
	if a.Fill.Span != nil && num > 0 {
		n := uint64(a.Fill.Range.Len)
		switch {
		case n == 0:
			c.Wrong(rule.NoFill, a.fillSize, 0, "1 or more")
		case num != storage.VariableCells && n != size*uint64(num):
			c.Wrong(rule.FillSize, a.fillSize, n, size*uint64(num))
		case num == storage.VariableCells && n%size != 0:
			c.Wrong(rule.FillValues, a.fillSize, n, "a multiple of "+filter.Text(size))
		}
	}
	if a.Order.Uint() == 0 || a.Order.Uint() > 2 {
		return
	}
	if !s.Dense() || len(s.Dims) != 1 || a.Nullable() || !dimType(a.Datatype) {
		c.Wrong(rule.OrderMisplaced, a.Order, dataOrders[a.Order.Uint()], "UNORDERED", storage.Want(model.U(0)), model.Doubtful)
	} else if want := valuesOf(a.Datatype); num != want {
		c.Wrong(rule.OrderedValues, a.Num, num, want)
	}
}

// CheckVersion checks the version of a generic tile in a file of its own; for a schema also against the schema's.
func CheckVersion(c *model.Cursor, at model.Node, s *Schema) {
	if at.Span == nil {
		return
	}
	own := s != nil && s.VersionAt.Span != nil && s.Version >= 1 && s.Version <= storage.VersionNewest
	var want model.Value
	if own {
		want = model.U(uint64(s.Version))
	}
	switch v := uint32(at.Uint()); {
	case v == storage.VersionTrial && (s == nil || s.Version != v): // the schema has reported it
		c.Wrong(rule.Experimental, at, "0xFFFFFFFF", "1 to 23")
	case v == storage.VersionTrial:
	case v < 1 || v > storage.VersionNewest:
		c.Wrong(rule.HeaderVersion, at, v, "1 to 23", storage.Want(want))
	case own && v != s.Version:
		c.Wrong(rule.HeaderDiffers, at, v, s.Version, storage.Want(want))
	}
}
