package tiledb

import (
	"bytes"
	"context"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/rule"
	"spandrel/parsers/tiledb/storage"
)

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
	cells []int64      // of each tile of the first field; -1 where it cannot be read
	told  bool         // a tile that is not full was reported
	doubt map[int]bool // fields whose statistics are damaged, as far as that was asked

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
	x := &deepFragment{f: f, p: p, doubt: map[int]bool{}}
	tiles, _ := f.meta.Count()
	for slot := range f.slots {
		s := &f.slots[slot]
		if slot >= len(f.meta.Size[fragment.Fixed]) || f.meta.Size[fragment.Fixed][slot] == 0 {
			continue
		}
		n := int64(len(f.list(ctx, fragment.TileOffsets, slot)))
		want := int64(len(x.cells))
		if x.cells == nil {
			x.cells = make([]int64, n)
			if want = tiles; f.meta.Leaves >= 0 && f.meta.Leaves != tiles { // TDB-171 has said that the footer is wrong
				want = n
			}
		}
		if n != want && tiles > 0 {
			p.Wrong(rule.TileCounts, f.listSpan(fragment.TileOffsets, slot), filter.Text(n)+" tiles of "+s.Name, want)
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
	if f.meta.ListsAt.Span == nil || t.Open(ctx, f.meta.ListsAt.Span) != nil || f.meta.Tree.Span == nil ||
		t.Open(ctx, f.meta.Tree.Span) != nil {
		return
	}
	if payload := f.meta.Tree.Get(storage.PayloadF.Name); payload != nil {
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
	r, err := x.f.space(ctx, placeOf{slot: slot, part: fragment.Fixed, tile: k})
	if err != nil {
		return // opening the tile has reported why
	}
	size, cells := s.Cell(), int64(0)
	if s.Variable() {
		size = 8
		if r, err = x.f.offsetsOf(ctx, slot, k); err != nil {
			return
		}
	}
	for part := range fragment.PartNames {
		x.chunks(slot, part, k)
	}
	if cells = r.Len / max(size, 1); first {
		x.cells[k] = cells
		if want := x.f.meta.CellsPerTile(k); want > 0 && counted && want*size != r.Len {
			switch {
			case x.f.meta.Dense:
				x.length(rule.TileCounts, r, want*size)
			case !x.told:
				x.told = true
				x.length(rule.TileCells, r, want*size)
			}
		}
	} else if want := x.cells[k]; want >= 0 && want*size != r.Len {
		x.length(rule.TileCounts, r, want*size)
	}
	if s.Variable() {
		x.offsets(ctx, slot, k, r)
	}
	valid, ok := x.validity(ctx, slot, k, cells)
	if !ok {
		return
	}
	x.statistics(ctx, slot, k, r, valid)
	x.box(ctx, slot, k, r)
	if s.Attr != nil && s.Attr.Enum.Text() != "" && s.Num == 1 && filter.IsInteger(s.Datatype) {
		x.indexes(ctx, s, r, valid)
	}
}

// length reports a tile that is not as long as it should be.
func (x *deepFragment) length(rule *model.Rule, r model.Range, want int64) {
	x.p.Wrong(rule, model.Spot{Span: x.f.a.d.t.Space(r.Space).Root, Range: r}, filter.Text(r.Len)+" bytes", filter.Text(want)+" bytes")
}

// validity reads which of the cells of tile k have a value, and checks it; nil where all have. It is not ok where that cannot be read.
func (x *deepFragment) validity(ctx context.Context, slot int, k, cells int64) (valid []byte, ok bool) {
	if !x.f.slots[slot].Nullable {
		return nil, true
	}
	t := x.f.a.d.t
	v, err := x.f.space(ctx, placeOf{slot: slot, part: fragment.Validity, tile: k})
	if err != nil {
		return nil, false
	}
	if valid, err = t.Bytes(ctx, v); err != nil {
		return nil, false
	}
	if v.Len != cells {
		x.length(rule.TileCounts, v, cells)
	}
	if i := bytes.IndexFunc(valid, func(r rune) bool { return r > 1 }); i >= 0 {
		x.p.Wrong(rule.BadValidity, model.Spot{Span: t.Space(v.Space).Root, Range: model.Range{Space: v.Space, Off: int64(i), Len: 1}}, valid[i], "0 or 1")
	}
	return valid, true
}

// chunks checks that tile k of a file of a field, which was read, has chunks where it has cells.
func (x *deepFragment) chunks(slot, part int, k int64) {
	file := x.f.files[x.f.slots[slot].File+fragment.PartNames[part]]
	if file == nil || !file.Ready() || file.Get(tilesF.Name) == nil || !file.Get(tilesF.Name).Ready() {
		return
	}
	tile := file.Get(tilesF.Name).Child(k)
	if tile == nil || !tile.Ready() || tile.Get(storage.TileF.Name) == nil {
		return
	}
	raw := tile.Get(storage.TileF.Name)
	cells := (part == fragment.Validity || part == fragment.Fixed && !x.f.slots[slot].Variable()) && x.f.meta.CellsPerTile(k) > 0
	if n := raw.Get(storage.TileChunks.Name); n != nil && cells && raw.State != model.Bad && raw.Get(storage.ChunkList.Name) == nil {
		x.p.Wrong(rule.NoChunk, n, 0, "1 or more", model.Saying("the tile has no chunk, and cells as its fragment says"))
	}
}

// offsets checks the start offsets of the variable cells of a tile, which are at r, against its values.
func (x *deepFragment) offsets(ctx context.Context, slot int, k int64, r model.Range) {
	t := x.f.a.d.t
	values, err := x.f.space(ctx, placeOf{slot: slot, part: fragment.Var, tile: k})
	if err != nil {
		return
	}
	if sizes := x.f.list(ctx, fragment.VarSizes, slot); k < int64(len(sizes)) && sizes[k] != uint64(values.Len) {
		x.p.Wrong(rule.CellOffsetsBad, model.Spot{Span: t.Space(values.Space).Root, Range: values}, filter.Text(values.Len)+" bytes", sizes[k])
	}
	b, err := t.Bytes(ctx, r)
	if err != nil {
		return
	}
	size := uint64(max(1, filter.SizeOf(x.f.slots[slot].Datatype)))
	last, all := uint64(0), uint64(values.Len)
	for i := range len(b) / 8 {
		at := filter.Uint(b[8*i:], 8)
		if at < last || at > uint64(values.Len) || i == 0 && at != 0 {
			x.p.Wrong(rule.CellOffsetsBad, model.Spot{Span: t.Space(r.Space).Root,
				Range: model.Range{Space: r.Space, Off: int64(8 * i), Len: 8}}, at, "ascending from 0, at most "+filter.Text(values.Len))
			return
		}
		last, all = at, all|at
	}
	if all%size != 0 { // sizes are powers of two, so that all places together tell
		x.p.Wrong(rule.CellOffsetsBad, model.Spot{Span: t.Space(r.Space).Root, Range: r}, "cells that are no whole values of "+storage.TypeName(x.f.slots[slot].Datatype),
			"multiples of "+filter.Text(size)+" bytes")
	}
}

// indexes checks that cells are indexes of values that there are. Null cells, fill values and the zeros that pad dense tiles say
// nothing.
func (x *deepFragment) indexes(ctx context.Context, s *fragment.Slot, r model.Range, valid []byte) {
	e := x.f.a.schemas.NewestEnumeration(ctx, s.Attr.Enum.Text())
	if e == nil || e.Starts == nil {
		return
	}
	size := int(s.Cell())
	t := x.f.a.d.t
	var fill []byte
	if s.Attr.Fill.Span != nil {
		fill, _ = x.f.a.schemas.Home.Bytes(ctx, s.Attr.Fill.Range)
	}
	b, err := t.Bytes(ctx, r)
	if err != nil {
		return
	}
	for i := 0; i+size <= len(b); i += size {
		if v := filter.Uint(b[i:], size); v >= uint64(e.Count()) && !bytes.Equal(b[i:i+size], fill) &&
			(i/size >= len(valid) || valid[i/size] != 0) && !(v == 0 && x.f.meta.Dense) {
			x.p.Wrong(rule.EnumIndex, model.Spot{Span: t.Space(r.Space).Root,
				Range: model.Range{Space: r.Space, Off: int64(i), Len: int64(size)}}, v, "less than "+filter.Text(e.Count()))
			return
		}
	}
}
