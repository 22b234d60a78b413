package schema

import (
	"math"
	"strings"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/rule"
	"spandrel/parsers/tiledb/storage"
)

// checkMap checks the enumeration map; used contains the names that attributes refer to.
func checkMap(c *model.Cursor, s *Schema, used map[string]bool) {
	names, files := map[string]bool{}, map[string]bool{}
	for _, e := range s.Enums {
		name, file := e.Name.Text(), e.File.Text()
		switch {
		case name == "" || names[name]:
			c.Wrong(rule.EnumEntryBad, e.Name, name, "a name of its own")
		case file == "" || files[file] || strings.Contains(file, "/"):
			c.Wrong(rule.EnumEntryBad, e.File, file, "a file name of its own")
		case !used[name]:
			c.Wrong(rule.EnumUnused, e.Name, name, "an attribute that uses it")
		}
		names[name], files[file] = true, true
	}
}

func checkLabels(c *model.Cursor, s *Schema) {
	for _, l := range s.Labels {
		checkLabel(c, l, uint64(len(s.Dims)))
	}
}

func checkLabel(c *model.Cursor, l Label, dims uint64) {
	if l.Dim.Uint() >= dims {
		c.Wrong(rule.LabelDimMissing, l.Dim, l.Dim.Value, "less than "+filter.Text(dims))
	}
	if o := l.Order.Uint(); o != 1 && o != 2 {
		c.Wrong(rule.BadLabelOrder, l.Order, l.Order.Value, "INCREASING or DECREASING")
	}
	for _, at := range []model.Node{l.Name, l.Uri, l.Attr} {
		if at.Text() == "" {
			c.Wrong(rule.LabelEmpty, at, "nothing", "a text")
		}
	}
	typ := uint8(l.Typ.Uint())
	switch want := uint64(valuesOf(typ)); {
	case !dimType(typ):
		c.Wrong(rule.LabelTypeRefused, l.Typ, storage.TypeName(typ), "a type for dimensions")
	case l.Num.Uint() != want:
		c.Wrong(rule.LabelTypeRefused, l.Num, l.Num.Value, model.U(want), model.Doubtful)
	}
	if l.external.Uint() == 0 && l.Relative.Uint() == 0 {
		c.Wrong(rule.LabelAbsolute, l.Relative, 0, model.U(1))
	}
}

func checkCurrent(c *model.Cursor, s *Schema) {
	for i, r := range s.Current.Ranges {
		low, high := r.Ends()
		switch {
		case r.data.Span != nil:
			if r.start.Uint() > r.size.Uint() || low.Text() > high.Text() {
				c.Wrong(rule.CurrentSizes, r.start, r.start.Value, "the bytes of the low end, not above the high end")
			}
		case r.Low.Span == nil: // a type that dimensions cannot have
		case math.IsNaN(low.Float()) || math.IsNaN(high.Float()) || storage.Compare(low, high) > 0:
			c.Wrong(rule.CurrentRange, r.Self, low.String()+" to "+high.String(), "low <= high")
		default:
			checkInside(c, &s.Dims[i], r)
		}
	}
}

// checkInside reports where a range of the current domain extends beyond the dimension.
func checkInside(c *model.Cursor, d *Dimension, r Interval) {
	if d.Low.Span == nil {
		return
	}
	low, high := r.Ends()
	if storage.Compare(low, d.Low.Value) < 0 || storage.Compare(high, d.High.Value) > 0 {
		c.Wrong(rule.CurrentOutside, r.Self, low.String()+" to "+high.String(), d.Low.Value.String()+" to "+d.High.Value.String())
	}
}
