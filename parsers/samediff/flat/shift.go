package flat

import "spandrel/model"

// Bytes were inserted into a buffer, or removed from it: all offsets across the place are wrong by the same amount.

const (
	maxShift  = 4096 // number of inserted or lost bytes
	maxVotes  = 96   // offsets that vote
	leastVote = 4    // of them that must agree
)

// Shift returns by how many bytes the targets of offsets are displaced, if most of the invalid offsets agree; negative: too early.
func (f *Map) Shift(b Buffer) (by int64, ok bool) {
	v := votes{count: map[int64]int{}, kinds: map[int64]map[*Slot]bool{}, within: map[int64]bool{}}
	for pos, s := range f.Offsets() {
		if pos+4 > b.Len() || s.Vec && s.kind() != OffsetsObject { // for numbers, every count that fits is equally good
			continue
		}
		if v.ask(b, pos+b.U32(pos), s); v.broken >= maxVotes {
			break
		}
	}
	by, best, second := v.winner()
	// A wrong vtable makes a single field invalid in all tables that share it.
	return by, v.within[by] && best >= leastVote && len(v.kinds[by]) > 1 && 4*best >= v.broken && (best >= 2*second || f.Late() && best >= second+2)
}

// votes are, by distance, how many of the invalid offsets would lead to a valid target there.
type votes struct {
	broken int // offsets that lead nowhere
	count  map[int64]int
	kinds  map[int64]map[*Slot]bool // fields that they are of
	within map[int64]bool           // where the target of an offset is not truncated
}

// ask lets the offset to a place vote, if it is invalid.
func (v *votes) ask(b Buffer, to int64, s *Slot) {
	if holds(b, to, s) {
		return
	}
	v.broken++
	cut := beyond(b, to, s)
	for d := int64(-maxShift); d <= maxShift; d++ {
		if d == 0 || !holds(b, to+d, s) {
			continue
		}
		if v.count[d]++; v.kinds[d] == nil {
			v.kinds[d] = map[*Slot]bool{}
		}
		v.kinds[d][s] = true
		v.within[d] = v.within[d] || !cut
	}
}

// winner is the distance with the most votes, the shorter of two, with its number of votes and that of the second.
func (v *votes) winner() (by int64, best, second int) {
	for d, n := range v.count {
		if n > best || n == best && max(d, -d) < max(by, -by) {
			d, by, n, best = by, d, best, n
		}
		second = max(second, n)
	}
	return by, best, second
}

// beyond tells whether the target of a field may be valid, and cut off: it, or its vtable, is after the end of the buffer.
// An empty list tells nothing either.
func beyond(b Buffer, at int64, s *Slot) bool {
	if at+8 > b.Len() {
		return true
	}
	switch s.kind() {
	case TableObject:
		return at-b.I32(at) > b.Len()-4
	case OffsetsObject:
		n := b.U32(at)
		return n == 0 || at+4+4*n > b.Len() || n < 1<<16 && beyond(b, at+4+b.U32(at+4), s.element())
	}
	return at+5+b.U32(at) > b.Len()
}

// holds tells whether there is a valid target of a field at a position, which is rarely a coincidence.
func holds(b Buffer, at int64, s *Slot) bool {
	if at < 4 || at+8 > b.Len() {
		return false
	}
	switch s.kind() {
	case StringObject:
		n := b.U32(at)
		end := at + 4 + n
		return n > 0 && n < 1<<12 && end < b.Len() && b[end] == 0 && isText(b[at+4:end])
	case TableObject:
		return described(b, at, s.table)
	}
	n := b.U32(at)
	if n == 0 || n > 1<<16 || at+4+4*n > b.Len() {
		return false
	}
	one := s.element()
	return holds(b, b.Follow(at+4), one) && holds(b, b.Follow(at+4*n), one)
}

// described tells whether there is a table of a type at a position, with a vtable by which it has some field, and no more bytes than its fields
// take.
func described(b Buffer, at int64, t *Table) bool {
	v, n := b.Vtable(at)
	if n == 0 || n > len(t.Slots) || v == at || !b.Sound(at) || b.U16(v+2) > 4+8*int64(n) {
		return false
	}
	return !model.AllZero(b[v+4 : v+4+2*int64(n)])
}
