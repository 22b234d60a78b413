package flat

import "iter"

// Laid is a table of a buffer, with the description of its fields.
type Laid struct {
	*layout
	At   int64
	Type *Table
}

// laid is an object as a table; ok is false where it is none, or its description cannot be read.
func laid(f *Map, o object) (t Laid, ok bool) {
	if o.Kind != TableObject || o.Layout < 0 {
		return t, false
	}
	return Laid{f.Layouts[o.Layout], int64(o.Off), f.TableOf(o)}, true
}

// Tables are the tables of the buffer, as far as the walk came.
func (f *Map) Tables() iter.Seq[Laid] {
	return func(yield func(Laid) bool) {
		for _, o := range f.Objs {
			if t, ok := laid(f, o); ok && !yield(t) {
				return
			}
		}
	}
}

// Offsets are the places of all offsets of the buffer that lead forward, in tables and in lists, as far as the walk came. With each goes the field
// that it stands in; in a list, one that is as its elements are.
func (f *Map) Offsets() iter.Seq2[int64, *Slot] {
	return func(yield func(at int64, s *Slot) bool) {
		for _, o := range f.Objs {
			if t, ok := laid(f, o); ok && !t.offsets(yield) {
				return
			}
			if o.Kind == OffsetsObject && !elements(o, f.SlotOf(o).element(), yield) {
				return
			}
		}
	}
}

// offsets yields the offsets of a table.
func (t Laid) offsets(yield func(at int64, s *Slot) bool) bool {
	for _, p := range t.Fields {
		if p.Slot != nil && p.Slot.IsOffset() && !yield(t.At+p.Start, p.Slot) {
			return false
		}
	}
	return true
}

// elements yields the offsets of a list.
func elements(list object, s *Slot, yield func(at int64, s *Slot) bool) bool {
	for at := list.Off + 4; at < list.Off+list.Len; at += 4 {
		if !yield(int64(at), s) {
			return false
		}
	}
	return true
}
