package scdl

import (
	"errors"

	"github.com/parquet-go/parquet-go/encoding/thrift"
)

// What Parquet says of itself is Thrift in its compact form. The library that decodes it makes lists as long as they say they are, so
// they are looked over first.

// maxThrift bounds the parts of all lists of a structure, and how deep it goes.
const (
	maxThrift      = 1 << 20
	maxThriftDepth = 16
)

var errThrift = errors.New("its column index is incomplete")

// thriftWalk goes through a structure of Thrift's compact form.
type thriftWalk struct {
	thrift.Reader
	size  int // of the bytes
	parts int // of lists, so far
}

// checkThrift looks over the structure that b begins with, and returns how many bytes it has. Lists are not longer than the bytes there
// are.
func checkThrift(b []byte) (size int, err error) {
	w := &thriftWalk{Reader: new(thrift.CompactProtocol).NewReaderFromBytes(b), size: len(b)}
	if w.value(thrift.STRUCT, 0) != nil {
		err = errThrift
	}
	return w.BytesRead(), err
}

func (w *thriftWalk) value(kind thrift.Type, depth int) (err error) {
	switch kind {
	case thrift.TRUE, thrift.FALSE, thrift.I8:
		_, err = w.ReadInt8()
	case thrift.I16, thrift.I32, thrift.I64:
		_, err = w.ReadInt64()
	case thrift.DOUBLE:
		_, err = w.ReadFloat64()
	case thrift.BINARY:
		_, err = w.ReadBytes()
	case thrift.LIST, thrift.SET:
		return w.list(depth)
	case thrift.STRUCT:
		return w.structure(depth)
	default:
		return errThrift // Parquet has no maps
	}
	return err
}

// structure goes through the fields of a structure. Readers look at the type of the last one alone.
func (w *thriftWalk) structure(depth int) error {
	for depth <= maxThriftDepth {
		f, err := w.ReadField()
		if err != nil || f.Type == thrift.STOP {
			return err
		}
		if f.Type == thrift.TRUE || f.Type == thrift.FALSE {
			continue // the value is in the type
		}
		if err := w.value(f.Type, depth+1); err != nil {
			return err
		}
	}
	return errThrift
}

func (w *thriftWalk) list(depth int) error {
	l, err := w.ReadList()
	n := int(l.Size)
	if err != nil || n > w.size-w.BytesRead() || n > maxThrift-w.parts {
		return errThrift
	}
	w.parts += n
	for range n {
		if err := w.value(l.Type, depth+1); err != nil {
			return err
		}
	}
	return nil
}
