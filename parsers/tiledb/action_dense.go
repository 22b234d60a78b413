package tiledb

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// changedCell is an edit of a cell, and its place; nil if the cell stays.
type changedCell struct {
	at   []model.Value
	edit *cellEdit
}

// changedCells are edits of cells with their places.
func changedCells(ctx context.Context, edits []cellEdit) (out []changedCell, err error) {
	for i := range edits {
		x := &edits[i]
		at, err := x.coordinates(ctx)
		if err != nil {
			return nil, err
		}
		if !x.f.meta.Covers(at) {
			return nil, fmt.Errorf("the cell is padding of its tile: it is outside the area that the fragment wrote")
		}
		out = append(out, changedCell{at, x})
	}
	return out, nil
}

// changedTiles groups edits of cells by space tile, in the order of first appearance.
func changedTiles(s *schema.Schema, cells []changedCell) (tiles [][]changedCell, err error) {
	known := map[string]int{}
	for _, x := range cells {
		for j := range s.Dims {
			if !s.Dims[j].Holds(x.at[j], x.at[j]) {
				return nil, fmt.Errorf("the cell is outside the domain: it is padding of its tile")
			}
		}
		key := tileKey(s.Dims, x.at)
		k, ok := known[key]
		if !ok {
			k, known[key] = len(tiles), len(tiles)
			tiles = append(tiles, nil)
		}
		tiles[k] = append(tiles[k], x)
	}
	return tiles, nil
}

// tileKey identifies the space tile of a cell.
func tileKey(dims []schema.Dimension, at []model.Value) (key string) {
	for i, v := range at {
		key += fmt.Sprintf("%d ", storage.Spread(dims[i].Low.Value, v)/max(fragment.TileExtent(&dims[i]), 1))
	}
	return key
}

// dense writes changed cells of a dense array: for each space tile a fragment whose box contains them. Other cells in the box are
// written unchanged.
func (x addition) dense(ctx context.Context, cells []changedCell) (out []model.Edit, err error) {
	tiles, err := changedTiles(x.s, cells)
	if err != nil {
		return nil, err
	}
	for _, changes := range tiles {
		files, err := x.changedTile(ctx, changes)
		if err != nil {
			return nil, err
		}
		out = append(out, files...)
	}
	return out, nil
}

// changedTile writes the changed cells of a space tile as a fragment.
func (x addition) changedTile(ctx context.Context, changes []changedCell) ([]model.Edit, error) {
	whole := tileAround(x.s, fragment.Point(changes[0].at))
	v := &view{x.a, asOfNow, x.s}
	b, err := newBox(ctx, v.cells(), v.glances(ctx), whole)
	if err != nil {
		return nil, err
	}
	c, err := x.change(ctx, b, nil, nil, nil)
	if err != nil {
		return nil, err
	}
	var box fragment.Box
	for _, one := range changes {
		if box = box.With(fragment.Point(one.at)); one.edit == nil {
			continue
		}
		if err := c.edit(ctx, int64(b.box.Place(one.at)), one.edit); err != nil {
			return nil, err
		}
	}
	c.sort()
	files, err := x.box(ctx, box, b.columns(c))
	if e := (*filter.Error)(nil); errors.As(err, &e) && e.Filter == filter.PositiveDelta { // the fill values around the box decrease, so encode the whole tile
		return x.box(ctx, whole, b.columns(c))
	}
	return files, err
}

// box writes the cells of a box as one fragment, field by field.
func (x addition) box(ctx context.Context, box fragment.Box, columns columnOf) ([]model.Edit, error) {
	n, err := x.draft()
	if err != nil {
		return nil, err
	}
	g, ok := gridOf(n.Meta.Schema, box)
	if all, fits := model.Times(g.Total, uint64(n.Meta.CellsPerTile(0)), mostTileCells); !ok || !fits || all == 0 {
		return nil, fmt.Errorf("the tiles around the cells are too large to write: at most %s at once", model.Count(mostTileCells, "cells"))
	}
	for k := range g.Total {
		t, err := n.denseTile(ctx, g.Tile(k).Within(box), columns)
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

// denseTile is the space tile that a box is in: the cells of the box, with fill values around it.
func (n *newFragment) denseTile(ctx context.Context, box fragment.Box, columns columnOf) (fragment.Tile, error) {
	t := fragment.Tile{Fields: make([]fragment.Cells, len(n.Slots)), Box: box}
	s := n.Meta.Schema
	n.Meta.Domain = nil
	g, ok := gridOf(s, box)
	if !ok || g.Total != 1 {
		return t, errors.New("the cells are not in one tile")
	}
	for _, f := range n.f.a.fragList {
		if f.live && f.load(ctx) != nil && !f.meta.Null && !f.meta.Dense && f.meta.Box().Meets(box) {
			return t, fmt.Errorf("fragment %s has single cells there, which are read-only here: consolidate the array with TileDB first", f.name)
		}
	}
	t.Inside = g.Inside(0, box)
	for slot, sl := range n.Files() {
		var err error
		if t.Fields[slot], err = columns(ctx, sl, box, fillValue(ctx, n.f.a, &s.Attrs[sl.At])); err != nil {
			return t, err
		}
	}
	return t, ctx.Err()
}

// scaled tells whether a field's floats are stored as integers.
func scaled(s *fragment.Slot) bool {
	return slices.ContainsFunc(s.Filters, func(f filter.Filter) bool { return f.Type == filter.ScaleFloat })
}

// gridOf is the grid of the tiles that contain a box.
func gridOf(s *schema.Schema, box fragment.Box) (fragment.Grid, bool) {
	return (&fragment.Metadata{Footer: &fragment.Footer{Schema: s, Domain: box.Intervals()}}).Grid()
}
