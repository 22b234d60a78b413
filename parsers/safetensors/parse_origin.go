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
	says, label := f.counted(c, is, want), "count the offsets of all tensors from the start of the data, in bytes"
	if says == "" {
		if says = f.ended(is, want); says != "" {
			label = "set the ends of all tensors to where the next one begins"
		}
	}
	if f.broken || at != c.Left() || says == "" {
		f.recount = model.Recount{}
		return
	}
	for i, t := range order {
		t.from, t.to = want[2*i], want[2*i+1]
	}
	c.Wrong(otherCount, f.entries, model.Words("from %d to %d", slices.Min(is), slices.Max(is)), model.Words("from 0 to %d", at),
		model.Saying("%s", says), model.About(label))
}

// counted says how all offsets are counted.
func (f *file) counted(c *model.Cursor, is, want []int64) string {
	if f.recount = model.RecountOf(is, want); f.recount.Times == 0 {
		return ""
	}
	return "the offsets of all tensors " + f.recount.Text(map[int64]string{c.Pos(): "the start of the file", c.Pos() - 8: "the start of the header"})
}

// ended says how the ends are counted, if all tensors begin where they should.
func (f *file) ended(is, want []int64) string {
	var ends, should, sizes []int64
	for i := 0; i < len(is); i += 2 {
		if is[i] != want[i] {
			return ""
		}
		ends, should, sizes = append(ends, is[i+1]), append(should, want[i+1]), append(sizes, want[i+1]-want[i])
	}
	lengths := len(ends) > 1 && slices.Equal(ends, sizes) && !slices.Equal(ends, should)
	switch f.recount = model.RecountOf(ends, should); {
	case lengths:
		f.recount = model.Recount{Times: 1, Per: 1}
		return "the second number of data_offsets is the length of each tensor and not its end"
	case f.recount == model.Recount{Times: 1, Per: 1, Plus: -1}:
		return "the ends of all tensors are each 1 too small: they are those of the last byte"
	case f.recount.Times > 0:
		return "the ends of all tensors " + f.recount.Text(nil)
	}
	return ""
}
