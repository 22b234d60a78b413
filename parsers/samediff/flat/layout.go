package flat

import (
	"slices"
	"sort"
	"spandrel/model"
	"unicode/utf8"
)

// layout reads the vtable of a table, once for each type that uses it. It returns -1 if there is none.
func (w *walker) layout(off int64, t *Table, self int32) int32 {
	v := off - w.b.I32(off)
	if v < 0 || v > w.b.Len()-4 || v%2 != 0 || v == off {
		w.beyond(v + 4)
		w.issue(NoVtable, off, 4, "the vtable would be at %d", v)
		return -1
	}
	if i, ok := w.ly[layoutKey{v, t}]; ok {
		return i
	}
	l := &layout{Vtable: v}
	i := int32(len(w.Layouts))
	w.Layouts = append(w.Layouts, l)
	w.ly[layoutKey{v, t}] = i
	n, size := w.b.U16(v), w.b.U16(v+2)
	ok := n >= 4 && n%2 == 0 && v+n <= w.b.Len()
	if !ok {
		w.issue(BadVtable, v, 2, "a vtable of %d bytes, but %d are left", n, w.b.Len()-v)
		n = 4
	} else if size < 4 || off+size > w.b.Len() {
		w.issue(BadVtable, v+2, 2, "tables of %d bytes, but %d are left", size, w.b.Len()-off)
		if size >= 4 {
			w.cutOff(off, size, v, n, t)
		}
		ok = false
	}
	if _, old := w.seen(v, vtableObject, nil, 0); !old {
		w.add(object{Off: uint32(v), Len: uint32(n), parent: self, elem: -1, Kind: vtableObject})
	}
	if !ok {
		return i
	}
	l.Slots, l.Size = min(int(n-4)/2, maxSlots), size
	w.places(l, t)
	l.kids = l.parts()
	return i
}

// cutOff notes where the last field ends of a table that does not fit. If only its size is wrong, none ends after the end of the buffer.
func (w *walker) cutOff(off, size, v, n int64, t *Table) {
	for id := range min(int(n-4)/2, len(t.Slots)) {
		if s := w.b.U16(v + 4 + 2*int64(id)); s >= 4 && s+t.Slots[id].inline() <= size {
			w.beyond(off + s + t.Slots[id].inline())
		}
	}
}

// places determines the fields of a table, in file order.
func (w *walker) places(l *layout, t *Table) {
	var found []place
	for id := range l.Slots {
		at := l.Vtable + 4 + 2*int64(id)
		switch s := w.b.U16(at); {
		case s == 0:
		case s < 4:
			w.issue(SlotOverlap, at, 2, "slot %d of %s is %d: inside the offset to the vtable", id, t.Name, s)
		case s >= l.Size:
			w.issue(SlotOutside, at, 2, "slot %d of %s is %d, but tables have %d bytes", id, t.Name, s, l.Size)
		case id < len(t.Slots):
			p := place{&t.Slots[id], id, s, t.Slots[id].inline()}
			if s+p.width > l.Size {
				w.issue(SlotOutside, at, 2, "%s: %d bytes at %d, but tables have %d", t.Slots[id].Name, p.width, s, l.Size)
				l.skip(p)
				continue
			}
			found = append(found, p)
		default:
			w.Unknown++
			w.issue(UnknownSlot, at, 2, "slot %d of %s is not in the schema", id, t.Name)
			found = append(found, place{nil, id, s, 0})
		}
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].Start < found[j].Start })
	end := int64(4)
	for i, p := range found {
		next := l.Size
		if i+1 < len(found) {
			next = found[i+1].Start
		}
		if p.Slot == nil {
			p.width = next - p.Start
		}
		if p.Start < end || p.width == 0 {
			w.issue(SlotOverlap, l.Vtable+4+2*int64(p.id), 2, "slot %d of %s overlaps another", p.id, t.Name)
			l.skip(p)
			continue
		}
		l.Fields = append(l.Fields, p)
		end = p.Start + p.width
	}
}

