package safetensors

import (
	"cmp"
	"context"

	"spandrel/model"
)

// outline is the logical view of a file: its tensors by name; for a checkpoint also its files.
func outline(_ context.Context, t *model.Tree) ([]model.Meaning, error) {
	f := model.StateOf[*file](t)
	if f != nil && f.checkpoint != nil {
		return f.checkpoint.outline(), nil
	}
	if f == nil || len(f.tensors) == 0 {
		return nil, nil
	}
	return []model.Meaning{{Label: "tensors", Text: model.Thousands(int64(len(f.tensors))), Open: true,
		More: model.Paged("tensors", int64(len(f.tensors)), func(_ context.Context, i int64) model.Meaning {
			x := f.tensors[i]
			return model.Meaning{Label: model.Named(x.name), Text: x.typ.Text() + " [" + x.shapeText() + "]", Icon: model.IconArray, Span: cmp.Or(x.values, x.entry)}
		})}}, nil
}

// outline lists the tensors of a checkpoint, each with its shard, and the shards.
func (x *index) outline() []model.Meaning {
	tables := x.tables()
	tensors, shards, listed := &tables[0], &tables[1], x.listed()
	return []model.Meaning{
		{Label: "tensors", Text: model.Thousands(tensors.Rows), Open: true, More: tensors.Meanings("tensors", func(i int64, r model.Row) model.Meaning {
			m := model.Meaning{Label: model.Named(r[0].Value.Text()), Text: "missing", Icon: model.IconArray, At: r[0].Range}
			if h, s := x.inShard(listed[i]); s != nil {
				m.At = cmp.Or(h.values(s), m.At)
			}
			if r[2].Value.Kind != model.None {
				m.Text = r[2].Value.Text() + " [" + r[3].Value.Text() + "]"
			}
			m.Text += " in " + r[1].Value.Text()
			return m
		})},
		{Label: "shards", Text: model.Thousands(shards.Rows), More: shards.Meanings("shards", func(_ int64, r model.Row) model.Meaning {
			m := model.Meaning{Label: r[0].Value.Text(), Text: r[3].Value.Text()}
			if r[1].Value.Kind != model.None {
				m.Text = model.Count(r[1].Value.Int(), "bytes") + ", " + model.Count(r[2].Value.Int(), "tensors")
			}
			return m
		})},
	}
}
