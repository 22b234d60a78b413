package tiledb

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/schema"
)

// changedCell is an edit of a cell, and its place.
type changedCell struct {
	at   []model.Value
	edit *cellEdit
}

// changedTiles groups edits of cells by space tile, in the order of first appearance.
func changedTiles(ctx context.Context, s *schema.Schema, edits []cellEdit) (tiles [][]changedCell, err error) {
	known := map[string]int{}
	for i := range edits {
		x := &edits[i]
		at, err := x.coordinates(ctx)
		if err != nil {
			return nil, err
		}
		var key string
		for j := range s.Dims {
			if !s.Dims[j].Holds(at[j], at[j]) {
				return nil, fmt.Errorf("the cell is outside the domain: it is padding of its tile")
			}
			key += fmt.Sprintf("%d ", (at[j].Uint()-s.Dims[j].Low.Uint())/max(fragment.TileExtent(&s.Dims[j]), 1))
		}
		if !x.f.meta.Covers(at) {
			return nil, fmt.Errorf("the cell is padding of its tile: it is outside the area that the fragment wrote")
		}
		k, ok := known[key]
		if !ok {
			k, known[key] = len(tiles), len(tiles)
			tiles = append(tiles, nil)
		}
		tiles[k] = append(tiles[k], changedCell{at, x})
	}
	return tiles, nil
}

// denseCells writes changed cells of a dense array: for each space tile a fragment whose box contains them. Other cells in the box are
// written unchanged.
func denseCells(ctx context.Context, a *array, edits []cellEdit) (out []model.Edit, err error) {
	s := a.schemas.Current()
	tiles, err := changedTiles(ctx, s, edits)
	if err != nil {
		return nil, err
	}
	add := a.adding()
	for _, changes := range tiles {
		box, byPlace, err := placesOf(s, changes)
		if err != nil {
			return nil, err
		}
		files, err := add.box(ctx, box, byPlace.set, single)
		if e := (*filter.Error)(nil); errors.As(err, &e) && e.Filter == filter.PositiveDelta { // the fill values around the box decrease, so encode the whole tile
			files, err = add.box(ctx, tileAround(s, box), byPlace.set, single)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, files...)
	}
	return out, nil
}

// editsByPlace are the edits of each attribute of a cell, which may change in several places.
type editsByPlace map[string][]*cellEdit

// set applies the edits of attribute i of a cell to its value.
func (e editsByPlace) set(at []model.Value, i int, v fragment.Value) (_ fragment.Value, err error) {
	for _, x := range e[placeKey(at, i)] {
		if v, err = x.apply(x.field(), v); err != nil {
			break
		}
	}
	return v, err
}

// placesOf returns the bounding box of changes, and the edits by place.
func placesOf(s *schema.Schema, changes []changedCell) (box fragment.Box, edits editsByPlace, err error) {
	edits = editsByPlace{}
	for _, c := range changes {
		box = box.With(fragment.Point(c.at))
		i, err := attributeAt(s, c.edit)
		if err != nil {
			return nil, nil, err
		}
		key := placeKey(c.at, i)
		edits[key] = append(edits[key], c.edit)
	}
	return box, edits, nil
}

// placeKey identifies an attribute of a cell.
func placeKey(at []model.Value, attribute int) string {
	b := binary.LittleEndian.AppendUint32(nil, uint32(attribute))
	for _, v := range at {
		b = binary.LittleEndian.AppendUint64(b, v.Uint())
	}
	return string(b)
}

// change gives attribute i of the cell at these coordinates its new value.
type change func(at []model.Value, i int, v fragment.Value) (fragment.Value, error)

func unchanged(_ []model.Value, _ int, v fragment.Value) (fragment.Value, error) { return v, nil }

// box writes the cells of a box as one fragment, with the changes of set, or as columns.
func (x addition) box(ctx context.Context, box fragment.Box, set change, columns columnOf) ([]model.Edit, error) {
	n, err := x.draft()
	if err != nil {
		return nil, err
	}
	g, ok := gridOf(n.Meta.Schema, box)
	if all, fits := model.Times(g.Total, uint64(n.Meta.CellsPerTile(0)), mostTileCells); !ok || !fits || all == 0 {
		return nil, fmt.Errorf("the tiles around the cells are too large to write: at most %s at once", model.Count(mostTileCells, "cells"))
	}
	for k := range g.Total {
		t, err := n.denseTile(ctx, g.Tile(k).Within(box), set, columns)
		if err != nil {
			return nil, err
		}
		n.Tiles = append(n.Tiles, t)
	}
	return n.files(ctx)
}

// tileAround is the space tile that contains a box, clipped to the domain.
func tileAround(s *schema.Schema, box fragment.Box) fragment.Box {
	g, ok := gridOf(s, box)
	if !ok {
		return box
	}
	return g.Tile(0).Within(domainOf(s))
}

// domainOf is the domain of an array of numbers.
func domainOf(s *schema.Schema) (b fragment.Box) {
	for i := range s.Dims {
		b = append(b, [2]model.Value{s.Dims[i].Low.Value, s.Dims[i].High.Value})
	}
	return b
}

// mostTileCells is how many cells the dense tiles of a fragment may have to be written here.
const mostTileCells = 64 << 20

