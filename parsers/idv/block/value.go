package block

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"spandrel/model"
)

// maxCell is how many items of a vector a cell contains.
const maxCell = 1 << 20

// Trouble says why the values cannot be read; "" if they can, possibly except those at the end.
func (k *Block) Trouble() string {
	scalar := k.Codec.Scalar()
	switch {
	case !k.Codec.Readable():
		return "the codec is unknown"
	case k.Codec.Kind == Vector && (k.vec.counts == nil && k.N > 0 || k.Own < 0):
		return "the block ends inside the lengths of its vectors"
	case k.Codec.Kind == Vector && (k.base[1] == 0 && k.N > 0 || !k.vec.place()):
		return "there are fewer indices than the vectors need"
	case k.Codec.Kind == Vector && len(k.issues) > 0 && k.issues[0].Problem == VectorSize && !k.issues[0].Fits:
		return "the size of the vectors does not match the type"
	case scalar.Base() == Text && k.txt.textAt == 0:
		return "the strings of the block cannot be found"
	case scalar.Base() == Text && k.Codec.Kind == Vector && k.txt.n != k.items:
		return "the number of strings in the block does not match its vectors"
	case scalar.Base() == DateZone && k.failed && k.Codec.Kind != Vector:
		return "the block ends early"
	}
	return ""
}

// Held is how many values can be read.
func (k *Block) Held() int64 {
	switch {
	case k.Codec.Kind == Vector:
		return min(k.N, k.vec.n)
	case k.Codec.Base() == Text:
		return min(k.N, k.txt.n)
	}
	return min(k.N, room(k.Codec.Base(), int64(len(k.B))))
}

// room is how many values fit into bytes.
func room(k Kind, bytes int64) int64 {
	w, per := k.unit()
	return bytes / max(1, w) * per
}

// Cell returns value i; its range is counted from the start of the block.
func (k *Block) Cell(i int64) model.Cell {
	if why := k.Trouble(); why != "" {
		return model.Cell{Trouble: why}
	}
	if i < 0 || i >= k.Held() {
		return model.Cell{Trouble: "the block ends before this row"}
	}
	if k.Codec.Kind != Vector {
		v, label, at, n := k.scalar(i)
		return model.Cell{Value: v, Label: label, Range: model.Range{Off: at, Len: n}}
	}
	v := &k.vec
	v.place()
	from, to := v.starts[i], v.starts[i+1]
	cell := model.Cell{Vector: true, Len: max(0, v.length(i)), Items: []model.Value{}}
	shown := min(to, from+maxCell)
	if v.listed(i) >= 0 {
		cell.Index, cell.Default = []int64{}, k.Codec.Item.Zero()
		for j := v.explicit[i]; j < v.explicit[i]+shown-from; j++ {
			cell.Index = append(cell.Index, num32(v.indices, j))
		}
	}
	held := k.heldItems()
	for j := from; j < shown; j++ {
		if j >= held {
			return model.Cell{Trouble: "the block ends before this row"}
		}
		x, _, at, n := k.scalar(j)
		if j == from {
			cell.Range.Off = at
		}
		cell.Range.Len = at + n - cell.Range.Off
		cell.Items = append(cell.Items, x)
	}
	if shown == from { // no items: the place of its count
		cell.Range = model.Range{Off: v.countsAt + 4*i, Len: 4}
	}
	return cell
}

// heldItems is how many items of vectors can be read.
func (k *Block) heldItems() int64 {
	base := k.Codec.Item.Base()
	if base == Text {
		return k.txt.n
	}
	if base == DateZone && k.failed {
		return 0
	}
	return min(k.items, room(base, int64(len(k.B))-k.base[1]))
}

// scalarCount is how many scalars the block contains: values, or items of vectors.
func (k *Block) scalarCount() int64 {
	if k.Codec.Kind == Vector {
		return k.items
	}
	return k.N
}

// scalar decodes scalar i, of the block or of the items of its vectors: its value, its name, and its place.
func (k *Block) scalar(i int64) (v model.Value, label string, at, n int64) {
	base := k.Codec.Scalar().Base()
	start := k.base[index(k.Codec.Kind == Vector)]
	n = base.Width()
	at = start + n*i
	b := k.B
	switch base {
	case Text:
		return k.text(i)
	case Bool:
		at, n = start+i/8, 1
		return model.B(b[at]>>(i%8)&1 == 1), "", at, n
	case Bool2:
		at, n = start+i/16*4, 4
		switch binary.LittleEndian.Uint32(b[at:]) >> (2 * (i % 16)) & 3 {
		case 0:
			return model.B(false), "", at, n
		case 1:
			return model.B(true), "", at, n
		case 2:
			return model.Value{}, "missing", at, n
		}
		return model.Value{}, "invalid", at, n
	case DateZone:
		minutesAt := start + 2*i
		at, n = start+2*k.scalarCount()+8*i, 8
		ticks := int64(binary.LittleEndian.Uint64(b[at:]))
		if ticks == Missing {
			return model.Value{}, "missing", at, n
		}
		return model.S(Date(ticks) + zone(int64(int16(binary.LittleEndian.Uint16(b[minutesAt:]))))), "", at, n
	case RowID:
		big := make([]byte, 16)
		for j, x := range b[at : at+16] {
			big[15-j] = x
		}
		return model.S(hex.EncodeToString(big)), "", at, n
	case DateTime, TimeSpan:
		ticks := int64(binary.LittleEndian.Uint64(b[at:]))
		switch {
		case ticks == Missing:
			return model.Value{}, "missing", at, n
		case base == DateTime:
			return model.I(ticks), Date(ticks), at, n
		}
		return model.I(ticks), Duration(ticks), at, n
	}
	v, _, _ = base.Number().Decode(b[at:])
	return v, "", at, n
}

