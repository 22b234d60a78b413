package filter

import (
	"encoding/binary"
	"math/bits"
)

// Block lengths of string mode (format_spec/filters/dictionary_encoding.md; tiledb/sm/filter/compression_filter.cc):
// u32 0 metadata parts, u32 1 data part, u32 value bytes, u32 filtered bytes, u32 offset bytes, then two integer widths.
const (
	rleStringBlock  = 22
	dictionaryBlock = 26 // plus the dictionary
)

// packedTexts is the header of packed texts: the size of their values, the number of cells, and two integer widths.
type packedTexts struct {
	values, cells int64
	first, second int
}

// undoStrings undoes RLE and DICTIONARY on the values of a variable-size string field. It returns the values and the offsets.
func (w *work) undoStrings(md, data []byte) ([]byte, []byte, error) {
	r := &block{w: w, b: md}
	nm, nd := r.u32("number of metadata parts"), r.u32("number of data parts")
	values, packed, offsets := r.u32("value bytes"), r.u32("filtered bytes"), r.u32("offset bytes")
	p := packedTexts{values, offsets / 8, int(r.uint(1, "first width")), int(r.uint(1, "second width"))}
	switch {
	case r.err != nil:
		return nil, nil, r.err
	case !w.last:
		return nil, nil, w.bad(Unsupported, "metadata", 0, "position of a string filter", "first", w.s.index+1)
	case nm != 0 || nd != 1:
		return nil, nil, w.bad(corrupt, "metadata", 0, "metadata and data parts", "0 and 1", Text(nm)+" and "+Text(nd))
	case packed != int64(len(data)):
		return nil, nil, w.bad(corrupt, "metadata", 12, "filtered bytes", len(data), packed)
	case offsets%8 != 0:
		return nil, nil, w.bad(corrupt, "metadata", 16, "offset bytes", "a multiple of 8", offsets)
	case !IsWidth(uint64(p.first)):
		return nil, nil, w.bad(corrupt, "metadata", 20, "first width", "1, 2, 4 or 8", p.first)
	case !IsWidth(uint64(p.second)):
		return nil, nil, w.bad(corrupt, "metadata", 21, "second width", "1, 2, 4 or 8", p.second)
	case int64(len(w.out))+int64(len(w.offsets))+values+offsets > w.limit:
		return nil, nil, w.bad(Limit, "metadata", 8, "bytes of values and offsets", "at most "+Text(w.limit), values+offsets)
	}
	var out []byte
	var err error
	if w.s.op == Dictionary {
		out, err = w.undoDictionary(r, data, p)
	} else {
		out, err = w.undoRLEStrings(data, p)
		if err == nil {
			err = r.end()
		}
	}
	if err != nil {
		return nil, nil, err
	}
	w.mdOwn = true
	return nil, out, nil
}

// bigUint reads a big-endian unsigned integer of 1, 2, 4 or 8 bytes.
func bigUint(b []byte, size int) uint64 {
	return bits.ReverseBytes64(Uint(b, size)) >> (64 - 8*size)
}

// undoDictionary: the dictionary is length and bytes of every word, to its end; the data one big-endian id per cell.
func (w *work) undoDictionary(r *block, data []byte, p packedTexts) ([]byte, error) {
	values, idSize, lenSize := p.values, p.first, p.second
	dict := r.bytes(r.u32("dictionary bytes"), "dictionary")
	if err := r.end(); err != nil {
		return nil, err
	}
	var starts []uint32 // width of the lengths before the words
	for at := 0; at < len(dict); {
		if len(dict)-at < lenSize {
			return nil, w.bad(truncated, "metadata", dictionaryBlock+at, "bytes of a word length", lenSize, len(dict)-at)
		}
		n, left := bigUint(dict[at:], lenSize), len(dict)-at-lenSize
		if n > uint64(left) {
			return nil, w.bad(corrupt, "metadata", dictionaryBlock+at, "length of word "+Text(len(starts)),
				"at most "+Text(left)+" left", n)
		}
		starts = append(starts, uint32(at))
		at += lenSize + int(n)
	}
	word := func(at int) []byte {
		b := dict[starts[bigUint(data[at:], idSize)]:]
		return b[lenSize:][:bigUint(b, lenSize)]
	}
	if int64(len(data)) != p.cells*int64(idSize) {
		return nil, w.bad(corrupt, "metadata", 16, "offset bytes", Text(8*float64(len(data))/float64(idSize))+" for the ids there", 8*p.cells)
	}
	var total int64 // checked before allocation, because a short id can refer to a long word
	for at := 0; at < len(data); at += idSize {
		if id := bigUint(data[at:], idSize); id >= uint64(len(starts)) {
			return nil, w.bad(corrupt, "data", at, "id of a word", "less than "+Text(len(starts)), id)
		}
		if total += int64(len(word(at))); total > values {
			return nil, w.bad(corrupt, "data", at, "value bytes", "at most "+Text(values), total)
		}
	}
	if total != values {
		return nil, w.bad(corrupt, "metadata", 8, "value bytes", total, values)
	}
	base := uint64(len(w.out))
	out, err := w.room(values)
	if err != nil {
		return nil, err
	}
	w.growOffsets(p.cells)
	n := 0
	for at := 0; at < len(data); at += idSize {
		w.offsets = binary.LittleEndian.AppendUint64(w.offsets, base+uint64(n))
		n += copy(out[n:], word(at))
	}
	return out, nil
}

