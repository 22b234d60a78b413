package model

import (
	"cmp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// OneLine is text from a file, or a file's name, made safe for a terminal: what would move the cursor, change colours or end the line is
// escaped, as is what is not UTF-8.
func OneLine(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if unicode.IsControl(r) || r == utf8.RuneError && n == 1 {
			quoted := strconv.Quote(s[i : i+n])
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

// Named is the name of a member or a tensor on one line; it may be empty in the file.
func Named(name string) string { return cmp.Or(strings.TrimSpace(OneLine(name)), "(no name)") }
