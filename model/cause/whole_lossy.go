package cause

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"spandrel/model"
)

// Transfers as text that lose bytes: they show in the byte values that a file no longer contains.

// mostAbsent is how many of 128 values may be missing for it to be no coincidence that the other half never occurs.
const mostAbsent = 16

const (
	leastCounted = 4096 // bytes of a file in which a value that never occurs is no coincidence
	oftenEnough  = 8    // times that every other value must occur
	leastMarked  = 64   // bytes of a file that begins with the rest of its magic
)

// counts are the frequencies of bytes.
type counts [256]int

func count(b []byte) (c counts) {
	for _, x := range b {
		c[x]++
	}
	return c
}

// absent lists the values in a range that never occur; often tells whether all others are so frequent that this is no coincidence.
func (c *counts) absent(from, to int) (out []byte, often bool) {
	often = true
	for x := from; x < to; x++ {
		if c[x] == 0 {
			out = append(out, byte(x))
		} else if c[x] < oftenEnough {
			often = false
		}
	}
	return out, often
}

// sent is a file that may have been sent or saved as text, and which bytes it contains.
type sent struct {
	*subject
	counts
	high bool // bytes above 0x7f
	low  bool // all others, which is no coincidence in so many bytes
}

// losses are what programs drop or replace in text, and how it shows; the surest first.
var losses = []struct {
	lost     string
	evidence string // "" if the beginning of the file shows it
	shows    func(*sent) bool
}{
	{"no byte above 0x7f: they were left out", "", func(t *sent) bool {
		return !t.high && (magicWithoutHigh(t.subject) || t.low && t.hasMagic() && t.lacks())
	}},
	{"no byte above 0x7f that is not part of a character: they were left out", "all of it is valid UTF-8, which binary files never are, and its characters are spread over all scripts", func(t *sent) bool {
		return t.high && utf8.Valid(t.b) && (t.lacks() || magicWithoutHigh(t.subject) || t.binary(len(t.b))) && textRemnants(t.subject) && !escaped.Match(t.b)
	}},
	{"no byte above 0x7f: the eighth bit of every byte was stripped", "", func(t *sent) bool {
		return !t.high && (magicMangled(t.subject, sevenBits) || t.low)
	}},
	{"no upper-case letters: they were changed to lower case", "it begins as files of this format do, in lower case", func(t *sent) bool {
		return magicMangled(t.subject, asSmall) && !slices.ContainsFunc(t.counts['A':'Z'+1], func(n int) bool { return n > 0 })
	}},
	{"no byte above 0x7f: each became a question mark", "", func(t *sent) bool {
		return !t.high && (magicMangled(t.subject, asQuestion) || len(t.b) >= leastCounted && t.counts['?'] > len(t.b)/4)
	}},
	{"no zero byte: they were removed", "", func(t *sent) bool {
		return t.counts[0] == 0 && magicWithoutZeros(t.subject, "")
	}},
	{"no zero byte: they became spaces", "", func(t *sent) bool {
		return t.counts[0] == 0 && (magicWithoutZeros(t.subject, " ") || t.counts[' '] > len(t.b)/4)
	}},
}

// lossyText reports a binary file that was sent or saved as text by a program that drops or replaces bytes.
func lossyText(g *subject) {
	if !g.all || !g.blamed || len(g.b) < leastMarked || g.prose() && !magicWithoutZeros(g, "") && !magicWithoutZeros(g, " ") || g.primary && g.r.base.format != nil && g.r.base.count[model.Error] == 0 || readSQL(g.b) != nil {
		return
	}
	t := &sent{subject: g, counts: count(g.b)}
	none, _ := t.absent(0, 128)
	t.low = len(none) <= mostAbsent
	t.high = slices.ContainsFunc(t.counts[128:], func(n int) bool { return n > 0 })
	if lost, evidence := t.loses(); lost != "" {
		g.tell(Likely, "The original bytes cannot be recovered: download or copy the file again.", []string{evidence}, "%s was transferred as text. It contains %s.", g.the(), lost)
		g.r.spoiled[g.name] = true
	}
}

// loses says what a transfer lost, and how that shows; "" for nothing.
func (t *sent) loses() (lost, evidence string) {
	for _, x := range losses {
		if x.shows(t) {
			return x.lost, cmp.Or(x.evidence, "files of this format have it near the beginning")
		}
	}
	if t.lacks() && t.withoutPairs() {
		return "no carriage return before a line feed: they were removed", "in so many bytes there would be some"
	}
	none, often := t.absent(0, 256)
	if len(t.b) < leastCounted || len(none) != 1 || !often || bytes.IndexByte([]byte("\x00\t\n\r\x11\x13\x1a\x1b\xff"), none[0]) < 0 {
		return "", ""
	}
	switch evidence = "every other value occurs"; none[0] {
	case '\r':
		return "no carriage return: they became line feeds, or were removed", evidence
	case '\n':
		return "no line feed: they became carriage returns, or were removed", evidence
	}
	return fmt.Sprintf("no byte 0x%02x: they were removed or replaced", none[0]), evidence
}

const (
	pairWindow = 1 << 16 // bytes in which values are distributed alike
	pairPeriod = 8       // bytes of the largest number, whose bytes are distributed differently
	leastPairs = 14      // that should be there for it to be no coincidence that there are none
)

// withoutPairs tells whether a line feed never follows a carriage return, although by how often each occurs at which byte of a number it should.
func (t *sent) withoutPairs() bool {
	if bytes.Contains(t.b, []byte("\r\n")) {
		return false
	}
	expected := 0.0
	for b := range slices.Chunk(t.b, pairWindow) {
		var returns, feeds [pairPeriod]float64
		for i, x := range b {
			switch x {
			case '\r':
				returns[(i+1)%pairPeriod]++
			case '\n':
				feeds[i%pairPeriod]++
			}
		}
		for i := range returns {
			expected += returns[i] * feeds[i] * pairPeriod / float64(len(b))
		}
	}
	return expected >= leastPairs
}

