package npy

import (
	"context"
	"fmt"

	"spandrel/model"
)

// card says in which order the elements of an array are stored, and which versions of numpy read it.
func card(ctx context.Context, t *model.Tree) []model.CardLine {
	f := model.StateOf[*file](t)
	if f == nil || f.array == nil {
		return nil
	}
	order := "the last index changes fastest (C)"
	if f.array.Fortran {
		order = "the first index changes fastest (Fortran)"
	}
	out := []model.CardLine{{Label: "dtype", Text: f.array.Head.Type}}
	if len(f.array.Shape) > 1 {
		out = append(out, model.CardLine{Label: "order", Text: order})
	}
	if s := t.Root.Get("major"); s != nil {
		if v, err := t.Value(ctx, s); err == nil {
			out = append(out, model.CardLine{Label: "read by", Text: fmt.Sprintf("numpy %s and later (format %s)", sinceNumpy(v.Uint()), v)})
		}
	}
	return out
}

// sinceNumpy is the first version of numpy that reads a version of the format.
func sinceNumpy(major uint64) string {
	switch major {
	case 1:
		return "1.0.5"
	case 2:
		return "1.9"
	}
	return "1.17"
}
