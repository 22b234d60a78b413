package tiledb

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// boxTable is the cells of a dense array: all of the smallest box that contains everything written, the last dimension fastest. Each is that of the
// newest fragment that has it, or the fill value.
type boxTable struct {
	*cellTable
	dims  []schema.Dimension
	box   fragment.Box
	low   []uint64 // its ends, as bits: dimensions are of integers
	sizes []uint64
	cells int64
	boxes []fragBox
}

// fragBox is the box of a fragment, relative to the low ends of the table's.
type fragBox struct {
	low, high []uint64
	single    map[uint64][2]int64 // tile and cell by row, of a fragment of single cells; nil: it has all cells of the box
}

// mostSingle is how many cells a fragment of single cells may have.
const mostSingle = 1 << 20

// newBox is the table of the fragments of a dense array: of a box of it, or if that is nil, of the smallest one that contains everything written.
// The error says why there is none.
func newBox(ctx context.Context, x *cellTable, frags []glance, whole fragment.Box) (b *boxTable, err error) {
	b = &boxTable{cellTable: x, dims: x.view.schema.Dims}
	given := whole
	var covers []glance
	for _, g := range frags {
		box, ok := b.clip(g)
		if !ok || given != nil && !box.Meets(given) {
			continue // a fragment of no cells in the box
		}
		if g.domain = box; given != nil {
			g.domain = box.Within(given)
		}
		covers, whole = append(covers, g), whole.With(g.domain)
	}
	if b.take(covers); whole == nil {
		return b, nil
	}
	b.box, b.cells = whole, 1
	for _, r := range whole {
		n := storage.Spread(r[0], r[1]) + 1
		if n == 0 || n > 1<<50 || b.cells > 1<<50/int64(n) {
			return nil, errors.New("the bounding box of all written cells is too large")
		}
		b.low, b.sizes, b.cells = append(b.low, r[0].Uint()), append(b.sizes, n), b.cells*int64(n)
	}
	for _, g := range covers {
		f, err := b.within(ctx, g)
		if err != nil {
			return nil, fmt.Errorf("the places of the single cells of fragment %s cannot be read", g.f.name)
		}
		b.boxes = append(b.boxes, f)
	}
	return b, nil
}

// within is where a fragment is in the box.
func (b *boxTable) within(ctx context.Context, g glance) (f fragBox, err error) {
	for i, r := range g.domain {
		f.low, f.high = append(f.low, r[0].Uint()-b.low[i]), append(f.high, r[1].Uint()-b.low[i])
	}
	if !g.dense {
		f.single, err = b.singleCells(ctx, g)
	}
	return f, err
}

// singleCells finds the cells of a sparse fragment, as early versions of TileDB wrote them in dense arrays too: TileDB still reads them.
func (b *boxTable) singleCells(ctx context.Context, g glance) (map[uint64][2]int64, error) {
	if g.rows > mostSingle {
		return nil, errAsCells
	}
	x, out := &cellTable{a: b.a, cols: fieldsOf(b.view.schema)[:len(b.dims)]}, map[uint64][2]int64{}
	x.take([]glance{g})
	_, err := x.storedRuns(ctx, 0, g.rows, func(ctx context.Context, run runOfRows) error {
		rows, err := x.page(ctx, run)
		for i, r := range rows {
			row := uint64(0)
			for d, size := range b.sizes {
				at := r[d].Value.Uint() - b.low[d]
				if r[d].Trouble != "" || at >= size {
					return errAsCells
				}
				row = row*size + at
			}
			out[row] = [2]int64{run.tile, run.from + int64(i)*run.step}
		}
		return err
	})
	return out, err
}

// clip is the intersection of a fragment's box with the array's domain.
func (b *boxTable) clip(g glance) (box fragment.Box, ok bool) {
	if len(g.domain) != len(b.dims) {
		return nil, false
	}
	for i, r := range g.domain {
		if d := &b.dims[i]; d.Low.Span == nil || storage.Compare(r[0], r[1]) > 0 || storage.Compare(r[0], d.High.Value) > 0 || storage.Compare(r[1], d.Low.Value) < 0 {
			return nil, false
		}
	}
	return g.domain.Within(domainOf(b.view.schema)), true
}

func (b *boxTable) rows() int64 { return b.cells }

// at is the place of a row in the box.
func (b *boxTable) at(row int64) []uint64 {
	x := make([]uint64, len(b.sizes))
	fragment.Split(uint64(row), b.sizes, false, x)
	return x
}

// coordinates are those of a place in the box.
func (b *boxTable) coordinates(x []uint64) []model.Value {
	out := make([]model.Value, len(x))
	for i := range x {
		out[i] = b.dims[i].ValueOf(b.low[i] + x[i])
	}
	return out
}

