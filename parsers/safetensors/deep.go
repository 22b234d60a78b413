package safetensors

import (
	"context"
	"errors"

	"spandrel/model"
)

// deep looks at some numbers of each tensor.
func deep(ctx context.Context, t *model.Tree, p *model.Probe) error {
	f := model.StateOf[*file](t)
	if f == nil {
		return nil
	}
	var all []model.Numbers
	for _, x := range f.tensors {
		all = append(all, model.Numbers{Name: x.name, Values: x.values})
	}
	if odd := p.BrainFloats(ctx, t, all...); len(odd) > 0 {
		p.Wrong(otherHalf, f.head, nil, nil, model.Saying("the values of %d tensors make sense only as bfloat16, but their dtype is F16", len(odd)))
	}
	return errors.Join(p.ZeroTail(ctx, t, all...), p.SwappedArrays(ctx, t, all...), p.Outliers(ctx, t, all...))
}
