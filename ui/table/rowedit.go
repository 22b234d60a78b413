package table

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/ui/show"
)

// mostMoved is how many rows may follow the first that is deleted: they are all written again.
const mostMoved = 1 << 20

// Grows tells whether rows can be added to the table and deleted from it. A slice of an array has a fixed shape.
func (t *Pane) Grows() bool {
	return t.Table != nil && t.Table.Of == nil && t.tables[t.Array.at].Fill != nil && t.Repaired.Shows() == nil
}

// DeleteRows deletes the selected rows, as one edit.
func (t *Pane) DeleteRows() {
	first, n := t.ChosenRows()
	if n == 0 || !t.Grows() {
		t.d.Window.Say("select rows first: they are deleted")
		return
	}
	table := t.tables[t.Array.at]
	gone := make([]int64, 0, n)
	for row := first; row < first+n; row++ {
		gone = append(gone, t.Order.Real(row))
	}
	slices.Sort(gone)
	if table.Rows-gone[0] > mostMoved {
		t.d.Window.Say(fmt.Sprintf("not deleted: more than %s rows follow", model.Thousands(mostMoved)))
		return
	}
	label := "delete " + show.Counted(n, "row") + " of " + table.Name
	t.rearrange(label, func(ctx context.Context, tree *model.Tree) ([]model.Edit, error) {
		var rows []model.MergedRow
		for row := gone[0]; row < table.Rows; row++ {
			if _, is := slices.BinarySearch(gone, row); !is {
				rows = append(rows, model.MergedRow{A: row})
			}
		}
		return model.Rearranged(ctx, tree, table.Name, gone[0], rows)
	})
}

// PasteRows adds the lines of a text as rows after the last, with tabs between columns, as spreadsheets copy them. If the first line names columns, the
// others have values for these; otherwise for the columns as they are shown.
func (t *Pane) PasteRows(text string) {
	if !t.Grows() || strings.TrimSpace(text) == "" {
		t.d.Window.Say("copy rows first: they are added after the last row")
		return
	}
	table := t.tables[t.Array.at]
	rows, err := pastedRows(&table, columnNames(t.Table), text)
	if err != nil {
		t.d.Window.Say("not pasted: " + err.Error())
		return
	}
	label := "add " + show.Counted(int64(len(rows)), "row") + " to " + table.Name
	t.rearrange(label, func(ctx context.Context, tree *model.Tree) ([]model.Edit, error) {
		return model.Rearranged(ctx, tree, table.Name, table.Rows, rows)
	})
}

// pastedRows are the lines of a text as rows of a table of which some columns are shown.
func pastedRows(table *model.Table, shown []string, text string) (rows []model.MergedRow, err error) {
	lines := strings.Split(strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), "\n")
	names := strings.Split(lines[0], "\t")
	if slices.ContainsFunc(names, func(name string) bool { return table.Column(name) < 0 }) {
		names = shown
	} else if lines = lines[1:]; len(lines) == 0 {
		return nil, errors.New("there is no row below the names of the columns")
	}
	for _, line := range lines {
		words := strings.Split(line, "\t")
		if len(words) > len(names) {
			return nil, fmt.Errorf("a line has %s, and there are %s", show.Counted(int64(len(words)), "value"), show.Counted(int64(len(names)), "column"))
		}
		row := model.MergedRow{A: -1, Cells: make([]model.Typed, len(table.Columns))}
		for k := range row.Cells {
			row.Cells[k].Missing = true
		}
		for i, word := range words {
			if k := table.Column(names[i]); k >= 0 && table.Columns[k].Fixed == "" {
				row.Cells[k] = model.Typed{Text: word}
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// rearrange makes an edit that adds or deletes rows.
func (t *Pane) rearrange(label string, make func(context.Context, *model.Tree) ([]model.Edit, error)) {
	t.d.Editor.Unlock()
	t.d.Editor.EditMade(label, make, func(err error) {
		if err != nil && !errors.Is(err, context.Canceled) {
			t.d.Window.Say("nothing is changed: " + err.Error())
		}
	})
}