func (w *work) growOffsets(cells int64) {
	if w.offsets == nil {
		w.offsets = make([]byte, 0, 8*cells)
	}
}

// undoRLEStrings: the data repeats run length, string length, string, both integers big-endian.
func (w *work) undoRLEStrings(data []byte, p packedTexts) ([]byte, error) {
	if err := w.stringRuns(data, p, func(int64, []byte) error { return nil }); err != nil {
		return nil, err
	}
	base := uint64(len(w.out))
	out, err := w.room(p.values)
	if err != nil {
		return nil, err
	}
	w.growOffsets(p.cells)
	n := 0
	return out, w.stringRuns(data, p, func(count int64, text []byte) error {
		for i := range count {
			if err := w.due(int(i)); err != nil {
				return err
			}
			w.offsets = binary.LittleEndian.AppendUint64(w.offsets, base+uint64(n))
			n += copy(out[n:], text)
		}
		return nil
	})
}

// stringRuns walks the runs and checks that they are exactly the values and cells promised. Writers up to TileDB 2.31 choose
// the width of string lengths without looking at the last run, so a long last string has a truncated length. That is
// recognised if what is left fits exactly, and reported as a usable failure.
func (w *work) stringRuns(data []byte, p packedTexts, run func(count int64, text []byte) error) error {
	runSize, lenSize := p.first, p.second
	var haveValues, haveCells int64
	for at := 0; at < len(data); {
		head := runSize + lenSize
		if len(data)-at < head {
			return w.bad(truncated, "data", at, "bytes of a run", head, len(data)-at)
		}
		count, n := bigUint(data[at:], runSize), bigUint(data[at+runSize:], lenSize)
		left, cells, rest := uint64(len(data)-at-head), uint64(p.cells-haveCells), uint64(p.values-haveValues)
		cut := lenSize < 8 && left>>(8*lenSize) != 0 && left&(1<<(8*lenSize)-1) == n
		switch {
		case count > cells:
			return w.bad(corrupt, "data", at, "cells of a run", "at most "+Text(cells)+" left", count)
		case cut && count == cells && count > 0 && rest%count == 0 && rest/count == left:
			e := w.bad(corrupt, "data", at+runSize, "length of the last string, cut to "+Text(lenSize)+" bytes by its writer", left, n)
			e.Usable = true
			w.keep(e)
			n = left
		case n > left:
			return w.bad(corrupt, "data", at+runSize, "length of a string", "at most "+Text(left)+" left", n)
		case n > 0 && count > rest/n:
			return w.bad(corrupt, "data", at, "cells of a run of "+Text(n)+" bytes each", "at most "+Text(rest/n), count)
		}
		text := data[at+head:][:n]
		at += head + int(n)
		haveValues, haveCells = haveValues+int64(count*n), haveCells+int64(count)
		if err := run(int64(count), text); err != nil {
			return err
		}
	}
	if haveValues != p.values {
		return w.bad(corrupt, "metadata", 8, "value bytes", haveValues, p.values)
	}
	if haveCells != p.cells {
		return w.bad(corrupt, "metadata", 16, "offset bytes", 8*haveCells, 8*p.cells)
	}
	return nil
}
