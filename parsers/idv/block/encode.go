package block

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"unicode/utf8"

	"spandrel/model"
)

// Raw is a value as stored: the bytes of a number, one byte for a boolean (2: missing), the offset and ticks of a date with
// its zone, the UTF-8 of a text, in which half a surrogate pair has three bytes; or a vector of such values.
type Raw struct {
	B       []byte
	Missing bool // of texts
	*List        // of vectors
}

// List is a vector as it is stored.
type List struct {
	Len   int64
	Index []int64 // of the explicit items of a sparse vector; nil when it is dense
	Items []Raw
}

// Raws returns a range of values as stored; an error if they cannot be read.
func (k *Block) Raws(from, to int64) ([]Raw, error) {
	if why := k.Trouble(); why != "" {
		return nil, fmt.Errorf("%s", why)
	}
	if from < 0 || to > k.Held() || from > to {
		return nil, fmt.Errorf("the block has %d values, not %d", k.Held(), to)
	}
	out := make([]Raw, to-from)
	if k.Codec.Kind != Vector {
		for i := range out {
			out[i] = k.raw(from + int64(i))
		}
		return out, nil
	}
	k.vec.place()
	held := k.heldItems()
	for i := range out {
		at := from + int64(i)
		if k.vec.starts[at+1] > held {
			return nil, fmt.Errorf("the block ends before value %d", at)
		}
		out[i] = Raw{List: listOf(k, at)}
	}
	return out, nil
}

// listOf is vector i as it is stored.
func listOf(k *Block, i int64) *List {
	v := &k.vec
	l := &List{Len: max(0, v.length(i)), Items: make([]Raw, v.starts[i+1]-v.starts[i])}
	for j := range l.Items {
		l.Items[j] = k.raw(v.starts[i] + int64(j))
	}
	if v.listed(i) >= 0 {
		l.Index = []int64{}
		for j := v.explicit[i]; j < v.explicit[i+1]; j++ {
			l.Index = append(l.Index, num32(v.indices, j))
		}
	}
	return l
}

// raw is scalar i as it is stored.
func (k *Block) raw(i int64) Raw {
	base := k.Codec.Scalar().Base()
	start := k.base[index(k.Codec.Kind == Vector)]
	switch base {
	case Text:
		v, label, _, _ := k.text(i)
		return Raw{B: []byte(v.Text()), Missing: label != ""}
	case Bool:
		return Raw{B: []byte{k.B[start+i/8] >> (i % 8) & 1}}
	case Bool2:
		return Raw{B: []byte{byte(binary.LittleEndian.Uint32(k.B[start+i/16*4:]) >> (2 * (i % 16)) & 3)}}
	case DateZone:
		ticks := start + 2*k.scalarCount() + 8*i
		return Raw{B: append(bytes.Clone(k.B[start+2*i:start+2*i+2]), k.B[ticks:ticks+8]...)}
	}
	w := base.Width()
	return Raw{B: k.B[start+w*i : start+w*i+w]}
}

// Encode makes a block of values.
func Encode(c *Codec, values []Raw) ([]byte, error) {
	if c.Kind != Vector {
		return encodeScalars(nil, c.Base(), values)
	}
	put := binary.LittleEndian.AppendUint32
	size := c.Size
	if size <= 0 && len(values) > 0 && !slices.ContainsFunc(values, func(v Raw) bool { return v.Len != values[0].Len }) {
		size = values[0].Len
	}
	out := put(put(nil, uint32(len(values))), uint32(size))
	if size <= 0 {
		for _, v := range values {
			out = put(out, uint32(v.Len))
		}
	}
	indices, items := []byte(nil), []Raw(nil)
	for _, v := range values {
		if c.Size > 0 && v.Len != c.Size {
			return nil, fmt.Errorf("a vector of %d items in a column of vectors of %d", v.Len, c.Size)
		}
		count := -1
		if v.sparse() {
			count = len(v.Index)
			for _, i := range v.Index {
				indices = put(indices, uint32(i))
			}
		}
		out = put(out, uint32(count))
		items = append(items, v.Items...)
	}
	out = put(out, uint32(len(indices)/4))
	return encodeScalars(append(out, indices...), c.Item.Base(), items)
}

