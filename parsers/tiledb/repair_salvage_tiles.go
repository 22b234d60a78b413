package tiledb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/storage"
)

// Salvaging the tiles of a fragment.

// everyTile tells whether every tile of the fragment is as it should be.
func everyTile(ctx context.Context, f *frag, is func(tile, context.Context) bool) bool {
	tiles, _ := f.meta.Count()
	for k := range tiles {
		for x := range f.stored() {
			if !is(x.tile(k), ctx) {
				return false
			}
		}
	}
	return true
}

// reads tells whether the tile can be read.
func (x tile) reads(ctx context.Context) bool {
	_, err := x.whole(ctx)
	return err == nil
}

// agrees tells whether the tile can be read, and its cells may be those that were written.
func (x tile) agrees(ctx context.Context) bool { return x.reads(ctx) && !x.contradicted(ctx) }

// doubtful counts and notes the cells of readable tiles that do not contain what was written. A fragment keeps them unchanged: which of
// the values are wrong is unknown.
func (s *salvager) doubtful(ctx context.Context, f *frag) (n int64) {
	tiles, _ := f.meta.Count()
	for k := range tiles {
		wrong := ""
		for x := range f.stored() {
			if x.tile(k).contradicted(ctx) {
				wrong = x.Name
			}
		}
		if wrong != "" {
			n += f.meta.CellsPerTile(k)
			s.tiles = append(s.tiles, fmt.Sprintf("some values of %s in tile %d of fragment %s differ from those written, and are kept as read", wrong, k, f.name))
		}
	}
	return min(n, f.meta.Rows())
}

// contradicted tells whether the cells of the tile differ from what was written, according to the metadata: with a filter without checksum,
// damage yields other values.
func (x tile) contradicted(ctx context.Context) bool {
	t, err := x.whole(ctx)
	if err != nil {
		return false
	}
	if x.Variable() {
		r, err := x.offsets(ctx)
		b, _ := x.f.a.d.t.Bytes(ctx, r)
		return err == nil && misplaced(b, uint64(len(t.Data))) >= 0
	}
	if !x.summed() {
		return false
	}
	what, _, _ := x.repeated(ctx).differs(x.Slot, t.Measure(x.Slot, x.counted()))
	return what != ""
}

// tilesOf saves the tiles of a fragment with readable coordinates and at least one field: of a sparse one in a fragment of the same name, of a
// dense one each in a fragment of its own, because a fragment fills its box. Unreadable values of the other fields become missing, or the fill value.
func (s *salvager) tilesOf(ctx context.Context, f *frag) error {
	n := f.writing()
	kept, err := n.keep(ctx, f)
	if err != nil {
		return err
	}
	if len(kept.gone) > 0 {
		tiles, _ := f.meta.Count()
		s.tiles = append(s.tiles, fmt.Sprintf("tiles %s of %d of fragment %s", cutList(kept.gone), tiles, f.name))
	}
	for slot, list := range kept.filled {
		if s.lostTiles(f, slot, list, kept); len(list) == len(kept.tiles) {
			s.blank[f.slots[slot].Name]++
		}
	}
	n.Done, _ = f.conditions(ctx)
	if f.meta.Dense {
		return s.denseTiles(ctx, f, kept)
	}
	if n.Tiles = kept.tiles; f.stamp.version < writesFrom {
		x, err := s.replacement(f)
		if err != nil {
			return err
		}
		n.f, n.Meta, n.Slots = x, x.meta, x.slots
	}
	cells := int64(n.Cells())
	if err := s.write(ctx, n); err != nil {
		return err
	}
	s.cells.Saved += cells
	return nil
}

// keptTiles are the readable tiles of a fragment.
type keptTiles struct {
	tiles  []fragment.Tile
	places []int64    // their numbers
	gone   []string   // those of the others
	filled [][]string // tiles whose values are lost, by slot
}

// keep reads what can be read of the tiles of a fragment to be rewritten.
func (n *newFragment) keep(ctx context.Context, f *frag) (kept keptTiles, err error) {
	kept.filled = make([][]string, len(f.slots))
	tiles, _ := f.meta.Count()
	for k := range tiles {
		t, lost, read := n.readable(ctx, f, k)
		if !read || ctx.Err() != nil {
			kept.gone = append(kept.gone, fmt.Sprint(k))
			continue
		}
		for _, slot := range lost {
			if t.Fields[slot], err = unknown(ctx, f, slot, f.meta.CellsPerTile(k)); err != nil {
				return kept, err
			}
			kept.filled[slot] = append(kept.filled[slot], fmt.Sprint(k))
		}
		n.FindBox(&t, k)
		kept.tiles, kept.places = append(kept.tiles, t), append(kept.places, k)
	}
	if len(kept.tiles) == 0 {
		err = fmt.Errorf("no tile of it can be read")
	}
	return kept, err
}

