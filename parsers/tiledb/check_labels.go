package tiledb

import (
	"math"
	"strings"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// checkMap checks the enumeration map; used holds the names that attributes refer to.
func checkMap(c *model.Cursor, s *schemaInfo, used map[string]bool) {
	names, files := map[string]bool{}, map[string]bool{}
	for _, e := range s.enums {
		name, file := e.name.Text(), e.file.Text()
		switch {
		case name == "" || names[name]:
			c.Wrong(enumEntryBad, e.name, name, "a name of its own")
		case file == "" || files[file] || strings.Contains(file, "/"):
			c.Wrong(enumEntryBad, e.file, file, "a file name of its own")
		case !used[name]:
			c.Wrong(enumUnused, e.name, name, "an attribute that uses it")
		}
		names[name], files[file] = true, true
	}
}

func checkLabels(c *model.Cursor, s *schemaInfo) {
	for _, l := range s.labels {
		if n := uint64(len(s.dims)); l.dim.Uint() >= n {
			c.Wrong(labelDimMissing, l.dim, l.dim.Value, "less than "+filter.Text(n))
		}
		if o := l.order.Uint(); o != 1 && o != 2 {
			c.Wrong(badLabelOrder, l.order, l.order.Value, "INCREASING or DECREASING")
		}
		for _, at := range []model.Node{l.name, l.uri, l.attr} {
			if at.Text() == "" {
				c.Wrong(labelEmpty, at, "nothing", "a text")
			}
		}
		typ := uint8(l.typ.Uint())
		if want := map[bool]uint64{false: 1, true: variableCells}[typ == filter.Ascii]; !dimType(typ) {
			c.Wrong(labelTypeRefused, l.typ, typeName(typ), "a type for dimensions")
		} else if l.num.Uint() != want {
			c.Wrong(labelTypeRefused, l.num, l.num.Value, model.U(want), model.Doubtful)
		}
		if l.external.Uint() == 0 && l.relative.Uint() == 0 {
			c.Wrong(labelAbsolute, l.relative, 0, model.U(1))
		}
	}
}

func checkCurrent(c *model.Cursor, s *schemaInfo) {
	for i, r := range s.current.ranges {
		d := &s.dims[i]
		low, high := r.ends()
		if r.data.Span == nil && r.low.Span == nil {
			continue // of a type that dimensions cannot have
		}
		if r.data.Span != nil {
			if r.start.Uint() > r.size.Uint() || low.Text() > high.Text() {
				c.Wrong(currentSizes, r.start, r.start.Value, "the bytes of the low end, not above the high end")
			}
			continue
		}
		if math.IsNaN(low.Float()) || math.IsNaN(high.Float()) || compare(low, high) > 0 {
			c.Wrong(currentRange, r.self, low.String()+" to "+high.String(), "low <= high", swapped(r.low, r.high))
			continue
		}
		if d.low.Span == nil {
			continue
		}
		var clip []setting
		if compare(low, d.low.Value) < 0 {
			clip = append(clip, setting{r.low, d.low.Value})
		}
		if compare(high, d.high.Value) > 0 {
			clip = append(clip, setting{r.high, d.high.Value})
		}
		if len(clip) > 0 {
			c.Wrong(currentOutside, r.self, low.String()+" to "+high.String(), d.low.Value.String()+" to "+d.high.Value.String(),
				settings("clip to the domain", clip...))
		}
	}
}
