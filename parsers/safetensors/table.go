package safetensors

import (
	"context"
	"fmt"

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
		if x.values != nil && x.values.Shape == model.Array {
			out = append(out, model.Values(x.name, fmt.Sprintf("%s: %s [%s]", x.name, x.typ.Text(), x.shapeText()), t, x.values, model.Position(x.shape, false)).AsTensor(x.shape, false))
		}
	}
	return out
}