// endings finds where texts end in bytes.
func (t *texts) endings(b []byte) {
	t.asked.Do(func() { t.find(b[t.textAt:t.end]) })
}

func (t *texts) find(text []byte) {
	if ascii(text) {
		return
	}
	t.ends = make([]int32, t.n)
	off, units := 0, int64(0)
	for i := range t.ends {
		end := int64(binary.LittleEndian.Uint32(t.bounds[4*i:]) & positionMask)
		t.ends[i] = int32(off)
		for units < end && off < len(text) {
			w, u, _ := decodeRune(text[off:])
			if u == 2 && units+1 == end {
				t.ends[i] = ^int32(off)
				break
			}
			off, units = off+w, units+int64(u)
			t.ends[i] = int32(off)
		}
	}
}

// bound returns where text i ends: in bytes, whether the text is missing, and whether it ends inside the surrogate pair there.
func (k *Block) bound(i int64) (end int64, missing, split bool) {
	t := &k.txt
	if i < 0 {
		return t.textAt, false, false
	}
	t.endings(k.B)
	u := binary.LittleEndian.Uint32(t.bounds[4*i:])
	if end = int64(u & positionMask); t.ends != nil {
		if end = int64(t.ends[i]); end < 0 {
			end, split = ^end, true
		}
	}
	return min(t.textAt+end, t.end), u>>31 == 1, split
}

func (k *Block) text(i int64) (v model.Value, label string, at, n int64) {
	from, _, head := k.bound(i - 1)
	to, missing, tail := k.bound(i)
	to = max(from, to)
	boundAt := k.txt.boundAt + 4*i
	switch {
	case missing:
		return model.Value{}, "missing", boundAt, 4
	case !head && !tail && from == to:
		return model.S(""), "", boundAt, 4
	case !head && !tail || head && tail && from == to:
		return model.S(string(k.B[from:to])), "", from, to - from
	}
	// Half a pair is written as three bytes, as in WTF-8; in the file it is part of four.
	var b []byte
	half := func(at int64, second int) {
		r, _ := utf8.DecodeRune(k.B[at:])
		hi, lo := utf16.EncodeRune(r)
		u := []rune{hi, lo}[second]
		b = append(b, 0xe0|byte(u>>12), 0x80|byte(u>>6&0x3f), 0x80|byte(u&0x3f))
	}
	at = from
	if head {
		half(from, 1)
		from += 4
	}
	b = append(b, k.B[from:max(from, to)]...)
	if n = max(from, to) - at; tail {
		half(to, 0)
		n = to + 4 - at
	}
	return model.S(string(b)), "", at, n
}

// TextAt returns the text that ends at bound i, and its label if it is missing; ok is false if the block contains no such text.
func (k *Block) TextAt(i int64) (s, label string, ok bool) {
	if k.txt.textAt == 0 || i < 0 || i >= k.txt.n {
		return "", "", false
	}
	v, label, _, _ := k.text(i)
	return v.Text(), label, true
}

// InText returns which text a range of bytes is, or is inside.
func (k *Block) InText(off, n int64) (i int64, ok bool) {
	t := &k.txt
	if t.textAt == 0 || off < t.textAt || off+n > t.end {
		return 0, false
	}
	for i := range t.n {
		from, _, head := k.bound(i - 1)
		to, missing, tail := k.bound(i)
		if !missing && !head && !tail && from <= off && off+n <= to && (to > off || n == 0) {
			return i, true
		}
	}
	return 0, false
}

// Zero is the value of slots that a sparse vector does not store (§3.7).
func (c *Codec) Zero() model.Value {
	switch base := c.Base(); {
	case base == Bool || base == Bool2:
		return model.B(false)
	case base == Text:
		return model.S("")
	case base == DateZone:
		return model.S(Date(0) + zone(0))
	case base == RowID:
		return model.S(strings.Repeat("0", 32))
	case base == R4 || base == R8:
		return model.F(0)
	case base.Unsigned():
		return model.U(0)
	}
	return model.I(0)
}

// Column returns the type and kind of a column's cells.
func (c *Codec) Column() (string, model.Kind) {
	suffix := ""
	if c.Kind == Vector {
		c, suffix = c.Item, "[]"
	}
	switch k := c.Base(); k {
	case Bool, Bool2:
		return "bool" + suffix, model.Bool
	case Text, DateZone, RowID:
		return "utf8" + suffix, model.Text
	default:
		f := k.Number()
		return f.Type() + suffix, f.Kind()
	}
}

// LargestKey is the largest raw key among the scalars of a block.
func (k *Block) LargestKey() (top uint64, err error) {
	if why := k.Trouble(); why != "" {
		return 0, fmt.Errorf("%s", why)
	}
	w := k.Codec.Scalar().Base().Width()
	p, _ := k.Part(Values, k.Codec.Kind == Vector)
	for b := k.B[p.Off:p.End()]; int64(len(b)) >= w; b = b[w:] {
		top = max(top, unsigned(b, w))
	}
	return top, nil
}

// TextRange is the place of a text found by InText.
func (k *Block) TextRange(i int64) (from, to int64) {
	from, _, _ = k.bound(i - 1)
	to, _, _ = k.bound(i)
	return from, max(from, to)
}

// Characters tells whether a byte belongs to the characters of texts.
func (k *Block) Characters(off int64) bool {
	return k.txt.textAt > 0 && off >= k.txt.textAt && off < max(k.txt.end, k.txt.textAt+1)
}
