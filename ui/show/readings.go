package show

import (
	"encoding/binary"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"spandrel/model"
)

// reading is a type as which bytes are read: in both byte orders if that makes a difference, and written if it has codecs.
type reading struct {
	Label    string
	Need     int
	Le, Be   model.Codec
	text     func(b []byte, o binary.ByteOrder) string // nil: the value that a codec decodes
	OneOrder bool
}

// Text is the front of b as this type; "" if it is none.
func (r *reading) Text(b []byte, o binary.ByteOrder) string {
	if r.text != nil {
		return r.text(b, o)
	}
	c := r.Le
	if o == binary.BigEndian && !r.OneOrder {
		c = r.Be
	}
	v, _, _ := c.Decode(b[:r.Need])
	if v.Kind == model.Float {
		return model.Number(v.Float(), r.Label)
	}
	return v.String()
}

// Readings are the types as which bytes are read, in order.
var Readings = []reading{
	{Label: "u8", Need: 1, Le: model.U8, OneOrder: true, text: func(b []byte, _ binary.ByteOrder) string { return fmt.Sprintf("%d  0x%02x  0b%08b", b[0], b[0], b[0]) }},
	{Label: "i8", Need: 1, Le: model.I8, OneOrder: true},
	{Label: "u16", Need: 2, Le: model.U16LE, Be: model.U16BE},
	{Label: "i16", Need: 2, Le: model.I16LE, Be: model.I16BE},
	{Label: "u32", Need: 4, Le: model.U32LE, Be: model.U32BE},
	{Label: "i32", Need: 4, Le: model.I32LE, Be: model.I32BE},
	{Label: "u64", Need: 8, Le: model.U64LE, Be: model.U64BE},
	{Label: "i64", Need: 8, Le: model.I64LE, Be: model.I64BE},
	{Label: "f16", Need: 2, Le: model.F16LE, Be: model.F16BE},
	{Label: "bf16", Need: 2, Le: model.BF16LE, Be: model.BF16BE},
	{Label: "f32", Need: 4, Le: model.F32LE, Be: model.F32BE},
	{Label: "f64", Need: 8, Le: model.F64LE, Be: model.F64BE},
	{Label: "utf-8", Need: 1, OneOrder: true, text: func(b []byte, _ binary.ByteOrder) string {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n <= 1 {
			return "not valid"
		}
		return fmt.Sprintf("%q  U+%04X, %s", r, r, Counted(int64(n), "byte"))
	}},
	{Label: "uleb128", Need: 1, OneOrder: true, text: func(b []byte, _ binary.ByteOrder) string {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return ""
		}
		return fmt.Sprintf("%d  (%s)", v, Counted(int64(n), "byte"))
	}},
	{Label: "sleb128", Need: 1, OneOrder: true, text: func(b []byte, _ binary.ByteOrder) string {
		_, n := binary.Uvarint(b)
		if n <= 0 {
			return ""
		}
		return fmt.Sprint(Sleb(b[:n]))
	}},
	{Label: "unix s", Need: 4, text: func(b []byte, o binary.ByteOrder) string {
		return time.Unix(int64(o.Uint32(b)), 0).UTC().Format(time.DateTime)
	}},
	{Label: "unix ms", Need: 8, text: func(b []byte, o binary.ByteOrder) string {
		if ms := int64(o.Uint64(b)); ms >= 0 && ms < 253402300800000 {
			return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04:05.000")
		}
		return "out of range"
	}},
}

// Sleb decodes the bytes of one signed LEB128 number.
func Sleb(b []byte) (v int64) {
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

// BytesOf is the encoded form of a typed value.
func BytesOf(c model.Codec, text string) ([]byte, error) {
	v, err := model.ParseValue(c.Kind(), strings.TrimSpace(text))
	if err != nil {
		return nil, err
	}
	return c.Encode(v)
}
