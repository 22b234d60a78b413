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
// are.
func checkThrift(b []byte) (size int, err error) {
	w := &thriftWalk{b: b}
	err = w.structure(0)
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

// structure goes through the fields of a structure.
func (w *thriftWalk) structure(depth int) error {
	if depth > maxThriftDepth {
		return errThrift
	}
	for {
		head, err := w.octet()
		if err != nil || head&15 == 0 {
			return err // readers look at the type alone
		}
		if head>>4 == 0 { // the number of the field follows
			if _, err := w.number(); err != nil {
				return err
			}
		}
		if kind := int(head & 15); kind == thriftTrue || kind == thriftFalse {
			continue // the value is in the type
		} else if err := w.value(kind, depth); err != nil {
			return err
		}
	}
}

func (w *thriftWalk) value(kind, depth int) error {
	switch kind {
	case thriftTrue, thriftFalse, thriftByte:
		return w.skip(1)
	case thriftI16, thriftI32, thriftI64:
		_, err := w.number()
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
		return w.structure(depth + 1)
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
		if err := w.value(int(head&15), depth+1); err != nil {
			return err
		}
	}
	return nil
}
