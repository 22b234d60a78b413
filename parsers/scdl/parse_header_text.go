package scdl

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"spandrel/model"
)

func oddName(s string) bool {
	return strings.ContainsFunc(s, unicode.IsControl) || strings.ContainsRune(s, '\\') || strings.HasPrefix(s, "/") || strings.Contains(s,
		"..") ||
		len(s) > 1 && s[1] == ':' && unicode.IsLetter(rune(s[0]))
}

// text reads a length and as many bytes of UTF-8.
func (r *reader) text(c *model.Cursor, length, text *model.Field) (n, s model.Node, ok bool) {
	if c.Left() < 4 {
		return n, s, false
	}
	stored := c.Pos()
	n = r.num(c, length)
	if n.Int() > c.Left() {
		c.Wrong(textLength, n, nil, fmt.Sprintf("at most %d", c.Left()))
		return n, s, false
	}
	s = c.FieldN(text, n.Int())
	if m := r.misspelt(stored, s); m != nil {
		c.Wrong(textLength, s, nil, m.name, model.Saying("the name of a file has missing or extra letters"), model.About(*m))
	} else {
		c.LengthOf(n, s).As(textLength)
	}
	if !utf8.ValidString(s.Text()) {
		c.Wrong(notUTF8, s, nil, meant(r.a, s.Text()))
	}
	return n, s, true
}

// meant is the one name of an array, a feature folder or a file of the archive from which a text differs in one byte; nil where there is none, or
// several. The archive may be nil.
func meant(a *archive, text string) (name any) {
	known := []string{"features", "var_features", "obs_features"}
	for _, k := range keys {
		known = append(known, k.key)
	}
	if a != nil {
		known = append(known, a.order...)
	}
	for _, k := range known {
		if model.Differ(k, text) != 1 {
			continue
		}
		if name != nil {
			return nil
		}
		name = model.S(k)
	}
	return name
}

// misspelt is a path in which letters are missing or too many.
type misspelt struct {
	name  string // the file that is meant
	where model.Range
	put   []byte // the right text
}

// misspelt tells of a text whose length seems wrong whether it is the text that is: it is the name of no file of the archive, and that of one but
// for one run of letters.
func (r *reader) misspelt(at int64, s model.Node) (m *misspelt) {
	text := s.Text()
	if r.corrected.at != at || r.a == nil || slices.Contains(r.a.order, text) {
		return nil
	}
	for _, name := range r.a.order {
		p, short := alike(name, text), min(len(name), len(text))
		if n := len(name) - len(text); n == 0 || max(n, -n) > maxMisspelt || name[len(name)-short+p:] != text[len(text)-short+p:] {
			continue
		}
		if m != nil {
			return nil // which of them is not known
		}
		m = &misspelt{name: name, put: append(binary.BigEndian.AppendUint32(nil, uint32(len(name))), name...)}
	}
	if m == nil {
		return nil
	}
	was := r.root.PeekAt(at, 4+int64(len(text)))
	for len(was) > 0 && len(m.put) > 0 && was[len(was)-1] == m.put[len(m.put)-1] {
		was, m.put = was[:len(was)-1], m.put[:len(m.put)-1]
	}
	n := alike(string(was), string(m.put))
	m.put = m.put[n:]
	m.where = model.Range{Space: s.Span.Range.Space, Off: at + int64(n), Len: int64(len(was) - n)}
	return m
}

// alike is the length in bytes of the common prefix of two texts.
func alike(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// maxMisspelt is how many letters may be missing in a path, or too many.
const maxMisspelt = 4
