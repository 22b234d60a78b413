// Package jsontext finds the tokens of a JSON text (RFC 8259) and their places, and has codecs for single tokens, so that a
// value inside a text can be shown and edited in place. The standard library parses the text.
package jsontext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"spandrel/model"
)

// Kind is the kind of a token.
type Kind uint8

// The kinds of tokens. Commas, colons and white space are none.
const (
	Open  Kind = iota // { or [
	Close             // } or ]
	Key
	Text
	Number
	Literal // true, false, null
)

// Token is a token and its place in the text, from Start up to End. Text is the content of a key or string, otherwise the token itself.
// Depth is the number of brackets around it. Key is the name of the member whose value it is or that contains its array; Index is its
// position in the array.
type Token struct {
	Kind       Kind
	Text       string
	Start, End int64
	Depth      int
	Key        string
	Index      int
}

// level is an open bracket.
type level struct {
	object bool
	value  bool // a key was read, its value is next
	key    string
	index  int
}

// kindOf is the kind of a token that is not a key.
func kindOf(raw json.Token) Kind {
	switch v := raw.(type) {
	case json.Delim:
		if v == '}' || v == ']' {
			return Close
		}
		return Open
	case string:
		return Text
	case json.Number:
		return Number
	}
	return Literal
}

// Tokens returns the tokens of the first value of a text and where the value ends, or an error and how far the text is JSON.
func Tokens(b []byte) (tokens []Token, end int64, err error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	open := []level{{}}
	for {
		start := d.InputOffset()
		raw, err := d.Token()
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return tokens, start, err
		}
		text := bytes.TrimLeft(b[start:d.InputOffset()], " \t\r\n,:")
		start = d.InputOffset() - int64(len(text))
		in := &open[len(open)-1]
		t := Token{Kind: kindOf(raw), Start: start, End: d.InputOffset(), Depth: len(open) - 1, Key: in.key, Index: in.index, Text: string(text)}
		if s, ok := raw.(string); ok {
			t.Text = s
		}
		switch {
		case t.Kind == Open:
			open = append(open, level{object: t.Text == "{", key: in.key})
		case t.Kind == Text && in.object && !in.value:
			t.Kind, in.key, in.value = Key, t.Text, true
		case t.Kind == Close:
			open, t.Depth = open[:len(open)-1], t.Depth-1
			in = &open[len(open)-1]
			fallthrough
		default:
			in.value = false
			in.index++
		}
		tokens = append(tokens, t)
		switch {
		case len(open) == 1:
			return tokens, t.End, nil
		case len(open) > model.MaxDepth:
			return tokens, t.End, fmt.Errorf("brackets are nested deeper than %d levels", model.MaxDepth)
		}
	}
}

var syntax = &model.Field{Name: "syntax", Codec: model.UTF8, Fixed: "brackets, colons and commas are needed between the values"}

// Lay creates leaves for the tokens of a text that starts at base in the space: one for each key and scalar that field names, and one of
// syntax for everything between and after them, up to the end of the frame. got is called with each value.
func Lay(c *model.Cursor, base int64, tokens []Token, field func(Token) *model.Field, got func(Token, model.Node)) {
	pieces, names := 0, map[string]int{}
	between := func(to int64) {
		if to > c.Pos() {
			pieces++
			c.FieldN(syntax.Named("syntax %d", pieces), to-c.Pos())
		}
	}
	for _, t := range tokens {
		f := field(t)
		if f == nil {
			continue
		}
		between(base + t.Start)
		if names[f.Name]++; names[f.Name] > 1 {
			f = f.Named("%s'%d", f.Name, names[f.Name]-1)
		}
		got(t, c.FieldN(f, t.End-t.Start))
	}
	between(c.Pos() + c.Left())
}

// Scalar is the codec of a token: a string with its quotes, a number, true, false or null. Numbers without a fraction are Int.
type Scalar struct{ Of model.Kind }

// Codec returns the codec of a token.
func (t Token) Codec() model.Codec {
	switch t.Kind {
	case Key, Text:
		return Scalar{model.Text}
	case Number:
		if _, err := strconv.ParseInt(t.Text, 10, 64); err != nil {
			return Scalar{model.Float}
		}
		return Scalar{model.Int}
	}
	if t.Text == "null" {
		return Scalar{model.None}
	}
	return Scalar{model.Bool}
}

// Size, Type, Endian and Kind describe text that a frame delimits.
func (s Scalar) Size() int        { return -1 }
func (s Scalar) Type() string     { return "utf8" }
func (s Scalar) Endian() string   { return "" }
func (s Scalar) Kind() model.Kind { return s.Of }

// Decode reads all of b as one token.
func (s Scalar) Decode(b []byte) (v model.Value, n int, err error) {
	switch s.Of {
	case model.Text:
		var text string
		err = json.Unmarshal(b, &text)
		return model.S(text), len(b), err
	case model.Int:
		i, err := strconv.ParseInt(string(b), 10, 64)
		return model.I(i), len(b), err
	case model.Float:
		f, err := strconv.ParseFloat(string(b), 64)
		return model.F(f), len(b), err
	case model.Bool:
		return model.B(string(b) == "true"), len(b), nil
	}
	return model.Value{}, len(b), nil
}

// Encode writes the token; characters are kept, except those that JSON must escape.
func (s Scalar) Encode(v model.Value) ([]byte, error) {
	if s.Of == model.Int {
		return strconv.AppendInt(nil, v.Int(), 10), nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	var err error
	if s.Of == model.Text {
		err = e.Encode(v.Text())
	} else {
		err = e.Encode(v.JSON())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
