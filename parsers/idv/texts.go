package idv

import (
	"encoding/binary"
	"fmt"
	"sort"
	"unicode/utf16"
	"unicode/utf8"

	"spandrel/model"
)

// texts returns the index of the texts of a decoded block: those of text values, or those that are the items of vectors.
func (d *derivedBlock) texts(b []byte) *index {
	ix := newIdvIndex(d.sh.codec, b, d.sh.rows)
	if ix.items != nil {
		ix = ix.items
	}
	if ix.codec.base() != kindText || ix.trouble != "" {
		return nil
	}
	return ix
}

// inText tells whether a range lies in the characters of a block of texts.
func (d *derivedBlock) inText(b []byte, r model.Range) bool {
	ix := d.texts(b)
	return ix != nil && r.Off >= ix.textAt && r.Len > 0
}

// all returns the texts of a block: as UTF-8, nil where one is missing.
func (ix *index) all() []*string {
	out := make([]*string, ix.n)
	for i := range out {
		if v, _, _, _ := ix.text(int64(i)); v.Kind == model.Text {
			s := v.Text()
			out[i] = &s
		}
	}
	return out
}

// spliceTexts makes edits in the characters of a block of texts. One that lies inside a single text, or is one, makes that
// text longer or shorter.
func (d *derivedBlock) spliceTexts(b []byte, asked []request) ([]byte, error) {
	if len(asked) == 0 {
		return b, nil
	}
	ix := d.texts(b)
	end := ix.textEnd()
	sort.Slice(asked, func(i, j int) bool { return asked[i].at.Off > asked[j].at.Off })
	set := map[int64]*string{}
	for _, a := range asked {
		off, old, with := trim(a.at.Off, b[a.at.Off:min(a.at.End(), end)], a.with)
		i := int64(sort.Search(int(ix.n), func(i int) bool {
			to, missing, _ := ix.bound(int64(i))
			return !missing && (to > off || to == off && len(old) == 0)
		}))
		from, _, head := ix.bound(i - 1)
		if i == ix.n {
			return nil, fmt.Errorf("there is no text at 0x%x", off)
		}
		to, _, tail := ix.bound(i)
		if off < from || off+int64(len(old)) > to || head || tail || set[i] != nil {
			return nil, fmt.Errorf("the texts of a block end at bounds: change one text at a time")
		}
		s := string(b[from:off]) + string(with) + string(b[off+int64(len(old)):to])
		set[i] = &s
	}
	return d.setTexts(b, ix, set), nil
}

// trim cuts what an edit leaves as it is: the characters that both texts begin and end with.
func trim(off int64, old, with []byte) (int64, []byte, []byte) {
	n := 0
	for n < len(old) && n < len(with) && old[n] == with[n] {
		n++
	}
	for n > 0 && (n < len(old) && !utf8.RuneStart(old[n]) || n < len(with) && !utf8.RuneStart(with[n])) {
		n--
	}
	off, old, with = off+int64(n), old[n:], with[n:]
	n = 0
	for n < len(old) && n < len(with) && old[len(old)-1-n] == with[len(with)-1-n] {
		n++
	}
	for n > 0 && !utf8.RuneStart(old[len(old)-n]) {
		n--
	}
	return off, old[:len(old)-n], with[:len(with)-n]
}

func (ix *index) textEnd() int64 {
	v, _, err := model.ULEB31.Decode(ix.b[ix.boundAt+int64(len(ix.bounds)):])
	if err != nil {
		return ix.textAt
	}
	return min(int64(len(ix.b)), ix.textAt+v.Int())
}

// units counts the UTF-16 units of a text.
func units(b []byte) (units int64) {
	for len(b) > 0 {
		n, w, _ := decodeRune(b)
		b, units = b[n:], units+int64(w)
	}
	return units
}

// setTexts writes a block anew with some texts replaced; nil makes one missing. Bytes of the others are kept.
func (d *derivedBlock) setTexts(b []byte, ix *index, set map[int64]*string) []byte {
	for i := range set {
		_, _, head := ix.bound(i - 1)
		if _, _, tail := ix.bound(i); head || tail { // the other half of a pair changes with it
			all := ix.all()
			for j, s := range set {
				all[j] = s
			}
			out := append(append([]byte(nil), b[:ix.boundAt-4]...), encodeTexts(all)...)
			return append(out, b[ix.textEnd():]...)
		}
	}
	out := append([]byte(nil), b[:ix.boundAt]...)
	var text []byte
	pos := uint32(0) // in UTF-16 units, as the bounds count
	before := uint32(0)
	for i := int64(0); i < ix.n; i++ {
		u := binary.LittleEndian.Uint32(ix.bounds[4*i:])
		width := u&0x7fffffff - before
		before = u & 0x7fffffff
		s, asked := set[i]
		switch {
		case asked && s == nil:
			out = binary.LittleEndian.AppendUint32(out, pos|0x80000000)
			continue
		case asked:
			text = append(text, *s...)
			width, u = uint32(units([]byte(*s))), 0
		default:
			from, _, head := ix.bound(i - 1)
			to, _, tail := ix.bound(i)
			if head { // the pair was written with the text before
				from += 4
			}
			if tail {
				to += 4
			}
			text = append(text, ix.b[from:max(from, to)]...)
		}
		pos += width
		out = binary.LittleEndian.AppendUint32(out, pos|u&0x80000000)
	}
	end := ix.textEnd()
	out = binary.AppendUvarint(out, uint64(len(text)))
	return append(append(out, text...), b[end:]...)
}

// encodeTexts writes a block of texts (§3.4); nil is a missing one. Halves of surrogate pairs, as three bytes each, are
// joined where they meet.
func encodeTexts(texts []*string) []byte {
	out := binary.LittleEndian.AppendUint32(nil, uint32(len(texts)))
	var units []uint16
	var bounds []byte
	for _, s := range texts {
		if s == nil {
			bounds = binary.LittleEndian.AppendUint32(bounds, uint32(len(units))|0x80000000)
			continue
		}
		units = append(units, utF16(*s)...)
		bounds = binary.LittleEndian.AppendUint32(bounds, uint32(len(units)))
	}
	text := string(utf16.Decode(units))
	return append(binary.AppendUvarint(append(out, bounds...), uint64(len(text))), text...)
}

func utF16(s string) (units []uint16) {
	for len(s) > 0 {
		if len(s) >= 3 && s[0] == 0xed && s[1]&0xe0 == 0xa0 {
			units = append(units, 0xd000|uint16(s[1]&0x3f)<<6|uint16(s[2]&0x3f))
			s = s[3:]
			continue
		}
		r, n := utf8.DecodeRuneInString(s)
		units = utf16.AppendRune(units, r)
		s = s[n:]
	}
	return units
}
