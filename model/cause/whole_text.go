package cause

import (
	"bytes"
	"path"
	"slices"
	"unicode/utf8"

	"spandrel/model"
)

// cp1252 is what Windows-1252 makes of the bytes 0x80 to 0x9f; 0 where it has nothing.
var cp1252 = [32]rune{0x20ac, 0, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017d, 0,
	0, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0, 0x017e, 0x0178}

// orderMark is what editors put in front of a text in UTF-8.
var orderMark = []byte("\xef\xbb\xbf")

// marked returns the bytes without a byte order mark in front of them, and what to say of it.
func marked(b []byte) (rest []byte, too string) {
	if rest, ok := bytes.CutPrefix(b, orderMark); ok {
		return rest, ", and a byte order mark (BOM) was put in front"
	}
	return b, ""
}

// recoded takes the encoding of each byte above 0x7f as a character of UTF-8 back, as often as it was done. Bytes that were replaced by U+FFFD are lost.
func (g *glance) recoded() {
	b, mark := marked(g.b)
	for times := range mostRecoded {
		out, c := narrowed(b)
		if out == nil {
			return
		}
		switch {
		case c.lost > 3 && bytes.IndexByte(b, 0) >= 0:
			g.tell(Proven, "They cannot be recovered: download or copy the file again.", []string{"the whole file is valid UTF-8, and it contains the character U+FFFD " + model.Thousands(c.lost) + " times"},
				"%s was read as text and saved: at least %s bytes were replaced by U+FFFD and are lost.", g.the(), model.Thousands(c.lost))
			return
		case c.high == 0 || c.lost+c.other > 0:
			return
		}
		g.becomes(model.BytesContent(out), "restore the original bytes", "A program took the file for text.",
			"the whole file is valid UTF-8, and decodes exactly", "%s was saved as text%s: every byte above 0x7f became two, %s in all%s.", g.the(), [...]string{"", " twice"}[times], model.Thousands(c.high), mark)
		b = out
	}
}

// mostRecoded is how often a file was saved as text, at most.
const mostRecoded = 2

// characters are how many of a text stand for a byte above 0x7f, for one that is lost, or for none.
type characters struct{ high, lost, other int64 }

// narrowed is a text in UTF-8 of which each character is a byte again, of Latin-1 or of Windows-1252; nil where it is no such text.
func narrowed(b []byte) ([]byte, characters) {
	var c characters
	out := make([]byte, 0, len(b))
	back := map[rune]byte{}
	for i, r := range cp1252 {
		if r != 0 {
			back[r] = byte(0x80 + i)
		}
	}
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		b = b[n:]
		switch x, known := back[r]; {
		case r == utf8.RuneError && n == 1:
			return nil, c // not text
		case r < 0x80:
			out = append(out, byte(r))
		case r == utf8.RuneError:
			c.lost++
			out = append(out, '?')
		case r < 0x100:
			c.high++
			out = append(out, byte(r))
		case known:
			c.high++
			out = append(out, x)
		default:
			c.other++
		}
	}
	return out, c
}

// lines takes conversions of line ends back.
func (g *glance) lines() {
	b, mark := marked(g.b)
	lf, crlf := bytes.Count(b, []byte{'\n'}), bytes.Count(b, []byte("\r\n"))
	if crlf > 0 && crlf == lf {
		g.becomes(model.BytesContent(bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))), lineEndings, "A program took the file for text; everything after the first of them is shifted.",
			"no line feed stands without a carriage return", "%s was transferred as text: %s line feeds became CR LF%s.", g.the(), model.Thousands(int64(crlf)), mark)
	}
}

// lineEndings is the repair of line ends.
const lineEndings = "restore line endings"

// returned puts carriage returns back where the file has none any more.
func (g *glance) returned() {
	if lf := bytes.Count(g.b, []byte{'\n'}); lf > 0 && !bytes.Contains(g.b, []byte("\r\n")) {
		g.returns(lf)
	}
}

// maxReturns is how many ways to put carriage returns back are tried.
const maxReturns = 400

