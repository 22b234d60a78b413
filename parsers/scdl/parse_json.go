package scdl

// JSON (RFC 8259) as fields with ranges: the small members of SCDL archives. Scalars are fields that can be edited in place;
// the rest of the text is kept as it stands.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"spandrel/model"
)

// jsonLimit is the longest text that is taken apart.
const jsonLimit = 4 << 20

// jsonCount is how many values are fields of their own; a text with more is one field.
const jsonCount = 100_000

// jsonScalar is the codec of a string, number, true, false or null token.
type jsonScalar struct{ kind model.Kind }

func (j jsonScalar) Size() int        { return -1 }
func (j jsonScalar) Type() string     { return "utf8" }
func (j jsonScalar) Endian() string   { return "" }
func (j jsonScalar) Kind() model.Kind { return j.kind }

func (j jsonScalar) Decode(b []byte) (model.Value, int, error) {
	switch j.kind {
	case model.Text:
		var s string
		err := json.Unmarshal(b, &s)
		return model.S(s), len(b), err
	case model.Int:
		n, err := strconv.ParseInt(string(b), 10, 64)
		return model.I(n), len(b), err
	case model.Float:
		f, err := strconv.ParseFloat(string(b), 64)
		return model.F(f), len(b), err
	case model.Bool:
		return model.B(string(b) == "true"), len(b), nil
	}
	return model.Value{}, len(b), nil
}

func (j jsonScalar) Encode(v model.Value) ([]byte, error) {
	switch j.kind {
	case model.Text:
		return json.Marshal(v.Text())
	case model.Int:
		return []byte(strconv.FormatInt(v.Int(), 10)), nil
	}
	return json.Marshal(v.JSON())
}

// jsonMembers reads a JSON text to its last byte. What is not JSON is one field of text.
func jsonMembers(c *model.Cursor) {
	n := c.Left()
	b := c.Peek(n)
	if n > jsonLimit || bytes.Count(b, []byte{','}) > jsonCount || !json.Valid(b) || !utf8.Valid(b) {
		c.Rest(&model.Field{Name: "text", Codec: model.UTF8})
		return
	}
	w := &jsonWalker{c: c, b: b, base: c.Pos(), used: map[string]int{}}
	w.value("value", 0)
	w.syntax(len(b))
}

// jsonWalker walks valid JSON. at is what has been covered by spans.
type jsonWalker struct {
	c    *model.Cursor
	b    []byte
	base int64
	at   int // covered by spans
	pos  int
	n    int // pieces of syntax
	used map[string]int
}

// syntax covers brackets, keys and blanks up to a position.
func (w *jsonWalker) syntax(to int) {
	if to > w.at {
		w.n++
		w.c.FieldN(&model.Field{Name: fmt.Sprintf("syntax %d", w.n), Codec: model.ASCII, Fixed: "syntax of the JSON text"}, int64(to-w.at))
		w.at = to
	}
}

func (w *jsonWalker) blanks() {
	for w.pos < len(w.b) && strings.IndexByte(" \t\r\n", w.b[w.pos]) >= 0 {
		w.pos++
	}
}

// token returns the end of a string or another scalar that starts at the position.
func (w *jsonWalker) token() int {
	i := w.pos
	if w.b[i] == '"' {
		for i++; w.b[i] != '"'; i++ {
			if w.b[i] == '\\' {
				i++
			}
		}
		return i + 1
	}
	for i < len(w.b) && strings.IndexByte(" \t\r\n,]}", w.b[i]) < 0 {
		i++
	}
	return i
}

func (w *jsonWalker) value(name string, depth int) {
	w.blanks()
	switch open := w.b[w.pos]; {
	case depth > model.MaxDepth:
		w.pos = len(w.b)
	case open == '{' || open == '[':
		w.pos++
		for i := 0; ; i++ {
			if w.blanks(); w.b[w.pos] == '}' || w.b[w.pos] == ']' {
				w.pos++
				return
			}
			child := fmt.Sprintf("%s[%d]", name, i)
			if open == '{' {
				end := w.token()
				var key string
				json.Unmarshal(w.b[w.pos:end], &key)
				child = key
				if depth > 0 {
					child = name + "." + key
				}
				w.pos = end
				w.blanks()
				w.pos++ // the colon
			}
			w.value(child, depth+1)
			if w.pos >= len(w.b) {
				return
			}
			if w.blanks(); w.b[w.pos] == ',' {
				w.pos++
			}
		}
	default:
		end := w.token()
		w.scalar(name, end)
		w.pos = end
	}
}

// unique returns a name that no other field has: a key may be repeated, or empty.
func (w *jsonWalker) unique(name string) string {
	k, free := w.used[name], name
	for ; w.used[free] > 0 || free == ""; k++ {
		free = fmt.Sprintf("%s'%d", name, k+1)
	}
	w.used[name] = k
	w.used[free]++
	return free
}

func (w *jsonWalker) scalar(name string, end int) {
	name = w.unique(name)
	kind, text := model.Text, string(w.b[w.pos:end])
	switch {
	case text == "null":
		kind = model.None
	case text == "true" || text == "false":
		kind = model.Bool
	case text[0] != '"':
		kind = model.Int
		if _, err := strconv.ParseInt(text, 10, 64); err != nil {
			kind = model.Float
		}
	}
	w.syntax(w.pos)
	w.c.FieldN(&model.Field{Name: name, Codec: jsonScalar{kind}}, int64(end-w.pos))
	w.at = end
}
