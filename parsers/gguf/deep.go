package gguf

import (
	"context"

	"spandrel/model"
)

// deep looks at some numbers of each tensor that is not quantised: a conversion to the other byte order may have ended half way.
func deep(ctx context.Context, t *model.Tree, p *model.Probe) error {
	f := model.StateOf[*file](t)
	if f == nil {
		return nil
	}
	var all []model.Numbers
	for _, x := range f.tensors {
		all = append(all, model.Numbers{Name: x.name, Span: x.values})
	}
	return p.SwappedArrays(ctx, t, all...)
}
