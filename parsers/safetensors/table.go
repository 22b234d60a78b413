package safetensors

import (
	"context"
	"fmt"

	"spandrel/model"
)

// mostTables is of how many tensors the values are tables of their own; the others are reached through the list.
const mostTables = 2000

func tables(_ context.Context, t *model.Tree) []model.Table {
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
	out := []model.Table{list}
	for _, x := range f.tensors[:min(len(f.tensors), mostTables)] {
		if x.values != nil && x.values.Shape == model.Array {
			out = append(out, model.Values(x.name, fmt.Sprintf("%s: %s [%s]", x.name, x.typ.Text(), x.shapeText()), t, x.values, model.Position(x.shape, false)).AsTensor(x.shape, false))
		}
	}
	return out
}
