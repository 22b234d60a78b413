package tiledb

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"path"
	"sort"
	"strings"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/rule"
	"spandrel/parsers/tiledb/storage"
)

// fragOf returns the fragment of a folder. For a data file that was opened alone it makes the metadata and the other files of
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
			f.files[base] = file{a, kindData, e.Name}.child(c, e)
		}
	}
	f.only = field
	a.mu.Lock()
	a.frags[dir], a.fragList = f, []*frag{f}
	a.mu.Unlock()
	return f
}

// fieldOf is the name of the first file of a data file's field, without .tdb.
func fieldOf(name string) string {
	base := strings.TrimSuffix(path.Base(name), ".tdb")
	return strings.TrimSuffix(strings.TrimSuffix(base, "_var"), "_validity")
}

func (f *frag) metaFile(c *model.Cursor, e model.Entry) *model.Span {
	return c.Companion(metaFileF, e, func(c *model.Cursor) {
		m := f.a.metadata().Read(c)
		if m.Complete {
			f.mu.Lock()
			f.meta, f.slots = m, m.Slots()
			f.mu.Unlock()
			checkFragment(c, f)
		}
	}).Span
}

// readData reads a file of cells by the tile offsets of its fragment.
func (x file) readData(c *model.Cursor) {
	base := strings.TrimSuffix(path.Base(x.name), ".tdb")
	f := x.a.fragOf(c, x.name)
	slot, part := -1, 0
	m := f.load(c.Context())
	if m != nil {
		slot, part = fragment.SlotOf(f.slots, base)
	}
	if slot >= 0 && slot < len(f.meta.Size[part]) {
		f.field(slot).file(part).read(c)
		return
	}
	note := func(found, want string) {
		c.Wrong(model.RuleUndecoded, nil, found, want, model.Graded(model.Note),
			model.Saying("the tiles stay filtered: their content is unknown"))
	}
	switch {
	case m != nil:
		note(base+".tdb", "a file for a field in the fragment's schema")
	case f.metaAt == nil && f.group == nil: // a folder without it is reported by itself
		note("no "+metaFileF.Name+" beside it", "the metadata of its fragment")
	}
	readUnknownTiles(c)
}

// read reads the file tile by tile, and what follows them.
func (f dataFile) read(c *model.Cursor) {
	offsets := f.offsets(c.Context())
	size := int64(min(f.size(), 1<<62))
	checkFile(c, f, size)
	if f.f.meta.Version == 0 { // before format 1
		f.readRaw(c)
		return
	}
	end := min(size, c.Left())
	var starts, tiles []int64 // some may be out of order, so tiles keep their numbers
	for i, off := range offsets {
		if off < uint64(end) && (len(starts) == 0 && off == 0 || len(starts) > 0 && int64(off) > starts[len(starts)-1]) {
			starts, tiles = append(starts, int64(off)), append(tiles, int64(i))
		}
	}
	if len(starts) > 0 {
		f.readTiles(c, starts, tiles, end)
	}
	if c.More() {
		c.Rest(tail)
	}
}

// readTiles reads the tiles with these numbers, which start there, up to end.
func (f dataFile) readTiles(c *model.Cursor, starts, tiles []int64, end int64) {
	base := c.Pos()
	c.Sequence(tilesF, dataTileF, end, func(c *model.Cursor) {
		i := sort.Search(len(starts), func(i int) bool { return starts[i] > c.Pos()-base }) - 1
		n := end - starts[i]
		if i+1 < len(starts) {
			n = starts[i+1] - starts[i]
		}
		if c.Skimming() {
			c.Skip(n)
			return
		}
		f.readTile(c, tiles[i], n)
	})
}

// readRaw reads cells that have neither chunks nor filters.
func (f dataFile) readRaw(c *model.Cursor) {
	if !c.More() {
		return
	}
	if len(f.f.meta.Coding(f.Slot, f.part).Filters) > 0 || f.part != fragment.Fixed {
		c.Rest(tail)
		return
	}
	f.readFixed(c, rawCells)
}

