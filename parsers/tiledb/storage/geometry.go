package storage

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// Well-known binary (WKB) of OGC 06-103r4: u8 byte order, u32 kind, then counts and points, each geometry of a collection with its own header.

// How many points and lists of points of a geometry are written as text, and how deep collections are followed.
const (
	mostParts  = 4000
	mostNested = 8
)

var geometries = [...]string{"", "POINT", "LINESTRING", "POLYGON", "MULTIPOINT", "MULTILINESTRING", "MULTIPOLYGON", "GEOMETRYCOLLECTION"}

// wktOf converts well-known binary to well-known text; "" if it is invalid or too large.
func wktOf(b []byte) string {
	r := &wkbReader{b: b}
	r.geometry(0, true)
	if r.bad || len(r.b) > 0 {
		return ""
	}
	return r.out.String()
}

type wkbReader struct {
	b     []byte
	order binary.ByteOrder
	out   strings.Builder
	steps int
	bad   bool
}

func (r *wkbReader) take(n int) []byte {
	if r.bad = r.bad || n > len(r.b); r.bad {
		return make([]byte, n)
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

// geometry reads one, and writes its kind before it on request.
func (r *wkbReader) geometry(depth int, named bool) (kind uint32) {
	head := r.take(1)[0]
	if r.bad = r.bad || head > 1 || depth > mostNested; r.bad {
		return 0
	}
	if r.order = binary.BigEndian; head == 1 {
		r.order = binary.LittleEndian
	}
	code := r.order.Uint32(r.take(4))
	if code&(1<<29) != 0 { // EWKB: the number of the reference system follows
		r.take(4)
	}
	marks := code>>31 | code>>29&2 // z and m, as EWKB has them
	code &= 1<<29 - 1
	if kind = code % 1000; kind == 0 || kind >= uint32(len(geometries)) || code >= 4000 {
		r.bad = true
		return 0
	}
	marks |= code / 1000 // as ISO has them
	if named {
		r.out.WriteString(geometries[kind] + [...]string{"", " Z", " M", " ZM"}[marks] + " ")
	}
	width := 2 + bits.OnesCount32(marks)
	point := func() { r.point(width) }
	switch kind {
	case 1:
		if p := r.b[:min(8*width, len(r.b))]; len(p) == 8*width && math.IsNaN(math.Float64frombits(r.order.Uint64(p))) {
			r.take(8 * width)
			r.out.WriteString("EMPTY")
			break
		}
		r.out.WriteByte('(')
		point()
		r.out.WriteByte(')')
	case 2:
		r.list(point)
	case 3:
		r.list(func() { r.list(point) })
	default:
		r.list(func() {
			if got := r.geometry(depth+1, kind == 7); kind < 7 && got != kind-3 {
				r.bad = true
			}
		})
	}
	return kind
}

// list reads a count and as many items.
func (r *wkbReader) list(item func()) {
	order := r.order
	n := order.Uint32(r.take(4))
	if n == 0 {
		r.out.WriteString("EMPTY")
	}
	for i := uint32(0); i < n && !r.bad; i++ {
		r.step()
		r.out.WriteString(map[bool]string{true: "(", false: ", "}[i == 0])
		item()
		r.order = order
	}
	if n > 0 {
		r.out.WriteByte(')')
	}
}

// step counts what has been written.
func (r *wkbReader) step() {
	if r.steps++; r.steps > mostParts {
		r.bad = true
	}
}

func (r *wkbReader) point(width int) {
	r.step()
	for i := range width {
		if i > 0 {
			r.out.WriteByte(' ')
		}
		r.out.WriteString(strconv.FormatFloat(math.Float64frombits(r.order.Uint64(r.take(8))), 'g', -1, 64))
	}
}
