package npyfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"spandrel/model"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Magic is the first bytes of every NPY file.
const Magic = "\x93NUMPY"

// Head is the head of an NPY file.
type Head struct {
	Descr   string // '<i8', '<U5', '|O' …; "" for a structured type, whose description is a list
	Type    string // Descr, or the list as written in the header
	Fortran bool   // column-major
	Shape   []int64
	Data    int64  // where the data starts
	Count   int64  // elements
	Item    int64  // bytes of an element, even if it is not decoded; 0 if the type does not give them
	Parts   []Part // of an element; nil where it is not decoded
	major   byte
	tokens  []token
	text    int64 // where the header text starts
	size    int64 // bytes of the header text
}

// MaxHeader is how many bytes of header numpy reads from an untrusted file.
const MaxHeader = 10_000

// Parse reads the head of an NPY file from its first bytes, and rejects what numpy rejects: a header that is not a dict of exactly
// descr, fortran_order and shape.
func Parse(b []byte) (h Head, err error) {
	if len(b) < 10 || string(b[:6]) != Magic {
		return h, errors.New("no NPY magic")
	}
	h.size, h.text, h.major = int64(binary.LittleEndian.Uint16(b[8:])), 10, b[6]
	switch {
	case b[6] < 1 || b[6] > 3 || b[7] != 0:
		return h, fmt.Errorf("version %d.%d is unknown", b[6], b[7])
	case b[6] >= 2 && len(b) < 12:
		return h, errors.New("the header is truncated")
	case b[6] >= 2:
		h.size, h.text = int64(binary.LittleEndian.Uint32(b[8:])), 12
	}
	if h.Data = h.text + h.size; h.Data > int64(len(b)) {
		return h, errors.New("the header is truncated")
	}
	text := string(b[h.text:h.Data])
	if h.major == 3 && !utf8.ValidString(text) {
		return h, errors.New("the header is not UTF-8")
	}
	if h.tokens, err = scan(text); err != nil {
		return h, err
	}
	return h, h.read(text)
}

// Cut returns the minimum length of an NPY file that is truncated inside its head, and 0 otherwise: the
// text of a head ends with a line feed.
func Cut(b []byte) int64 {
	if len(b) < 10 && strings.HasPrefix(string(b), Magic) {
		return 10
	}
	h, err := Parse(b)
	if err == nil || h.Data <= int64(len(b)) || h.size > MaxHeader || h.text <= int64(len(b)) && bytes.IndexByte(b[h.text:], '\n') >= 0 {
		return 0
	}
	return h.Data
}

// token is a piece of a Python literal: a bracket, a comma, a colon, a string without its quotes, a number or a name.
type token struct {
	kind       byte // the bracket or sign itself; 's', 'n' or 'w' for strings, numbers and names
	text       string
	start, end int64
	is         string // what it is of the head: descr, fortran_order, dim0 …; "" for syntax
}

// scan divides the text of a dict into tokens.
func scan(s string) (out []token, err error) {
	for at := int64(0); at < int64(len(s)); {
		t, n := first(s[at:])
		if n == 0 {
			if t.kind == 's' {
				return out, fmt.Errorf("the header has an unterminated string at byte %d", at)
			}
			return out, fmt.Errorf("the header has %q at byte %d, which is not valid Python", s[at], at)
		}
		if strings.IndexByte(t.text, 0) >= 0 {
			return out, fmt.Errorf("the header has a NUL in a string at byte %d, which is not valid Python", at)
		}
		t.start, t.end = at, at+int64(n)
		if at = t.end; t.kind != 0 {
			out = append(out, t)
		}
	}
	return out, nil
}

