package tiledb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/parsers/tiledb/schema"
)

// How many cells, and bytes of fixed-size ones, are written as one fragment at once.
const (
	mostConsolidated = 1 << 24
	mostTogether     = 1 << 30
)

// consolidate writes the cells that a reader sees as one new fragment, and removes all older fragments with their commits and deletions.
func consolidate(ctx context.Context, t *model.Tree, s *model.Span, _ map[string]string) ([]model.Edit, error) {
	a := wholeArray(t, s)
	return a.adding().together(ctx, t)
}

// together writes the cells that a reader sees as one new fragment of the addition, and removes all older fragments with their commits and deletions.
func (x addition) together(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
	a := x.a
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
	}
	if err := unread(ctx, a); err != nil {
		return nil, err
	}
	edits, err := x.cells(ctx, cells)
	if err != nil {
		return nil, err
	}
	old, err := aboutFragments(a)
	for _, name := range old {
		edits = append(edits, model.FileEdit{File: name, Delete: true})
	}
	return edits, err
}

// cells writes all rows of the table of cells; for a dense array, the box that contains everything written.
func (x addition) cells(ctx context.Context, cells *model.Table) ([]model.Edit, error) {
	v, err := x.a.viewAt(ctx, asOfNow)
	if err != nil {
		return nil, err
	}
	c, err := x.change(ctx, v, cells, nil, nil)
	if err != nil {
		return nil, err
	}
	width := int64(1)
	for _, s := range c.Files() {
		width += s.Cell()
	}
	if cells.Rows > min(mostConsolidated, mostTogether/width) {
		return nil, fmt.Errorf("%s are too many to write as one fragment at once", model.Count(cells.Rows, "cells"))
	}
	b, dense := v.(*boxTable)
	if !dense {
		c.rows = []rowRange{{0, cells.Rows}}
		return c.sparse(ctx)
	}
	return x.box(ctx, b.box, b.columns(c))
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
