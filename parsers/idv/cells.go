package idv

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"spandrel/model"
)

// index finds single values in a decoded block: where the texts end in bytes, and where the items of vectors start.
type index struct {
	codec   *codec
	b       []byte
	n       int64
	trouble string // why the values cannot be read

	// Of texts, those of vectors among them.
	bounds  []byte // n × i32
	boundAt int64
	textAt  int64
	// ends is where each text ends in bytes, or ^ of that where it ends inside a surrogate pair, whose four bytes start there.
	// It is nil when units are bytes.
	ends []int32
	// Of vectors.
	size              int64
	lengths, counts   []byte
	indices           []byte
	itemStart         []int64 // of each vector among all items
	indexStart        []int32
	items             *index
	itemsAt, valuesAt int64
}

// newIdvIndex reads what comes before the values of a block of n.
func newIdvIndex(c *codec, b []byte, n int64) *index {
	ix := &index{codec: c, b: b, n: n}
	k := &checker{b: b, report: func(finding) {}}
	ix.read(k, 0)
	return ix
}

func (ix *index) fail(format string, args ...any) { ix.trouble = fmt.Sprintf(format, args...) }

// read sets up the index of values that start at the checker's position.
func (ix *index) read(k *checker, depth int) {
	ix.valuesAt = k.pos
	switch base := ix.codec.base(); base {
	case kindText:
		ix.readText(k)
	case kindVector:
		if depth > 0 {
			ix.fail("a vector of vectors")
			return
		}
		ix.readVectors(k)
	default:
		if need := plainBytes(base, ix.n); need > int64(len(k.b))-k.pos {
			ix.n = max(0, min(ix.n, fits(base, int64(len(k.b))-k.pos))) // the rows that are there can be read
			if base == kindDateZone {
				ix.fail("the block ends early")
			}
		}
	}
}

// plainBytes is the size of n values of a kind without text or vectors (§3.8).
func plainBytes(k valueKind, n int64) int64 {
	switch k {
	case kindBool:
		return n/8 + min(1, n%8)
	case kindBool2:
		return 4 * (n/16 + min(1, n%16))
	case kindDateZone:
		return 10 * n
	}
	return k.width() * n
}

func fits(k valueKind, bytes int64) int64 {
	switch k {
	case kindBool:
		return bytes * 8
	case kindBool2:
		return bytes / 4 * 16
	case kindDateZone:
		return bytes / 10
	}
	return bytes / max(1, k.width())
}

func (ix *index) readText(k *checker) {
	n, ok := k.i32()
	if !ok || n != ix.n {
		ix.fail("the block holds %d texts, not %d", n, ix.n)
		return
	}
	ix.boundAt = k.pos
	if ix.bounds = k.need(4 * n); ix.bounds == nil && n > 0 {
		ix.fail("the block ends inside the bounds of its texts")
		return
	}
	v, size, err := model.ULEB31.Decode(k.b[k.pos:min(int64(len(k.b)), k.pos+5)])
	if err != nil {
		ix.fail("the length of the text is malformed")
		return
	}
	ix.textAt = k.pos + int64(size)
	text := k.b[ix.textAt:min(int64(len(k.b)), ix.textAt+v.Int())]
	k.pos = ix.textAt + int64(len(text))
	if ascii(text) {
		return
	}
	ix.ends = make([]int32, n)
	off, units := 0, int64(0)
	for i := range ix.ends {
		end := int64(binary.LittleEndian.Uint32(ix.bounds[4*i:]) & 0x7fffffff)
		ix.ends[i] = int32(off)
		for units < end && off < len(text) {
			w, u, _ := decodeRune(text[off:])
			if u == 2 && units+1 == end {
				ix.ends[i] = ^int32(off)
				break
			}
			off, units = off+w, units+int64(u)
			ix.ends[i] = int32(off)
		}
	}
}

