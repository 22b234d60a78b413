package idv

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"math"
	"unicode/utf16"
)

// An encoder of IDV streams, written from the reference sheet and sharing no code with the parser: it makes the samples.

// typeSpec is a type: a load name, and what it is over.
type typeSpec struct {
	load  string
	item  *typeSpec
	dims  []int32
	count uint64
}

// vecSpec is a vector value: dense when index is nil.
type vecSpec struct {
	n     int
	index []int
	items []any
}

// z is a DateTimeOffset, na a missing text.
type z struct{ minutes, ticks int64 }
type na struct{}

type metaSpec struct {
	kind  string
	typ   typeSpec
	value any
}

type columnSpec struct {
	name   string
	typ    typeSpec
	values []any
	meta   []metaSpec
	raw    [][]byte // decoded blocks as they are, instead of values
}

type fileSpec struct {
	version  uint64
	rpb      int
	deflate  bool
	rows     int64
	cols     []columnSpec
	patch    func(b []byte) []byte
	reversed bool                  // block order
	store    func(b []byte) []byte // how blocks are compressed; nil for as deflate says
}

func le(n int, v uint64) []byte { return binary.LittleEndian.AppendUint64(nil, v)[:n] }
func lenText(s string) []byte   { return append(binary.AppendUvarint(nil, uint64(len(s))), s...) }

func (t typeSpec) def() []byte {
	var p []byte
	switch t.load {
	case "VBuffer":
		p = append(t.item.def(), le(4, uint64(len(t.dims)))...)
		for _, d := range t.dims {
			p = append(p, le(4, uint64(uint32(d)))...)
		}
	case "Key2":
		p = append(t.item.def(), le(8, t.count)...)
	case "Key":
		p = append(append(append(t.item.def(), 1), le(8, 0)...), le(4, t.count)...)
	}
	return append(append(lenText(t.load), binary.AppendUvarint(nil, uint64(len(p)))...), p...)
}

func (t typeSpec) width() int {
	switch t.load {
	case "SByte", "Byte":
		return 1
	case "Int16", "UInt16":
		return 2
	case "Int32", "UInt32", "Single":
		return 4
	case "Key", "Key2":
		return t.item.width()
	}
	return 8
}

// encode writes a decoded block of values.
func (t typeSpec) encode(vs []any) (b []byte) {
	switch t.load {
	case "Single":
		for _, v := range vs {
			b = append(b, le(4, uint64(math.Float32bits(float32(v.(float64)))))...)
		}
	case "Double":
		for _, v := range vs {
			b = append(b, le(8, math.Float64bits(v.(float64)))...)
		}
	case "Boolean", "DvBool":
		bits, unit := 1, 8
		if t.load == "DvBool" {
			bits, unit = 2, 32
		}
		b = make([]byte, (len(vs)*bits+unit-1)/unit*unit/8)
		for i, v := range vs {
			x := 0
			if v == true {
				x = 1
			} else if v == (na{}) {
				x = 2
			}
			b[i*bits/8] |= byte(x << (i * bits % 8))
		}
	case "TextSpan":
		var units []uint16
		b = le(4, uint64(len(vs)))
		for _, v := range vs {
			if v == (na{}) {
				b = append(b, le(4, uint64(len(units))|1<<31)...)
				continue
			}
			units = append(units, utf16.Encode([]rune(v.(string)))...)
			b = append(b, le(4, uint64(len(units)))...)
		}
		b = append(b, lenText(string(utf16.Decode(units)))...)
	case "DateTimeOffset", "DvDateTimeZone":
		for _, v := range vs {
			b = append(b, le(2, uint64(v.(z).minutes))...)
		}
		for _, v := range vs {
			b = append(b, le(8, uint64(v.(z).ticks))...)
		}
	case "UInt128", "RowId", "DataViewRowId":
		for _, v := range vs {
			b = append(append(b, le(8, v.([2]uint64)[0])...), le(8, v.([2]uint64)[1])...)
		}
	case "VBuffer":
		return t.vectors(vs)
	default:
		for _, v := range vs {
			b = append(b, le(t.width(), uint64(v.(int)))...)
		}
	}
	return b
}

