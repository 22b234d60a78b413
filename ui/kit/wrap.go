package kit

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"

	"spandrel/ui/paint"
)

// wrapMost is the largest number of lines for one text.
const wrapMost = 12

// LongestWord returns the width in pixels of the widest part of a text that Wrap does not break unless it must.
func LongestWord(f *paint.Typeface, s string) (widest int) {
	w := 0
	for _, r := range s[:min(len(s), 4096)] {
		if r == ' ' || r == '\n' {
			w = 0
			continue
		}
		if w += f.Glyph(r).Advance; w > widest {
			widest = w
		}
		if r == '/' {
			w = 0
		}
	}
	return widest
}

// Wrap breaks a text at spaces, or anywhere if there are none, into lines of at most room pixels.
func Wrap(f *paint.Typeface, s string, room int) (lines []string) {
	for room > 0 && len(lines) < wrapMost-1 {
		end := lineEnd(f, s, room)
		if end == len(s) {
			break
		}
		lines = append(lines, s[:end])
		s = strings.TrimPrefix(strings.TrimLeft(s[end:], " "), "\n")
	}
	return append(lines, s)
}

// lineEnd is where the first line of a text ends: at a line break, where it can be broken, or where it must be.
func lineEnd(f *paint.Typeface, s string, room int) int {
	w, space := 0, 0
	for i, r := range s {
		switch w += f.Glyph(r).Advance; {
		case r == '\n':
			return i
		case w > room && space > 0:
			return space
		case w > room && i > 0:
			return i
		case r == ' ' || r == '/':
			space = i + 1
		}
	}
	return len(s)
}

// InWidget is a text for Fyne's widgets, whose font has no arrow: the text after an arrow from another font is drawn as boxes.
func InWidget(s string) string { return strings.ReplaceAll(s, "→", "to") }

// atSlashes breaks paths that are wider than room behind a slash, where a label would break them inside a name.
func atSlashes(s string, room float32) string {
	fits := func(s string) bool { return fyne.MeasureText(s, theme.TextSize(), fyne.TextStyle{}).Width <= room }
	var words []string
	for _, line := range strings.SplitAfter(s, "\n") {
		words = append(words, strings.SplitAfter(line, " ")...)
	}
	for i, w := range words {
		var lines []string
		for !fits(w) {
			end := 0
			for k, r := range w[:len(w)-1] {
				if r == '/' && fits(w[:k+1]) {
					end = k + 1
				}
			}
			if end <= 1 {
				break
			}
			lines, w = append(lines, w[:end]), w[end:]
		}
		words[i] = strings.Join(append(lines, w), "\n")
	}
	return strings.Join(words, "")
}

// Sentence returns text with a capital letter, unless it begins with a name: of a file, a field or a variable.
func Sentence(text string) string {
	first, _, _ := strings.Cut(text, " ")
	if first == "" || strings.ContainsFunc(strings.TrimRight(first, ",;"), func(r rune) bool { return r < 'a' || r > 'z' }) {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// TailOf keeps the end of a path, which says more than its start.
func TailOf(path string, n int) string {
	if r := []rune(path); len(r) > n {
		return "…" + string(r[len(r)-n:])
	}
	return path
}