// first returns the token that a text begins with and its length: a token without a kind is a blank or a comment; one of length 0 is unterminated or
// invalid.
func first(s string) (t token, n int) {
	prefix := 0
	if strings.IndexByte("uU", s[0]) >= 0 && len(s) > 1 {
		prefix = 1
	}
	if text := s[prefix:]; text[0] == '\'' || text[0] == '"' {
		if n = quoted(text); n == 0 {
			return token{kind: 's'}, 0
		}
		return token{kind: 's', text: text[1 : n-1]}, prefix + n
	}
	switch c := s[0]; {
	case strings.IndexByte(" \t\n\r\f", c) >= 0:
		return t, 1
	case strings.IndexByte("{}()[],:", c) >= 0:
		return token{kind: c}, 1
	case c == '#':
		line, _, _ := strings.Cut(s, "\n")
		return t, len(line)
	case c >= '0' && c <= '9':
		t.kind = 'n'
	default:
		t.kind = 'w'
	}
	for n < len(s) && (s[n] == '_' || s[n] >= '0' && s[n] <= '9' || s[n]|0x20 >= 'a' && s[n]|0x20 <= 'z') {
		n++
	}
	t.text = s[:n]
	return t, n
}

// quoted is the length of the quoted text that s begins with; 0 if it does not end.
func quoted(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case s[0]:
			return i + 1
		case '\\':
			i++
		}
	}
	return 0
}

// read parses the dict from the tokens of a text.
func (h *Head) read(text string) error {
	r := &reader{tokens: h.tokens}
	if !r.take('{') {
		return errors.New("the header is not a dict")
	}
	seen := map[string]bool{}
	for !r.take('}') {
		key := r.next()
		if key.kind != 's' || !r.take(':') {
			return fmt.Errorf("the header is not a dict of names and values: %q", key.text)
		}
		if seen[key.text] { // Python takes the last
			h.forget(key.text)
		}
		seen[key.text] = true
		if err := h.readValue(key.text, r, text); err != nil {
			return err
		}
		if !r.take(',') && r.peek() != '}' {
			return errors.New("the header lacks a comma between its values")
		}
	}
	if len(seen) != 3 || r.peek() != 0 {
		return errors.New("the header is not a dict of descr, fortran_order and shape")
	}
	return nil
}

// readValue reads the value of a key of the dict.
func (h *Head) readValue(key string, r *reader, text string) error {
	switch key {
	case "descr":
		return h.readDescr(r, text)
	case "shape":
		return h.readShape(r)
	case "fortran_order":
		t := r.mark("fortran_order")
		if h.Fortran = t.text == "True"; t.kind != 'w' || !h.Fortran && t.text != "False" {
			return fmt.Errorf("fortran_order is %q, not True or False", t.text)
		}
		return nil
	}
	return fmt.Errorf("the header has %q besides descr, fortran_order and shape", key)
}

// Resized is the head, of the same length, with another number in a dimension of the shape: its padding is shorter or longer instead. It is nil if
// there is not enough.
func (h *Head) Resized(head []byte, dim int, n int64) []byte {
	body := bytes.TrimRight(head, " \n")
	for _, t := range h.tokens {
		if t.is == fmt.Sprintf("dim%d", dim) {
			body = slices.Concat(body[:h.text+t.start], strconv.AppendInt(nil, n, 10), body[h.text+t.end:])
		}
	}
	end := head[len(bytes.TrimRight(head, "\n")):]
	if len(body)+len(end) > len(head) {
		return nil
	}
	return slices.Concat(body, bytes.Repeat([]byte(" "), len(head)-len(body)-len(end)), end)
}

// Written is the head as numpy writes it: the dict, and blanks up to a multiple of 64 bytes.
func (h *Head) Written() []byte {
	descr, order := h.Type, "False"
	if h.Descr != "" {
		descr = "'" + h.Descr + "'"
	}
	if h.Fortran {
		order = "True"
	}
	dims := ""
	for i, n := range h.Shape {
		if i > 0 {
			dims += " "
		}
		dims += strconv.FormatInt(n, 10) + ","
	}
	if len(h.Shape) > 1 {
		dims = dims[:len(dims)-1]
	}
	text := fmt.Sprintf("{'descr': %s, 'fortran_order': %s, 'shape': (%s), }", descr, order, dims)
	major, before := max(1, h.major), 10 // bytes before the dict
	if len(text) > 65_000 {
		major = max(2, major)
	}
	if major > 1 {
		before = 12
	}
	n := (before+len(text)+64)/64*64 - before
	b := append([]byte(Magic), major, 0)
	if b = binary.LittleEndian.AppendUint16(b, uint16(n)); major > 1 {
		b = binary.LittleEndian.AppendUint32(b[:8], uint32(n))
	}
	return append(b, text+strings.Repeat(" ", n-1-len(text))+"\n"...)
}

