package model

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
)

func TestFieldText(t *testing.T) {
	kind := &Field{Name: "kind", Codec: U8, Enum: Enum{1: "RED", 2: "GREEN"}}
	bits := &Field{Name: "bits", Codec: U8, Flags: []Flag{{1, "packed"}, {4, "signed"}}}
	for _, c := range []struct {
		f    *Field
		v    Value
		want string
	}{
		{kind, U(2), "GREEN (2)"}, {kind, U(9), "9"}, {bits, U(5), "packed | signed (0x5)"}, {bits, U(0), "0"},
		{&Field{Codec: U64LE, Show: ShowTimeMS}, U(0), "1970-01-01 00:00:00.000 UTC"},
		{&Field{Codec: I64LE, Show: ShowTicks}, I(635112576000000000), "2013-08-05 00:00:00.0000000 UTC"},
		{&Field{Codec: U64LE, Show: ShowSize}, U(3 << 20), "3145728 (3.0 MiB)"}, {&Field{Codec: U32LE, Show: ShowHex}, U(255), "0xff"},
	} {
		if got := c.f.Text(c.v); got != c.want {
			t.Errorf("%v is shown as %q, want %q", c.v, got, c.want)
		}
	}
	for s, want := range map[string]uint64{"green": 2, "0x7": 7, "3": 3} {
		if v, err := kind.Parse(s); err != nil || v.Uint() != want {
			t.Errorf("%s is read as %v, %v", s, v, err)
		}
	}
	if v, err := bits.Parse("signed | packed"); err != nil || v.Uint() != 5 {
		t.Errorf("flags are read as %v, %v", v, err)
	}
	if _, err := bits.Parse("signed | purple"); err == nil {
		t.Error("an unknown flag was taken")
	}
}

// What cannot be read as a value is refused in words, whatever reads it.
func TestRefusedValues(t *testing.T) {
	for kind, text := range map[Kind]string{Uint: "-1", Int: "x", Float: "1,5", Bool: "maybe", Bytes: "abc"} {
		_, err := ParseValue(kind, text)
		_, fieldErr := (&Field{Name: "f", Codec: map[Kind]Codec{Uint: U8, Int: I8, Float: F32LE, Bool: Bool8, Bytes: BytesOf(2)}[kind]}).Parse(text)
		for _, err := range []error{err, fieldErr} {
			if err == nil || !strings.Contains(err.Error(), strconv.Quote(text)) || strings.Contains(err.Error(), "pars") || strings.Contains(err.Error(), "encoding") {
				t.Errorf("%q: %v", text, err)
			}
		}
	}
	if _, err := ParseValue(Uint, "99999999999999999999"); err == nil || !strings.Contains(err.Error(), "64 bits") {
		t.Error(err)
	}
}

// Whole numbers are decimal whatever zeros they begin with.
func TestParseInt(t *testing.T) {
	for s, want := range map[string]int64{"010": 10, "-010": -10, "09": 9, "0": 0, "0x1F": 31, "-0b11": -3, "0o17": 15, "+7": 7} {
		if n, err := ParseInt(s); err != nil || n != want {
			t.Errorf("%s is %d, %v", s, n, err)
		}
	}
	for _, s := range []string{"1_0", "0x_1", "1e3", ""} {
		if n, err := ParseInt(s); err == nil {
			t.Errorf("%q is %d", s, n)
		}
	}
}

