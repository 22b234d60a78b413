package model

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Kind is the kind of a Value.
type Kind uint8

// The kinds of a Value.
const (
	None Kind = iota
	Uint
	Int
	Float
	Bool
	Text  // the bytes as they stand, valid UTF-8 or not
	Bytes // raw bytes
)

// Value is a tagged scalar. Numbers are kept in bits and never boxed; text and bytes share str.
type Value struct {
	Kind Kind
	bits uint64
	str  string
}

// U makes an unsigned, I a signed, F a floating-point, B a boolean, S a text and Raw a bytes value.
func U(v uint64) Value   { return Value{Kind: Uint, bits: v} }
func I(v int64) Value    { return Value{Kind: Int, bits: uint64(v)} }
func F(v float64) Value  { return Value{Kind: Float, bits: math.Float64bits(v)} }
func S(v string) Value   { return Value{Kind: Text, str: v} }
func Raw(v []byte) Value { return Value{Kind: Bytes, str: string(v)} }
func B(v bool) Value {
	if v {
		return Value{Kind: Bool, bits: 1}
	}
	return Value{Kind: Bool}
}

// Uint returns the value as an unsigned number: negative numbers wrap, floats are truncated, text gives 0.
func (v Value) Uint() uint64 {
	if v.Kind == Float {
		return uint64(v.Float())
	}
	return v.bits
}

// Int returns the value as a signed number. An unsigned value above the largest int64 is clamped, so that a hostile
// length never becomes negative.
func (v Value) Int() int64 {
	switch {
	case v.Kind == Float:
		return int64(v.Float())
	case v.Kind == Uint && v.bits > math.MaxInt64:
		return math.MaxInt64
	}
	return int64(v.bits)
}

// Float returns the value as a floating-point number.
func (v Value) Float() float64 {
	switch v.Kind {
	case Float:
		return math.Float64frombits(v.bits)
	case Int:
		return float64(int64(v.bits))
	}
	return float64(v.bits)
}

// Bool tells whether the value is not zero.
func (v Value) Bool() bool { return v.bits != 0 }

// Text returns the bytes of a text or bytes value, or the printed form of a number.
func (v Value) Text() string {
	if v.Kind == Text || v.Kind == Bytes {
		return v.str
	}
	return v.String()
}

// plainNaN are the bits of the NaN that "NaN" stands for; others are typed with their bits, after a prefix.
const (
	plainNaN  = 0x7ff8 << 48
	nanPrefix = "NaN(0x"
)

// typed is Text from which the value can be parsed again, to the bit.
func (v Value) typed() string {
	if v.Kind == Float && math.IsNaN(v.Float()) && v.bits != plainNaN {
		return fmt.Sprintf(nanPrefix+"%x)", v.bits)
	}
	return v.Text()
}

// IsNumber tells whether the value is an integer, a float or a boolean.
func (v Value) IsNumber() bool { return v.Kind >= Uint && v.Kind <= Bool }

// Same is Equal that distinguishes -0 from 0 and one NaN from another: what an edit asks for, down to the bit.
func (v Value) Same(w Value) bool {
	if v.Kind == Float && w.Kind == Float {
		return v.bits == w.bits
	}
	return v.Equal(w)
}

// Equal tells whether both values are the same; numbers of different kinds are compared numerically.
func (v Value) Equal(w Value) bool {
	if v.IsNumber() && w.IsNumber() {
		if v.Kind == Float || w.Kind == Float {
			return v.bits == w.bits && v.Kind == w.Kind || v.Float() == w.Float()
		}
		return v.bits == w.bits && (v.Kind == w.Kind || int64(v.bits) >= 0)
	}
	return v.str == w.str && v.IsNumber() == w.IsNumber()
}

// Compare orders two numbers, integers exactly; other values come first.
func (v Value) Compare(w Value) int {
	if v.Kind == Float || w.Kind == Float {
		return cmp.Compare(v.Float(), w.Float())
	}
	below := func(x Value) bool { return x.Kind == Int && int64(x.bits) < 0 }
	switch {
	case below(v) == below(w):
		return cmp.Compare(v.bits, w.bits) // of two that are negative the larger has the larger bits, too
	case below(v):
		return -1
	}
	return 1
}

// String prints the value for people and findings: text quoted when it has control characters, bytes in hexadecimal.
func (v Value) String() string {
	switch v.Kind {
	case Uint:
		return strconv.FormatUint(v.bits, 10)
	case Int:
		return strconv.FormatInt(int64(v.bits), 10)
	case Float:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case Bool:
		return strconv.FormatBool(v.Bool())
	case Text:
		if utf8.ValidString(v.str) && !strings.ContainsFunc(v.str, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return v.str
		}
		return strconv.Quote(v.str)
	case Bytes:
		if len(v.str) > 64 {
			return hex.EncodeToString([]byte(v.str[:64])) + "…"
		}
		return hex.EncodeToString([]byte(v.str))
	}
	return ""
}

// In is String with as many digits as the type of a column or field needs: 0.1, not 0.10000000149011612, for 32 bits.
func (v Value) In(typ string) string {
	if v.Kind == Float {
		return Number(v.Float(), typ)
	}
	return v.String()
}