// forget discards the value of a key that is repeated in the header.
func (h *Head) forget(key string) {
	for i := range h.tokens {
		if is := h.tokens[i].is; is == key || key == "shape" && strings.HasPrefix(is, "dim") || key == "descr" && (is == "field" || is == "type") {
			h.tokens[i].is = ""
		}
	}
	switch key {
	case "shape":
		h.Shape = nil
	case "descr":
		h.Descr, h.Type, h.Item, h.Parts = "", "", 0, nil
	}
}

// readDescr reads a type, or the description of a structured one.
func (h *Head) readDescr(r *reader, text string) (err error) {
	if r.peek() == 's' {
		h.Descr = plain(r.mark("descr").text)
		h.Type = h.Descr
		if h.Item, err = itemSize(h.Descr); err != nil {
			return err
		}
		h.Parts = scalar("", h.Descr)
		return nil
	}
	if r.peek() != '[' && r.peek() != '(' {
		return errors.New("descr is neither a type nor a list of fields")
	}
	from := r.at
	for depth := 0; ; {
		switch t := r.next(); t.kind {
		case '[', '(':
			depth++
		case ']', ')':
			if depth--; depth == 0 {
				h.Type = text[r.tokens[from].start:t.end]
				of := &reader{tokens: r.tokens[from:r.at]}
				if n, parts := of.fields("", 0); !of.failed {
					h.Item, h.Parts = n, parts
				}
				return of.err
			}
		case 0:
			return errors.New("descr has no end")
		}
	}
}

// maxElements is more elements than any file has.
const maxElements = 1 << 50

// wholeNumber reads a number as Python does; a long integer of Python 2 ends with an L, which numpy skips up to version 2.0.
func wholeNumber(s string, major byte) (int64, error) {
	if major <= 2 {
		s = strings.TrimSuffix(s, "L")
	}
	if len(s) > 1 && s[0] == '0' && s[1] >= '0' && s[1] <= '9' && strings.Trim(s, "0_") != "" {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseInt(s, 0, 64)
}

func (h *Head) readShape(r *reader) error {
	if !r.take('(') {
		return errors.New("shape is not a tuple")
	}
	h.Count = 1
	for !r.take(')') {
		t := r.mark(fmt.Sprintf("dim%d", len(h.Shape)))
		n, err := wholeNumber(t.text, h.major)
		if t.kind != 'n' || err != nil {
			return fmt.Errorf("shape has %q, not a whole number", t.text)
		}
		count, ok := model.Times(uint64(h.Count), uint64(n), maxElements)
		if !ok {
			return errors.New("shape is too large")
		}
		h.Shape, h.Count = append(h.Shape, n), int64(count)
		if comma := r.take(','); !comma && (r.peek() != ')' || len(h.Shape) == 1) {
			return errors.New("shape is not a tuple of numbers")
		}
	}
	return nil
}

// reader walks over tokens.
type reader struct {
	tokens []token
	at     int
	failed bool
	err    error // what numpy does not read
}

// need makes the reader fail unless a condition holds: nothing is read after a failure.
func (r *reader) need(ok bool) {
	if !ok {
		r.failed, r.at = true, len(r.tokens)
	}
}

// want is need for what numpy needs too.
func (r *reader) want(ok bool) {
	if !ok && !r.failed && r.err == nil {
		r.err = errors.New("descr is not a list of fields, each with a name and a type")
	}
	r.need(ok)
}

func (r *reader) peek() byte {
	if r.at < len(r.tokens) {
		return r.tokens[r.at].kind
	}
	return 0
}

func (r *reader) next() token {
	if r.at < len(r.tokens) {
		r.at++
		return r.tokens[r.at-1]
	}
	return token{}
}

func (r *reader) take(kind byte) bool {
	if r.peek() != kind {
		return false
	}
	r.at++
	return true
}

// mark consumes a token and notes its meaning.
func (r *reader) mark(is string) token {
	if r.at < len(r.tokens) {
		r.tokens[r.at].is = is
	}
	return r.next()
}