// readable reads what can be read of a tile of a fragment to be rewritten, and tells which slots are lost. Without coordinates nothing can be used.
func (n *newFragment) readable(ctx context.Context, f *frag, k int64) (t fragment.Tile, lost []int, ok bool) {
	t.Fields = make([]fragment.Cells, len(f.slots))
	for slot, x := range n.Files() {
		var err error
		at := f.tile(slot, k)
		switch t.Fields[slot], err = at.whole(ctx); {
		case err == nil && !at.contradicted(ctx): // rewritten, wrong values would get matching checksums
			ok = ok || x.Attr != nil || !f.meta.Dense
		case x.Attr == nil:
			return t, nil, false
		default:
			lost = append(lost, slot)
		}
	}
	return t, lost, ok
}

// unknown is n cells of an attribute with lost values: missing if possible, otherwise the value of cells that were never written.
func unknown(ctx context.Context, f *frag, slot int, n int64) (t fragment.Cells, err error) {
	s := &f.slots[slot]
	v := fillValue(ctx, f.a, s.Attr)
	if s.Nullable && s.Attr.Enum.Text() != "" {
		clear(v.Data) // TileDB-Py also looks up the label of a missing cell, and the fill value has none
	}
	if n > mostRewritten/max(8, int64(len(v.Data))) {
		return t, fmt.Errorf("the values of %s are lost in a tile of %s cells, which is too large to rewrite", s.Name, model.Thousands(n))
	}
	for range n {
		if s.Variable() {
			t.Starts = append(t.Starts, int64(len(t.Data)))
		}
		t.Data = append(t.Data, v.Data...)
	}
	if s.Nullable {
		t.Valid = make([]byte, n)
	}
	return t, nil
}

// lostTiles notes the tiles in which the values of an attribute are lost, and their total number in all kept tiles.
func (s *salvager) lostTiles(f *frag, slot int, lost []string, kept keptTiles) {
	if len(lost) == 0 {
		return
	}
	for i, k := range kept.places {
		n := f.meta.CellsPerTile(k)
		for c := range n {
			if in := kept.tiles[i].Inside; in != nil && !in(int(c)) { // it pads a tile of a dense array
				n--
			}
		}
		if s.values.Of += n; !slices.Contains(lost, fmt.Sprint(k)) {
			s.values.Saved += n
		}
	}
	instead := "the fill value"
	if f.slots[slot].Nullable {
		instead = "missing"
	}
	s.filled = append(s.filled, fmt.Sprintf("values of %s in tiles %s of fragment %s, which become %s", f.slots[slot].Name, strings.Join(lost, ", "), f.name, instead))
}

// denseTiles adds the tiles of a dense fragment, and fails if none can be written.
func (s *salvager) denseTiles(ctx context.Context, f *frag, kept keptTiles) (err error) {
	var unwritten []string
	for i, t := range kept.tiles {
		if failed := s.denseTile(ctx, f, t, kept.places[i]); failed != nil {
			unwritten, err = append(unwritten, fmt.Sprint(kept.places[i])), failed
		}
	}
	if len(unwritten) == 0 || len(unwritten) == len(kept.tiles) {
		return err
	}
	s.tiles = append(s.tiles, fmt.Sprintf("tiles %s of fragment %s (%v)", cutList(unwritten), f.name, err))
	return nil
}

// denseTile adds tile k of a dense fragment as a fragment of its own, with the same times.
func (s *salvager) denseTile(ctx context.Context, f *frag, t fragment.Tile, k int64) error {
	g, ok := f.meta.Grid()
	x, err := s.replacement(f)
	if !ok || err != nil {
		return cmp.Or(err, errors.New("its bounding box contains no tiles"))
	}
	rows := int64(1)
	t.Box = g.Tile(uint64(k)).Within(f.meta.Box())
	for _, r := range t.Box {
		rows *= int64(storage.Spread(r[0], r[1]) + 1)
	}
	n := x.writing()
	n.Tiles = []fragment.Tile{t}
	if err := s.write(ctx, n); err != nil {
		return err
	}
	s.cells.Saved += rows
	return nil
}
