package doc

import (
	"strings"

	"fyne.io/fyne/v2"

	"spandrel/model"
	"spandrel/model/cause"
	"spandrel/ui/kit"
	"spandrel/ui/rows"
)

// Place is a row of a list: its texts, and where it leads.
type Place struct {
	Cells []rows.Cell
	Span  *model.Span
	At    model.Range
	In    *FieldRange    // instead of both: looked for when it is chosen
	Cell  *CellRef       // the same for a cell of a table
	Copy  string         // text to copy; "": the displayed text
	Fold  string         // the name by which the rows below it are shown and hidden
	Below func() []Place // makes these rows; nil: there are none
	Found *model.Finding // that it is about; of several, the first. Nil: none
	Cause *cause.Cause   // the same for a cause
	// Take makes the edits that give what differs here the value of another document. Nil if that is not possible.
	Take Making
	Give Making // the same for the other document
	// Settle takes the value of another document instead, where that is not one edit.
	Settle func(then func(error))
}

// FieldRange is n bytes of the field at a path, from off on, or all of it if n is 0.
type FieldRange struct {
	Path   string
	off, n int64
}

// List is a list of places: problems, coverage, search hits. A row leads to what it is about.
type List struct {
	rows.Grid
	Doc    *Document
	Items  []Place         // as listed
	Open   map[string]bool // what is folded out, by Place.Fold
	Relist func()          // lists the rows again after that changed
	Chosen func(row int64) // called when a row is chosen; may be nil
	all    []Place         // without the rows below others
}

// NewList makes a list with columns; Bind must follow.
func NewList(d *Document, columns ...rows.Column) List {
	l := List{Doc: d, Grid: rows.NewGrid(columns...), Open: map[string]bool{}}
	l.Stretch, l.Striped, l.Fits = true, true, true
	return l
}

// Bind makes the view; it needs the final address of the pane.
func (l *List) Bind(r rows.Rows) {
	l.Cells = func(row int64) ([]rows.Cell, bool) {
		if row < int64(len(l.Items)) {
			return l.Items[row].Cells, true
		}
		return nil, false
	}
	l.View = rows.NewView(r)
	l.Relist = func() { l.Set(l.all) }
}

func (l *List) Count() int64        { return int64(len(l.Items)) }
func (l *List) Show(_, _ int64)     {}
func (l *List) Hovered(model.Range) {}

// Set sets the rows, with those below the ones that are folded out.
func (l *List) Set(items []Place) {
	l.all, l.Items = items, nil
	for _, p := range items {
		l.Items = append(l.Items, p)
		if p.Below == nil {
			continue
		}
		if p.Cells[0].Branch = rows.Branch(l.Open[p.Fold]); l.Open[p.Fold] {
			l.Items = append(l.Items, p.Below()...)
		}
	}
	if l.Current >= l.Count() {
		l.Current = -1
	}
	l.View.Update()
}

// Line is what a row is about; nothing if there is no such row.
func (l *List) Line(row int64) (p Place) {
	if row >= 0 && row < l.Count() {
		p = l.Items[row]
	}
	return p
}

// Unfold shows or hides what is below a row.
func (l *List) Unfold(p Place, open bool) {
	l.Open[p.Fold] = open
	l.Relist()
}

// Choose selects a row and goes where it leads.
func (l *List) Choose(row int64) {
	if row < 0 || row >= l.Count() {
		return
	}
	l.Grid.Current = row
	l.View.Follow(row)
	l.View.Redraw()
	if l.Chosen != nil {
		l.Chosen(row)
	}
	switch p := l.Items[row]; {
	case p.Cell != nil:
		l.Doc.GoToCell(p.Cell)
	case p.In != nil:
		l.Doc.goToField(*p.In)
	case p.Span != nil && p.Span.Parent() == nil && (p.At.Len == 0 || p.At == p.Span.Range): // it is about the document: no bytes are meant
		l.Doc.Sel.Set(Selection{Span: p.Span, Range: model.Range{Space: p.Span.Range.Space}})
	case p.Span != nil && (p.At.Len == 0 || p.At.Space == p.Span.Range.Space):
		l.Doc.Sel.Set(Selection{Span: l.Doc.Found.owner(p.Span, p.At), Range: p.At})
	case p.At.Len > 0:
		l.Doc.Sel.Bytes(p.At, nil)
	}
}

func (l *List) Hover(row int64, _ float32) {
	p := l.Line(row)
	if p.At.Len == 0 && p.Span != nil {
		p.At = p.Span.Range
	}
	l.Doc.Sel.Light(p.At)
}

// Press selects a row; on its triangle, or with a double click, it shows or hides what is below it.
func (l *List) Press(row int64, x float32, e rows.Press) {
	switch p := l.Line(row); {
	case p.Below != nil && e.Click() && (e.Double || x < rows.CellPad+rows.BranchBox):
		l.Unfold(p, !l.Open[p.Fold])
	case !l.Resize(row, x, e) && !e.Drag:
		l.Choose(row)
		if p.Cell != nil && e.Double {
			l.Doc.Lower.Show(kit.TabTable)
		}
	}
}

func (l *List) Key(name fyne.KeyName, mod fyne.KeyModifier) bool {
	p := l.Line(l.Current)
	open := l.Open[p.Fold]
	switch {
	case name == fyne.KeyC && mod == fyne.KeyModifierShortcutDefault && p.Cells != nil:
		l.Doc.Window.Copy(RowText(p))
		return true
	case p.Below != nil && mod == 0 && (name == fyne.KeyReturn || name == fyne.KeySpace || name == fyne.KeyRight && !open || name == fyne.KeyLeft && open):
		l.Unfold(p, !open)
		return true
	case p.Cell != nil && mod == 0 && name == fyne.KeyReturn:
		l.Doc.Lower.Show(kit.TabTable)
		return true
	}
	return mod == 0 && l.Moved(name, l.Count(), l.Choose)
}

func (l *List) Menu(row int64, _ float32) *fyne.Menu {
	if s := l.Line(row).Span; s != nil {
		return l.Doc.SpanMenu(s)
	}
	return nil
}

// RowText is the text that is copied for a row of a list: a tab-separated line, or what the row is a part of.
func RowText(p Place) string {
	if p.Copy != "" {
		return p.Copy
	}
	return strings.Join(model.Map(p.Cells, func(c rows.Cell) string { return c.Text }), "\t")
}
