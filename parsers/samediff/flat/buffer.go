package flat

import (
	"encoding/binary"
	"iter"
	"math"
)

// Buffer reads a FlatBuffers buffer by the rules of section 3.1 without trusting it: what is absent, or leads outside, reads as the
// default. Positions are counted from the start of the buffer; 0 means none, because no object can be there.
type Buffer []byte

// MaxSize is the largest buffer that offsets can span.
const MaxSize = math.MaxInt32

func (b Buffer) U16(at int64) int64 { return int64(binary.LittleEndian.Uint16(b[at:])) }
func (b Buffer) U32(at int64) int64 { return int64(binary.LittleEndian.Uint32(b[at:])) }
func (b Buffer) I32(at int64) int64 { return int64(int32(binary.LittleEndian.Uint32(b[at:]))) }
func (b Buffer) I64(at int64) int64 { return int64(binary.LittleEndian.Uint64(b[at:])) }
func (b Buffer) Len() int64         { return int64(len(b)) }

// Root returns the root table, or 0.
func (b Buffer) Root() int64 {
	if len(b) < 8 {
		return 0
	}
	if r := b.U32(0); r >= 4 && r <= b.Len()-4 && r%4 == 0 {
		return r
	}
	return 0
}

// Vtable returns the place of a table's vtable and its number of slots; no slots if it is invalid.
func (b Buffer) Vtable(t int64) (v int64, slots int) {
	if t < 4 || t > b.Len()-4 {
		return 0, 0
	}
	v = t - b.I32(t)
	if v < 0 || v > b.Len()-4 || v%2 != 0 {
		return 0, 0
	}
	n := b.U16(v)
	if n < 4 || n%2 != 0 || v+n > b.Len() {
		return 0, 0
	}
	return v, int(n-4) / 2
}

// Slot returns the place of a table's field, or 0 if it is absent.
func (b Buffer) Slot(t int64, i int) int64 {
	v, n := b.Vtable(t)
	if i >= n {
		return 0
	}
	s := b.U16(v + 4 + 2*int64(i))
	if s < 4 || s >= b.U16(v+2) || t+s >= b.Len() {
		return 0
	}
	return t + s
}

// Ref returns the target of an offset field, or 0.
func (b Buffer) Ref(t int64, i int) int64 { return b.Follow(b.Slot(t, i)) }

// Follow returns the target of the offset at a position, or 0.
func (b Buffer) Follow(p int64) int64 {
	if p <= 0 || p+4 > b.Len() {
		return 0
	}
	u := b.U32(p)
	if u == 0 || p+u > b.Len()-4 {
		return 0
	}
	return p + u
}

// Vec returns where the elements of a vector field start and how many there are; ok means that the field exists.
func (b Buffer) Vec(t int64, i int, width int64) (at, n int64, ok bool) {
	return b.Vector(b.Ref(t, i), width)
}

func (b Buffer) Vector(p, width int64) (at, n int64, ok bool) {
	if p == 0 {
		return 0, 0, false
	}
	if n = b.U32(p); p+4+n*width > b.Len() {
		return 0, 0, false
	}
	return p + 4, n, true
}

// sharing is how many times the length of the buffer the strings of a vector may have in total.
const sharing = 8

// Strs returns a vector of strings; an unreadable one is "", and so are all others once the strings, which may share the same bytes
// many times, are together too long.
func (b Buffer) Strs(t int64, i int) (out []string, ok bool) {
	at, n, ok := b.Vec(t, i, 4)
	left := sharing * b.Len()
	for k := range n {
		s := ""
		if p := b.Follow(at + 4*k); p != 0 && p+4 <= b.Len() && b.U32(p) <= left {
			s, _ = b.Text(p)
		}
		left -= int64(len(s))
		out = append(out, s)
	}
	return out, ok
}

// Tables are the tables of a vector, with their indices; 0 for invalid ones.
func (b Buffer) Tables(t int64, i int) iter.Seq2[int64, int64] {
	at, n, _ := b.Vec(t, i, 4)
	return func(yield func(k, table int64) bool) {
		for k := range n {
			if !yield(k, b.Follow(at+4*k)) {
				return
			}
		}
	}
}

// looked is how many tables of a vector are examined to recognise a buffer.
const looked = 64

// list tells whether a field is a vector of valid tables that pass a test, as far as they are examined.
func (b Buffer) list(t int64, i int, test func(table int64) bool) bool {
	for k, x := range b.Tables(t, i) {
		if k == looked {
			break
		}
		if !b.Sound(x) || !test(x) {
			return false
		}
	}
	_, _, ok := b.Vec(t, i, 4)
	return ok
}

// absent tells whether a table does not have a field.
func (b Buffer) absent(t int64, i int) bool { return b.Slot(t, i) == 0 }

// Str returns a string field.
func (b Buffer) Str(t int64, i int) (s string, ok bool) { return b.Text(b.Ref(t, i)) }

// Text returns a copy of the string at p.
func (b Buffer) Text(p int64) (s string, ok bool) {
	raw, ok := b.raw(p)
	return string(raw), ok
}

// raw returns the bytes of the string at p, which may be as long as the file.
func (b Buffer) raw(p int64) (s []byte, ok bool) {
	if p == 0 || p+4+b.U32(p) > b.Len() {
		return nil, false
	}
	return b[p+4 : p+4+b.U32(p)], true
}

