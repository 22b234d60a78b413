package flat

import (
	"maps"
	"slices"

	flatbuffers "github.com/google/flatbuffers/go"
)

// Fields is a table to be written: its fields by slot, each a number of the width that the schema gives it, a text, bytes, dims,
// numbers, a table, a vector of texts or tables, or the place of what is written already.
type Fields map[int]any

// Buffer returns a buffer whose root is the table.
func (n Fields) Buffer() []byte {
	b := flatbuffers.NewBuilder(256)
	b.Finish(n.Put(b))
	return b.FinishedBytes()
}

// Put writes the table and what it refers to.
func (n Fields) Put(b *flatbuffers.Builder) flatbuffers.UOffsetT {
	slots := slices.Sorted(maps.Keys(n))
	fields := map[int][]func(){} // by width
	for _, slot := range slots {
		width, prepend := 4, func() {}
		switch v := n[slot].(type) {
		case int64:
			width, prepend = 8, func() { b.PrependInt64(v) }
		case int32:
			prepend = func() { b.PrependInt32(v) }
		case int8:
			width, prepend = 1, func() { b.PrependInt8(v) }
		default:
			ref := Put(b, v)
			prepend = func() { b.PrependUOffsetT(ref) }
		}
		fields[width] = append(fields[width], func() { prepend(); b.Slot(slot) })
	}
	b.Prep(8, 0) // equal tables are of equal sizes
	b.StartObject(slices.Max(append(slots, -1)) + 1)
	for _, width := range []int{8, 4, 1} {
		for _, field := range fields[width] {
			field()
		}
	}
	return b.EndObject()
}

// Put writes what an offset leads to.
func Put(b *flatbuffers.Builder, v any) flatbuffers.UOffsetT {
	switch v := v.(type) {
	case flatbuffers.UOffsetT:
		return v
	case string:
		return b.CreateString(v)
	case []byte:
		return b.CreateByteVector(v)
	case []int64:
		b.StartVector(8, len(v), 8)
		for _, d := range slices.Backward(v) {
			b.PrependInt64(d)
		}
		return b.EndVector(len(v))
	case []float64:
		b.StartVector(8, len(v), 8)
		for _, d := range slices.Backward(v) {
			b.PrependFloat64(d)
		}
		return b.EndVector(len(v))
	case []string:
		refs := make([]flatbuffers.UOffsetT, len(v))
		for i, s := range v {
			refs[i] = b.CreateString(s)
		}
		return RefVector(b, refs)
	case []Fields:
		refs := make([]flatbuffers.UOffsetT, len(v))
		for i, t := range v {
			refs[i] = t.Put(b)
		}
		return RefVector(b, refs)
	}
	return v.(Fields).Put(b)
}

func RefVector(b *flatbuffers.Builder, refs []flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	b.StartVector(4, len(refs), 4)
	for _, ref := range slices.Backward(refs) {
		b.PrependUOffsetT(ref)
	}
	return b.EndVector(len(refs))
}
