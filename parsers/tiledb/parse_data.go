package tiledb

import (
	"context"
	"path"
	"sort"
	"strings"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// fragOf returns the fragment of a folder. Of a data file that was opened alone it makes the metadata and the other files of
// the field children of the frame.
func (a *array) fragOf(c *model.Cursor, name string) *frag {
	dir := path.Dir(name)
	if dir == "." {
		dir = ""
	}
	a.mu.Lock()
	f := a.frags[dir]
	a.mu.Unlock()
	if f != nil {
		return f
	}
	f = a.newFrag(dir)
	list, _, _ := a.d.t.Snapshot.List(dot(dir))
	field := fieldOf(name)
	for _, e := range list {
		base := strings.TrimSuffix(path.Base(e.Name), ".tdb")
		switch {
		case path.Base(e.Name) == metaFileF.Name:
			f.metaAt = f.metaFile(c, e)
		case e.Name == name:
			f.files[base] = c.Span()
		case e.Regular && fieldOf(e.Name) == field:
			f.files[base] = c.Companion(folderFile.Named("%s", path.Base(e.Name)), e,
				func(c *model.Cursor) { a.readFile(c, kindData, e.Name) }).Span
		}
	}
	f.only = field
	a.mu.Lock()
	a.frags[dir], a.fragList = f, []*frag{f}
	a.mu.Unlock()
	return f
}

// fieldOf is the name of the first file of the field that a data file belongs to, without .tdb.
func fieldOf(name string) string {
	base := strings.TrimSuffix(path.Base(name), ".tdb")
	return strings.TrimSuffix(strings.TrimSuffix(base, "_var"), "_validity")
}

func (f *frag) metaFile(c *model.Cursor, e model.Entry) *model.Span {
	return c.Companion(metaFileF, e, func(c *model.Cursor) {
		m := f.a.readFragmentMeta(c)
		if m.complete {
			f.mu.Lock()
			f.meta, f.slots = m, m.slotList()
			f.mu.Unlock()
			checkFragment(c, f)
		}
	}).Span
}

// readDataFile reads a file of cells by the tile offsets of its fragment.
func (a *array) readDataFile(c *model.Cursor, name string) {
	base := strings.TrimSuffix(path.Base(name), ".tdb")
	f := a.fragOf(c, name)
	ctx := c.Context()
	slot, part := -1, 0
	m := f.load(ctx)
	if m != nil {
		slot, part = f.slotOf(base)
	}
	if slot < 0 || slot >= len(f.meta.size[part]) {
		note := func(found, want string) {
			c.Wrong(model.RuleUndecoded, nil, found, want, model.Graded(model.Note),
				model.Saying("the tiles stay filtered: nothing tells what they hold"))
		}
		switch {
		case m != nil:
			note(base+".tdb", "a file of a field of the fragment's schema")
		case f.metaAt == nil && f.group == nil: // a folder without it says so itself
			note("no "+metaFileF.Name+" beside it", "the metadata of its fragment")
		}
		readUnknownTiles(c, a)
		return
	}
	offsets := f.list(ctx, partLists[part], slot)
	size := int64(min(f.meta.size[part][slot], 1<<62))
	checkFile(c, f, part, slot, size)
	if f.meta.version == 0 { // before format 1
		f.readRawFile(c, slot, part)
		return
	}
	end := min(size, c.Left())
	var starts, tiles []int64 // some may be out of order: tiles keep their own numbers
	for i, off := range offsets {
		if off < uint64(end) && (len(starts) == 0 && off == 0 || len(starts) > 0 && int64(off) > starts[len(starts)-1]) {
			starts, tiles = append(starts, int64(off)), append(tiles, int64(i))
		}
	}
	if len(starts) == 0 {
		if c.More() {
			c.Rest(tail)
		}
		return
	}
	baseAt := c.Pos()
	c.Sequence(tilesF, dataTileF, end, func(c *model.Cursor) {
		i := sort.Search(len(starts), func(i int) bool { return starts[i] > c.Pos()-baseAt }) - 1
		n := end - starts[i]
		if i+1 < len(starts) {
			n = starts[i+1] - starts[i]
		}
		if c.Skimming() {
			c.Skip(n)
			return
		}
		f.readDataTile(c, slot, part, tiles[i], n)
	})
	if c.More() {
		c.Rest(tail)
	}
}

// readRawFile reads cells that have neither chunks nor filters.
func (f *frag) readRawFile(c *model.Cursor, slot, part int) {
	s := &f.slots[slot]
	if !c.More() {
		return
	}
	if filters, _ := f.pipeline(slot, part); len(filters) > 0 || part != fileFixed {
		c.Rest(tail)
		return
	}
	f.readFixed(c, s, rawCells)
}

// readUnknownTiles walks the tiles of a file that no fragment explains.
func readUnknownTiles(c *model.Cursor, a *array) {
	c.Sequence(tilesF, dataTileF, c.Left(), func(c *model.Cursor) {
		_, end, whole := walkChunks(c)
		if !whole {
			c.End()
		}
		if c.Skimming() {
			c.Skip(end)
			return
		}
		readChunks(c, nil)
	})
}

// readDataTile reads tile k of a file: its chunks, and its cells in a space of their own.
func (f *frag) readDataTile(c *model.Cursor, slot, part int, k, n int64) {
	s := &f.slots[slot]
	size, _, whole := walkChunks(c)
	if !whole {
		size = -1
	}
	raw := c.Block(tileF, n, func(c *model.Cursor) { readChunks(c, nil) })
	filters, tile := f.pipeline(slot, part)
	from := []model.Node{raw}
	fail := func(err error) model.Finding { return filterFinding(err, raw, nil) }
	t := transform(filters, tile, f.a.d.key, model.MaxDerived)
	t.Encode = nil // other tiles and the footer count on its length
	if part != fileVar {
		c.Derive(cellsF, model.Derived{Transform: t, From: from, Size: size, Fail: fail,
			Body: func(c *model.Cursor) { f.readCells(c, s, part) }})
		return
	}
	values := func(c *model.Cursor) { f.readValues(c, slot, k) }
	if !f.stringMode(filters, tile) {
		c.Derive(cellsF, model.Derived{Transform: t, From: from, Size: size, Fail: fail, Body: values})
		return
	}
	// The tile makes values and offsets together: room for both, as far as its cells can need it.
	room := max(size, 0) + min(8*f.cellsPerTile(k), mostPayload)
	undo := func(name string, pick func(values, offsets []byte) []byte) *model.Transform {
		return &model.Transform{Name: name, Decode: func(ctx context.Context, in []byte, limit int64) ([]byte, error) {
			values, offsets, err := filter.UnfilterTile(ctx, filters, tile, f.a.d.key(), in, min(room, model.MaxDerived))
			return pick(values, offsets), err
		}}
	}
	c.Derive(cellsF, model.Derived{Transform: undo("filter pipeline", func(v, _ []byte) []byte { return v }), From: from, Size: size,
		Fail: fail, Body: values})
	c.Derive(cellOffsets, model.Derived{Transform: undo("offsets of strings", func(_, o []byte) []byte { return o }), From: from,
		Size: -1, Fail: fail,
		Body: func(c *model.Cursor) { c.Elements(cellsF, cellOffset, c.Left()/8) }})
}
