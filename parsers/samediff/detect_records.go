package samediff

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"slices"

	"spandrel/model"
	"spandrel/parsers/internal/inflate"
	"spandrel/parsers/samediff/flat"
)

// readPrologue tries the prologues in the order of section 2.4. b holds at least 18 bytes.
func readPrologue(b []byte) prologue {
	read := func(code string, magic, at int64) prologue {
		p := prologue{code: code, magic: magic, at: at}
		if int64(len(b)) < at+4 {
			return p
		}
		be, le := binary.BigEndian.Uint32(b[at:]), binary.LittleEndian.Uint32(b[at:])
		p.version = be
		switch {
		case be >= 1 && be <= 255:
			p.plain = true
		case le >= 1 && le <= 255:
			p.version, p.little, p.plain = le, true, true
		}
		return p
	}
	m14, m16, m12 := read("M14", 14, 14), read("M16", 16, 16), read("M12", 12, 12)
	el := b[12] == 'E' && b[13] == 'L'
	switch {
	case !bytes.HasPrefix(b, []byte(containerMagic[:12])) && !bytes.HasPrefix(b[2:], []byte(containerMagic)):
		return m14 // it is damaged
	case b[0] == 0:
		return read("MU", 16, 16)
	case el && m14.plain:
		return m14
	case el && b[14] == 0 && b[15] == 0 && m16.plain:
		return m16
	case el:
		return m14
	}
	return m12
}

var layouts = []layoutCode{
	{"R1", 1, 9, 1, 10, 4, false, false},
	{"R2", 1, -1, 1, 9, 0, false, false},
	{"R3", 1, 9, 1, 10, 4, true, false},
	{"R4", 1, 9, 1, 10, 8, true, false},
	{"R5", 1, 1, 2, 10, 4, false, false},
	{"R6", 1, -1, 1, 9, 4, true, false},
	{"R7", 1, 9, 1, 10, 4, false, true},
	{"R8", 4, -1, 4, 12, 0, false, false},
}

// walk reads the record headers in a layout. A strict walk ends at a record with illegal flags.
func (k *framing) walk(c *model.Cursor, from int64, l layoutCode, o binary.ByteOrder, strict bool) (recs []record, state walkState) {
	end, ended := c.Base()+c.Size(), int64(0)
	for at := from; at < end; {
		if len(recs) == maxRecords {
			return recs, tooMany
		}
		b := c.PeekAt(at, l.head)
		if int64(len(b)) < l.head {
			return recs, shortHead
		}
		if len(recs) > 0 && at >= ended && model.AllZero(b) { // zeros after the last record are not a record
			rest := c.PeekAt(at, min(end-at, small))
			zeros := int64(len(rest) - len(bytes.TrimLeft(rest, "\x00")))
			if zeros == int64(len(rest)) {
				return recs, atEnd
			}
			ended = at + zeros // bytes up to here were examined
		}
		r, ok := l.record(b, at, end, o)
		if !ok || strict && r.badFlags {
			return recs, longData
		}
		recs = append(recs, r)
		at = r.end()
	}
	return recs, atEnd
}

// record reads a record header; not ok if its length leads beyond end.
func (l layoutCode) record(b []byte, at, end int64, o binary.ByteOrder) (r record, ok bool) {
	r = record{at: at, data: at + l.head, typ: uint32(b[0])}
	if l.typeLen == 4 {
		r.typ = o.Uint32(b)
	}
	n := o.Uint64(b[l.lengthAt:])
	if l.flagAt >= 0 {
		r.flags = b[l.flagAt]
		r.badFlags = r.flags&0x70 != 0 || r.code() > 2 || l.always && r.flags > 2
	}
	if l.always || l.flagAt >= 0 && r.flags&0x80 != 0 {
		r.sum = l.sum
	}
	if over := 1 + uint64(r.sum); l.inclusive && n < over {
		return r, false
	} else if l.inclusive {
		n -= over
	}
	r.size = int64(n)
	return r, n <= uint64(end-r.data) && r.size <= end-r.data-r.sum
}

// choose determines the byte order and layout of the records (section 2.4): of the walks that end at the end of the file the one that
// explains most, otherwise the longest.
func (k *framing) choose(c *model.Cursor) {
	from := k.pro.at + 4
	orders := []binary.ByteOrder{binary.BigEndian, binary.LittleEndian}
	if k.pro.little {
		orders[0], orders[1] = orders[1], orders[0]
	}
	if k.ending(c, from, orders, true) {
		return
	}
	k.layout, k.order = layouts[0], orders[0] // perhaps only one field of one record is wrong
	k.recs, k.state = k.walk(c, from, k.layout, k.order, true)
	if k.resync(c, from); k.state == atEnd || k.ending(c, from, orders, false) {
		return
	}
	most := -1
	for _, o := range orders {
		for _, l := range layouts {
			recs, state := k.walk(c, from, l, o, true)
			if n := 2*knownTypes(recs) + l.begun(c, from, recs, state, o); n > most {
				most, k.layout, k.order = n, l, o
			}
		}
	}
	k.recs, k.state = k.walk(c, from, k.layout, k.order, false)
}

