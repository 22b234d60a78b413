package flat

import (
	"bytes"
	"slices"
	"spandrel/model"
	"unicode/utf8"
)

// lost tries unreferenced objects as the target of every offset that may be damaged.
func (m *correcting) lost() {
	m.strict = true
	defer func() { m.strict = false }()
	m.targets(func(to int64) {
		for at := range m.f.Offsets() {
			if to > at && usual(m.b[at:at+4], le32(to-at)) {
				m.try(at, le32(to-at), "point it to 0x%x", to)
			}
		}
	})
}

// mostTail is how far beyond the end of a buffer a valid vector may extend, if the buffer may be truncated.
const mostTail = 64

// counts tries counts for the vector or text at an offset with which it ends before what follows.
func (m *correcting) counts(at int64, kind Kind) {
	if kind == NoZero { // reported after the string
		m.try(at, []byte{0}, "terminate the string with a zero byte")
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
			return // it extends slightly past the end, like the last objects of a truncated buffer
		}
	}
	for _, end := range []int64{m.end(at), nearest(m.b, at+4)} {
		if kind == LongVector && end < m.b.Len() { // at the end of the buffer something may be truncated, so its count is kept
			m.fill(at, end)
		}
	}
}

// end is where the next placed object after an offset starts.
func (m *correcting) end(at int64) int64 {
	for i := range m.f.Count() {
		if o := m.f.Piece(i); int64(o.Off) > at && o.Kind < PadObject {
			return int64(o.Off)
		}
	}
	return m.b.Len()
}

// fill tries counts of elements of each width that end at a place or in the padding before it.
func (m *correcting) fill(at, end int64) {
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

// around tries what precedes a place where objects overlap, or that is unreferenced: counts, and left-out fields.
func (m *correcting) around(at int64) {
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
		m.inTable(o, at)
	}
	for _, is := range m.f.Issues { // this object may be the lost target of a pointer that leads elsewhere
		if is.Kind == OffsetOutside || is.Kind == Conflict {
			m.offset(is.Off)
		}
	}
}

// inTable tries other places for the field of a table at an offset, and for absent fields: what is in a hole is a left-out
// field.
func (m *correcting) inTable(o object, at int64) {
	t, ok := laid(m.f, o)
	if !ok {
		return
	}
	at -= t.At
	for _, p := range t.Fields {
		if p.Start <= at && at < p.Start+p.width {
			m.slots(t.Vtable + 4 + 2*int64(p.id))
		}
	}
	for slot := t.Vtable + 4; slot < t.end(); slot += 2 {
		if m.b.U16(slot) != 0 {
			continue
		}
		for n := max(at, 4); n < min(t.Size, at+8); n++ {
			m.try(slot, le16(n), "set the field offset to %d", n)
		}
	}
}

// roots tries the tables at the front as the root of a graph; of other buffers a part may look like the whole.
func (m *correcting) roots() {
	for t := int64(4); m.root == "FlatGraph" && t < min(m.b.Len()-4, 1<<12); t += 4 {
		if m.b.IsGraph(t) && m.reaches(t) {
			m.try(0, le32(t), "point it to the root table at 0x%x", t)
		}
	}
}

// reaches tells whether a root leads to all of the buffer: a table that leads to less of it is a part of something else.
func (m *correcting) reaches(root int64) bool {
	if m.left <= 0 {
		return false
	}
	m.left--
	b := slices.Clone(m.b)
	copy(b, le32(root))
	return !Open(b, m.root, nil).Waste()
}

// Grave tells whether something is wrong with the buffer that hides what follows.
func (f *Map) Grave() bool {
	return slices.ContainsFunc(f.Issues, func(is Issue) bool { return is.Kind.grave() })
}

// Leaves tells whether bytes before the last object are unreferenced: what referred to them may have led further too.
func (f *Map) Leaves() bool {
	return slices.ContainsFunc(f.Issues, func(is Issue) bool { return is.Kind == Unreached && is.Off+is.Len < f.Extent-wide })
}

// What writers of graphs do not write.

// defaults tells whether a field of a table would be zero at a place, in a buffer whose writer leaves out zeros.
func (m *correcting) defaults(slot, n int64) bool {
	for t := range m.f.Tables() {
		id := int(slot-t.Vtable-4) / 2
		if slot <= t.Vtable || id >= t.Slots {
			continue
		}
		if id >= len(t.Type.Slots) || t.Type.Slots[id].IsOffset() {
			return false
		}
		w := t.Type.Slots[id].inline()
		if at := t.At + n; n+w > t.Size || at+w > m.b.Len() || !model.AllZero(m.b[at:at+w]) {
			return false
		}
		return !writesZeros(m.f, m.b)
	}
	return false
}

// writesZeros tells whether a zero number is stored in a table: writers of graphs leave them out.
func writesZeros(f *Map, b Buffer) bool {
	for t := range f.Tables() {
		for _, p := range t.Fields {
			at := t.At + p.Start
			if p.Slot != nil && !p.Slot.IsOffset() && at+p.width <= b.Len() && model.AllZero(b[at:at+p.width]) {
				return true
			}
		}
	}
	return false
}

// isText tells whether bytes are ordinary text without control characters.
func isText(b []byte) bool {
	return utf8.Valid(b) && !bytes.ContainsFunc(b, func(r rune) bool { return r < ' ' && r != '\n' && r != '\r' && r != '\t' })
}
