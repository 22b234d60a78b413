package tiledb

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/rule"
	"spandrel/parsers/tiledb/storage"
)

// deep checks every member of a group, and reads every tile of every fragment, array by array.
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
		t.Open(ctx, members[i]) // its errors are reported there
	}
}

// deepFragment is a deep check of one fragment: the fields are compared with the first stored one.
type deepFragment struct {
	f     *frag
	p     *model.Probe
	cells []int64      // cells of each tile of the first field; -1: unreadable
	walk  bool         // what is in a tile is walked over with it, while its bytes are at hand: no one else uses the tree, and a second pass would request them again
	told  bool         // a partial tile was reported
	doubt map[int]bool // fields whose statistics are damaged, as far as checked

	boxes  []extremes // of the dimensions, by slot
	leaves []byte     // the boxes of the tiles as stored, stride bytes each; nil: not read yet
	stride int64
}

// deep reads all tiles of a fragment and compares the files of each field with each other.
// apart means that it is in a tree of its own.
func deepFrag(ctx context.Context, f *frag, p *model.Probe, apart bool) {
	if f.load(ctx) == nil {
		return
	}
	deepTree(ctx, f)
	x := &deepFragment{f: f, p: p, walk: apart && f.a.d.t.Snapshot.Remote, doubt: map[int]bool{}}
	tiles, _ := f.meta.Count()
	for at := range f.stored() {
		n := int64(len(at.list(ctx, fragment.TileOffsets)))
		want := int64(len(x.cells))
		if x.cells == nil {
			x.cells = make([]int64, n)
			if want = tiles; f.meta.Leaves >= 0 && f.meta.Leaves != tiles { // TDB-171 has reported the footer
				want = n
			}
		}
		if n != want && tiles > 0 {
			p.Wrong(rule.TileCounts, at.listSpan(fragment.TileOffsets), filter.Text(n)+" tiles of "+at.Name, want)
		}
		for k := int64(0); k < min(n, int64(len(x.cells))) && ctx.Err() == nil; k++ {
			x.tile(ctx, at.tile(k), n == tiles)
			x.pass(ctx, at, k)
		}
	}
	x.domain()
}

// pass walks over what is in tile k of a field's files. After the last one of a file, nothing walks over them again.
func (x *deepFragment) pass(ctx context.Context, at field, k int64) {
	for part := range fragment.PartNames {
		if !x.walk {
			return
		}
		s, err := at.file(part).at(ctx, k)
		if err != nil || s.Field == rawCells || x.f.a.d.t.Walk(ctx, s, math.MaxInt64) != nil {
			continue
		}
		if tiles := s.Parent(); k == tiles.Count()-1 {
			tiles.Sound()
		}
	}
}

// deepTree reads the R-tree, which reports if its leaves do not match the tiles.
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

// tile reads a tile of a field. If the number of tiles matches the footer, they are checked against the schema.
func (x *deepFragment) tile(ctx context.Context, at tile, counted bool) {
	first := x.cells[at.k] == 0
	if first {
		x.cells[at.k] = -1
	}
	r, size, err := at.stored(ctx)
	if err != nil {
		return // opening the tile has reported why
	}
	for part := range fragment.PartNames {
		x.chunks(at, part)
	}
	cells := r.Len / size
	if first {
		x.cells[at.k] = cells
		x.full(at, r, size, counted)
	} else if want := x.cells[at.k]; want >= 0 && want*size != r.Len {
		x.length(rule.TileCounts, r, want*size)
	}
	if at.Variable() {
		x.offsets(ctx, at, r)
	}
	valid, ok := x.validity(ctx, at, cells)
	if !ok {
		return
	}
	x.texts(ctx, at, r, valid)
	x.statistics(ctx, at, r, valid)
	x.box(ctx, at, r)
	if at.Attr != nil && at.Attr.Enum.Text() != "" && at.Num == 1 && filter.IsInteger(at.Datatype) {
		x.indexes(ctx, at, r, valid)
	}
}

// full compares the first field's tile with the number of cells that the schema requires; for sparse fragments, only one is reported.
func (x *deepFragment) full(at tile, r model.Range, size int64, counted bool) {
	want := x.f.meta.CellsPerTile(at.k)
	switch {
	case want <= 0 || !counted || want*size == r.Len:
	case x.f.meta.Dense:
		x.length(rule.TileCounts, r, want*size)
	case !x.told:
		x.told = true
		x.length(rule.TileCells, r, want*size)
	}
}

// inSpace is a range of a space without spans.
func (x *deepFragment) inSpace(r model.Range) model.Spot {
	return model.Spot{Span: x.f.a.d.t.Space(r.Space).Root, Range: r}
}

// length reports a tile of the wrong length.
func (x *deepFragment) length(rule *model.Rule, r model.Range, want int64) {
	x.p.Wrong(rule, x.inSpace(r), filter.Text(r.Len)+" bytes", filter.Text(want)+" bytes")
}

// validity reads which cells of a tile have a value, and checks it; nil if all have. It is not ok if that cannot be read.
func (x *deepFragment) validity(ctx context.Context, at tile, cells int64) (valid []byte, ok bool) {
	if valid, ok = at.valid(ctx); valid == nil {
		return nil, ok
	}
	v, _ := at.space(ctx, fragment.Validity)
	if v.Len != cells {
		x.length(rule.TileCounts, v, cells)
	}
	if i := slices.IndexFunc(valid, func(b byte) bool { return b > 1 }); i >= 0 {
		x.p.Wrong(rule.BadValidity, x.inSpace(model.Range{Space: v.Space, Off: int64(i), Len: 1}), valid[i], "0 or 1")
	}
	return valid, true
}

