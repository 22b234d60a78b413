package tiledb

import (
	"math/bits"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

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
func (m *fragmentMeta) grid() (g grid, ok bool) {
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

// widths are how many cells a box has along each dimension, and in all; 0 for too many.
func (g *grid) widths(box []interval) (list []uint64, cells uint64) {
	cells = 1
	for i := range box {
		n := box[i].high.Uint() - box[i].low.Uint() + 1
		high, low := bits.Mul64(cells, n)
		if list, cells = append(list, n), low; high > 0 || low > 1<<50 || n == 0 {
			return nil, 0
		}
	}
	return list, cells
}

// row is the tile and the cell of cell n of a box, in the order of cells, and how many cells of the box follow in the tile.
func (g *grid) row(box []interval, n uint64) (tile, cell, run uint64) {
	sizes, cells := g.widths(box)
	if n >= cells {
		return 0, 0, 0
	}
	x, t := make([]uint64, len(g.dims)), make([]uint64, len(g.dims))
	split(n, sizes, g.cells, x)
	fast := len(g.dims) - 1
	if g.cells {
		fast = 0
	}
	run = sizes[fast] - x[fast]
	for i := range g.dims {
		at := box[i].low.Uint() - g.dims[i].low.Uint() + x[i]
		t[i], x[i] = at/g.extent[i]-g.first[i], at%g.extent[i]
	}
	return join(t, g.count, g.tiles), join(x, g.extent, g.cells), min(run, g.extent[fast]-x[fast])
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
		out[i] = g.dims[i].valueOf(v)
	}
}

// find is the tile of a coordinate, and the cell in it: the inverse of at.
func (g *grid) find(at []model.Value) (tile, cell uint64) {
	t, x := make([]uint64, len(g.dims)), make([]uint64, len(g.dims))
	for i := range g.dims {
		n := at[i].Uint() - g.dims[i].low.Uint()
		t[i], x[i] = n/g.extent[i]-g.first[i], n%g.extent[i]
	}
	return join(t, g.count, g.tiles), join(x, g.extent, g.cells)
}

// join is the inverse of split.
func join(at, sizes []uint64, colMajor bool) (n uint64) {
	for j := range sizes {
		i := j
		if colMajor {
			i = len(sizes) - 1 - j
		}
		n = n*sizes[i] + at[i]
	}
	return n
}

// covers tells whether coordinates lie in the box of the fragment.
func (m *fragmentMeta) covers(at []model.Value) bool {
	for i := range m.domain {
		low, high := m.domain[i].ends()
		if compare(at[i], low) < 0 || compare(at[i], high) > 0 {
			return false
		}
	}
	return !m.null
}

// cellsPerTile is how many cells tile k has; 0 when that cannot be said.
func (m *fragmentMeta) cellsPerTile(k int64) int64 {
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

// tiles is how many tiles of cells the fragment has, and cells how many cells they have together.
func (m *fragmentMeta) count() (tiles, cells int64) {
	if !m.dense {
		if m.tiles == 0 || m.tiles > 1<<32 {
			return 0, 0
		}
		return int64(m.tiles), int64(m.tiles-1)*m.cellsPerTile(0) + int64(min(m.last, 1<<40))
	}
	g, ok := m.grid()
	if !ok {
		return 0, 0
	}
	n := m.cellsPerTile(0)
	if high, low := bits.Mul64(g.total, uint64(n)); high > 0 || low > 1<<50 {
		return 0, 0
	}
	return int64(g.total), int64(g.total) * n
}

// rows is how many cells the fragment wrote: those that pad dense tiles are none.
func (m *fragmentMeta) rows() int64 {
	_, cells := m.count()
	if g, ok := m.grid(); ok && m.dense && cells > 0 {
		_, n := g.widths(m.domain)
		return int64(n)
	}
	return cells
}

// inside tells which cells of tile k are data; nil: all.
func (m *fragmentMeta) inside(k int64) func(i int) bool {
	if !m.dense {
		return nil
	}
	g, ok := m.grid()
	if !ok {
		return nil
	}
	at := make([]model.Value, len(g.dims))
	return func(i int) bool { g.at(uint64(k), uint64(i), at); return m.covers(at) }
}
