package flat

import (
	"bytes"
	"unicode/utf8"
)

// What writers of graphs do not write.

// defaults tells whether a field of a table would be zero at a place, in a buffer whose writer leaves out what is zero.
func (m *mending) defaults(slot, n int64) bool {
	for t := range m.f.Tables() {
		id := int(slot-t.Vtable-4) / 2
		if slot <= t.Vtable || id >= t.Slots {
			continue
		}
		if id >= len(t.Type.Slots) || t.Type.Slots[id].IsOffset() {
			return false
		}
		w := t.Type.Slots[id].inline()
		if at := t.At + n; n+w > t.Size || at+w > m.b.Len() || !AllZero(m.b[at:at+w]) {
			return false
		}
		return !writesZeros(m.f, m.b)
	}
	return false
}

// writesZeros tells whether a number that is zero stands in a table: those who write graphs leave them out.
func writesZeros(f *Map, b Buffer) bool {
	for t := range f.Tables() {
		for _, p := range t.Fields {
			at := t.At + p.Start
			if p.Slot != nil && !p.Slot.IsOffset() && at+p.width <= b.Len() && AllZero(b[at:at+p.width]) {
				return true
			}
		}
	}
	return false
}

// isText tells whether bytes are what people write: without control characters.
func isText(b []byte) bool {
	return utf8.Valid(b) && !bytes.ContainsFunc(b, func(r rune) bool { return r < ' ' && r != '\n' && r != '\r' && r != '\t' })
}
