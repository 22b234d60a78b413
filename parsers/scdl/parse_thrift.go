package scdl

import (
	"errors"

	"github.com/parquet-go/parquet-go/encoding/thrift"
)

// Parquet metadata is Thrift in compact form. The library that decodes it allocates lists of whatever length they declare, so they are checked first.

// maxThrift is the maximum number of elements in all lists of a structure, maxThriftDepth its maximum nesting.
const (
	maxThrift      = 1 << 20
	maxThriftDepth = 16
)

var errThrift = errors.New("its column index is incomplete")

// thriftWalk walks through a structure in Thrift's compact form.
type thriftWalk struct {
	thrift.Reader
	size  int // of the bytes
	parts int // list elements so far
}

// checkThrift checks the structure at the start of b and returns its size in bytes. It is an error if a list has more elements than bytes remain, or if a
// limit is exceeded.
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

// structure walks through the fields of a structure. For the last one, like other readers, it only checks the type.
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
