package flat

import (
	"fmt"
	"unicode/utf8"

	"spandrel/model"
)

// Limits of the walk over a FlatBuffers buffer (section 3.2).
const (
	MaxDepth = 64
	// MaxObjects is how many tables, vectors and strings are read: a graph of 400,000 operations has as many.
	MaxObjects = 6_500_000
	maxSlots   = 64 // slots of a table that are read: no type has more
	maxIssues  = model.MaxPerRule
	maxZeros   = 16 << 20 // bytes between objects that are examined on opening
	// tableCost is what a table costs to read besides its bytes, in units of 16: no more than 16 times a table of 8
	// bytes with the offset to it, and half of the cost of a 4-byte offset to a table that others share.
	tableCost = 8
)

var mostObjects = MaxObjects // a variable, so that tests can lower it

// objectKind is what an object of a buffer is.
type objectKind uint8

const (
	RootObject    objectKind = iota // the offset to the root table
	vtableObject                    // sizes and slots of tables
	TableObject                     // a table
	VectorObject                    // a vector of numbers
	RawObject                       // a vector of raw bytes
	OffsetsObject                   // a vector of offsets
	StringObject                    // a string
	lengthObject                    // the length of a vector or string that extends past the end of the buffer
	PadObject                       // zeros that nothing refers to
	orphanObject                    // other bytes that nothing refers to
)

// walker is the state of a walk.
type walker struct {
	*Map
	b  Buffer
	at map[uint32]int32 // offset to object
	ly map[layoutKey]int32

	work, most int64 // bytes of objects so far, and how many there may be
}

type layoutKey struct {
	vtable int64
	table  *Table
}

// walk walks a buffer whose root is of a type.
func walk(b Buffer, root *Table, limit func(end int64) int64, gen string, types map[string]*Table) *Map {
	f := &Map{Gen: gen, Types: types, Root: root, Size: b.Len()}
	w := &walker{Map: f, b: b, at: map[uint32]int32{}, ly: map[layoutKey]int32{}, most: 16*b.Len() + 64<<20}
	if b.Len() < 4 {
		w.issue(NoRoot, 0, b.Len(), "no room for a root offset")
	} else {
		front := reference{parent: -1, elem: -1}
		w.add(front.to(0, 4, RootObject))
		if r := b.Root(); r == 0 {
			w.issue(NoRoot, 0, 4, "the root offset %d is not a multiple of 4 from 4 to %d", b.U32(0), b.Len()-4)
		} else {
			unfold := int64(w.table(r, root, front)) * 16
			f.Tangled = f.Tangled || unfold > w.most
		}
	}
	w.tile(limit)
	return f
}

func (w *walker) issue(k Kind, off, n int64, format string, args ...any) {
	if w.perKind[k]++; w.perKind[k] <= maxIssues {
		w.Issues = append(w.Issues, Issue{k, off, n, fmt.Sprintf(format, args...)})
	}
}

// beyond notes what leads beyond the end of the buffer.
func (w *walker) beyond(end int64) {
	if end > w.b.Len() && len(w.far) < maxIssues {
		w.far = append(w.far, end)
	}
}

// seen tells whether an object was placed at an offset before: sharing equal objects is legal, two types at one place are not.
func (w *walker) seen(off int64, kind objectKind, t *Table, width int64) (unfold uint32, ok bool) {
	i, ok := w.at[uint32(off)]
	if !ok {
		return 0, false
	}
	o := w.Objs[i]
	same := o.Kind == kind || o.Kind == lengthObject
	switch {
	case !same, o.Kind == lengthObject:
	case kind == TableObject:
		same = w.TableOf(o) == t
	case kind == VectorObject && o.Len > 4:
		same = w.SlotOf(o).Width == width
	case kind == OffsetsObject && o.Len > 4:
		same = w.SlotOf(o).table == t
	}
	if !same {
		w.issue(Conflict, off, int64(o.Len), "claimed as %s and as %s", kindNames[o.Kind], kindNames[kind])
		w.reread(off, kind, t, width, 0)
	}
	return o.unfold, true
}

// reference is an offset to an object: its place, and its table or vector.
type reference struct {
	parent int32 // -1 for the offset to the root
	elem   int32 // position in a vector; -1 in a table
	slot   uint8 // of a table
	depth  int   // depth of tables around the target
	at     int64
}

