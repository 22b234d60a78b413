package safetensors

import (
	"slices"

	"spandrel/model"
)

// A writer may count offsets from another place than the start of the data, or in another unit. The shapes say where each tensor belongs: in the order of
// the offsets they fill the data.

// place finds where the tensors are: where their offsets say or, if all of these are counted in another way, where they belong.
func (f *file) place(c *model.Cursor) {
	for _, t := range f.tensors {
		t.from, t.to = t.begin.Int(), t.end.Int()
	}
	order, at := f.ordered(), int64(0)
	is, want := make([]int64, 0, 2*len(order)), make([]int64, 0, 2*len(order))
	for _, t := range order {
		n, known := t.bytes()
		if !known || n < 0 || n > c.Left()-at {
			return
		}
		is, want = append(is, t.from, t.to), append(want, at, at+n)
		at += n
	}
	if f.recount = model.RecountOf(is, want); f.broken || at != c.Left() || f.recount.Times == 0 {
		f.recount = model.Recount{}
		return
	}
	for i, t := range order {
		t.from, t.to = want[2*i], want[2*i+1]
	}
	says := "the offsets of all tensors " + f.recount.Text(map[int64]string{c.Pos(): "the start of the file", c.Pos() - 8: "the start of the header"})
	c.Wrong(otherCount, f.entries, model.Words("from %d to %d", slices.Min(is), slices.Max(is)), model.Words("from 0 to %d", at), model.Saying("%s", says))
}