// denseTile is the space tile that a box is in: the cells of the box as readers see them and as set changes them, with fill values around it.
func (n *newFragment) denseTile(ctx context.Context, box fragment.Box, set change, columns columnOf) (fragment.Tile, error) {
	t := fragment.Tile{Fields: make([]fragment.Cells, len(n.Slots)), Box: box}
	s := n.Meta.Schema
	n.Meta.Domain = nil
	g, ok := gridOf(s, box)
	cells := n.Meta.CellsPerTile(0)
	if !ok || g.Total != 1 {
		return t, errors.New("the cells are not in one tile")
	}
	at := make([]model.Value, len(s.Dims))
	place := func(i int) []model.Value { g.At(0, uint64(i), at); return at }
	t.Inside = g.Inside(0, box)
	under, err := n.under(ctx, box)
	if err != nil {
		return t, err
	}
	for slot, sl := range n.Files() {
		attr := &s.Attrs[sl.At]
		fill := fillValue(ctx, n.f.a, attr)
		if field, err := columns(ctx, sl, box, fill); err != nil {
			return t, err
		} else if field != nil {
			t.Fields[slot] = *field
			continue
		}
		x := denseField{sl, fill, func(at []model.Value) (fragment.Value, error) {
			v, err := under.seen(ctx, attr, at, fill)
			if err != nil {
				return v, err
			}
			return set(at, sl.At, v)
		}}
		if t.Fields[slot], err = x.cells(cells, box, place); err != nil {
			return t, err
		}
	}
	return t, ctx.Err()
}

// denseField is a field of a new dense tile, and the value that it gets at coordinates.
type denseField struct {
	*fragment.Slot
	fill  fragment.Value
	value func(at []model.Value) (fragment.Value, error)
}

// cells are the cells of the tile: those of the box, and fill values around it.
func (x denseField) cells(n int64, box fragment.Box, place func(i int) []model.Value) (out fragment.Cells, err error) {
	around := x.fill
	if scaled(x.Slot) { // the content around the box does not matter: because the filter cannot preserve NaN, it is a value of the box
		if around, err = x.value(box.Low()); err != nil {
			return out, err
		}
	}
	out.Data = make([]byte, 0, min(int64(len(x.fill.Data))*n, mostRewritten))
	for i := range int(n) {
		v := around
		if at := place(i); box.Holds(at) {
			if v, err = x.value(at); err != nil {
				return out, err
			}
		}
		out.Add(x.Slot, v)
	}
	return out, nil
}

// scaled tells whether a field's floats are stored as integers.
func scaled(s *fragment.Slot) bool {
	return slices.ContainsFunc(s.Filters, func(f filter.Filter) bool { return f.Type == filter.ScaleFloat })
}

// layer is a fragment that wrote in a new tile, and the tile of a field of it that was read last: neighbours are in the same.
type layer struct {
	f     *frag
	box   fragment.Box
	grid  fragment.Grid
	tile  tile
	cells fragment.Cells
}

// layers are the fragments that wrote in a box, as readers see them: the newest first.
type layers []layer

// under are the layers of a box.
func (n *newFragment) under(ctx context.Context, box fragment.Box) (out layers, err error) {
	for _, f := range slices.Backward(n.f.a.fragList) {
		if !f.live || f.load(ctx) == nil || f.meta.Null || !f.meta.Box().Meets(box) {
			continue
		}
		g, ok := f.meta.Grid()
		switch {
		case !f.meta.Dense:
			return nil, fmt.Errorf("fragment %s has single cells there, which are read-only here: consolidate the array with TileDB first", f.name)
		case !ok:
			return nil, fmt.Errorf("fragment %s cannot be read", f.name)
		}
		out = append(out, layer{f: f, box: f.meta.Box(), grid: g})
	}
	return out, nil
}

// seen is the value of an attribute at coordinates as readers see it: that of the last fragment that wrote there, or the fill value.
func (under layers) seen(ctx context.Context, at *schema.Attribute, coords []model.Value, fill fragment.Value) (fragment.Value, error) {
	for i := range under {
		if l := &under[i]; l.box.Holds(coords) {
			slot := slotOf(l.f.slots, at)
			if slot < 0 {
				return fill, nil
			}
			return l.value(ctx, slot, coords)
		}
	}
	return fill, nil
}

// value is that of a field at coordinates in the box.
func (l *layer) value(ctx context.Context, slot int, coords []model.Value) (v fragment.Value, err error) {
	k, cell := l.grid.Find(coords)
	if x := l.f.tile(slot, int64(k)); x != l.tile {
		if l.cells, err = x.whole(ctx); err != nil {
			return v, err
		}
		l.tile = x
	}
	s := &l.f.slots[slot]
	if v.Data, v.Valid = l.cells.At(s, int(cell)), 1; s.Nullable {
		v.Valid = l.cells.Valid[cell]
	}
	return v, nil
}

// gridOf is the grid of the tiles that contain a box.
func gridOf(s *schema.Schema, box fragment.Box) (fragment.Grid, bool) {
	return (&fragment.Metadata{Footer: &fragment.Footer{Schema: s, Domain: box.Intervals()}}).Grid()
}
