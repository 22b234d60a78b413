package model

import (
	"bytes"
	"cmp"
	"slices"
)

// Run is new values of a column of single values, for consecutive rows: a Batch of the column, to be written.
type Run struct {
	Column int
	First  int64 // row
	Batch
}

// Items are the types of numbers in batches.
var Items = map[string]Codec{"u8": U8, "i8": I8, "u16": U16LE, "i16": I16LE, "u32": U32LE, "i32": I32LE, "u64": U64LE, "i64": I64LE,
	"f16": F16LE, "bf16": BF16LE, "f32": F32LE, "f64": F64LE, "bool": Bool8}

// Value is a value of a batch of single values of a type.
func (b *Batch) Value(item string, i int64) (v Value) {
	switch codec := Items[item]; {
	case b.Null != nil && b.Null[i]:
	case b.Starts != nil:
		if v = S(string(b.Data[b.Starts[i]:b.Starts[i+1]])); item == "bytes" {
			v.Kind = Bytes
		}
	case codec != nil:
		v, _, _ = codec.Decode(b.Data[i*int64(codec.Size()):])
	}
	return v
}

// Append adds a value to a batch of single values of a type, which must hold it.
func (b *Batch) Append(item string, v Value) {
	b.Rows++
	b.Null = Flagged(b.Null, b.Rows, v.Kind == None)
	if WidthOf(item) > 0 {
		b.Data = appendNumber(b.Data, item, v)
		return
	}
	if b.Starts == nil {
		b.Starts = []int32{0}
	}
	b.Data = append(b.Data, v.Text()...)
	b.Starts = append(b.Starts, int32(len(b.Data)))
}

// Extend adds the rows of another batch of single values of a type.
func (b *Batch) Extend(item string, more *Batch) {
	if b.Null != nil || more.Null != nil {
		b.Null = append(b.Null, make([]bool, b.Rows-int64(len(b.Null)))...)
		b.Null = append(append(b.Null, more.Null...), make([]bool, more.Rows-int64(len(more.Null)))...)
	}
	base := int32(len(b.Data))
	b.Rows, b.Data = b.Rows+more.Rows, append(b.Data, more.Data...)
	if WidthOf(item) > 0 || more.Rows == 0 {
		return
	}
	if b.Starts == nil {
		b.Starts = []int32{0}
	}
	for _, at := range more.Starts[1:] {
		b.Starts = append(b.Starts, base+at-more.Starts[0])
	}
}

// Part is a copy of some rows of a batch of single values of a type.
func (b *Batch) Part(item string, from, to int64) Batch {
	out := Batch{Rows: to - from}
	if b.Null != nil {
		out.Null = slices.Clone(b.Null[from:to])
	}
	if b.Starts == nil {
		w := int64(WidthOf(item))
		out.Data = bytes.Clone(b.Data[from*w : to*w])
		return out
	}
	out.Data = bytes.Clone(b.Data[b.Starts[from]:b.Starts[to]])
	for _, at := range b.Starts[from : to+1] {
		out.Starts = append(out.Starts, at-b.Starts[from])
	}
	return out
}

// Typed is a value of a run as someone would type it in the column.
func (r *Run) Typed(col *Column, i int64) Typed {
	x := Typed{Row: r.First + i, Column: r.Column}
	x.Text, x.Missing = Cell{Value: r.Value(col.Item(), i)}.Typed(col)
	return x
}

// AsTyped is typed cells with those of runs, row by row.
func (t *Table) AsTyped(cells []Typed, runs []Run) []Typed {
	cells = slices.Clone(cells)
	for _, r := range runs {
		for i := range r.Rows {
			cells = append(cells, r.Typed(&t.Columns[r.Column], i))
		}
	}
	slices.SortStableFunc(cells, func(a, b Typed) int { return cmp.Compare(a.Row, b.Row) })
	return cells
}