const (
	leastHigh    = 8  // characters beyond ASCII that are no coincidence
	leastScripts = 4  // of the seven ranges of 256 characters that take two bytes of UTF-8
	mostControl  = 24 // one byte in so many is a control character in binary data
)

// binary tells whether n bytes contain more control characters than text does.
func (c *counts) binary(n int) bool {
	control := 0
	for _, k := range c[:' '] {
		control += k
	}
	return control-c['\n']-c['\r']-c['\t'] > n/mostControl
}

// textRemnants tells whether the characters beyond ASCII are what remains of binary data after bytes that are not text were dropped: nearly all take two
// bytes, and they are of all scripts alike.
func textRemnants(g *subject) bool {
	short, long, scripts := 0, 0, [8]bool{}
	for _, r := range string(g.b) {
		if r >= 0x800 {
			long++
		} else if r >= 0x80 {
			short++
			scripts[r>>8] = true
		}
	}
	n := 0
	for _, has := range scripts {
		n += b2i(has)
	}
	return short >= leastHigh && 4*long < short && n >= leastScripts
}

// lacks tells whether the file is shorter than it says itself.
func (g *subject) lacks() bool {
	return g.extent != nil && g.c.Len() < g.extent.Size && !g.extent.Least
}

// magicWithoutHigh tells whether the file begins with its magic without the bytes above 0x7f.
func magicWithoutHigh(g *subject) bool {
	return g.anyMagic(func(m model.Magic) bool {
		low := strings.Map(func(r rune) rune {
			if r > 0x7f {
				return -1
			}
			return r
		}, m.Bytes)
		return m.At == 0 && len(strings.Trim(low, "\x00")) >= 3 && low != m.Bytes && bytes.HasPrefix(g.b, []byte(low))
	})
}

func sevenBits(x byte) byte { return x & 0x7f }

func asQuestion(x byte) byte {
	if x > 0x7f {
		return '?'
	}
	return x
}

// magicMangled tells whether the file begins with its magic as a transfer would leave it.
func magicMangled(g *subject, by func(byte) byte) bool {
	return g.anyMagic(func(m model.Magic) bool {
		is := []byte(m.Bytes)
		for i, x := range is {
			is[i] = by(x)
		}
		return m.At >= 0 && m.At < int64(len(g.b)) && string(is) != m.Bytes && bytes.HasPrefix(g.b[m.At:], is)
	})
}

// magicWithoutZeros tells whether the file begins with its magic after zeros, and those before it, became another text. A magic without zeros
// is followed by some in every file; in a text, one at the front may be a word.
func magicWithoutZeros(g *subject, zero string) bool {
	return g.anyMagic(func(m model.Magic) bool {
		is := []byte(strings.ReplaceAll(m.Bytes, "\x00", zero))
		at := bytes.Index(g.b[:min(len(g.b), 1024)], is)
		if zero == "" {
			return len(is) >= 3 && at >= 0 && (int64(at) < m.At || int64(at) == m.At && !g.prose())
		}
		return len(is) >= 3 && int64(at) == m.At && bytes.Contains(g.b[:min(len(g.b), 1024)], []byte("  "))
	})
}

// transfers are what transfers as text do to bytes, and which bytes a file no longer contains afterwards.
var transfers = []struct {
	of   func(byte) byte
	gone func(byte) bool
	says string
}{
	{replacing('\r', '\n'), func(x byte) bool { return x == '\r' }, "The file has no carriage return: they became line feeds in a transfer as text."},
	{replacing('\n', '\r'), func(x byte) bool { return x == '\n' }, "The file has no line feed: they became carriage returns in a transfer as text."},
	{asSmall, func(x byte) bool { return x >= 'A' && x <= 'Z' }, "The file has no upper-case letters: they were changed to lower case, in an editor or in a transfer as text."},
	{asQuestion, func(x byte) bool { return x > 0x7f }, "The file has no byte above 0x7f: each became a question mark in a transfer as text."},
	{sevenBits, func(x byte) bool { return x > 0x7f }, "The file has no byte above 0x7f: the eighth bit of every byte was stripped in a transfer as text."},
}

func replacing(was, is byte) func(byte) byte {
	return func(x byte) byte {
		if x == was {
			return is
		}
		return x
	}
}

func asSmall(x byte) byte {
	if x >= 'A' && x <= 'Z' {
		return x | 0x20
	}
	return x
}

// alsoAsText says which transfer as text replaced the bytes that a trial restores, and all others like them; "" for none.
func alsoAsText(r *search, t *trial) string {
	to, err := r.reach(t)
	if err != nil || t.whole() {
		return ""
	}
	list := changes(r.all, r.base.snap, to)
	for _, x := range transfers {
		if len(list) > 0 && !slices.ContainsFunc(list, func(c Change) bool { return !c.by(x.of) || fileHas(r, c.File, x.gone) }) {
			return x.says
		}
	}
	return ""
}

// by tells whether a change undoes what a function did to each byte.
func (c *Change) by(f func(byte) byte) bool {
	if c.Del != c.Grown || len(c.Was) != len(c.Is) {
		return false
	}
	for i, x := range c.Is {
		if f(x) != c.Was[i] {
			return false
		}
	}
	return true
}

// fileHas tells whether the front of a file contains such a byte.
func fileHas(r *search, name string, is func(byte) bool) bool {
	c, err := r.base.snap.Content(name)
	return err != nil || slices.ContainsFunc(bytesAt(c, 0, maxRegular), is)
}
