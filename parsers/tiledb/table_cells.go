package tiledb

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/schema"
)

// column is a column of the table of cells, as a field of a fragment; in a table of stored cells it has no attribute.
type column struct{ fragment.Slot }

// cellTable is the cells of an array in storage order, fragment by fragment.
type cellTable struct {
	a     *array
	view  *view // cells that the table shows; nil: the stored cells
	frags []*frag
	ends  []int64 // number of stored cells up to and including each fragment
	cols  []column

	hidden   []int64    // stored cells that are not listed at their position, in order
	newest   [][2]int64 // replaced cells, in order, and the cells listed instead
	unmerged string     // why some cells are listed as stored
}

// stores is how many cells are stored, and rows how many of them are listed.
func (x *cellTable) stores() int64 {
	if len(x.ends) == 0 {
		return 0
	}
	return x.ends[len(x.ends)-1]
}

func (x *cellTable) rows() int64 { return x.stores() - int64(len(x.hidden)) }

// How many rows are looked up at once, and how many unwanted cells are read with those around them: to read a single cell, the
// offsets of its tile must be read.
const (
	mostLookedUp = 4096
	mostBetween  = 64
)

// read returns rows of the table.
func (x *cellTable) read(ctx context.Context, first, n int64) (out []model.Row, err error) {
	if len(x.hidden) == 0 && len(x.newest) == 0 {
		return x.readStored(ctx, first, max(0, min(n, x.rows()-first)))
	}
	for n = max(0, min(n, x.rows()-first)); n > 0; {
		page, err := x.readListed(ctx, first, min(n, mostLookedUp))
		if out = append(out, page...); err != nil || len(page) == 0 {
			return out, err
		}
		first, n = first+int64(len(page)), n-int64(len(page))
	}
	return out, nil
}

// readListed returns n rows, in the order of their cells.
func (x *cellTable) readListed(ctx context.Context, first, n int64) ([]model.Row, error) {
	places := make([][2]int64, 0, n) // of the stored cells, and their rows
	for i := int64(0); i < n; {
		at, run := x.stored(first + i)
		for range min(run, n-i) {
			places = append(places, [2]int64{at, i})
			at, i = at+1, i+1
		}
	}
	slices.SortFunc(places, func(x, y [2]int64) int { return cmp.Compare(x[0], y[0]) })
	out := make([]model.Row, n)
	for len(places) > 0 {
		k := 1
		for k < len(places) && places[k][0]-places[k-1][0] <= mostBetween {
			k++
		}
		from := places[0][0]
		cells, err := x.readStored(ctx, from, places[k-1][0]-from+1)
		if err == nil && int64(len(cells)) <= places[k-1][0]-from {
			err = fmt.Errorf("cells from %d on cannot be read", from)
		}
		if err != nil {
			return nil, err
		}
		for _, p := range places[:k] {
			out[p[1]] = cells[p[0]-from]
		}
		places = places[k:]
	}
	return out, nil
}

// readStored returns n cells in storage order.
func (x *cellTable) readStored(ctx context.Context, first, n int64) (out []model.Row, err error) {
	_, err = x.storedRuns(ctx, first, n, func(ctx context.Context, run runOfRows) error {
		page, err := x.page(ctx, run)
		out = append(out, page...)
		return err
	})
	return out, err
}

// runOfRows is cells of a fragment listed by rows, or n unwritten cells: frag is nil then.
type runOfRows struct {
	cellRun
	index int // of the fragment; -1
	where []model.Value
}

// storedRuns passes on n cells in storage order, in runs within one tile, and returns how many: fewer if a fragment has no more.
func (x *cellTable) storedRuns(ctx context.Context, first, n int64, f func(context.Context, runOfRows) error) (took int64, err error) {
	for i := x.fragmentOf(first); took < n && i < len(x.ends); i++ {
		start := int64(0)
		if i > 0 {
			start = x.ends[i-1]
		}
		at := first + took
		got, err := x.runsOf(ctx, i, at-start, min(n-took, x.ends[i]-at), f)
		if took += got; err != nil || got == 0 {
			return took, err
		}
	}
	return took, nil
}

// mostPlaced is how many fragments of an array the table adds to the document's tree, so that its cells have places. Each
// takes some 150 KB and its files: in arrays with more, the others are read separately, and dropped.
const mostPlaced = 512

// runsOf passes on n rows of fragment i.
func (x *cellTable) runsOf(ctx context.Context, i int, row, n int64, f func(context.Context, runOfRows) error) (took int64, err error) {
	g, done, err := placed(ctx, x.frags[i])
	if err != nil {
		return 0, err
	}
	defer done()
	for took < n {
		p, cells := g.placeOf(row + took)
		if cells = min(cells, n-took); cells <= 0 || ctx.Err() != nil {
			return took, ctx.Err()
		}
		if err := f(ctx, runOfRows{cellRun: cellRun{g, p.tile, p.cell, cells, 1}, index: i}); err != nil {
			return took, err
		}
		took += cells
	}
	return took, nil
}

// placed is the fragment as part of the document's tree, or read separately if there are enough of them. done releases it.
func placed(ctx context.Context, f *frag) (g *frag, done func() error, err error) {
	f.mu.Lock()
	inTree := f.meta != nil || f.group == nil || f.group.Parent() == nil
	f.mu.Unlock()
	a := f.a
	a.mu.Lock()
	if !inTree && a.placed < mostPlaced {
		a.placed++
		inTree = true
	}
	a.mu.Unlock()
	return beside(ctx, f, inTree)
}

