package tiledb

import (
	"context"
	"fmt"
	"iter"
	"path"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/storage"
)

// field is a field of a fragment, dataFile one of its files, and tile its cells in one tile.
type (
	field struct {
		*fragment.Slot
		f    *frag
		slot int
	}
	dataFile struct {
		field
		part int
	}
	tile struct {
		field
		k int64
	}
)

func (f *frag) field(slot int) field        { return field{&f.slots[slot], f, slot} }
func (x field) file(part int) dataFile      { return dataFile{x, part} }
func (x field) tile(k int64) tile           { return tile{x, k} }
func (f *frag) tile(slot int, k int64) tile { return f.field(slot).tile(k) }

// stored yields the fields that have cells according to the footer.
func (f *frag) stored() iter.Seq[field] {
	return func(yield func(field) bool) {
		for slot := range f.slots {
			if x := f.field(slot); x.stored() && !yield(x) {
				return
			}
		}
	}
}

// dataFiles are the fragment's files, existing or missing, whose length is in its footer.
func (f *frag) dataFiles() iter.Seq[dataFile] {
	return func(yield func(dataFile) bool) {
		for slot := range f.slots {
			for part := range fragment.PartNames {
				if slot < len(f.meta.Size[part]) && !yield(f.field(slot).file(part)) {
					return
				}
			}
		}
	}
}

// stored tells whether the footer knows cells of the field.
func (x field) stored() bool {
	sizes := x.f.meta.Size[fragment.Fixed]
	return x.slot < len(sizes) && sizes[x.slot] > 0
}

// name is the name of the file without .tdb.
func (x dataFile) name() string { return x.File + fragment.PartNames[x.part] }

func (x dataFile) path() string { return path.Join(x.f.dir, x.name()+".tdb") }

// span is the file in the tree; nil if it is missing.
func (x dataFile) span() *model.Span { return x.f.files[x.name()] }

// size is the length of the file according to the footer.
func (x dataFile) size() uint64 { return x.f.meta.Size[x.part][x.slot] }

// offsets are where the tiles begin in the file.
func (x dataFile) offsets(ctx context.Context) []uint64 {
	return x.list(ctx, fragment.PartLists[x.part])
}

// legal tells whether a fragment may have the file.
func (x dataFile) legal() bool {
	return x.Has(x.part) && !(x.Coords && x.f.meta.Version >= 5) && !(x.Dim != nil && x.f.meta.Dense)
}

// list returns a decoded list of the field: tile offsets, variable sizes …
func (x field) list(ctx context.Context, list int) []uint64 {
	f, key := x.f, [2]int{list, x.slot}
	f.mu.Lock()
	m, got := f.meta, f.lists[key]
	f.mu.Unlock()
	if got != nil || m == nil {
		return got
	}
	if m.Old != nil {
		if list > fragment.VarSizes || x.slot >= len(m.Old.Lists[list]) {
			return nil
		}
		return m.Old.Lists[list][x.slot]
	}
	t, payload := f.a.d.t, x.payload(ctx, list)
	if payload == nil {
		return nil
	}
	b, err := t.All(ctx, payload.Range.Space)
	if err != nil || len(b) < 8 {
		return nil
	}
	n := min(filter.Uint(b, 8), uint64(len(b)/8-1))
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
	f.lists[key] = out
	return out
}

// mostListed is how many numbers of its lists a fragment caches. Others are read again.
const mostListed = 8 << 20

// payload is the unfiltered tile of a list of the field, or nil.
func (x field) payload(ctx context.Context, list int) *model.Span {
	t, m := x.f.a.d.t, x.f.meta
	if m.ListsAt.Span == nil || t.Open(ctx, m.ListsAt.Span) != nil {
		return nil
	}
	tile, ok := m.Tile[list][x.slot]
	if !ok || tile.Span == nil || t.Open(ctx, tile.Span) != nil {
		return nil
	}
	return tile.Get(storage.PayloadF.Name)
}

// listSpan is the generic tile of a list of the field, or the metadata file.
func (x field) listSpan(list int) *model.Span {
	if n := x.f.meta.Tile[list][x.slot]; n.Span != nil {
		return n.Span
	}
	return x.f.metaAt
}

// spaceOf names the unfiltered bytes of a tile of a field's file; what is the frame that has them.
type spaceOf struct {
	slot, part int
	tile       int64
	what       *model.Field
}

// space returns the unfiltered bytes of one of the tile's files: their range in a space of their own. That of a dimension in __coords begins at its
// first cell.
func (x tile) space(ctx context.Context, part int) (model.Range, error) {
	r, err := x.undone(ctx, part, cellsF)
	if x.Of > 0 {
		n := x.Cell() // to the dimension after it
		if x.f.meta.Stride(x.Slot) == n {
			n *= r.Len / (n * int64(x.Of))
			r.Len = n * int64(x.At+1)
		}
		r.Off, r.Len = r.Off+n*int64(x.At), r.Len-n*int64(x.At)
	}
	return r, err
}