// to is an object of n bytes that the reference leads to.
func (r reference) to(off, n int64, kind objectKind) object {
	return object{Off: uint32(off), Len: uint32(n), parent: r.parent, elem: r.elem, slot: r.slot, Kind: kind}
}

// table places a table and what it refers to, and returns its unfolded size.
func (w *walker) table(off int64, t *Table, r reference) (unfold uint32) {
	if r.depth > MaxDepth {
		w.issue(TooDeep, r.at, 4, "tables are nested deeper than %d levels", MaxDepth)
		return 0
	}
	if u, ok := w.seen(off, TableObject, t, 0); ok {
		return u
	}
	if !w.spend(r.at, 4) {
		return 0
	}
	o := r.to(off, 4, TableObject)
	o.Layout = -1
	self := w.add(o)
	ly := w.layout(off, t, self)
	if ly < 0 {
		return 0
	}
	l := w.Layouts[ly]
	if !w.fits(off, l) {
		w.reread(off, TableObject, t, 0, 0)
		return 0
	}
	for _, id := range l.skipped {
		w.reread(w.b.Ref(off, id), t.Slots[id].kind(), t.Slots[id].table, t.Slots[id].Width, 0)
	}
	if !w.spend(off, l.Size) {
		return 0
	}
	l.Used++
	w.Objs[self].Len, w.Objs[self].Layout = uint32(l.Size), ly
	w.holes(off, l)
	unfold = uint32(l.Size/16 + tableCost)
	for _, p := range l.Fields {
		if p.Slot != nil {
			unfold = sum(unfold, w.field(p, reference{self, -1, uint8(p.id), r.depth + 1, off + p.Start}))
		}
	}
	w.Objs[self].unfold = unfold
	return unfold
}

// fits tells whether a table ends inside the buffer.
func (w *walker) fits(off int64, l *layout) bool {
	if l.Size == 0 || off+l.Size <= w.b.Len() {
		return l.Size > 0
	}
	w.issue(BadVtable, l.Vtable+2, 2, "a table of %d bytes at 0x%x ends past the buffer", l.Size, off)
	if n := len(l.Fields); n > 0 {
		w.beyond(off + l.Fields[n-1].Start + l.Fields[n-1].width)
	}
	return false
}

// holes reports non-zero bytes of a table that belong to no field.
func (w *walker) holes(off int64, l *layout) {
	hole := func(from, to int64) {
		if from < to && !model.AllZero(w.b[off+from:off+to]) {
			w.issue(Unreached, off+from, to-from, "bytes inside a table that belong to no field")
		}
	}
	at := int64(4)
	for _, p := range l.Fields {
		hole(at, p.Start)
		at = p.Start + p.width
	}
	hole(at, l.Size)
}

// field examines a field and places its target, if it has one.
func (w *walker) field(p place, r reference) (unfold uint32) {
	s := p.Slot
	if r.at%p.width != 0 {
		w.issue(Unaligned, r.at, p.width, "%s is not aligned to %d bytes", s.Name, p.width)
	}
	if !s.IsOffset() {
		return 0
	}
	to, ok := w.target(r.at, s)
	if !ok {
		return 0
	}
	switch kind := s.kind(); kind {
	case StringObject:
		return w.str(to, r)
	case TableObject:
		return w.table(to, s.table, r)
	case OffsetsObject:
		return w.offsets(to, s, r)
	default:
		_, _, unfold = w.vector(to, s, kind, r)
		return unfold
	}
}

func (w *walker) target(pos int64, s *Slot) (int64, bool) {
	u := w.b.U32(pos)
	if to := pos + u; u != 0 && to <= w.b.Len()-4 {
		if to%4 != 0 && !begins(w.b, to, s) {
			w.issue(OffsetOutside, pos, 4, "the offset %d of %s is not aligned to a word", u, s.Name)
			return 0, false
		}
		return to, true
	}
	if end := pos + u; w.Gen == "S0" && (end == w.b.Len() || end == w.b.Len()+1) { // what 0 and -1 mean there
		w.issue(NeverSet, pos, 4, "%s was never set", s.Name)
		return 0, false
	}
	w.beyond(pos + u + 4)
	w.issue(OffsetOutside, pos, 4, "the offset %d of %s leads outside or to itself", u, s.Name)
	return 0, false
}

