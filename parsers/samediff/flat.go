package samediff

import (
	"fmt"
	"math"
	"unicode/utf8"

	"spandrel/model"
)

// Limits of the walk over a FlatBuffers buffer (section 3.2).
const (
	maxDepth  = 64
	maxTables = 4_000_000
	maxSlots  = 64 // of a table that are looked at: no type has as many
	maxIssues = model.MaxPerRule
	maxZeros  = 16 << 20 // how many bytes between objects are looked at while opening
	// tableCost is what a table costs to read beside its bytes, in units of 16: that much is no more than 16 times a table of 8
	// bytes with the offset to it, and half of what an offset of 4 bytes costs that leads to a table which others share.
	tableCost = 8
)

// objKind is what an object of a buffer is.
type objKind uint8

const (
	objRoot    objKind = iota // the offset to the root table
	objVtable                 // sizes and slots of tables
	objTable                  // a table
	objVector                 // a vector of numbers
	objRaw                    // a vector of raw bytes
	objOffsets                // a vector of offsets
	objString                 // a string
	objPad                    // zeros that nothing refers to
	objOrphan                 // other bytes that nothing refers to
)

// obj is an object of a buffer: where it lies and who refers to it first. The names of a million objects follow from these few
// bytes.
type obj struct {
	off, len uint32
	parent   int32  // the table or vector that refers to it; -1 for the root
	elem     int32  // position in a vector that refers to it
	layout   int32  // of a table; 1 for a string with its zero byte
	unfold   uint32 // what it and all that it refers to cost to read, each as often as it is reached: see tableCost; in units of 16
	slot     uint8  // of a table that refers to it
	kind     objKind
}

// layout is how the tables with one vtable of one type are laid out.
type layout struct {
	vtable int64
	slots  int
	size   int64 // of the table; 0 when the vtable is unsound
	fields []place
	kids   []model.Part
	used   int // tables that have it
	// skipped are fields with offsets that overlap others, or lead out of the table.
	skipped []int
}

// place is a field inside a table.
type place struct {
	slot  *tableSlot // nil: unknown to the schema
	id    int
	start int64
	width int64
}

// issue is a finding of the walk, at an offset of the buffer.
type issue struct {
	rule     *model.Rule
	off, len int64
	message  string
}

// flat is a FlatBuffers buffer that has been walked by the schema: every byte of it belongs to an object, in the order of the
// file. It implements model.Parts.
type flat struct {
	gen     string // S0 … S4; "" unless the root is a graph
	root    *table
	objs    []obj
	order   []int32 // of objs, by offset; they tile the buffer
	layouts []*layout
	issues  []issue
	perRule map[*model.Rule]int
	// size is how long the buffer is, extent what of it is used: the last byte that something claims, rounded up to 8.
	size, extent int64
	tables       int
	unknown      int // slots that the schema does not know
	// tangled tells that objects overlap, or are shared, so often that reading the graph would take many times its size: its
	// content is not looked at.
	tangled bool
}

// walker is the state of a walk.
type walker struct {
	*flat
	b  buf
	at map[uint32]int32 // offset to object
	ly map[layoutKey]int32

	work, most int64 // bytes of objects so far, and how many there may be
}

type layoutKey struct {
	vtable int64
	table  *table
}

// walk walks a buffer whose root is of a type. The buffer may be followed by something else: limit, if not nil, is told the end of
// the last object and says where the buffer ends.
func walk(b buf, root *table, limit func(end int64) int64) *flat {
	f := &flat{root: root, size: b.len(), perRule: map[*model.Rule]int{}}
	w := &walker{flat: f, b: b, at: map[uint32]int32{}, ly: map[layoutKey]int32{}, most: 16*b.len() + 64<<20}
	if b.len() < 4 {
		w.issue(sdf(120), 0, b.len(), "no room for a root offset")
	} else {
		w.add(obj{len: 4, parent: -1, elem: -1, kind: objRoot})
		if r := b.root(); r == 0 {
			w.issue(sdf(120), 0, 4, "the root offset %d is not a multiple of 4 from 4 to %d", b.u32(0), b.len()-4)
		} else {
			unfold := int64(w.table(r, root, -1, 0, -1, 0, 0)) * 16
			f.tangled = f.tangled || unfold > w.most
		}
	}
	w.tile(limit)
	return f
}

func (f *flat) issue(r *model.Rule, off, n int64, format string, args ...any) {
	if f.perRule[r]++; f.perRule[r] <= maxIssues {
		f.issues = append(f.issues, issue{r, off, n, fmt.Sprintf(format, args...)})
	}
}

