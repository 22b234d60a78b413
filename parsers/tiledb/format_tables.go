package tiledb

import (
	"cmp"
	"context"
	"math"
	"slices"

	"spandrel/model"
)

// tables lists the tables: those of the current schema, and the cells.
func tables(ctx context.Context, t *model.Tree) []model.Table {
	d, ok := t.State.(*doc)
	if !ok || len(d.inOrder) == 0 {
		return nil
	}
	a := d.inOrder[0] // the opened array, or the one that the opened part belongs to
	s := a.schemas.Current()
	if s == nil {
		return keyTables(ctx, t)
	}
	out := []model.Table{dimTable(s), attrTable(s), enumTable(ctx, a, s)}
	out[0].Key, out[1].Key = []string{"name"}, []string{"name"}
	out[0].Stored("tile_extent", "filters")
	out[1].Stored("filters")
	out[2].Stored("file")
	switch {
	case d.whole():
		cells := cellsAt(ctx, a, asOfNow)
		grids := gridsOf(ctx, a, cells, asOfNow)
		if len(grids) == 1 && len(s.Attrs) == 1 { // it already shows everything
			out = append(out, grids[0], cells)
		} else {
			out = append(append(out, cells), grids...)
		}
		out = append(out, storedCells(ctx, a, "stored"))
	case len(a.fragList) > 0:
		out = append(out, storedCells(ctx, a, "cells"))
	}
	return append(out, keyTables(ctx, t)...)
}

// cellsAt is the table of an array's cells as TileDB reads it at a time. What it needs is determined once.
func cellsAt(ctx context.Context, a *array, at uint64) model.Table {
	a.cellsMu.Lock()
	defer a.cellsMu.Unlock()
	t, known := a.cells[at]
	if !known {
		x, err := a.viewAt(ctx, at)
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return model.Table{Name: "cells", Title: "Cells", Read: func(context.Context, int64, int64) ([]model.Row, error) { return nil, err }}
		}
		t = cellsOfView(a, x, at)
		for other := range a.cells {
			if other != asOfNow && len(a.cells) > 1 { // only one past view is kept
				delete(a.cells, other)
			}
		}
		if a.cells == nil {
			a.cells = map[uint64]model.Table{}
		}
		a.cells[at] = t
	}
	t.Columns = slices.Clone(t.Columns)
	return t
}

// timeOf is a requested time, as views represent it.
func timeOf(ms int64) uint64 { return uint64(min(max(ms, 0), math.MaxInt64)) }

// cellsOfView is the table of cells as readers see them at a time. A null cell has a range and no value.
func cellsOfView(a *array, x readAs, at uint64) model.Table {
	t := model.Table{Name: "cells", Title: "Cells"}
	t.Rows, t.Read, t.Columns = x.rows(), x.read, x.table().columns(readOnly(a))
	withBatches(x, t.Columns)
	t.Doc = "The cells as TileDB reads them: the newest at each coordinate, without deleted ones, and fill values where nothing was written."
	if why := x.table().unmerged; why != "" {
		t.Title += ", not as TileDB reads them"
		t.Doc += " But " + why + "."
	}
	if at == asOfNow {
		t.Set = func(ctx context.Context, typed []model.Typed) ([]model.Edit, error) { return setCells(ctx, x, typed) }
		t.Put = func(ctx context.Context, typed []model.Typed, runs []model.Run) ([]model.Edit, error) {
			return setRuns(ctx, &t, x, typed, runs)
		}
		t.Fill = func(ctx context.Context, rows model.GivenRows) ([]model.Edit, error) {
			return fillCells(ctx, x, rows)
		}
	} else {
		for i := range t.Columns {
			t.Columns[i].Fixed = "These are the cells at a time in the past: edit them in the current table."
		}
	}
	t.Key = dimensionNames(a.schemas.Current())
	t.Stored("fragment")
	t.Times = a.times
	t.At = func(ctx context.Context, ms int64) model.Table {
		return cellsAt(ctx, a, timeOf(ms))
	}
	return t
}

// storedCells is the table of the cells of all fragments in storage order. A cell of a field that its fragment does not
// have has neither a range nor a value.
func storedCells(ctx context.Context, a *array, name string) model.Table {
	x := &cellTable{a: a}
	x.gather(ctx, glances(ctx, a))
	t := model.Table{Name: name, Title: "Stored cells", Layout: name != "cells", Rows: x.rows(), Read: x.read, Aside: name != "cells",
		Doc: "All cells stored in fragments, including overwritten and deleted ones and those of ignored fragments. Padding of dense tiles is shown only in the files."}
	if !t.Aside {
		t.Title = "Cells"
	}
	if a.d.whole() {
		t.Set = func(ctx context.Context, typed []model.Typed) ([]model.Edit, error) { return setCells(ctx, x, typed) }
	}
	t.Columns = x.columns(readOnly(a))
	withBatches(x, t.Columns)
	t.Stored("fragment")
	return t
}

// readOnly says why no existing cell can be changed; "" if some can.
func readOnly(a *array) string {
	if why := a.unwritable(); why != "" {
		return why
	}
	if s := a.schemas.Current(); s.Dups.Uint() != 0 && !slices.ContainsFunc(a.fragList, func(f *frag) bool { return f.rewritable() == "" }) {
		return keptApart
	}
	return ""
}
