package tiledb

import (
	"context"
	"path"
	"sort"
	"strings"
	"sync"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// Data files (5.2): tiles of one field, one behind the other, each in an address space of its own when unfiltered.
var (
	metaFileF   = &model.Field{Name: "__fragment_metadata.tdb", Doc: "footer, tile offsets and statistics of the fragment", Ref: "5.1"}
	tilesF      = &model.Field{Name: "tiles", Ref: "5.2"}
	dataTileF   = &model.Field{Name: "tile", Ref: "5.2"}
	cellsF      = &model.Field{Name: "cells", Doc: "the tile, unfiltered", Ref: "5.2"}
	cellF       = &model.Field{Name: "cell", Ref: "5.2"}
	cellOffset  = &model.Field{Name: "offset", Doc: "where the cell starts in the values", Ref: "5.2", Codec: model.U64LE}
	cellValid   = &model.Field{Name: "valid", Doc: "0: null", Ref: "5.2", Codec: model.U8}
	cellOffsets = &model.Field{Name: "offsets", Doc: "where cells start, as the values tile itself says", Ref: "2.6"}
	rawCells    = &model.Field{Name: "cells", Doc: "cells as they are: TileDB 1.3 without compressor", Ref: "3.9"}
	tail        = &model.Field{Name: "tail", Doc: "bytes that the footer does not know", Ref: "5.2", Codec: model.RawBytes}
)

// The files of a field.
const (
	fileFixed = iota // cells, or offsets of variable cells
	fileVar
	fileValid
)

var (
	partNames = [3]string{"", "_var", "_validity"}
	partLists = [3]int{lTiles, lVar, lValidity}
)

// frag is a fragment folder.
type frag struct {
	a         *array
	dir, name string
	stamp     stamp
	live      bool
	group     *model.Span            // nil when a file of it was opened alone
	metaAt    *model.Span            // the metadata file
	files     map[string]*model.Span // data files by base name without .tdb
	only      string                 // the field whose file was opened alone

	mu     sync.Mutex
	meta   *fragmentMeta
	slots  []fileSlot
	lists  map[[2]int][]uint64
	listed int // numbers in lists
	spaces map[placeOf]model.Range
}

// placeOf names a tile of a file of a field; str is the second space of string mode.
type placeOf struct {
	slot, part int
	tile       int64
	offsets    bool
}

func (a *array) newFrag(dir string) *frag {
	name := path.Base(dir)
	return &frag{a: a, dir: dir, name: name, stamp: stampOf(name), files: map[string]*model.Span{}, lists: map[[2]int][]uint64{},
		spaces: map[placeOf]model.Range{}}
}

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
			f.checkMeta(c)
		}
	}).Span
}

// load reads the metadata of the fragment; nil when they cannot be read.
func (f *frag) load(ctx context.Context) *fragmentMeta {
	if f.group != nil {
		f.a.d.t.Open(ctx, f.group)
	}
	if f.metaAt != nil {
		f.a.d.t.Open(ctx, f.metaAt)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.meta
}

// list returns a decoded list of a field: tile offsets, variable sizes …
func (f *frag) list(ctx context.Context, list, slot int) []uint64 {
	f.mu.Lock()
	m, got := f.meta, f.lists[[2]int{list, slot}]
	f.mu.Unlock()
	if got != nil || m == nil {
		return got
	}
	if m.old != nil {
		if list > lVarSizes || slot >= len(m.old.lists[list]) {
			return nil
		}
		return m.old.lists[list][slot]
	}
	t, payload := f.a.d.t, f.listPayload(ctx, list, slot)
	if payload == nil {
		return nil
	}
	size, err := t.Size(ctx, payload.Range.Space)
	if err != nil || size < 8 {
		return nil
	}
	b, err := t.Bytes(ctx, model.Range{Space: payload.Range.Space, Off: 0, Len: size})
	if err != nil {
		return nil
	}
	n := min(filter.Uint(b, 8), uint64(size/8-1))
	out := make([]uint64, n)
	for i := range out {
		out[i] = filter.Uint(b[8+8*i:], 8)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.listed += len(out); f.listed > mostListed {
		clear(f.lists)
		f.listed = len(out)
	}
	f.lists[[2]int{list, slot}] = out
	return out
}

// mostListed is how many numbers of its lists a fragment keeps. Others are read again.
const mostListed = 8 << 20

// listPayload is the unfiltered tile of a list of a field, or nil.
func (f *frag) listPayload(ctx context.Context, list, slot int) *model.Span {
	t, m := f.a.d.t, f.meta
	if m.listsAt.Span == nil || t.Open(ctx, m.listsAt.Span) != nil {
		return nil
	}
	tile, ok := m.tile[list][slot]
	if !ok || tile.Span == nil || t.Open(ctx, tile.Span) != nil {
		return nil
	}
	return tile.Get(payloadF.Name)
}

// slotOf finds the field and the part that a data file belongs to.
func (f *frag) slotOf(base string) (slot, part int) {
	for i := range f.slots {
		for p, suffix := range partNames {
			if f.slots[i].file+suffix == base {
				return i, p
			}
		}
	}
	return -1, 0
}

// tile type and filters of a file of a field.
func (f *frag) pipeline(slot, part int) ([]filter.Filter, filter.TileType) {
	s, schema := &f.slots[slot], f.meta.schema
	filters, tile := s.filters, filter.TileType{Datatype: s.datatype, CellSize: int(max(s.cell(), 1)), FormatVersion: schema.layout}
	switch {
	case part == fileValid:
		filters, tile.Datatype, tile.CellSize = schema.validity.list, 6, 1
	case part == fileFixed && s.variable():
		filters, tile.Datatype, tile.CellSize = schema.offsets.list, filter.Uint64, 8
	case part == fileVar:
		tile.VarStrings = s.datatype == filter.Ascii || s.datatype == filter.UtF8
	}
	if schema.crypt {
		filters = append(append([]filter.Filter(nil), filters...), filter.Filter{Type: filter.AES})
	}
	return filters, tile
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
		a.readUnknownTiles(c)
		return
	}
	offsets := f.list(ctx, partLists[part], slot)
	size := int64(min(f.meta.size[part][slot], 1<<62))
	f.checkFile(c, partLists[part], slot, size)
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
func (a *array) readUnknownTiles(c *model.Cursor) {
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
	fail := func(err error) model.Finding { return f.a.filterFinding(err, raw, nil) }
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

// stringMode tells whether the values tile of a field also holds where its cells start.
func (f *frag) stringMode(filters []filter.Filter, tile filter.TileType) bool {
	for i := range filters {
		if filters[i].Type == filter.AES {
			filters = filters[:i]
			break
		}
	}
	p, err := filter.Compile(filters, tile, nil)
	return err == nil && p.StringMode()
}
