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
			report(c, 130, e.name, name, "a name of its own")
		case file == "" || files[file] || strings.Contains(file, "/"):
			report(c, 130, e.file, file, "a file name of its own")
		case !used[name]:
			report(c, 139, e.name, name, "an attribute that uses it")
		}
		names[name], files[file] = true, true
	}
}

func checkLabels(c *model.Cursor, s *schemaInfo) {
	for _, l := range s.labels {
		if n := uint64(len(s.dims)); l.dim.Uint() >= n {
			report(c, 120, l.dim, l.dim.Value, "less than "+filter.Text(n))
		}
		if o := l.order.Uint(); o != 1 && o != 2 {
			report(c, 121, l.order, l.order.Value, "INCREASING or DECREASING")
		}
		for _, at := range []model.Node{l.name, l.uri, l.attr} {
			if at.Text() == "" {
				report(c, 122, at, "nothing", "a text")
			}
		}
		typ := uint8(l.typ.Uint())
		if want := map[bool]uint64{false: 1, true: variableCells}[typ == filter.Ascii]; !dimType(typ) {
			report(c, 123, l.typ, typeName(typ), "a type for dimensions")
		} else if l.num.Uint() != want {
			report(c, 123, l.num, l.num.Value, want, set(l.num, model.U(want), false))
		}
		if l.external.Uint() == 0 && l.relative.Uint() == 0 {
			report(c, 124, l.relative, 0, 1, set(l.relative, model.U(1), true))
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
				report(c, 149, r.start, r.start.Value, "the bytes of the low end, not above the high end")
			}
			continue
		}
		if math.IsNaN(low.Float()) || math.IsNaN(high.Float()) || compare(low, high) > 0 {
			report(c, 148, r.self, low.String()+" to "+high.String(), "low <= high",
				model.Fix{Label: "swap low and high", Edits: []model.Edit{model.SetValue(r.low.Span, high), model.SetValue(r.high.Span, low)}})
			continue
		}
		if d.low.Span == nil {
			continue
		}
		var clip []model.Edit
		if compare(low, d.low.Value) < 0 {
			clip = append(clip, model.SetValue(r.low.Span, d.low.Value))
		}
		if compare(high, d.high.Value) > 0 {
			clip = append(clip, model.SetValue(r.high.Span, d.high.Value))
		}
		if len(clip) > 0 {
			report(c, 150, r.self, low.String()+" to "+high.String(), d.low.Value.String()+" to "+d.high.Value.String(), model.Fix{Label: "clip to the domain", Edits: clip})
		}
	}
}
