package flat

import (
	"bytes"
)

// lost tries what nothing leads to as the target of every offset that damage may have changed.
func (m *mending) lost() {
	m.strict = true
	defer func() { m.strict = false }()
	m.targets(func(to int64) {
		for at := range m.f.Offsets() {
			if to > at && usual(m.b[at:at+4], le32(to-at)) {
				m.try(at, le32(to-at), "lead to 0x%x", to)
			}
		}
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
	for _, end := range []int64{m.end(at), nearest(m.b, at+4)} {
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
		m.inTable(o, at)
	}
	for _, is := range m.f.Issues { // a pointer that leads elsewhere lost what lies here
		if is.Kind == OffsetOutside || is.Kind == Conflict {
			m.offset(is.Off)
		}
	}
}

// inTable tries other places for the field of a table at an offset, and for those that it does not have: what lies in a hole is a field that was
// left out.
func (m *mending) inTable(o object, at int64) {
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
			m.try(slot, le16(n), "place the field at %d", n)
		}
	}
}
