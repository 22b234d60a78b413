package model

import (
	"fmt"
	"io"
)

// Mapped is Mapped over a range of a file.
func (t *Tree) Mapped(r Range, unit int64, f func(i int64, b []byte)) (Source, error) {
	sp := t.Space(r.Space)
	if sp == nil || sp.Derived() {
		return nil, fmt.Errorf("only bytes of a file can be mapped")
	}
	c, err := sp.file()
	if err != nil {
		return nil, err
	}
	return &mappedSource{contentSource{c}, r.Off, r.Len, unit, f}, nil
}

// Mapped is a Source in which f changes every unit of bytes on the fly: rewriting a column of a hundred million rows needs no memory. f gets
// the index of the unit and its bytes, and may be called again for the same unit.
func Mapped(s Source, unit int64, f func(i int64, b []byte)) Source {
	return &mappedSource{s, 0, s.Len(), unit, f}
}

// mappedSource maps n bytes from off on of a source.
type mappedSource struct {
	s            Source
	off, n, unit int64
	f            func(i int64, b []byte)
}

func (m *mappedSource) Len() int64 { return m.n }

// ReadAt implements Source.
func (m *mappedSource) ReadAt(p []byte, off int64) (n int, err error) {
	const step = 1 << 20
	for n < len(p) && off < m.n {
		first := off / m.unit
		last := min((off+min(int64(len(p)-n), step)+m.unit-1)/m.unit, (m.n+m.unit-1)/m.unit)
		b := make([]byte, min((last-first)*m.unit, m.n-first*m.unit))
		if k, err := m.s.ReadAt(b, m.off+first*m.unit); k < len(b) {
			return n, err
		}
		for i := first; i < last; i++ {
			if u := b[(i-first)*m.unit:]; int64(len(u)) >= m.unit {
				m.f(i, u[:m.unit:m.unit])
			}
		}
		k := copy(p[n:], b[off-first*m.unit:])
		n, off = n+k, off+int64(k)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}