// beside is the fragment as part of the document's tree if that is wanted or it is one, otherwise read separately. done releases it.
func beside(ctx context.Context, f *frag, inTree bool) (g *frag, done func() error, err error) {
	f.mu.Lock()
	inTree = inTree || f.meta != nil
	f.mu.Unlock()
	g, done = f, func() error { return nil }
	if !inTree {
		snap, let, err := f.a.d.t.Snapshot.Aside()
		if err != nil {
			return nil, nil, err
		}
		g, done = fragApart(ctx, f, snap), let
	}
	if g.load(ctx) == nil {
		done()
		return nil, nil, fmt.Errorf("fragment %s cannot be read", f.name)
	}
	return g, done, nil
}

// placeOf is the cell of a row of the fragment, and how many rows from there on are the next cells in the same tile. Rows of a dense
// fragment are the cells of its box, without those that pad its tiles.
func (f *frag) placeOf(row int64) (p cellPlace, run int64) {
	p.f = f
	if g, ok := f.meta.Grid(); ok && f.meta.Dense {
		tile, cell, run := g.Row(f.meta.Domain, uint64(row))
		p.tile, p.cell = int64(tile), int64(cell)
		return p, int64(run)
	}
	per := max(1, f.meta.CellsPerTile(0))
	if p.tile = row / per; !f.meta.Dense {
		p.tile = min(p.tile, int64(f.meta.Tiles)-1)
	}
	p.cell = row - p.tile*per
	return p, f.meta.CellsPerTile(p.tile) - p.cell
}

// page returns the rows of a run.
func (x *cellTable) page(ctx context.Context, run runOfRows) ([]model.Row, error) {
	rows, width := make([]model.Row, run.n), len(x.cols)+1
	cells := make([]model.Cell, len(rows)*width)
	for i := range rows {
		if rows[i] = cells[i*width : (i+1)*width]; run.in != nil {
			rows[i][width-1].Value = model.S(run.in.name)
		}
	}
	for j := range x.cols {
		c, err := x.cells(ctx, run, j)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		names := x.labels(ctx, run.in, &x.cols[j], c.Slot)
		for i := range rows {
			if err != nil {
				rows[i][j].Trouble = err.Error()
			} else if c.Slot != nil {
				rows[i][j] = c.cell(ctx, x.a.d.t, i, names)
			}
		}
	}
	return rows, nil
}

// labels is the enumeration of a column: that of the current schema, which may have grown since the fragment was written.
func (x *cellTable) labels(ctx context.Context, f *frag, col *column, s *fragment.Slot) *schema.Enumeration {
	switch {
	case col.Attr != nil:
		return x.a.schemas.Enumeration(ctx, x.view.schema, col.Attr.Enum.Text())
	case s != nil && s.Attr != nil:
		return x.a.schemas.Enumeration(ctx, f.meta.Schema, s.Attr.Enum.Text())
	}
	return nil
}

// shownBy tells whether a column can be read if a file of the fragment was opened alone: it is the field of that file, or a
// coordinate of a dense fragment.
func (col column) shownBy(f *frag) bool {
	if f.meta.Dense && col.Dim != nil {
		return true
	}
	slot := col.in(f)
	return slot >= 0 && f.slots[slot].File == f.only
}

// in finds the column's field in a fragment.
func (col column) in(f *frag) (slot int) {
	return slices.IndexFunc(f.slots, func(s fragment.Slot) bool {
		return !s.Coords && s.Name == col.Name && (s.Dim != nil) == (col.Dim != nil) && (col.Attr == nil || s.Datatype == col.Datatype && s.Num == col.Num)
	})
}

// take makes fragments those of the table.
func (x *cellTable) take(frags []glance) {
	rows := int64(0)
	for _, g := range frags {
		rows += g.rows
		x.frags, x.ends = append(x.frags, g.f), append(x.ends, rows)
	}
}

// gather collects the fragments, and the columns: those of the current schema, then those that only older schemas and fragments have.
func (x *cellTable) gather(ctx context.Context, frags []glance) {
	var only *frag // of a file opened alone
	if len(frags) == 1 && frags[0].f.only != "" && frags[0].f.load(ctx) != nil {
		only = frags[0].f
	}
	seen := map[string]bool{}
	add := func(c column) {
		if only != nil && !c.shownBy(only) {
			return
		}
		if key := fmt.Sprint(c.Name, c.Dim != nil); !seen[key] {
			seen[key] = true
			x.cols = append(x.cols, c)
		}
	}
	addAll := func(s *schema.Schema) {
		for _, c := range fieldsOf(s) {
			c.Attr = nil
			add(c)
		}
	}
	if s := x.a.schemas.Current(); s != nil {
		addAll(s)
	}
	known := map[*schema.Schema]bool{}
	for _, g := range frags {
		if !known[g.schema] {
			known[g.schema] = true
			addAll(g.schema)
		}
		for _, name := range g.extra {
			add(column{fragment.Slot{Name: name, Datatype: filter.Uint64, Num: 1}})
		}
	}
	x.take(frags)
}

// place is the cell of a row of the table.
func (x *cellTable) place(ctx context.Context, row int64) (cellPlace, error) {
	if row < 0 || row >= x.rows() {
		return cellPlace{}, fmt.Errorf("there is no row %d", row)
	}
	row, _ = x.stored(row)
	i := x.fragmentOf(row)
	if i > 0 {
		row -= x.ends[i-1]
	}
	f := x.frags[i]
	if f.load(ctx) == nil {
		return cellPlace{}, fmt.Errorf("fragment %s cannot be read", f.name)
	}
	p, _ := f.placeOf(row)
	return p, nil
}

const fixedFragment = "it is the fragment that contains the cell"
