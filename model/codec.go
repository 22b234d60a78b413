package model

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
)

// Codec turns the bytes of one leaf into a value and back.
type Codec interface {
	// Size is the number of bytes, or -1 when the bytes or the frame decide.
	Size() int
	// Decode reads a value from the front of b and says how many bytes it took. b may be longer than the value; codecs of
	// Size -1, except ULEB, take all of b.
	Decode(b []byte) (v Value, n int, err error)
	// Encode is the inverse; an error means that the value does not fit and says what the limit is.
	Encode(v Value) ([]byte, error)
	// Type is the name of the type in dumps: u32, f64, utf8, bytes …
	Type() string
	// Endian is "le", "be" or "" where byte order does not matter.
	Endian() string
	// Kind is the kind of the values that Decode returns.
	Kind() Kind
}

// ErrShort means that the bytes end inside the value.
var ErrShort = errors.New("too few bytes")

type intCodec struct {
	size   int
	signed bool
	order  binary.ByteOrder
}

// Integers of fixed width. Single bytes have no byte order.
var (
	U8    Codec = intCodec{1, false, nil}
	I8    Codec = intCodec{1, true, nil}
	U16LE Codec = intCodec{2, false, binary.LittleEndian}
	U16BE Codec = intCodec{2, false, binary.BigEndian}
	I16LE Codec = intCodec{2, true, binary.LittleEndian}
	I16BE Codec = intCodec{2, true, binary.BigEndian}
	U32LE Codec = intCodec{4, false, binary.LittleEndian}
	U32BE Codec = intCodec{4, false, binary.BigEndian}
	I32LE Codec = intCodec{4, true, binary.LittleEndian}
	I32BE Codec = intCodec{4, true, binary.BigEndian}
	U64LE Codec = intCodec{8, false, binary.LittleEndian}
	U64BE Codec = intCodec{8, false, binary.BigEndian}
	I64LE Codec = intCodec{8, true, binary.LittleEndian}
	I64BE Codec = intCodec{8, true, binary.BigEndian}
)

func (c intCodec) Size() int      { return c.size }
func (c intCodec) Endian() string { return EndianName(c.order) }

func (c intCodec) Kind() Kind {
	if c.signed {
		return Int
	}
	return Uint
}

func (c intCodec) Type() string {
	if c.signed {
		return fmt.Sprintf("i%d", c.size*8)
	}
	return fmt.Sprintf("u%d", c.size*8)
}

func (c intCodec) Decode(b []byte) (Value, int, error) {
	if len(b) < c.size {
		return Value{}, 0, ErrShort
	}
	var u uint64
	switch c.size {
	case 1:
		u = uint64(b[0])
	case 2:
		u = uint64(c.order.Uint16(b))
	case 4:
		u = uint64(c.order.Uint32(b))
	case 8:
		u = c.order.Uint64(b)
	}
	if c.signed {
		shift := 64 - 8*c.size
		return I(int64(u<<shift) >> shift), c.size, nil
	}
	return U(u), c.size, nil
}

func (c intCodec) Encode(v Value) ([]byte, error) {
	bits := 8 * c.size
	switch {
	case !v.IsNumber() || v.Kind == Float && v.Float() != math.Trunc(v.Float()):
		return nil, fmt.Errorf("%s is not a whole number", v)
	case c.signed && (v.Kind != Int && v.Uint() > math.MaxInt64 || v.Int() < -1<<(bits-1) || v.Int() > 1<<(bits-1)-1):
		return nil, fmt.Errorf("%s does not fit in %s: %d to %d", v, c.Type(), int64(-1)<<(bits-1), int64(1)<<(bits-1)-1)
	case !c.signed && (v.Kind == Int && v.Int() < 0 || v.Kind == Float && v.Float() < 0 || v.Uint() > math.MaxUint64>>(64-bits)):
		return nil, fmt.Errorf("%s does not fit in %s: 0 to %d", v, c.Type(), uint64(math.MaxUint64)>>(64-bits))
	}
	u, b := v.Uint(), make([]byte, c.size)
	if v.Kind == Float && v.Float() < 0 {
		u = uint64(v.Int())
	}
	switch c.size {
	case 1:
		b[0] = byte(u)
	case 2:
		c.order.PutUint16(b, uint16(u))
	case 4:
		c.order.PutUint32(b, uint32(u))
	case 8:
		c.order.PutUint64(b, u)
	}
	return b, nil
}

