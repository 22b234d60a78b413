package flat

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"spandrel/model"
)

// Correction is a number of a buffer that should be another: its place, and its right bytes.
type Correction struct {
	At    int64
	Bytes []byte
	What  string // in words: "set the count to 4"
	Clean bool   // the walk then finds no errors
}

// Bounds of the search for corrections.
const (
	maxTrials  = 1024     // for the first issue; each further one has half of it, as it is likelier to be a consequence
	trialBytes = 64 << 20 // of all walks together
)

// Corrections looks for single numbers whose change leaves less wrong with the buffer than an issue and its consequences: each candidate
// is tried by walking the buffer again. The best come first; root is the name of the root table, n how many issues come before.
func (f *Map) Corrections(ctx context.Context, b Buffer, root string, is Issue, n int) (out []Correction) {
	m := correcting{ctx: ctx, f: f, b: slices.Clone(b), root: root, best: badness(f), left: maxTrials >> n}
	if b.Len() > 0 {
		m.left = int(min(int64(m.left), trialBytes/b.Len()))
	}
	switch is.Kind {
	case NoRoot:
		m.roots()
	case NoVtable:
		m.vtables(is.Off)
		m.referrer(is.Off)
	case BadVtable:
		m.sizes(is.Off)
	case SlotOutside, SlotOverlap:
		m.slots(is.Off)
	case OffsetOutside:
		m.offset(is.Off)
	case LongVector, LongText, NoZero:
		m.counts(is.Off, is.Kind)
		m.referrer(is.Off)
	case Conflict, Unreached, Unaligned, NotUTF8:
		m.around(is.Off)
		m.referrer(is.Off)
	}
	if is.Kind == Unreached || is.Kind == Conflict {
		m.lost()
	}
	slices.SortStableFunc(m.out, func(x, y tried) int { return slices.Compare(x.score[:], y.score[:]) })
	for _, x := range m.out {
		if slices.Equal(x.score[:3], m.out[0].score[:3]) && !slices.ContainsFunc(out,
			func(o Correction) bool { return o.At == x.At && bytes.Equal(o.Bytes, x.Bytes) }) {
			out = append(out, x.Correction)
		}
	}
	return out
}

// score rates a correction, less is better: the remaining problems, grave and other, the bytes of tables outside all fields, and whether
// the change is not a typical damage.
type score [4]int

// badness rates a walk: less is better. Unreferenced bytes count as lost by an offset.
func badness(f *Map) (n score) {
	for k, c := range f.perKind {
		switch {
		case Kind(k).grave():
			n[0] += c
		case Kind(k) != UnknownSlot:
			n[1] += c
		}
	}
	if f.RootAt() < 0 {
		n[0] += 1000
	}
	for _, l := range f.Layouts {
		n[2] += l.holes()
	}
	for i := range f.Count() {
		if o := f.Piece(i); o.Kind == PadObject && o.Len >= wide {
			n[2] += int(o.Len)
		}
	}
	return n
}

// wide is from how many bytes on padding is more than an alignment needs.
const wide = 8

// holes is how many bytes of a table belong to no field, except those that align the next field. Tables are written from
// their end: what is left over there aligned the last field.
func (l *layout) holes() (n int) {
	at, width := int64(4), int64(1)
	for _, p := range l.Fields {
		width = max(1, p.width)
		n += int((p.Start - at) / width * width)
		at = p.Start + p.width
	}
	return n + int(max(0, l.Size-at)/width*width)
}

// usual tells whether typical damage turns one number into another: one byte or bit, one more or less, the double, the other byte
// order, zero.
func usual(is, was []byte) bool {
	turned := slices.Clone(is)
	slices.Reverse(turned)
	x, y := number(is), number(was)
	most := uint64(1)<<(8*len(is)) - 1
	return model.Differ(is, was) == 1 || bytes.Equal(turned, was) || x == y+1 || y == x+1 || x == 2*y+1 || x == 0 || x == most
}

func number(b []byte) (n uint64) {
	for i := range b {
		n |= uint64(b[i]) << (8 * i)
	}
	return n
}

type tried struct {
	Correction
	score score
}

// correcting is a search for corrections.
type correcting struct {
	ctx  context.Context
	f    *Map
	b    Buffer
	root string
	best score
	left int
	out  []tried
	// strict accepts only what leaves nothing wrong: for guesses that start from unreferenced bytes, not from the fault.
	strict bool
}