func (t typeSpec) vectors(vs []any) []byte {
	var lengths, counts, indices []byte
	var items []any
	size, n := 0, 0
	for i, v := range vs {
		x := v.(vecSpec)
		if i == 0 {
			size = x.n
		} else if x.n != size {
			size = 0
		}
		lengths = append(lengths, le(4, uint64(x.n))...)
		if x.index == nil {
			counts = append(counts, 255, 255, 255, 255)
		} else {
			counts = append(counts, le(4, uint64(len(x.index)))...)
			for _, j := range x.index {
				indices = append(indices, le(4, uint64(j))...)
				n++
			}
		}
		items = append(items, x.items...)
	}
	b := append(le(4, uint64(len(vs))), le(4, uint64(size))...)
	if size == 0 {
		b = append(b, lengths...)
	}
	b = append(append(append(b, counts...), le(4, uint64(n))...), indices...)
	return append(b, t.item.encode(items)...)
}

func zip1(b []byte) []byte {
	var out bytes.Buffer
	w, _ := flate.NewWriter(&out, 6)
	w.Write(b)
	w.Close()
	return out.Bytes()
}

// encode writes a stream in the order of the real writer.
func (f fileSpec) encode() []byte {
	out := make([]byte, 256)
	put := func(b []byte) uint64 {
		at := uint64(len(out))
		out = append(out, b...)
		return at
	}
	kind := byte(0)
	if f.deflate {
		kind = 1
	}
	blocks := 0
	if f.rows > 0 {
		blocks = int((f.rows-1)/int64(f.rpb)) + 1
	}
	lookups := make([][]byte, len(f.cols))
	for c := range lookups {
		lookups[c] = make([]byte, 16*blocks)
	}
	for k := range blocks {
		for i := range f.cols {
			c := i
			if f.reversed {
				c = len(f.cols) - 1 - i
			}
			col := f.cols[c]
			var b []byte
			if col.raw != nil {
				b = col.raw[k]
			} else {
				b = col.typ.encode(col.values[k*f.rpb : min((k+1)*f.rpb, len(col.values))])
			}
			z := b
			if f.deflate {
				z = zip1(b)
			}
			if f.store != nil {
				z = f.store(b)
			}
			e := append(append(le(8, put(z)), le(4, uint64(len(z)))...), le(4, uint64(len(b)))...)
			copy(lookups[c][16*k:], e)
		}
	}
	var toc []byte
	for c := range lookups {
		at := put(lookups[c])
		toc = append(toc, []byte(fmt.Sprintf("%08x", at))...) // remembered until metadata is placed
	}
	places := toc
	toc = nil
	metas := make([]uint64, len(f.cols))
	for c, col := range f.cols {
		if len(col.meta) == 0 {
			continue
		}
		dir := binary.AppendUvarint(nil, uint64(len(col.meta)))
		for _, m := range col.meta {
			b, k := m.typ.encode([]any{m.value}), byte(0)
			if z := zip1(b); f.deflate && len(z) < len(b) {
				b, k = z, 1
			}
			at := put(b)
			dir = append(append(append(dir, lenText(m.kind)...), m.typ.def()...), k)
			dir = binary.AppendUvarint(append(dir, le(8, at)...), uint64(len(b)))
		}
		metas[c] = put(dir)
	}
	for c, col := range f.cols {
		var at uint64
		fmt.Sscanf(string(places[8*c:8*c+8]), "%x", &at)
		toc = append(append(toc, lenText(col.name)...), col.typ.def()...)
		toc = binary.AppendUvarint(append(toc, kind), uint64(max(1, f.rpb)))
		toc = append(append(toc, le(8, at)...), le(8, metas[c])...)
	}
	tocAt := put(toc)
	tail := put([]byte{0, 'B', 'V', 'D', 0, 'L', 'M', 'C'})
	version := f.version
	if version == 0 {
		version = 0x0001000100010006
	}
	head := append([]byte("CML\x00DVB\x00"), le(8, version)...)
	head = append(append(append(head, le(8, version)...), le(8, tocAt)...), le(8, tail)...)
	head = append(append(head, le(8, uint64(f.rows))...), le(4, uint64(len(f.cols)))...)
	copy(out, head)
	if f.patch != nil {
		return f.patch(out)
	}
	return out
}
