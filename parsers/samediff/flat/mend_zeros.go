package flat

import (
	"bytes"
	"unicode/utf8"
)

// What writers of graphs do not write.

// defaults tells whether a field of a table would be zero at a place, in a buffer whose writer leaves out what is zero.
func (m *mending) defaults(slot, n int64) bool {
	for i := range m.f.Objs {
		o := &m.f.Objs[i]
		if o.Kind != TableObject || o.Layout < 0 {
			continue
		}
		l := m.f.Layouts[o.Layout]
		id := int(slot-l.Vtable-4) / 2
		if slot <= l.Vtable || id >= l.Slots {
			continue
		}
		types := m.f.TableOf(*o)
		if id >= len(types.Slots) || types.Slots[id].IsOffset() {
			return false
		}
		w := types.Slots[id].inline()
		if at := int64(o.Off) + n; n+w > l.Size || at+w > m.b.Len() || !AllZero(m.b[at:at+w]) {
			return false
		}
		return !writesZeros(m.f, m.b)
	}
	return false
}

// writesZeros tells whether a number that is zero stands in a table: those who write graphs leave them out.
func writesZeros(f *Map, b Buffer) bool {
	for i := range f.Objs {
		o := &f.Objs[i]
		if o.Kind != TableObject || o.Layout < 0 {
			continue
		}
		for _, p := range f.Layouts[o.Layout].Fields {
			at := int64(o.Off) + p.Start
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
