package scdl

import "encoding/binary"

// writer makes the bytes of header parts (section 3).
type writer struct{ b []byte }

func (w *writer) raw(s string, b ...byte) { w.b = append(append(w.b, s...), b...) }

func (w *writer) u32(v ...uint32) {
	for _, x := range v {
		w.b = binary.BigEndian.AppendUint32(w.b, x)
	}
}

// text writes a length and the bytes of a string.
func (w *writer) text(s string) {
	w.u32(uint32(len(s)))
	w.raw(s)
}

// desc writes what arrays and feature indices start with.
func (w *writer) desc(name string, length uint64, dtype uint32) {
	w.text(name)
	w.b = binary.BigEndian.AppendUint64(w.b, length)
	w.u32(dtype)
}

// paths writes the file list of a feature index.
func (w *writer) paths(list []string) {
	w.u32(uint32(len(list)))
	for _, p := range list {
		w.text(p)
	}
}

// shape writes the end of a descriptor: a shape, or none.
func (w *writer) shape(dims []uint32) {
	if len(dims) == 0 {
		w.raw("", 0)
		return
	}
	w.raw("", 1)
	w.u32(uint32(len(dims)))
	w.u32(dims...)
}
