package tiledb

import (
	"context"
	"fmt"
	"math/bits"
	"sort"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// space returns the unfiltered bytes of tile k of a file of a field: its range in its own space.
func (f *frag) space(ctx context.Context, p placeOf) (model.Range, error) {
	f.mu.Lock()
	r, ok := f.spaces[p]
	f.mu.Unlock()
	if ok {
		return r, nil
	}
	t, base := f.a.d.t, f.slots[p.slot].file+partNames[p.part]
	file := f.files[base]
	if file == nil {
		return r, fmt.Errorf("%s.tdb is missing", base)
	}
	if err := t.Open(ctx, file); err != nil {
		return r, err
	}
	tiles := file.Get(tilesF.Name)
	if raw := file.Get(rawCells.Name); tiles == nil && raw != nil { // cells without tiles
		n := f.cellsPerTile(p.tile) * f.slots[p.slot].cell()
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
	if sizes := f.list(ctx, lVarSizes, slot); k < int64(len(sizes)) {
		n = int64(min(sizes[k], model.MaxDerived))
	}
	return startsOf(b, n), nil
}

// cellsPerTile is how many cells tile k has; 0 when that cannot be said.
func (f *frag) cellsPerTile(k int64) int64 {
	m := f.meta
	if !m.dense {
		if uint64(k) == m.tiles-1 {
			return int64(min(m.last, 1<<40))
		}
		return int64(min(m.schema.capacity.Uint(), 1<<40))
	}
	n := uint64(1)
	for i := range m.schema.dims {
		high, low := bits.Mul64(n, tileExtent(&m.schema.dims[i]))
		if n = low; high > 0 || low > 1<<40 {
			return 0
		}
	}
	return int64(n)
}

// tileExtent is the extent of a dimension of integers; its whole domain when it has none.
func tileExtent(d *dim) uint64 {
	if d.extent.Span != nil {
		return d.extent.Uint()
	}
	return spread(d.low.Value, d.high.Value) + 1
}

// grid is where the tiles of a dense fragment lie.
type grid struct {
	dims   []dim
	first  []uint64 // of each dimension: the first tile, counted from the low end of the domain
	count  []uint64 // tiles
	extent []uint64
	total  uint64
	tiles  bool // column-major order of tiles
	cells  bool // column-major order of cells
}

// grid returns the tiles of a dense fragment; false when its numbers make none.
func (f *frag) grid() (g grid, ok bool) {
	m := f.meta
	g = grid{dims: m.schema.dims, total: 1, tiles: m.schema.tileOrder.Uint() == 1, cells: m.schema.cellOrder.Uint() == 1}
	if len(m.domain) != len(g.dims) || m.null {
		return g, false
	}
	for i := range g.dims {
		d := &g.dims[i]
		e := tileExtent(d)
		if d.low.Span == nil || e == 0 || filter.IsFloat(d.datatype) {
			return g, false
		}
		from, to := m.domain[i].low.Uint()-d.low.Uint(), m.domain[i].high.Uint()-d.low.Uint()
		if to < from {
			return g, false
		}
		g.first, g.count, g.extent = append(g.first, from/e), append(g.count, to/e-from/e+1), append(g.extent, e)
		high, low := bits.Mul64(g.total, to/e-from/e+1)
		if g.total = low; high > 0 || low > 1<<40 {
			return g, false
		}
	}
	return g, true
}

// split turns a number into one coordinate for each dimension, of which dimension i has sizes[i].
func split(n uint64, sizes []uint64, colMajor bool, out []uint64) {
	for j := range sizes {
		i := len(sizes) - 1 - j
		if colMajor {
			i = j
		}
		out[i] = n % sizes[i]
		n /= sizes[i]
	}
}

// at returns the coordinate of a cell of a tile, as the datatype's value.
func (g *grid) at(tile, cell uint64, out []model.Value) {
	t, x := make([]uint64, len(g.dims)), make([]uint64, len(g.dims))
	split(tile, g.count, g.tiles, t)
	split(cell, g.extent, g.cells, x)
	for i := range g.dims {
		v := g.dims[i].low.Uint() + (g.first[i]+t[i])*g.extent[i] + x[i]
		if out[i] = model.U(v); filter.IsSigned(g.dims[i].datatype) {
			out[i] = model.I(int64(v))
		}
	}
}

// tiles is how many tiles of cells the fragment has, and cells how many cells they have together.
func (f *frag) count() (tiles, cells int64) {
	m := f.meta
	if !m.dense {
		if m.tiles == 0 || m.tiles > 1<<32 {
			return 0, 0
		}
		return int64(m.tiles), int64(m.tiles-1)*f.cellsPerTile(0) + int64(min(m.last, 1<<40))
	}
	g, ok := f.grid()
	if !ok {
		return 0, 0
	}
	n := f.cellsPerTile(0)
	if high, low := bits.Mul64(g.total, uint64(n)); high > 0 || low > 1<<50 {
		return 0, 0
	}
	return int64(g.total), int64(g.total) * n
}

// column is a column of the table of cells.
type column struct {
	name string
	typ  uint8
	num  uint32
	dim  int // of a dimension; -1
}

// cellTable is all cells of an array in the order in which they are stored, fragment by fragment.
type cellTable struct {
	a     *array
	frags []*frag
	ends  []int64 // rows up to and with each fragment
	cols  []column
}

func (x *cellTable) rows() int64 {
	if len(x.ends) == 0 {
		return 0
	}
	return x.ends[len(x.ends)-1]
}

// read returns rows of the table.
func (x *cellTable) read(ctx context.Context, first, n int64) ([]model.Row, error) {
	var out []model.Row
	n = max(0, min(n, x.rows()-first))
	for i := sort.Search(len(x.ends), func(i int) bool { return x.ends[i] > first }); n > 0 && i < len(x.ends); i++ {
		start := int64(0)
		if i > 0 {
			start = x.ends[i-1]
		}
		f, row := x.frags[i], first-start
		if f.load(ctx) == nil {
			return out, fmt.Errorf("fragment %s cannot be read", f.name)
		}
		per := max(1, f.cellsPerTile(0))
		for row < x.ends[i]-start && n > 0 {
			k := row / per
			if !f.meta.dense {
				k = min(k, int64(f.meta.tiles)-1)
			}
			cells := min(f.cellsPerTile(k)-(row-k*per), n)
			if cells <= 0 {
				return out, nil
			}
			page, err := x.page(ctx, f, k, row-k*per, cells)
			if err != nil {
				return out, err
			}
			out = append(out, page...)
			row, first, n = row+cells, first+cells, n-cells
		}
	}
	return out, nil
}

// page returns n rows of tile k from a cell on.
func (x *cellTable) page(ctx context.Context, f *frag, k, from, n int64) ([]model.Row, error) {
	rows := make([]model.Row, n)
	cells := make([]model.Cell, n*int64(len(x.cols)))
	for i := range rows {
		rows[i] = cells[i*len(x.cols) : (i+1)*len(x.cols)]
		rows[i][0] = model.Cell{Value: model.S(f.name)}
	}
	g, dense := grid{}, false
	if f.meta.dense {
		g, dense = f.grid()
	}
	at := make([]model.Value, len(x.cols))
	for j, col := range x.cols[1:] {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		set := func(i int64, c model.Cell) { rows[i][j+1] = c }
		if dense && col.dim >= 0 {
			for i := range n {
				g.at(uint64(k), uint64(from+i), at)
				set(i, model.Cell{Value: at[col.dim]})
			}
			continue
		}
		slot, part := f.column(col)
		if slot < 0 {
			continue // the field was added later: its cells are missing
		}
		if err := f.readColumn(ctx, slot, part, k, from, n, set); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			for i := range n {
				set(i, model.Cell{Trouble: err.Error()})
			}
		}
	}
	return rows, nil
}

// shows tells whether a column can be read when a file of the fragment was opened alone: it is the field of that file, or a
// coordinate of a dense fragment.
func (f *frag) shows(col column) bool {
	if f.meta.dense && col.dim >= 0 {
		return true
	}
	slot, _ := f.column(col)
	return slot >= 0 && f.slots[slot].file == f.only
}

// column finds a column's field in a fragment. Dimensions of fragments of before version 5 are parts of __coords.
func (f *frag) column(col column) (slot, coord int) {
	for i := range f.slots {
		if f.slots[i].coords {
			if f.meta.version < 5 && col.dim >= 0 {
				return i, col.dim
			}
			continue
		}
		if f.slots[i].name == col.name && (f.slots[i].dim != nil) == (col.dim >= 0) {
			return i, 0
		}
	}
	return -1, 0
}
