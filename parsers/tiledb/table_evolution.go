package tiledb

import (
	"context"
	"fmt"

	"spandrel/model"
)

// change is one difference between two schemas that follow each other.
type change struct {
	schema, what, field string
	before, after       string
	at                  model.Node
}

// evolution is the table of what changed from each schema to the next.
func evolutionTable(ctx context.Context, a *array) model.Table {
	var changes []change
	var last *schemaInfo
	for _, name := range a.schemas.order {
		s := a.schemas.schema(ctx, name)
		if s == nil {
			continue
		}
		if last != nil {
			changes = append(changes, compareSchemas(last, s)...)
		}
		last = s
	}
	return model.Table{Name: "evolution", Aside: true, Layout: true, Title: "Evolution", Doc: "what changed from each schema to the next", Rows: int64(len(changes)),
		Columns: columns("schema:utf8", "what:utf8", "field:utf8", "before:utf8", "after:utf8"),
		Read: rows(len(changes), func(i int64) model.Row {
			x := changes[i]
			after := model.Cell{Value: model.S(x.after)}
			if x.at.Span != nil {
				after.Range = x.at.Range
			}
			return model.Row{{Value: model.S(x.schema)}, {Value: model.S(x.what)}, {Value: model.S(x.field)},
				{Value: model.S(x.before)}, after}
		})}
}

// facts is a part of a schema as names and texts, for comparison.
type facts struct {
	order []string
	facts map[string]fact
}

type fact struct {
	text string
	at   model.Node
}

func (f *facts) add(name string, at model.Node, text string) {
	if f.facts == nil {
		f.facts = map[string]fact{}
	}
	f.order = append(f.order, name)
	f.facts[name] = fact{text, at}
}

func (f *facts) node(name string, at model.Node) {
	if at.Span != nil {
		f.add(name, at, cellAt(at).String())
	}
}

// compareSchemas lists what differs: fields of the schema itself, then dimensions, attributes, labels, enumerations.
func compareSchemas(old, s *schemaInfo) (out []change) {
	compare := func(what string, x, y facts) {
		for _, name := range x.order {
			a := x.facts[name]
			if b, ok := y.facts[name]; !ok {
				out = append(out, change{s.file, what + " dropped", name, a.text, "", model.Node{}})
			} else if a.text != b.text {
				out = append(out, change{s.file, what + " changed", name, a.text, b.text, b.at})
			}
		}
		for _, name := range y.order {
			if b := y.facts[name]; x.facts[name] == (fact{}) {
				out = append(out, change{s.file, what + " added", name, "", b.text, b.at})
			}
		}
	}
	compare("schema", schemaFacts(old), schemaFacts(s))
	compare("dimension", dimFacts(old), dimFacts(s))
	compare("attribute", attrFacts(old), attrFacts(s))
	compare("label", labelFacts(old), labelFacts(s))
	compare("enumeration", enumFacts(old), enumFacts(s))
	compare("current domain", currentFacts(old), currentFacts(s))
	return out
}

func schemaFacts(s *schemaInfo) (f facts) {
	f.node("version", s.versionAt)
	f.node("allows_dups", s.dups)
	f.node("array_type", s.array)
	f.node("tile_order", s.tileOrder)
	f.node("cell_order", s.cellOrder)
	f.node("capacity", s.capacity)
	f.add("coords_filters", s.coords.Node, pipeText(s.coords.list))
	f.add("offsets_filters", s.offsets.Node, pipeText(s.offsets.list))
	f.add("validity_filters", s.validity.Node, pipeText(s.validity.list))
	return f
}

func dimFacts(s *schemaInfo) (f facts) {
	for i := range s.dims {
		d := &s.dims[i]
		text := typeName(d.datatype)
		if d.low.Span != nil {
			text += fmt.Sprintf(" %s to %s", d.low.Value, d.high.Value)
		}
		if d.extent.Span != nil {
			text += fmt.Sprintf(" by %s", d.extent.Value)
		}
		filters := d.filters.list
		if len(filters) == 0 { // evolution writes inherited filters out
			filters = s.coords.list
		}
		f.add(d.name.Text(), d.self, text+" filters "+pipeText(filters))
	}
	return f
}

func attrFacts(s *schemaInfo) (f facts) {
	for i := range s.attrs {
		a := &s.attrs[i]
		text := typeName(a.datatype)
		if a.variable() {
			text += " variable"
		} else if a.values() != 1 {
			text += fmt.Sprintf(" x %d", a.values())
		}
		if a.nullable() {
			text += " nullable"
		}
		if e := a.enum.Text(); e != "" {
			text += " enumeration " + e
		}
		f.add(a.name.Text(), a.self, text+" filters "+pipeText(a.filters.list))
	}
	return f
}

func labelFacts(s *schemaInfo) (f facts) {
	for _, l := range s.labels {
		f.add(l.name.Text(), l.self, fmt.Sprintf("dimension %d at %s", l.dim.Uint(), l.uri.Text()))
	}
	return f
}

func enumFacts(s *schemaInfo) (f facts) {
	for _, e := range s.enums {
		f.add(e.name.Text(), e.self, e.file.Text())
	}
	return f
}

func currentFacts(s *schemaInfo) (f facts) {
	for i := range s.current.ranges {
		r := &s.current.ranges[i]
		low, high := r.ends()
		f.add(s.dims[i].name.Text(), r.self, low.String()+" to "+high.String())
	}
	return f
}
