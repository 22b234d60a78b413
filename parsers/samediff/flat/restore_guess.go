package flat

import "slices"

// Ways to lay out tables that are not among the usual ones. Builders place the fields of one width side by side, in the order of the slots:
// behind the offset to the description those of one byte, of four and of eight, or the other way round. Some place all fields in the order of the
// slots from the end of the table on.

// guessing makes up descriptions for tables.
type guessing struct {
	*restoring
	typ    *Table
	tables []int64
	bound  int64 // the end of the shortest of the tables
	left   int   // how many fields may still be tried

	best shape
	most int
}

const (
	maxGuesses  = 1 << 15 // fields that are tried
	maxGuessed  = 96      // bytes of a table
	fewGuessed  = 16      // tables that are looked at
	mostOfWidth = 4       // fields of one byte, or of eight
)

// guess returns the description that makes most sense of tables, and how much; 0 for none.
func (r *restoring) guess(typ *Table, tables []int64, backward bool) (shape, int) {
	g := &guessing{restoring: r, typ: typ, tables: tables[:min(len(tables), fewGuessed)], bound: maxGuessed, left: maxGuesses}
	for _, t := range g.tables {
		end := r.whole
		if i, _ := slices.BinarySearch(r.starts, t+1); i < len(r.starts) {
			end = min(end, r.starts[i])
		}
		g.bound = min(g.bound, end-t)
	}
	if backward {
		for size := g.bound &^ 3; size > 4; size -= 4 {
			g.fromEnd(shape{size: size, slots: make([]int64, len(typ.Slots))}, 0, size, 0)
		}
		return g.best, g.most
	}
	width := map[int64][]int{}
	for i := range typ.Slots {
		w := typ.Slots[i].inline()
		width[w] = append(width[w], i)
	}
	for _, ones := range subsets(width[1]) {
		for _, eights := range subsets(width[8]) {
			pads := []int64{0, 4}
			if len(eights) == 0 {
				pads = pads[:1]
			}
			for _, pad := range pads {
				g.narrowFirst(ones, width[4], eights, pad)
				g.wideFirst(ones, width[4], eights, pad)
			}
		}
	}
	return g.best, g.most
}

// subsets are all subsets of a few slots, in their order.
func subsets(list []int) (out [][]int) {
	list = list[:min(len(list), mostOfWidth)]
	for bits := range 1 << len(list) {
		var s []int
		for i, x := range list {
			if bits>>i&1 == 1 {
				s = append(s, x)
			}
		}
		out = append(out, s)
	}
	return out
}

func (g *guessing) narrowFirst(ones, fours, eights []int, pad int64) {
	s := shape{slots: make([]int64, len(g.typ.Slots))}
	at, sense := int64(4), 0
	if len(ones) > 0 {
		at = 8
	}
	if !g.put(&s, ones, at-int64(len(ones)), 1, &sense) {
		return
	}
	g.fours(s, fours, at, sense, func(s shape, at int64, sense int) {
		if g.put(&s, eights, at+pad, 8, &sense) {
			g.take(s, at+pad+8*int64(len(eights)), sense)
		}
	})
}

func (g *guessing) wideFirst(ones, fours, eights []int, pad int64) {
	s := shape{slots: make([]int64, len(g.typ.Slots))}
	sense := 0
	if !g.put(&s, eights, 4, 8, &sense) {
		return
	}
	g.fours(s, fours, 4+8*int64(len(eights))+pad, sense, func(s shape, at int64, sense int) {
		if len(ones) > 0 {
			at += 4
		}
		if g.put(&s, ones, at-int64(len(ones)), 1, &sense) {
			g.take(s, at, sense)
		}
	})
}

// fromEnd places the slots from one on, any of them, in front of a place.
func (g *guessing) fromEnd(s shape, from int, end int64, sense int) {
	if end < 8 {
		g.take(s, s.size, sense)
		return
	}
	for slot := from; slot < len(g.typ.Slots); slot++ {
		w := g.typ.Slots[slot].inline()
		at := end - w
		at -= ((g.tables[0]+at)%w + w) % w
		if at < 4 {
			continue
		}
		if n, ok := g.all(slot, at); ok {
			next := shape{size: s.size, slots: slices.Clone(s.slots)}
			next.slots[slot] = at
			g.fromEnd(next, slot+1, at, sense+n)
		}
	}
}

// put places fields of a width one behind the other.
func (g *guessing) put(s *shape, slots []int, at, width int64, sense *int) bool {
	if len(slots) > 0 {
		s.slots = slices.Clone(s.slots)
	}
	for _, slot := range slots {
		n, ok := g.all(slot, at)
		if !ok {
			return false
		}
		s.slots[slot] = at
		*sense += n
		at += width
	}
	return true
}

// fours places fields of four bytes from a place on, any of those that are left, and calls with with each choice.
func (g *guessing) fours(s shape, slots []int, at int64, sense int, with func(s shape, at int64, sense int)) {
	with(s, at, sense)
	for i, slot := range slots {
		if n, ok := g.all(slot, at); ok {
			next := shape{slots: slices.Clone(s.slots)}
			next.slots[slot] = at
			g.fours(next, slots[i+1:], at+4, sense+n, with)
		}
	}
}

// all tells whether a field can stand at a place of all tables, and how much says so.
func (g *guessing) all(slot int, place int64) (sense int, ok bool) {
	x := &g.typ.Slots[slot]
	if g.left--; g.left < 0 || place+x.inline() > g.bound {
		return 0, false
	}
	for _, t := range g.tables {
		n, ok := g.means(t+place, x)
		if !ok {
			return 0, false
		}
		sense += n
	}
	return sense, true
}

// take keeps the best description: the one that makes most sense, and of such as good as each other the first.
func (g *guessing) take(s shape, size int64, sense int) {
	if sense += int(size) / 4 * len(g.tables); sense > g.most && size > 4 && size <= g.bound {
		g.best, g.most = shape{size: size, slots: s.slots}, sense
	}
}
