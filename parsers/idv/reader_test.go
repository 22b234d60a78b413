package idv

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"unicode/utf16"
)

// A strict reader of IDV streams, written from the reference sheet and sharing no code with the parser: edited files must
// satisfy it.

// parsed is what the strict reader made of a stream.
type parsed struct {
	rows int64
	cols []columnSpec
}

// fileReader reads bytes; a fault panics with an error that names the place.
type fileReader struct {
	b   []byte
	pos int
}

func (r *fileReader) take(n int) []byte {
	if n < 0 || n > len(r.b)-r.pos {
		panic(fmt.Errorf("%d bytes needed at %d of %d", n, r.pos, len(r.b)))
	}
	r.pos += n
	return r.b[r.pos-n : r.pos]
}
func (r *fileReader) num(n int) uint64 {
	var v uint64
	for i, x := range r.take(n) {
		v |= uint64(x) << (8 * i)
	}
	return v
}
func (r *fileReader) i32() int { return int(int32(r.num(4))) }
func (r *fileReader) uleb() int {
	v, n := binary.Uvarint(r.b[r.pos:])
	if n <= 0 {
		panic(fmt.Errorf("a variable-length number at %d", r.pos))
	}
	r.pos += n
	return int(v)
}
func (r *fileReader) text() string { return string(r.take(r.uleb())) }

func (r *fileReader) typ() (t typeSpec) {
	t.load = r.text()
	end := r.uleb() + r.pos
	switch t.load {
	case "VBuffer":
		it := r.typ()
		t.item = &it
		for range r.i32() {
			t.dims = append(t.dims, int32(r.i32()))
		}
	case "Key2":
		it := r.typ()
		t.item, t.count = &it, r.num(8)
	case "Key":
		it := r.typ()
		t.item = &it
		if r.num(1) != 1 || r.num(8) != 0 {
			panic(fmt.Errorf("a legacy key"))
		}
		t.count = r.num(4)
	}
	if r.pos != end {
		panic(fmt.Errorf("parameters of %s end at %d, not %d", t.load, r.pos, end))
	}
	return t
}

// decode reads a decoded block of n values and refuses bytes left over.
func (t typeSpec) decode(b []byte, n int) []any {
	r := &fileReader{b: b}
	vs := t.values(r, n)
	if r.pos != len(b) {
		panic(fmt.Errorf("%d bytes left over in a block of %s", len(b)-r.pos, t.load))
	}
	return vs
}

func (t typeSpec) values(r *fileReader, n int) (vs []any) {
	switch t.load {
	case "Boolean":
		b := r.take((n + 7) / 8)
		for i := range n {
			vs = append(vs, b[i/8]>>(i%8)&1 == 1)
		}
	case "DvBool":
		b := r.take((n + 15) / 16 * 4)
		for i := range n {
			vs = append(vs, []any{false, true, na{}}[b[i/4]>>(i%4*2)&3])
		}
	case "TextSpan":
		if got := r.i32(); got != n {
			panic(fmt.Errorf("%d texts, not %d", got, n))
		}
		bounds := r.take(4 * n)
		units := utf16.Encode([]rune(r.text()))
		at := 0
		for i := range n {
			u := binary.LittleEndian.Uint32(bounds[4*i:])
			end := int(u & 0x7fffffff)
			if u>>31 == 1 {
				vs = append(vs, na{})
			} else {
				vs = append(vs, string(utf16.Decode(units[at:end])))
			}
			at = end
		}
		if at != len(units) {
			panic(fmt.Errorf("texts end at %d of %d", at, len(units)))
		}
	case "DateTimeOffset", "DvDateTimeZone":
		m := r.take(2 * n)
		for i := range n {
			vs = append(vs, z{int64(int16(binary.LittleEndian.Uint16(m[2*i:]))), int64(r.num(8))})
		}
	case "UInt128", "RowId", "DataViewRowId":
		for range n {
			vs = append(vs, [2]uint64{r.num(8), r.num(8)})
		}
	case "VBuffer":
		return t.readVectors(r, n)
	case "Single":
		for range n {
			vs = append(vs, float64(math.Float32frombits(uint32(r.num(4)))))
		}
	case "Double":
		for range n {
			vs = append(vs, math.Float64frombits(r.num(8)))
		}
	case "SByte", "Int16", "Int32", "Int64", "TimeSpan", "DateTime", "DvDateTime":
		for range n {
			v, w := r.num(t.width()), t.width()
			vs = append(vs, int(int64(v<<(64-8*w))>>(64-8*w)))
		}
	default:
		for range n {
			vs = append(vs, int(r.num(t.width())))
		}
	}
	return vs
}