// spend counts the bytes of an object; false when there are more than a sound buffer could have.
func (w *walker) spend(at, n int64) bool {
	if w.work += n; w.work > w.most {
		if !w.tangled {
			w.issue(sdf(133), at, 4, "objects overlap: they claim many times the bytes of the buffer")
		}
		w.tangled = true
	}
	return !w.tangled
}

// sum adds sizes in units of 16, without overflow.
func sum(a, b uint32) uint32 {
	if a > math.MaxUint32-b {
		return math.MaxUint32
	}
	return a + b
}

func (w *walker) add(o obj) int32 {
	i := int32(len(w.objs))
	w.objs = append(w.objs, o)
	w.at[o.off] = i
	return i
}

// seen tells whether an object was placed at an offset before: sharing equal objects is legal, two types at one place are not.
func (w *walker) seen(off int64, kind objKind, t *table, width int64) (unfold uint32, ok bool) {
	i, ok := w.at[uint32(off)]
	if !ok {
		return 0, false
	}
	o := w.objs[i]
	same := o.kind == kind
	switch {
	case !same:
	case kind == objTable:
		same = w.tableOf(o) == t
	case kind == objVector && o.len > 4:
		same = w.slotOf(o).width == width
	case kind == objOffsets && o.len > 4:
		same = w.slotOf(o).table == t
	}
	if !same {
		w.issue(sdf(132), off, int64(o.len), "claimed as %s and as %s", kindNames[o.kind], kindNames[kind])
		w.reread(off, kind, t, width, 0)
	}
	return o.unfold, true
}

var kindNames = [...]string{"the root offset", "a vtable", "a table", "a vector of numbers", "a vector of bytes", "a vector of offsets", "a string", "padding", "an orphan"}

// tableOf returns the type of a table object.
func (f *flat) tableOf(o obj) *table {
	if o.parent < 0 {
		return f.root
	}
	if p := f.objs[o.parent]; p.kind == objOffsets {
		return f.slotOf(p).table
	}
	return f.slotOf(o).table
}

// slotOf returns the field of the schema through which an object, other than the root table, is reached.
func (f *flat) slotOf(o obj) *tableSlot {
	p := f.objs[o.parent]
	if p.kind == objOffsets {
		return f.slotOf(p)
	}
	return &f.tableOf(p).slots[o.slot]
}

// table places a table and what it refers to, and returns how much that unfolds to. from is where the offset to it stands.
func (w *walker) table(off int64, t *table, parent int32, slot uint8, elem int32, depth int, from int64) (unfold uint32) {
	if depth > maxDepth {
		w.issue(sdf(133), from, 4, "tables nest deeper than %d", maxDepth)
		return 0
	}
	if u, ok := w.seen(off, objTable, t, 0); ok {
		return u
	}
	if w.tables >= maxTables {
		w.issue(sdf(133), from, 4, "more than %d tables", maxTables)
		w.tangled = true
		return 0
	}
	if !w.spend(from, 4) {
		return 0
	}
	w.tables++
	self := w.add(obj{off: uint32(off), len: 4, parent: parent, elem: elem, slot: slot, kind: objTable, layout: -1})
	ly := w.layout(off, t, self)
	if ly < 0 {
		return 0
	}
	l := w.layouts[ly]
	if l.size > 0 && off+l.size > w.b.len() {
		w.issue(sdf(122), l.vtable+2, 2, "a table of %d bytes at 0x%x ends behind the buffer", l.size, off)
	}
	if l.size == 0 || off+l.size > w.b.len() {
		w.reread(off, objTable, t, 0, 0)
		return 0
	}
	for _, id := range l.skipped {
		w.reread(w.b.ref(off, id), t.slots[id].kind(), t.slots[id].table, t.slots[id].width, 0)
	}
	if !w.spend(off, l.size) {
		return 0
	}
	l.used++
	w.objs[self].len, w.objs[self].layout = uint32(l.size), ly
	at := int64(4)
	for _, p := range l.fields {
		if p.start > at && !allZero(w.b[off+at:off+p.start]) {
			w.issue(sdf(135), off+at, p.start-at, "bytes inside a table that no field has")
		}
		at = p.start + p.width
	}
	if at < l.size && !allZero(w.b[off+at:off+l.size]) {
		w.issue(sdf(135), off+at, l.size-at, "bytes inside a table that no field has")
	}
	for _, p := range l.fields {
		pos := off + p.start
		if p.slot == nil {
			continue
		}
		if pos%p.width != 0 {
			w.issue(sdf(131), pos, p.width, "%s is not aligned to %d bytes", p.slot.name, p.width)
		}
		if p.slot.offset() {
			unfold = sum(unfold, w.reach(pos, p.slot, self, uint8(p.id), depth))
		}
	}
	w.objs[self].unfold = sum(unfold, uint32(l.size/16+tableCost))
	return w.objs[self].unfold
}

