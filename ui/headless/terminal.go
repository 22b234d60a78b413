package headless

import (
	"fmt"
	"io"
	"os"

	"spandrel/model"
)

// terminal returns the file if w is a terminal, otherwise nil.
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

// colours tells whether output to w may be coloured: https://no-color.org.
func colours(w io.Writer) bool {
	return terminal(w) != nil && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// tints are the colours of words.
var tints = map[string]string{"error": "31", "warning": "33", "note": "36", "proven": "32", "likely": "33", "possible": "36"}

// tint colours a word if colours are wanted.
func (c *call) tint(word string) string {
	if code := tints[word]; c.coloured && code != "" {
		return "\x1b[1;" + code + "m" + word + "\x1b[m"
	}
	return word
}

// either prints data with --json, or a line of text.
func (c *call) either(data any, format string, args ...any) error {
	if c.json {
		return c.line(data)
	}
	return linef(c.Out, format, args...)
}

// linef prints a line in which texts and errors are escaped as by model.OneLine.
func linef(w io.Writer, format string, args ...any) error {
	for i, a := range args {
		switch a := a.(type) {
		case string:
			args[i] = model.OneLine(a)
		case error:
			args[i] = model.OneLine(a.Error())
		}
	}
	_, err := fmt.Fprintf(w, format+"\n", args...)
	return err
}
