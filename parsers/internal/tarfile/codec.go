package tarfile

import (
	"fmt"
	"hash"
	"strconv"
	"strings"

	"spandrel/model"
)

// Octal is the codec of a number in octal text of a given width, ended by NUL or space; larger numbers are base-256, and so are negative
// ones, if allowed.
type Octal struct {
	Bytes  int
	Signed bool
}

func (o Octal) Size() int      { return o.Bytes }
func (o Octal) Type() string   { return "ascii" }
func (o Octal) Endian() string { return "" }
func (o Octal) Kind() model.Kind {
	if o.Signed {
		return model.Int
	}
	return model.Uint
}

func (o Octal) Decode(b []byte) (model.Value, int, error) {
	if len(b) < o.Bytes {
		return model.Value{}, 0, fmt.Errorf("too few bytes")
	}
	n, ok := Signed(b[:o.Bytes])
	switch {
	case o.Bytes == 8 && (n >= 1<<56 || n < -1<<56): // no writer has such a number
	case ok && o.Signed:
		return model.I(n), o.Bytes, nil
	case ok && n >= 0:
		return model.U(uint64(n)), o.Bytes, nil
	}
	return model.Value{}, o.Bytes, fmt.Errorf("%q is not an octal number", b[:o.Bytes])
}

func (o Octal) Encode(v model.Value) ([]byte, error) {
	b, n := make([]byte, o.Bytes), v.Int()
	if n >= 0 {
		if s := strconv.FormatInt(n, 8); len(s) < o.Bytes {
			copy(b, strings.Repeat("0", o.Bytes-1-len(s))+s)
			return b, nil
		}
	}
	if o.Bytes < 8 || !o.Signed && n < 0 || o.Bytes == 8 && (n >= 1<<56 || n < -1<<56) {
		return nil, fmt.Errorf("%d does not fit in %d octal digits", n, o.Bytes-1)
	}
	for i, n := o.Bytes-1, n; i >= 0; i, n = i-1, n>>8 {
		b[i] = byte(n)
	}
	b[0] |= 0x80
	return b, nil
}

// sum adds the bytes of a header; its own field counts as spaces.
type sum struct{ n uint64 }

func (s *sum) Write(b []byte) (int, error) {
	for _, c := range b {
		s.n += uint64(c)
	}
	return len(b), nil
}
func (s *sum) Sum(b []byte) []byte { return b }
func (s *sum) Reset()              { s.n = 0 }
func (s *sum) Size() int           { return 8 }
func (s *sum) BlockSize() int      { return 1 }

// HeaderSum is the checksum of a header, over its other bytes.
var HeaderSum = &model.Sum{Name: "sum of bytes", Weak: true, New: func() hash.Hash { return &sum{} }, Value: func(h hash.Hash) model.Value { return model.U(h.(*sum).n + 8*' ') }}

// Decimal is the codec of a number in decimal text of any length.
type Decimal struct{}

func (Decimal) Size() int        { return -1 }
func (Decimal) Type() string     { return "ascii" }
func (Decimal) Endian() string   { return "" }
func (Decimal) Kind() model.Kind { return model.Uint }

func (Decimal) Decode(b []byte) (model.Value, int, error) {
	n, err := strconv.ParseUint(string(b), 10, 63)
	if err != nil {
		err = fmt.Errorf("%q is not a decimal number", b)
	}
	return model.U(n), len(b), err
}

func (Decimal) Encode(v model.Value) ([]byte, error) {
	return strconv.AppendUint(nil, v.Uint(), 10), nil
}
