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
		Read: model.RowsOf(int64(len(changes)), func(_ context.Context, i int64) (model.Row, error) {
			x := changes[i]
			after := model.Cell{Value: model.S(x.after)}
			if x.at.Span != nil {
				after.Range = x.at.Range
			}
			return model.Row{{Value: model.S(x.schema)}, {Value: model.S(x.what)}, {Value: model.S(x.field)},
				{Value: model.S(x.before)}, after}, nil
		})}
}

// fact is a part of a schema as a name and a text, for comparison.
type fact struct {
	name string
	at   model.Node
	text string
}

// compareSchemas lists what differs: fields of the schema itself, then dimensions, attributes, labels, enumerations.
func compareSchemas(old, s *schema.Schema) (out []change) {
	for _, of := range []struct {
		what  string
		facts func(*schema.Schema) []fact
	}{{"schema", schemaFacts}, {"dimension", dimFacts}, {"attribute", attrFacts}, {"label", labelFacts}, {"enumeration", enumFacts}, {"current domain", currentFacts}} {
		was, is := of.facts(old), of.facts(s)
		before, after := byName(was), byName(is)
		for _, a := range was {
			if b, ok := after[a.name]; !ok {
				out = append(out, change{s.File, of.what + " dropped", a.name, a.text, "", model.Node{}})
			} else if a.text != b.text {
				out = append(out, change{s.File, of.what + " changed", a.name, a.text, b.text, b.at})
			}
		}
		for _, b := range is {
			if _, ok := before[b.name]; !ok {
				out = append(out, change{s.File, of.what + " added", b.name, "", b.text, b.at})
			}
		}
	}
	return out
}

func byName(list []fact) map[string]fact {
	out := map[string]fact{}
	for _, f := range list {
		out[f.name] = f
	}
	return out
}

func schemaFacts(s *schema.Schema) (out []fact) {
	for _, n := range []model.Node{s.VersionAt, s.Dups, s.Array, s.TileOrder, s.CellOrder, s.Capacity} {
		if n.Span != nil {
			out = append(out, fact{n.Span.Name(), n, cellAt(n).String()})
		}
	}
	return append(out, fact{"coords_filters", s.Coords.Node, pipeText(s.Coords.List)}, fact{"offsets_filters", s.Offsets.Node, pipeText(s.Offsets.List)},
		fact{"validity_filters", s.Validity.Node, pipeText(s.Validity.List)})
}

func dimFacts(s *schema.Schema) (out []fact) {
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
		out = append(out, fact{d.Name.Text(), d.Self, text + " filters " + pipeText(filters)})
	}
	return out
}

func attrFacts(s *schema.Schema) (out []fact) {
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
		out = append(out, fact{a.Name.Text(), a.Self, text + " filters " + pipeText(a.Filters.List)})
	}
	return out
}

func labelFacts(s *schema.Schema) (out []fact) {
	for _, l := range s.Labels {
		out = append(out, fact{l.Name.Text(), l.Self, fmt.Sprintf("dimension %d at %s", l.Dim.Uint(), l.Uri.Text())})
	}
	return out
}

func enumFacts(s *schema.Schema) (out []fact) {
	for _, e := range s.Enums {
		out = append(out, fact{e.Name.Text(), e.Self, e.File.Text()})
	}
	return out
}

func currentFacts(s *schema.Schema) (out []fact) {
	for i := range s.Current.Ranges {
		r := &s.Current.Ranges[i]
		low, high := r.Ends()
		out = append(out, fact{s.Dims[i].Name.Text(), r.Self, low.String() + " to " + high.String()})
	}
	return out
}
