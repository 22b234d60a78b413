package scdl

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"spandrel/model"
	"spandrel/parsers/internal/jsontext"
)

// jsonLimit is the maximum size in bytes of a text that is parsed.
const jsonLimit = 4 << 20

// jsonCount is the maximum number of values shown as separate fields; a text with more is one field.
const jsonCount = 100_000

// jsonMembers reads a JSON text to its last byte: a field for each string, number and literal, named by its path. Anything that is not JSON is a single text
// field.
func jsonMembers(c *model.Cursor) {
	n := c.Left()
	b := c.Peek(n)
	if n <= jsonLimit && bytes.Count(b, []byte{','}) <= jsonCount && utf8.Valid(b) {
		if tokens, end, err := jsontext.Tokens(b); err == nil && len(bytes.TrimSpace(b[end:])) == 0 {
			jsontext.Lay(c, c.Pos(), tokens, new(way).field, func(jsontext.Token, model.Node) {})
			return
		}
	}
	c.Rest(&model.Field{Name: "text", Codec: model.UTF8})
}

// way is the stack of open brackets: the name of each, and whether it is an object.
type way []struct {
	name   string
	object bool
}

// field names a token by its path: the key of a member, after the name of its container below the first level; in an array, its position in brackets.
func (w *way) field(t jsontext.Token) *model.Field {
	switch t.Kind {
	case jsontext.Close:
		*w = (*w)[:len(*w)-1]
		return nil
	case jsontext.Key:
		return nil
	}
	name := "value"
	if n := len(*w); n > 0 {
		switch in := (*w)[n-1]; {
		case !in.object:
			name = fmt.Sprintf("%s[%d]", in.name, t.Index)
		case n > 1:
			name = in.name + "." + t.Key
		case t.Key != "":
			name = t.Key
		}
	}
	if t.Kind == jsontext.Open {
		*w = append(*w, struct {
			name   string
			object bool
		}{name, t.Text == "{"})
		return nil
	}
	return &model.Field{Name: name, Codec: t.Codec()}
}
