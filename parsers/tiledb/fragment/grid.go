package fragment

import (
	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// TileExtent is the extent of an integer dimension; its whole domain if it has none.
func TileExtent(d *schema.Dimension) uint64 {
	if d.Extent.Span != nil {
		return d.Extent.Uint()
	}
	return storage.Spread(d.Low.Value, d.High.Value) + 1
}

// Grid is the positions of the tiles of a dense fragment.
type Grid struct {
	Dims   []schema.Dimension
	First  []uint64 // of each dimension: the first tile, counted from the low end of the domain
	Count  []uint64 // tiles
	Extent []uint64
	Total  uint64
	Tiles  bool // column-major order of tiles
	Cells  bool // column-major order of cells
}

// Grid returns the tiles of a dense fragment; false if its numbers are not valid.
func (m *Metadata) Grid() (g Grid, ok bool) {
	g = Grid{Dims: m.Schema.Dims, Total: 1, Tiles: m.Schema.TileOrder.Uint() == schema.ColMajor, Cells: m.Schema.CellOrder.Uint() == schema.ColMajor}
	if len(m.Domain) != len(g.Dims) || m.Null {
		return g, false
	}
	for i := range g.Dims {
		d := &g.Dims[i]
		e := TileExtent(d)
		if d.Low.Span == nil || e == 0 || filter.IsFloat(d.Datatype) {
			return g, false
		}
		from, to := m.Domain[i].Low.Uint()-d.Low.Uint(), m.Domain[i].High.Uint()-d.Low.Uint()
		if to < from {
			return g, false
		}
		g.First, g.Count, g.Extent = append(g.First, from/e), append(g.Count, to/e-from/e+1), append(g.Extent, e)
		if g.Total, ok = model.Times(g.Total, to/e-from/e+1, 1<<40); !ok {
			return g, false
		}
	}
	return g, true
}

// widths are how many cells a box has along each dimension, and in total; 0 for too many.
func (g *Grid) widths(box []schema.Interval) (list []uint64, cells uint64) {
	cells = 1
	for i := range box {
		n := box[i].High.Uint() - box[i].Low.Uint() + 1
		total, ok := model.Times(cells, n, 1<<50)
		if list, cells = append(list, n), total; !ok || n == 0 {
			return nil, 0
		}
	}
	return list, cells
}

// Row is the tile and the cell of cell n of a box, in cell order, and how many cells of the box follow in the tile.
func (g *Grid) Row(box []schema.Interval, n uint64) (tile, cell, run uint64) {
	sizes, cells := g.widths(box)
	if n >= cells {
		return 0, 0, 0
	}
	x, t := make([]uint64, len(g.Dims)), make([]uint64, len(g.Dims))
	Split(n, sizes, g.Cells, x)
	fast := len(g.Dims) - 1
	if g.Cells {
		fast = 0
	}
	run = sizes[fast] - x[fast]
	for i := range g.Dims {
		at := box[i].Low.Uint() - g.Dims[i].Low.Uint() + x[i]
		t[i], x[i] = at/g.Extent[i]-g.First[i], at%g.Extent[i]
	}
	return join(t, g.Count, g.Tiles), join(x, g.Extent, g.Cells), min(run, g.Extent[fast]-x[fast])
}

// Split turns a number into one coordinate per dimension, where dimension i has sizes[i].
func Split(n uint64, sizes []uint64, colMajor bool, out []uint64) {
	for j := range sizes {
		i := len(sizes) - 1 - j
		if colMajor {
			i = j
		}
		out[i] = n % sizes[i]
		n /= sizes[i]
	}
}

// At returns the coordinate of a cell of a tile, as the datatype's value.
func (g *Grid) At(tile, cell uint64, out []model.Value) {
	t, x := make([]uint64, len(g.Dims)), make([]uint64, len(g.Dims))
	Split(tile, g.Count, g.Tiles, t)
	Split(cell, g.Extent, g.Cells, x)
	for i := range g.Dims {
		v := g.Dims[i].Low.Uint() + (g.First[i]+t[i])*g.Extent[i] + x[i]
		out[i] = g.Dims[i].ValueOf(v)
	}
}

// PerTile is how many cells a tile has: most, if there are more.
func (g *Grid) PerTile(most uint64) uint64 {
	n := uint64(1)
	for _, e := range g.Extent {
		all, ok := model.Times(n, e, most)
		if n = all; !ok {
			return most
		}
	}
	return n
}

// Tile is the box of a tile, including what is outside the domain.
func (g *Grid) Tile(tile uint64) (b Box) {
	first, last, cells := make([]model.Value, len(g.Dims)), make([]model.Value, len(g.Dims)), uint64(1)
	for _, e := range g.Extent {
		cells *= e
	}
	g.At(tile, 0, first)
	g.At(tile, cells-1, last)
	for i := range first {
		b = append(b, [2]model.Value{first[i], last[i]})
	}
	return b
}

// Inside tells which cells of a tile are in a box; nil: all.
func (g *Grid) Inside(tile uint64, box Box) func(i int) bool {
	if box.Over(g.Tile(tile)) {
		return nil
	}
	at := make([]model.Value, len(g.Dims))
	return func(i int) bool { g.At(tile, uint64(i), at); return box.Holds(at) }
}

// Find is the tile of a coordinate, and the cell in it: the inverse of At.
func (g *Grid) Find(at []model.Value) (tile, cell uint64) {
	t, x := make([]uint64, len(g.Dims)), make([]uint64, len(g.Dims))
	for i := range g.Dims {
		n := at[i].Uint() - g.Dims[i].Low.Uint()
		t[i], x[i] = n/g.Extent[i]-g.First[i], n%g.Extent[i]
	}
	return join(t, g.Count, g.Tiles), join(x, g.Extent, g.Cells)
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

// Covers tells whether coordinates are in the box of the fragment.
func (m *Metadata) Covers(at []model.Value) bool { return !m.Null && m.Box().Holds(at) }

// Box is the box of the fragment.
func (m *Metadata) Box() (b Box) {
	for i := range m.Domain {
		low, high := m.Domain[i].Ends()
		b = append(b, [2]model.Value{low, high})
	}
	return b
}

// CellsPerTile is the number of cells in tile k; 0 if unknown.
func (m *Metadata) CellsPerTile(k int64) int64 {
	if !m.Dense {
		if uint64(k) == m.Tiles-1 {
			return int64(min(m.Last, 1<<40))
		}
		return int64(min(m.Schema.Capacity.Uint(), 1<<40))
	}
	n, ok := uint64(1), true
	for i := range m.Schema.Dims {
		if n, ok = model.Times(n, TileExtent(&m.Schema.Dims[i]), 1<<40); !ok {
			return 0
		}
	}
	return int64(n)
}

// tiles is how many tiles of cells the fragment has, and cells how many cells they have together.
func (m *Metadata) Count() (tiles, cells int64) {
	if !m.Dense {
		if m.Tiles == 0 || m.Tiles > 1<<32 {
			return 0, 0
		}
		return int64(m.Tiles), int64(m.Tiles-1)*m.CellsPerTile(0) + int64(min(m.Last, 1<<40))
	}
	g, ok := m.Grid()
	if !ok {
		return 0, 0
	}
	n := m.CellsPerTile(0)
	if all, ok := model.Times(g.Total, uint64(n), 1<<50); ok {
		return int64(g.Total), int64(all)
	}
	return 0, 0
}

// Rows is how many cells the fragment wrote, without those that pad dense tiles.
func (m *Metadata) Rows() int64 {
	_, cells := m.Count()
	if g, ok := m.Grid(); ok && m.Dense && cells > 0 {
		_, n := g.widths(m.Domain)
		return int64(n)
	}
	return cells
}

// Inside tells which cells of tile k are data; nil: all.
func (m *Metadata) Inside(k int64) func(i int) bool {
	if !m.Dense {
		return nil
	}
	g, ok := m.Grid()
	if !ok {
		return nil
	}
	return g.Inside(uint64(k), m.Box())
}
