package gguf

import (
	"context"
	"errors"
	"slices"

	"spandrel/model"
)

// deep compares the files of a split model, and looks at some numbers of each tensor that is not quantised: a conversion to the other byte order may have
// ended half way.
func deep(ctx context.Context, t *model.Tree, p *model.Probe) error {
	f := model.StateOf[*file](t)
	if f == nil {
		return nil
	}
	if len(f.shards) > 1 && !f.compared && !slices.ContainsFunc(f.shards, func(s shard) bool { return !s.there }) {
		if says, at := mixed(ctx, t, f); says != "" {
			p.Wrong(otherSplit, at, nil, nil, model.Saying("%s", says))
		}
	}
	var all []model.Numbers
	for _, x := range f.tensors {
		all = append(all, model.Numbers{Name: x.name, Values: x.values})
	}
	return errors.Join(p.ZeroTail(ctx, t, all...), p.SwappedArrays(ctx, t, all...), p.Outliers(ctx, t, all...))
}