// try walks the buffer with other bytes at a place.
func (m *correcting) try(at int64, with []byte, format string, args ...any) {
	if m.left <= 0 || m.ctx.Err() != nil || at < 0 || at+int64(len(with)) > m.b.Len() || bytes.Equal(m.b[at:at+int64(len(with))], with) {
		return
	}
	m.left--
	old := bytes.Clone(m.b[at : at+int64(len(with))])
	copy(m.b[at:], with)
	score := badness(Open(m.b, m.root, nil))
	copy(m.b[at:], old)
	if slices.Compare(score[:2], m.best[:2]) < 0 && !(m.strict && score[0]+score[1] > 0) {
		if !usual(old, with) {
			score[3] = 1
		}
		m.out = append(m.out, tried{Correction{at, with, fmt.Sprintf(format, args...), score[0]+score[1] == 0}, score})
	}
}

func le16(v int64) []byte { return binary.LittleEndian.AppendUint16(nil, uint16(v)) }
func le32(v int64) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(v)) }

// vtables tries vtables for the table at an offset: one directly before it, and those of other tables.
func (m *correcting) vtables(t int64) {
	for n := int64(4); n <= 4+2*maxSlots && t-n >= 0; n += 2 {
		if m.b.U16(t-n) == n {
			m.try(t, le32(n), "point it to the vtable at 0x%x", t-n)
		}
	}
	for _, l := range m.f.Layouts {
		if l.Size > 0 {
			m.try(t, le32(t-l.Vtable), "point it to the vtable at 0x%x", l.Vtable)
		}
	}
}

// sizes tries sizes for a number of a vtable: its own size, or that of the tables that use it.
func (m *correcting) sizes(at int64) {
	own := slices.ContainsFunc(m.f.Layouts, func(l *layout) bool { return l.Vtable == at })
	for n := int64(4); n <= 160; n++ {
		if own && n%2 == 0 && n <= 4+2*maxSlots || !own && n%4 == 0 {
			m.try(at, le16(n), "set the size to %d", n)
		}
	}
	if !own {
		for n := int64(6); n <= 160; n++ {
			if n%4 != 0 {
				m.try(at, le16(n), "set the size to %d", n)
			}
		}
	}
}

// slots tries places for a field of a table: the one in question, or one of the same table that it overlaps.
func (m *correcting) slots(at int64) {
	m.slot(at)
	i := slices.IndexFunc(m.f.Layouts, func(l *layout) bool { return l.Vtable < at && at < l.end() })
	if i < 0 {
		return
	}
	for slot := m.f.Layouts[i].Vtable + 4; slot < m.f.Layouts[i].end(); slot += 2 {
		if slot != at && m.b.U16(slot) != 0 {
			m.slot(slot)
		}
	}
}

// slot tries places for the field whose place is stored at an offset.
func (m *correcting) slot(at int64) {
	for n := int64(4); n < 100; n++ {
		if !m.defaults(at, n) {
			m.try(at, le16(n), "set the field offset to %d", n)
		}
	}
	m.try(at, le16(0), "remove the field")
}

// offset tries unreferenced objects as the target of an offset. An offset to between two words led to one of them, if that is all that is
// wrong: nothing else is tried then.
func (m *correcting) offset(at int64) {
	if to := at + m.b.U32(at); to%4 != 0 {
		for _, word := range []int64{to &^ 3, (to + 3) &^ 3} {
			if i := m.f.Find(word); i >= 0 && word > at && m.f.Piece(i).begins(word) {
				m.try(at, le32(word-at), "point it to 0x%x", word)
			}
		}
		if slices.ContainsFunc(m.out, func(x tried) bool { return x.At == at && x.Clean }) {
			return
		}
	}
	m.targets(func(to int64) {
		if to > at {
			m.try(at, le32(to-at), "point it to 0x%x", to)
		}
	})
}

// begins tells whether something may begin at an offset in an object: the object itself does, or it is unreferenced.
func (o object) begins(at int64) bool { return o.Kind >= PadObject || int64(o.Off) == at }

// targets calls f with the places of possible unreferenced objects: a short text without letters may look like padding.
func (m *correcting) targets(f func(to int64)) {
	for i := range m.f.Count() {
		if o := m.f.Piece(i); o.Kind == PadObject && o.Len >= wide {
			for to := (int64(o.Off) + 3) &^ 3; to+4 < int64(o.Off+o.Len); to += 4 {
				f(to)
			}
		}
	}
	for _, is := range m.f.Issues {
		if is.Kind != Unreached {
			continue
		}
		for to := (is.Off + 3) &^ 3; to < min(is.Off+is.Len, is.Off+128); to += 4 {
			f(to)
		}
	}
}

// referrer tries other targets for the offsets that lead to an object, or into it.
func (m *correcting) referrer(at int64) {
	m.strict = true
	defer func() { m.strict = false }()
	from := at
	if i := m.f.Find(at); i >= 0 {
		from = int64(m.f.Piece(i).Off)
	}
	for pos := range m.f.Offsets() {
		if to := pos + m.b.U32(pos); to == at || to == from {
			m.offset(pos)
		}
	}
}
