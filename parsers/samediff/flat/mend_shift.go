package flat

import "slices"

// Bytes that were put into a buffer, or taken out of it: offsets from in front of them to behind them lead as much too far, or too short, all of them.

const (
	maxShift  = 4096 // bytes that came in or were lost
	maxVotes  = 96   // offsets that are asked
	leastVote = 4    // of them that must agree
)

// Shift tells by how many bytes what offsets lead to stands too late, where most of those that lead nowhere agree on it; less than 0: too early.
func (f *Map) Shift(b Buffer) (by int64, ok bool) {
	votes, kinds, broken := map[int64]int{}, map[int64]map[*Slot]bool{}, 0
	within := map[int64]bool{} // where what an offset leads to is not cut off
	pointers(f, b, func(pos int64, s *Slot) bool {
		to := pos + b.U32(pos)
		if s.Vec && s.kind() != OffsetsObject || holds(b, to, s) {
			return true // of numbers all counts that fit are as good
		}
		broken++
		cut := beyond(b, to, s)
		for d := int64(-maxShift); d <= maxShift; d++ {
			if d != 0 && holds(b, to+d, s) {
				if votes[d]++; kinds[d] == nil {
					kinds[d] = map[*Slot]bool{}
				}
				kinds[d][s] = true
				within[d] = within[d] || !cut
			}
		}
		return broken < maxVotes
	})
	best, second := 0, 0
	for d, n := range votes {
		switch {
		case n > best || n == best && max(d, -d) < max(by, -by):
			by, best, second = d, n, max(second, best)
		default:
			second = max(second, n)
		}
	}
	// One field alone leads astray in all tables that share a description which is wrong.
	return by, within[by] && best >= leastVote && len(kinds[by]) > 1 && 4*best >= broken && (best >= 2*second || f.Late() && best >= second+2)
}

// beyond tells whether what a field refers to may be right, and be cut off: it lies behind the end of the buffer, or the description of its fields
// does. A list of nothing says nothing either.
func beyond(b Buffer, at int64, s *Slot) bool {
	if at+8 > b.Len() {
		return true
	}
	switch s.kind() {
	case TableObject:
		return at-b.I32(at) > b.Len()-4
	case OffsetsObject:
		n, one := b.U32(at), *s
		one.Vec = false
		return n == 0 || at+4+4*n > b.Len() || n < 1<<16 && beyond(b, at+4+b.U32(at+4), &one)
	}
	return at+5+b.U32(at) > b.Len()
}

// pointers calls f with the offsets of the tables and lists that the walk placed, until it returns false.
func pointers(f *Map, b Buffer, each func(pos int64, s *Slot) bool) {
	for i := range f.Objs {
		switch o := &f.Objs[i]; {
		case o.Kind == TableObject && o.Layout >= 0:
			for _, p := range f.Layouts[o.Layout].Fields {
				if at := int64(o.Off) + p.Start; p.Slot != nil && p.Slot.IsOffset() && at+4 <= b.Len() && !each(at, p.Slot) {
					return
				}
			}
		case o.Kind == OffsetsObject:
			s := *f.SlotOf(*o)
			s.Vec = false
			for at := int64(o.Off) + 4; at+4 <= min(int64(o.Off)+int64(o.Len), b.Len()); at += 4 {
				if !each(at, &s) {
					return
				}
			}
		}
	}
}

// holds tells whether there is at a position what a field refers to, so that chance rarely makes it so.
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
		v, n := b.Vtable(at)
		if n == 0 || v == at || !b.Sound(at) || b.U16(v+2) > 4+8*int64(n) {
			return false
		}
		used := 0
		for i := range n {
			if b.U16(v+4+2*int64(i)) != 0 {
				used++
			}
		}
		return used > 0 && n <= len(s.table.Slots)
	}
	n := b.U32(at)
	if n == 0 || n > 1<<16 || at+4+4*n > b.Len() {
		return false
	}
	one := *s
	one.Vec = false
	return !slices.ContainsFunc([]int64{0, n - 1}, func(i int64) bool { return !holds(b, b.Follow(at+4+4*i), &one) })
}
