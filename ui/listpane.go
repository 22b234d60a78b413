package ui

import (
	"strings"

	"fyne.io/fyne/v2"

	"spandrel/model"
	"spandrel/ui/rows"
)

// place is a row of a list: what it says, and where it leads.
type place struct {
	cells []rows.Cell
	span  *model.Span
	at    model.Range
	in    *fieldRange // instead of both: looked for when it is chosen
	cell  *cellRef    // the same for a cell of a table
}

// fieldRange is bytes of a field that is known by its path: n from off on, or all of it when n is 0.
type fieldRange struct {
	path   string
	off, n int64
}

// listPane is a list of places: problems, coverage, search hits. A row leads to what it is about.
type listPane struct {
	rows.Grid
	d      *Document
	items  []place
	chosen func(row int64) // told of a row that is chosen; may be nil
}

func newListPane(d *Document, columns ...rows.Column) listPane {
	l := listPane{d: d, Grid: rows.NewGrid(columns...)}
	l.Stretch, l.Striped, l.Fits = true, true, true
	return l
}

// bind makes the view; it needs the address that the pane ends up at.
func (l *listPane) bind(r rows.Rows) {
	l.Cells = func(row int64) ([]rows.Cell, bool) {
		if row < int64(len(l.items)) {
			return l.items[row].cells, true
		}
		return nil, false
	}
	l.View = rows.NewView(r)
}

func (l *listPane) Count() int64        { return int64(len(l.items)) }
func (l *listPane) Show(_, _ int64)     {}
func (l *listPane) hovered(model.Range) {}

// set shows other rows.
func (l *listPane) set(items []place) {
	l.items = items
	if l.Current >= l.Count() {
		l.Current = -1
	}
	l.View.Update()
}

// choose selects a row and goes where it leads.
func (l *listPane) choose(row int64) {
	if row < 0 || row >= l.Count() {
		return
	}
	l.Grid.Current = row
	l.View.Follow(row)
	l.View.Redraw()
	if l.chosen != nil {
		l.chosen(row)
	}
	switch p := l.items[row]; {
	case p.cell != nil:
		l.d.goToCell(p.cell)
	case p.in != nil:
		l.d.goToField(*p.in)
	case p.span != nil && p.span.Parent() == nil && (p.at.Len == 0 || p.at == p.span.Range): // it is about the document: no bytes are meant
		l.d.sel.set(Selection{Span: p.span, Range: model.Range{Space: p.span.Range.Space}})
	case p.span != nil && (p.at.Len == 0 || p.at.Space == p.span.Range.Space):
		l.d.sel.set(Selection{Span: l.d.found.owner(p.span, p.at), Range: p.at})
	case p.at.Len > 0:
		l.d.sel.bytes(p.at, nil)
	}
}

func (l *listPane) Hover(row int64, _ float32) {
	if row < 0 || row >= l.Count() {
		l.d.sel.light(model.Range{})
		return
	}
	p := l.items[row]
	if p.at.Len == 0 && p.span != nil {
		p.at = p.span.Range
	}
	l.d.sel.light(p.at)
}

func (l *listPane) Press(row int64, x float32, e rows.Press) {
	if !l.Resize(row, x, e) && !e.Drag {
		l.choose(row)
	}
}

func (l *listPane) Key(name fyne.KeyName, mod fyne.KeyModifier) bool {
	if name == fyne.KeyC && mod == fyne.KeyModifierShortcutDefault && l.Current >= 0 && l.Current < l.Count() {
		l.d.wb.copy(rowText(l.items[l.Current]))
		return true
	}
	return mod == 0 && l.Moved(name, l.Count(), l.choose)
}

func (l *listPane) Menu(row int64, _ float32) *fyne.Menu {
	if row >= 0 && row < l.Count() && l.items[row].span != nil {
		return l.d.spanMenu(l.items[row].span)
	}
	return nil
}

// rowText is a row of a list as a line with tabs.
func rowText(p place) string {
	var texts []string
	for _, c := range p.cells {
		texts = append(texts, c.Text)
	}
	return strings.Join(texts, "\t")
}
