package safetensors

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"spandrel/model"
)

// mostTables is of how many tensors the values are tables of their own; the others are reached through the list.
const mostTables = 2000

// metadataTable is the texts that the header has beside the tensors.
func metadataTable(ctx context.Context, t *model.Tree, f *file) model.Table {
	var texts []*model.Span
	for i := range f.entries.Count() {
		e := f.entries.Child(i)
		s := e.Get(name.Name)
		if s == nil {
			continue
		}
		if v, err := t.Value(ctx, s); err != nil || v.Text() != metadata {
			continue
		}
		for k := range e.Count() {
			if x := e.Child(k); x.Field != nil && x.Field.Ref == "Format" && x != s {
				texts = append(texts, x)
			}
		}
	}
	tab := model.Table{Name: "metadata", Title: "metadata", Doc: "texts by name, beside the tensors", Aside: true, Key: []string{"key"}, Rows: int64(len(texts)),
		Columns: model.Columns("key utf8, value utf8")}
	tab.Columns[0].Fixed = "the name is not edited here"
	tab.Read = model.RowsOf(tab.Rows, func(ctx context.Context, i int64) (model.Row, error) {
		v, err := t.Value(ctx, texts[i])
		return model.Row{{Value: model.S(texts[i].Name())}, {Value: v, Range: texts[i].Range}}, err
	})
	return tab
}

func tables(ctx context.Context, t *model.Tree) []model.Table {
	f := model.StateOf[*file](t)
	if f != nil && f.checkpoint != nil {
		return f.checkpoint.tables()
	}
	if f == nil || f.entries == nil {
		return nil
	}
	list := model.Table{Name: "tensors", Title: "tensors", Doc: "name, type, shape and place of each tensor", Rows: int64(len(f.tensors)),
		Columns: model.Columns("name utf8, dtype utf8, shape utf8, begin i64, end i64, values u64")}
	list.Read = model.RowsOf(list.Rows, func(_ context.Context, i int64) (model.Row, error) {
		t := f.tensors[i]
		n := uint64(1)
		for _, d := range t.shape {
			n *= uint64(d)
		}
		row := model.Row{{Value: model.S(t.name)}, {Value: t.typ.Value, Range: t.typ.Range}, {Value: model.S(t.shapeText())},
			{Value: t.begin.Value, Range: t.begin.Range}, {Value: t.end.Value, Range: t.end.Range}, {Value: model.U(n)}}
		if s := t.entry.Get("name"); s != nil {
			row[0].Range = s.Range
		}
		return row, nil
	})
	list.Key, list.Partial = []string{"name"}, len(f.tensors) > mostTables
	list.Stored("begin", "end")
	out := []model.Table{list, metadataTable(ctx, t, f)}
	for _, x := range f.tensors[:min(len(f.tensors), mostTables)] {
		if x.values != nil {
			out = append(out, x.tables(t)...)
		}
	}
	return out
}

// tables is the table of the values, if they can be told one by one: the file does not say how those of six bits are packed.
func (x *tensor) tables(t *model.Tree) []model.Table {
	title, at := fmt.Sprintf("%s: %s [%s]", x.name, x.typ.Text(), x.shapeText()), model.Position(x.shape, false)
	switch {
	case x.typ.Text() == "C64" && x.values.Shape == model.Array:
		return []model.Table{model.Records(x.name, title, t, x.values).Placed(at)}
	case x.typ.Text() == "F4":
		return []model.Table{halfBytes(x.name, title, t, x.values.Range, at).AsTensor(x.shape, false)}
	case x.values.Shape == model.Array:
		return []model.Table{model.Values(x.name, title, t, x.values, at).AsTensor(x.shape, false)}
	}
	return nil
}

// halfBytes is the table over numbers of four bits, the first of two in the lower half of a byte, as PyTorch packs them.
func halfBytes(name, title string, t *model.Tree, in model.Range, at func(i int64) string) model.Table {
	tab := model.Table{Name: name, Title: title, Rows: 2 * in.Len,
		Columns: []model.Column{{Name: "position", Type: "utf8", Kind: model.Text}, {Name: "value", Type: model.E2M1.Type(), Kind: model.Float}}}
	tab.Read = func(ctx context.Context, first, n int64) ([]model.Row, error) {
		n = max(0, min(n, tab.Rows-first))
		from := first / 2
		bytes := model.Range{Space: in.Space, Off: in.Off + from, Len: (first+n+1)/2 - from}
		b, err := t.Bytes(ctx, bytes)
		if err != nil {
			return nil, err
		}
		rows := make([]model.Row, n)
		for i := range rows {
			k := first + int64(i)
			bits := b[k/2-from] >> (k % 2 * 4)
			rows[i] = model.Row{{Value: model.S(at(k))}, {Value: model.F(model.E2M1.Of(bits)), Range: model.Range{Space: in.Space, Off: in.Off + k/2, Len: 1}}}
		}
		return rows, nil
	}
	tab.Set = func(ctx context.Context, cells []model.Typed) ([]model.Edit, error) {
		return setHalfBytes(ctx, t, in, tab.Rows, cells)
	}
	return tab
}

// setHalfBytes makes the edits of what was typed for numbers of four bits.
func setHalfBytes(ctx context.Context, t *model.Tree, in model.Range, rows int64, cells []model.Typed) (edits []model.Edit, err error) {
	changed := map[int64]byte{}
	value := &model.Field{Name: "value", Codec: model.E2M1}
	for _, c := range cells {
		switch {
		case c.Column != 1:
			return nil, fmt.Errorf("row %d: the position follows from the place of the value", c.Row)
		case c.Row < 0 || c.Row >= rows:
			return nil, fmt.Errorf("there is no row %d", c.Row)
		case c.Missing:
			return nil, fmt.Errorf("row %d: a number is never missing", c.Row)
		}
		v, err := value.Parse(c.Text)
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", c.Row, err)
		}
		bits, err := model.E2M1.Bits(v)
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", c.Row, err)
		}
		at := c.Row / 2
		if _, known := changed[at]; !known {
			b, err := t.Bytes(ctx, model.Range{Space: in.Space, Off: in.Off + at, Len: 1})
			if err != nil {
				return nil, err
			}
			changed[at] = b[0]
		}
		shift := c.Row % 2 * 4
		changed[at] = changed[at]&^(15<<shift) | bits<<shift
	}
	for _, at := range slices.Sorted(maps.Keys(changed)) {
		edits = append(edits, model.Replace(model.Range{Space: in.Space, Off: in.Off + at, Len: 1}, []byte{changed[at]}))
	}
	return edits, nil
}