// begins tells whether the target of a field may be at a position: it would end inside the buffer.
func begins(b Buffer, at int64, s *Slot) bool {
	switch s.kind() {
	case StringObject:
		return at+4+b.U32(at) <= b.Len()
	case TableObject:
		return b.Sound(at)
	}
	return at+4+b.U32(at)*max(1, s.Width) <= b.Len()
}

func (w *walker) str(off int64, r reference) uint32 {
	if u, ok := w.seen(off, StringObject, nil, 0); ok {
		return u
	}
	n := w.b.U32(off)
	end := off + 4 + n
	if end > w.b.Len() {
		w.beyond(end)
		w.issue(LongText, off, 4, "a string of %d bytes, but %d are left", n, w.b.Len()-off-4)
		w.unread(off, 1, r)
		return 0
	}
	if !w.spend(off, n) {
		return 0
	}
	if off%4 != 0 {
		w.issue(Unaligned, off, 4, "the string is not aligned to 4 bytes")
	}
	if !utf8.Valid(w.b[off+4 : end]) {
		w.issue(NotUTF8, off+4, n, "the string is not UTF-8")
	}
	o := r.to(off, 4+n, StringObject)
	if end < w.b.Len() && w.b[end] == 0 {
		o.Len, o.Layout = o.Len+1, 1
	} else {
		if end == w.b.Len() && n > 0 && w.b[end-1] != 0 {
			w.beyond(end + 1)
		}
		w.issue(NoZero, end, 1, "no zero byte after the string")
	}
	o.unfold = uint32(n/16 + 1)
	w.add(o)
	return o.unfold
}

// unread places the length of what ends after the end of the buffer: of a text, if layout is 1, or of a vector.
func (w *walker) unread(off int64, layout int32, r reference) {
	if w.spend(off, 4) {
		o := r.to(off, 4, lengthObject)
		o.Layout = layout
		w.add(o)
	}
}

// vector checks a vector and places it. It returns -1 if it is not new: unfold is its unfolded size then.
func (w *walker) vector(off int64, s *Slot, kind objectKind, r reference) (self int32, n int64, unfold uint32) {
	if u, ok := w.seen(off, kind, s.table, s.Width); ok {
		return -1, 0, u
	}
	n = w.b.U32(off)
	if off+4+n*s.Width > w.b.Len() {
		w.beyond(off + 4 + n*s.Width)
		w.issue(LongVector, off, 4, "%s: %d elements of %d bytes, but %d bytes are left", s.Name, n, s.Width, w.b.Len()-off-4)
		w.unread(off, 0, r)
		return -1, 0, 0
	}
	if !w.spend(off, n*s.Width) {
		return -1, 0, 0
	}
	if off%4 != 0 || n > 0 && (off+4)%s.Width != 0 {
		w.issue(Unaligned, off, 4, "%s: the vector is not aligned to %d bytes", s.Name, max(4, s.Width))
	}
	o := r.to(off, 4+n*s.Width, kind)
	o.unfold = uint32(n*s.Width/16 + 1)
	return w.add(o), n, o.unfold
}

// offsets places a vector of offsets and their targets.
func (w *walker) offsets(off int64, s *Slot, r reference) uint32 {
	self, n, unfold := w.vector(off, s, OffsetsObject, r)
	if self < 0 {
		return unfold
	}
	one, bad := s.element(), w.perKind[OffsetOutside]
	for i := range n {
		at := off + 4 + 4*i
		if w.Crowded {
			break
		}
		if w.perKind[OffsetOutside]-bad > maxIssues { // a vector of noise
			if !w.spend(at, 4) {
				break
			}
			w.reread(w.b.Follow(at), one.kind(), one.table, 1, r.depth)
			continue
		}
		to, ok := w.target(at, s)
		elem := reference{self, int32(i), r.slot, r.depth, at}
		switch {
		case !ok:
		case s.Str:
			unfold = sum(unfold, w.str(to, elem))
		default:
			unfold = sum(unfold, w.table(to, s.table, elem))
		}
	}
	w.Objs[self].unfold = unfold
	return unfold
}
