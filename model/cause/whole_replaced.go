package cause

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"spandrel/model"
)

// A text was replaced everywhere in a binary file by a shorter or longer one, as sed and editors do: every place moves what follows.

const (
	mostReplaced  = 1 << 20 // bytes of a file that is searched
	leastWord     = 3       // letters of the text that is there now
	mostWord      = 16
	leastReplaced = 4 // places: fewer are a small change of each of too many texts
	mostCutShort  = 16
	mostTexts     = 1 << 16 // different texts that are counted
	triedTexts    = 24
)

// textReplaced looks for a text that is in the file as often as the bytes that are missing or surplus require.
func textReplaced(g *subject) {
	e := g.extent
	if !g.all || e == nil || e.Least || e.Guess || len(g.b) > mostReplaced || g.prose() || e.Size == g.c.Len() {
		return
	}
	by := g.c.Len() - e.Size
	var trials []*trial
	tried := map[string]int64{}
	for _, text := range textsSoOften(g.b, max(by, -by)) {
		n := int64(bytes.Count(g.b, []byte(text)))
		if len(trials) == triedTexts || n < leastReplaced || by%n != 0 || by/n >= int64(len(text)) || endsIn(tried, text, n) {
			continue
		}
		tried[text] = n
		trials = append(trials, replacedBack(g, text, n, by/n))
	}
	for _, t := range trials {
		if g.r.judges([]*trial{t}); t.res.clean() && t.res.gap <= g.r.base.gap && g.r.improves(t) {
			keep(g.r, t)
			return
		}
	}
}

// endsIn tells whether a text is the end of another one in all its n places.
func endsIn(texts map[string]int64, text string, n int64) bool {
	for longer, m := range texts {
		if m == n && strings.HasSuffix(longer, text) {
			return true
		}
	}
	return false
}

// textsSoOften are the texts that are in some bytes so often that as many bytes as are missing or surplus are a few for each, the longest first.
func textsSoOften(b []byte, off int64) (out []string) {
	for text, n := range countTexts(b) {
		if n >= leastReplaced && off%n == 0 && off/n <= mostCutShort {
			out = append(out, text)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return out
}

// countTexts counts the texts of some letters.
func countTexts(b []byte) map[string]int64 {
	count := map[string]int64{}
	letter := func(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' }
	for from := range b {
		for n := 1; n <= mostWord && from+n <= len(b) && letter(b[from+n-1]); n++ {
			if text := b[from : from+n]; n >= leastWord && (count[string(text)] > 0 || len(count) < mostTexts) {
				count[string(text)]++
			}
		}
	}
	return count
}

// replacedBack is the trial that removes the last letters of a text in all its n places, or puts in letters after it.
func replacedBack(g *subject, text string, n, by int64) *trial {
	was := text[:len(text)-int(max(0, by))] + strings.Repeat("_", int(max(0, -by)))
	is := bytes.ReplaceAll(g.b, []byte(text), []byte(was))
	t := &trial{kind: legal, op: shiftRest, at: Place{File: g.name, Off: int64(bytes.Index(g.b, []byte(text))), Len: int64(len(text))}, snap: g.r.base.snap.With(g.name, model.BytesContent(is)),
		means: "Programs that replace text, such as sed, do not know the lengths and places that a binary file contains."}
	if by > 0 {
		t.text = model.Words("In %s places “%s” is %d bytes too long: a text was replaced throughout the file by a longer one.", model.Thousands(n), text, by)
		t.label = model.Words("write “%s” in all places", was)
		t.unsure = true // others of its letters may be the new ones
		return t
	}
	t.text = model.Words("After “%s” %d bytes are missing, in %s places: a text was replaced throughout the file by a shorter one.", text, -by, model.Thousands(n))
	t.label = model.Words("write “%s” in all places, to be replaced by the old text", was)
	t.loses = model.Words("the %d letters that were left out", -by)
	return t
}
