package tiledb

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// changedCell is an edit of a cell, and where the cell is.
type changedCell struct {
	at   []model.Value
	edit *cellEdit
}

// changedTiles groups edits of cells by the space tiles of the cells, in the order in which the tiles were named first.
func changedTiles(ctx context.Context, s *schemaInfo, edits []cellEdit) (tiles [][]changedCell, err error) {
	known := map[string]int{}
	for i := range edits {
		x := &edits[i]
		at, err := x.f.coordinates(ctx, x.cellPlace)
		if err != nil {
			return nil, err
		}
		var key string
		for j := range s.dims {
			if compare(at[j], s.dims[j].low.Value) < 0 || compare(at[j], s.dims[j].high.Value) > 0 {
				return nil, fmt.Errorf("the cell lies outside the domain: it is padding of its tile")
			}
			key += fmt.Sprintf("%d ", (at[j].Uint()-s.dims[j].low.Uint())/max(tileExtent(&s.dims[j]), 1))
		}
		if !x.f.meta.covers(at) {
			return nil, fmt.Errorf("the cell is padding of its tile: it lies outside what the fragment wrote")
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

// denseCells writes changed cells of a dense array: for each space tile a fragment whose box holds them. Cells of the box that were not
// changed are written as they are.
func denseCells(ctx context.Context, a *array, edits []cellEdit) (out []model.Edit, err error) {
	s := a.schemas.current()
	tiles, err := changedTiles(ctx, s, edits)
	if err != nil {
		return nil, err
	}
	now := a.timestamp()
	for _, changes := range tiles {
		var box [][2]model.Value
		byPlace := map[string][]*cellEdit{} // a cell may change in several places
		for _, c := range changes {
			if point := pointBox(c.at); box == nil {
				box = point
			} else {
				box = around([][][2]model.Value{box, point})
			}
			i, err := attributeAt(s, c.edit)
			if err != nil {
				return nil, err
			}
			key := placeKey(c.at, i)
			byPlace[key] = append(byPlace[key], c.edit)
		}
		set := func(at []model.Value, i int, v cellValue) (_ cellValue, err error) {
			for _, x := range byPlace[placeKey(at, i)] {
				if v, err = x.apply(x.field(), v); err != nil {
					break
				}
			}
			return v, err
		}
		files, err := a.denseFragment(ctx, now, box, set)
		if e := (*filter.Error)(nil); errors.As(err, &e) && e.Filter == filter.PositiveDelta { // the fill values around the box fall: take the whole tile
			files, err = a.denseFragment(ctx, now, tileAround(s, box), set)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, files...)
	}
	return out, nil
}

// placeKey tells an attribute of a cell from others.
func placeKey(at []model.Value, attribute int) string {
	b := binary.LittleEndian.AppendUint32(nil, uint32(attribute))
	for _, v := range at {
		b = binary.LittleEndian.AppendUint64(b, v.Uint())
	}
	return string(b)
}

// denseFragment is a fragment of the cells of a box, which lies in one space tile, as set changes them.
func (a *array) denseFragment(ctx context.Context, now uint64, box [][2]model.Value, set func([]model.Value, int, cellValue) (cellValue, error)) ([]model.Edit, error) {
	n, err := a.draft(now)
	if err != nil {
		return nil, err
	}
	t, err := n.denseTile(ctx, box, set)
	if err != nil {
		return nil, err
	}
	n.tiles = []newTile{t}
	return n.files(ctx)
}

// tileAround is the box of the space tile that holds a box, as far as it lies in the domain.
func tileAround(s *schemaInfo, box [][2]model.Value) [][2]model.Value {
	g, ok := gridOf(s, box)
	if !ok {
		return box
	}
	first, last := make([]model.Value, len(box)), make([]model.Value, len(box))
	g.at(0, 0, first)
	cells := uint64(1)
	for i := range s.dims {
		cells *= tileExtent(&s.dims[i])
	}
	g.at(0, cells-1, last)
	out := make([][2]model.Value, len(box))
	for i := range box {
		if out[i] = [2]model.Value{first[i], last[i]}; compare(last[i], s.dims[i].high.Value) > 0 {
			out[i][1] = s.dims[i].high.Value
		}
	}
	return out
}

func pointBox(at []model.Value) (box [][2]model.Value) {
	for _, v := range at {
		box = append(box, [2]model.Value{v, v})
	}
	return box
}

// mostTileCells is how many cells a dense tile may have to be written here.
const mostTileCells = 64 << 20

// denseTile is the space tile that holds a box: the cells of the box as readers see them and as set changes them, fill values around it.
func (n *newFragment) denseTile(ctx context.Context, box [][2]model.Value, set func([]model.Value, int, cellValue) (cellValue, error)) (newTile, error) {
	t := newTile{fields: make([]tileField, len(n.slots)), box: box}
	s := n.meta.schema
	n.meta.domain = nil
	g, ok := gridOf(s, box)
	cells := n.meta.cellsPerTile(0)
	if !ok || g.total != 1 || cells <= 0 || cells > mostTileCells {
		return t, fmt.Errorf("a tile of %d cells is not written here", cells)
	}
	at := make([]model.Value, len(s.dims))
	in := func(i int) bool {
		g.at(0, uint64(i), at)
		for j := range at {
			if compare(at[j], box[j][0]) < 0 || compare(at[j], box[j][1]) > 0 {
				return false
			}
		}
		return true
	}
	t.inside = in
	value := func(at []model.Value, attribute int) (cellValue, error) {
		v, err := n.f.a.denseCell(ctx, &s.attrs[attribute], at)
		if err == nil {
			v, err = set(at, attribute, v)
		}
		return v, err
	}
	for slot := range n.slots {
		sl := &n.slots[slot]
		if sl.attr == nil {
			continue
		}
		attribute := slices.IndexFunc(s.attrs, func(x attr) bool { return x.name.Text() == sl.name })
		fill := fillValue(ctx, n.f.a, sl.attr)
		if slices.ContainsFunc(sl.filters, func(f filter.Filter) bool { return f.Type == filter.ScaleFloat }) {
			// What lies around the box is nobody's: as the filter cannot keep NaN, it is a value of the box.
			var err error
			if fill, err = value(lowEnd(box), attribute); err != nil {
				return t, err
			}
		}
		t.fields[slot].data = make([]byte, 0, min(int64(len(fill.data))*cells, mostRewritten))
		for i := range int(cells) {
			v := fill
			if in(i) {
				var err error
				if v, err = value(at, attribute); err != nil {
					return t, err
				}
			}
			t.fields[slot].add(sl, v)
		}
	}
	return t, ctx.Err()
}

// lowEnd is the first corner of a box.
func lowEnd(box [][2]model.Value) (out []model.Value) {
	for _, r := range box {
		out = append(out, r[0])
	}
	return out
}

// denseCell is the value of an attribute that readers see at coordinates: that of the last fragment that wrote there.
func (a *array) denseCell(ctx context.Context, at *attr, coords []model.Value) (cellValue, error) {
	for _, f := range slices.Backward(a.fragList) {
		if !f.live || f.load(ctx) == nil || !f.meta.dense || !f.meta.covers(coords) {
			continue
		}
		g, ok := f.meta.grid()
		if !ok {
			return cellValue{}, fmt.Errorf("fragment %s cannot be read", f.name)
		}
		tile, cell := g.find(coords)
		return f.current(ctx, at, cellPlace{f, int64(tile), int64(cell)})
	}
	return fillValue(ctx, a, at), nil
}

// gridOf is the grid of the tiles that hold a box.
func gridOf(s *schemaInfo, box [][2]model.Value) (grid, bool) {
	f := &frag{meta: &fragmentMeta{footer: &footer{schema: s}}}
	for i := range box {
		at := func(v model.Value) model.Node { return model.Node{Value: v} }
		f.meta.domain = append(f.meta.domain, interval{low: at(box[i][0]), high: at(box[i][1])})
	}
	return f.meta.grid()
}
