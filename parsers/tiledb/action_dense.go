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
		files, err := add.box(ctx, box, byPlace.set)
		if e := (*filter.Error)(nil); errors.As(err, &e) && e.Filter == filter.PositiveDelta { // the fill values around the box decrease, so encode the whole tile
			files, err = add.box(ctx, tileAround(s, box), byPlace.set)
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

// box writes the cells of a box inside one space tile, with the changes of set.
func (x addition) box(ctx context.Context, box fragment.Box, set func([]model.Value, int, fragment.Value) (fragment.Value, error)) ([]model.Edit, error) {
	n, err := x.draft()
	if err != nil {
		return nil, err
	}
	t, err := n.denseTile(ctx, box, set)
	if err != nil {
		return nil, err
	}
	n.Tiles = []fragment.Tile{t}
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

// mostTileCells is the largest number of cells in a dense tile that is written here.
const mostTileCells = 64 << 20

// denseTile is the space tile that contains a box: the cells of the box as readers see them and as set changes them, with fill values around it.
func (n *newFragment) denseTile(ctx context.Context, box fragment.Box, set func([]model.Value, int, fragment.Value) (fragment.Value, error)) (fragment.Tile, error) {
	t := fragment.Tile{Fields: make([]fragment.Cells, len(n.Slots)), Box: box}
	s := n.Meta.Schema
	n.Meta.Domain = nil
	g, ok := gridOf(s, box)
	cells := n.Meta.CellsPerTile(0)
	if !ok || g.Total != 1 || cells <= 0 || cells > mostTileCells {
		return t, fmt.Errorf("a tile of %d cells is too large to write", cells)
	}
	at := make([]model.Value, len(s.Dims))
	t.Inside = func(i int) bool { g.At(0, uint64(i), at); return box.Holds(at) }
	var err error
	value := func(at []model.Value, attribute int) (v fragment.Value) {
		if v, err = n.seen(ctx, &s.Attrs[attribute], at); err == nil {
			v, err = set(at, attribute, v)
		}
		return v
	}
	for slot, sl := range n.Files() {
		fill := fillValue(ctx, n.f.a, sl.Attr)
		if slices.ContainsFunc(sl.Filters, func(f filter.Filter) bool { return f.Type == filter.ScaleFloat }) {
			// The content around the box does not matter: because the filter cannot preserve NaN, it is a value of the box.
			fill = value(box.Low(), sl.At)
		}
		t.Fields[slot].Data = make([]byte, 0, min(int64(len(fill.Data))*cells, mostRewritten))
		for i := 0; i < int(cells) && err == nil; i++ {
			v := fill
			if t.Inside(i) {
				v = value(at, sl.At)
			}
			t.Fields[slot].Add(sl, v)
		}
		if err != nil {
			return t, err
		}
	}
	return t, ctx.Err()
}

// seen is the value of an attribute at coordinates as readers see it: that of the last fragment that wrote there.
func (n *newFragment) seen(ctx context.Context, at *schema.Attribute, coords []model.Value) (fragment.Value, error) {
	for _, f := range slices.Backward(n.f.a.fragList) {
		if !f.live || f.load(ctx) == nil || !f.meta.Dense || !f.meta.Covers(coords) {
			continue
		}
		g, ok := f.meta.Grid()
		if !ok {
			return fragment.Value{}, fmt.Errorf("fragment %s cannot be read", f.name)
		}
		tile, cell := g.Find(coords)
		return cellPlace{f, int64(tile), int64(cell)}.current(ctx, at)
	}
	return fillValue(ctx, n.f.a, at), nil
}

// gridOf is the grid of the tiles that contain a box.
func gridOf(s *schema.Schema, box fragment.Box) (fragment.Grid, bool) {
	return (&fragment.Metadata{Footer: &fragment.Footer{Schema: s, Domain: box.Intervals()}}).Grid()
}
