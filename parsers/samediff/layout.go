package samediff

import (
	"slices"
	"sort"
)

// layout reads the vtable of a table, once for each type that uses it. It returns -1 when there is none.
func (w *walker) layout(off int64, t *table, self int32) int32 {
	v := off - w.b.i32(off)
	if v < 0 || v > w.b.len()-4 || v%2 != 0 {
		w.issue(sdf(121), off, 4, "the vtable would be at %d", v)
		return -1
	}
	if i, ok := w.ly[layoutKey{v, t}]; ok {
		return i
	}
	l := &layout{vtable: v}
	i := int32(len(w.layouts))
	w.layouts = append(w.layouts, l)
	w.ly[layoutKey{v, t}] = i
	n, size := w.b.u16(v), w.b.u16(v+2)
	ok := n >= 4 && n%2 == 0 && v+n <= w.b.len()
	if !ok {
		w.issue(sdf(122), v, 2, "a vtable of %d bytes, %d are left", n, w.b.len()-v)
		n = 4
	} else if size < 4 || off+size > w.b.len() {
		w.issue(sdf(122), v+2, 2, "tables of %d bytes, %d are left", size, w.b.len()-off)
		ok = false
	}
	if _, old := w.seen(v, objVtable, nil, 0); !old {
		w.add(obj{off: uint32(v), len: uint32(n), parent: self, elem: -1, kind: objVtable})
	}
	if !ok {
		return i
	}
	l.slots, l.size = min(int(n-4)/2, maxSlots), size
	w.places(l, t)
	l.kids = l.parts()
	return i
}

// places lays the fields of a table out, in the order of the file.
func (w *walker) places(l *layout, t *table) {
	var found []place
	for id := range l.slots {
		at := l.vtable + 4 + 2*int64(id)
		switch s := w.b.u16(at); {
		case s == 0:
		case s < 4:
			w.issue(sdf(125), at, 2, "slot %d of %s is %d: inside the offset to the vtable", id, t.name, s)
		case s >= l.size:
			w.issue(sdf(124), at, 2, "slot %d of %s is %d, tables have %d bytes", id, t.name, s, l.size)
		case id < len(t.slots):
			p := place{&t.slots[id], id, s, t.slots[id].inline()}
			if s+p.width > l.size {
				w.issue(sdf(124), at, 2, "%s: %d bytes at %d, tables have %d", t.slots[id].name, p.width, s, l.size)
				l.skip(p)
				continue
			}
			found = append(found, p)
		default:
			w.unknown++
			w.issue(sdf(134), at, 2, "slot %d of %s is not in the schema", id, t.name)
			found = append(found, place{nil, id, s, 0})
		}
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].start < found[j].start })
	end := int64(4)
	for i, p := range found {
		next := l.size
		if i+1 < len(found) {
			next = found[i+1].start
		}
		if p.slot == nil {
			p.width = next - p.start
		}
		if p.start < end || p.width == 0 {
			w.issue(sdf(125), l.vtable+4+2*int64(p.id), 2, "slot %d of %s overlaps another", p.id, t.name)
			l.skip(p)
			continue
		}
		l.fields = append(l.fields, p)
		end = p.start + p.width
	}
}

func (l *layout) skip(p place) {
	if p.slot != nil && p.slot.offset() {
		l.skipped = append(l.skipped, p.id)
	}
}

// reread counts what it costs to read bytes as an object that the walk does not place, as they belong to another: who reads the
// graph follows every offset.
func (w *walker) reread(off int64, kind objKind, t *table, width int64, depth int) {
	if off == 0 || depth > maxDepth {
		return
	}
	switch kind {
	case objTable:
		if !w.spend(off, 16*tableCost) {
			return
		}
		for i := range t.slots {
			if s := &t.slots[i]; s.offset() {
				w.reread(w.b.ref(off, i), s.kind(), s.table, s.width, depth+1)
			}
		}
	case objOffsets:
		at, n, _ := w.b.vector(off, 4)
		of := objString
		if t != nil {
			of = objTable
		}
		for i := int64(0); i < n && w.spend(off, 4); i++ {
			w.reread(w.b.follow(at+4*i), of, t, width, depth+1)
		}
	default:
		_, n, _ := w.b.vector(off, max(1, width))
		w.spend(off, 16+n*max(1, width))
	}
}

// tile puts the objects in the order of the file and gives every byte between them to one.
func (w *walker) tile(limit func(end int64) int64) {
	keys := make([]uint64, len(w.objs))
	for i, o := range w.objs {
		keys[i] = uint64(o.off)<<32 | uint64(i)
	}
	slices.Sort(keys)
	w.at, w.ly = nil, nil
	at, zeros := int64(0), int64(maxZeros)
	for _, k := range keys {
		i := int32(uint32(k))
		o := w.objs[i]
		if int64(o.off) < at {
			w.issue(sdf(132), int64(o.off), int64(o.len), "%s lies inside another object", kindNames[o.kind])
			continue
		}
		w.gap(at, int64(o.off), &zeros)
		w.order = append(w.order, i)
		at = int64(o.off) + int64(o.len)
	}
	if limit != nil {
		w.size = limit(at)
	}
	w.extent = min((at+7)&^7, w.size)
	w.gap(at, w.extent, &zeros)
	w.gap(max(at, w.extent), w.size, &zeros)
}

// gap makes an object of bytes that nothing refers to: padding when they are zero.
func (w *walker) gap(from, to int64, zeros *int64) {
	if from >= to {
		return
	}
	kind := objPad
	look := min(to-from, *zeros)
	if *zeros -= look; !allZero(w.b[from : from+look]) {
		kind = objOrphan
		w.issue(sdf(135), from, to-from, "%d bytes that nothing refers to", to-from)
	}
	w.order = append(w.order, int32(len(w.objs)))
	w.objs = append(w.objs, obj{off: uint32(from), len: uint32(to - from), parent: -1, elem: -1, kind: kind})
}

func allZero(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}
