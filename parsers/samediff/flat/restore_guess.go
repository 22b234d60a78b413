package flat

import (
	"slices"
	"unicode/utf8"
)

// guessing reconstructs the vtable of tables whose fields are in slot order from their end: which are absent is tried.
type guessing struct {
	*restoring
	typ    *Table
	tables []int64
	left   int // how many fields may still be tried

	best shape
	most int
}

const (
	maxGuesses = 1 << 15 // fields that are tried
	maxGuessed = 96      // bytes of a table
	fewGuessed = 16      // tables that are examined
)

// guess returns the vtable that makes most sense of tables, and how much; 0 for none.
func (r *restoring) guess(typ *Table, tables []int64) (shape, int) {
	g := &guessing{restoring: r, typ: typ, tables: tables[:min(len(tables), fewGuessed)], left: maxGuesses}
	bound := int64(maxGuessed) // the end of the shortest of the tables
	for _, t := range g.tables {
		end := r.whole
		if i, _ := slices.BinarySearch(r.starts, t+1); i < len(r.starts) {
			end = min(end, r.starts[i])
		}
		bound = min(bound, end-t)
	}
	for size := bound &^ 3; size > 4; size -= 4 {
		g.place(shape{size: size, slots: make([]int64, len(typ.Slots))}, 0, size, 0)
	}
	return g.best, g.most
}

// place places any of the slots from one on before an end, and keeps the vtable that makes most sense; of equally
// good ones the first.
func (g *guessing) place(s shape, from int, end int64, sense int) {
	if end < 8 {
		if sense += int(s.size) / 4 * len(g.tables); sense > g.most {
			g.best, g.most = s, sense
		}
		return
	}
	for slot := from; slot < len(g.typ.Slots); slot++ {
		w := g.typ.Slots[slot].inline()
		at := end - w
		at -= ((g.tables[0]+at)%w + w) % w
		if n, ok := g.stands(slot, at); ok {
			next := shape{size: s.size, slots: slices.Clone(s.slots)}
			next.slots[slot] = at
			g.place(next, slot+1, at, sense+n)
		}
	}
}

// stands tells whether a field can be at a place of all tables, and the strength of the evidence.
func (g *guessing) stands(slot int, place int64) (sense int, ok bool) {
	if g.left--; g.left < 0 || place < 4 {
		return 0, false
	}
	for _, t := range g.tables {
		n, ok := g.means(t+place, &g.typ.Slots[slot])
		if !ok {
			return 0, false
		}
		sense += n
	}
	return sense, true
}

// maxCarved is how many bytes are searched for unreferenced tables.
const maxCarved = 16 << 20

// Carve finds tables that look like variables and operations in a graph with a lost root, by the slots of the root.
func (b Buffer) Carve() map[int][]int64 {
	lists := map[int][]int64{}
	for t := int64(8); t < min(b.Len()-4, maxCarved); t += 4 {
		_, slots := b.Vtable(t)
		if slots < 5 || slots > 24 || !b.Sound(t) {
			continue
		}
		name, ok := b.Str(t, VarName)
		if !ok || name == "" || len(name) > 1<<12 || !utf8.ValidString(name) {
			continue
		}
		switch _, isNode := b.Strs(t, NodeOutputs); {
		case slots > 15 && isNode:
			lists[GraphNodes] = append(lists[GraphNodes], t)
		case slots <= 10 && b.Sound(b.Ref(t, VarID)):
			lists[GraphVariables] = append(lists[GraphVariables], t)
		}
	}
	return lists
}
