package npyfile

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"spandrel/model"
)

// literal is the codec of a Python literal: a text with its quotes, True or False, a whole number.
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
			return model.Value{}, 0, fmt.Errorf("%q is no text in quotes", s)
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
			return nil, fmt.Errorf("quotes, backslashes and line feeds cannot stand in it")
		}
		return []byte("'" + v.Text() + "'"), nil
	case model.Bool:
		if v.Uint() != 0 {
			return []byte("True"), nil
		}
		return []byte("False"), nil
	}
	if v.Int() < 0 {
		return nil, fmt.Errorf("a dimension is not negative")
	}
	return strconv.AppendInt(nil, v.Int(), 10), nil
}

// Ucs4 is text of four bytes a character, filled up with NULs: as many bytes as it says.
type Ucs4 int

// Size, Type, Endian and Kind describe it.
func (u Ucs4) Size() int        { return int(u) }
func (u Ucs4) Type() string     { return "utf32" }
func (u Ucs4) Endian() string   { return "le" }
func (u Ucs4) Kind() model.Kind { return model.Text }

// Decode reads the characters up to the NULs that fill the field up.
func (u Ucs4) Decode(b []byte) (model.Value, int, error) {
	if len(b) < int(u) {
		return model.Value{}, 0, fmt.Errorf("too few bytes")
	}
	var s strings.Builder
	for i := 0; i < int(u); i += 4 {
		s.WriteRune(rune(binary.LittleEndian.Uint32(b[i:])))
	}
	return model.S(strings.TrimRight(s.String(), "\x00")), int(u), nil
}

// Encode writes the characters and NULs behind them.
func (u Ucs4) Encode(v model.Value) ([]byte, error) {
	b := make([]byte, 0, u)
	for _, r := range v.Text() {
		b = binary.LittleEndian.AppendUint32(b, uint32(r))
	}
	if len(b) > int(u) {
		return nil, fmt.Errorf("%d characters do not fit in %d", len(b)/4, u/4)
	}
	return append(b, make([]byte, int(u)-len(b))...), nil
}
