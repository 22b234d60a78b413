package idv

import (
	"encoding/binary"
	"fmt"
	"unicode/utf8"

	"spandrel/model"
)

// text checks a block of texts (§3.4).
func (k *checker) text(n int64) bool {
	at := k.pos
	entries, ok := k.i32()
	if !ok {
		return false
	}
	if entries != n {
		k.found(60, 0, at, 4, fmt.Sprint(entries), fmt.Sprint(n))
		return false
	}
	at = k.pos
	bounds := k.need(4 * n)
	if bounds == nil && n > 0 {
		return false
	}
	lengthAt := k.pos
	v, size, err := model.ULEB31.Decode(k.b[k.pos:min(int64(len(k.b)), k.pos+5)])
	if err != nil {
		k.bounds(bounds, at, -1)
		k.found(21, 0, k.pos, min(5, int64(len(k.b))-k.pos), "", err.Error())
		return false
	}
	k.pos += int64(size)
	textAt := k.pos
	text := k.need(v.Int())
	if text == nil && v.Int() > 0 {
		k.bounds(bounds, at, -1)
		return false
	}
	units := k.units(text, bounds, at, textAt)
	if last, before, missing := k.bounds(bounds, at, units); units != last {
		to := max(lengthAt-4, at)
		set := intOf(units)
		if n == 0 || units > 1<<31-1 || missing || units < before {
			set = nil
		}
		k.found(62, 0, to, min(4, lengthAt-to), fmt.Sprintf("%d", last), fmt.Sprintf("%d UTF-16 units", units), set)
	}
	return true
}

// bounds checks where texts end. It returns the last end and the one before, and whether the last text is missing. units is how
// long the text is, or -1.
func (k *checker) bounds(b []byte, at, units int64) (last, before int64, missing bool) {
	bound := func(i int) int64 { return int64(binary.LittleEndian.Uint32(b[4*i:]) & 0x7fffffff) }
	for i := 0; 4*i+4 <= len(b); i++ {
		pos := bound(i)
		missing = b[4*i+3]>>7 == 1
		place := at + 4*int64(i)
		switch {
		case missing && pos != last:
			k.add(finding{rule: 61, at: place, n: 4, found: fmt.Sprintf("missing, at %d", pos), expected: fmt.Sprint(last), set: intOf(pos), ask: true,
				with: binary.LittleEndian.AppendUint32(nil, uint32(last)|1<<31), label: fmt.Sprintf("leave it missing, at %d", last)})
		case missing:
			k.found(75, 0, place, 4, "a missing text", "")
		case pos < last:
			f := finding{rule: 61, at: place, n: 4, found: fmt.Sprint(pos), expected: fmt.Sprintf("at least %d", last)}
			next := units
			if 4*i+8 <= len(b) {
				next = bound(i + 1)
			}
			if next >= last { // it is too low, by how much the bounds beside it say if they are equal; otherwise the one before may be too high
				f.set, f.ask = intOf(last), next != last
			} else if before <= pos && b[4*i-1]>>7 == 0 {
				f.ask = before != pos
				f.label, f.with, f.withAt = fmt.Sprintf("set [%d] to %d", i-1, pos), binary.LittleEndian.AppendUint32(nil, uint32(pos)), place-4
			}
			k.add(f)
		}
		last, before = pos, last
	}
	return last, before, missing
}

// units counts the UTF-16 units of a text and checks its encoding.
func (k *checker) units(text, bounds []byte, boundsAt, textAt int64) (units int64) {
	if ascii(text) {
		return int64(len(text))
	}
	bad, i := false, 0
	for off := 0; off < len(text); {
		n, w, ok := decodeRune(text[off:])
		if !ok && !bad {
			bad = true
			k.found(63, model.Warning, textAt+int64(off), int64(n), fmt.Sprintf("%x", text[off:off+n]), "UTF-8")
		}
		if w == 2 { // a bound inside the pair
			for i+4 <= len(bounds) && int64(binary.LittleEndian.Uint32(bounds[i:])&0x7fffffff) <= units {
				i += 4
			}
			if i+4 <= len(bounds) && int64(binary.LittleEndian.Uint32(bounds[i:])&0x7fffffff) == units+1 {
				k.found(63, model.Note, boundsAt+int64(i), 4, "a bound splits a surrogate pair", "")
			}
		}
		off, units = off+n, units+int64(w)
	}
	return units
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

// decodeRune returns the bytes and UTF-16 units of the next character. Bytes that are not UTF-8 stand for one U+FFFD for each
// longest run that begins a character, as .NET decodes them.
func decodeRune(b []byte) (n, units int, ok bool) {
	r, n := utf8.DecodeRune(b)
	if r != utf8.RuneError || n > 1 {
		if r > 0xffff {
			return n, 2, true
		}
		return n, 1, true
	}
	lo, hi, more := byte(0x80), byte(0xbf), 0
	switch x := b[0]; {
	case x >= 0xc2 && x <= 0xdf:
		more = 1
	case x >= 0xe0 && x <= 0xef:
		more = 2
		if x == 0xe0 {
			lo = 0xa0
		} else if x == 0xed {
			hi = 0x9f
		}
	case x >= 0xf0 && x <= 0xf4:
		more = 3
		if x == 0xf0 {
			lo = 0x90
		} else if x == 0xf4 {
			hi = 0x8f
		}
	}
	n = 1
	for ; n <= more && n < len(b) && b[n] >= lo && b[n] <= hi; n++ {
		lo, hi = 0x80, 0xbf
	}
	return n, 1, false
}
