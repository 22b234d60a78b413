package cause

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"iter"
	"path"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"spandrel/model"
)

// orderMark is what editors put before UTF-8 text.
var orderMark = []byte("\xef\xbb\xbf")

// marked returns the bytes after a byte order mark, and what to say about it.
func marked(b []byte) (rest []byte, too string) {
	if rest, ok := bytes.CutPrefix(b, orderMark); ok {
		return rest, ", and a byte order mark (BOM) was added"
	}
	return b, ""
}

// recoded undoes the encoding of bytes above 0x7f as UTF-8 characters, as often as it was done. Bytes replaced by U+FFFD are lost.
func recoded(g *subject) {
	b, mark := marked(g.b)
	for times := range mostRecoded {
		out, c := narrowed(b, nil)
		if out == nil {
			return
		}
		switch {
		case wasUTF16(g, b):
			return
		case c.lost > 3 && bytes.IndexByte(b, 0) >= 0:
			g.tell(Proven, "They cannot be recovered: download or copy the file again.", []string{"the whole file is valid UTF-8, and it contains the character U+FFFD " + model.Thousands(c.lost) + " times"},
				"%s was read as text and saved: at least %s bytes were replaced by U+FFFD and are lost.", g.the(), model.Thousands(c.lost))
			return
		case c.high == 0 || c.lost+c.other > 0:
			return
		}
		fromCodePage(g, out, "Latin-1", model.Words("%s: every byte above 0x7f became two or more, %s in all%s", [...]string{"", " twice"}[times], model.Thousands(c.high), mark))
		b = out
	}
}

// wasUTF16 tells whether the file was read as UTF-16 and saved as UTF-8: it begins as it should when its characters are encoded as UTF-16, or may do so
// because its kind has no magic. Pairs of bytes that are not a character are lost.
func wasUTF16(g *subject, b []byte) bool {
	out := make([]byte, 0, 2*len(b))
	for _, u := range utf16.Encode([]rune(string(b))) {
		out = binary.LittleEndian.AppendUint16(out, u)
	}
	if len(out) < len(b)/2 || !utf8.Valid(b) || g.hasMagic() {
		return false
	}
	magic := slices.Concat(g.magics()...)
	begins, lost := slices.ContainsFunc(magic, func(m model.Magic) bool { return beginsWith(out, m) }), strings.Count(string(b), "\uFFFD")
	if begins && lost > 0 {
		g.tell(Proven, "They cannot be recovered: download or copy the file again.", []string{"the whole file is valid UTF-8, and begins as it should when each character is two bytes"},
			"%s was read as text in UTF-16 and saved in UTF-8: at least %s bytes were replaced by U+FFFD and are lost.", g.the(), model.Thousands(2*int64(lost)))
		return true
	}
	if begins || (len(magic) == 0 || g.r.base.format == nil) && lost == 0 && strings.ContainsFunc(string(b), func(r rune) bool { return r > 0xff }) {
		g.becomes(model.BytesContent(out), "restore the original bytes", "A program treated the file as text.", "the whole file is valid UTF-8, and reads as it should when each character is two bytes",
			model.Words("%s was read as text in UTF-16 and saved in UTF-8.", g.the()))
	}
	return begins
}

// mostRecoded is how often a file is saved as text at most.
const mostRecoded = 2

// characters counts the characters of a text that stand for a byte above 0x7f, for a lost one, and for none.
type characters struct{ high, lost, other int64 }

// narrowed turns every character of a UTF-8 text into a byte of a code page, or of Latin-1 or Windows-1252; nil if that is not possible.
func narrowed(b []byte, page *charmap.Charmap) ([]byte, characters) {
	var c characters
	out := make([]byte, 0, len(b))
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		b = b[n:]
		x, known := cmp.Or(page, charmap.Windows1252).EncodeRune(r)
		switch {
		case r == utf8.RuneError && n == 1:
			return nil, c // not text
		case r < 0x80:
			out = append(out, byte(r))
		case r == utf8.RuneError:
			c.lost++
			out = append(out, '?')
		case r < 0x100 && page == nil:
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

// lineEnds undoes conversions of line ends, as often as they were done.
func lineEnds(g *subject) {
	b, mark := marked(g.b)
	for times := range mostRecoded {
		lf, crlf := bytes.Count(b, []byte{'\n'}), bytes.Count(b, []byte("\r\n"))
		if crlf == 0 || crlf != lf {
			return
		}
		b = bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))
		t := g.becomes(model.BytesContent(b), lineEndings, "A program treated the file as text; everything after the first one is shifted.",
			"every line feed follows a carriage return", model.Words("%s was transferred as text%s: %s line feeds became CR LF%s.", g.the(), [...]string{"", " twice"}[times], model.Thousands(int64(crlf)), mark))
		if t != nil {
			t.exact = crlf >= surelyPut && g.surplus(g.c.Len()-int64(len(b)))
		}
	}
}

const (
	leastPut  = 3  // times that one byte follows another
	surelyPut = 8  // … which are no coincidence
	mostPut   = 64 // candidates that are tried
)