func (ix *index) readVectors(k *checker) {
	n, ok := k.i32()
	size, ok2 := k.i32()
	if !ok || !ok2 || n != ix.n {
		ix.fail("the block holds %d vectors, not %d", n, ix.n)
		return
	}
	ix.size = size
	if size <= 0 {
		ix.lengths = k.need(4 * n)
	}
	ix.counts = k.need(4 * n)
	indices, ok := k.i32()
	if n > 0 && (ix.counts == nil || size <= 0 && ix.lengths == nil) || !ok || indices < 0 {
		ix.fail("the block ends inside the lengths of its vectors")
		return
	}
	if ix.indices = k.need(4 * indices); ix.indices == nil && indices > 0 {
		ix.fail("the block ends inside the indices of its vectors")
		return
	}
	ix.itemStart, ix.indexStart = make([]int64, n+1), make([]int32, n+1)
	for i := range n {
		items, explicit := ix.length(i), int64(0)
		if c := ix.count(i); c >= 0 {
			items, explicit = c, c
		}
		ix.itemStart[i+1] = min(ix.itemStart[i]+max(0, items), maxItems)
		if int64(ix.indexStart[i])+explicit > indices {
			ix.fail("there are fewer indices than vectors need")
			return
		}
		ix.indexStart[i+1] = ix.indexStart[i] + int32(explicit)
	}
	ix.itemsAt = k.pos
	ix.items = &index{codec: ix.codec.item, b: ix.b, n: ix.itemStart[n]}
	if !ix.codec.item.readable() {
		ix.fail("the codec of the items is not known")
		return
	}
	ix.items.read(k, 1)
	ix.trouble = ix.items.trouble
}

func (ix *index) length(i int64) int64 {
	if ix.lengths == nil {
		return ix.size
	}
	return int64(int32(binary.LittleEndian.Uint32(ix.lengths[4*i:])))
}
func (ix *index) count(i int64) int64 {
	return int64(int32(binary.LittleEndian.Uint32(ix.counts[4*i:])))
}

// maxCell is how many items of a vector a cell holds.
const maxCell = 1 << 20

// cell returns value i; its range is counted from the start of the block.
func (ix *index) cell(i int64) model.Cell {
	switch {
	case ix.trouble != "":
		return model.Cell{Trouble: ix.trouble}
	case i < 0 || i >= ix.n:
		return model.Cell{Trouble: "the block ends before this row"}
	case ix.codec.kind != kindVector:
		v, label, at, n := ix.value(i)
		return model.Cell{Value: v, Label: label, Range: model.Range{Off: at, Len: n}}
	}
	from, to := ix.itemStart[i], ix.itemStart[i+1]
	cell := model.Cell{Vector: true, Len: max(0, ix.length(i)), Items: []model.Value{}}
	shown := min(to, from+maxCell)
	if ix.count(i) >= 0 {
		cell.Index, cell.Default = []int64{}, ix.codec.item.zero()
		for j := int64(ix.indexStart[i]); j < int64(ix.indexStart[i])+shown-from; j++ {
			cell.Index = append(cell.Index, int64(int32(binary.LittleEndian.Uint32(ix.indices[4*j:]))))
		}
	}
	for j := from; j < shown; j++ {
		if j >= ix.items.n {
			return model.Cell{Trouble: "the block ends before this row"}
		}
		v, _, at, n := ix.items.value(j)
		if j == from {
			cell.Range.Off = at
		}
		cell.Range.Len = at + n - cell.Range.Off
		cell.Items = append(cell.Items, v)
	}
	if shown == from { // no items: the place of its count
		cell.Range = model.Range{Off: ix.valuesAt + 8 + int64(len(ix.lengths)) + 4*i, Len: 4}
	}
	return cell
}

// value decodes value i of a codec that is not a vector: what it is, what it stands for, and where its bytes are.
func (ix *index) value(i int64) (v model.Value, label string, at, n int64) {
	base := ix.codec.base()
	w := base.width()
	at, n = ix.valuesAt+w*i, w
	switch base {
	case kindText:
		return ix.text(i)
	case kindBool:
		at, n = ix.valuesAt+i/8, 1
		return model.B(ix.b[at]>>(i%8)&1 == 1), "", at, n
	case kindBool2:
		at, n = ix.valuesAt+i/16*4, 4
		switch binary.LittleEndian.Uint32(ix.b[at:]) >> (2 * (i % 16)) & 3 {
		case 0:
			return model.B(false), "", at, n
		case 1:
			return model.B(true), "", at, n
		case 2:
			return model.Value{}, "missing", at, n
		}
		return model.Value{}, "invalid", at, n
	case kindDateZone:
		at, n = ix.valuesAt+2*ix.n+8*i, 8
		ticks := int64(binary.LittleEndian.Uint64(ix.b[at:]))
		minutes := int64(int16(binary.LittleEndian.Uint16(ix.b[ix.valuesAt+2*i:])))
		if ticks == missing {
			return model.Value{}, "missing", at, n
		}
		return model.S(date(ticks) + zone(minutes)), "", at, n
	case kindRowID:
		b := ix.b[at : at+16]
		big := make([]byte, 16)
		for j := range b {
			big[15-j] = b[j]
		}
		return model.S(hex.EncodeToString(big)), "", at, n
	case kindR4:
		return model.F(float64(math.Float32frombits(binary.LittleEndian.Uint32(ix.b[at:])))), "", at, n
	case kindR8:
		return model.F(math.Float64frombits(binary.LittleEndian.Uint64(ix.b[at:]))), "", at, n
	case kindDateTime, kindTimeSpan:
		ticks := int64(binary.LittleEndian.Uint64(ix.b[at:]))
		switch {
		case ticks == missing:
			return model.Value{}, "missing", at, n
		case base == kindDateTime:
			return model.I(ticks), date(ticks), at, n
		}
		return model.I(ticks), duration(ticks), at, n
	}
	if base >= kindU1 && base <= kindU8 {
		return model.U(unsigned(ix.b[at:], w)), "", at, n
	}
	return model.I(signed(ix.b[at:], w)), "", at, n
}