// returns puts the carriage returns back that a conversion took away. Which line feeds had one is not in the file: a few can be tried, when the
// file says how many bytes are missing, or there are few line feeds.
func (g *glance) returns(lf int) {
	var at []int
	for i, b := range g.b {
		if b == '\n' {
			at = append(at, i)
		}
		if len(at) > 64 {
			break
		}
	}
	if len(at) > 64 && (g.extent == nil || g.extent.Size-g.c.Len() != int64(lf)) {
		return
	}
	try := func(where []int) {
		out, from := make([]byte, 0, len(g.b)+len(where)), 0
		for _, i := range where {
			out = append(append(out, g.b[from:i]...), '\r')
			from = i
		}
		out = append(out, g.b[from:]...)
		if t := g.becomes(model.BytesContent(out), lineEndings, "A program took the file for text; everything after the first of them is shifted.",
			"no CR LF is left in the file", "%s was transferred as text: %s CR LF became line feeds.", g.the(), model.Thousands(int64(len(where)))); t != nil {
			t.unsure = true // as many bytes may be missing elsewhere
		}
	}
	missing := int64(0)
	if g.extent != nil {
		missing = g.extent.Size - g.c.Len()
	}
	if len(at) > 64 {
		at = at[:0]
		for i, b := range g.b {
			if b == '\n' {
				at = append(at, i)
			}
		}
		try(at)
		return
	}
	tries := 0
	var choose func(from int, where []int)
	choose = func(from int, where []int) {
		if tries >= maxReturns {
			return
		}
		if len(where) > 0 && (missing <= 0 || int64(len(where)) == missing) {
			tries++
			try(slices.Clone(where))
		}
		if missing > 0 && int64(len(where)) >= missing || len(where) >= 3 && missing <= 0 {
			return
		}
		for i := from; i < len(at) && int64(len(where)+len(at)-i) >= missing; i++ { // with fewer left there is no way to reach the number
			choose(i+1, append(where, at[i]))
		}
	}
	choose(0, nil)
}

// swapped exchanges the bytes of each word of 16, 32 or 64 bits.
func (g *glance) swapped() {
	for _, w := range []int{2, 4, 8} {
		g.swap(w)
	}
}

// swappedMagic does so where the file begins as files of its format do, or some format takes it, only then.
func (g *glance) swappedMagic() {
	for _, w := range []int{2, 4, 8} {
		head := exchanged(g.b[:min(len(g.b), 64)], w)
		known := g.r.base.format == nil // then the formats are asked
		for _, f := range g.formats() {
			for _, m := range f.Magics {
				known = known || m.At >= 0 && int64(len(head)) >= m.At+int64(len(m.Bytes)) && string(head[m.At:m.At+int64(len(m.Bytes))]) == m.Bytes
			}
		}
		if known && !bytes.HasPrefix(g.b, head) {
			g.swap(w)
		}
	}
}

func (g *glance) swap(w int) {
	if g.r.base.format != nil && g.r.base.count[model.Error] == 0 {
		return // what was swapped is broken
	}
	if out := exchanged(g.b, w); !bytes.Equal(out, g.b) {
		g.becomes(model.BytesContent(out), "swap the bytes back", "It comes from a machine or a program of the other byte order.", "",
			"In %s the bytes of every %d-bit word are in reverse order.", lower(g.the()), 8*w)
	}
}

// exchanged returns bytes with those of each whole word of w bytes in the other order.
func exchanged(b []byte, w int) []byte {
	out := slices.Clone(b)
	for i := 0; i+w <= len(out); i += w {
		slices.Reverse(out[i : i+w])
	}
	return out
}

// heads calls add with the end of what is known to stand in front of files.
func (g *glance) heads(add func(at int64, what string)) {
	if bytes.HasPrefix(g.b, []byte("HTTP/1.")) || bytes.HasPrefix(g.b, []byte("HTTP/2")) {
		for _, end := range []string{"\r\n\r\n", "\n\n"} {
			if i := bytes.Index(g.b[:min(len(g.b), 1<<16)], []byte(end)); i > 0 {
				add(int64(i+len(end)), "an HTTP response header")
			}
		}
	}
	for _, bom := range []string{"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"} {
		if bytes.HasPrefix(g.b, []byte(bom)) {
			add(int64(len(bom)), "a byte order mark (BOM)")
		}
	}
}

// headTold tells of what is known to stand in front of files, where more than that is wrong with this one.
func (g *glance) headTold() {
	if g.r.headed(g) || path.Ext(g.name) == ".json" || g.r.base.format != nil && g.r.base.count[model.Error] == 0 {
		return
	}
	g.heads(func(at int64, what string) {
		if len(g.told) > 0 || at < int64(len(orderMark)) {
			return // two bytes may stand there by chance
		}
		g.tell(Likely, "What follows "+pronoun(at)+" is damaged too: download or copy the file again.", []string{"its first bytes"}, "%s %s: %s.", counted(at, "precedes", "precede"), lower(g.the()), what)
	})
}

// leastGarbled is how many characters of a text stand for a byte above 0x7f, at least, where others of them are lost.
const leastGarbled = 8

// garbled tells of a file that was saved as text and lost bytes with it: all of it is valid UTF-8, with characters in it that stand for bytes and are
// in no text that people write.
func (g *glance) garbled() {
	b, _ := marked(g.b)
	_, c := narrowed(b)
	odd := 0
	for _, r := range string(b) {
		if r >= 0x80 && r < 0xa0 || slices.Contains(cp1252[:], r) {
			odd++
		}
	}
	if c.high < leastGarbled || odd < leastGarbled/2 || c.high < 4*c.other || !utf8.Valid(b) || g.prose() {
		return
	}
	g.tell(Likely, "The lost bytes cannot be recovered: download or copy the file again.", []string{"all of it is valid UTF-8, as no binary file is"},
		"%s was saved as text: its bytes above 0x7f became characters, %s in all, or were lost.", g.the(), model.Thousands(c.high))
}
