package cause

import (
	"bytes"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"spandrel/model"
)

// What overwrote a part of a file, judged by the bytes there: something that is not text inside text, noise where a structure begins.

const (
	mostText    = 64 << 10 // bytes of a text that are examined
	mostlyPlain = 0.7      // how much of it must be text
)

// textSpoiled reports bytes that are not text inside something that is text otherwise and has a problem: a JSON header, a list of names.
func textSpoiled(g *subject) {
	t := g.r.base.tree
	if len(missingMagics(g)) > 0 {
		return // what does not begin as it should may not be text there either
	}
	for _, f := range graded(g.r.found, model.Error) {
		where := f.Where()
		if f.Span != nil && f.Span.Range.Len > where.Len {
			where = f.Span.Range // a reader stops here, in a text that is damaged later
		}
		at, ok := t.Verbatim(where)
		if !ok || at.File != g.name || at.Len < 2*leastBlank || at.Len > mostText || at.End() > int64(len(g.b)) {
			continue
		}
		from, to, n := untextual(g.b[at.Off:at.End()])
		if n == 0 || !isTextual(f.Span) || from < leastBlank || at.Len-int64(to) < leastBlank || float64(to-from) > (1-mostlyPlain)*float64(at.Len) || 2*n < to-from {
			continue
		}
		off, bad := at.Off+int64(from), g.b[at.Off+int64(from):at.Off+int64(to)]
		if wholeWithout(g, off, int64(len(bad))) {
			return
		}
		what := "are not text"
		if allOf(bad, 0) {
			what = "are zero"
		}
		c := g.tell(Likely, "The original bytes are not in this file.", []string{"the rest of " + f.Path() + " is text"},
			"%s at 0x%x %s where text should be%s.", amountOf(int64(len(bad))), off, what, structureAt(g, off, off+int64(len(bad))))
		c.At.Off, c.At.Len = off, int64(len(bad))
		return
	}
}

// isTextual tells whether a span is text, or could not be read as such.
func isTextual(s *model.Span) bool {
	return s != nil && s.State != model.Gap && (s.Field == nil || s.Field.Codec == nil || s.Field.Codec.Kind() != model.Bytes)
}

// wholeWithout tries whether the file is whole without the bytes that are not text: then they were inserted.
func wholeWithout(g *subject, off, n int64) bool {
	t := g.spliced(off, n, nil)
	if g.r.judges([]*trial{t}); !t.res.clean() || t.res.gap > g.r.base.gap {
		return false
	}
	shift{subject: g, by: n, free: true}.extra(t)
	return true
}

// leastSpoiled is how many bytes of a text are more than a single wrong one.
const leastSpoiled = 2

// untextual returns the range of bytes that are not text in something that is otherwise, and their number; 0 for none, or for a single one, whose
// value is searched for instead.
func untextual(b []byte) (from, to, n int) {
	from = -1
	for i := 0; i < len(b); i++ {
		if size := character(b[i:]); size > 0 {
			i += size - 1
			continue
		}
		if n++; from < 0 {
			from = i
		}
		to = i + 1
	}
	if n < leastSpoiled {
		return 0, 0, 0
	}
	return from, to, n
}

// character is the length in bytes of the character at the front of a text; 0 if it is not text.
func character(b []byte) int {
	r, n := utf8.DecodeRune(b)
	if r == utf8.RuneError && n <= 1 || r == 0x7f || r < ' ' && r != '\n' && r != '\r' && r != '\t' {
		return 0
	}
	return n
}

// pages are how the error pages of servers begin.
var pages = []string{"<!DOCTYPE html", "<!doctype html", "<html", "<HTML", "<?xml", `{"error"`}

