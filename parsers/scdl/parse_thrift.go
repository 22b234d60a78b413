package scdl

import (
	"encoding/binary"
	"errors"
)

// What Parquet says of itself is Thrift in its compact form. The library that reads it makes lists as long as they say they are, so
// they are looked over first.

// maxThrift bounds the parts of all lists of a structure, and how deep it goes.
const (
	maxThrift      = 1 << 20
	maxThriftDepth = 16
)

var errThrift = errors.New("what says where its columns are is no whole structure")

// thriftWalk goes through a structure of Thrift's compact form.
type thriftWalk struct {
	b     []byte
	at    int
	parts int // of lists, so far
	// field is told the numbers of the structure: which field, of which field of it (0: its own), and the value.
	field func(outer, id int, n int64)
}

// Types of Thrift's compact form.
const (
	thriftTrue = 1 + iota
	thriftFalse
	thriftByte
	thriftI16
	thriftI32
	thriftI64
	thriftDouble
	thriftBinary
	thriftList
	thriftSet
	thriftMap
	thriftStruct
)

// checkThrift looks over the structure that b begins with, and returns how many bytes it has. Lists are not longer than the bytes there
// are. field, which may be nil, is told its numbers and those of the structures in it.
func checkThrift(b []byte, field func(outer, id int, n int64)) (size int, err error) {
	w := &thriftWalk{b: b, field: field}
	err = w.structure(0, 0)
	return w.at, err
}

func (w *thriftWalk) octet() (byte, error) {
	if w.at >= len(w.b) {
		return 0, errThrift
	}
	w.at++
	return w.b[w.at-1], nil
}

func (w *thriftWalk) number() (uint64, error) {
	v, n := binary.Uvarint(w.b[w.at:])
	if n <= 0 {
		return 0, errThrift
	}
	w.at += n
	return v, nil
}

func (w *thriftWalk) skip(n uint64) error {
	if n > uint64(len(w.b)-w.at) {
		return errThrift
	}
	w.at += int(n)
	return nil
}

// structure goes through the fields of a structure, which is a field of another one (0: of none).
func (w *thriftWalk) structure(outer, depth int) error {
	if depth > maxThriftDepth {
		return errThrift
	}
	for id := 0; ; {
		head, err := w.octet()
		if err != nil || head&15 == 0 {
			return err // readers look at the type alone
		}
		if head>>4 != 0 {
			id += int(head >> 4)
		} else {
			n, err := w.number()
			if err != nil {
				return err
			}
			id = int(int16(unzigzag(n)))
		}
		kind := int(head & 15)
		if depth > 1 {
			outer = -1
		}
		if kind == thriftTrue || kind == thriftFalse { // the value is in the type
			if w.field != nil && outer >= 0 {
				w.field(outer, id, int64(thriftFalse-kind))
			}
			continue
		}
		if err := w.value(kind, outer, id, depth); err != nil {
			return err
		}
	}
}

func unzigzag(n uint64) int64 { return int64(n>>1) ^ -int64(n&1) }

func (w *thriftWalk) value(kind, outer, id, depth int) error {
	switch kind {
	case thriftTrue, thriftFalse, thriftByte:
		return w.skip(1)
	case thriftI16, thriftI32, thriftI64:
		n, err := w.number()
		if err == nil && w.field != nil && outer >= 0 {
			w.field(outer, id, unzigzag(n))
		}
		return err
	case thriftDouble:
		return w.skip(8)
	case thriftBinary:
		n, err := w.number()
		if err != nil {
			return err
		}
		return w.skip(n)
	case thriftList, thriftSet:
		return w.list(depth)
	case thriftStruct:
		return w.structure(id, depth+1)
	}
	return errThrift // Parquet has no maps
}

func (w *thriftWalk) list(depth int) error {
	head, err := w.octet()
	if err != nil {
		return err
	}
	n := uint64(head >> 4)
	if n == 15 {
		if n, err = w.number(); err != nil {
			return err
		}
	}
	if n > uint64(len(w.b)-w.at) || n > uint64(maxThrift-w.parts) {
		return errThrift
	}
	w.parts += int(n)
	for range n {
		if err := w.value(int(head&15), -1, 0, depth+1); err != nil {
			return err
		}
	}
	return nil
}
