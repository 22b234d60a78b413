package headless

import (
	"io"
	"os"
	"strings"
	"unicode"
)

// terminal returns the file when somebody looks at what is written to it, nil otherwise.
func terminal(w io.Writer) *os.File {
	f, ok := w.(*os.File)
	if !ok {
		return nil
	}
	if st, err := f.Stat(); err != nil || st.Mode()&os.ModeCharDevice == 0 || st.Name() == os.DevNull || !understands(f) {
		return nil
	}
	return f
}

// colours tells whether what is written to w may be coloured: https://no-color.org.
func colours(w io.Writer) bool {
	return terminal(w) != nil && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// tints are the colours of words.
var tints = map[string]string{"error": "31", "warning": "33", "note": "36", "proven": "32", "likely": "33", "possible": "36"}

// tint colours a word where that is wanted.
func (c *call) tint(word string) string {
	if code := tints[word]; c.coloured && code != "" {
		return "\x1b[1;" + code + "m" + word + "\x1b[m"
	}
	return word
}

// oneLine is text from a file as a terminal may be given it: what would move the cursor, colour the rest or end the line is replaced.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '\ufffd'
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}
