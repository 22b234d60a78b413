package table

import (
	"context"
	"fmt"
	"strings"

	"spandrel/model"
	"spandrel/ui/kit"
	"spandrel/ui/show"
)

// mostPasted is how many cells can be set at once.
const mostPasted = 20_000

func columnNames(t *model.Table) []string {
	return model.Map(t.Columns, func(c model.Column) string { return c.Name })
}

// Paste sets cells from the selected one on: a line per row, with tabs between columns, as spreadsheets copy them. A first line with the
// names of all columns, as copied here, is skipped.
func (t *Pane) Paste(text string) {
	first, _ := t.ChosenRows()
	if t.Current < 0 || text == "" {
		return
	}
	lo, _, block := t.Block()
	if !block {
		lo = max(1, t.SelColumn)
	}
	lines := strings.Split(strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), "\n")
	if len(lines) > 1 && lines[0] == strings.Join(columnNames(t.Table), "\t") {
		lines, lo = lines[1:], 1
	}
	var cells []model.Typed
	for i, line := range lines {
		words := strings.Split(line, "\t")
		if first+int64(i) >= t.Count() || lo-1+len(words) > len(t.Table.Columns) {
			t.d.Window.Say("not pasted: the block extends past the end of the table")
			return
		}
		for k, w := range words {
			cells = append(cells, model.Typed{Row: t.Order.Real(first + int64(i)), Column: lo - 1 + k, Text: w})
		}
	}
	t.set(cells, fmt.Sprintf("paste %s at row %d, %s", show.Counted(int64(len(cells)), "cell"), numberOf(t.Table, cells[0].Row), t.Table.Columns[lo-1].Name))
}

// FillDown sets the selected cells of the selected rows to the value in the first of these rows.
func (t *Pane) FillDown() {
	first, n := t.ChosenRows()
	lo, hi, block := t.Block()
	if !block {
		lo, hi = max(1, t.SelColumn), max(1, t.SelColumn)
	}
	if n < 2 {
		t.d.Window.Say("to fill down, select rows first: the first row is copied to the others")
		return
	}
	if n*int64(hi-lo+1) > mostPasted {
		t.d.Window.Say(fmt.Sprintf("not filled: at most %d cells can be set at once", mostPasted))
		return
	}
	table, order := t.Order.view(*t.Table), t.Order
	label := fmt.Sprintf("fill %s down from row %d", t.Table.Columns[lo-1].Name, numberOf(t.Table, t.Order.Real(first)))
	kit.Work(t.d.Window, label, model.Edited, func(ctx context.Context) ([]model.Row, error) {
		return table.Read(ctx, first, 1)
	}, func(rows []model.Row, err error) {
		if err != nil || len(rows) == 0 {
			t.d.Window.Fail("Fill down", err)
			return
		}
		var cells []model.Typed
		for row := first + 1; row < first+n; row++ {
			for k := lo - 1; k < min(hi, len(rows[0])); k++ {
				text, missing := rows[0][k].Typed(&table.Columns[k])
				cells = append(cells, model.Typed{Row: order.Real(row), Column: k, Text: text, Missing: missing})
			}
		}
		t.set(cells, label)
	})
}

// set sets cells to typed values, as one edit.
func (t *Pane) set(cells []model.Typed, label string) {
	switch {
	case t.Repaired.Shows() != nil:
		t.Repaired.offer(t.Repaired.Shows())
		return
	case len(cells) > mostPasted:
		t.d.Window.Say(fmt.Sprintf("not pasted: at most %d cells can be set at once", mostPasted))
		return
	}
	t.d.Editor.Unlock()
	t.setCells(cells, label, func(err error) {
		if err != nil {
			err = fmt.Errorf("nothing is changed: %w", err)
		}
		t.trouble(err)
	})
}
