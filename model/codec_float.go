package model

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
)

type floatCodec struct {
	name  string
	size  int
	order binary.ByteOrder
}

// Floating-point numbers: IEEE 754 binary16, 32 and 64, and bfloat16.
var (
	F16LE  Codec = floatCodec{"f16", 2, binary.LittleEndian}
	F16BE  Codec = floatCodec{"f16", 2, binary.BigEndian}
	BF16LE Codec = floatCodec{"bf16", 2, binary.LittleEndian}
	BF16BE Codec = floatCodec{"bf16", 2, binary.BigEndian}
	F32LE  Codec = floatCodec{"f32", 4, binary.LittleEndian}
	F32BE  Codec = floatCodec{"f32", 4, binary.BigEndian}
	F64LE  Codec = floatCodec{"f64", 8, binary.LittleEndian}
	F64BE  Codec = floatCodec{"f64", 8, binary.BigEndian}
)

func (c floatCodec) Size() int      { return c.size }
func (c floatCodec) Type() string   { return c.name }
func (c floatCodec) Endian() string { return EndianName(c.order) }
func (c floatCodec) Kind() Kind     { return Float }

func (c floatCodec) Decode(b []byte) (Value, int, error) {
	if len(b) < c.size {
		return Value{}, 0, ErrShort
	}
	switch c.name {
	case "f16":
		return F(float16(c.order.Uint16(b))), 2, nil
	case "bf16":
		return F(widened(uint32(c.order.Uint16(b)) << 16)), 2, nil
	case "f32":
		return F(widened(c.order.Uint32(b))), 4, nil
	}
	return F(math.Float64frombits(c.order.Uint64(b))), 8, nil
}

func (c floatCodec) Encode(v Value) ([]byte, error) {
	if !v.IsNumber() {
		return nil, fmt.Errorf("%s is not a number", v)
	}
	f, b := v.Float(), make([]byte, c.size)
	switch c.name {
	case "f16":
		h := toFloat16(f)
		if h&0x7fff == 0x7c00 && !math.IsInf(f, 0) {
			return nil, fmt.Errorf("%s does not fit in f16: -65504 to 65504", v)
		}
		c.order.PutUint16(b, h)
	case "bf16":
		u := narrowed(f)
		if !math.IsNaN(f) {
			u += 0x7fff + u>>16&1 // to the nearest, ties to even
		}
		h := uint16(u >> 16)
		if h&0x7fff == 0x7f80 && !math.IsInf(f, 0) {
			return nil, fmt.Errorf("%s does not fit in bf16: -3.39e38 to 3.39e38", v)
		}
		c.order.PutUint16(b, h)
	case "f32":
		if math.IsInf(float64(float32(f)), 0) && !math.IsInf(f, 0) {
			return nil, fmt.Errorf("%s does not fit in f32: -%g to %g", v, math.MaxFloat32, math.MaxFloat32)
		}
		c.order.PutUint32(b, narrowed(f))
	default:
		c.order.PutUint64(b, math.Float64bits(f))
	}
	if is, _, _ := c.Decode(b); f != 0 && is.Float() == 0 {
		return nil, fmt.Errorf("%s does not fit in %s: it would become 0", v, c.name)
	}
	return b, nil
}

// widened is a binary32 as a float64. A conversion by the processor would change the bits of a signaling NaN.
func widened(u uint32) float64 {
	if f := math.Float32frombits(u); f == f {
		return float64(f)
	}
	return nan(float64(int32(u)), uint64(u)<<29)
}

// narrowed is the binary32 of a float64, with the bits of a NaN that has room for them.
func narrowed(f float64) uint32 {
	u := math.Float64bits(f)
	if is := uint32(u>>63<<31 | 0x7f800000 | u>>29&0x7fffff); math.IsNaN(f) && math.IsNaN(float64(math.Float32frombits(is))) {
		return is
	}
	return math.Float32bits(float32(f))
}

// nan is the NaN with the sign of a number, and bits.
func nan(sign float64, bits uint64) float64 {
	return math.Copysign(math.Float64frombits(0x7ff<<52|bits&(1<<52-1)), sign)
}

// float16 widens an IEEE 754 binary16.
func float16(h uint16) float64 {
	sign, exp, frac := 1.0, int(h>>10&31), float64(h&1023)
	if h>>15 == 1 {
		sign = -1
	}
	switch {
	case exp == 0:
		return sign * math.Ldexp(frac, -24)
	case exp == 31 && frac != 0:
		return nan(sign, uint64(h)<<42)
	case exp == 31:
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1024+frac, exp-25)
}

// toFloat16 rounds to the nearest binary16, ties to even; overflow becomes infinite.
func toFloat16(f float64) uint16 {
	sign := uint16(math.Float64bits(f) >> 63 << 15)
	f = math.Abs(f)
	switch {
	case math.IsNaN(f):
		return sign | 0x7c00 | cmp.Or(uint16(math.Float64bits(f)>>42&1023), 0x200)
	case f >= 65520:
		return sign | 0x7c00
	case f < math.Ldexp(1, -14):
		return sign | uint16(math.RoundToEven(math.Ldexp(f, 24)))
	}
	frac, exp := math.Frexp(f) // f = frac·2^exp, frac in [0.5, 1)
	m := uint16(math.RoundToEven(math.Ldexp(frac, 11)))
	return sign | (uint16(exp+14)<<10 + m - 1024) // a carry out of the fraction rightly raises the exponent
}
