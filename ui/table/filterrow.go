package table

import (
	"spandrel/ui/doc"
	"spandrel/ui/paint"
	"spandrel/ui/rows"
)

// filterRow is a line below the header with the filter for each column. It is another view of
// the one filter, which is also shown as a whole in its own line.
type filterRow struct {
	*doc.InPlace
	t   *Pane
	col int // that is being filtered, among those of the grid
}

func newFilterRow(t *Pane) *filterRow {
	f := &filterRow{t: t}
	f.InPlace = doc.NewInPlace(t.d.Window, t.View, f.submit)
	f.Live, f.Entry.OnChanged = true, f.typed
	f.Closed = func() { t.narrow(t.Narrow.Text) } // the error message is outdated
	return f
}

// Shown tells whether the line is visible.
func (f *filterRow) Shown() bool { return f.t.Below != nil }

// Turn shows the line, starting in the column of the selected cell, or hides it. The filter stays.
func (f *filterRow) Turn() {
	if f.Shown() {
		f.Close()
		f.t.Below = nil
		f.t.View.Update()
		f.t.d.Window.Shell.Focus(f.t.View)
		return
	}
	f.t.Below = f.cell
	f.t.View.Update()
	f.Begin(max(1, f.t.SelColumn))
}

// cell is the text of the line below the title of a column.
func (f *filterRow) cell(i int) rows.Cell {
	if i == 0 {
		return rows.Cell{Text: "filter", Dim: true, Right: true}
	}
	return rows.Cell{Text: f.asked(i), Fill: paint.Look().Background}
}

// asked is the condition on a column of the grid.
func (f *filterRow) asked(i int) string {
	if f.t.Table == nil || i > len(f.t.Table.Columns) {
		return ""
	}
	return f.t.Table.Asked(f.t.Narrow.Text, i-1)
}

// Begin lets the user type the condition on a column.
func (f *filterRow) Begin(col int) {
	t := f.t
	if t.Table == nil || col < 1 || col >= len(t.Columns) {
		return
	}
	f.col = 0 // what is shown first is not typed
	t.RevealColumn(col)
	if f.Open(rows.FilterRow, t.ColumnX(col), t.ColumnWidth(col), f.asked(col), true) {
		f.col = col
	}
}

// typed makes the text a part of the filter, or says what of it is not understood: then the filter does not change.
func (f *filterRow) typed(text string) {
	t := f.t
	if f.col == 0 {
		return
	}
	line, err := t.Table.Ask(t.Narrow.Text, f.col-1, text)
	if err != nil {
		t.narrow(t.Narrow.Text) // what was typed before
	} else {
		t.Narrow.SetText(line)
	}
	t.misunderstood(err)
}

// submit continues in the rows, or in the next column.
func (f *filterRow) submit(_ string, down int64, right int) {
	col := f.col + right
	f.Close()
	if right != 0 && col < len(f.t.Columns) {
		f.Begin(col)
		return
	}
	if f.t.d.Window.Shell.Focus(f.t.View); down > 0 && f.t.Current < 0 && f.t.Count() > 0 {
		f.t.Choose(0, max(1, f.col))
	}
}
