package parsers

import (
	"context"
	"fmt"

	"spandrel/model"
)

// Repairs of schemas that take more than one value (part 4, column fix). Counts follow by their links.

// tdbSet is the fix that writes a value. It is safe when it is the only answer there can be.
func tdbSet(at model.Node, v model.Value, safe bool) model.Fix {
	if at.Span == nil {
		return model.Fix{}
	}
	f := model.SetTo(at.Span, v)
	f.Safe = safe
	return f
}

// setSize is the fix that writes the size of a tile, where its chunks hold as much as their headers say.
func (a *tdbArray) setSize(g *tdbTile, total int64) model.Fix {
	f := tdbSet(g.size, model.I(total), true)
	edits := f.Edits
	f.Build = func(t *model.Tree) ([]model.Edit, error) {
		ctx := context.Background()
		in, err := t.Bytes(ctx, g.tile.Range)
		if err != nil {
			return nil, err
		}
		out, _, err := tdbUnfilterTile(ctx, g.filters, g.bytes(), a.d.key(), in, tdbMostPayload)
		if err == nil && int64(len(out)) != total {
			err = fmt.Errorf("the chunks hold %d bytes", len(out))
		}
		return edits, err
	}
	return f
}

// tdbDrop is the fix that deletes an element of a list.
func tdbDrop(label string, at model.Node) model.Fix {
	return model.Fix{Label: label, Edits: []model.Edit{model.Replace(at.Range, nil)}}
}

// tdbInsert is the edit that puts bytes at an offset of a frame, as so many elements of its list.
func tdbInsert(into model.Node, off int64, with []byte, elements int64) model.Edit {
	e := model.Replace(model.Range{Space: into.Range.Space, Off: off}, with)
	e.Into, e.Elements = into.Path(), elements
	return e
}

// moveFirst is the fix that puts filter i in front of the others.
func (p *tdbPipe) moveFirst(i int) model.Fix {
	return model.Fix{Label: "move the filter to the front", Build: func(t *model.Tree) ([]model.Edit, error) {
		b, err := t.Bytes(context.Background(), p.at[i].self.Range)
		if err != nil {
			return nil, err
		}
		return []model.Edit{tdbInsert(p.filters, p.at[0].self.Range.Off, b, 1), model.Replace(p.at[i].self.Range, nil)}, nil
	}}
}

// fill is the fix that gives an empty pipeline filters.
func (p *tdbPipe) fill(label string, list []tdbFilter, version uint32) model.Fix {
	b := tdbAppendPipe(nil, list, version)[8:]
	return model.Fix{Label: label, Edits: []model.Edit{model.SetValue(p.count.Span, model.U(uint64(len(list)))), tdbInsert(p.Node, p.count.Range.End(), b, 0)}}
}

// shrink is the fix that lowers the high end of the domain by n.
func (d *tdbDim) shrink(n uint64) model.Fix {
	v := model.U(d.high.Uint() - n)
	if tdbIsSigned(d.datatype) {
		v = model.I(d.high.Int() - int64(n))
	}
	return tdbSet(d.high, v, false)
}

// addExtent is the fix that makes one tile of the whole domain.
func (d *tdbDim) addExtent() model.Fix {
	var width model.Value
	switch {
	case tdbIsFloat(d.datatype):
		width = model.F(d.high.Value.Float() - d.low.Value.Float())
	case tdbIsSigned(d.datatype):
		width = model.I(d.high.Int() - d.low.Int() + 1)
	default:
		width = model.U(d.high.Uint() - d.low.Uint() + 1)
	}
	b, err := tdbCodec(d.datatype).Encode(width)
	if err != nil {
		return model.Fix{}
	}
	return model.Fix{Label: "one tile of the whole domain", Edits: []model.Edit{model.SetValue(d.null.Span, model.U(0)), tdbInsert(d.self, d.null.Range.End(), b, 0)}}
}

// dropExtent is the fix that takes the extent away.
func (d *tdbDim) dropExtent() model.Fix {
	return model.Fix{Label: "drop the extent", Edits: []model.Edit{model.SetValue(d.null.Span, model.U(1)), model.Replace(d.extent.Range, nil)}}
}

// clearEntry is the fix that takes an enumeration out of the map, and out of the attributes that name it.
func (s *tdbSchema) clearEntry(e tdbEnumRef) model.Fix {
	f := tdbDrop("take the enumeration out of the schema", e.self)
	for i := range s.attrs {
		if s.attrs[i].enum.Text() == e.name.Text() {
			f.Edits = append(f.Edits, model.SetValue(s.attrs[i].enum.Span, model.S("")))
		}
	}
	return f
}
