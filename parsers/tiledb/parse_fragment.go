package tiledb

import (
	"encoding/binary"
	"sort"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// read reads a fragment metadata file to its end.
func (r metadataReader) read(c *model.Cursor) *fragmentMeta {
	m := &fragmentMeta{footer: &footer{}, leaves: -1}
	size := c.Left()
	head := c.Peek(headerBytes)
	if len(head) < headerBytes {
		c.Wrong(headerCut, nil, filter.Text(size)+" bytes", "a generic tile and a footer")
		return m
	}
	version := binary.LittleEndian.Uint32(head)
	if isLegacy(head, size) {
		r.readLegacyMeta(c, m)
		return m
	}
	if version <= 2 {
		r.readOldMeta(c, m)
		return m
	}
	end := size
	var named *schemaInfo // it tells whether the footer of an old version has a length
	if version < 10 {
		named = r.schemas.schema(c.Context(), oldSchema)
	}
	switch {
	case named != nil && !footerHasLength(layout(version), named):
		if n := footerSize(version, named); n <= size {
			c.At(c.Base()+size-n, func(c *model.Cursor) { m.footer = r.readFooter(c, n, footerF) })
			end -= n
		}
	case version >= 10 || named != nil:
		b := c.PeekAt(c.Base()+size-8, 8)
		n := int64(min(binary.LittleEndian.Uint64(b), 1<<62))
		end = r.readMeasured(c, m, n, version)
	case !r.schemas.hasSchema(oldSchema): // one that cannot be read has said why
		c.Wrong(oldSchemaMissing, nil, "no "+oldSchema, "the schema of the array")
	}
	// The footer alone says how many cells there are: the lists wait until somebody needs them.
	m.listsAt = c.Frame(listsF, end, func(c *model.Cursor) {
		if m.complete {
			r.readTiles(c, m, end)
		} else {
			r.readUnknownLists(c)
		}
	})
	if c.Tree().Snapshot.Primary != "" {
		openNow(c, m.listsAt)
	}
	return m
}

// readMeasured reads the footer of a file that ends with its length, n, and returns where it begins.
func (r metadataReader) readMeasured(c *model.Cursor, m *fragmentMeta, n int64, version uint32) (end int64) {
	size := c.Left()
	found := r.lostLength(c, n, size, version)
	switch end = size - 8 - n; {
	case found > 0:
		end = size - 8 - found
		c.At(c.Base()+end, func(c *model.Cursor) {
			m.footer = r.readFooter(c, found, footerF)
			at := c.Field(fLength)
			c.LengthOf(at, m.self).When(false)
			c.Wrong(footerLength, at, nil, model.I(found), model.Saying("the length of the fragment's footer is lost: its lists end %d bytes before it", found))
		})
	case n > size-8:
		end = size - 8
		c.At(c.Base()+end, func(c *model.Cursor) {
			c.Wrong(footerLength, c.Field(fLength), n, "at most "+filter.Text(size-8))
		})
	default:
		c.At(c.Base()+end, func(c *model.Cursor) {
			m.footer = r.readFooter(c, n, footerF)
			c.LengthOf(c.Field(fLength), m.self)
		})
	}
	return end
}

// lostLength is how long the footer of a file of size bytes is, where the number at its end leads to no footer and everything else tells; 0
// where that is not so.
func (r metadataReader) lostLength(c *model.Cursor, n, size int64, version uint32) int64 {
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
	return max(0, footerFound(c.Context(), r.schemas, in))
}

// readUnknownLists walks generic tiles, one behind the other, where no footer says what they are.
func (r metadataReader) readUnknownLists(c *model.Cursor) {
	for i := 0; i < 1<<16 && c.Left() > leastTile; i++ {
		n := listLength(c.Peek(headerBytes))
		if n > c.Left() || tileSure(c.Peek(eager), n) < 80 { // a footer without length
			break
		}
		c.Frame(listF.Named("tile[%d]", i), n, func(c *model.Cursor) {
			readTile(c, r.lock, payloadF, func(c *model.Cursor, _ *genericTile) { c.Rest(fSectData) })
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

// readTiles makes frames of the generic tiles that the footer names, in the order of the file. They end before end.
func (r metadataReader) readTiles(c *model.Cursor, m *fragmentMeta, end int64) {
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
			wrong = true // and the tile that it should name is not reached
			c.Wrong(offsetLeadsNowhere, model.Spot{Span: p.at.Span, Range: at}, p.off, "the start of a generic tile before the footer")
			continue
		}
		if p.off > at && !wrong {
			unreached(c, at, p.off)
		}
		c.At(c.Base()+int64(p.off), func(c *model.Cursor) {
			n := c.Frame(p.field, length, func(c *model.Cursor) {
				g := readTile(c, r.lock, payloadF, func(c *model.Cursor, _ *genericTile) { p.body(c) })
				if v := uint32(g.version.Uint()); ours && layout(v) != m.version {
					c.Wrong(headerDiffers, g.version, v, model.U(m.versionAt.Uint()), model.Saying("the version in the header is not that of the fragment"))
				}
			})
			if p.keep != nil {
				p.keep(n)
			}
			if p.elem < 0 {
				c.OffsetOf(p.at, n)
			}
		})
		at = p.off + uint64(length)
	}
	if h := c.PeekAt(c.Base()+int64(at), headerBytes); m.version == 15 && !wrong && listLength(h) == end-int64(at) {
		c.At(c.Base()+int64(at), func(c *model.Cursor) { // version 15 writes it, and no offset to it
			c.Frame(doneTile, end-int64(at), func(c *model.Cursor) {
				readTile(c, r.lock, payloadF, func(c *model.Cursor, _ *genericTile) { readDone(c) })
			})
		})
		return
	}
	if at < uint64(end) && !wrong {
		unreached(c, at, uint64(end))
	}
}

// checkVersions holds the versions of the lists against the footer's, and tells whether it is the footer that is right: where most lists
// have another version than it, it is wrong, and else the lists that differ.
func (m *fragmentMeta) checkVersions(c *model.Cursor, places []place, end int64) bool {
	count := map[uint32]int{}
	most := m.version
	for _, p := range places {
		if h := c.PeekAt(c.Base()+int64(min(p.off, uint64(end))), 4); len(h) == 4 {
			v := binary.LittleEndian.Uint32(h)
			if count[v]++; count[v] > count[most] {
				most = v
			}
		}
	}
	if layout(most) == m.version {
		return true
	}
	c.Wrong(versionsDiffer, m.versionAt, m.version, "the version of its tiles, "+filter.Text(most), toIf(most <= versionNewest, model.U(uint64(most))))
	return false
}

// listSize is how long the generic tile at a place is: by its header, or, where a size in it is damaged and all else in it is as it should
// be, up to the next one.
func listSize(c *model.Cursor, places []place, i int, end int64) int64 {
	head := func(at uint64) []byte { return c.PeekAt(c.Base()+int64(min(at, uint64(end))), headerBytes) }
	h, next := head(places[i].off), uint64(end)
	for _, p := range places[i+1:] {
		if p.off > places[i].off {
			next = p.off
			break
		}
	}
	n := listLength(h)
	room := int64(next) - int64(places[i].off)
	switch {
	case n == room, room < leastTile, !soundHeader(h), next != uint64(end) && !soundHeader(head(next)):
	case n > room, next != uint64(end) && !soundHeader(head(places[i].off+uint64(n))): // behind the last one something else may follow
		return room
	}
	return n
}

func unreached(c *model.Cursor, from, to uint64) {
	c.Wrong(footerUnreached, c.Range(c.Base()+int64(from), int64(to-from)), filter.Text(to-from)+" bytes", "none")
}

// places lists the generic tiles of a fragment with what is in them.
func (m *fragmentMeta) places() (out []place) {
	slots := m.slotList()
	out = append(out, place{off: m.rtree.Uint(), at: m.rtree, elem: -1, field: rTreeF, body: m.readRTree,
		keep: func(n model.Node) { m.tree = n }})
	for list := range lists {
		m.tile[list] = map[int]model.Node{}
		for i, off := range m.lists[list] {
			slot := slots[i]
			f := listNames[list].Named("%s[%d]", listNames[list].Name, i)
			f.Doc += " " + slot.name
			out = append(out, place{off: off, at: m.listAt[list], elem: i, field: f,
				body: func(c *model.Cursor) { readListTile(c, list, slot) }, keep: func(n model.Node) { m.tile[list][i] = n }})
		}
	}
	d := len(m.schema.dims)
	for i, off := range m.bounds {
		name, dim := globalMins, &m.schema.dims[i%d]
		if i >= d {
			name = globalMaxes
		}
		f := name.Named("%s[%d]", name.Name, i%d)
		f.Doc += " " + dim.name.Text()
		slot := fileSlot{name: dim.name.Text(), datatype: dim.datatype, num: 1, dim: dim}
		if dim.variable() {
			slot.num = variableCells
		}
		out = append(out, place{off: off, at: m.boundsAt, elem: i, field: f, body: func(c *model.Cursor) { readListTile(c, lMin, slot) }})
	}
	if m.totals.Span != nil {
		out = append(out, place{off: m.totals.Uint(), at: m.totals, elem: -1, field: totalsTile,
			body: func(c *model.Cursor) { readTotals(c, slots) }})
	}
	if m.done.Span != nil {
		out = append(out, place{off: m.done.Uint(), at: m.done, elem: -1, field: doneTile, body: readDone})
	}
	return out
}
