package flat

import (
	"fmt"
	"math"
)

// Late tells whether the rules about content apply: generation S3 and later (section 4.7).
func (f *Map) Late() bool { return f.Gen == "S3" || f.Gen == "S4" || f.Gen == "S2b" }

// GraphAt returns where the FlatGraph of a buffer is.
func (f *Map) GraphAt(b Buffer) int64 {
	switch f.Root.Name {
	case "FlatGraph":
		return b.Root()
	case "ModelContainer":
		return b.Ref(b.Root(), 3)
	}
	return 0
}

// ShapeWidth is how wide the numbers of shapes are.
func (f *Map) ShapeWidth() int64 {
	if f.Gen == "S0" || f.Gen == "S1" {
		return 4
	}
	return 8
}

// RootAt returns where the root table is.
func (f *Map) RootAt() int64 {
	if i := f.child(-1, 0, -1, TableObject); i >= 0 {
		return int64(f.Objs[i].Off)
	}
	return -1
}

// Waste tells whether rewriting the buffer could make it smaller, because something in it is unreferenced.
func (f *Map) Waste() bool {
	for i := range f.Count() {
		if o := f.Piece(i); o.Kind == orphanObject || o.Kind == PadObject && o.Len >= wide {
			return true
		}
	}
	return false
}

// Damaged tells whether something in the buffer cannot be reached: it must not be overwritten, because more would be lost.
func (f *Map) Damaged() bool {
	return f.RootAt() < 0 || f.Grave()
}

// Copyable is an error if a buffer cannot be rewritten.
func (f *Map) Copyable() error {
	switch {
	case f.Tangled:
		return fmt.Errorf("the buffer is too tangled to rewrite")
	case f.Unknown > 0:
		return fmt.Errorf("the buffer has unknown fields and cannot be rewritten")
	case !f.Late() && f.Gen != "":
		return fmt.Errorf("graphs of generation %s can only be edited in place", f.Gen)
	}
	return nil
}

// Open walks a buffer whose root is a table with a name, by the schema of the generation that wrote it. Something else may follow the buffer: limit,
// if not nil, gets the end of the last object and returns where the buffer ends.
func Open(b Buffer, root string, limit func(end int64) int64) *Map {
	gen, types := "", schema{}.tables()
	switch root {
	case "FlatGraph":
		gen, types = generation(b, b.Root())
	case "ModelContainer":
		gen, types = generation(b, b.Ref(b.Root(), 3))
	}
	return walk(b, types[root], limit, gen, types)
}

// Rewritten rewrites the buffer with changes (nil: none), and returns the bytes (section 5.4, rebuild).
func (f *Map) Rewritten(b Buffer, change func(c *Copy)) ([]byte, error) {
	c := &Copy{Map: f, B: b}
	if change != nil {
		change(c)
	}
	return c.Build(b.Root(), f.Root)
}

// NewVariables tells whether variables have a type of their own, as since late 2018.
func (f *Map) NewVariables() bool { return f.Types["FlatVariable"].Slots[2].Name == "dtype" }

// Names, costs and ends of the objects of a buffer.

var kindNames = [...]string{"the root offset", "a vtable", "a table", "a vector of numbers", "a vector of bytes", "a vector of offsets",
	"a string", "a length", "padding", "an orphan"}

// Piece returns the object at a position in file order.
func (f *Map) Piece(i int64) object {
	if k := f.order[i]; k >= 0 {
		return f.Objs[k]
	}
	return f.gaps[^f.order[i]].object()
}

// object returns a gap as one.
func (g gap) object() object {
	o := object{Off: g.off, Len: g.n &^ orphaned, parent: -1, elem: -1, Kind: PadObject}
	if g.n&orphaned != 0 {
		o.Kind = orphanObject
	}
	return o
}

// TableOf returns the type of a table object.
func (f *Map) TableOf(o object) *Table {
	if o.parent < 0 {
		return f.Root
	}
	if p := f.Objs[o.parent]; p.Kind == OffsetsObject {
		return f.SlotOf(p).table
	}
	return f.SlotOf(o).table
}

// SlotOf returns the field of the schema through which an object is reached; nil for the root table, and for unreferenced objects.
func (f *Map) SlotOf(o object) *Slot {
	if o.parent < 0 {
		return nil
	}
	p := f.Objs[o.parent]
	if p.Kind == OffsetsObject {
		return f.SlotOf(p)
	}
	return &f.TableOf(p).Slots[o.slot]
}

// spend counts the bytes of an object; false if there are more than a sound buffer could have, or more objects than are read.
func (w *walker) spend(at, n int64) bool {
	if w.work += n; w.work > w.most {
		if !w.Tangled {
			w.issue(TooDeep, at, 4, "objects overlap: they claim many times the bytes of the buffer")
		}
		w.Tangled = true
	}
	w.Crowded = w.Crowded || len(w.Objs) > mostObjects
	w.Tangled = w.Tangled || w.Crowded
	return !w.Tangled
}

// sum adds sizes in units of 16, without overflow.
func sum(a, b uint32) uint32 {
	if a > math.MaxUint32-b {
		return math.MaxUint32
	}
	return a + b
}

func (w *walker) add(o object) int32 {
	i := int32(len(w.Objs))
	w.Objs = append(w.Objs, o)
	w.at[o.Off] = i
	return i
}

// Cut returns how long the buffer must have been if it was truncated: several offsets lead beyond its end, though not far, and all but
// a little of its bytes is in use. ok is false if single wrong numbers explain it as well, or if it is torn: if too many objects that are all in the buffer
// contradict each other for one that was truncated, bytes are missing inside, or were inserted.
func (f *Map) Cut() (size int64, torn, ok bool) {
	const few = 2
	if f.perKind[BadVtable]+f.perKind[SlotOutside]+f.perKind[SlotOverlap]+f.perKind[Conflict] > few {
		return 0, true, false
	}
	most, lost := 2*f.Size+1<<20, int64(0)
	for _, end := range f.far {
		if end <= most {
			size = max(size, end)
		} else {
			lost++
		}
	}
	if f.Size%4 != 0 && size > f.Size && lost == 0 { // longer than any buffer
		return size, false, true
	}
	if len(f.far) == 2 && lost == 0 && f.far[0] != f.far[1] && size-f.Size < 4*mostTail {
		return size, false, true // two wrong numbers would lead further
	}
	return size, false, len(f.far) > 2 && lost*4 < int64(len(f.far)) && 16*f.perKind[Conflict] <= len(f.far)
}

// End returns where the used bytes end.
func (f *Map) End() (end int64) {
	for _, o := range f.Objs {
		end = max(end, int64(o.Off)+int64(o.Len))
	}
	return end
}
