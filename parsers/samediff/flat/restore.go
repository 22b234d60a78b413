package flat

import (
	"encoding/binary"
	"maps"
	"slices"
	"spandrel/model"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Tables share vtables, and writers put the vtable of a type after the first table that needs it, which is the last in the
// file: if that end is truncated or erased, no table of the type can be read, though all of their bytes exist. The vtable is
// reconstructed from the tables themselves: the places where offsets lead to valid targets, in one of the layouts that writers use.

// usualLayouts are the usual sizes of tables and the places of their fields, by slots; the commonest first.
var usualLayouts = map[string]string{
	"FlatVariable": "20|4 8 0 12 16, 24|4 8 22 12 0 16 23, 20|4 8 18 0 0 12 19, 24|4 8 22 0 12 16 23, 24|4 8 23 0 12 16, 24|4 8 12 16 20," +
		"28|8 12 6 16 20 24 7, 22|4 8 20 0 12 16 21, 24|4 8 22 12 16 20 23, 28|4 8 26 12 16 20 27," +
		"24|8 12 6 0 16 20 7, 20|8 12 6 0 0 16 7, 24|8 12 7 0 16 20",
	"FlatNode": "64|8 12 7 52 16 20 24 0 28 32 36 40 44 0 0 48, 60|8 12 7 52 16 20 24 0 28 32 36 40 44 0 0 48, 40|4 8 39 0 0 12 16 20 0 0 0 0 0 0 0 24 28 32," +
		"60|16 20 59 4 24 28 32 36 0 40 0 0 0 0 0 44 48 52, 60|8 12 7 48 16 20 0 24 28 32 36 40 0 0 44, 48|8 12 7 0 16 20 0 24 28 32 36 40 0 0 44," +
		"56|4 8 0 48 12 16 0 20 24 28 32 36 0 40 44, 52|4 8 0 44 12 16 0 20 24 28 32 36 0 0 40, 32|8 12 7 20 0 0 0 0 0 0 0 16 0 0 0," +
		"60|4 8 0 48 12 16 0 20 24 28 32 36 0 40 44, 60|4 8 0 48 12 16 20 0 24 28 32 36 40 0 0 44, 56|8 12 7 48 16 20 0 24 28 32 36 40 0 0 44," +
		"76|8 12 7 68 16 20 24 28 32 36 40 44 48 0 52 56 60 64, 72|8 12 7 64 16 20 24 28 32 36 40 44 48 0 0 52 56 60, 64|8 12 7 0 16 20 24 28 32 36 40 44 48 0 0 52 56 60",
	"FlatArray":      "16|8 12 6 7, 16|4 8 14 15, 16|4 8 15, 12|4 0 10 11, 16|8 12 7 0, 28|16 0 26 27 20 4, 36|4 0 34 35 0 0 0 0 24 16, 40|32 0 39 0 0 4 0 0 12 20, 40|36 0 34 35 0 24 0 0 16 4",
	"IntPair":        "12|4 8, 8|4 0, 8|4, 10|4 0, 10|4, 14|4 8",
	"FlatProperties": "12|4 0 0 0 0 8, 12|4 8, 16|4 0 8 0 0 0 0 12, 12|4 0 0 8, 16|4 0 0 0 0 0 8 12, 12|4 0 0 0 8, 36|4 8 12 16 20 24 28 32",
	"BufferChunk":    "20|4 16, 8|0 4, 16|8 4",
	"ArrayEntry":     "12|4 8, 12|8 4",
	"MetadataEntry":  "12|4 8, 12|8 4",
	"UpdaterState":   "16|4 8 12",
}

// shape is a vtable: the size of the tables, and the place of each slot.
type shape struct {
	size  int64
	slots []int64
}

var usualShapes = func() map[string][]shape {
	out := map[string][]shape{}
	for name, text := range usualLayouts {
		for _, one := range strings.Split(text, ",") {
			size, places, _ := strings.Cut(strings.TrimSpace(one), "|")
			s := shape{}
			s.size, _ = strconv.ParseInt(size, 10, 64)
			for _, p := range strings.Fields(places) {
				n, _ := strconv.ParseInt(p, 10, 64)
				s.slots = append(s.slots, n)
			}
			out[name] = append(out[name], s)
		}
	}
	return out
}()

// maxRestored is the longest buffer whose lost vtables are searched for.
const maxRestored = 16 << 20

// Settled is the map or, if no variable or no operation can be read because their vtables are lost, one by the schema that the
// tables fit best without them.
func (f *Map) Settled(b Buffer, root string, limit func(end int64) int64) *Map {
	at := f.RootAt()
	if b == nil || b.Len() > maxRestored || f.perKind[NoVtable]+f.perKind[BadVtable] == 0 || at < 0 {
		return f
	}
	if graph := f.GraphAt(b); graph == 0 || readable(b, graph, GraphVariables) && readable(b, graph, GraphNodes) {
		return f
	}
	var best *restoring
	for _, x := range []schema{{}, {"S2", "S2", "B"}, {"S2-", "S2", "B"}, {"D", "", "C"}, {"S1", "S1", "B"}} {
		if r := restore(b, x.tables()[root], at); best == nil || r.sense > best.sense {
			best = r
		}
	}
	gen, found := generation(best.b, f.GraphAt(best.b))
	if best.sense > 0 && &found["FlatNode"].Slots[0] != &f.Types["FlatNode"].Slots[0] {
		f = walk(b, found[root], limit, gen, found)
	}
	return f
}

// readable tells whether one of the tables of a list can be read, or there are none.
func readable(b Buffer, graph int64, slot int) bool {
	none := true
	for _, t := range b.Tables(graph, slot) {
		if b.Sound(t) {
			return true
		}
		none = false
	}
	return none
}

// Restored is the buffer with lost vtables, as far as the tables determine them. They are appended, so that existing bytes
// keep their place.
func (f *Map) Restored(b Buffer) Buffer {
	if b == nil || b.Len() > maxRestored || f.perKind[NoVtable]+f.perKind[BadVtable] == 0 || f.RootAt() < 0 {
		return b
	}
	f.restoring.Do(func() { f.restored = restore(b, f.Root, f.RootAt()).b })
	return f.restored
}

// restore looks for lost descriptions among those that are known.
func restore(b Buffer, root *Table, at int64) *restoring {
	r := &restoring{b: slices.Clone(b), whole: b.Len()}
	for range 8 {
		r.seen, r.lost, r.known, r.starts = map[int64]bool{}, map[layoutKey][]int64{}, map[*Table][]shape{}, nil
		r.walk(at, root, 0)
		slices.Sort(r.starts)
		if !r.describeAll() {
			break
		}
	}
	return r
}

// restoring is a search for lost descriptions.
type restoring struct {
	b      Buffer
	whole  int64 // bytes of the buffer, unchanged
	seen   map[int64]bool
	lost   map[layoutKey][]int64 // tables whose vtable cannot be read, by the offset of the vtable
	known  map[*Table][]shape    // tables whose vtable can be read
	starts []int64               // where something begins
	sense  int                   // how many fields the reconstructed vtables explain
}

// walk notes the tables that can be reached.
func (r *restoring) walk(t int64, typ *Table, depth int) {
	if t <= 0 || t+4 > r.whole || r.seen[t] || depth > MaxDepth || len(r.seen) > MaxObjects {
		return
	}
	r.seen[t] = true
	r.starts = append(r.starts, t)
	if !r.b.Sound(t) {
		if n := r.b.I32(t); n != 0 {
			k := layoutKey{t - n, typ}
			r.lost[k] = append(r.lost[k], t)
		}
		return
	}
	slots := r.learn(t, typ)
	for i := range min(slots, len(typ.Slots)) {
		x := &typ.Slots[i]
		if !x.IsOffset() {
			continue
		}
		if to := r.b.Ref(t, i); to != 0 && to < r.whole {
			r.starts = append(r.starts, to)
			r.follow(to, x, depth+1)
		}
	}
}

// learn notes the vtable of a table, and returns its number of slots.
func (r *restoring) learn(t int64, typ *Table) int {
	v, slots := r.b.Vtable(t)
	s := shape{size: r.b.U16(v + 2)}
	for i := range min(slots, maxSlots) {
		s.slots = append(s.slots, r.b.U16(v+4+2*int64(i)))
	}
	if !slices.ContainsFunc(r.known[typ], func(o shape) bool { return o.size == s.size && slices.Equal(o.slots, s.slots) }) {
		r.known[typ] = append(r.known[typ], s)
	}
	return slots
}

// follow walks the target of a field.
func (r *restoring) follow(to int64, x *Slot, depth int) {
	switch x.kind() {
	case TableObject:
		r.walk(to, x.table, depth)
	case OffsetsObject:
		at, n, _ := r.b.Vector(to, 4)
		for k := range n {
			if e := r.b.Follow(at + 4*k); x.table != nil {
				r.walk(e, x.table, depth)
			} else if e > 0 {
				r.starts = append(r.starts, e)
			}
		}
	}
}

// describeAll gives tables the vtables that fit them best.
func (r *restoring) describeAll() (found bool) {
	keys := slices.SortedFunc(maps.Keys(r.lost), func(a, b layoutKey) int { return int(a.vtable - b.vtable) })
	for _, k := range keys {
		if best, sense := r.best(k.table, r.lost[k]); sense > 0 {
			r.describe(r.lost[k], best)
			r.sense += sense
			found = true
		}
	}
	return found
}

// best is the vtable that makes most sense of tables, and how much: a known, a usual, or a guessed one.
func (r *restoring) best(typ *Table, tables []int64) (best shape, most int) {
	backward := r.backward()
	tried := r.known[typ]
	if !backward {
		tried = append(slices.Clip(tried), usualShapes[typ.Name]...)
	}
	for _, s := range tried {
		if n := r.fits(s, typ, tables); n > most {
			best, most = s, n
		}
	}
	if most == 0 && backward {
		return r.guess(typ, tables)
	}
	return best, most
}

// describe appends a vtable to the buffer and points tables at it.
func (r *restoring) describe(tables []int64, s shape) {
	for len(r.b)%4 != 0 {
		r.b = append(r.b, 0)
	}
	v := r.b.Len()
	r.b = binary.LittleEndian.AppendUint16(r.b, uint16(4+2*len(s.slots)))
	r.b = binary.LittleEndian.AppendUint16(r.b, uint16(s.size))
	for _, p := range s.slots {
		r.b = binary.LittleEndian.AppendUint16(r.b, uint16(p))
	}
	r.b = append(r.b, 0, 0, 0, 0)
	for _, t := range tables {
		binary.LittleEndian.PutUint32(r.b[t:], uint32(int32(t-v)))
	}
}

// backward tells whether the writer places fields in slot order from the end of tables, according to the remaining vtables.
func (r *restoring) backward() bool {
	down := 0 // how many more fields descend than ascend
	for typ, list := range r.known {
		for _, s := range list {
			down += s.descends(typ)
		}
	}
	return down > 0
}

// descends counts the four-byte fields that come before that of the previous slot, minus those that come after it.
func (s shape) descends(typ *Table) (n int) {
	last := int64(0)
	for i, place := range s.slots {
		if i >= len(typ.Slots) || place == 0 || typ.Slots[i].inline() != 4 {
			continue
		}
		if last > 0 && place > last {
			n--
		} else if last > 0 {
			n++
		}
		last = place
	}
	return n
}

// fits counts what a vtable makes sense of in tables; 0 if it is impossible for one of them.
func (r *restoring) fits(s shape, typ *Table, tables []int64) (n int) {
	if len(s.slots) > len(typ.Slots) {
		return 0
	}
	for _, t := range tables[:min(len(tables), 64)] {
		if t+s.size > r.whole {
			continue // it is truncated itself
		}
		i, _ := slices.BinarySearch(r.starts, t+1)
		if i < len(r.starts) && r.starts[i] < t+s.size {
			return 0 // something else begins in it
		}
		sense, ok := r.senseOf(s, typ, t)
		if !ok {
			return 0
		}
		n += int(s.size)/4 + sense
	}
	return n
}

// senseOf counts what a vtable makes sense of in one table; ok is false if a field cannot be where it says.
func (r *restoring) senseOf(s shape, typ *Table, t int64) (n int, ok bool) {
	for slot, place := range s.slots {
		if place == 0 {
			continue
		}
		x := &typ.Slots[slot]
		if place < 4 || place+x.inline() > s.size {
			return 0, false
		}
		sense, ok := r.means(t+place, x)
		if !ok {
			return 0, false
		}
		n += sense
	}
	return n, true
}

// means tells whether a field can be at a place, and the strength of the evidence.
func (r *restoring) means(p int64, x *Slot) (n int, ok bool) {
	switch {
	case x.Enum != nil:
		_, ok = x.Enum[uint64(r.b[p])]
		return 1, ok
	case x.Bool:
		return 1, r.b[p] <= 1
	case !x.IsOffset():
		return 1, true
	}
	to := p + r.b.U32(p)
	switch {
	case to == p || to > r.whole+maxRestored || to%4 != 0:
		return 0, false
	case to+4 > r.whole:
		return 0, true // it is truncated
	}
	count := r.b.U32(to)
	switch x.kind() {
	case StringObject:
		if to+5+count > r.whole {
			return 0, to+4+count > r.whole && count < 1<<16
		}
		text := r.b[to+4 : to+4+count]
		return 4, r.b[to+4+count] == 0 && utf8.Valid(text) && isText(text)
	case TableObject:
		return 2, r.b.I32(to) != 0 || r.zero(to)
	}
	return 2, to+4+count*max(1, x.Width) <= r.whole || count < 1<<24 && to+64 > r.whole
}

// zero tells whether bytes were erased.
func (r *restoring) zero(at int64) bool { return model.AllZero(r.b[at:min(at+64, r.whole)]) }