// Num returns a number field of 1, 4 or 8 bytes, or 0.
func (b Buffer) Num(t int64, i, width int) int64 {
	v, _ := b.Opt(t, i, width)
	return v
}

// Opt is Num that also tells whether the field exists.
func (b Buffer) Opt(t int64, i, width int) (v int64, ok bool) {
	p := b.Slot(t, i)
	if p == 0 || p+int64(width) > b.Len() {
		return 0, false
	}
	switch width {
	case 1:
		return int64(int8(b[p])), true
	case 4:
		return b.I32(p), true
	}
	return b.I64(p), true
}

// Longs returns a vector of numbers of 4 or 8 bytes, at most limit of them.
func (b Buffer) Longs(t int64, i int, width, limit int64) (out []int64, ok bool) {
	at, n, ok := b.Vec(t, i, width)
	for k := range min(n, limit) {
		if width == 4 {
			out = append(out, b.I32(at+4*k))
		} else {
			out = append(out, b.I64(at+8*k))
		}
	}
	return out, ok
}

// Sound tells whether there may be a table: its vtable and every slot are within their limits (section 3.2).
func (b Buffer) Sound(t int64) bool {
	v, n := b.Vtable(t)
	if v == 0 && n == 0 && (t < 4 || t > b.Len()-4 || b.I32(t) != t) {
		return false
	}
	if b.U16(v) < 4 || n > 64 {
		return false
	}
	size := b.U16(v + 2)
	if size < 4 || t+size > b.Len() {
		return false
	}
	for i := range n {
		if s := b.U16(v + 4 + 2*int64(i)); s != 0 && (s < 4 || s >= size) {
			return false
		}
	}
	return true
}

// IsGraph is the root test of a FlatGraph (section 3.2).
func (b Buffer) IsGraph(root int64) bool {
	if !b.Sound(root) {
		return false
	}
	for _, i := range []int{GraphVariables, GraphNodes, GraphOutputs, GraphPlaceholders, GraphLoss} {
		if _, _, ok := b.Vec(root, i, 4); !ok && !b.absent(root, i) {
			return false
		}
	}
	if b.absent(root, GraphVariables) {
		_, slots := b.Vtable(root)
		return slots > 0
	}
	return b.list(root, GraphVariables, func(t int64) bool {
		_, named := b.Str(t, VarName)
		return named || b.absent(t, VarName)
	})
}

// IsContainer is the test of a ModelContainer (section 1.8).
func (b Buffer) IsContainer(root int64) bool {
	const header, sections, graph = 0, 1, 3
	if !b.Sound(root) || !b.Sound(b.Ref(root, header)) {
		return false
	}
	if _, n := b.Vtable(b.Ref(root, header)); n > 3 {
		return false
	}
	if !b.absent(root, graph) && !b.IsGraph(b.Ref(root, graph)) {
		return false
	}
	if b.absent(root, sections) {
		return !b.absent(root, graph)
	}
	return b.list(root, sections, func(t int64) bool {
		_, slots := b.Vtable(t)
		_, sized := b.Str(t, 1)
		return slots <= 5 && !(sized && b.isShort(t, 1))
	})
}

// HoldsGraph tells whether a buffer with a damaged root is a ModelContainer: it contains what looks like a graph.
func HoldsGraph(b Buffer) bool {
	root := b.Root()
	if _, n := b.Vtable(root); n < 4 || n > 6 || b.Vectors(root) > 1 { // its sections are where a graph has variables
		return false
	}
	g := b.Ref(root, 3)
	_, n := b.Vtable(g)
	return n >= 4 && n <= 12 && b.Vectors(g) > 1
}

// isShort tells whether a field is not wide enough for 8 bytes: the next one, or the end of the table, follows after 4.
func (b Buffer) isShort(t int64, i int) bool { return b.room(t, i) < 8 }

// room is how many bytes there are up to the next field, or to the end of the table.
func (b Buffer) room(t int64, i int) int64 {
	v, n := b.Vtable(t)
	s := b.Slot(t, i) - t
	end := b.U16(v + 2)
	for k := range n {
		if o := b.U16(v + 4 + 2*int64(k)); o > s {
			end = min(end, o)
		}
	}
	return end - s
}

// IsIndex is the root test of an ArraysSection.
func (b Buffer) IsIndex() bool {
	r := b.Root()
	return b.Sound(r) && (b.absent(r, 0) || b.list(r, 0, func(int64) bool { return true }))
}

// Vectors returns how many fields of a graph's root lead to plausible vectors of offsets: their targets come after them.
func (b Buffer) Vectors(t int64) (n int) {
	for _, i := range []int{GraphVariables, GraphNodes, GraphOutputs, GraphPlaceholders} {
		at, count, ok := b.Vec(t, i, 4)
		if !ok {
			continue
		}
		sound := true
		for k := range min(count, 16) {
			sound = sound && b.Follow(at+4*k) > 0
		}
		if sound {
			n++
		}
	}
	return n
}

// nearest is where the first target of offsets starts, with its vtable: the vector itself, whose length is not known, ends
// before that.
func nearest(b Buffer, offsets int64) int64 {
	near := b.Len()
	for p := offsets; p+4 <= near; p += 4 {
		to := b.Follow(p)
		if to <= p {
			break
		}
		near = min(near, to)
		if v, slots := b.Vtable(to); slots > 0 && v > p {
			near = min(near, v)
		}
	}
	return near
}
