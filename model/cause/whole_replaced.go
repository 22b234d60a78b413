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

// textReplaced looks for a text that is in the file as often as the bytes that are missing or surplus require or, if their number is unknown, only in texts that
// are all longer or shorter than their lengths say, by the same amount.
func textReplaced(g *subject) {
	e := g.extent
	if !g.all || len(g.b) > mostReplaced || g.prose() || e != nil && e.Size == g.c.Len() {
		return
	}
	var trials []*trial
	if e != nil && !e.Least && !e.Guess {
		trials = replacedIn(g, g.b, g.c.Len()-e.Size, 0)
	} else {
		lists := unlikeLengths(g.b)
		for each := int64(-mostCutShort); each <= mostCutShort; each++ {
			trials = append(trials, replacedIn(g, lists[each], 0, each)...)
		}
	}
	for _, t := range trials {
		if g.r.judges([]*trial{t}); t.res.clean() && t.res.gap <= g.r.base.gap && g.r.improves(t) {
			keep(g.r, t)
			return
		}
	}
}

// replacedIn are the trials of texts that are in some bytes and nowhere else, so often that each place makes up a part of by, or each changes the length by as much.
func replacedIn(g *subject, in []byte, by, each int64) (trials []*trial) {
	tried := map[string]int64{}
	for _, text := range textsSoOften(in, max(by, -by)) {
		n := int64(bytes.Count(g.b, []byte(text)))
		if len(trials) == triedTexts || n < leastReplaced || n != int64(bytes.Count(in, []byte(text))) || by%n != 0 || by/n+each >= int64(len(text)) || endsIn(tried, text, n) {
			continue
		}
		tried[text] = n
		trials = append(trials, replacedBack(g, text, n, by/n+each))
	}
	return trials
}

// unlikeLengths are the texts of a file whose lengths before them are others, by how many bytes they are longer, negative if they are shorter. A length has
// 1, 4 or 8 bytes, the lowest first.
func unlikeLengths(b []byte) map[int64][]byte {
	out := map[int64][]byte{}
	for from := 1; from < len(b); from++ {
		n, before := 0, b[max(0, from-8):from]
		for from+n < len(b) && b[from+n] >= ' ' && b[from+n] < 0x7f {
			n++
		}
		zeros := len(before) - len(bytes.TrimRight(before, "\x00"))
		if n >= leastWord && (zeros == 0 || zeros == 3 || zeros == 7) && len(before) > zeros {
			if off := int64(n) - int64(before[len(before)-zeros-1]); off != 0 {
				out[off] = append(append(out[off], b[from:from+n]...), 0)
			}
		}
		from += n
	}
	return out
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