// chunks checks that a tile of a field's file has chunks if it has cells.
func (x *deepFragment) chunks(at tile, part int) {
	raw := at.file(part).rawTile(at.k)
	if raw == nil {
		return
	}
	cells := (part == fragment.Validity || part == fragment.Fixed && !at.Variable()) && x.f.meta.CellsPerTile(at.k) > 0
	if n := raw.Get(storage.TileChunks.Name); n != nil && cells && raw.State != model.Bad && raw.Get(storage.ChunkList.Name) == nil {
		x.p.Wrong(rule.NoChunk, n, 0, "1 or more", model.Saying("the tile has no chunks, but should have cells"))
	}
}

// offsets checks the start offsets of a tile's variable cells, which are at r, against its values.
func (x *deepFragment) offsets(ctx context.Context, at tile, r model.Range) {
	values, err := at.space(ctx, fragment.Var)
	if err != nil {
		return
	}
	if sizes := at.list(ctx, fragment.VarSizes); at.k < int64(len(sizes)) && sizes[at.k] != uint64(values.Len) {
		x.p.Wrong(rule.CellOffsetsBad, x.inSpace(values), filter.Text(values.Len)+" bytes", sizes[at.k])
	}
	b, err := x.f.a.d.t.Bytes(ctx, r)
	if err != nil {
		return
	}
	if i := misplaced(b, uint64(values.Len)); i >= 0 {
		x.p.Wrong(rule.CellOffsetsBad, x.inSpace(model.Range{Space: r.Space, Off: int64(8 * i), Len: 8}), filter.Uint(b[8*i:], 8), "increasing from 0, at most "+filter.Text(values.Len))
		return
	}
	size, all := uint64(max(1, filter.SizeOf(at.Datatype))), uint64(values.Len)
	for i := range len(b) / 8 {
		all |= filter.Uint(b[8*i:], 8)
	}
	if all%size != 0 { // sizes are powers of two, so one OR shows any misalignment
		x.p.Wrong(rule.CellOffsetsBad, x.inSpace(r), "cells that are not whole values of "+storage.TypeName(at.Datatype), "multiples of "+filter.Text(size)+" bytes")
	}
}

// texts checks that the texts of a tile, whose start offsets are at r, are UTF-8. Null cells may contain anything.
func (x *deepFragment) texts(ctx context.Context, at tile, r model.Range, valid []byte) {
	if !at.Variable() || at.Datatype != filter.UtF8 {
		return
	}
	values, err := at.space(ctx, fragment.Var)
	if err != nil {
		return
	}
	t := x.f.a.d.t
	starts, err := t.Bytes(ctx, r)
	text, err2 := t.Bytes(ctx, values)
	if err != nil || err2 != nil || misplaced(starts, uint64(len(text))) >= 0 {
		return // offsets has reported why
	}
	for i := range len(starts) / 8 {
		from, to := filter.Uint(starts[8*i:], 8), uint64(len(text))
		if 8*i+8 < len(starts) {
			to = filter.Uint(starts[8*i+8:], 8)
		}
		if null := i < len(valid) && valid[i] == 0; !null && !utf8.Valid(text[from:to]) {
			x.p.Wrong(rule.TextBad, x.inSpace(model.Range{Space: values.Space, Off: int64(from), Len: int64(to - from)}), fmt.Sprintf("%.40q in cell %d", text[from:to], i), "UTF-8")
			return
		}
	}
}

// misplaced is the index of the first start offset that is out of order, or outside the values; -1 if there is none.
func misplaced(offsets []byte, values uint64) int {
	last := uint64(0)
	for i := range len(offsets) / 8 {
		off := filter.Uint(offsets[8*i:], 8)
		if off < last || off > values || i == 0 && off != 0 {
			return i
		}
		last = off
	}
	return -1
}

// indexes checks that cells are valid indices of enumeration values. Null cells, fill values and the zeros that pad dense tiles do not
// count.
func (x *deepFragment) indexes(ctx context.Context, at tile, r model.Range, valid []byte) {
	e := x.f.a.schemas.NewestEnumeration(ctx, at.Attr.Enum.Text())
	if e == nil || e.Starts == nil {
		return
	}
	var fill []byte
	if at.Attr.Fill.Span != nil {
		fill, _ = x.f.a.schemas.Home.Bytes(ctx, at.Attr.Fill.Range)
	}
	b, err := x.f.a.d.t.Bytes(ctx, r)
	if err != nil {
		return
	}
	size := int(at.Cell())
	for i := 0; i+size <= len(b); i += size {
		v := filter.Uint(b[i:], size)
		null := i/size < len(valid) && valid[i/size] == 0
		if v < uint64(e.Count()) || null || bytes.Equal(b[i:i+size], fill) || v == 0 && x.f.meta.Dense {
			continue
		}
		x.p.Wrong(rule.EnumIndex, x.inSpace(model.Range{Space: r.Space, Off: int64(i), Len: int64(size)}), v, "less than "+filter.Text(e.Count()))
		return
	}
}
