package flat

import "slices"

// roots tries the tables at the front as the root.
func (m *mending) roots() {
	for t := int64(4); t < min(m.b.Len()-4, 1<<12); t += 4 {
		if m.b.Sound(t) && (m.root != "FlatGraph" || m.b.IsGraph(t)) && m.reaches(t) {
			m.try(0, le32(t), "lead to the root table at 0x%x", t)
		}
	}
}

// reaches tells whether a root leads to most of the buffer: a table that leads to little of it is a part of what has lost its root.
func (m *mending) reaches(root int64) bool {
	if m.left <= 0 {
		return false
	}
	m.left--
	b := slices.Clone(m.b)
	copy(b, le32(root))
	n := int64(0)
	f := Open(b, m.root, nil)
	for i := range f.Count() {
		if o := f.Piece(i); o.Kind == orphanObject || o.Kind == PadObject && o.Len >= wide {
			n += int64(o.Len)
		}
	}
	return 2*n < b.Len()
}

// Grave tells whether something is wrong with the buffer that hides what lies behind it.
func (f *Map) Grave() bool {
	return slices.ContainsFunc(f.Issues, func(is Issue) bool { return is.Kind.grave() })
}

// Leaves tells whether bytes in front of the last object are referred to by nothing: what referred to them may have led further too.
func (f *Map) Leaves() bool {
	return slices.ContainsFunc(f.Issues, func(is Issue) bool { return is.Kind == Unreached && is.Off+is.Len < f.Extent-wide })
}
