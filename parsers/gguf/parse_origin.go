package gguf

import "spandrel/model"

// A writer may count offsets from another place than the start of the data, or in another unit. The sizes of the tensors say where each belongs: one after the
// other they fill the data.

// place sets where the tensors are if all offsets are counted in another way.
func (f *file) place(c *model.Cursor) {
	var is, want []int64
	end, last := int64(0), int64(0)
	for _, t := range f.tensors {
		n, ok := t.size()
		if !ok || n > c.Left()-end || t.at < 0 || t.at > mostSize {
			return
		}
		is, want = append(is, t.at), append(want, end)
		end, last = end+f.filled(n), f.filled(n)-n
	}
	size := c.Pos() + c.Left() - f.start
	if f.recount = model.RecountOf(is, want); f.lost || end-last > size || size > end || f.recount.Times == 0 {
		f.recount = model.Recount{}
		return
	}
	for i, t := range f.tensors {
		t.at = want[i]
	}
	c.Wrong(otherCount, f.head.Get(infos.Name), nil, nil, model.Saying("the offsets of all tensors %s", f.counted()))
}

func (f *file) counted() string {
	return f.recount.Text(map[int64]string{f.start: "the start of the file"})
}
