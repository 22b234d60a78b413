package gguf

import (
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
			return model.Meaning{Label: named(r[0].Value.Text()), Text: model.OneLine(r[2].Value.Text()), Icon: iconOf(r[1].Value.Text()), At: r[2].Range}
		})},
		{Label: "tensors", Text: model.Thousands(int64(len(f.tensors))), Open: true,
			More: model.Paged("tensors", int64(len(f.tensors)), func(ctx context.Context, first, n int64) (out []model.Meaning, err error) {
				for _, x := range f.tensors[first : first+n] {
					m := model.Meaning{Label: named(x.name), Text: types[x.typ.Uint()].name + " [" + x.shape() + "]", Icon: model.IconArray, Span: x.values}
					if m.Span == nil {
						m.Span = x.entry
					}
					out = append(out, m)
				}
				return out, ctx.Err()
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

// named is a name on one line; it may be empty in the file.
func named(s string) string {
	if s = strings.TrimSpace(model.OneLine(s)); s == "" {
		return "(no name)"
	}
	return s
}
