package flat

import (
	"iter"
	"sync"

	"spandrel/model"
)

// object is an object of a buffer: its place and what refers to it first. The names of a million objects are derived from these few
// bytes.
type object struct {
	Off, Len uint32
	parent   int32  // the table or vector that refers to it; -1 for the root
	elem     int32  // position in a vector that refers to it
	Layout   int32  // of a table; 1 for a string with its zero byte, and for a length of a string
	unfold   uint32 // cost of reading it and everything it refers to, counted for each reference: see tableCost; in units of 16
	slot     uint8  // slot of a table that refers to it
	Kind     objectKind
}

// gap is bytes between objects: most are the one to three zeros after a text.
type gap struct{ off, n uint32 }

// orphaned is set in the length of a gap, which has 31 bits, if it is not zero.
const orphaned = 1 << 31

// layout is the layout of the tables with one vtable and one type.
type layout struct {
	Vtable int64
	Slots  int
	Size   int64 // of the table; 0 when the vtable is unsound
	Fields []place
	kids   []model.Part
	Used   int // tables that use it
	// skipped are fields with offsets that overlap others, or are outside the table.
	skipped []int
}

// end is where the fields end.
func (l *layout) end() int64 { return l.Vtable + 4 + 2*int64(l.Slots) }

// place is a field inside a table.
type place struct {
	Slot  *Slot // nil: unknown to the schema
	id    int
	Start int64
	width int64
}

// Kind is a kind of structural problem of a buffer.
type Kind uint8

// The kinds of issues (section 4.6).
const (
	NoRoot        Kind = iota // the root offset leads nowhere
	NoVtable                  // a table does not lead to a vtable
	BadVtable                 // the sizes of a vtable cannot be right
	SlotOutside               // a field lies outside its table
	SlotOverlap               // two fields overlap
	OffsetOutside             // an offset leads outside, or to itself
	LongVector                // a vector extends past the end of the buffer
	LongText                  // a string extends past the end of the buffer
	NoZero                    // no zero byte after a string
	NotUTF8                   // a string is not UTF-8
	Unaligned                 // a value is not at a multiple of its size
	Conflict                  // two objects overlap
	TooDeep                   // tables nest too deep, or objects overlap endlessly
	UnknownSlot               // a field that the schema does not know
	Unreached                 // bytes that nothing refers to
	NeverSet                  // an offset of a graph of 2017 leads to the end: its writer marked an omitted item that way
	IssueKinds
)

// grave tells whether a part of the buffer cannot be read because of it.
func (k Kind) grave() bool {
	switch k {
	case NoZero, NotUTF8, Unaligned, UnknownSlot, Unreached, NeverSet:
		return false
	}
	return true
}

// Issue is a fault that the walk found, at an offset of the buffer.
type Issue struct {
	Kind     Kind
	Off, Len int64
	Message  string
}

// Map is a FlatBuffers buffer that has been walked by the schema: every byte of it belongs to an object, in the order of the
// file. It implements model.Parts.
type Map struct {
	Gen     string // S0 … S4; "" unless the root is a graph
	Root    *Table
	Types   map[string]*Table // all tables of the generation
	Objs    []object
	order   []int32 // of Objs, and ^k for gaps[k], by offset: they tile the buffer
	gaps    []gap
	Layouts []*layout
	Issues  []Issue
	perKind [IssueKinds]int
	// Size is the length of the buffer, extent the used part of it: the last claimed byte, rounded up to 8.
	Size, Extent int64
	Unknown      int     // slots that the schema does not know
	far          []int64 // length the buffer needs for the objects that extend past its end
	// Tangled means that objects overlap, or are shared, so often that reading the graph would take many times its size: its
	// content is not examined.
	Tangled bool
	Crowded bool // tangled because there are more objects than are read

	restoring sync.Once
	restored  Buffer // with the descriptions of fields that are lost
}

// Laid is a table of a buffer, with its vtable.
type Laid struct {
	*layout
	At   int64
	Type *Table
}

// laid is an object as a table; ok is false if it is none, or its vtable cannot be read.
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

// Offsets are the places of all forward offsets of the buffer, in tables and in lists, as far as the walk came. Each comes with its
// field; in a list, with one like its elements.
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
