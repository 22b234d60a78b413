package flat

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
)

// A Mend is a number of a buffer that should be another: where it stands, and what bytes should be there.
type Mend struct {
	At    int64
	Bytes []byte
	What  string // in words: "set the count to 4"
	Clean bool   // with it the walk finds nothing that is wrong
}

// Bounds of the search for mends.
const (
	maxTrials  = 1024     // for the first issue; each further one has half of it, as it is likelier to be a consequence
	trialBytes = 64 << 20 // of all walks together
)

// Mends looks for single numbers that, changed, leave less wrong with the buffer than an issue and what follows from it: each candidate
// is tried by walking the buffer again. The best come first; root is the name of the root table, n how many issues come before.
func (f *Map) Mends(ctx context.Context, b Buffer, root string, is Issue, n int) (out []Mend) {
	m := mending{ctx: ctx, f: f, b: slices.Clone(b), root: root, best: f.badness(), left: maxTrials >> n}
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
			func(o Mend) bool { return o.At == x.At && bytes.Equal(o.Bytes, x.Bytes) }) {
			out = append(out, x.Mend)
		}
	}
	return out
}

// score grades a mend, less is better: what is wrong after it, gravely and otherwise, how many bytes no field of a table has, and whether
// its bytes are not what damage usually makes of others.
type score [4]int

// badness grades a walk: less is better. Bytes that nothing refers to count as what an offset lost.
func (f *Map) badness() (n score) {
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

// wide is from how many bytes padding is more than an alignment needs.
const wide = 8

// holes is how many bytes of a table no field has, beside those that bring the next field to a multiple of its size. Tables are written from
// their end: what is left over there did so for the last field.
func (l *layout) holes() (n int) {
	at, width := int64(4), int64(1)
	for _, p := range l.Fields {
		width = max(1, p.width)
		n += int((p.Start - at) / width * width)
		at = p.Start + p.width
	}
	return n + int(max(0, l.Size-at)/width*width)
}

// usual tells whether damage usually makes one number of another: one byte or bit of it, one more or less, its double, its bytes in the
// other order, nothing.
func usual(is, was []byte) bool {
	differ := 0
	for i := range is {
		if is[i] != was[i] {
			differ++
		}
	}
	turned := slices.Clone(is)
	slices.Reverse(turned)
	x, y := number(is), number(was)
	most := uint64(1)<<(8*len(is)) - 1
	return differ == 1 || bytes.Equal(turned, was) || x == y+1 || y == x+1 || x == 2*y+1 || x == 0 || x == most
}

func number(b []byte) (n uint64) {
	for i := range b {
		n |= uint64(b[i]) << (8 * i)
	}
	return n
}

type tried struct {
	Mend
	score score
}

// mending is a search.
type mending struct {
	ctx  context.Context
	f    *Map
	b    Buffer
	root string
	best score
	left int
	out  []tried
	// strict takes only what leaves nothing wrong: for guesses that start from what is left over, not from the fault.
	strict bool
}

// try walks the buffer with other bytes at a place.
func (m *mending) try(at int64, with []byte, format string, args ...any) {
	if m.left <= 0 || m.ctx.Err() != nil || at < 0 || at+int64(len(with)) > m.b.Len() || bytes.Equal(m.b[at:at+int64(len(with))], with) {
		return
	}
	m.left--
	old := bytes.Clone(m.b[at : at+int64(len(with))])
	copy(m.b[at:], with)
	score := Open(m.b, m.root, nil).badness()
	copy(m.b[at:], old)
	if slices.Compare(score[:2], m.best[:2]) < 0 && !(m.strict && score[0]+score[1] > 0) {
		if !usual(old, with) {
			score[3] = 1
		}
		m.out = append(m.out, tried{Mend{at, with, fmt.Sprintf(format, args...), score[0]+score[1] == 0}, score})
	}
}

func le16(v int64) []byte { return binary.LittleEndian.AppendUint16(nil, uint16(v)) }
func le32(v int64) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(v)) }