// TestCodecs decodes, encodes and prints every codec once.
func TestCodecs(t *testing.T) {
	for _, c := range []struct {
		codec Codec
		bytes string
		value string
	}{
		{U8, "\xfe", "254"}, {I8, "\xfe", "-2"}, {U16LE, "\x01\x02", "513"}, {U16BE, "\x01\x02", "258"}, {I16BE, "\xff\xfe", "-2"},
		{U32LE, "\x01\x00\x00\x80", "2147483649"}, {I32LE, "\x01\x00\x00\x80", "-2147483647"}, {U64BE, "\xff\xff\xff\xff\xff\xff\xff\xff", "18446744073709551615"},
		{I64LE, "\x00\x00\x00\x00\x00\x00\x00\x80", "-9223372036854775808"}, {F16LE, "\x00\x3e", "1.5"}, {F16BE, "\x7b\xff", "65504"}, {F16LE, "\x01\x00", "5.960464477539063e-08"},
		{BF16LE, "\xc0\x3f", "1.5"}, {F32BE, "\x3f\xc0\x00\x00", "1.5"}, {F64LE, "\x00\x00\x00\x00\x00\x00\xf8\x3f", "1.5"}, {F16LE, "\x00\xfc", "-Inf"},
		{Bool8, "\x01", "true"}, {ULEB64, "\x80\x01", "128"}, {ULEB31, "\xff\xff\xff\xff\x07", "2147483647"}, {TextOf(4, 0), "ab\x00\x00", "ab"}, {BytesOf(2), "\x01\xff", "01ff"},
		{UTF8, "żółw", "żółw"},
	} {
		v, n, err := c.codec.Decode([]byte(c.bytes))
		if err != nil || n != len(c.bytes) || v.String() != c.value {
			t.Errorf("%s %x: %s, %d bytes, %v; want %s", c.codec.Type(), c.bytes, v, n, err, c.value)
		}
		if b, err := c.codec.Encode(v); err != nil || string(b) != c.bytes {
			t.Errorf("%s %s is written as %x, %v; want %x", c.codec.Type(), v, b, err, c.bytes)
		}
	}
	for _, c := range []struct {
		codec Codec
		v     Value
	}{{U8, U(256)}, {U8, I(-1)}, {I8, U(128)}, {I8, I(-129)}, {U16LE, F(1.5)}, {I64LE, U(1 << 63)}, {F16LE, F(70000)}, {BF16LE, F(3.4e38)}, {BF16LE, F(1e39)}, {F32LE, F(1e300)}, {F32LE, F(1e-60)}, {F16BE, F(-1e-9)}, {BF16LE, F(1e-60)}, {ULEB31, U(1 << 31)}, {TextOf(2, 0), S("abc")}, {BytesOf(2), Raw([]byte{1})}, {U32LE, S("x")}} {
		if b, err := c.codec.Encode(c.v); err == nil {
			t.Errorf("%s takes %s as %x", c.codec.Type(), c.v, b)
		}
	}
	for _, b := range []string{"", "\x80", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"} {
		if v, _, err := ULEB64.Decode([]byte(b)); err == nil {
			t.Errorf("%x is read as %s", b, v)
		}
	}
}

// Not a number is written as other programs write it: quiet, and without a payload.
func TestNaN(t *testing.T) {
	v, err := ParseValue(Float, "NaN")
	if err != nil {
		t.Fatal(err)
	}
	for codec, want := range map[Codec]string{F32LE: "0000c07f", F64LE: "000000000000f87f"} {
		if b, err := codec.Encode(v); err != nil || fmt.Sprintf("%x", b) != want {
			t.Errorf("NaN as %s: %x, %v; want %s", codec.Type(), b, err, want)
		}
	}
	col := &Column{Kind: Float}
	for want, codec := range map[string]Codec{"3412c07f": F32LE, "3412a0ff": F32LE, "7fa01234": F32BE, "a1ff": BF16LE, "017d": F16LE, "010000000000f8ff": F64LE} {
		b, _ := hex.DecodeString(want)
		v, _, err := codec.Decode(b)
		text, _ := Cell{Value: v}.Typed(col)
		back, err2 := ParseValue(Float, text)
		if b, err3 := codec.Encode(back); errors.Join(err, err2, err3) != nil || hex.EncodeToString(b) != want {
			t.Errorf("%s typed as %s is %x, want %s", codec.Type(), text, b, want)
		}
	}
}