// bound returns where text i ends: in bytes, whether the text is missing, and whether it ends inside the surrogate pair there.
func (ix *index) bound(i int64) (end int64, missing, split bool) {
	if i < 0 {
		return ix.textAt, false, false
	}
	u := binary.LittleEndian.Uint32(ix.bounds[4*i:])
	if end = int64(u & 0x7fffffff); ix.ends != nil {
		if end = int64(ix.ends[i]); end < 0 {
			end, split = ^end, true
		}
	}
	return ix.textAt + min(end, int64(len(ix.b))-ix.textAt), u>>31 == 1, split
}

func (ix *index) text(i int64) (v model.Value, label string, at, n int64) {
	from, _, head := ix.bound(i - 1)
	to, missing, tail := ix.bound(i)
	to = max(from, to)
	switch {
	case missing:
		return model.Value{}, "missing", ix.boundAt + 4*i, 4
	case !head && !tail && from == to:
		return model.S(""), "", ix.boundAt + 4*i, 4
	case !head && !tail || head && tail && from == to:
		return model.S(string(ix.b[from:to])), "", from, to - from
	}
	// Half a pair is written as its three bytes would be in WTF-8; in the file it is part of four.
	var b []byte
	half := func(at int64, second int) {
		r, _ := utf8.DecodeRune(ix.b[at:])
		hi, lo := utf16.EncodeRune(r)
		u := []rune{hi, lo}[second]
		b = append(b, 0xe0|byte(u>>12), 0x80|byte(u>>6&0x3f), 0x80|byte(u&0x3f))
	}
	at = from
	if head {
		half(from, 1)
		from += 4
	}
	b = append(b, ix.b[from:max(from, to)]...)
	if n = max(from, to) - at; tail {
		half(to, 0)
		n = to + 4 - at
	}
	return model.S(string(b)), "", at, n
}

// zero is what the slots of a sparse vector hold that are not stored (§3.7).
func (c *codec) zero() model.Value {
	switch base := c.base(); {
	case base == kindBool || base == kindBool2:
		return model.B(false)
	case base == kindText:
		return model.S("")
	case base == kindDateZone:
		return model.S(date(0) + zone(0))
	case base == kindRowID:
		return model.S(strings.Repeat("0", 32))
	case base == kindR4 || base == kindR8:
		return model.F(0)
	case base >= kindU1 && base <= kindU8:
		return model.U(0)
	}
	return model.I(0)
}

// date prints ticks since year 1 as ISO 8601.
func date(ticks int64) string {
	if ticks < 0 || ticks > maxTicks {
		return fmt.Sprintf("%d ticks", ticks)
	}
	const unix = 621355968000000000 // ticks of 1970
	t := time.Unix((ticks-unix)/1e7, (ticks-unix)%1e7*100).UTC()
	return strings.TrimSuffix(t.Format("2006-01-02T15:04:05.0000000"), ".0000000")
}

func zone(minutes int64) string {
	sign := '+'
	if minutes < 0 {
		sign, minutes = '-', -minutes
	}
	return fmt.Sprintf("%c%02d:%02d", sign, minutes/60, minutes%60)
}

// duration prints a time span as .NET does: [-][d.]hh:mm:ss[.fffffff].
func duration(ticks int64) string {
	sign := ""
	if ticks < 0 {
		sign, ticks = "-", -ticks
	}
	out := fmt.Sprintf("%02d:%02d:%02d", ticks/36e9%24, ticks/6e8%60, ticks/1e7%60)
	if d := ticks / 864e9; d > 0 {
		out = fmt.Sprintf("%d.%s", d, out)
	}
	if f := ticks % 1e7; f > 0 {
		out += fmt.Sprintf(".%07d", f)
	}
	return sign + out
}