// BigEndian returns the big-endian codec of the same numbers; a codec without a byte order is returned unchanged.
func BigEndian(c Codec) Codec {
	switch x := c.(type) {
	case intCodec:
		if x.order != nil {
			x.order = binary.BigEndian
		}
		return x
	case floatCodec:
		x.order = binary.BigEndian
		return x
	}
	return c
}

// EndianName is the name of a byte order, as in Codec.Endian.
func EndianName(o binary.ByteOrder) string {
	switch o {
	case binary.LittleEndian:
		return "le"
	case binary.BigEndian:
		return "be"
	}
	return ""
}

type textCodec struct {
	name string
	size int // -1: all of the bytes given
	pad  byte
}

// UTF8, ASCII and RawBytes take all the bytes that the frame gives them.
var (
	UTF8     Codec = textCodec{"utf8", -1, 0}
	ASCII    Codec = textCodec{"ascii", -1, 0}
	RawBytes Codec = textCodec{"bytes", -1, 0}
)

// BytesOf is the codec of n raw bytes.
func BytesOf(n int) Codec { return textCodec{"bytes", n, 0} }

// TextOf is the codec of text in a field of n bytes; shorter text is padded with pad bytes, which decoding strips.
func TextOf(n int, pad byte) Codec { return textCodec{"ascii", n, pad} }

func (c textCodec) Size() int      { return c.size }
func (c textCodec) Type() string   { return c.name }
func (c textCodec) Endian() string { return "" }

func (c textCodec) Kind() Kind {
	if c.name == "bytes" {
		return Bytes
	}
	return Text
}

func (c textCodec) Decode(b []byte) (Value, int, error) {
	if c.size >= 0 {
		if len(b) < c.size {
			return Value{}, 0, ErrShort
		}
		b = b[:c.size]
	}
	switch {
	case c.name == "bytes":
		return Raw(b), len(b), nil
	case c.size >= 0:
		return S(strings.TrimRight(string(b), string(rune(c.pad)))), c.size, nil
	}
	return S(string(b)), len(b), nil
}

func (c textCodec) Encode(v Value) ([]byte, error) {
	b := []byte(v.Text())
	if c.size < 0 {
		return b, nil
	}
	if len(b) > c.size || c.name == "bytes" && len(b) != c.size {
		return nil, fmt.Errorf("%d bytes do not fit in %d", len(b), c.size)
	}
	for len(b) < c.size {
		b = append(b, c.pad)
	}
	return b, nil
}

type boolCodec struct{}

// Bool8 is one byte, written as 0 or 1; any value other than 0 decodes as true.
var Bool8 Codec = boolCodec{}

func (boolCodec) Size() int      { return 1 }
func (boolCodec) Type() string   { return "bool" }
func (boolCodec) Endian() string { return "" }
func (boolCodec) Kind() Kind     { return Bool }

func (boolCodec) Decode(b []byte) (Value, int, error) {
	if len(b) < 1 {
		return Value{}, 0, ErrShort
	}
	return B(b[0] != 0), 1, nil
}

func (boolCodec) Encode(v Value) ([]byte, error) {
	if v.Bool() {
		return []byte{1}, nil
	}
	return []byte{0}, nil
}

// ULEB is the codec of an unsigned LEB128 number of at most so many bytes.
type ULEB int

// ULEB64 is an unsigned LEB128 number of at most ten bytes and 64 bits; ULEB31 the five-byte, 31-bit form of .NET string lengths.
// Overlong forms are read; writing uses the shortest.
var (
	ULEB64 Codec = ULEB(10)
	ULEB31 Codec = ULEB(5)
)

func (c ULEB) Size() int      { return -1 }
func (c ULEB) Type() string   { return "uleb128" }
func (c ULEB) Endian() string { return "" }
func (c ULEB) Kind() Kind     { return Uint }

func (c ULEB) Decode(b []byte) (Value, int, error) {
	var u uint64
	for i, x := range b {
		if i == int(c)-1 && (c == 10 && x > 1 || c == 5 && x > 7) {
			return Value{}, 0, fmt.Errorf("variable-length number exceeds %d bytes or its range", int(c))
		}
		u |= uint64(x&0x7f) << (7 * i)
		if x&0x80 == 0 {
			return U(u), i + 1, nil
		}
	}
	return Value{}, 0, ErrShort
}

func (c ULEB) Encode(v Value) ([]byte, error) {
	if c == 5 && v.Uint() > math.MaxInt32 {
		return nil, fmt.Errorf("%s does not fit: 0 to %d", v, math.MaxInt32)
	}
	return binary.AppendUvarint(nil, v.Uint()), nil
}
