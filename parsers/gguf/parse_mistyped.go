package gguf

import (
	"context"
	"maps"
	"slices"

	"spandrel/model"
)

// A converter may give a type the number of another one. Then no tensor of that type has its size by the offsets, and all have those of the other.

const (
	leastMistyped = 3 // tensors whose sizes are no coincidence
	mostTypes     = 4 // that are offered, if several have the same sizes
)

// mistype are tensors that state a type and have the sizes of others.
type mistype struct {
	of    []*tensor
	types []uint64
}

// retype lays out tensors with the wrong type number by the type whose sizes they have.
func (f *file) retype(c *model.Cursor) {
	if f.lost {
		return
	}
	by := map[uint64][]int{}
	for i, t := range f.tensors {
		by[t.kind] = append(by[t.kind], i)
	}
	size := c.Pos() + c.Left() - f.start
	for _, stated := range slices.Sorted(maps.Keys(by)) {
		list := by[stated]
		misfits := len(list) - f.fitting(list, size, stated)
		if len(list) < leastMistyped || 2*misfits <= len(list) {
			continue
		}
		x := mistype{}
		for _, is := range slices.Sorted(maps.Keys(types)) {
			if len(x.types) < mostTypes && types[is].size > 0 && f.fitting(list, size, is) == len(list) {
				x.types = append(x.types, is)
			}
		}
		if len(x.types) == 0 {
			continue
		}
		for _, i := range list {
			x.of = append(x.of, f.tensors[i])
			f.tensors[i].kind = x.types[0]
		}
		c.Wrong(wrongSize, x.of[0].typ, nil, types[x.types[0]].name, model.About(x),
			model.Saying("%s of type %s have the sizes of type %s", model.Count(int64(len(list)), "tensors"), x.stated(), types[x.types[0]].name))
	}
}

// fitting counts the tensors that, if they have a type, end where the next one begins.
func (f *file) fitting(list []int, size int64, as uint64) (n int) {
	for _, i := range list {
		t := f.tensors[i]
		was := t.kind
		t.kind = as
		bytes, ok := t.size()
		if f.fits(i, size) || ok && i+1 == len(f.tensors) && t.at >= 0 && t.at+bytes > size { // the file may be truncated
			n++
		}
		t.kind = was
	}
	return n
}

// number offers to write the number of the type whose sizes the tensors have.
func (x mistype) number() (out []model.Fix) {
	for _, is := range x.types {
		fix := model.Fix{Label: model.Words("set the type of %s to %s", model.Count(int64(len(x.of)), "tensors"), types[is].name), Once: true, Safe: len(x.types) == 1,
			Says: model.Words("A converter wrote the number of the type %s for %s: the offsets give the tensors the sizes of that type.", x.stated(), types[is].name)}
		for _, t := range x.of {
			fix.Edits = append(fix.Edits, model.SetValue(t.typ.Span, model.U(is)))
		}
		out = append(out, fix)
	}
	return out
}

// resize offers what makes the stated sizes of tensors those that they have.
func resize(ctx context.Context, t *model.Tree, x *model.Finding) []model.Fix {
	if m, ok := x.About.(mistype); ok {
		return m.number()
	}
	return fitShape(ctx, t, x)
}

func (x mistype) stated() string { return x.of[0].typ.Field.Text(x.of[0].typ.Value) }
