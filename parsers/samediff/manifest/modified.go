package manifest

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"spandrel/model"
)

// modified is the modified UTF-8 of java.io.DataOutput, used for names in Java streams (section 1.4.4): a character outside
// the basic plane is a surrogate pair of 3 bytes each, and U+0000 is C0 80. Other bytes are passed through.
type modified struct{ model.Codec }

var ModifiedUTF8 model.Codec = modified{model.UTF8}

func (c modified) Decode(b []byte) (model.Value, int, error) {
	return model.S(FromModified(b)), len(b), nil
}

func (c modified) Encode(v model.Value) ([]byte, error) { return ToModified(v.Text()), nil }

// surrogate returns the surrogate that 3 bytes encode, or 0.
func surrogate(b []byte) rune {
	if len(b) < 3 || b[0] != 0xed || b[1] < 0xa0 || b[1] > 0xbf || b[2]&0xc0 != 0x80 {
		return 0
	}
	return 0xd000 | rune(b[1]&0x3f)<<6 | rune(b[2]&0x3f)
}

func FromModified(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var out strings.Builder
	for len(b) > 0 {
		n := 1
		if len(b) > 1 && b[0] == 0xc0 && b[1] == 0x80 {
			out.WriteByte(0)
			n = 2
		} else if r := utf16.DecodeRune(surrogate(b), surrogate(b[min(3, len(b)):])); r != utf8.RuneError {
			out.WriteRune(r)
			n = 6
		} else {
			out.WriteByte(b[0])
		}
		b = b[n:]
	}
	return out.String()
}

func ToModified(s string) []byte {
	out := make([]byte, 0, len(s))
	for i, r := range s {
		switch n := utf8.RuneLen(r); {
		case r == 0:
			out = append(out, 0xc0, 0x80)
		case n == 4:
			for _, half := range utf16.AppendRune(nil, r) {
				out = append(out, 0xe0|byte(half>>12), 0x80|byte(half>>6)&0xbf, 0x80|byte(half)&0xbf)
			}
		case r == utf8.RuneError && s[i] != 0xef:
			out = append(out, s[i]) // not UTF-8: unchanged
		default:
			out = append(out, s[i:i+n]...)
		}
	}
	return out
}
