package scdl

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"spandrel/model"
)

// block is a Parquet file of a feature folder, as a part of the combined table.
type block struct {
	name  string
	rows  *parquetRows
	first int64
	to    []int // position of each of its columns
}

// blocks is the rows of a feature folder's Parquet files, one after the other, with the columns of all of them.
func (a viewer) blocks(ctx context.Context, f features) (tab model.Table, ok bool) {
	var list []block
	at := map[string]int{}
	tab.Columns = []model.Column{{Name: "block", Type: "u64", Kind: model.Uint, Layout: true, Fixed: "it is the number of the file that contains the row"}}
	for _, name := range f.blocks {
		rows, err := a.parquet(ctx, name)
		if err != nil {
			continue
		}
		b := block{name: name, rows: rows, first: tab.Rows}
		for _, c := range rows.Columns {
			i, known := at[c.Name]
			if !known {
				i = len(tab.Columns)
				at[c.Name] = i
				tab.Columns = append(tab.Columns, c)
			}
			b.to = append(b.to, i)
		}
		tab.Rows += rows.Rows
		list = append(list, b)
	}
	x := &blocks{a, list, len(tab.Columns)}
	tab.Read, tab.Set = x.read, x.set
	shown := tab
	tab.Judges, tab.Fill = true, func(ctx context.Context, rows model.GivenRows) ([]model.Edit, error) {
		return a.fillFeatures(ctx, f, list, givenRows{&shown, rows})
	}
	return tab, len(list) > 0
}

// row is a row of the combined table, made from a row of block k.
func (b *block) row(of model.Row, k, width int) model.Row {
	row := make(model.Row, width)
	row[0] = model.Cell{Value: model.I(int64(k))}
	for i, c := range of {
		row[b.to[i]] = c
	}
	return row
}

// blocks are the blocks of a table with width columns.
type blocks struct {
	viewer viewer
	list   []block
	width  int
}

// of is the index of the block that contains a row, or the number of blocks if none does.
func (x *blocks) of(row int64) int {
	return sort.Search(len(x.list), func(k int) bool { return x.list[k].first+x.list[k].rows.Rows > row })
}

// read reads up to n rows, starting at row first.
func (x *blocks) read(ctx context.Context, first, n int64) (out []model.Row, err error) {
	for k := x.of(first); n > 0 && k < len(x.list); k = x.of(first) {
		b := &x.list[k]
		if old := x.viewer.shown.Swap(b.rows); old != nil && old != b.rows {
			old.drop()
		}
		rows, err := b.rows.Read(ctx, first-b.first, n)
		if err != nil || len(rows) == 0 {
			return out, err
		}
		for _, r := range rows {
			out = append(out, b.row(r, k, x.width))
		}
		first, n = first+int64(len(rows)), n-int64(len(rows))
	}
	return out, nil
}

// set rewrites the files of the blocks in which cells change.
func (x *blocks) set(ctx context.Context, cells []model.Typed) (edits []model.Edit, err error) {
	in := make([][]model.Typed, len(x.list))
	for _, c := range cells {
		k := x.of(c.Row)
		if c.Row < 0 || k == len(x.list) {
			return nil, fmt.Errorf("there is no row %d", c.Row)
		}
		in[k] = append(in[k], c)
	}
	for k, cells := range in {
		if len(cells) == 0 {
			continue
		}
		e, err := x.viewer.rewrite(ctx, x.list[k].name, func(s *sheet) error { return s.setCells(&x.list[k], cells) })
		if err != nil {
			return nil, err
		}
		edits = append(edits, e)
	}
	return edits, nil
}

// setCells changes cells of a block.
func (s *sheet) setCells(b *block, cells []model.Typed) error {
	for _, c := range cells {
		column := slices.Index(b.to, c.Column)
		if column < 0 {
			return fmt.Errorf("row %d has no such column: it belongs to another block", c.Row)
		}
		if err := s.set(c.Row-b.first, column, c.Text, c.Missing); err != nil {
			return err
		}
	}
	return nil
}
