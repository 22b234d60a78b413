package scdl

import "encoding/binary"

// writer encodes parts of a header (section 3).
type writer struct{ b []byte }

func (w *writer) raw(s string, b ...byte) { w.b = append(append(w.b, s...), b...) }

func (w *writer) u32(v ...uint32) {
	for _, x := range v {
		w.b = binary.BigEndian.AppendUint32(w.b, x)
	}
}

// text writes a string after its length in bytes.
func (w *writer) text(s string) {
	w.u32(uint32(len(s)))
	w.raw(s)
}

// descriptor describes an array, or a feature folder with its files.
type descriptor struct {
	name   string
	length uint64
	dtype  uint32
	files  []string
}

// array writes the descriptor of an array without a shape, folder that of a feature index.
func (w *writer) array(e descriptor) {
	w.desc(e)
	w.shape(nil)
}

func (w *writer) folder(e descriptor) {
	w.desc(e)
	w.paths(e.files)
	w.shape(nil)
}

// desc writes the common part of arrays and feature indices.
func (w *writer) desc(e descriptor) {
	w.text(e.name)
	w.b = binary.BigEndian.AppendUint64(w.b, e.length)
	w.u32(e.dtype)
}

// paths writes the file list of a feature index.
func (w *writer) paths(list []string) {
	w.u32(uint32(len(list)))
	for _, p := range list {
		w.text(p)
	}
}

// headerOf encodes the header of an archive as the released package writes it.
func headerOf(arrays, folders []descriptor) []byte {
	w := &writer{}
	w.raw("SCDL", 0, 1, 0, 1)
	w.u32(1, uint32(len(arrays)))
	for _, e := range arrays {
		w.array(e)
	}
	w.u32(uint32(len(folders)))
	for _, e := range folders {
		w.folder(e)
	}
	return w.b
}

// shape writes the flag for a shape at the end of a descriptor, and the dimensions if there are any.
func (w *writer) shape(dims []uint32) {
	if len(dims) == 0 {
		w.raw("", 0)
		return
	}
	w.raw("", 1)
	w.u32(uint32(len(dims)))
	w.u32(dims...)
}
