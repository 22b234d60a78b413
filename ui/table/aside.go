package table

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
	"spandrel/ui/kit"
)

// aside is a pane beside the table about one of the tables, which stays until it is closed.
type aside struct {
	t       *Pane
	about   *widget.Label
	Tab     *container.TabItem
	reading kit.Running                   // withdraws the reading
	name    string                        // of the table that it is about; "": none
	again   func(table *model.Table) bool // reads the table again; false: what the pane is about is gone
	gone    func()                        // says so
}

// newAside makes one; what names it in "close …".
func newAside(t *Pane, title, what string, content fyne.CanvasObject) *aside {
	a := &aside{t: t, about: kit.NewLine("")}
	a.Tab = t.d.Lower.Aside(title, what, a.about, content, a.Close)
	return a
}

// table is the present state of the pane's table; nil if it is gone.
func (a *aside) table() *model.Table {
	if now := a.t.Table; now != nil && now.Name == a.name { // a slice of an array is not among the tables
		return now
	}
	for i := range a.t.tables {
		if a.t.tables[i].Name == a.name {
			return &a.t.tables[i]
		}
	}
	return nil
}

// follow reads the table again after an edit.
func (a *aside) follow() {
	if a.name == "" {
		return
	}
	if table := a.table(); table == nil || !a.again(table) {
		a.reading.Stop()
		a.gone()
	}
}

// showTable switches to the pane's table.
func (a *aside) showTable() {
	a.t.openNamed(a.name)
	a.t.d.Lower.Show(kit.TabTable)
}

// Close closes the pane.
func (a *aside) Close() {
	a.reading.Stop()
	a.name = ""
	a.t.d.Lower.Offer(a.Tab, false)
	a.t.d.Lower.Open(kit.TabTable)
}
