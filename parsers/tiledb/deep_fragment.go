package tiledb

import (
	"bytes"
	"context"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// mostMembers is how many arrays and groups inside a group a deep check enters.
const mostMembers = 10_000

// deep enters every member of a group, and reads every tile of every fragment, array by array.
func deep(ctx context.Context, t *model.Tree, p *model.Probe) error {
	d, ok := t.State.(*doc)
	if !ok {
		return nil
	}
	checked := 0
	for i := 0; ; i++ {
		d.mu.Lock()
		arrays, members := d.inOrder, d.members
		d.mu.Unlock()
		for ; checked < len(arrays); checked++ {
			deepArray(ctx, arrays[checked], p)
		}
		switch {
		case ctx.Err() != nil || i >= len(members):
			return ctx.Err()
		case i >= mostMembers:
			p.Wrong(model.RuleCap, t.Root, filter.Text(len(members))+" members", "at most "+filter.Text(mostMembers),
				model.Saying("%s", "not all members of the group were checked"))
			return nil
		}
		t.Open(ctx, members[i]) // what is wrong with it is reported there
	}
}

// deepFragment is a deep check of one fragment: the fields are compared with the first that is stored.
type deepFragment struct {
	f     *frag
	p     *model.Probe
	cells []int64 // of each tile of the first field; -1 where it cannot be read
	told  bool    // a tile that is not full was reported

	boxes  []extremes // of the dimensions, by slot
	leaves []byte     // the boxes of the tiles as stored, stride bytes each; nil: not read yet
	stride int64
}

// deep reads all tiles of a fragment and compares the files of each field with each other.
func deepFrag(ctx context.Context, f *frag, p *model.Probe) {
	if f.load(ctx) == nil {
		return
	}
	deepTree(ctx, f)
	x := &deepFragment{f: f, p: p}
	tiles, _ := f.meta.count()
	for slot := range f.slots {
		s := &f.slots[slot]
		if slot >= len(f.meta.size[fileFixed]) || f.meta.size[fileFixed][slot] == 0 {
			continue
		}
		n := int64(len(f.list(ctx, lTiles, slot)))
		want := int64(len(x.cells))
		if x.cells == nil {
			x.cells = make([]int64, n)
			if want = tiles; f.meta.leaves >= 0 && f.meta.leaves != tiles { // TDB-171 has said that the footer is wrong
				want = n
			}
		}
		if n != want && tiles > 0 {
			p.Wrong(tileCounts, f.listSpan(lTiles, slot), filter.Text(n)+" tiles of "+s.name, want)
		}
		for k := range min(n, int64(len(x.cells))) {
			if ctx.Err() != nil {
				return
			}
			x.tile(ctx, slot, k, n == tiles)
		}
	}
	x.domain()
}

// deepTree reads the R-tree, which reports when its leaves are not the tiles.
func deepTree(ctx context.Context, f *frag) {
	t := f.a.d.t
	if f.meta.listsAt.Span == nil || t.Open(ctx, f.meta.listsAt.Span) != nil || f.meta.tree.Span == nil ||
		t.Open(ctx, f.meta.tree.Span) != nil {
		return
	}
	if payload := f.meta.tree.Get(payloadF.Name); payload != nil {
		t.Open(ctx, payload)
	}
}

// tile reads tile k of a field. The tiles of a fragment with as many tiles as its footer says are checked against the schema.
func (x *deepFragment) tile(ctx context.Context, slot int, k int64, counted bool) {
	s := &x.f.slots[slot]
	first := x.cells[k] == 0
	if first {
		x.cells[k] = -1
	}
	r, err := x.f.space(ctx, placeOf{slot: slot, part: fileFixed, tile: k})
	if err != nil {
		return // opening the tile has reported why
	}
	size, cells := s.cell(), int64(0)
	if s.variable() {
		size = 8
		if r, err = x.f.offsetsOf(ctx, slot, k); err != nil {
			return
		}
	}
	for part := range partNames {
		x.chunks(slot, part, k)
	}
	if cells = r.Len / max(size, 1); first {
		x.cells[k] = cells
		if want := x.f.meta.cellsPerTile(k); want > 0 && counted && want*size != r.Len {
			switch {
			case x.f.meta.dense:
				x.length(tileCounts, r, want*size)
			case !x.told:
				x.told = true
				x.length(tileCells, r, want*size)
			}
		}
	} else if want := x.cells[k]; want >= 0 && want*size != r.Len {
		x.length(tileCounts, r, want*size)
	}
	if s.variable() {
		x.offsets(ctx, slot, k, r)
	}
	valid, ok := x.validity(ctx, slot, k, cells)
	if !ok {
		return
	}
	x.statistics(ctx, slot, k, r, valid)
	x.box(ctx, slot, k, r)
	if s.attr != nil && s.attr.enum.Text() != "" && s.num == 1 && filter.IsInteger(s.datatype) {
		x.indexes(ctx, s, r, valid)
	}
}

// length reports a tile that is not as long as it should be.
func (x *deepFragment) length(rule *model.Rule, r model.Range, want int64) {
	x.p.Wrong(rule, model.Spot{Span: x.f.a.d.t.Space(r.Space).Root, Range: r}, filter.Text(r.Len)+" bytes", filter.Text(want)+" bytes")
}

// validity reads which of the cells of tile k have a value, and checks it; nil where all have. It is not ok where that cannot be read.
func (x *deepFragment) validity(ctx context.Context, slot int, k, cells int64) (valid []byte, ok bool) {
	if !x.f.slots[slot].nullable {
		return nil, true
	}
	t := x.f.a.d.t
	v, err := x.f.space(ctx, placeOf{slot: slot, part: fileValid, tile: k})
	if err != nil {
		return nil, false
	}
	if valid, err = t.Bytes(ctx, v); err != nil {
		return nil, false
	}
	if v.Len != cells {
		x.length(tileCounts, v, cells)
	}
	if i := bytes.IndexFunc(valid, func(r rune) bool { return r > 1 }); i >= 0 {
		x.p.Wrong(badValidity, model.Spot{Span: t.Space(v.Space).Root, Range: model.Range{Space: v.Space, Off: int64(i), Len: 1}}, valid[i], "0 or 1")
	}
	return valid, true
}

// chunks checks that tile k of a file of a field, which was read, has chunks where it has cells.
func (x *deepFragment) chunks(slot, part int, k int64) {
	file := x.f.files[x.f.slots[slot].file+partNames[part]]
	if file == nil || !file.Ready() || file.Get(tilesF.Name) == nil || !file.Get(tilesF.Name).Ready() {
		return
	}
	tile := file.Get(tilesF.Name).Child(k)
	if tile == nil || !tile.Ready() || tile.Get(tileF.Name) == nil {
		return
	}
	raw := tile.Get(tileF.Name)
	cells := (part == fileValid || part == fileFixed && !x.f.slots[slot].variable()) && x.f.meta.cellsPerTile(k) > 0
	if n := raw.Get(tileChunks.Name); n != nil && cells && raw.State != model.Bad && raw.Get(chunkList.Name) == nil {
		x.p.Wrong(noChunk, n, 0, "1 or more", model.Saying("the tile has no chunk, and cells as its fragment says"))
	}
}

// offsets checks the start offsets of the variable cells of a tile, which are at r, against its values.
func (x *deepFragment) offsets(ctx context.Context, slot int, k int64, r model.Range) {
	t := x.f.a.d.t
	values, err := x.f.space(ctx, placeOf{slot: slot, part: fileVar, tile: k})
	if err != nil {
		return
	}
	if sizes := x.f.list(ctx, lVarSizes, slot); k < int64(len(sizes)) && sizes[k] != uint64(values.Len) {
		x.p.Wrong(cellOffsetsBad, model.Spot{Span: t.Space(values.Space).Root, Range: values}, filter.Text(values.Len)+" bytes", sizes[k])
	}
	b, err := t.Bytes(ctx, r)
	if err != nil {
		return
	}
	size := uint64(max(1, filter.SizeOf(x.f.slots[slot].datatype)))
	last, all := uint64(0), uint64(values.Len)
	for i := range len(b) / 8 {
		at := filter.Uint(b[8*i:], 8)
		if at < last || at > uint64(values.Len) || i == 0 && at != 0 {
			x.p.Wrong(cellOffsetsBad, model.Spot{Span: t.Space(r.Space).Root,
				Range: model.Range{Space: r.Space, Off: int64(8 * i), Len: 8}}, at, "ascending from 0, at most "+filter.Text(values.Len))
			return
		}
		last, all = at, all|at
	}
	if all%size != 0 { // sizes are powers of two, so that all places together tell
		x.p.Wrong(cellOffsetsBad, model.Spot{Span: t.Space(r.Space).Root, Range: r}, "cells that are no whole values of "+typeName(x.f.slots[slot].datatype),
			"multiples of "+filter.Text(size)+" bytes")
	}
}

// indexes checks that cells are indexes of values that there are. Null cells, fill values and the zeros that pad dense tiles say
// nothing.
func (x *deepFragment) indexes(ctx context.Context, s *fileSlot, r model.Range, valid []byte) {
	e := x.f.a.schemas.newestEnumeration(ctx, s.attr.enum.Text())
	if e == nil || e.starts == nil {
		return
	}
	size := int(s.cell())
	t := x.f.a.d.t
	var fill []byte
	if s.attr.fill.Span != nil {
		fill, _ = x.f.a.schemas.home.Bytes(ctx, s.attr.fill.Range)
	}
	b, err := t.Bytes(ctx, r)
	if err != nil {
		return
	}
	for i := 0; i+size <= len(b); i += size {
		if v := filter.Uint(b[i:], size); v >= uint64(e.count()) && !bytes.Equal(b[i:i+size], fill) &&
			(i/size >= len(valid) || valid[i/size] != 0) && !(v == 0 && x.f.meta.dense) {
			x.p.Wrong(enumIndex, model.Spot{Span: t.Space(r.Space).Root,
				Range: model.Range{Space: r.Space, Off: int64(i), Len: int64(size)}}, v, "less than "+filter.Text(e.count()))
			return
		}
	}
}