// begun is 1 if the record at which a walk ends looks truncated: it has a known type, and a possible length.
func (l layoutCode) begun(c *model.Cursor, from int64, recs []record, state walkState, o binary.ByteOrder) int {
	if n := len(recs); n > 0 {
		from = recs[n-1].end()
	}
	b := c.PeekAt(from, l.head)
	if state != longData || int64(len(b)) < l.head {
		return 0
	}
	if r, _ := l.record(b, from, 0, o); !r.known() || uint64(r.size) > 1<<40 {
		return 0
	}
	if d := c.PeekAt(from+l.head, 4); len(d) < 4 || d[0]%4 != 0 || d[0] < 4 || d[1]|d[2]|d[3] != 0 {
		return 0 // its content does not begin with a table
	}
	return 1
}

// ending returns the layout and byte order of the best walk that ends where the file does; false if there is none.
func (k *framing) ending(c *model.Cursor, from int64, orders []binary.ByteOrder, strict bool) bool {
	best := []int64{-1}
	for _, o := range orders {
		for _, l := range layouts {
			recs, state := k.walk(c, from, l, o, strict)
			if state != atEnd && state != tooMany || len(recs) == 0 {
				continue
			}
			if s := k.score(c, recs, o); slices.Compare(best, s) < 0 {
				best, k.layout, k.order = s, l, o
			}
		}
	}
	if best[0] >= 0 {
		k.recs, k.state = k.walk(c, from, k.layout, k.order, false)
	}
	return best[0] >= 0
}

// maxResync is how many bytes of a section are tried as its end.
const maxResync = 4 << 20

// resync looks for the section with a wrong length or flags if the walk over the records fails: the one at which it stops, or the
// previous one. Its checksum tells where it ends, and the records after it must end where the file does.
func (k *framing) resync(c *model.Cursor, from int64) {
	if k.layout.code != "R1" || k.state != shortHead && k.state != longData {
		return
	}
	at := from
	if n := len(k.recs); n > 0 {
		at = k.recs[n-1].end()
	}
	for n := len(k.recs); n >= max(0, len(k.recs)-1); n-- {
		if n < len(k.recs) {
			at = k.recs[n].at
		}
		if r, ok := k.endOf(c, at); ok {
			if rest, state := k.walk(c, r.end(), k.layout, k.order, true); state == atEnd {
				k.recs, k.state = append(append(k.recs[:n:n], r), rest...), atEnd
				return
			}
		}
	}
}

// endOf finds the size of a record with which its checksum matches: the stated length with other flags, or another length.
func (k *framing) endOf(c *model.Cursor, at int64) (r record, ok bool) {
	head := c.PeekAt(at, k.layout.head)
	if int64(len(head)) < k.layout.head {
		return r, false
	}
	r, _ = k.layout.record(head, at, 0, k.order)
	r.sum = 4
	flags := r.flags
	b := c.PeekAt(r.data, maxResync)
	if n := uint64(r.size); len(b) >= 4 && n <= uint64(len(b)-4) && k.order.Uint32(b[n:]) == crc32.ChecksumIEEE(b[:n]) {
		r.flags, r.badFlags = 0x80, false
		if inflate.FramingOf(b) == inflate.Zlib {
			r.flags = 0x81
		}
		r.wrongFlags = r.flags != flags
		return r, true
	}
	if r.badFlags || flags&0x80 == 0 {
		return r, false
	}
	sum := uint32(0)
	for n := 0; n+4 <= len(b); n++ {
		if k.order.Uint32(b[n:]) == sum && n > 0 {
			r.size = int64(n)
			return r, true
		}
		sum = crc32.Update(sum, crc32.IEEETable, b[n:n+1])
	}
	return r, false
}

// retype finds sections of unknown type that contain what a missing section would, and uncompressed sections flagged as
// compressed.
func (k *framing) retype(c *model.Cursor) {
	have := map[uint32]bool{}
	for _, r := range k.recs {
		have[r.typ] = true
	}
	for i := range k.recs {
		r := &k.recs[i]
		if r.size > small {
			continue
		}
		b := flat.Buffer(c.PeekAt(r.data, r.size))
		if r.code() > 0 && k.layout.flagAt >= 0 && inflate.FramingOf(b) == inflate.Raw && k.holds(r.typ, b) {
			r.flags, r.wrongFlags = r.flags&^15, true
		}
		if r.typ <= shardInfo || r.code() != 0 {
			continue
		}
		if found := k.lost(b, have); len(found) == 1 {
			r.typ, r.wrongType, have[found[0]] = found[0], true, true
		}
	}
}