// repeatedAfter tries to remove a byte that follows every byte of one value, as telnet and similar protocols insert one.
func repeatedAfter(g *subject) {
	if !g.blamed || uniform(g.b) || g.prose() {
		return
	}
	seen, after := followers(g.b)
	var list []int
	fits := func(x int) bool { return g.surplus(int64(seen[x])) }
	likely := func(x int) int { // those that give the file its right length, and what telnet inserts
		return b2i(fits(x))*2 + b2i(doubles(x, after[x]) && (x == 0xff || x == '\r'))
	}
	for x, n := range seen {
		if lineEnd := x == '\r' && after[x] == '\n'; after[x] >= 0 && !lineEnd && n >= leastPut && likely(x) > 0 {
			list = append(list, x)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Or(likely(b)-likely(a), seen[b]-seen[a]) })
	for _, x := range list[:min(len(list), mostPut, maxReread/len(g.b))] {
		y, n := after[x], seen[x]
		t := g.becomes(model.BytesContent(bytes.ReplaceAll(g.b, []byte{byte(x), byte(y)}, []byte{byte(x)})), fmt.Sprintf("remove the bytes after each 0x%02x", x), "Transfers for terminals do that, such as telnet's.",
			model.Words("all %s bytes 0x%02x have one after them", model.Thousands(int64(n)), x), model.Words("A byte 0x%02x was put after each byte 0x%02x of %s, %s in all.", y, x, lower(g.the()), model.Thousands(int64(n))))
		if t != nil {
			t.exact = n >= surelyPut && fits(x)
			t.unsure = !doubles(x, y) || n < surelyPut && !fits(x) // in text, one letter may always follow another
		}
	}
}

// followers is how often each byte occurs, and which one follows it; negative if several do. A byte that follows itself is not counted again.
func followers(b []byte) (seen, after [256]int) {
	for i := 0; i < len(b); i++ {
		x, next := b[i], -1
		if i+1 < len(b) {
			next = int(b[i+1])
		}
		if seen[x]++; seen[x] > 1 && after[x] != next {
			next = -1
		}
		if after[x] = next; next == int(x) {
			i++
		}
	}
	return seen, after
}

// doubles tells whether protocols put the second byte after each of the first: they double what they escape with, and telnet puts a zero after a CR.
func doubles(x, y int) bool { return x == y || x == '\r' && y == 0 }

// lineEndings is the repair of line ends.
const lineEndings = "restore line endings"

const (
	maxReturns = 400 // ways to restore carriage returns that are tried
	mostLines  = 64  // line feeds of which any few may have had one
	mostLost   = 3   // carriage returns that are restored if the file does not state how many bytes are missing
)

// returnsRemoved restores the carriage returns that a conversion removed, in a file that has none left. The file does not say which line feeds had
// one: all of them if that many bytes are missing; otherwise a few can be tried if there are few.
func returnsRemoved(g *subject) {
	if bytes.Contains(g.b, []byte("\r\n")) {
		return
	}
	at, least, most := linesOf(g.b), 1, mostLost
	if g.extent != nil && g.extent.Size > g.c.Len() {
		least = int(g.extent.Size - g.c.Len())
		most = least
	}
	switch {
	case len(at) == least && least == most:
		restoreReturns(g, at)
	case len(at) <= mostLines:
		tries := 0
		for where := range subsets(at, least, most) {
			if tries++; tries > maxReturns {
				return
			}
			restoreReturns(g, where)
		}
	}
}

// subsets yields the ways to choose between least and most of the places, each before those that add to it.
func subsets(at []int, least, most int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		var extend func(chosen, rest []int) bool
		extend = func(chosen, rest []int) bool {
			if len(chosen) >= least && !yield(chosen) {
				return false
			}
			for i := 0; len(chosen) < most && len(chosen)+len(rest)-i >= least && i < len(rest); i++ {
				if !extend(append(chosen, rest[i]), rest[i+1:]) {
					return false
				}
			}
			return true
		}
		extend(nil, at)
	}
}

// linesOf are the places of the line feeds.
func linesOf(b []byte) (at []int) {
	for i, x := range b {
		if x == '\n' {
			at = append(at, i)
		}
	}
	return at
}

// restoreReturns is the trial that puts carriage returns at these places.
func restoreReturns(g *subject, where []int) {
	out, from := make([]byte, 0, len(g.b)+len(where)), 0
	for _, i := range where {
		out = append(append(out, g.b[from:i]...), '\r')
		from = i
	}
	out = append(out, g.b[from:]...)
	if t := g.becomes(model.BytesContent(out), lineEndings, "A program treated the file as text; everything after the first one is shifted.",
		"no CR LF is left in the file", model.Words("%s was transferred as text: %s CR LF became line feeds.", g.the(), model.Thousands(int64(len(where))))); t != nil {
		t.unsure = true // the same number of bytes may be missing elsewhere
	}
}

// wordsSwapped swaps the bytes of each word of 16, 32 or 64 bits.
func wordsSwapped(g *subject) {
	for _, w := range []int{2, 4, 8} {
		swapWords(g, w)
	}
}

