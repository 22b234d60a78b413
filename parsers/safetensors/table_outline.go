package safetensors

import (
	"context"
	"fmt"
	"strings"

	"spandrel/model"
)

// outline is what a file means: its tensors, by their names. Of a checkpoint the tree of bytes says as much.
func outline(_ context.Context, t *model.Tree) ([]model.Meaning, error) {
	f := model.StateOf[*file](t)
	if f == nil || f.checkpoint != nil || len(f.tensors) == 0 {
		return nil, nil
	}
	return []model.Meaning{{Label: "tensors", Text: fmt.Sprint(len(f.tensors)), Open: true,
		More: model.Paged("tensors", int64(len(f.tensors)), func(ctx context.Context, first, n int64) (out []model.Meaning, err error) {
			for _, x := range f.tensors[first : first+n] {
				m := model.Meaning{Label: strings.TrimSpace(model.OneLine(x.name)), Text: x.typ.Text() + " [" + x.shapeText() + "]", Span: x.values}
				if m.Label == "" {
					m.Label = "(no name)"
				}
				if m.Span == nil {
					m.Span = x.entry
				}
				out = append(out, m)
			}
			return out, ctx.Err()
		})}}, nil
}