// offsets is where the start offsets of the cells of a variable tile are: in a file of their own, or decoded with the values.
func (x tile) offsets(ctx context.Context) (model.Range, error) {
	if x.f.meta.Coding(x.Slot, fragment.Var).StringMode() {
		return x.undone(ctx, fragment.Var, cellOffsets)
	}
	return x.undone(ctx, fragment.Fixed, cellsF)
}

// undone returns the output of undoing the filters of one of the tile's files.
func (x tile) undone(ctx context.Context, part int, what *model.Field) (model.Range, error) {
	f, t, key := x.f, x.f.a.d.t, spaceOf{x.slot, part, x.k, what}
	f.mu.Lock()
	r, ok := f.spaces[key]
	f.mu.Unlock()
	if ok {
		return r, nil
	}
	base := x.file(part).name()
	at, err := x.file(part).at(ctx, x.k)
	if err != nil {
		return r, err
	}
	if at.Field == rawCells { // of all tiles, which have no filters
		n := f.meta.CellsPerTile(x.k) * x.Cell() * int64(max(x.Of, 1))
		return model.Range{Space: at.Range.Space, Off: at.Range.Off + x.k*n, Len: min(n, at.Range.End()-x.k*n)}, nil
	}
	cells := at.Get(what.Name)
	if cells == nil {
		return r, fmt.Errorf("%s.tdb: tile %d cannot be decoded", base, x.k)
	}
	size, err := t.Size(ctx, cells.Range.Space)
	if err != nil {
		return r, err
	}
	if want := cells.Range.Len; size < want {
		t.Open(ctx, cells) // reports why
		return r, fmt.Errorf("%s.tdb: tile %d cannot be decoded", base, x.k)
	}
	r = model.Range{Space: cells.Range.Space, Len: size}
	f.mu.Lock()
	f.spaces[key] = r
	f.mu.Unlock()
	return r, nil
}

// at is tile k of the file, or the cells of all tiles if they are stored unfiltered.
func (x dataFile) at(ctx context.Context, k int64) (*model.Span, error) {
	t, file := x.f.a.d.t, x.span()
	if file == nil {
		return nil, fmt.Errorf("%s.tdb is missing", x.name())
	}
	if err := t.Open(ctx, file); err != nil {
		return nil, err
	}
	tiles := file.Get(tilesF.Name)
	if tiles == nil {
		if raw := file.Get(rawCells.Name); raw != nil && raw.Field == rawCells {
			return raw, nil
		}
		return nil, fmt.Errorf("%s.tdb has no tiles", x.name())
	}
	if err := t.Open(ctx, tiles); err != nil {
		return nil, err
	}
	at := tiles.Child(k)
	if at == nil || at.Index() < 0 {
		return nil, fmt.Errorf("%s.tdb has no tile %d", x.name(), k)
	}
	return at, t.Open(ctx, at)
}

// rawTile is tile k of the file as stored, if that was read.
func (x dataFile) rawTile(k int64) *model.Span {
	s := x.span()
	for _, name := range []string{tilesF.Name, "", storage.TileF.Name} {
		if s == nil || !s.Ready() {
			return nil
		}
		if name == "" {
			s = s.Child(k)
		} else {
			s = s.Get(name)
		}
	}
	return s
}

// starts returns the starts of a variable tile's cells in its values, and the end.
func (x tile) starts(ctx context.Context) (starts []int64, err error) {
	r, err := x.offsets(ctx)
	if err != nil {
		return nil, err
	}
	b, err := x.f.a.d.t.Bytes(ctx, r)
	if err != nil {
		return nil, err
	}
	n := int64(model.MaxDerived)
	if sizes := x.list(ctx, fragment.VarSizes); x.k < int64(len(sizes)) {
		n = int64(min(sizes[x.k], model.MaxDerived))
	}
	return storage.StartsOf(b, n), nil
}

// stored is where the cells of the tile are, or for variable ones their starts, and how many bytes each takes there.
func (x tile) stored(ctx context.Context) (r model.Range, size int64, err error) {
	if x.Variable() {
		r, err = x.offsets(ctx)
		return r, 8, err
	}
	r, err = x.undone(ctx, fragment.Fixed, cellsF)
	return r, max(x.Cell()*int64(max(x.Of, 1)), 1), err
}

// valid is which cells have a value; nil for all. It is not ok if that cannot be read.
func (x tile) valid(ctx context.Context) (b []byte, ok bool) {
	if !x.Nullable {
		return nil, true
	}
	if r, err := x.space(ctx, fragment.Validity); err == nil {
		b, _ = x.f.a.d.t.Bytes(ctx, r)
	}
	return b, b != nil
}