// wordsSwappedByMagic does so only if the file then begins as files of its format do, or some format recognises it.
func wordsSwappedByMagic(g *subject) {
	for _, w := range []int{2, 4, 8} {
		head := exchanged(g.b[:min(len(g.b), 64)], w)
		f := g.r.base.format // if there is none, all are asked
		if known := f == nil || slices.ContainsFunc(f.Magics, func(m model.Magic) bool { return beginsWith(head, m) }); known && !bytes.HasPrefix(g.b, head) {
			swapWords(g, w)
		}
	}
}

func swapWords(g *subject, w int) {
	if g.r.base.format != nil && g.r.base.count[model.Error] == 0 {
		return // a swapped file is broken
	}
	if out := exchanged(g.b, w); !bytes.Equal(out, g.b) {
		g.becomes(model.BytesContent(out), "swap the bytes back", "It comes from a machine or a program with the opposite byte order.", "",
			model.Words("In %s the bytes of every %d-bit word are in reverse order.", lower(g.the()), 8*w))
	}
}

// exchanged returns bytes with the order reversed in every whole word of w bytes.
func exchanged(b []byte, w int) []byte {
	out := slices.Clone(b)
	for i := 0; i+w <= len(out); i += w {
		slices.Reverse(out[i : i+w])
	}
	return out
}

// knownHeads calls add with the end of every known head before a file.
func knownHeads(g *subject, add func(at int64, what string)) {
	if bytes.HasPrefix(g.b, []byte("HTTP/1.")) || bytes.HasPrefix(g.b, []byte("HTTP/2")) {
		for _, end := range []string{"\r\n\r\n", "\n\n"} {
			if i := bytes.Index(g.b[:min(len(g.b), 1<<16)], []byte(end)); i > 0 {
				add(int64(i+len(end)), httpHead)
			}
		}
	}
	if end := pageEnd(g.b); end > 0 {
		add(end, "a web page"+title(strings.ToLower(string(g.b[:end]))))
	}
	for _, bom := range []string{"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"} {
		if bytes.HasPrefix(g.b, []byte(bom)) {
			add(int64(len(bom)), "a byte order mark (BOM)")
		}
	}
	if at := lengthPrefix(g.b, g.c.Len()); at > 0 {
		add(at, "the number of bytes that follow (a length prefix), as programs write it that send several messages")
	}
}

// lengthPrefix is the length of the number in front of a file that is the length of all that follows, in either byte order; 0 if there is none.
func lengthPrefix(b []byte, size int64) int64 {
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		switch {
		case len(b) > 4 && int64(order.Uint32(b)) == size-4:
			return 4
		case len(b) > 8 && order.Uint64(b) == uint64(size-8):
			return 8
		}
	}
	return 0
}

// headBeforeDamage reports a known head before a file that has further damage.
func headBeforeDamage(g *subject) {
	if g.hasMagic() || path.Ext(g.name) == ".json" || g.r.base.format != nil && g.r.base.count[model.Error] == 0 {
		return
	}
	knownHeads(g, func(at int64, what string) {
		if len(g.told) > 0 || at < int64(len(orderMark)) {
			return // two bytes may occur there by chance
		}
		g.tell(Likely, "What follows "+pronoun(at)+" is damaged or packed too: remove "+pronoun(at)+" and check the file again.", []string{"its first bytes"},
			"%s %s: %s.", counted(at, "precedes", "precede"), lower(g.the()), what)
		g.offerInside(g.c.Splice(0, at, nil), "remove the first "+amountOf(at))
	})
}

// leastGarbled is the smallest number of characters that stand for bytes above 0x7f if others of them are lost.
const leastGarbled = 8

// garbledText reports a file that was saved as text and lost bytes: all of it is valid UTF-8, with characters that stand for bytes and
// do not occur in text that people write.
func garbledText(g *subject) {
	b, _ := marked(g.b)
	_, c := narrowed(b, nil)
	odd := 0
	for _, r := range string(b) {
		x, ok := charmap.Windows1252.EncodeRune(r)
		odd += b2i(r == 0 || r >= 0x80 && r < 0xa0 || ok && x >= 0x80 && x < 0xa0)
	}
	few := (c.high < leastGarbled || odd < leastGarbled/2) && !magicAsText(g)
	if few || c.high < 4*c.other || !utf8.Valid(b) || g.prose() {
		return
	}
	g.tell(Likely, "The lost bytes cannot be recovered. Download or copy the file again.", []string{"all of it is valid UTF-8, which binary files never are"},
		"%s was saved as text: its bytes above 0x7f became characters, %s in all, or were lost.", g.the(), model.Thousands(c.high))
}

// magicAsText tells whether the file begins with its magic, its bytes above 0x7f as characters.
func magicAsText(g *subject) bool {
	return g.anyMagic(func(m model.Magic) bool {
		text, err := charmap.ISO8859_1.NewDecoder().String(m.Bytes)
		return err == nil && m.At == 0 && text != m.Bytes && bytes.HasPrefix(g.b, []byte(text))
	})
}
