package fragment

import (
	"bytes"
	"slices"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/storage"
)

// Cells is a field of a tile.
type Cells struct {
	Data   []byte  // cells of fixed size, or values
	Starts []int64 // of variable cells in data
	Valid  []byte  // of nullable fields
}

// At returns the bytes of cell i.
func (t *Cells) At(s *Slot, i int) []byte {
	if !s.Variable() {
		n := int(s.Cell())
		return t.Data[i*n : (i+1)*n]
	}
	if i+1 < len(t.Starts) {
		return t.Data[t.Starts[i]:t.Starts[i+1]]
	}
	return t.Data[t.Starts[i]:]
}

// Cells is how many cells the field has.
func (t *Cells) Cells(s *Slot) int {
	if s.Variable() {
		return len(t.Starts)
	}
	return len(t.Data) / max(int(s.Cell()), 1)
}

// Null tells whether cell i has no value: according to its validity, or because the cell does not exist.
func (t *Cells) Null(i int) bool { return t.Valid != nil && (i >= len(t.Valid) || t.Valid[i] == 0) }

// Value is a cell of a field: its bytes, and its validity.
type Value struct {
	Data  []byte
	Valid byte
}

// Value is cell i.
func (t *Cells) Value(s *Slot, i int) Value {
	v := Value{Data: t.At(s, i), Valid: 1}
	if s.Nullable {
		v.Valid = t.Valid[i]
	}
	return v
}

// Set changes a cell.
func (t *Cells) Set(s *Slot, i int, v Value) {
	old := t.At(s, i)
	if s.Nullable {
		t.Valid[i] = v.Valid
	}
	if !s.Variable() {
		copy(old, v.Data)
		return
	}
	at, end := t.Starts[i], t.Starts[i]+int64(len(old))
	t.Data = append(append(bytes.Clone(t.Data[:at]), v.Data...), t.Data[end:]...)
	for j := i + 1; j < len(t.Starts); j++ {
		t.Starts[j] += int64(len(v.Data) - len(old))
	}
}

// Add appends a cell.
func (t *Cells) Add(s *Slot, v Value) {
	if s.Variable() {
		t.Starts = append(t.Starts, int64(len(t.Data)))
	}
	if t.Data = append(t.Data, v.Data...); s.Nullable {
		t.Valid = append(t.Valid, v.Valid)
	}
}

// CellsOf are the cells of a column of a table, as its batches have them.
func CellsOf(s *Slot, b *model.Batch) Cells {
	t := Cells{Data: b.Data}
	starts, size, gone := b.Starts, int64(1), b.Null
	if b.Lists != nil {
		starts, size = b.Lists, int64(filter.SizeOf(s.Datatype))
	}
	if s.Num != 1 && b.Gone != nil {
		gone = b.Gone
	}
	switch {
	case s.Variable():
		t.Starts = make([]int64, b.Rows)
		for i := range t.Starts {
			t.Starts[i] = int64(starts[i]) * size
		}
	case starts != nil: // texts of one length, and missing ones
		t.Data = make([]byte, b.Rows*s.Cell())
		for i := range b.Rows {
			copy(t.Data[i*s.Cell():(i+1)*s.Cell()], b.Data[starts[i]:starts[i+1]])
		}
	}
	if s.Nullable {
		t.Valid = bytes.Repeat([]byte{1}, int(b.Rows))
		for i, null := range gone {
			t.Valid[i] = storage.Flag(!null)
		}
	}
	return t
}

// Part is some of the cells. They share memory.
func (t *Cells) Part(s *Slot, from, to int) (out Cells) {
	if s.Nullable {
		out.Valid = t.Valid[from:to:to]
	}
	if !s.Variable() {
		w := int(s.Cell())
		out.Data = t.Data[from*w : to*w : to*w]
		return out
	}
	begin, end := int64(len(t.Data)), int64(len(t.Data))
	if from < len(t.Starts) {
		begin = t.Starts[from]
	}
	if to < len(t.Starts) {
		end = t.Starts[to]
	}
	out.Data, out.Starts = t.Data[begin:end:end], make([]int64, to-from)
	for i := range out.Starts {
		out.Starts[i] = t.Starts[from+i] - begin
	}
	return out
}

// Extend adds cells. The first ones share memory.
func (t *Cells) Extend(s *Slot, more Cells) {
	if t.Cells(s) == 0 {
		*t = Cells{slices.Clip(more.Data), slices.Clip(more.Starts), slices.Clip(more.Valid)}
		return
	}
	for _, at := range more.Starts {
		t.Starts = append(t.Starts, int64(len(t.Data))+at)
	}
	t.Data, t.Valid = append(t.Data, more.Data...), append(t.Valid, more.Valid...)
}

// Pick are cells in another order.
func (t *Cells) Pick(s *Slot, order []int) (out Cells) {
	out.Data = make([]byte, 0, len(t.Data))
	for _, i := range order {
		out.Add(s, t.Value(s, i))
	}
	return out
}
