package npyfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"spandrel/model"
)

// literal is the codec of a Python literal: a string with its quotes, True or False, an integer.
type literal struct{ of model.Kind }

func (l literal) Size() int        { return -1 }
func (l literal) Type() string     { return "utf8" }
func (l literal) Endian() string   { return "" }
func (l literal) Kind() model.Kind { return l.of }

func (l literal) Decode(b []byte) (model.Value, int, error) {
	s := string(b)
	switch l.of {
	case model.Text:
		if s = strings.TrimLeft(s, "uU"); len(s) < 2 {
			return model.Value{}, 0, fmt.Errorf("%q is not quoted text", s)
		}
		return model.S(s[1 : len(s)-1]), len(b), nil
	case model.Bool:
		return model.B(s == "True"), len(b), nil
	}
	n, err := wholeNumber(s, 1)
	return model.I(n), len(b), err
}

func (l literal) Encode(v model.Value) ([]byte, error) {
	switch l.of {
	case model.Text:
		if strings.ContainsAny(v.Text(), "'\\\n") {
			return nil, fmt.Errorf("it cannot contain quotes, backslashes or line feeds")
		}
		return []byte("'" + v.Text() + "'"), nil
	case model.Bool:
		if v.Uint() != 0 {
			return []byte("True"), nil
		}
		return []byte("False"), nil
	}
	if v.Int() < 0 {
		return nil, fmt.Errorf("dimensions cannot be negative")
	}
	return strconv.AppendInt(nil, v.Int(), 10), nil
}

// Ucs4 is text of four bytes per character, padded with NULs.
type Ucs4 struct {
	Bytes int
	Order binary.ByteOrder
}

// Size, Type, Endian and Kind describe it.
func (u Ucs4) Size() int        { return u.Bytes }
func (u Ucs4) Type() string     { return "utf32" }
func (u Ucs4) Endian() string   { return model.EndianName(u.Order) }
func (u Ucs4) Kind() model.Kind { return model.Text }

// Decode reads the characters before the padding.
func (u Ucs4) Decode(b []byte) (model.Value, int, error) {
	if len(b) < u.Bytes {
		return model.Value{}, 0, model.ErrShort
	}
	end := u.Bytes // of the text: NULs fill it up
	for end >= 4 && u.Order.Uint32(b[end-4:]) == 0 {
		end -= 4
	}
	var s strings.Builder
	for i := 0; i < end; i += 4 {
		s.WriteRune(rune(u.Order.Uint32(b[i:])))
	}
	return model.S(s.String()), u.Bytes, nil
}

// Encode writes the characters, followed by NULs.
func (u Ucs4) Encode(v model.Value) ([]byte, error) {
	text := []rune(v.Text())
	if len(text) > u.Bytes/4 {
		return nil, fmt.Errorf("%d characters do not fit in %d", len(text), u.Bytes/4)
	}
	b := make([]byte, u.Bytes)
	for i, r := range text {
		u.Order.PutUint32(b[4*i:], uint32(r))
	}
	return b, nil
}

// extended is the long double of x86: 80 bits with an explicit leading one, padded to 12 or 16 bytes with arbitrary content. numpy gives the
// 128-bit long doubles of other machines the same name. Their exponent is in the last two bytes: a value is not decoded if these are the
// exponent of a number in the range of a float64, of infinity or of NaN. Values are rounded to 64 bits.
type extended struct {
	bytes int
	order binary.ByteOrder
}

func (x extended) Size() int        { return x.bytes }
func (x extended) Type() string     { return "f64" } // what it is decoded to
func (x extended) Endian() string   { return model.EndianName(x.order) }
func (x extended) Kind() model.Kind { return model.Float }

const (
	extendedBias = 16383
	extendedMax  = 0x7fff // the exponent of infinity and NaN
)

func (x extended) Decode(b []byte) (model.Value, int, error) {
	if len(b) < x.bytes {
		return model.Value{}, 0, model.ErrShort
	}
	b = bytes.Clone(b[:x.bytes])
	if x.order == binary.BigEndian {
		slices.Reverse(b)
	}
	mantissa, exponent := binary.LittleEndian.Uint64(b), int(binary.LittleEndian.Uint16(b[8:]))
	foreign := false
	if x.bytes == 16 {
		e := int(binary.LittleEndian.Uint16(b[14:])) & extendedMax
		foreign = e == extendedMax || e > extendedBias-1023 && e <= extendedBias+1023
	}
	if foreign || exponent&extendedMax != 0 && mantissa>>63 == 0 {
		return model.Value{}, x.bytes, errors.New("not an x86 long double; those of other machines are not decoded")
	}
	f := math.Ldexp(float64(mantissa), max(exponent&extendedMax, 1)-extendedBias-63)
	if exponent&extendedMax == extendedMax {
		if f = math.Inf(1); mantissa<<1 != 0 {
			f = math.NaN()
		}
	} else if math.IsInf(f, 0) {
		return model.Value{}, x.bytes, errors.New("larger than the largest 64-bit number")
	}
	return model.F(math.Copysign(f, float64(1-exponent>>15*2))), x.bytes, nil
}

func (x extended) Encode(v model.Value) ([]byte, error) {
	if !v.IsNumber() {
		return nil, fmt.Errorf("%s is not a number", v)
	}
	f := v.Float()
	var mantissa uint64
	exponent := 0
	switch abs := math.Abs(f); {
	case f != f:
		mantissa, exponent = 3<<62, extendedMax
	case math.IsInf(f, 0):
		mantissa, exponent = 1<<63, extendedMax
	case f != 0: // the smallest number of 64 bits is a normal one here
		frac, e := math.Frexp(abs)
		mantissa, exponent = uint64(math.Ldexp(frac, 64)), e-1+extendedBias
	}
	b := make([]byte, x.bytes)
	binary.LittleEndian.PutUint64(b, mantissa)
	binary.LittleEndian.PutUint16(b[8:], uint16(exponent)|uint16(math.Float64bits(f)>>63<<15))
	if x.order == binary.BigEndian {
		slices.Reverse(b)
	}
	return b, nil
}
