package tiledb

import (
	"context"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// Repairs of schemas that take more than one value (part 4, column fix). Counts follow by their links.

// set is the fix that writes a value. It is safe when it is the only answer there can be.
func set(at model.Node, v model.Value, safe bool) model.Fix {
	if at.Span == nil {
		return model.Fix{}
	}
	f := model.SetTo(at.Span, v)
	f.Safe = safe
	return f
}

// setSize is the fix that writes the size of a tile, where its chunks hold as much as their headers say.
func (a *array) setSize(g *genericTile, total int64) model.Fix {
	f := set(g.size, model.I(total), true)
	edits := f.Edits
	f.Build = func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		in, err := t.Bytes(ctx, g.tile.Range)
		if err != nil {
			return nil, err
		}
		out, _, err := filter.UnfilterTile(ctx, g.filters, g.bytes(), a.d.key(), in, mostPayload)
		if err == nil && int64(len(out)) != total {
			err = fmt.Errorf("the chunks hold %d bytes", len(out))
		}
		return edits, err
	}
	return f
}

// drop is the fix that deletes an element of a list.
func drop(label string, at model.Node) model.Fix {
	return model.Fix{Label: label, Edits: []model.Edit{model.Replace(at.Range, nil)}}
}

// insert is the edit that puts bytes at an offset of a frame, as so many elements of its list.
func insert(into model.Node, off int64, with []byte, elements int64) model.Edit {
	e := model.Replace(model.Range{Space: into.Range.Space, Off: off}, with)
	e.Into, e.Elements = into.Path(), elements
	return e
}

// moveFirst is the fix that puts filter i in front of the others.
func (p *pipe) moveFirst(i int) model.Fix {
	return model.Fix{Label: "move the filter to the front", Build: func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		b, err := t.Bytes(context.Background(), p.at[i].self.Range)
		if err != nil {
			return nil, err
		}
		return []model.Edit{insert(p.filters, p.at[0].self.Range.Off, b, 1), model.Replace(p.at[i].self.Range, nil)}, nil
	}}
}

// fill is the fix that gives an empty pipeline filters.
func (p *pipe) fill(label string, list []filter.Filter, version uint32) model.Fix {
	b := appendPipe(nil, list, version)[8:]
	return model.Fix{Label: label, Edits: []model.Edit{model.SetValue(p.count.Span, model.U(uint64(len(list)))), insert(p.Node, p.count.Range.End(), b, 0)}}
}

// shrink is the fix that lowers the high end of the domain by n.
func (d *dim) shrink(n uint64) model.Fix {
	v := model.U(d.high.Uint() - n)
	if filter.IsSigned(d.datatype) {
		v = model.I(d.high.Int() - int64(n))
	}
	return set(d.high, v, false)
}

// addExtent is the fix that makes one tile of the whole domain.
func (d *dim) addExtent() model.Fix {
	var width model.Value
	switch {
	case filter.IsFloat(d.datatype):
		width = model.F(d.high.Value.Float() - d.low.Value.Float())
	case filter.IsSigned(d.datatype):
		width = model.I(d.high.Int() - d.low.Int() + 1)
	default:
		width = model.U(d.high.Uint() - d.low.Uint() + 1)
	}
	b, err := codecOf(d.datatype).Encode(width)
	if err != nil {
		return model.Fix{}
	}
	return model.Fix{Label: "one tile of the whole domain", Edits: []model.Edit{model.SetValue(d.null.Span, model.U(0)), insert(d.self, d.null.Range.End(), b, 0)}}
}

// dropExtent is the fix that takes the extent away.
func (d *dim) dropExtent() model.Fix {
	return model.Fix{Label: "drop the extent", Edits: []model.Edit{model.SetValue(d.null.Span, model.U(1)), model.Replace(d.extent.Range, nil)}}
}

// clearEntry is the fix that takes an enumeration out of the map, and out of the attributes that name it.
func (s *schemaInfo) clearEntry(e enumRef) model.Fix {
	f := drop("take the enumeration out of the schema", e.self)
	for i := range s.attrs {
		if s.attrs[i].enum.Text() == e.name.Text() {
			f.Edits = append(f.Edits, model.SetValue(s.attrs[i].enum.Span, model.S("")))
		}
	}
	return f
}
