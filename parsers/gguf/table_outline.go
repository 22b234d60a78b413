package gguf

import (
	"cmp"
	"context"
	"strings"

	"spandrel/model"
)

// outline is the logical view of a model: its metadata, and its tensors by name.
func outline(_ context.Context, t *model.Tree) ([]model.Meaning, error) {
	f := model.StateOf[*file](t)
	if f == nil || f.head == nil || f.head.Get("metadata") == nil {
		return nil, nil
	}
	pairs := f.pairTable(t)
	return []model.Meaning{
		{Label: "metadata", Text: model.Thousands(pairs.Rows), More: pairs.Meanings("metadata", func(_ int64, r model.Row) model.Meaning {
			return model.Meaning{Label: model.Named(r[0].Value.Text()), Text: model.OneLine(r[2].Value.Text()), Icon: iconOf(r[1].Value.Text()), At: r[2].Range}
		})},
		{Label: "tensors", Text: model.Thousands(int64(len(f.tensors))), Open: true,
			More: model.Paged("tensors", int64(len(f.tensors)), func(_ context.Context, i int64) model.Meaning {
				x := f.tensors[i]
				return model.Meaning{Label: model.Named(x.name), Text: types[x.kind].name + " [" + x.shape() + "]", Icon: model.IconArray, Span: cmp.Or(x.values, x.entry)}
			})},
	}, nil
}

// iconOf is the icon of a value of the metadata, by its type.
func iconOf(kind string) model.Icon {
	switch {
	case kind == kinds[kindString]:
		return model.IconText
	case kind == kinds[kindArray]:
		return model.IconArray
	case strings.HasPrefix(kind, "UINT"), strings.HasPrefix(kind, "INT"), strings.HasPrefix(kind, "FLOAT"):
		return model.IconNumber
	}
	return model.NoIcon
}
