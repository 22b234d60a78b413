package npy

import (
	"context"
	"strings"

	"spandrel/model"
	"spandrel/parsers/internal/npyfile"
)

// outline is the logical view of a file: an array with its type, shape and values, or the arrays of an archive by name.
func outline(_ context.Context, t *model.Tree) ([]model.Meaning, error) {
	f := model.StateOf[*file](t)
	switch {
	case f == nil:
		return nil, nil
	case f.zip != nil:
		members := f.zip.Members
		return []model.Meaning{{Label: "arrays", Text: model.Thousands(int64(len(members))), Open: true,
			More: model.Paged("arrays", int64(len(members)), func(ctx context.Context, i int64) model.Meaning {
				x := model.Meaning{Label: model.Named(strings.TrimSuffix(members[i].Name, ".npy")), Text: "not an array", Span: members[i].Data.Span}
				if h, err := headOf(ctx, t, members[i]); err == nil {
					x.Text, x.Icon = meant(h), model.IconArray
				}
				return x
			})}}, nil
	case f.array == nil || f.array.Data == nil:
		return nil, nil
	}
	header := t.Root.Get("header")
	return []model.Meaning{{Label: "dtype", Text: f.array.Head.Type, Span: header.Get("descr")}, {Label: "shape", Text: "[" + shape(f.array.Head) + "]", Span: header.Get("dim0")},
		{Label: "order", Text: map[bool]string{true: "Fortran", false: "C"}[f.array.Fortran], Span: header.Get("fortran_order")},
		{Label: "values", Text: model.Thousands(f.array.Data.Count()), Icon: model.IconArray, Span: f.array.Data}}, nil
}

func meant(h npyfile.Head) string { return h.Type + " [" + shape(h) + "]" }