// pageEnd is where the web page at the front of a file ends, with its line end; 0 if there is none.
func pageEnd(b []byte) int64 {
	begins := func(s string) bool { return bytes.HasPrefix(bytes.TrimPrefix(b, orderMark), []byte(s)) }
	i := bytes.Index(bytes.ToLower(b[:min(len(b), 1<<16)]), []byte("</html>"))
	if i < 0 || !slices.ContainsFunc(pages, begins) {
		return 0
	}
	end := i + len("</html>")
	return int64(end + len(b[end:]) - len(bytes.TrimLeft(b[end:], "\r\n")))
}

// pageBehind reports a file that continues as a web page to its end: the server sent it in place of the rest.
func pageBehind(g *subject) {
	for _, begin := range pages {
		at := bytes.Index(g.b, []byte(begin))
		if at <= 0 || !g.all || !g.blamed || path.Ext(g.name) == ".json" || !isText(g.b[at:]) || g.extent != nil && g.extent.Size <= int64(at) {
			continue // or it follows the end of the file that is stated in it
		}
		if _, more, closed := bytes.Cut(bytes.ToLower(g.b[at:]), []byte("</html>")); closed && len(bytes.TrimSpace(more)) > 0 {
			continue // the file continues after it
		}
		c := g.tell(Likely, "The rest is not in this file: download it again, or save the intact data.", []string{"it begins like " + begin + " and is text to the end"},
			"%s is truncated at byte %s: a web page%s follows, probably the error page of a server.", g.the(), model.Thousands(int64(at)), title(strings.ToLower(string(g.b[at:]))))
		c.At.Off, c.At.Len, c.torn = int64(at), g.c.Len()-int64(at), true
		return
	}
}

const (
	leastNoise = 128      // bytes that are enough to recognise noise
	noiseStep  = 256      // bytes examined together
	mostNoise  = 64 << 10 // bytes that are examined
)

// noise reports a file that begins with noise in which nothing can be read: it is encrypted, or compressed in an unknown way.
func noise(g *subject) {
	if !g.blamed || !g.orderly() || g.hasMagic() {
		return
	}
	if !findingAt(g, func(at model.Range) bool { return at.Off <= 8 }) || !noisy(g.b[:min(len(g.b), noiseStep)]) {
		return
	}
	n := 0
	for n < min(len(g.b), mostNoise) && noisy(g.b[n:min(len(g.b), n+noiseStep)]) {
		n = min(len(g.b), n+noiseStep)
	}
	what := fmt.Sprintf("its first %s are", amountOf(int64(n)))
	if n == len(g.b) || n >= mostNoise {
		what = "its bytes are"
	}
	g.tell(Possible, "Nothing in it can be read. Decrypt it, or download or copy it again.", []string{"its byte values are distributed like random data"},
		"%s does not begin like a file of this format: %s noise. It is encrypted, or was overwritten.", g.the(), what)
}

// mostSisters is how many other files of a kind are looked at.
const mostSisters = 8

// orderly tells whether a file should not begin with noise, as compressed data do: it has a magic, or some other files of its kind do not begin so.
func (g *subject) orderly() bool {
	if g.primary || g.extent != nil && len(g.extent.Magics) > 0 {
		return true
	}
	others := 0
	for _, name := range filesOf(g.r.base.tree) {
		if name == g.name || path.Ext(name) != path.Ext(g.name) {
			continue
		}
		c, err := g.r.base.snap.Content(name)
		if err != nil || c.Len() < noiseStep {
			continue
		}
		if others++; noisy(bytesAt(c, 0, noiseStep)) {
			return false
		}
		if others == mostSisters {
			break
		}
	}
	return others > 0
}

// noisy tells whether the bytes are about as evenly distributed as random ones: by the entropy that a sample of this size can have.
func noisy(b []byte) bool {
	if len(b) < leastNoise {
		return false
	}
	c, sum := count(b), 0.0
	for _, n := range c {
		sum += float64(n) * float64(n)
	}
	n := float64(len(b))
	expected := n + n*(n-1)/256 // of the sum of squares
	return math.Abs(sum-expected) < 6*math.Sqrt(2*n*(n-1)/256)
}