func (t typeSpec) readVectors(r *fileReader, n int) (vs []any) {
	if got := r.i32(); got != n {
		panic(fmt.Errorf("%d vectors, not %d", got, n))
	}
	size := r.i32()
	out := make([]vecSpec, n)
	for i := range out {
		if out[i].n = size; size == 0 {
			out[i].n = r.i32()
		}
	}
	counts := make([]int, n)
	for i := range counts {
		counts[i] = r.i32()
	}
	all, items := r.i32(), 0
	for i, c := range counts {
		if c < 0 {
			items += out[i].n
			continue
		}
		out[i].index = []int{}
		for range c {
			out[i].index = append(out[i].index, r.i32())
		}
		items, all = items+c, all-c
	}
	if all != 0 {
		panic(fmt.Errorf("%d indices too many", all))
	}
	flat := t.item.values(r, items)
	for i, c := range counts {
		if c < 0 {
			c = out[i].n
		}
		out[i].items, flat = flat[:c:c], flat[c:]
		vs = append(vs, out[i])
	}
	return vs
}

func inflateAll(b []byte, kind uint64) []byte {
	if kind == 0 {
		return b
	}
	out, err := io.ReadAll(flate.NewReader(bytes.NewReader(b)))
	if err != nil {
		panic(err)
	}
	return out
}

// readStrict reads a stream as ML.NET does, and refuses what that refuses.
func readStrict(b []byte) (p parsed, err error) {
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("%v", e)
		}
	}()
	h := &fileReader{b: b}
	if string(h.take(8)) != "CML\x00DVB\x00" {
		return p, fmt.Errorf("no signature")
	}
	h.take(16)
	toc, tail, rows, cols := h.num(8), int(h.num(8)), int64(h.num(8)), h.i32()
	p.rows = rows
	if string(b[tail:tail+8]) != "\x00BVD\x00LMC" {
		return p, fmt.Errorf("no tail")
	}
	r := &fileReader{b: b, pos: int(toc)}
	for range cols {
		c := columnSpec{name: r.text(), typ: r.typ()}
		kind, rpb := r.num(1), r.uleb()
		lookup, meta := int(r.num(8)), int(r.num(8))
		l := &fileReader{b: b[:tail], pos: lookup}
		for at := int64(0); at < rows; at += int64(rpb) {
			off, n, dec := int(l.num(8)), l.i32(), l.i32()
			d := inflateAll(b[:tail][off:off+n], kind)
			if len(d) != dec {
				return p, fmt.Errorf("a block of %d bytes, not %d", len(d), dec)
			}
			c.values = append(c.values, c.typ.decode(d, int(min(int64(rpb), rows-at)))...)
		}
		if meta != 0 {
			m := &fileReader{b: b[:tail], pos: meta}
			for range m.uleb() {
				e := metaSpec{kind: m.text(), typ: m.typ()}
				kind, off := m.num(1), int(m.num(8))
				n := m.uleb()
				e.value = e.typ.decode(inflateAll(b[:tail][off:off+n], kind), 1)[0]
				c.meta = append(c.meta, e)
			}
		}
		p.cols = append(p.cols, c)
	}
	return p, nil
}