// Takes tells whether the values of a batch of a column can be stored as they are: no keys or dates, which not all numbers are.
func (c *Codec) Takes(b *model.Batch) bool {
	base := c.Base()
	if c.Kind == Key || c.Kind == Vector {
		return false
	}
	return base == Text && b.Starts != nil || b.Null == nil && (base == Bool || plain(base) && base != DateTime)
}

// EncodeBatch makes a block of some values of a batch that the codec takes.
func (c *Codec) EncodeBatch(b *model.Batch, from, to int64) []byte {
	base := c.Base()
	values := make([]Raw, 0, to-from)
	for i := from; i < to && !plain(base); i++ {
		if base == Bool {
			values = append(values, Raw{B: b.Data[i : i+1]})
		} else {
			values = append(values, Raw{B: b.Data[b.Starts[i]:b.Starts[i+1]], Missing: b.Null != nil && b.Null[i]})
		}
	}
	if plain(base) {
		return b.Data[from*base.Width() : to*base.Width()]
	}
	out, _ := encodeScalars(nil, base, values) // which fails only for other kinds
	return out
}

// sparse tells whether a vector omits items; a complete one is dense.
func (l *List) sparse() bool { return l.Index != nil && int64(len(l.Index)) < l.Len }

// encodeScalars appends values that are no vectors.
func encodeScalars(out []byte, base Kind, values []Raw) ([]byte, error) {
	if base == Text {
		return encodeTexts(out, values), nil
	}
	w, per := base.unit()
	if w == 0 {
		return nil, fmt.Errorf("the codec is unknown")
	}
	start, n := len(out), int64(len(values))
	out = append(out, make([]byte, plainBytes(base, n))...)
	for i, v := range values {
		if per == 1 && int64(len(v.B)) != w {
			return nil, fmt.Errorf("a value of %d bytes in a column of %d", len(v.B), w)
		}
		put(out[start:], base, n, int64(i), v)
	}
	return out, nil
}

// put overwrites scalar i of n, which is not text.
func put(b []byte, base Kind, n, i int64, v Raw) {
	switch base {
	case Bool:
		b[i/8] = b[i/8]&^(1<<(i%8)) | v.B[0]&1<<(i%8)
	case Bool2:
		b[i/4] = b[i/4]&^(3<<(2*(i%4))) | v.B[0]&3<<(2*(i%4))
	case DateZone:
		copy(b[2*i:2*i+2], v.B)
		copy(b[2*n+8*i:], v.B[2:])
	default:
		copy(b[base.Width()*i:], v.B)
	}
}

// encodeTexts appends a block of texts (§3.4). Halves of surrogate pairs are joined if they are adjacent, otherwise they become U+FFFD,
// as .NET writes them.
func encodeTexts(out []byte, values []Raw) []byte {
	out = binary.LittleEndian.AppendUint32(out, uint32(len(values)))
	var text []byte
	units := int64(0)
	for _, v := range values {
		bound := uint32(0)
		if v.Missing {
			bound = 1 << 31
		} else {
			units += wtfUnits(v.B)
			if n := len(text); n >= 3 && halfSurrogate(text[n-3:], 0xa0) && halfSurrogate(v.B, 0xb0) {
				hi, lo := surrogate(text[n-3:]), surrogate(v.B)
				text = utf8.AppendRune(text[:n-3], 0x10000+(hi-0xd800)<<10+(lo-0xdc00))
				text = append(text, v.B[3:]...)
			} else {
				text = append(text, v.B...)
			}
		}
		out = binary.LittleEndian.AppendUint32(out, bound|uint32(units))
	}
	for i := 0; i+3 <= len(text); i++ {
		if halfSurrogate(text[i:], 0xa0) || halfSurrogate(text[i:], 0xb0) {
			copy(text[i:], "\uFFFD")
		}
	}
	return append(binary.AppendUvarint(out, uint64(len(text))), text...)
}