// readUnknownTiles walks the tiles of a file that no fragment explains.
func readUnknownTiles(c *model.Cursor) {
	if n := c.Peek(8); len(n) == 8 && binary.LittleEndian.Uint64(n) > uint64(c.Left())/12 {
		c.Wrong(rule.ChunkBeyond, c.Range(c.Pos(), 8), binary.LittleEndian.Uint64(n), "at most "+filter.Text(c.Left()/12), model.Saying("it does not begin with a tile: it would have more chunks than fit in the file"))
	}
	c.Sequence(tilesF, dataTileF, c.Left(), func(c *model.Cursor) {
		_, end, whole := storage.WalkChunks(c)
		if !whole {
			c.End()
		}
		if c.Skimming() {
			c.Skip(end)
			return
		}
		storage.ReadChunks(c, nil)
	})
}

// unfiltered is the size of tile k of the file after undoing its filters, according to its fragment; -1 if unknown.
func (f dataFile) unfiltered(ctx context.Context, k int64) int64 {
	cells := f.f.meta.CellsPerTile(k)
	switch n := f.Cell(); {
	case f.part == fragment.Var:
		if sizes := f.list(ctx, fragment.VarSizes); k < int64(len(sizes)) {
			return int64(min(sizes[k], math.MaxInt64))
		}
	case cells == 0:
	case f.part == fragment.Validity:
		return cells
	case f.Variable():
		return 8 * cells
	case n > 0 && n < 1<<20:
		return n * cells
	}
	return -1
}

// readTile reads tile k of the file: its chunks, and its cells in a space of their own.
func (f dataFile) readTile(c *model.Cursor, k, n int64) {
	size, _, whole := storage.WalkChunks(c)
	if !whole {
		size = -1
	}
	raw := c.Block(storage.TileF, n, func(c *model.Cursor) { storage.ReadChunks(c, nil) })
	x := f.f.meta.Coding(f.Slot, f.part)
	how := storage.Coding{Filters: x.Filters, Tile: x.Tile, Key: f.f.a.lock.Key}
	want := int64(-1)
	if size > model.DecodedBudget() {
		want = f.unfiltered(c.Context(), k)
	}
	fail := func(err error) model.Finding {
		d := storage.FilterFinding(err, raw, nil, how)
		if d.Rule == model.RuleCap && want >= 0 && size > want {
			d.Rule, d.Found, d.Expected = rule.PartUndecoded, filter.Text(size)+" bytes", filter.Text(want)+" bytes"
			d.Message = "the lengths before the chunks add up to more than the cells of the tile"
		}
		return d
	}
	t := how.Transform(model.MaxDerived)
	t.Encode = nil // other tiles and the footer depend on its length
	judge := func(err error) error {
		var e *filter.Error
		if want >= 0 && size > want && errors.As(err, &e) {
			return e // its metadata give a smaller size, so our limit is not the reason
		}
		return storage.Unchecked(err, f.f.a.lock.Key())
	}
	decode := t.Decode
	t.Decode = func(ctx context.Context, in []byte, limit int64) ([]byte, error) {
		out, err := decode(ctx, in, limit)
		return out, judge(err)
	}
	if f.part != fragment.Var {
		c.Derive(cellsF, model.Derived{Transform: t, From: raw, Size: size, Fail: fail, Body: f.readCells})
		return
	}
	values := func(c *model.Cursor) { f.readValues(c, k) }
	if !x.StringMode() {
		c.Derive(cellsF, model.Derived{Transform: t, From: raw, Size: size, Fail: fail, Body: values})
		return
	}
	// The tile yields values and offsets together: room for both, as far as its cells may need it.
	room := max(size, 0) + min(8*f.f.meta.CellsPerTile(k), storage.MostPayload)
	undo := func(name string, pick func(values, offsets []byte) []byte) *model.Transform {
		return &model.Transform{Name: name, Decode: func(ctx context.Context, in []byte, limit int64) ([]byte, error) {
			values, offsets, err := how.Keyed().Unfilter(ctx, in, min(room, model.MaxDerived))
			return pick(values, offsets), judge(err)
		}}
	}
	c.Derive(cellsF, model.Derived{Transform: undo("filter pipeline", func(v, _ []byte) []byte { return v }), From: raw, Size: size,
		Fail: fail, Body: values})
	c.Derive(cellOffsets, model.Derived{Transform: undo("offsets of strings", func(_, o []byte) []byte { return o }), From: raw,
		Size: -1, Fail: fail,
		Body: func(c *model.Cursor) { c.Elements(cellsF, cellOffset, c.Left()/8) }})
}