// reach follows the offset of a field.
func (w *walker) reach(pos int64, s *tableSlot, parent int32, id uint8, depth int) (unfold uint32) {
	to, ok := w.target(pos, s)
	if !ok {
		return 0
	}
	switch kind := s.kind(); kind {
	case objString:
		return w.str(to, parent, id, -1)
	case objTable:
		return w.table(to, s.table, parent, id, -1, depth+1, pos)
	case objOffsets:
		return w.offsets(to, s, parent, id, depth)
	default:
		_, _, unfold = w.vector(to, s, kind, parent, id)
		return unfold
	}
}

func (w *walker) target(pos int64, s *tableSlot) (int64, bool) {
	u := w.b.u32(pos)
	if to := pos + u; u != 0 && to <= w.b.len()-4 {
		return to, true
	}
	w.issue(sdf(126), pos, 4, "the offset %d of %s leads outside or to itself", u, s.name)
	return 0, false
}

func (w *walker) str(off int64, parent int32, id uint8, elem int32) uint32 {
	if u, ok := w.seen(off, objString, nil, 0); ok {
		return u
	}
	n := w.b.u32(off)
	end := off + 4 + n
	if end > w.b.len() {
		w.issue(sdf(128), off, 4, "a string of %d bytes, %d are left", n, w.b.len()-off-4)
		return 0
	}
	if !w.spend(off, n) {
		return 0
	}
	if !utf8.Valid(w.b[off+4 : end]) {
		w.issue(sdf(130), off+4, n, "the string is not UTF-8")
	}
	size, ended := 4+n, int32(0)
	if end < w.b.len() && w.b[end] == 0 {
		size, ended = size+1, 1
	} else {
		w.issue(sdf(129), end, 1, "no zero byte behind the string")
	}
	o := obj{off: uint32(off), len: uint32(size), parent: parent, elem: elem, slot: id, kind: objString, layout: ended, unfold: uint32(n/16 + 1)}
	w.add(o)
	return o.unfold
}

// vector checks a vector and places it. It returns -1 when there is nothing new: then unfold is what it comes to.
func (w *walker) vector(off int64, s *tableSlot, kind objKind, parent int32, id uint8) (self int32, n int64, unfold uint32) {
	if u, ok := w.seen(off, kind, s.table, s.width); ok {
		return -1, 0, u
	}
	n = w.b.u32(off)
	if off+4+n*s.width > w.b.len() {
		w.issue(sdf(127), off, 4, "%s: %d elements of %d bytes, %d bytes are left", s.name, n, s.width, w.b.len()-off-4)
		return -1, 0, 0
	}
	if !w.spend(off, n*s.width) {
		return -1, 0, 0
	}
	if off%4 != 0 || n > 0 && (off+4)%s.width != 0 {
		w.issue(sdf(131), off, 4, "%s: the vector is not aligned to %d bytes", s.name, max(4, s.width))
	}
	unfold = uint32(n*s.width/16 + 1)
	return w.add(obj{off: uint32(off), len: uint32(4 + n*s.width), parent: parent, elem: -1, slot: id, kind: kind, unfold: unfold}), n, unfold
}

func (w *walker) offsets(off int64, s *tableSlot, parent int32, id uint8, depth int) uint32 {
	self, n, unfold := w.vector(off, s, objOffsets, parent, id)
	if self < 0 {
		return unfold
	}
	bad := w.perRule[sdf(126)]
	for i := range n {
		pos := off + 4 + 4*i
		if w.perRule[sdf(126)]-bad > maxIssues { // a vector of noise
			if !w.spend(pos, 4) {
				break
			}
			kind := objTable
			if s.str {
				kind = objString
			}
			w.reread(w.b.follow(pos), kind, s.table, 1, depth+1)
			continue
		}
		to, ok := w.target(pos, s)
		switch {
		case !ok:
		case s.str:
			unfold = sum(unfold, w.str(to, self, id, int32(i)))
		default:
			unfold = sum(unfold, w.table(to, s.table, self, id, int32(i), depth+1, pos))
		}
	}
	w.objs[self].unfold = unfold
	return unfold
}
