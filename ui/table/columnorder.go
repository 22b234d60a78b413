package table

import (
	"slices"

	"fyne.io/fyne/v2"
)

// columnOrder is which columns of a table are shown, in which order.
type columnOrder struct {
	t     *Pane
	order []int // of the table's own columns; nil: all, as they are
	usual []int // the order that the table is first shown in; nil: as they are
}

// apply shows the chosen columns, or all in their default order.
func (o *columnOrder) apply() {
	if o.usual = o.t.Table.ByUse(); o.t.Table.Tensor != nil || o.t.Table.Of != nil || slices.IsSorted(o.usual) {
		o.usual = nil // an array is arranged by its own pane
	}
	if o.order == nil || slices.Max(o.order) >= len(o.t.Table.Columns) {
		o.order = o.usual
	}
	if o.order != nil {
		table := o.t.Table.Arrange(o.order)
		o.t.Table = &table
	}
}

// change reorders the columns; the order is given by indices of the visible columns.
func (o *columnOrder) change(order []int) {
	t := o.t
	widths, was, sorted := t.Columns, o.order, t.Order.column
	for i, k := range order {
		if was != nil {
			order[i] = was[k]
		}
	}
	o.order = order
	place := func(column int) int { // of a column that is shown, afterwards
		if was != nil {
			column = was[column]
		}
		return slices.Index(order, column)
	}
	pinned := t.Pinned
	index := t.Array.shown
	t.take(t.Array.at, index)
	t.Columns = columnsOf(t.Table)
	for k, c := range widths[1:] {
		if at := place(k); at >= 0 {
			t.Columns[at+1].Width = c.Width
		}
	}
	t.Pinned = min(pinned, len(order))
	if sorted >= 0 {
		t.Order.column = place(sorted)
		t.asked.column = t.Order.column
	}
	t.titles()
	t.Current, t.Anchor, t.ColAnchor, t.SelColumn = -1, -1, -1, -1
	t.View.Update()
}

// list is the visible columns.
func (o *columnOrder) list() []int { return columnsFrom(0, len(o.t.Table.Columns)-1) }

// Hide hides a column.
func (o *columnOrder) Hide(col int) {
	if len(o.t.Table.Columns) > 1 {
		if col < o.t.Pinned {
			o.t.Pinned--
		}
		o.change(slices.Delete(o.list(), col, col+1))
	}
}

// Move puts a column to the place of another.
func (o *columnOrder) Move(col, to int) {
	to = max(0, min(to, len(o.t.Table.Columns)-1))
	o.change(slices.Insert(slices.Delete(o.list(), col, col+1), to, col))
}

// Pin keeps a column visible while the others scroll, or releases it.
func (o *columnOrder) Pin(col int) {
	t := o.t
	if col < t.Pinned {
		t.Pinned--
		o.Move(col, t.Pinned)
		return
	}
	t.Pinned++
	o.Move(col, t.Pinned-1)
}

// All shows all columns in their default order.
func (o *columnOrder) All() {
	t := o.t
	at, index := t.Array.at, t.Array.shown
	if t.Table != nil {
		t.show(at, index)
	}
}

// menu is the context menu of a column.
func (o *columnOrder) menu(col int) []*fyne.MenuItem {
	pin := "Pin column"
	if col < o.t.Pinned {
		pin = "Unpin column"
	}
	items := []*fyne.MenuItem{fyne.NewMenuItem(pin, func() { o.Pin(col) }), fyne.NewMenuItem("Hide column", func() { o.Hide(col) }),
		fyne.NewMenuItem("Move column left", func() { o.Move(col, col-1) }), fyne.NewMenuItem("Move column right", func() { o.Move(col, col+1) })}
	if !slices.Equal(o.order, o.usual) || o.t.Pinned > 0 {
		items = append(items, fyne.NewMenuItem("Show all columns", o.All))
	}
	return items
}
