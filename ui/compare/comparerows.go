package compare

import (
	"context"
	"errors"
	"strings"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/rows"
)

// differingTables lists the differences between the tables of a and b, as `spandrel diff` does; compared is false if tables do not hold all content.
// Of differing fields outside tables only the paths are noted, as apart; they are left to differingFields. Not compared, there are none: apart is nil.
func differingTables(ctx context.Context, a, b *model.Tree) (items []doc.Place, apart map[string]bool, compared bool, err error) {
	tables, others := a.Tables(ctx), b.Tables(ctx)
	apart = map[string]bool{}
	compared, err = model.CompareContent(ctx, a, b, model.ContentOptions{}, func(d model.Difference) error {
		if d.Kind == "field" {
			apart[d.Path] = true
			return nil
		}
		if items = append(items, contentRow(d, tables, others)); len(items) == doc.FindMost {
			return errEnough
		}
		return ctx.Err()
	})
	switch {
	case errors.Is(err, errEnough):
		err = nil
	case err != nil && ctx.Err() == nil: // its fields report the problem
		items, err = append(items, differing("tables", "cannot be compared", err.Error(), "", nil)), nil
	}
	if !compared {
		apart = nil
	}
	return items, apart, compared, err
}

// contentRow is a difference between contents as a row, which leads to the place in this document, with these tables. An element of an array is
// named by its index. others are the tables of the other document.
func contentRow(d model.Difference, tables, others []model.Table) doc.Place {
	if d.A == nil {
		d.TextA = absent
	}
	if d.B == nil {
		d.TextB = absent
	}
	var cell *doc.CellRef
	if d.Row >= 0 {
		cell = &doc.CellRef{Table: d.Table, Row: d.Row, Column: d.Column}
	}
	what := d.Kind
	if d.Kind == "cell" {
		d.Path, what = strings.TrimSuffix(d.Path, "/"+d.Column), d.Column
		d.Path = elementPath(tables, d.Table, d.Row, d.Path)
	}
	row := differing(d.Path, what, d.TextA, d.TextB, cell)
	if d.Kind == rowAlone {
		row.Take, row.Give = rowWays(d, tables, others)
	}
	if d.Typed != nil {
		row.Take = takeCell(*cell, *d.Typed)
	}
	if d.Back != nil {
		row.Give = takeCell(doc.CellRef{Table: d.Table, Row: d.RowB, Column: d.Column}, *d.Back)
	}
	return row
}

// elementPath names a row of a table that is an array by its index; path is its name otherwise.
func elementPath(tables []model.Table, table string, row int64, path string) string {
	i := model.TableIndex(tables, table)
	if i < 0 || row < 0 || tables[i].Tensor == nil {
		return path
	}
	return table + "[" + model.Position(tables[i].Tensor.Shape, tables[i].Tensor.ColumnMajor)(row) + "]"
}

// differing is a difference as a row: where, what, here and there.
func differing(where, what, here, there string, cell *doc.CellRef) doc.Place {
	return doc.Place{Cell: cell, Cells: []rows.Cell{{Text: where, Tail: true}, {Text: what}, {Text: here}, {Text: there}}}
}
