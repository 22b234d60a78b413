package scdl

import (
	"fmt"
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
	if !r.room(c, 4) {
		return n, s, false
	}
	if n = c.Field(length); n.Uint() > maxName {
		r.h.odd = true
	}
	if !r.room(c, n.Int()) {
		c.Wrong(textLength, n, nil, fmt.Sprintf("at most %d", c.Left()))
		return n, s, false
	}
	s = c.FieldN(text, n.Int())
	c.LengthOf(n, s).As(textLength)
	valid := utf8.ValidString(s.Text())
	if r.h.odd = r.h.odd || !valid || s.Text() == "" || strings.ContainsFunc(s.Text(), unicode.IsControl); !valid {
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