// halfSurrogate tells whether bytes begin with half a surrogate pair: a first one (0xa0), or a second one (0xb0).
func halfSurrogate(b []byte, which byte) bool {
	return len(b) >= 3 && b[0] == 0xed && b[1]&0xf0 == which && b[2]&0xc0 == 0x80
}

func surrogate(b []byte) rune { return 0xd000 | rune(b[1]&0x3f)<<6 | rune(b[2]&0x3f) }

// wtfUnits counts the UTF-16 units of a text in which halves of surrogate pairs take three bytes.
func wtfUnits(b []byte) (units int64) {
	for len(b) > 0 {
		if halfSurrogate(b, 0xa0) || halfSurrogate(b, 0xb0) {
			b, units = b[3:], units+1
			continue
		}
		n, w, _ := decodeRune(b)
		b, units = b[n:], units+int64(w)
	}
	return units
}

// Put returns the block with values replaced. Numbers, booleans and dates change in place, so that all other bytes stay; texts
// and vectors are rewritten.
func (k *Block) Put(set map[int64]Raw) ([]byte, error) {
	if why := k.Trouble(); why != "" {
		return nil, fmt.Errorf("%s", why)
	}
	for i := range set {
		if i < 0 || i >= k.Held() {
			return nil, fmt.Errorf("the block has no value %d", i)
		}
	}
	if k.Codec.Kind != Vector && k.Codec.Base() != Text {
		out := bytes.Clone(k.B)
		for i, v := range set {
			put(out[k.base[0]:], k.Codec.Base(), k.N, i, v)
		}
		return out, nil
	}
	all, err := k.Raws(0, k.Held())
	if err != nil {
		return nil, err
	}
	for i, v := range set {
		all[i] = v
	}
	out, err := Encode(k.Codec, all)
	if p, ok := k.Part(Leftover, false); ok && err == nil && !k.failed { // not removed: it may matter to others
		out = append(out, k.B[p.Off:]...)
	}
	return out, err
}

// Lays tells whether a range of values can be replaced by numbers as they are: no keys or dates, which not all numbers are.
func (k *Block) Lays(from, to int64) bool {
	return k.Codec.Base() != Text && k.Codec.Takes(&model.Batch{}) && k.Trouble() == "" && from >= 0 && to <= k.Held()
}

// Lay replaces values from i on in what Put returned, by numbers as a model.Batch has them.
func (k *Block) Lay(out []byte, i int64, data []byte) {
	out, base := out[k.base[0]:], k.Codec.Base()
	if base != Bool {
		copy(out[i*base.Width():], data)
		return
	}
	for j := range data {
		put(out, base, k.N, i+int64(j), Raw{B: data[j : j+1]})
	}
}

// PutTexts returns the block with texts replaced: values of it, or items of its vectors.
func (k *Block) PutTexts(set map[int64]Raw) ([]byte, error) {
	if k.Codec.Kind != Vector {
		return k.Put(set)
	}
	all, err := k.Raws(0, k.Held())
	if err != nil {
		return nil, err
	}
	i := int64(0)
	for _, v := range all {
		for j := range v.Items {
			if x, ok := set[i]; ok {
				v.Items[j] = x
			}
			i++
		}
	}
	return Encode(k.Codec, all)
}

// Set sets position i of a vector; a sparse one gets an additional item if it has none there.
func (l *List) Set(i int64, v Raw) {
	if l.Index == nil {
		l.Items[i] = v
		return
	}
	j, found := slices.BinarySearch(l.Index, i)
	if !found {
		l.Index, l.Items = slices.Insert(l.Index, j, i), slices.Insert(l.Items, j, Raw{})
	}
	l.Items[j] = v
}

// Empty is the value of a row that has not been filled in: 0, false, an empty text, a missing key, a vector without explicit items.
func (c *Codec) Empty() Raw {
	switch base := c.Base(); base {
	case Vector:
		if c.Size > 0 {
			return Raw{List: &List{Len: c.Size, Index: []int64{}}}
		}
		return Raw{List: &List{}}
	case Text:
		return Raw{}
	case Bool, Bool2:
		return Raw{B: []byte{0}}
	case DateZone:
		return Raw{B: make([]byte, 10)}
	default:
		return Raw{B: make([]byte, base.Width())}
	}
}
