package tiledb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/parsers/tiledb/schema"
)

// mostConsolidated is how many cells are written as one fragment at once.
const mostConsolidated = 1 << 20

// consolidate writes the cells that a reader sees as one new fragment, and removes all older fragments with their commits and deletions.
func consolidate(ctx context.Context, t *model.Tree, s *model.Span, _ map[string]string) ([]model.Edit, error) {
	a := wholeArray(t, s)
	var cells *model.Table
	for _, tab := range t.Tables(ctx) {
		if tab.Name == "cells" {
			cells = &tab
		}
	}
	switch why := a.unwritable(); {
	case why != "":
		return nil, errors.New(why)
	case a.schemas.Current().CellOrder.Uint() == schema.Hilbert:
		return nil, errors.New("cells in Hilbert order cannot be written as one fragment here; TileDB can consolidate them")
	case cells == nil || cells.Fill == nil || cells.Rows == 0:
		return nil, errors.New("the array has no cells")
	case cells.Rows > mostConsolidated:
		return nil, fmt.Errorf("%s are too many to write as one fragment at once", model.Count(cells.Rows, "cells"))
	}
	if err := unread(ctx, a); err != nil {
		return nil, err
	}
	together := sparseTogether
	if a.schemas.Current().Dense() {
		together = denseTogether
	}
	edits, err := together(ctx, a, cells)
	if err != nil {
		return nil, err
	}
	old, err := aboutFragments(a)
	for _, name := range old {
		edits = append(edits, model.FileEdit{File: name, Delete: true})
	}
	return edits, err
}

// sparseTogether writes the rows of the table of cells again.
func sparseTogether(ctx context.Context, _ *array, cells *model.Table) ([]model.Edit, error) {
	rows := model.RowReader{Table: cells}
	var failed error
	batches := map[int]*model.Batch{}
	edits, err := cells.Fill(ctx, model.GivenRows{From: cells.Rows, N: cells.Rows, Cell: func(row int64, column int) model.Typed {
		x := model.Typed{Row: row, Column: column, Missing: true}
		r, err := rows.At(ctx, row-cells.Rows)
		if err == nil && r[column].Trouble != "" {
			err = fmt.Errorf("row %d, %s: %s", row-cells.Rows, cells.Columns[column].Name, r[column].Trouble)
		}
		if failed = cmp.Or(failed, err); failed == nil {
			x.Text, x.Missing = r[column].Typed(&cells.Columns[column])
		}
		return x
	}, Batch: func(column int) *model.Batch {
		col := &cells.Columns[column]
		if batches[column] == nil && !col.IsVector() && col.Names == nil {
			if b, ok := col.Stored(ctx, 0, cells.Rows); ok {
				batches[column] = &b
			}
		}
		return batches[column]
	}})
	return edits, cmp.Or(failed, err)
}

// denseTogether writes the box that contains everything written.
func denseTogether(ctx context.Context, a *array, cells *model.Table) ([]model.Edit, error) {
	v, err := a.viewAt(ctx, asOfNow)
	if err != nil {
		return nil, err
	}
	b := v.(*boxTable) // unread has refused what is no such table
	c, err := changingOf(ctx, cells, b, nil, nil)
	if err != nil {
		return nil, err
	}
	edits, err := a.adding().box(ctx, b.box(), unchanged, b.columns(c))
	if errors.Is(err, errAsCells) {
		return a.adding().box(ctx, b.box(), unchanged, single)
	}
	return edits, err
}

// unread says which cells of the fragments a reader may not see now: they would be lost with their fragments. nil if there are none.
func unread(ctx context.Context, a *array) error {
	v, err := a.viewAt(ctx, asOfNow)
	if err != nil {
		return err
	}
	if why := v.table().unmerged; why != "" {
		return errors.New(why)
	}
	if _, more := a.findFragments(); more || len(a.commits.readBad) > 0 {
		return errors.New("not all fragments and commits of the array can be read")
	}
	for _, f := range a.fragList {
		switch {
		case !a.commits.committed(f):
			return fmt.Errorf("fragment %s has no commit, so its cells would be lost: remove it, or write its commit, first", f.name)
		case a.commits.has(f) && f.load(ctx) == nil:
			return fmt.Errorf("the metadata of fragment %s cannot be read: repair it first", f.name)
		}
	}
	return nil
}

// aboutFragments are the files of an array's fragments, and those that speak of fragments.
func aboutFragments(a *array) (out []string, err error) {
	folders := []string{a.path("__commits"), a.path("__fragment_meta")}
	for _, f := range a.fragList {
		folders = append(folders, f.dir)
	}
	names, err := a.d.t.Snapshot.Files()
	for _, name := range names {
		if slices.ContainsFunc(folders, func(dir string) bool { return strings.HasPrefix(name, dir+"/") || name == dir+".ok" }) {
			out = append(out, name)
		}
	}
	return out, err
}