// vtables tries vtables for the table at an offset: one right in front of it, and those of the others.
func (m *mending) vtables(t int64) {
	for n := int64(4); n <= 4+2*maxSlots && t-n >= 0; n += 2 {
		if m.b.U16(t-n) == n {
			m.try(t, le32(n), "lead to the description of the fields at 0x%x", t-n)
		}
	}
	for _, l := range m.f.Layouts {
		if l.Size > 0 {
			m.try(t, le32(t-l.Vtable), "lead to the description of the fields at 0x%x", l.Vtable)
		}
	}
}

// sizes tries sizes for a number of a vtable: its own size, or that of the tables that have it.
func (m *mending) sizes(at int64) {
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

// slots tries places for a field of a table: the one at fault, or one of the same table that it overlaps.
func (m *mending) slots(at int64) {
	try := func(slot int64) {
		for n := int64(4); n < 100; n++ {
			if !m.defaults(slot, n) {
				m.try(slot, le16(n), "place the field at %d", n)
			}
		}
		m.try(slot, le16(0), "leave the field out")
	}
	try(at)
	for _, l := range m.f.Layouts {
		if end := l.Vtable + 4 + 2*int64(l.Slots); l.Vtable < at && at < end {
			for slot := l.Vtable + 4; slot < end; slot += 2 {
				if slot != at && m.b.U16(slot) != 0 {
					try(slot)
				}
			}
			return
		}
	}
}

// offset tries what nothing leads to as the target of an offset. One that leads between two words led to one of them, where that is all that is
// wrong: nothing else is asked then.
func (m *mending) offset(at int64) {
	if to := at + m.b.U32(at); to%4 != 0 {
		for _, word := range []int64{to &^ 3, (to + 3) &^ 3} {
			if i := m.f.Find(word); i >= 0 && word > at {
				if o := m.f.Piece(i); o.Kind >= PadObject || int64(o.Off) == word {
					m.try(at, le32(word-at), "lead to 0x%x", word)
				}
			}
		}
		if slices.ContainsFunc(m.out, func(x tried) bool { return x.At == at && x.Clean }) {
			return
		}
	}
	m.targets(func(to int64) {
		if to > at {
			m.try(at, le32(to-at), "lead to 0x%x", to)
		}
	})
}

// targets calls f with the places at which something may begin that nothing leads to: a short text without letters may look like padding.
func (m *mending) targets(f func(to int64)) {
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

// offsets calls f with all offsets of the buffer that lead forward, as far as the walk came.
func (m *mending) offsets(f func(at int64)) {
	for i := range m.f.Objs {
		switch o := &m.f.Objs[i]; {
		case o.Kind == TableObject && o.Layout >= 0:
			for _, p := range m.f.Layouts[o.Layout].Fields {
				if p.Slot != nil && p.Slot.IsOffset() {
					f(int64(o.Off) + p.Start)
				}
			}
		case o.Kind == OffsetsObject:
			for at := o.Off + 4; at < o.Off+o.Len; at += 4 {
				f(int64(at))
			}
		}
	}
}

// referrer tries other targets for the offsets that lead to an object, or into it.
func (m *mending) referrer(at int64) {
	m.strict = true
	defer func() { m.strict = false }()
	from := at
	if i := m.f.Find(at); i >= 0 {
		from = int64(m.f.Piece(i).Off)
	}
	m.offsets(func(pos int64) {
		if to := pos + m.b.U32(pos); to == at || to == from {
			m.offset(pos)
		}
	})
}

// lost tries what nothing leads to as the target of every offset that damage may have changed.
func (m *mending) lost() {
	m.strict = true
	defer func() { m.strict = false }()
	m.targets(func(to int64) {
		m.offsets(func(at int64) {
			if to > at && usual(m.b[at:at+4], le32(to-at)) {
				m.try(at, le32(to-at), "lead to 0x%x", to)
			}
		})
	})
}

// mostTail is how far behind the end of a buffer a vector may reach that is right, where the buffer may be cut.
const mostTail = 64

// counts tries counts for the vector or text at an offset that let it end in front of what follows.
func (m *mending) counts(at int64, kind Kind) {
	if kind == NoZero { // reported behind the text
		m.try(at, []byte{0}, "end the text with a zero byte")
		if i := m.f.Find(at - 1); i >= 0 {
			at = int64(m.f.Piece(i).Off)
		}
	}
	if at+4 > m.b.Len() {
		return
	}
	if n := bytes.IndexByte(m.b[at+4:], 0); n >= 0 && n < 1<<16 && isText(m.b[at+4:at+4+int64(n)]) {
		m.try(at, le32(int64(n)), "set the length to %d", n)
	}
	if i := m.f.Find(at); i >= 0 {
		if s := m.f.SlotOf(m.f.Piece(i)); s != nil && m.b.U32(at)*s.Width-(m.b.Len()-at-4) < mostTail {
			return // it reaches a little too far, as the last ones of a buffer do that is cut
		}
	}
	for _, end := range []int64{m.end(at), m.b.nearest(at + 4)} {
		if kind == LongVector && end < m.b.Len() { // at the end of the buffer something may be cut off: it is not counted away
			m.fill(at, end)
		}
	}
}

// end is where the next object behind an offset that the walk placed starts.
func (m *mending) end(at int64) int64 {
	for i := range m.f.Count() {
		if o := m.f.Piece(i); int64(o.Off) > at && o.Kind < PadObject {
			return int64(o.Off)
		}
	}
	return m.b.Len()
}

// fill tries counts of elements of each width that end at a place or in the padding in front of it.
func (m *mending) fill(at, end int64) {
	for _, width := range []int64{4, 8, 1, 2} {
		for pad := int64(0); pad < 16 && end-at-4-pad >= 0; pad++ {
			if pad > 0 && m.b[end-pad] != 0 {
				break
			}
			if n := end - at - 4 - pad; n%width == 0 {
				m.try(at, le32(n/width), "set the count to %d", n/width)
			}
		}
	}
}

// around tries what stands in front of a place where objects overlap, or where nothing leads to: counts, and fields that are left out.
func (m *mending) around(at int64) {
	i := m.f.Find(at)
	if i < 0 {
		return
	}
	o := m.f.Piece(i)
	if o.Kind == orphanObject && i > 0 {
		o = m.f.Piece(i - 1)
	}
	switch o.Kind {
	case StringObject, lengthObject:
		m.counts(int64(o.Off), LongText)
	case VectorObject, RawObject, OffsetsObject:
		if end := m.end(int64(o.Off)); end < m.b.Len() {
			m.fill(int64(o.Off), end)
		}
		if int64(o.Off) < at {
			m.fill(int64(o.Off), at)
		}
	case TableObject:
		if o.Layout < 0 {
			return
		}
		l := m.f.Layouts[o.Layout]
		for _, p := range l.Fields {
			if p.Start <= at-int64(o.Off) && at-int64(o.Off) < p.Start+p.width {
				m.slots(l.Vtable + 4 + 2*int64(p.id))
			}
		}
		for id := range l.Slots { // what lies in a hole is a field that was left out
			for n := at - int64(o.Off); n < min(l.Size, at-int64(o.Off)+8); n++ {
				if slot := l.Vtable + 4 + 2*int64(id); m.b.U16(slot) == 0 && n >= 4 {
					m.try(slot, le16(n), "place the field at %d", n)
				}
			}
		}
	}
	for _, is := range m.f.Issues { // a pointer that leads elsewhere lost what lies here
		if is.Kind == OffsetOutside || is.Kind == Conflict {
			m.offset(is.Off)
		}
	}
}
