package parsers

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
)

// TestRuns sets the values of every column in reverse order, in all tables of the good samples that take runs of values: once as runs and once
// cell by cell. The tables are the same then, and what one way refuses the other does too.
func TestRuns(t *testing.T) {
	tried, set := map[string]int{}, map[string]int{}
	for _, f := range All() {
		for _, s := range samples(t, f) {
			for _, tab := range s.open(t).Tree.Tables(t.Context()) {
				for j := range tab.Columns {
					runs, cells := reversed(t, &tab, j)
					if len(cells) == 0 || !s.good || tab.Put == nil {
						continue
					}
					asRuns, whyRuns := withEdits(t, s, tab.Name, nil, runs)
					asCells, why := withEdits(t, s, tab.Name, cells, nil)
					if (whyRuns == nil) != (why == nil) || asRuns != asCells {
						t.Errorf("%s, %s, %s: %v, cell by cell %v\n%.2000s\n%.2000s", s.name, tab.Name, tab.Columns[j].Name, whyRuns, why, asRuns, asCells)
					}
					if tried[f.Name]++; why == nil {
						set[f.Name]++
					}
				}
			}
		}
	}
	for _, format := range []string{"npy", "idv", "samediff", "safetensors", "tiledb"} {
		if set[format] == 0 || set[format] < tried[format]/3 {
			t.Errorf("%s: %d of %d columns were set", format, set[format], tried[format])
		}
	}
}

// reversed are the values of a column in reverse order, in two runs, and cell by cell where they are others; none if it is not read as a column.
func reversed(t *testing.T, tab *model.Table, column int) (runs []model.Run, cells []model.Typed) {
	col := &tab.Columns[column]
	b, ok := col.Stored(t.Context(), 0, tab.Rows)
	if !ok || tab.Rows < 2 || col.IsVector() || col.Names != nil || col.Fixed != "" {
		return nil, nil
	}
	half := tab.Rows / 2 // a run that is not the whole column
	runs = []model.Run{{Column: column}, {Column: column, First: half}}
	for i := range tab.Rows {
		v := b.Value(col.Item(), tab.Rows-1-i)
		runs[min(1, i/half)].Append(col.Item(), v)
		x := model.Typed{Row: i, Column: column}
		x.Text, x.Missing = model.Cell{Value: v}.Typed(col)
		cells = append(cells, x)
	}
	return runs, cells
}

// withEdits are the rows of a table of a sample after new values are set.
func withEdits(t *testing.T, s sample, table string, cells []model.Typed, runs []model.Run) (string, error) {
	d := s.open(t)
	tables := d.Tree.Tables(t.Context())
	tab := tables[model.TableIndex(tables, table)]
	edits, err := tab.Edits(t.Context(), d.Tree, cells, runs...)
	if err != nil {
		return "", err
	}
	return planned(t, d, table, edits)
}

// planned are the rows of a table after edits.
func planned(t *testing.T, d *model.Document, table string, edits []model.Edit) (string, error) {
	p, err := d.Plan(t.Context(), "edit", edits...)
	if err != nil {
		return "", err
	}
	d.Apply(t.Context(), p, nil)
	tables := d.Tree.Tables(t.Context())
	tab := tables[model.TableIndex(tables, table)]
	rows, err := tab.Read(t.Context(), 0, tab.Rows)
	var out strings.Builder
	for _, r := range rows {
		for i := range r {
			if !tab.Columns[i].Layout { // new fragments have random names
				fmt.Fprintf(&out, "%s|", r[i].String())
			}
		}
	}
	return out.String(), err
}

// TestGivenColumns appends the rows of every table of the good samples that grows: once as columns and once as texts. Where one way is refused the
// other is too, and the tables are the same then.
func TestGivenColumns(t *testing.T) {
	grown := map[string]int{}
	for _, f := range All() {
		for _, s := range samples(t, f) {
			for _, tab := range s.open(t).Tree.Tables(t.Context()) {
				if tab.Fill == nil || !s.good || tab.Rows == 0 {
					continue
				}
				columns, whyColumns := withRows(t, s, tab.Name, true)
				texts, why := withRows(t, s, tab.Name, false)
				if fmt.Sprint(whyColumns) != fmt.Sprint(why) || columns != texts {
					t.Errorf("%s, %s: %v, as texts %v\n%.2000s\n%.2000s", s.name, tab.Name, whyColumns, why, columns, texts)
				}
				if why == nil {
					grown[f.Name]++
				}
			}
		}
	}
	for _, format := range []string{"npy", "idv", "tiledb"} {
		if grown[format] == 0 {
			t.Errorf("%s: no table grew", format)
		}
	}
}

// withRows are the rows of a table of a sample after its own rows are appended; keys of TileDB move, so that they are others.
func withRows(t *testing.T, s sample, table string, asColumns bool) (string, error) {
	d := s.open(t)
	tables := d.Tree.Tables(t.Context())
	tab := tables[model.TableIndex(tables, table)]
	rows := model.RowReader{Table: &tab}
	batches := make([]*model.Batch, len(tab.Columns))
	for j := range tab.Columns {
		col := &tab.Columns[j]
		if col.IsVector() || col.Names != nil {
			continue
		}
		batches[j] = &model.Batch{}
		for i := range tab.Rows {
			batches[j].Append(col.Item(), given(t, &tab, &rows, i, j).Value)
		}
	}
	g := model.GivenRows{From: tab.Rows, N: tab.Rows, Cell: func(row int64, column int) model.Typed {
		x := model.Typed{Row: row, Column: column}
		c := given(t, &tab, &rows, row-tab.Rows, column)
		x.Text, x.Missing = c.Typed(&tab.Columns[column])
		return x
	}}
	if asColumns {
		g.Batch = func(column int) *model.Batch { return batches[column] }
	}
	edits, err := tab.Fill(t.Context(), g)
	if err != nil {
		return "", err
	}
	return planned(t, d, table, edits)
}

// given is a new cell: that of a row, or another coordinate.
func given(t *testing.T, tab *model.Table, rows *model.RowReader, row int64, column int) model.Cell {
	r, err := rows.At(t.Context(), row)
	if err != nil {
		t.Fatal(err)
	}
	c := model.Cell{Value: r[column].Value, Vector: r[column].Vector, Items: r[column].Items, Len: r[column].Len, Index: r[column].Index}
	if tab.Name == "cells" && slices.Contains(tab.Key, tab.Columns[column].Name) && c.Value.Kind != model.Text {
		c.Value = model.I(c.Value.Int() + tab.Rows)
	}
	return c
}