func (l *layout) skip(p place) {
	if p.Slot != nil && p.Slot.IsOffset() {
		l.skipped = append(l.skipped, p.id)
	}
}

// reread counts the cost of reading bytes as an object that the walk does not place, because they belong to another: readers of the
// graph follow every offset.
func (w *walker) reread(off int64, kind objectKind, t *Table, width int64, depth int) {
	if off == 0 || depth > MaxDepth {
		return
	}
	switch kind {
	case TableObject:
		if !w.spend(off, 16*tableCost) {
			return
		}
		for i := range t.Slots {
			if s := &t.Slots[i]; s.IsOffset() {
				w.reread(w.b.Ref(off, i), s.kind(), s.table, s.Width, depth+1)
			}
		}
	case OffsetsObject:
		at, n, _ := w.b.Vector(off, 4)
		of := StringObject
		if t != nil {
			of = TableObject
		}
		for i := int64(0); i < n && w.spend(off, 4); i++ {
			w.reread(w.b.Follow(at+4*i), of, t, width, depth+1)
		}
	default:
		_, n, _ := w.b.Vector(off, max(1, width))
		w.spend(off, 16+n*max(1, width))
	}
}

// tile sorts the objects in file order and assigns every byte between them to one.
func (w *walker) tile(limit func(end int64) int64) {
	keys := make([]uint64, len(w.Objs))
	for i, o := range w.Objs {
		keys[i] = uint64(o.Off)<<32 | uint64(i)
	}
	slices.Sort(keys)
	w.at, w.ly = nil, nil
	w.order = make([]int32, 0, len(keys))
	at, zeros := int64(0), int64(maxZeros)
	for _, k := range keys {
		i := int32(uint32(k))
		o := w.Objs[i]
		if int64(o.Off) < at {
			w.issue(Conflict, int64(o.Off), int64(o.Len), "%s is inside another object", kindNames[o.Kind])
			continue
		}
		at = w.unended(at, int64(o.Off))
		w.gap(at, int64(o.Off), &zeros)
		w.order = append(w.order, i)
		at = int64(o.Off) + int64(o.Len)
	}
	if limit != nil {
		w.Size = limit(at)
	}
	at = w.unended(at, w.Size)
	w.Extent = min((at+7)&^7, w.Size)
	w.gap(at, w.Extent, &zeros)
	w.gap(max(at, w.Extent), w.Size, &zeros)
}

// unended gives the text that ends at a place without a terminating zero the byte after it, if nothing else begins there and the text cannot continue
// with it: it was the zero.
func (w *walker) unended(at, next int64) int64 {
	next = min(next, w.b.Len())
	if len(w.order) == 0 || w.order[len(w.order)-1] < 0 || at >= next {
		return at
	}
	o := &w.Objs[w.order[len(w.order)-1]]
	if o.Kind != StringObject || o.Layout == 1 || !model.AllZero(w.b[at+1:min(next, (at+4)&^3)]) {
		return at
	}
	longer := at+1 < next && isText(w.b[at:at+1])
	if longer || !utf8.Valid(w.b[o.Off+4:at]) {
		return at
	}
	o.Len, o.Layout = o.Len+1, 1
	return at + 1
}

// gap makes an object of unreferenced bytes: padding if they are zero.
func (w *walker) gap(from, to int64, zeros *int64) {
	if from >= to {
		return
	}
	g := gap{uint32(from), uint32(to - from)}
	look := min(to-from, *zeros)
	if *zeros -= look; !model.AllZero(w.b[from : from+look]) {
		g.n |= orphaned
		if !w.Crowded { // or unknown
			w.issue(Unreached, from, to-from, "%d bytes that nothing refers to", to-from)
		}
	}
	w.order = append(w.order, ^int32(len(w.gaps)))
	w.gaps = append(w.gaps, g)
}
