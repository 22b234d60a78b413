package compare

import (
	"context"
	"errors"
	"fmt"
	"io"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
	"spandrel/ui/rows"
)

// suit adapts to what is shown. Without bytes, a table is searched; without a table, everything: "these bytes" mean nothing.
func (p *Find) suit() {
	usual := [2]string{findText, ScopeSpace}
	if !p.Bytes {
		usual[1] = scopeDecoded
		if p.Doc.Cells.Name() != "" {
			usual[0] = findCells
		}
	}
	if p.Entry.Text == "" && p.Count() == 0 {
		for i, s := range []*kit.Select{p.Kind, p.scope} {
			if s.Selected == p.usual[i] && usual[i] != p.usual[i] {
				s.SetSelected(usual[i])
			}
		}
		p.usual = usual
	}
}

// cellSearch lists the cells of a table that meet what was typed: a value, or conditions as they filter its rows.
func cellSearch(name, text string) (search, error) {
	switch {
	case name == "":
		return nil, errors.New("no table is shown")
	case text == "":
		return nil, errNothingWanted
	}
	return func(ctx context.Context, t *model.Tree, progress kit.Progress) ([]doc.Place, error) {
		tables := t.Tables(ctx)
		i := model.TableIndex(tables, name)
		if i < 0 {
			return nil, fmt.Errorf("there is no longer a table %q", name)
		}
		return cellsOf(ctx, tables, i, text, progress)
	}, nil
}

// hits are the columns of the cells of a row that meet one of the conditions. The positions of an array are no values.
func hits(t *model.Table, all model.Filters, row model.Row) (columns []int) {
	for _, f := range all {
		for k := range f.Cells(t, row) {
			if t.Tensor == nil || k == t.Tensor.Column {
				columns = append(columns, k)
			}
		}
	}
	return columns
}

// cellsOf are the cells of a table that meet the conditions of a text, at most FindMost.
func cellsOf(ctx context.Context, tables []model.Table, i int, text string, progress kit.Progress) (items []doc.Place, err error) {
	t := &tables[i]
	all, err := model.Conditions(t, text)
	if err != nil {
		return nil, err
	}
	err = t.Each(ctx, 0, t.Rows, progress, func(n int64, row model.Row) error {
		if !all.Meet(t, row) {
			return nil
		}
		for _, k := range hits(t, all, row) {
			if len(items) == doc.FindMost {
				return io.EOF
			}
			column := t.Columns[k]
			items = append(items, doc.Place{Cell: &doc.CellRef{Table: t.Name, Row: n, Column: column.Name},
				Cells: []rows.Cell{{Text: elementPath(tables, t.Name, n, fmt.Sprintf("%s[%d]", t.Name, n)), Tail: true}, {Text: column.Name}, {Text: row[k].Named(column.Type, nil)}}})
		}
		return nil
	})
	if err == io.EOF {
		err = nil
	}
	return items, err
}
