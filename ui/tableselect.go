package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"fyne.io/fyne/v2"

	"spandrel/model"
	"spandrel/ui/rows"
)

// rowChoice is the rows of a table that are selected.
type rowChoice struct{ *tablePane }

// chosenRows returns the first of the selected rows and how many there are: none while no cell is chosen.
func (t *rowChoice) chosenRows() (first, n int64) {
	if t.Current < 0 {
		return 0, 0
	}
	lo, hi := t.Chosen()
	return lo, hi - lo + 1
}

func (t *rowChoice) isChosen(row int64) bool {
	lo, hi := t.Chosen()
	return hi > lo && row >= lo && row <= hi
}

// extend selects the rows from the one that was chosen to another.
func (t *rowChoice) extend(row int64) {
	anchor := t.Anchor
	if anchor < 0 {
		anchor = max(0, t.Current)
	}
	t.choose(max(0, min(row, t.Count()-1)), t.SelColumn)
	t.Anchor = anchor
	t.View.Redraw()
}

// selectRows selects all rows.
func (t *rowChoice) selectRows() {
	if t.Count() > 0 {
		t.Current, t.Anchor, t.SelColumn = t.Count()-1, 0, max(1, t.SelColumn)
		t.View.Redraw()
		t.d.wb.say(model.Words("%d rows are selected", t.Count()))
	}
}

// part returns a table of some of the rows of another.
func part(t model.Table, first, n int64) model.Table {
	read := t.Read
	t.Rows = n
	t.Read = func(ctx context.Context, from, k int64) ([]model.Row, error) {
		return read(ctx, first+from, max(0, min(k, n-from)))
	}
	return t
}

// copyRows copies the chosen cell, or the selected rows with the names of their columns between tabs.
func (t *rowChoice) copyRows() {
	first, n := t.chosenRows()
	if n <= 1 {
		if c, ok := t.tableCells.cellAt(t.Current, t.SelColumn); ok {
			t.d.wb.copy(c.Named(t.tableCells.slots(t.Current, t.SelColumn)))
		}
		return
	}
	rows := part(t.order.view(*t.table), first, n)
	t.d.wb.submit(model.Job{Title: "copying rows", Priority: model.Selected,
		Run: func(ctx context.Context, progress func(done, total int64)) (any, error) {
			return tabbed(ctx, rows, progress)
		},
		Done: func(v any, err error) {
			if text, ok := v.(string); ok && err == nil {
				t.d.wb.copy(text)
				return
			}
			t.d.wb.fail("Copy", err)
		}})
}

// tabbed prints a table as lines with tabs, up to copyMost bytes.
func tabbed(ctx context.Context, t model.Table, progress func(done, total int64)) (string, error) {
	var b strings.Builder
	line := func(fields []string) {
		for i, f := range fields {
			fields[i] = strings.NewReplacer("\t", " ", "\n", " ").Replace(f)
		}
		b.WriteString(strings.Join(fields, "\t") + "\n")
	}
	var names []string
	for _, c := range t.Columns {
		names = append(names, c.Name)
	}
	line(names)
	n := t.Page(statsPage)
	for at := int64(0); at < t.Rows; at += n {
		page, err := t.Read(ctx, at, min(n, t.Rows-at))
		if err != nil {
			return "", err
		}
		for _, row := range page {
			var fields []string
			for _, c := range row {
				fields = append(fields, c.String())
			}
			line(fields)
		}
		if b.Len() > copyMost {
			return "", fmt.Errorf("the rows are more than %s as text: export them", sizeText(copyMost))
		}
		progress(at, t.Rows)
	}
	return b.String(), ctx.Err()
}

// exportRows asks where the selected rows shall be written.
func (t *rowChoice) exportRows() {
	first, n := t.chosenRows()
	if t.table == nil || n == 0 {
		t.d.wb.fail("Nothing to export", errors.New("no row of a table is selected: Shift and a click select to a row"))
		return
	}
	rows := part(t.order.view(*t.table), first, n)
	t.askExportOf(&rows)
}

// rowKey handles the keys that select rows.
func (t *rowChoice) rowKey(name fyne.KeyName, mod fyne.KeyModifier) bool {
	switch {
	case name == fyne.KeyC && mod == fyne.KeyModifierShortcutDefault:
		t.copyRows()
	case name == fyne.KeyA && mod == fyne.KeyModifierShortcutDefault:
		t.selectRows()
	case mod == fyne.KeyModifierShift:
		to, ok := rows.MoveRow(name, max(0, t.Current), t.View.Page(), t.Count())
		if !ok {
			return false
		}
		t.View.Follow(to)
		t.extend(to)
	default:
		return false
	}
	return true
}
