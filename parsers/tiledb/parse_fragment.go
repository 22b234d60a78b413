package tiledb

import (
	"context"
	"fmt"
	"path"
	"sync"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/storage"
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
	sized     bool                   // their sizes were held against the footer
	only      string                 // the field whose file was opened alone

	mu     sync.Mutex
	meta   *fragment.Metadata
	slots  []fragment.Slot
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

// load reads the metadata of the fragment; nil when they cannot be read.
func (f *frag) load(ctx context.Context) *fragment.Metadata {
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

// space returns the unfiltered bytes of tile k of a file of a field: its range in its own space.
func (f *frag) space(ctx context.Context, p placeOf) (model.Range, error) {
	f.mu.Lock()
	r, ok := f.spaces[p]
	f.mu.Unlock()
	if ok {
		return r, nil
	}
	t, base := f.a.d.t, f.slots[p.slot].File+fragment.PartNames[p.part]
	file := f.files[base]
	if file == nil {
		return r, fmt.Errorf("%s.tdb is missing", base)
	}
	if err := t.Open(ctx, file); err != nil {
		return r, err
	}
	tiles := file.Get(tilesF.Name)
	if raw := file.Get(rawCells.Name); tiles == nil && raw != nil { // cells without tiles
		n := f.meta.CellsPerTile(p.tile) * f.slots[p.slot].Cell()
		return model.Range{Space: raw.Range.Space, Off: raw.Range.Off + p.tile*n, Len: min(n, raw.Range.End()-p.tile*n)}, nil
	}
	if tiles == nil {
		return r, fmt.Errorf("%s.tdb has no tiles", base)
	}
	if err := t.Open(ctx, tiles); err != nil {
		return r, err
	}
	tile := tiles.Child(p.tile)
	if tile == nil || tile.Index() < 0 {
		return r, fmt.Errorf("%s.tdb has no tile %d", base, p.tile)
	}
	if err := t.Open(ctx, tile); err != nil {
		return r, err
	}
	name := cellsF.Name
	if p.offsets {
		name = cellOffsets.Name
	}
	cells := tile.Get(name)
	if cells == nil {
		return r, fmt.Errorf("%s.tdb: tile %d cannot be decoded", base, p.tile)
	}
	size, err := t.Size(ctx, cells.Range.Space)
	if err != nil {
		return r, err
	}
	if want := cells.Range.Len; size < want {
		t.Open(ctx, cells) // reports why
		return r, fmt.Errorf("%s.tdb: tile %d cannot be decoded", base, p.tile)
	}
	r = model.Range{Space: cells.Range.Space, Len: size}
	f.mu.Lock()
	f.spaces[p] = r
	f.mu.Unlock()
	return r, nil
}

// offsetsOf is where the start offsets of the cells of a variable tile are: in a tile of their own, or made with the values.
func (f *frag) offsetsOf(ctx context.Context, slot int, k int64) (model.Range, error) {
	p := placeOf{slot: slot, part: fragment.Fixed, tile: k}
	if filters, tile := f.meta.Pipeline(&f.slots[slot], fragment.Var); fragment.StringMode(filters, tile) {
		p = placeOf{slot: slot, part: fragment.Var, tile: k, offsets: true}
	}
	return f.space(ctx, p)
}

// starts returns where the cells of a variable tile start in its values, and the end; raw are the offsets as stored.
func (f *frag) starts(ctx context.Context, slot int, k int64) (starts []int64, err error) {
	r, err := f.offsetsOf(ctx, slot, k)
	if err != nil {
		return nil, err
	}
	b, err := f.a.d.t.Bytes(ctx, r)
	if err != nil {
		return nil, err
	}
	n := int64(model.MaxDerived)
	if sizes := f.list(ctx, fragment.VarSizes, slot); k < int64(len(sizes)) {
		n = int64(min(sizes[k], model.MaxDerived))
	}
	return storage.StartsOf(b, n), nil
}

// cut returns n bytes of a tile.
func (f *frag) cut(ctx context.Context, r model.Range, off, n int64) ([]byte, error) {
	if off+n > r.Len {
		return nil, fmt.Errorf("the tile has %d bytes, its cells need %d", r.Len, off+n)
	}
	return f.a.d.t.Bytes(ctx, model.Range{Space: r.Space, Off: r.Off + off, Len: n})
}

// list returns a decoded list of a field: tile offsets, variable sizes …
func (f *frag) list(ctx context.Context, list, slot int) []uint64 {
	f.mu.Lock()
	m, got := f.meta, f.lists[[2]int{list, slot}]
	f.mu.Unlock()
	if got != nil || m == nil {
		return got
	}
	if m.Old != nil {
		if list > fragment.VarSizes || slot >= len(m.Old.Lists[list]) {
			return nil
		}
		return m.Old.Lists[list][slot]
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
	if m.ListsAt.Span == nil || t.Open(ctx, m.ListsAt.Span) != nil {
		return nil
	}
	tile, ok := m.Tile[list][slot]
	if !ok || tile.Span == nil || t.Open(ctx, tile.Span) != nil {
		return nil
	}
	return tile.Get(storage.PayloadF.Name)
}

// listSpan is the generic tile of a list of a field, or the metadata file.
func (f *frag) listSpan(list, slot int) *model.Span {
	if n := f.meta.Tile[list][slot]; n.Span != nil {
		return n.Span
	}
	return f.metaAt
}

// dataFile is a file of the cells of a field.
type dataFile struct {
	in         *frag
	slot, part int
}

// lostMetadata is a fragment whose metadata file is gone.
type lostMetadata struct{ f *frag }