// Number prints a number with as many digits as its type, or the one of its vector, needs.
func Number(f float64, typ string) string {
	bits := 64
	switch strings.TrimSuffix(typ, "[]") {
	case "f32", "f16", "bf16":
		bits = 32
	}
	return strconv.FormatFloat(f, 'g', -1, bits)
}

// JSON returns the value as dumps print it: a number if it is exact in a float64, otherwise a string.
func (v Value) JSON() any {
	switch v.Kind {
	case Uint:
		if v.bits > 1<<53 {
			return strconv.FormatUint(v.bits, 10)
		}
		return v.bits
	case Int:
		if i := int64(v.bits); i > 1<<53 || i < -(1<<53) {
			return strconv.FormatInt(i, 10)
		}
		return int64(v.bits)
	case Float:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			return strconv.FormatFloat(f, 'g', -1, 64)
		}
		return v.Float()
	case Bool:
		return v.Bool()
	case Text:
		if s, ok := surrogates(v.str); ok {
			return json.RawMessage(s)
		}
		return strings.ToValidUTF8(v.str, "\uFFFD")
	case Bytes:
		return hex.EncodeToString([]byte(v.str))
	}
	return nil
}

// surrogates quotes text that contains halves of surrogate pairs, as formats that count in UTF-16 may cut it: JSON can escape
// them, but UTF-8 cannot represent them. ok is false for any other text.
func surrogates(s string) (quoted string, ok bool) {
	var b strings.Builder
	for from := 0; ; {
		i := from
		for i < len(s) && !(s[i] == 0xed && i+2 < len(s) && s[i+1]&0xe0 == 0xa0 && s[i+2]&0xc0 == 0x80) {
			i++
		}
		part, err := json.Marshal(strings.ToValidUTF8(s[from:i], "\uFFFD"))
		if err != nil || i == len(s) && from == 0 {
			return "", false
		}
		b.Write(part[1 : len(part)-1])
		if i == len(s) {
			return `"` + b.String() + `"`, true
		}
		fmt.Fprintf(&b, "\\u%04x", 0xd000|uint16(s[i+1]&0x3f)<<6|uint16(s[i+2]&0x3f))
		from = i + 3
	}
}

// ParseValue parses a typed value of the given kind: decimal or 0x numbers, true and false, text
// unchanged, bytes as hexadecimal with or without spaces. The error says in words what is wrong.
func ParseValue(kind Kind, s string) (Value, error) {
	v, err := parseValue(kind, s)
	switch {
	case err == nil:
	case errors.Is(err, strconv.ErrRange):
		err = fmt.Errorf("%q does not fit in 64 bits", s)
	case kind == Uint:
		err = fmt.Errorf("%q is not a whole number of 0 or more", s)
	case kind == Int:
		err = fmt.Errorf("%q is not a whole number", s)
	case kind == Float:
		err = fmt.Errorf("%q is not a number", s)
	case kind == Bool:
		err = fmt.Errorf("%q is neither true nor false", s)
	case kind == Bytes:
		err = fmt.Errorf("%q is not pairs of hexadecimal digits", s)
	}
	return v, err
}

// ParseInt reads a whole number as people write it: decimal, whatever zeros it begins with, unless it begins with 0x, 0o or 0b.
func ParseInt(s string) (int64, error) { return strconv.ParseInt(s, baseOf(s), 64) }

// ParseUint is ParseInt for numbers without a sign.
func ParseUint(s string) (uint64, error) { return strconv.ParseUint(s, baseOf(s), 64) }

// IsInt tells whether a text is a whole number.
func IsInt(s string) bool {
	_, signed := ParseInt(s)
	_, unsigned := ParseUint(s)
	return signed == nil || unsigned == nil
}

func baseOf(s string) int {
	digits := strings.ToLower(strings.TrimLeft(s, "+-"))
	if len(digits) > 1 && digits[0] == '0' && strings.IndexByte("xob", digits[1]) >= 0 && !strings.Contains(s, "_") {
		return 0 // as the prefix says
	}
	return 10
}

func parseValue(kind Kind, s string) (Value, error) {
	switch kind {
	case Uint:
		n, err := ParseUint(strings.TrimSpace(s))
		return U(n), err
	case Int:
		n, err := ParseInt(strings.TrimSpace(s))
		return I(n), err
	case Float:
		if bits, ok := strings.CutPrefix(s, nanPrefix); ok {
			n, err := strconv.ParseUint(strings.TrimSuffix(bits, ")"), 16, 64)
			if err == nil && !math.IsNaN(math.Float64frombits(n)) {
				err = fmt.Errorf("%s: these are not the bits of a NaN", s)
			}
			return F(math.Float64frombits(n)), err
		}
		f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
		if math.IsNaN(f) {
			f = math.Float64frombits(plainNaN) // Go's own NaN has a bit that other writers' have not
		}
		return F(f), err
	case Bool:
		b, err := strconv.ParseBool(strings.TrimSpace(s))
		return B(b), err
	case Bytes:
		b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
		return Raw(b), err
	}
	return S(s), nil
}
