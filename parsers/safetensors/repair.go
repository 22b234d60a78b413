package safetensors

import (
	"context"
	"errors"
	"fmt"

	"spandrel/model"
)

var repairs = map[*model.Rule]model.Repairer{
	wrongSize: resize,
	hole:      cutTail,
}

var actions = []model.Action{{
	Name: "drop-tensor", Label: "Drop the tensor", Doc: "Takes a tensor out of the header and out of the data; the others move up.",
	On: func(t *model.Tree, s *model.Span) bool { return tensorOf(t, s) != nil },
	Plan: func(ctx context.Context, t *model.Tree, s *model.Span, _ map[string]string) ([]model.Edit, error) {
		return drop(ctx, t, tensorOf(t, s))
	},
}}

// tensorOf returns the tensor whose entry or bytes a span is, or lies in.
func tensorOf(t *model.Tree, s *model.Span) *tensor {
	f := model.StateOf[*file](t)
	for ; f != nil && s != nil; s = s.Parent() {
		for _, x := range f.tensors {
			if x.entry.Path() == s.Path() || x.values != nil && x.values.Path() == s.Path() {
				return x
			}
		}
	}
	return nil
}

// drop deletes an entry with the comma that joins it, and the bytes of the tensor.
func drop(ctx context.Context, t *model.Tree, x *tensor) ([]model.Edit, error) {
	f := model.StateOf[*file](t)
	if f == nil || x == nil {
		return nil, errors.New("there is no tensor here")
	}
	at := x.entry.Range
	if last := f.entries.Child(f.entries.Count() - 1); f.entries.Count() > 1 && last.Range == at {
		// the comma in front goes too: it ends the entry before
		before := f.entries.Child(f.entries.Count() - 2)
		comma := before.Child(before.Count() - 1)
		b, err := t.Bytes(ctx, comma.Range)
		for i := len(b) - 1; err == nil && i >= 0; i-- {
			if b[i] == ',' {
				return append(cut(x), model.Replace(model.Range{Space: comma.Range.Space, Off: comma.Range.Off + int64(i), Len: 1}, nil), model.Replace(at, nil)), nil
			}
		}
	}
	return append(cut(x), model.Replace(at, nil)), nil
}

// cut deletes the bytes of a tensor.
func cut(x *tensor) []model.Edit {
	if x.values == nil || x.values.Range.Len == 0 {
		return nil
	}
	return []model.Edit{model.Replace(x.values.Range, nil)}
}

// resize offers the one dimension that would make the shape fit the bytes.
func resize(_ context.Context, t *model.Tree, f *model.Finding) (out []model.Fix) {
	x := tensorOf(t, f.Span)
	if x == nil {
		return nil
	}
	typ, n := dtypes[x.typ.Text()], x.end.Int()-x.begin.Int()
	for i, d := range x.dims {
		rest := typ.bits
		for k, other := range x.shape {
			if k != i {
				rest *= other
			}
		}
		if rest > 0 && n*8%rest == 0 && n >= 0 {
			out = append(out, model.Fix{Label: fmt.Sprintf("set dimension %d to %d", i, n*8/rest), Edits: []model.Edit{model.SetValue(d.Span, model.I(n*8/rest))}})
		}
	}
	return out
}

// cutTail offers to cut what follows the last tensor.
func cutTail(_ context.Context, t *model.Tree, f *model.Finding) []model.Fix {
	x := model.StateOf[*file](t)
	if x == nil || x.data == nil || f.Range.End() != x.data.Range.End() {
		return nil
	}
	return []model.Fix{{Label: fmt.Sprintf("cut the last %d bytes", f.Range.Len), Loses: fmt.Sprintf("%d bytes that belong to no tensor", f.Range.Len), Edits: []model.Edit{model.Replace(f.Range, nil)}}}
}
