package ui

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"spandrel/model"
)

// byteFacts is the data inspector: what the bytes at a place would be as other types.
func byteFacts(ctx context.Context, t *model.Tree, at model.Range, bigFirst bool) []fact {
	size, err := t.Size(ctx, at.Space)
	if err != nil || at.Off >= size {
		return nil
	}
	at.Len = min(16, size-at.Off)
	b, err := t.Bytes(ctx, at)
	if err != nil {
		return nil
	}
	head := fact{label: "BYTES AS", heading: true, text: "LE", other: "BE"}
	if bigFirst {
		head.text, head.other = "BE", "LE"
	}
	return append([]fact{head}, interpret(b, bigFirst)...)
}

// interpret reads the front of b as each type that fits, in both byte orders where they differ.
func interpret(b []byte, bigFirst bool) (out []fact) {
	var first, second binary.ByteOrder = binary.LittleEndian, binary.BigEndian
	if bigFirst {
		first, second = second, first
	}
	add := func(label string, need int, text func() string) {
		if len(b) >= need {
			out = append(out, fact{label: label, text: text()})
		}
	}
	both := func(label string, need int, text func(o binary.ByteOrder) string) {
		if len(b) >= need {
			f := fact{label: label, text: text(first), other: text(second)}
			if f.other == f.text {
				f.other = ""
			}
			out = append(out, f)
		}
	}
	add("u8", 1, func() string { return fmt.Sprintf("%d  0x%02x  0b%08b", b[0], b[0], b[0]) })
	add("i8", 1, func() string { return strconv.Itoa(int(int8(b[0]))) })
	both("u16", 2, func(o binary.ByteOrder) string { return strconv.Itoa(int(o.Uint16(b))) })
	both("i16", 2, func(o binary.ByteOrder) string { return strconv.Itoa(int(int16(o.Uint16(b)))) })
	both("u32", 4, func(o binary.ByteOrder) string { return strconv.FormatUint(uint64(o.Uint32(b)), 10) })
	both("i32", 4, func(o binary.ByteOrder) string { return strconv.Itoa(int(int32(o.Uint32(b)))) })
	both("u64", 8, func(o binary.ByteOrder) string { return strconv.FormatUint(o.Uint64(b), 10) })
	both("i64", 8, func(o binary.ByteOrder) string { return strconv.FormatInt(int64(o.Uint64(b)), 10) })
	both("f16", 2, func(o binary.ByteOrder) string { return float(half(o.Uint16(b)), 32) })
	both("bf16", 2, func(o binary.ByteOrder) string {
		return float(float64(math.Float32frombits(uint32(o.Uint16(b))<<16)), 32)
	})
	both("f32", 4, func(o binary.ByteOrder) string { return float(float64(math.Float32frombits(o.Uint32(b))), 32) })
	both("f64", 8, func(o binary.ByteOrder) string { return float(math.Float64frombits(o.Uint64(b)), 64) })
	add("utf-8", 1, func() string {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n <= 1 {
			return "not valid"
		}
		return fmt.Sprintf("%q  U+%04X, %s", r, r, counted(int64(n), "byte"))
	})
	if v, n := binary.Uvarint(b); n > 0 {
		out = append(out, fact{label: "uleb128", text: fmt.Sprintf("%d  (%s)", v, counted(int64(n), "byte"))})
		out = append(out, fact{label: "sleb128", text: fmt.Sprint(sleb(b[:n]))})
	}
	both("unix time", 4, func(o binary.ByteOrder) string { return time.Unix(int64(o.Uint32(b)), 0).UTC().Format(time.DateTime) })
	both("unix ms", 8, func(o binary.ByteOrder) string {
		if ms := int64(o.Uint64(b)); ms >= 0 && ms < 253402300800000 {
			return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04:05.000")
		}
		return "out of range"
	})
	return out
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
