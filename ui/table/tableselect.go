package table

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
	"spandrel/ui/rows"
	"spandrel/ui/show"
)

// Release moves the column that was dragged to another place, or sorts by the one that was clicked.
func (t *Pane) Release() {
	from, to := t.Moving-1, t.Over-1
	switch t.Moving = -1; {
	case from < 0 || t.Table == nil || max(from, to) >= len(t.Table.Columns):
	case from == to:
		t.SortBy(from)
	default:
		t.Shape.Move(from, to)
	}
}

// drag notes where the pressed column would go.
func (t *Pane) drag(col int) {
	if t.Over = max(1, col); col < 0 { // right of the last column
		t.Over = len(t.Columns) - 1
	}
	t.View.Redraw()
}

func (t *Pane) Press(row int64, x float32, e rows.Press) {
	col := t.ColumnAt(x)
	switch {
	case t.Resize(row, x, e):
		if row == -1 && e.Click() && t.Sizing < 0 && col > 0 && t.Table != nil {
			t.Moving, t.Over = col, col // sorts when it is released, unless it is dragged
		}
	case t.Moving > 0:
		t.drag(col)
	case row == rows.FilterRow:
		if e.Click() {
			t.Filter.Begin(col)
		}
	case t.Table == nil || t.Count() == 0:
	case e.Button == desktop.MouseButtonSecondary && t.isChosen(row): // the menu applies to the selected rows
	case t.extends(row, e):
		t.extendTo(row, col)
	case !e.Drag && row >= 0 && row < t.Count():
		t.Editor.Close()
		if col < 0 { // right of the last column
			t.Choose(row, t.SelColumn)
			return
		}
		if t.Choose(row, col); e.Double && e.Click() && col > 0 {
			t.Editor.Begin("")
		}
	}
}

// ChosenRows returns the first selected row and the number of selected rows, which is 0 if no cell is selected.
func (t *Pane) ChosenRows() (first, n int64) {
	if t.Current < 0 {
		return 0, 0
	}
	lo, hi := t.Chosen()
	return lo, hi - lo + 1
}

func (t *Pane) isChosen(row int64) bool {
	lo, hi := t.Chosen()
	return hi > lo && row >= lo && row <= hi
}

// extends tells whether a press extends the selection: with Shift, or by a drag to another row and, in an array, to another column.
func (t *Pane) extends(row int64, e rows.Press) bool {
	switch {
	case t.Current < 0 || row < -1:
		return false
	case e.Drag:
		return t.Sizing < 0 && (row != t.Current || t.Table.Of != nil)
	}
	return e.Mod&fyne.KeyModifierShift != 0
}

// extend selects the rows from the anchor to row, in the same columns as before.
func (t *Pane) extend(row int64) { t.extendWith(row, t.SelColumn, t.ColAnchor) }

// extendTo selects the rows from the anchor to row; in an array, the block of cells up to col.
func (t *Pane) extendTo(row int64, col int) {
	from := t.ColAnchor
	if t.Table.Of != nil && from < 0 {
		from = t.SelColumn
	}
	if from < 0 || col < 1 {
		col = t.SelColumn
	}
	t.extendWith(row, col, from)
}

func (t *Pane) extendWith(row int64, col, colAnchor int) {
	anchor := t.Anchor
	if anchor < 0 {
		anchor = max(0, t.Current)
	}
	t.Choose(max(0, min(row, t.Count()-1)), col)
	t.Anchor, t.ColAnchor = anchor, colAnchor
	t.View.Redraw()
}

// widen moves the edge of the selected block by a number of columns.
func (t *Pane) widen(by int) {
	from := t.ColAnchor
	if from < 0 {
		from = t.SelColumn
	}
	t.extendWith(t.Current, max(1, min(t.SelColumn+by, len(t.Columns)-1)), from)
}

// selectRows selects all rows.
func (t *Pane) selectRows() {
	if t.Count() > 0 {
		t.Current, t.Anchor, t.SelColumn = t.Count()-1, 0, max(1, t.SelColumn)
		t.View.Redraw()
		t.d.Window.Say(model.Words("%d rows are selected", t.Count()))
	}
}

// copied is the text of a cell that is copied.
func (t *Pane) copied(c *model.Cell, row int64, col int) string {
	return c.Named(t.Table.Columns[col-1].Type, t.slots(row, col))
}

// copyRows copies the selected cell, or the selected rows as tab-separated text with the column names first.
func (t *Pane) copyRows() {
	first, n := t.ChosenRows()
	lo, hi, block := t.Block()
	if n <= 1 && !block {
		if c, ok := t.CellAt(t.Current, t.SelColumn); ok {
			t.d.Window.Copy(t.copied(&c, t.Current, t.SelColumn))
		}
		return
	}
	rows := t.Order.view(*t.Table).Part(first, n)
	if block {
		rows = rows.Arrange(columnsFrom(lo-1, hi-1))
	}
	kit.Watched(t.d.Window, "copying rows", model.Selected, func(ctx context.Context, progress kit.Progress) (string, error) {
		return tabbed(ctx, rows, !block, progress)
	}, kit.OrFail(t.d.Window.Host, "Copy", t.d.Window.Copy))
}

// columnsFrom lists the column numbers lo to hi.
func columnsFrom(lo, hi int) (out []int) {
	for k := lo; k <= hi; k++ {
		out = append(out, k)
	}
	return out
}

// tabbed returns a table as tab-separated lines; it fails above doc.CopyMost bytes.
func tabbed(ctx context.Context, t model.Table, names bool, progress func(done, total int64)) (string, error) {
	var b strings.Builder
	line := func(fields []string) {
		for i, f := range fields {
			fields[i] = strings.NewReplacer("\t", " ", "\n", " ").Replace(f)
		}
		b.WriteString(strings.Join(fields, "\t") + "\n")
	}
	if names {
		line(columnNames(&t))
	}
	err := t.Each(ctx, 0, t.Rows, progress, func(_ int64, row model.Row) error {
		var fields []string
		for k := range row { // as someone would type it: what is pasted is read again
			text, _ := row[k].Typed(&t.Columns[k])
			fields = append(fields, text)
		}
		if line(fields); b.Len() > doc.CopyMost {
			return fmt.Errorf("the rows have more than %s as text: export them", show.Size(doc.CopyMost))
		}
		return nil
	})
	return b.String(), err
}

// ExportRows asks where to save the selected rows.
func (t *Pane) ExportRows() {
	first, n := t.ChosenRows()
	if t.Table == nil || n == 0 {
		t.d.Window.Fail("Nothing to export", errors.New("no row of a table is selected: Shift+click selects up to a row"))
		return
	}
	rows := t.Order.view(*t.Table).Part(first, n)
	t.askExportOf(&rows)
}

// rowKey handles the keys that select, copy and paste rows; false: another key.
func (t *Pane) rowKey(name fyne.KeyName, mod fyne.KeyModifier) bool {
	switch {
	case name == fyne.KeyC && mod == fyne.KeyModifierShortcutDefault:
		t.copyRows()
	case name == fyne.KeyA && mod == fyne.KeyModifierShortcutDefault:
		t.selectRows()
	case name == fyne.KeyV && mod == fyne.KeyModifierShortcutDefault:
		t.Paste(t.d.Window.App.Clipboard().Content())
	case mod == fyne.KeyModifierShift && (name == fyne.KeyLeft || name == fyne.KeyRight) && t.Current >= 0:
		t.widen(map[fyne.KeyName]int{fyne.KeyLeft: -1, fyne.KeyRight: 1}[name])
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