// newestAt is the fragment that determines the cell at a place, -1 for none, and for how many cells from there on it does.
func (b *boxTable) newestAt(x []uint64) (newest int, run uint64) {
	last := len(x) - 1
	run = b.sizes[last] - x[last]
	for i := len(b.boxes) - 1; i >= 0; i-- {
		f := &b.boxes[i]
		beside := false
		for j := range last {
			beside = beside || x[j] < f.low[j] || x[j] > f.high[j]
		}
		switch {
		case beside || x[last] > f.high[last]:
		case x[last] < f.low[last]:
			run = min(run, f.low[last]-x[last])
		case f.single != nil:
			if run = 1; f.has(b.row(x)) {
				return i, run
			}
		default:
			return i, min(run, f.high[last]-x[last]+1)
		}
	}
	return -1, run
}

// row is the number of a place: the inverse of at.
func (b *boxTable) row(x []uint64) (row uint64) {
	for d, size := range b.sizes {
		row = row*size + x[d]
	}
	return row
}

func (f *fragBox) has(row uint64) bool { _, ok := f.single[row]; return ok }

// read returns rows of the table.
func (b *boxTable) read(ctx context.Context, first, n int64) (out []model.Row, err error) {
	err = b.runs(ctx, first, max(0, min(n, b.cells-first)), func(ctx context.Context, run runOfRows) error {
		page, err := b.page(ctx, run)
		out = append(out, page...)
		return err
	})
	return out, err
}

// runs passes on the cells of a box, in runs along its last dimension.
func (b *boxTable) runs(ctx context.Context, first, n int64, f func(context.Context, runOfRows) error) error {
	if n > b.cells-first || first < 0 {
		return errAsCells
	}
	for n > 0 {
		took, err := b.run(ctx, b.at(first), n, f)
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		first, n = first+took, n-took
	}
	return nil
}

// run passes up to n cells, starting at a place in the box, to f, and returns their number.
func (b *boxTable) run(ctx context.Context, x []uint64, n int64, f func(context.Context, runOfRows) error) (int64, error) {
	i, left := b.newestAt(x)
	run := runOfRows{index: i, where: b.coordinates(x)}
	if run.n = int64(min(left, uint64(n))); i < 0 {
		return run.n, f(ctx, run)
	}
	g, done, err := placed(ctx, b.frags[i])
	if err != nil {
		return 0, err
	}
	defer done()
	if run.cellRun, err = b.runAt(i, g, x, run.n); err != nil {
		return 0, err
	}
	return run.n, f(ctx, run)
}

// runAt is where fragment i, loaded as f, has a cell, and up to n that follow it in the last dimension.
func (b *boxTable) runAt(i int, f *frag, x []uint64, n int64) (run cellRun, err error) {
	if single := b.boxes[i].single; single != nil {
		at := single[b.row(x)]
		return cellRun{f, at[0], at[1], 1, 1}, nil
	}
	g, ok := f.meta.Grid()
	if !ok {
		return run, fmt.Errorf("fragment %s: its bounding box contains no tiles", f.name)
	}
	at, last, step := b.coordinates(x), len(x)-1, int64(1)
	tile, cell := g.Find(at)
	if g.Cells {
		for _, e := range g.Extent[:last] {
			step *= int64(e)
		}
	}
	left := g.Extent[last] - (at[last].Uint()-g.Dims[last].Low.Uint())%g.Extent[last]
	return cellRun{f, int64(tile), int64(cell), int64(min(uint64(n), left)), step}, nil
}

// place is the cell of a row: of the fragment that determines it, or of one that is not written yet.
func (b *boxTable) place(ctx context.Context, row int64) (cellPlace, error) {
	if row < 0 || row >= b.cells {
		return cellPlace{}, fmt.Errorf("there is no row %d", row)
	}
	x := b.at(row)
	i, _ := b.newestAt(x)
	if i < 0 {
		return b.a.unwritten(b.view.schema, b.coordinates(x)), nil
	}
	f := b.frags[i]
	if f.load(ctx) == nil {
		return cellPlace{}, fmt.Errorf("fragment %s cannot be read", f.name)
	}
	run, err := b.runAt(i, f, x, 1)
	return cellPlace{f, run.tile, run.from}, err
}

// unwritten is a cell that no fragment has, as in a new fragment.
func (a *array) unwritten(s *schema.Schema, at []model.Value) cellPlace {
	f := a.fragmentOf("", fragment.Footer{Schema: s, Version: storage.VersionNewest, Dense: true, Domain: fragment.Point(at).Intervals()})
	g, _ := f.meta.Grid()
	tile, cell := g.Find(at)
	return cellPlace{f, int64(tile), int64(cell)}
}
