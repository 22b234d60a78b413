package ui

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"spandrel/model"
)

// reading is a type that bytes are read as: in both byte orders where that makes a difference, and written where it has codecs.
type reading struct {
	label    string
	need     int
	le, be   model.Codec
	text     func(b []byte, o binary.ByteOrder) string
	oneOrder bool
}

// readings are the types that bytes are read as, in the order of the list.
var readings = []reading{
	{label: "u8", need: 1, le: model.U8, oneOrder: true, text: func(b []byte, _ binary.ByteOrder) string { return fmt.Sprintf("%d  0x%02x  0b%08b", b[0], b[0], b[0]) }},
	{label: "i8", need: 1, le: model.I8, oneOrder: true, text: func(b []byte, _ binary.ByteOrder) string { return strconv.Itoa(int(int8(b[0]))) }},
	{label: "u16", need: 2, le: model.U16LE, be: model.U16BE, text: func(b []byte, o binary.ByteOrder) string { return strconv.Itoa(int(o.Uint16(b))) }},
	{label: "i16", need: 2, le: model.I16LE, be: model.I16BE, text: func(b []byte, o binary.ByteOrder) string { return strconv.Itoa(int(int16(o.Uint16(b)))) }},
	{label: "u32", need: 4, le: model.U32LE, be: model.U32BE, text: func(b []byte, o binary.ByteOrder) string { return strconv.FormatUint(uint64(o.Uint32(b)), 10) }},
	{label: "i32", need: 4, le: model.I32LE, be: model.I32BE, text: func(b []byte, o binary.ByteOrder) string { return strconv.Itoa(int(int32(o.Uint32(b)))) }},
	{label: "u64", need: 8, le: model.U64LE, be: model.U64BE, text: func(b []byte, o binary.ByteOrder) string { return strconv.FormatUint(o.Uint64(b), 10) }},
	{label: "i64", need: 8, le: model.I64LE, be: model.I64BE, text: func(b []byte, o binary.ByteOrder) string { return strconv.FormatInt(int64(o.Uint64(b)), 10) }},
	{label: "f16", need: 2, le: model.F16LE, be: model.F16BE, text: func(b []byte, o binary.ByteOrder) string { return float(half(o.Uint16(b)), 32) }},
	{label: "bf16", need: 2, le: model.BF16LE, be: model.BF16BE, text: func(b []byte, o binary.ByteOrder) string {
		return float(float64(math.Float32frombits(uint32(o.Uint16(b))<<16)), 32)
	}},
	{label: "f32", need: 4, le: model.F32LE, be: model.F32BE, text: func(b []byte, o binary.ByteOrder) string {
		return float(float64(math.Float32frombits(o.Uint32(b))), 32)
	}},
	{label: "f64", need: 8, le: model.F64LE, be: model.F64BE, text: func(b []byte, o binary.ByteOrder) string {
		return float(math.Float64frombits(o.Uint64(b)), 64)
	}},
	{label: "utf-8", need: 1, oneOrder: true, text: func(b []byte, _ binary.ByteOrder) string {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n <= 1 {
			return "not valid"
		}
		return fmt.Sprintf("%q  U+%04X, %s", r, r, counted(int64(n), "byte"))
	}},
	{label: "uleb128", need: 1, oneOrder: true, text: func(b []byte, _ binary.ByteOrder) string {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return ""
		}
		return fmt.Sprintf("%d  (%s)", v, counted(int64(n), "byte"))
	}},
	{label: "sleb128", need: 1, oneOrder: true, text: func(b []byte, _ binary.ByteOrder) string {
		_, n := binary.Uvarint(b)
		if n <= 0 {
			return ""
		}
		return fmt.Sprint(sleb(b[:n]))
	}},
	{label: "unix s", need: 4, text: func(b []byte, o binary.ByteOrder) string {
		return time.Unix(int64(o.Uint32(b)), 0).UTC().Format(time.DateTime)
	}},
	{label: "unix ms", need: 8, text: func(b []byte, o binary.ByteOrder) string {
		if ms := int64(o.Uint64(b)); ms >= 0 && ms < 253402300800000 {
			return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04:05.000")
		}
		return "out of range"
	}},
}

func float(f float64, bits int) string { return strconv.FormatFloat(f, 'g', -1, bits) }

// half decodes an IEEE 754 binary16.
func half(u uint16) float64 {
	sign, exp, frac := float64(1), int(u>>10&31), float64(u&1023)
	if u>>15 != 0 {
		sign = -1
	}
	switch exp {
	case 0:
		return sign * frac * 0x1p-24
	case 31:
		if frac != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * (1 + frac/1024) * math.Pow(2, float64(exp-15))
}

// sleb decodes the bytes of one signed LEB128.
func sleb(b []byte) (v int64) {
	shift := 0
	for _, c := range b {
		v |= int64(c&0x7f) << shift
		shift += 7
	}
	if shift < 64 && b[len(b)-1]&0x40 != 0 {
		v |= -1 << shift
	}
	return v
}

// bytesOf is what a codec writes for what somebody typed.
func bytesOf(c model.Codec, text string) ([]byte, error) {
	v, err := model.ParseValue(c.Kind(), strings.TrimSpace(text))
	if err != nil {
		return nil, err
	}
	return c.Encode(v)
}
