package tiledb

import (
	"context"
	"errors"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/storage"
)

// Changed rows of a dense array are written as columns: a tile of a new fragment gets the cells of the fragments below it line by line, and the new
// ones over them.

// setRuns makes the edits for typed cells and runs: as columns, or cell by cell where the array cannot be read or written as columns.
func setRuns(ctx context.Context, t *model.Table, x readAs, cells []model.Typed, runs []model.Run) ([]model.Edit, error) {
	edits, err := setColumns(ctx, t, x, cells, runs)
	if e := (*filter.Error)(nil); errors.Is(err, errAsCells) || errors.As(err, &e) && e.Filter == filter.PositiveDelta {
		return setCells(ctx, x, t.AsTyped(cells, runs))
	}
	return edits, err
}

// setColumns makes the edits for typed cells and runs as columns.
func setColumns(ctx context.Context, t *model.Table, x readAs, cells []model.Typed, runs []model.Run) ([]model.Edit, error) {
	b, dense := x.(*boxTable)
	if !x.table().a.d.whole() || !dense && !x.table().merged() {
		return nil, errAsCells
	}
	c, err := x.table().a.adding().change(ctx, x, t, cells, runs)
	switch {
	case err != nil:
		return nil, err
	case dense:
		return b.setColumns(ctx, c)
	}
	return c.sparse(ctx)
}

// setColumns writes a fragment for each box in which cells change.
func (b *boxTable) setColumns(ctx context.Context, c *changing) (out []model.Edit, err error) {
	for _, box := range b.joined(b.tilesOf(c.rows)) {
		files, err := c.add.box(ctx, box, b.columns(c))
		if err != nil {
			return nil, err
		}
		out = append(out, files...)
	}
	return out, nil
}

// columns gives the cells of fields as they are after a change.
func (b *boxTable) columns(c *changing) columnOf {
	return func(ctx context.Context, s *fragment.Slot, box fragment.Box, fill fragment.Value) (fragment.Cells, error) {
		return c.lined(s, box, fill, func(at []model.Value, n int64) (out fragment.Cells, err error) {
			row := int64(b.box.Place(at))
			return out, c.extend(ctx, &out, s, []rowRange{{row, row + n}})
		})
	}
}

// tilesOf are the boxes of rows, by space tile.
func (b *boxTable) tilesOf(rows []rowRange) (boxes []fragment.Box) {
	tiles, last := map[string]int{}, len(b.dims)-1
	for _, r := range rows {
		for n := int64(0); r.from < r.to; r.from += n {
			x := b.at(r.from)
			extent := max(fragment.TileExtent(&b.dims[last]), 1)
			left := min(b.sizes[last]-x[last], extent-(b.low[last]+x[last]-b.dims[last].Low.Uint())%extent)
			n = int64(min(uint64(r.to-r.from), left))
			key := tileKey(b.dims, b.coordinates(x))
			k, ok := tiles[key]
			if !ok {
				k, tiles[key], boxes = len(boxes), len(boxes), append(boxes, nil)
			}
			boxes[k] = boxes[k].With(fragment.Point(b.coordinates(x)))
			x[last] += uint64(n) - 1
			boxes[k] = boxes[k].With(fragment.Point(b.coordinates(x)))
		}
	}
	return boxes
}

// mostJoined is how many cells the tiles of a fragment of several ones have at most.
const mostJoined = 1 << 24

// joined joins the boxes of neighbouring tiles: not those that have as many others between them. As the cells of a box are what they will be, boxes
// may overlap.
func (b *boxTable) joined(tiles []fragment.Box) (out []fragment.Box) {
	n := uint64(0) // tiles of the last one
	for _, box := range tiles {
		if n++; len(out) > 0 {
			both := out[len(out)-1].With(box)
			if g, ok := gridOf(b.view.schema, both); ok && g.Total <= 2*n && g.Total <= mostJoined/max(g.PerTile(mostJoined), 1) {
				out[len(out)-1] = both
				continue
			}
		}
		out, n = append(out, box), 1
	}
	return out
}

// lined is a tile of a field: the cells of a box in it, line by line along the last dimension, and fill values around them.
func (n *newFragment) lined(s *fragment.Slot, box fragment.Box, fill fragment.Value, line func(at []model.Value, n int64) (fragment.Cells, error)) (out fragment.Cells, err error) {
	g, ok := gridOf(n.Meta.Schema, box)
	if !ok || g.Total != 1 {
		return out, errAsCells
	}
	lines, last := uint64(1), len(box)-1
	var sizes []uint64
	for _, r := range box[:last] {
		sizes = append(sizes, storage.Spread(r[0], r[1])+1)
		lines *= sizes[len(sizes)-1]
	}
	var tile *fragment.Laid
	x, at := make([]uint64, last), box.Low()
	for k := range lines {
		fragment.Split(k, sizes, false, x)
		for d := range x {
			at[d] = g.Dims[d].ValueOf(box[d][0].Uint() + x[d])
		}
		cells, err := line(at, int64(storage.Spread(box[last][0], box[last][1])+1))
		if err != nil {
			return out, err
		}
		if tile == nil {
			if scaled(s) { // the content around the box does not matter: because the filter cannot preserve NaN, it is a value of the box
				fill.Data = cells.At(s, 0)
			}
			tile = fragment.NewLaid(&g, s, fill)
		}
		tile.Lay(at, cells)
	}
	return *tile.Cells(), nil
}

// columnOf gives the cells of a field in a box, cell after cell of its tile.
type columnOf func(ctx context.Context, s *fragment.Slot, box fragment.Box, fill fragment.Value) (fragment.Cells, error)
