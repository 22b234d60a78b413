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
