package fragment

import (
	"encoding/binary"
	"sort"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/rule"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// Read reads a whole fragment metadata file.
func (r Reader) Read(c *model.Cursor) *Metadata {
	m := &Metadata{Footer: &Footer{}, Leaves: -1}
	size := c.Left()
	head := c.Peek(storage.HeaderBytes)
	if len(head) < storage.HeaderBytes {
		c.Wrong(rule.HeaderCut, nil, filter.Text(size)+" bytes", "a generic tile and a footer")
		return m
	}
	version := binary.LittleEndian.Uint32(head)
	if storage.IsLegacy(head, size) {
		r.readLegacyMeta(c, m)
		return m
	}
	if version == 0 {
		version = footerVersion(c, size)
	}
	if version <= 2 {
		r.readOldMeta(c, m)
		return m
	}
	end := size
	var named *schema.Schema // it shows whether the footer of an old version has a length
	if version < 10 {
		named = r.Schemas.Schema(c.Context(), schema.OldSchema)
	}
	switch {
	case named != nil && !footerHasLength(storage.Layout(version), named):
		if n := footerSize(c.Context(), version, named); n <= size {
			c.At(c.Base()+size-n, func(c *model.Cursor) { m.Footer = r.readFooter(c, n, FooterF) })
			end -= n
		}
	case version >= 10 || named != nil:
		b := c.PeekAt(c.Base()+size-8, 8)
		n := int64(min(binary.LittleEndian.Uint64(b), 1<<62))
		end = r.readMeasured(c, m, n, version)
	case !r.Schemas.HasSchema(schema.OldSchema): // an unreadable one has been reported
		c.Wrong(rule.OldSchemaMissing, nil, "no "+schema.OldSchema, "the schema of the array")
	}
	// The footer alone states the number of cells: the lists wait until someone needs them.
	m.ListsAt = c.Frame(listsF, end, func(c *model.Cursor) {
		if m.Complete {
			r.readTiles(c, m, end)
		} else {
			r.readUnknownLists(c)
		}
	})
	if c.Tree().Snapshot.Primary != "" {
		storage.OpenNow(c, m.ListsAt)
	}
	return m
}

// footerVersion is the version in a footer that the end of a file of size bytes leads to; 0 if it leads to none. The first list of such a file may
// be damaged.
func footerVersion(c *model.Cursor, size int64) uint32 {
	end := c.PeekAt(c.Base()+size-8, 8)
	if len(end) < 8 || binary.LittleEndian.Uint64(end) > uint64(size-8) {
		return 0
	}
	b := c.PeekAt(c.Base()+size-8-int64(binary.LittleEndian.Uint64(end)), 4)
	if len(b) < 4 {
		return 0
	}
	if v := binary.LittleEndian.Uint32(b); storage.Layout(v) >= 10 && storage.Layout(v) <= storage.VersionNewest {
		return v
	}
	return 0
}

// readMeasured reads the footer of a file that ends with its length, n, and returns where it begins.
func (r Reader) readMeasured(c *model.Cursor, m *Metadata, n int64, version uint32) (end int64) {
	size := c.Left()
	found := r.lostLength(c, n, size, version)
	switch end = size - 8 - n; {
	case found > 0:
		end = size - 8 - found
		c.At(c.Base()+end, func(c *model.Cursor) {
			m.Footer = r.readFooter(c, found, FooterF)
			at := c.Field(fLength)
			c.LengthOf(at, m.Self).When(false)
			c.Wrong(rule.FooterLength, at, nil, model.I(found), model.Saying("the length of the fragment's footer is lost: its lists end %d bytes before it", found))
		})
	case n > size-8:
		end = size - 8
		c.At(c.Base()+end, func(c *model.Cursor) {
			c.Wrong(rule.FooterLength, c.Field(fLength), n, "at most "+filter.Text(size-8))
		})
	default:
		c.At(c.Base()+end, func(c *model.Cursor) {
			m.Footer = r.readFooter(c, n, FooterF)
			c.LengthOf(c.Field(fLength), m.Self)
		})
	}
	return end
}

// lostLength is the length of the footer of a file of size bytes, if the number at its end leads to no footer and everything else determines it; 0
// otherwise.
func (r Reader) lostLength(c *model.Cursor, n, size int64, version uint32) int64 {
	if n <= size-8 {
		if b := c.PeekAt(c.Base()+size-8-n, 4); n >= 4 && len(b) == 4 && binary.LittleEndian.Uint32(b) == version {
			return 0
		}
	}
	t := c.Tree()
	in, err := t.Snapshot.Content(t.FileName(c.Range(c.Base(), size)))
	if err != nil || in.Len() != size {
		return 0
	}
	return max(0, footerFound(c.Context(), r.Schemas, in))
}

// readUnknownLists walks consecutive generic tiles for which no footer says what they are.
func (r Reader) readUnknownLists(c *model.Cursor) {
	for i := 0; i < 1<<16 && c.Left() > storage.LeastTile; i++ {
		n := storage.ListLength(c.Peek(storage.HeaderBytes))
		if n > c.Left() || storage.TileSure(c.Peek(storage.Eager), n) < 80 { // a footer without length
			break
		}
		c.Frame(listF.Named("tile[%d]", i), n, func(c *model.Cursor) {
			storage.ReadTile(c, r.Lock, storage.PayloadF, func(c *model.Cursor, _ *storage.GenericTile) { c.Rest(fSectData) })
		})
	}
}

// place is a generic tile that the footer names.
type place struct {
	off   uint64
	at    model.Node // of the offset
	elem  int        // in a list of offsets; -1 for a single one
	field *model.Field
	body  func(*model.Cursor)
	keep  func(model.Node)
}

// readTiles makes frames of the generic tiles that the footer names, in file order. They end before end.
func (r Reader) readTiles(c *model.Cursor, m *Metadata, end int64) {
	places := m.places()
	sort.SliceStable(places, func(i, j int) bool { return places[i].off < places[j].off })
	at, wrong := uint64(0), false
	ours := m.checkVersions(c, places, end)
	for i, p := range places {
		length := listSize(c, places, i, end)
		if p.off < at || length > end-int64(min(p.off, uint64(end))) {
			at := p.at.Range
			if p.elem >= 0 {
				at.Off, at.Len = at.Off+8*int64(p.elem), 8
			}
			wrong = true // the offset that it should contain is never reached
			c.Wrong(rule.OffsetLeadsNowhere, model.Spot{Span: p.at.Span, Range: at}, p.off, "the start of a generic tile before the footer")
			continue
		}
		if p.off > at && !wrong {
			unreached(c, at, p.off)
		}
		c.At(c.Base()+int64(p.off), func(c *model.Cursor) { r.readTile(c, m, p, length, ours) })
		at = p.off + uint64(length)
	}
	if h := c.PeekAt(c.Base()+int64(at), storage.HeaderBytes); m.Version == 15 && !wrong && storage.ListLength(h) == end-int64(at) {
		c.At(c.Base()+int64(at), func(c *model.Cursor) { // version 15 writes it, and no offset to it
			c.Frame(DoneTile, end-int64(at), func(c *model.Cursor) {
				storage.ReadTile(c, r.Lock, storage.PayloadF, func(c *model.Cursor, _ *storage.GenericTile) { readDone(c) })
			})
		})
		return
	}
	if at < uint64(end) && !wrong {
		unreached(c, at, uint64(end))
	}
}

// readTile makes the frame of one tile; ours means that the version of the footer is right.
func (r Reader) readTile(c *model.Cursor, m *Metadata, p place, length int64, ours bool) {
	n := c.Frame(p.field, length, func(c *model.Cursor) {
		g := storage.ReadTile(c, r.Lock, storage.PayloadF, func(c *model.Cursor, _ *storage.GenericTile) { p.body(c) })
		if v := uint32(g.Version.Uint()); ours && storage.Layout(v) != m.Version {
			c.Wrong(rule.HeaderDiffers, g.Version, v, model.U(m.VersionAt.Uint()), model.Saying("the version in the header does not match the fragment"))
		}
	})
	if p.keep != nil {
		p.keep(n)
	}
	if p.elem < 0 {
		c.OffsetOf(p.at, n)
	}
}

// checkVersions compares the versions of the lists with the footer's, and tells whether the footer is right: if most lists
// have another version, it is wrong, otherwise the lists that differ are.
func (m *Metadata) checkVersions(c *model.Cursor, places []place, end int64) bool {
	count := map[uint32]int{}
	most := m.Version
	for _, p := range places {
		if h := c.PeekAt(c.Base()+int64(min(p.off, uint64(end))), 4); len(h) == 4 {
			v := binary.LittleEndian.Uint32(h)
			if count[v]++; count[v] > count[most] {
				most = v
			}
		}
	}
	if storage.Layout(most) == m.Version {
		return true
	}
	c.Wrong(rule.VersionsDiffer, m.VersionAt, m.Version, "the version of its tiles, "+filter.Text(most), storage.WantIf(most <= storage.VersionNewest, model.U(uint64(most))))
	return false
}

// listSize is the length of the generic tile at a place: according to its header or, if a size in it is damaged and everything else in it is
// right, up to the next one.
func listSize(c *model.Cursor, places []place, i int, end int64) int64 {
	head := func(at uint64) []byte { return c.PeekAt(c.Base()+int64(min(at, uint64(end))), storage.HeaderBytes) }
	h, next := head(places[i].off), uint64(end)
	for _, p := range places[i+1:] {
		if p.off > places[i].off {
			next = p.off
			break
		}
	}
	n := storage.ListLength(h)
	room := int64(next) - int64(places[i].off)
	switch {
	case n == room, room < storage.LeastTile, !storage.SoundHeader(h), next != uint64(end) && !storage.SoundHeader(head(next)):
	case n > room, next != uint64(end) && !storage.SoundHeader(head(places[i].off+uint64(n))): // something else may follow the last one
		return room
	}
	return n
}

func unreached(c *model.Cursor, from, to uint64) {
	c.Wrong(rule.FooterUnreached, c.Range(c.Base()+int64(from), int64(to-from)), filter.Text(to-from)+" bytes", "none")
}

// places lists the generic tiles of a fragment with their content.
func (m *Metadata) places() (out []place) {
	slots := m.Slots()
	out = append(out, place{off: m.rtree.Uint(), at: m.rtree, elem: -1, field: rTreeF, body: m.readRTree,
		keep: func(n model.Node) { m.Tree = n }})
	for list := range Lists {
		m.Tile[list] = map[int]model.Node{}
		for i, off := range m.lists[list] {
			slot := slots[i]
			f := listNames[list].Named("%s[%d]", listNames[list].Name, i)
			f.Doc += " " + slot.Name
			out = append(out, place{off: off, at: m.listAt[list], elem: i, field: f,
				body: func(c *model.Cursor) { readListTile(c, list, slot) }, keep: func(n model.Node) { m.Tile[list][i] = n }})
		}
	}
	d := len(m.Schema.Dims)
	for i, off := range m.bounds {
		name, dim := globalMins, &m.Schema.Dims[i%d]
		if i >= d {
			name = globalMaxes
		}
		f := name.Named("%s[%d]", name.Name, i%d)
		f.Doc += " " + dim.Name.Text()
		slot := Slot{Name: dim.Name.Text(), Datatype: dim.Datatype, Num: dim.Values(), Dim: dim}
		out = append(out, place{off: off, at: m.boundsAt, elem: i, field: f, body: func(c *model.Cursor) { readListTile(c, Mins, slot) }})
	}
	if m.totals.Span != nil {
		out = append(out, place{off: m.totals.Uint(), at: m.totals, elem: -1, field: totalsTile,
			body: func(c *model.Cursor) { readTotals(c, slots) }})
	}
	if m.done.Span != nil {
		out = append(out, place{off: m.done.Uint(), at: m.done, elem: -1, field: DoneTile, body: readDone})
	}
	return out
}
