package tiledb

import (
	"context"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
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
	var last *schema.Schema
	for _, name := range a.schemas.Order {
		s := a.schemas.Schema(ctx, name)
		if s == nil {
			continue
		}
		if last != nil {
			changes = append(changes, compareSchemas(last, s)...)
		}
		last = s
	}
	return model.Table{Name: "evolution", Aside: true, Layout: true, Title: "Evolution", Doc: "what changed from each schema to the next", Rows: int64(len(changes)),
		Columns: model.Columns("schema utf8, what utf8, field utf8, before utf8, after utf8"),
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
func compareSchemas(old, s *schema.Schema) (out []change) {
	compare := func(what string, x, y facts) {
		for _, name := range x.order {
			a := x.facts[name]
			if b, ok := y.facts[name]; !ok {
				out = append(out, change{s.File, what + " dropped", name, a.text, "", model.Node{}})
			} else if a.text != b.text {
				out = append(out, change{s.File, what + " changed", name, a.text, b.text, b.at})
			}
		}
		for _, name := range y.order {
			if b := y.facts[name]; x.facts[name] == (fact{}) {
				out = append(out, change{s.File, what + " added", name, "", b.text, b.at})
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

func schemaFacts(s *schema.Schema) (f facts) {
	f.node("version", s.VersionAt)
	f.node("allows_dups", s.Dups)
	f.node("array_type", s.Array)
	f.node("tile_order", s.TileOrder)
	f.node("cell_order", s.CellOrder)
	f.node("capacity", s.Capacity)
	f.add("coords_filters", s.Coords.Node, pipeText(s.Coords.List))
	f.add("offsets_filters", s.Offsets.Node, pipeText(s.Offsets.List))
	f.add("validity_filters", s.Validity.Node, pipeText(s.Validity.List))
	return f
}

func dimFacts(s *schema.Schema) (f facts) {
	for i := range s.Dims {
		d := &s.Dims[i]
		text := storage.TypeName(d.Datatype)
		if d.Low.Span != nil {
			text += fmt.Sprintf(" %s to %s", d.Low.Value, d.High.Value)
		}
		if d.Extent.Span != nil {
			text += fmt.Sprintf(" by %s", d.Extent.Value)
		}
		filters := d.Filters.List
		if len(filters) == 0 { // evolution writes inherited filters out
			filters = s.Coords.List
		}
		f.add(d.Name.Text(), d.Self, text+" filters "+pipeText(filters))
	}
	return f
}

func attrFacts(s *schema.Schema) (f facts) {
	for i := range s.Attrs {
		a := &s.Attrs[i]
		text := storage.TypeName(a.Datatype)
		if a.Variable() {
			text += " variable"
		} else if a.Values() != 1 {
			text += fmt.Sprintf(" x %d", a.Values())
		}
		if a.Nullable() {
			text += " nullable"
		}
		if e := a.Enum.Text(); e != "" {
			text += " enumeration " + e
		}
		f.add(a.Name.Text(), a.Self, text+" filters "+pipeText(a.Filters.List))
	}
	return f
}

func labelFacts(s *schema.Schema) (f facts) {
	for _, l := range s.Labels {
		f.add(l.Name.Text(), l.Self, fmt.Sprintf("dimension %d at %s", l.Dim.Uint(), l.Uri.Text()))
	}
	return f
}

func enumFacts(s *schema.Schema) (f facts) {
	for _, e := range s.Enums {
		f.add(e.Name.Text(), e.Self, e.File.Text())
	}
	return f
}

func currentFacts(s *schema.Schema) (f facts) {
	for i := range s.Current.Ranges {
		r := &s.Current.Ranges[i]
		low, high := r.Ends()
		f.add(s.Dims[i].Name.Text(), r.Self, low.String()+" to "+high.String())
	}
	return f
}
