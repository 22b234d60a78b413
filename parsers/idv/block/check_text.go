package block

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"unicode/utf8"

	"spandrel/model"
)

const positionMask = 0x7fffffff // of a bound; the bit above says that the text is missing

// text checks texts: that their ends are in order, within the text, and that it is UTF-8.
func (c *checking) text() {
	units := c.units()
	last, before, missing := c.bounds(units)
	t := &c.txt
	if units == last {
		return
	}
	i := Issue{Problem: TextEnd, At: max(t.boundAt+4*t.n-4, t.boundAt), N: min(4, 4*t.n), Found: last,
		Want: fmt.Sprintf("%d UTF-16 units", units)}
	if t.n > 0 && units <= 1<<31-1 && !missing && units >= before && c.InUnits() == nil {
		i.Set, i.Sure = model.I(units), true
	}
	c.add(i)
}

// InUnits returns the block with the ends of its texts in UTF-16 units, if they count bytes of UTF-8 instead: the last is the length of the text, and all are
// between characters; nil if they do not.
func (k *Block) InUnits() []byte {
	t := &k.txt
	text := k.B[t.textAt:t.end]
	if t.n == 0 || ascii(text) || position(t.bounds[4*t.n-4:]) != int64(len(text)) {
		return nil
	}
	out := bytes.Clone(k.B)
	at, units := int64(0), uint32(0)
	for i := range t.n {
		end := position(t.bounds[4*i:])
		for at < end && at < int64(len(text)) {
			n, w, ok := decodeRune(text[at:])
			if !ok {
				return nil
			}
			at, units = at+int64(n), units+uint32(w)
		}
		if at != end {
			return nil
		}
		missing := binary.LittleEndian.Uint32(t.bounds[4*i:]) &^ positionMask
		binary.LittleEndian.PutUint32(out[t.boundAt+4*i:], units|missing)
	}
	return out
}

// bounds checks where texts end. It returns the last end and the one before, and whether the last text is missing. units is the length of
// the text, or -1.
func (c *checking) bounds(units int64) (last, before int64, missing bool) {
	t := &c.txt
	b := t.bounds
	bound := func(i int64) int64 { return int64(binary.LittleEndian.Uint32(b[4*i:]) & positionMask) }
	for i := range t.n {
		pos, place := bound(i), t.boundAt+4*i
		missing = b[4*i+3]>>7 == 1
		switch {
		case missing && pos != last:
			c.add(Issue{Problem: BoundOrder, At: place, N: 4, Found: fmt.Sprintf("missing, at %d", pos), Want: fmt.Sprint(last),
				Set:     model.I(pos),
				Instead: &Patch{place, binary.LittleEndian.AppendUint32(nil, uint32(last)|1<<31), fmt.Sprintf("keep it missing, at %d", last)}})
		case missing:
			c.add(Issue{Problem: LegacyMissing, At: place, N: 4, Found: "a missing string"})
		case pos < last:
			f := Issue{Problem: BoundOrder, At: place, N: 4, Found: pos, Want: fmt.Sprintf("at least %d", last)}
			next := units
			if i+1 < t.n {
				next = bound(i + 1)
			}
			if next >= last { // this bound is too low: if the neighbouring bounds are equal, they give its value; otherwise the previous one may be too high
				f.Set, f.Sure = model.I(last), next == last
			} else if before <= pos && b[4*i-1]>>7 == 0 {
				f.Sure = before == pos
				f.Instead = &Patch{place - 4, binary.LittleEndian.AppendUint32(nil, uint32(pos)), fmt.Sprintf("set [%d] to %d", i-1, pos)}
			}
			c.add(f)
		}
		last, before = pos, last
	}
	return last, before, missing
}

// units counts the UTF-16 units of the text and checks its encoding.
func (c *checking) units() (units int64) {
	t := &c.txt
	text := c.B[t.textAt:t.end]
	if ascii(text) {
		return int64(len(text))
	}
	bounds := t.bounds
	for off := 0; off < len(text); {
		n, w, ok := decodeRune(text[off:])
		if !ok && c.count[Encoding] == 0 {
			c.add(Issue{Problem: Encoding, At: t.textAt + int64(off), N: int64(n), Found: fmt.Sprintf("%x", text[off:off+n]), Want: "UTF-8"})
		}
		if w == 2 {
			if bounds = behind(bounds, units); len(bounds) >= 4 && position(bounds) == units+1 {
				c.add(Issue{Problem: SplitPair, At: t.boundAt + int64(len(t.bounds)-len(bounds)), N: 4, Found: "a string ends inside a surrogate pair"})
			}
		}
		if off+n == len(text) && !utf8.FullRune(text[off:]) {
			break // .NET waits for the rest of a character at the end, and reports nothing if it is missing
		}
		off, units = off+n, units+int64(w)
	}
	return units
}

// position is where the first of the strings ends.
func position(bounds []byte) int64 {
	return int64(binary.LittleEndian.Uint32(bounds) & positionMask)
}

// behind returns the bounds from the first one that is greater than a position.
func behind(bounds []byte, at int64) []byte {
	for len(bounds) >= 4 && position(bounds) <= at {
		bounds = bounds[4:]
	}
	return bounds
}

func ascii(b []byte) bool {
	for len(b) >= 8 {
		if binary.LittleEndian.Uint64(b)&0x8080808080808080 != 0 {
			return false
		}
		b = b[8:]
	}
	for _, x := range b {
		if x >= 0x80 {
			return false
		}
	}
	return true
}

// decodeRune returns the bytes and UTF-16 units of the next character. For bytes that are not UTF-8 it returns one U+FFFD per
// longest run that begins a character, as .NET decodes them.
func decodeRune(b []byte) (n, units int, ok bool) {
	r, n := utf8.DecodeRune(b)
	switch {
	case r > 0xffff:
		return n, 2, true
	case r != utf8.RuneError || n > 1:
		return n, 1, true
	}
	for n < len(b) && !utf8.FullRune(b[:n+1]) { // together with the next byte, more values could complete the character
		n++
	}
	return n, 1, false
}
