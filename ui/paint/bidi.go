package paint

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/bidi"
)

// Visual returns a text in visual order from left to right: words of right-to-left scripts are reversed, and Arabic letters
// have their joined forms.
func Visual(s string) string {
	if !written(s) {
		return s
	}
	var p bidi.Paragraph
	if _, err := p.SetString(joined(s), bidi.DefaultDirection(bidi.LeftToRight)); err != nil {
		return s
	}
	order, err := p.Order()
	if err != nil {
		return s
	}
	var out, right []string // right: words from the right that follow each other, with the numbers between them
	flush := func() {
		slices.Reverse(right)
		out, right = append(out, right...), nil
	}
	for i := range order.NumRuns() {
		run := order.Run(i)
		text, next := run.String(), order.Run(min(i+1, order.NumRuns()-1))
		switch between := next.Direction() == bidi.RightToLeft && len(right) > 0; {
		case run.Direction() == bidi.RightToLeft:
			right = append(right, bidi.ReverseString(text))
		case between && !strings.ContainsFunc(text, unicode.IsLetter):
			right = append(right, text)
		default:
			flush()
			out = append(out, text)
		}
	}
	flush()
	return strings.Join(out, "")
}

// written tells whether a text contains a letter of a right-to-left script. It is called for every text that is drawn.
func written(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0xd6 && c <= 0xdf || c == 0xe0 || c == 0xef || c == 0xf0 {
			return strings.ContainsFunc(s[i:], func(r rune) bool {
				return unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko)
			})
		}
	}
	return false
}

// arabic is the number of forms of each letter from U+0621 on in Arabic Presentation Forms-B, from U+FE80 on: isolated and final, and for four also
// initial and medial; 0 for anything else.
var arabic = [...]rune{1, 2, 2, 2, 2, 4, 2, 4, 2, 4, 4, 4, 4, 4, 2, 2, 2, 2, 4, 4, 4, 4, 4, 4, 4, 4, 0, 0, 0, 0, 0, 0, 4, 4, 4, 4, 4, 4, 4, 2, 2, 4}

const (
	firstArabic = 0x621
	firstForm   = 0xfe80
	lam, alef   = 0x644, 0x627
	lamAlef     = 0xfefb
)

// forms are the first form of a letter, and the number of forms; 0 if it has none.
func forms(r rune) (first, n rune) {
	if r < firstArabic || r >= firstArabic+rune(len(arabic)) {
		return 0, 0
	}
	first = firstForm
	for _, k := range arabic[:r-firstArabic] {
		first += k
	}
	return first, arabic[r-firstArabic]
}

// joined gives Arabic letters the forms that they have beside their neighbours. Marks above and below letters do not separate them.
func joined(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { _, n := forms(r); return n > 0 }) {
		return s
	}
	in, out := []rune(s), []rune(nil)
	side := func(i, by int) rune { return besides(in, i, by) }
	for i := 0; i < len(in); i++ {
		first, n := forms(in[i])
		before := side(i, -1) == 4 && n > 1
		switch {
		case n == 0:
			out = append(out, in[i])
			continue
		case in[i] == lam && i+1 < len(in) && in[i+1] == alef:
			first, n = lamAlef, 2
			i++
		}
		if before { // the end, and the middle after the start
			first++
		}
		if n == 4 && side(i, 1) > 1 {
			first += 2
		}
		out = append(out, first)
	}
	return string(out)
}

// besides is the number of forms of the letter before or after one.
func besides(text []rune, i, by int) rune {
	for i += by; i >= 0 && i < len(text); i += by {
		if !unicode.Is(unicode.Mn, text[i]) {
			_, n := forms(text[i])
			return n
		}
	}
	return 0
}
