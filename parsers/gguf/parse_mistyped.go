package gguf

import (
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
func retype(f *file, c *model.Cursor) {
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
		misfits := len(list) - fitting(f, list, size, stated)
		if len(list) < leastMistyped || 2*misfits <= len(list) {
			continue
		}
		x := mistype{types: typesOf(f, list, size)}
		if len(x.types) == 0 {
			continue
		}
		for _, i := range list {
			x.of = append(x.of, f.tensors[i])
			f.tensors[i].kind, f.tensors[i].either = x.types[0], len(x.types) > 1
		}
		c.Wrong(wrongSize, x.of[0].typ, nil, types[x.types[0]].name, model.About(x),
			model.Saying("%s of type %s have the sizes of type %s", model.Count(int64(len(list)), "tensors"), x.stated(), types[x.types[0]].name))
	}
}

// typesOf are the types with the sizes of tensors.
func typesOf(f *file, list []int, size int64) (out []uint64) {
	for _, is := range slices.Sorted(maps.Keys(types)) {
		if len(out) < mostTypes && types[is].size > 0 && fitting(f, list, size, is) == len(list) {
			out = append(out, is)
		}
	}
	return out
}

// fitting counts the tensors that, if they have a type, end where the next one begins.
func fitting(f *file, list []int, size int64, as uint64) (n int) {
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

func (x mistype) stated() string { return x.of[0].typ.Field.Text(x.of[0].typ.Value) }
