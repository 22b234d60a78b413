package tiledb

import (
	"context"
	"fmt"
	"math"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// cellsAt is the table of the cells of an array as TileDB reads it at a time. A null cell has a range and no value.
func cellsAt(ctx context.Context, a *array, at uint64) model.Table {
	t := model.Table{Name: "cells", Title: "Cells"}
	x, err := a.viewAt(ctx, at)
	if err != nil {
		t.Read = func(context.Context, int64, int64) ([]model.Row, error) { return nil, err }
		return t
	}
	t.Rows, t.Read, t.Columns = x.rows(), x.read, x.table().columns(readOnly(a))
	withBatches(x, t.Columns)
	t.Doc = "The cells as TileDB reads them: the newest of those in one place, without those that were deleted, and fill values where nothing was written."
	if why := x.table().unmerged; why != "" {
		t.Title += ", not as TileDB reads them"
		t.Doc += " But " + why + "."
	}
	if at == asOfNow {
		t.Set = func(ctx context.Context, typed []model.Typed) ([]model.Edit, error) { return setCells(ctx, x, typed) }
		t.Fill = func(ctx context.Context, from, n int64, cell func(int64, int) model.Typed) ([]model.Edit, error) {
			return fillCells(ctx, x, from, n, cell)
		}
	} else {
		for i := range t.Columns {
			t.Columns[i].Fixed = "These are the cells at a time in the past: edit them in the table of now."
		}
	}
	t.Key = dimensionNames(a.schemas.Current())
	t.Stored("fragment")
	t.Times = a.times
	t.At = func(ctx context.Context, ms int64) model.Table {
		return cellsAt(ctx, a, uint64(min(max(ms, 0), math.MaxInt64)))
	}
	return t
}

// storedCells is the table of the cells of all fragments in the order in which they are stored. A cell of a field that its fragment does not
// have has neither a range nor a value.
func storedCells(ctx context.Context, a *array, name string) model.Table {
	x := &cellTable{a: a}
	x.gather(ctx, glances(ctx, a))
	t := model.Table{Name: name, Title: "Stored cells", Layout: name != "cells", Rows: x.rows(), Read: x.read, Aside: name != "cells",
		Doc: "The cells that fragments store, also those that were written again or deleted, and those of fragments that do not count. What pads the tiles of dense fragments is in the files alone."}
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

// dimensionNames are the columns by which a cell is known; none where an array has several cells in one place.
func dimensionNames(s *schema.Schema) (out []string) {
	if s == nil || s.Dups.Uint() != 0 {
		return nil
	}
	for i := range s.Dims {
		out = append(out, s.Dims[i].Name.Text())
	}
	return out
}

// columns are the columns of the table; readOnly says why no cell can be changed.
func (x *cellTable) columns(readOnly string) (out []model.Column) {
	for _, c := range x.cols {
		codec := storage.CodecOf(c.typ)
		typ := codec.Type()
		if storage.IsNumber(c.typ) && c.num != 1 {
			typ += "[]"
		}
		fixed := readOnly
		if c.dim >= 0 {
			fixed = coordF.Fixed
		}
		out = append(out, model.Column{Name: c.name, Doc: storage.TypeName(c.typ), Type: typ, Kind: codec.Kind(), Fixed: fixed})
	}
	return append(out, model.Column{Name: "fragment", Type: "utf8", Kind: model.Text, Fixed: fixedFragment})
}

// gather takes the fragments, and the columns: those of the current schema, then what only older schemas and fragments have.
func (x *cellTable) gather(ctx context.Context, frags []glance) {
	var only *frag // of a file that was opened alone
	if len(frags) == 1 && frags[0].f.only != "" && frags[0].f.load(ctx) != nil {
		only = frags[0].f
	}
	seen := map[string]bool{}
	add := func(c column) {
		if only != nil && !c.shownBy(only) {
			return
		}
		if key := fmt.Sprint(c.name, c.dim >= 0); !seen[key] {
			seen[key] = true
			x.cols = append(x.cols, c)
		}
	}
	addAll := func(s *schema.Schema) {
		for _, c := range fieldsOf(s) {
			c.attr = nil
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
			add(column{name, filter.Uint64, 1, -1, nil})
		}
	}
	x.take(frags)
}

// take makes fragments those of the table.
func (x *cellTable) take(frags []glance) {
	rows := int64(0)
	for _, g := range frags {
		rows += g.rows
		x.frags, x.ends = append(x.frags, g.f), append(x.ends, rows)
	}
}

// fieldsOf are the dimensions and the attributes of a schema.
func fieldsOf(s *schema.Schema) (out []column) {
	for i := range s.Dims {
		num := uint32(1)
		if s.Dims[i].Variable() {
			num = storage.VariableCells
		}
		out = append(out, column{s.Dims[i].Name.Text(), s.Dims[i].Datatype, num, i, nil})
	}
	for i := range s.Attrs {
		at := &s.Attrs[i]
		out = append(out, column{at.Name.Text(), at.Datatype, at.Values(), -1, at})
	}
	return out
}
