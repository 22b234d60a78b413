package samediff

import (
	"encoding/binary"
	"math"
)

// buf reads a FlatBuffers buffer by the rules of section 3.1 without trusting it: what is absent, or leads outside, reads as the
// default. Positions are counted from the start of the buffer; 0 stands for nothing, as no object can lie there.
type buf []byte

// maxFlat is the largest buffer that offsets can span.
const maxFlat = math.MaxInt32

func (b buf) u16(at int64) int64 { return int64(binary.LittleEndian.Uint16(b[at:])) }
func (b buf) u32(at int64) int64 { return int64(binary.LittleEndian.Uint32(b[at:])) }
func (b buf) i32(at int64) int64 { return int64(int32(binary.LittleEndian.Uint32(b[at:]))) }
func (b buf) i64(at int64) int64 { return int64(binary.LittleEndian.Uint64(b[at:])) }
func (b buf) len() int64         { return int64(len(b)) }

// root returns the root table, or 0.
func (b buf) root() int64 {
	if len(b) < 8 {
		return 0
	}
	if r := b.u32(0); r >= 4 && r <= b.len()-4 && r%4 == 0 {
		return r
	}
	return 0
}

// vtable returns where the vtable of a table is and how many slots it has; no slots when it is unsound.
func (b buf) vtable(t int64) (v int64, slots int) {
	if t < 4 || t > b.len()-4 {
		return 0, 0
	}
	v = t - b.i32(t)
	if v < 0 || v > b.len()-4 || v%2 != 0 {
		return 0, 0
	}
	n := b.u16(v)
	if n < 4 || n%2 != 0 || v+n > b.len() {
		return 0, 0
	}
	return v, int(n-4) / 2
}

// slot returns where a field of a table is, or 0 when it is absent.
func (b buf) slot(t int64, i int) int64 {
	v, n := b.vtable(t)
	if i >= n {
		return 0
	}
	s := b.u16(v + 4 + 2*int64(i))
	if s < 4 || s >= b.u16(v+2) || t+s >= b.len() {
		return 0
	}
	return t + s
}

// ref returns what an offset field leads to, or 0.
func (b buf) ref(t int64, i int) int64 { return b.follow(b.slot(t, i)) }

// follow returns what the offset at a position leads to, or 0.
func (b buf) follow(p int64) int64 {
	if p <= 0 || p+4 > b.len() {
		return 0
	}
	u := b.u32(p)
	if u == 0 || p+u > b.len()-4 {
		return 0
	}
	return p + u
}

// vec returns where the elements of a vector field start and how many there are; ok tells that the field is there.
func (b buf) vec(t int64, i int, width int64) (at, n int64, ok bool) {
	return b.vector(b.ref(t, i), width)
}

func (b buf) vector(p, width int64) (at, n int64, ok bool) {
	if p == 0 {
		return 0, 0, false
	}
	if n = b.u32(p); p+4+n*width > b.len() {
		return 0, 0, false
	}
	return p + 4, n, true
}

// strs returns a vector of strings; what cannot be read is "".
func (b buf) strs(t int64, i int) (out []string, ok bool) {
	at, n, ok := b.vec(t, i, 4)
	for k := range n {
		s, _ := b.text(b.follow(at + 4*k))
		out = append(out, s)
	}
	return out, ok
}

// tables calls f with each table of a vector, 0 for what leads nowhere.
func (b buf) tables(t int64, i int, f func(k, table int64)) (n int64, ok bool) {
	at, n, ok := b.vec(t, i, 4)
	for k := range n {
		f(k, b.follow(at+4*k))
	}
	return n, ok
}

// str returns a string field.
func (b buf) str(t int64, i int) (s string, ok bool) { return b.text(b.ref(t, i)) }

func (b buf) text(p int64) (s string, ok bool) {
	if p == 0 || p+4+b.u32(p) > b.len() {
		return "", false
	}
	return string(b[p+4 : p+4+b.u32(p)]), true
}

// num returns a number field of 1, 4 or 8 bytes, or 0.
func (b buf) num(t int64, i, width int) int64 {
	v, _ := b.opt(t, i, width)
	return v
}

// opt is num that tells whether the field is there.
func (b buf) opt(t int64, i, width int) (v int64, ok bool) {
	p := b.slot(t, i)
	if p == 0 || p+int64(width) > b.len() {
		return 0, false
	}
	switch width {
	case 1:
		return int64(int8(b[p])), true
	case 4:
		return b.i32(p), true
	}
	return b.i64(p), true
}

// longs returns a vector of numbers of 4 or 8 bytes, at most limit of them.
func (b buf) longs(t int64, i int, width, limit int64) (out []int64, ok bool) {
	at, n, ok := b.vec(t, i, width)
	for k := range min(n, limit) {
		if width == 4 {
			out = append(out, b.i32(at+4*k))
		} else {
			out = append(out, b.i64(at+8*k))
		}
	}
	return out, ok
}

// sound tells whether a table could be one: its vtable and every slot lie where they may (section 3.2).
func (b buf) sound(t int64) bool {
	v, n := b.vtable(t)
	if v == 0 && n == 0 && (t < 4 || t > b.len()-4 || b.i32(t) != t) {
		return false
	}
	if b.u16(v) < 4 || n > 64 {
		return false
	}
	size := b.u16(v + 2)
	if size < 4 || t+size > b.len() {
		return false
	}
	for i := range n {
		if s := b.u16(v + 4 + 2*int64(i)); s != 0 && (s < 4 || s >= size) {
			return false
		}
	}
	return true
}

// isGraph is the root test of a FlatGraph (section 3.2).
func (b buf) isGraph(root int64) bool {
	if !b.sound(root) {
		return false
	}
	for _, i := range []int{graphVariables, graphNodes, graphOutputs, graphPlaceholders, graphLoss} {
		if b.slot(root, i) != 0 {
			if _, _, ok := b.vec(root, i, 4); !ok {
				return false
			}
		}
	}
	at, n, ok := b.vec(root, graphVariables, 4)
	for k := range min(n, 64) {
		t := b.follow(at + 4*k)
		if !b.sound(t) {
			return false
		}
		if _, has := b.str(t, varName); !has && b.slot(t, varName) != 0 {
			return false
		}
	}
	_, slots := b.vtable(root)
	return ok || slots > 0
}

// isContainer is the test of a ModelContainer (section 1.8).
func (b buf) isContainer(root int64) bool {
	if !b.sound(root) || !b.sound(b.ref(root, 0)) {
		return false
	}
	if _, n := b.vtable(b.ref(root, 0)); n > 3 {
		return false
	}
	if b.slot(root, 3) != 0 && !b.isGraph(b.ref(root, 3)) {
		return false
	}
	at, n, ok := b.vec(root, 1, 4)
	if b.slot(root, 1) != 0 && !ok {
		return false
	}
	for k := range min(n, 64) {
		t := b.follow(at + 4*k)
		if !b.sound(t) {
			return false
		}
		if _, slots := b.vtable(t); slots > 5 {
			return false
		}
		if _, named := b.str(t, 1); named && b.isShort(t, 1) {
			return false
		}
	}
	return b.slot(root, 1) != 0 || b.slot(root, 3) != 0
}

// isShort tells that a field is not wide enough for 8 bytes: the next one, or the end of the table, follows after 4.
func (b buf) isShort(t int64, i int) bool {
	v, n := b.vtable(t)
	s := b.slot(t, i) - t
	end := b.u16(v + 2)
	for k := range n {
		if o := b.u16(v + 4 + 2*int64(k)); o > s {
			end = min(end, o)
		}
	}
	return end-s < 8
}