// lost are the types of missing sections that a payload may belong to.
func (k *framing) lost(b flat.Buffer, have map[uint32]bool) (found []uint32) {
	for typ := uint32(header); typ <= shardInfo; typ++ {
		if !have[typ] && k.holds(typ, b) {
			found = append(found, typ)
		}
	}
	return found
}

// holds tells whether a payload is what a section of a type usually contains.
func (k *framing) holds(typ uint32, b flat.Buffer) bool {
	root := b.Root()
	_, slots := b.Vtable(root)
	switch typ {
	case header:
		format, count := readHeader(b)
		return b.Sound(root) && slots <= 3 && format == int64(k.pro.version) && count == int64(len(k.recs))
	case graphs:
		return b.IsGraph(root) && slots > 4 && (b.Slot(root, flat.GraphVariables) != 0 || b.Slot(root, flat.GraphNodes) != 0)
	case arraysType:
		return len(b) >= 8 && k.order.Uint64(b) <= uint64(len(b)-8) && b[8:8+k.order.Uint64(b)].IsIndex()
	case shardInfo:
		kind, ok := b.Str(root, 2)
		return b.Sound(root) && slots == 4 && ok && (kind == "graph" || kind == "weights")
	}
	entries, n, ok := b.Vec(root, 0, 4)
	if !b.Sound(root) || slots != 1 || !ok || n == 0 {
		return false
	}
	_, key := b.Str(b.Follow(entries), 0)
	_, value := b.Str(b.Follow(entries), 1)
	return key && value
}

func knownTypes(recs []record) (n int) {
	for _, r := range recs {
		if r.typ <= 4 {
			n++
		}
	}
	return n
}

// front inflates the first MiB of a stream.
func (k *framing) front(z []byte) flat.Buffer {
	out := inflate.Front(inflate.FramingOf(z), z, min(small, fronts-k.fronts))
	k.fronts += int64(len(out))
	return out
}

// score rates a walk that ends where the file does.
func (k *framing) score(c *model.Cursor, recs []record, o binary.ByteOrder) []int64 {
	var sums, graph, first int64
	budget := int64(16 << 20)
	for _, r := range recs {
		if r.sum > 0 && r.size <= small && budget > 0 {
			if budget -= r.size; r.summed(c, o) {
				sums++
			}
		}
		if r.typ == 2 && graph == 0 && k.holdsGraph(c, r, o) {
			graph = 1
		}
	}
	if recs[0].typ == 0 {
		first = 1
	}
	return []int64{1, sums, graph, first, int64(knownTypes(recs))}
}

// summed tells whether the checksum of a record matches.
func (r record) summed(c *model.Cursor, o binary.ByteOrder) bool {
	sum := uint64(crc32.ChecksumIEEE(c.PeekAt(r.data, r.size)))
	b := c.PeekAt(r.data+r.size, r.sum)
	if len(b) < int(r.sum) {
		return false
	}
	if r.sum == 8 {
		return o.Uint64(b) == sum
	}
	return uint64(o.Uint32(b)) == sum
}

// holdsGraph tells whether the bytes of a record are those of a graph.
func (k *framing) holdsGraph(c *model.Cursor, r record, o binary.ByteOrder) bool {
	b := flat.Buffer(c.PeekAt(r.data, min(r.size, flat.MaxSize)))
	if r.code() == 1 {
		if b = k.front(b); b.Root() != 0 {
			return true
		}
	}
	return b.IsGraph(b.Root()) || bytes.HasPrefix(b, []byte("SDNB")) || behind(b, o, 8) || behind(b, o, 4)
}

// readHeader returns format_version and section_count of a HEADER payload, -1 for missing ones.
func readHeader(payload []byte) (format, count int64) {
	format, count = -1, -1
	b := flat.Buffer(payload)
	if t := b.Root(); t != 0 && b.Sound(t) {
		if sub := b.Ref(t, 0); sub != 0 && b.Sound(sub) {
			t = sub // a ModelContainer
		}
		if v, ok := b.Opt(t, 0, 4); ok {
			format = v
		}
		if v, ok := b.Opt(t, 1, 4); ok {
			count = v
		}
		return format, count
	}
	j := struct {
		Format int64 `json:"format_version"`
		Count  int64 `json:"section_count"`
	}{-1, -1}
	if len(payload) > 0 && payload[0] == '{' && json.Unmarshal(payload, &j) == nil {
		return j.Format, j.Count
	}
	return -1, -1
}

// behind tells whether b is a length of w bytes followed by a graph of that length.
func behind(b flat.Buffer, o binary.ByteOrder, w int64) bool {
	if b.Len() < w+12 {
		return false
	}
	size := uint64(o.Uint32(b))
	if w == 8 {
		size = o.Uint64(b)
	}
	in := b[w:]
	return size == uint64(in.Len()) && in.IsGraph(in.Root())
}
