package table

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
	"spandrel/ui/paint"
)

// CellEditor edits a cell of a table in place, in the type of its column: Enter continues in the cell below, Tab in the one on the
// right, Esc discards the text. A cell that cannot be edited says so before anything is typed.
type CellEditor struct {
	*doc.InPlace
	t    *Pane
	Ref  *doc.CellRef // that is edited; nil: none
	Then func()       // once the edit is made; may be nil
	said string       // why what was typed last is not taken
}

func newCellEditor(t *Pane) *CellEditor {
	e := &CellEditor{t: t}
	e.InPlace = doc.NewInPlace(t.d.Window, t.View, e.Submit)
	e.Entry.OnChanged, e.Closed = e.typed, e.forget
	return e
}

// typed says why the text being typed is not a value of the field, before Enter is pressed.
func (e *CellEditor) typed(text string) {
	if e.Ref == nil || e.t.Table.Set != nil && !e.counts(text) || e.Ref.Items != nil || text == e.Ref.Typed {
		e.t.d.Window.Hint("")
		return
	}
	at, trouble := e.t.RangeOf(e.Ref), ""
	if s := e.t.tree.At(at.Space, at.Off); s != nil && s.Ready() && model.OneField(s, at) == nil && s.Field.Choices == nil {
		v, err := s.Field.Parse(text)
		if err == nil {
			_, err = s.Field.Codec.Encode(v)
		}
		if err != nil {
			trouble = err.Error()
		}
	}
	e.t.d.Window.Hint(trouble)
}

// counts tells whether a text is an integer being typed into a column of integers: a table that sets its cells itself may accept names and dates too.
func (e *CellEditor) counts(text string) bool {
	col := e.t.Column(e.Ref)
	if col < 1 || col > len(e.t.Table.Columns) {
		return false
	}
	kind := e.t.Table.Columns[col-1].Kind
	_, whole := new(big.Int).SetString(text, 10)
	return whole && (kind == model.Uint || kind == model.Int)
}

// Begin opens the selected cell with its text, or with what was typed.
func (e *CellEditor) Begin(typed string) {
	t := e.t
	ref := t.Ref(t.Current, t.SelColumn)
	if ref == nil || !t.editable(ref) {
		return
	}
	if at := t.RangeOf(ref); t.Table.Set == nil {
		at.Len /= int64(max(1, len(ref.Items)))
		if err := model.OneField(t.tree.At(at.Space, at.Off), at); err != nil {
			why := err.Error()
			if t.d.Outside != "" { // which is why its bytes are others
				why = t.d.Outside
			}
			t.d.Window.Say("this cell cannot be edited: " + why)
			return
		}
	}
	t.d.Editor.Unlock()
	text, w := cmp.Or(typed, ref.Typed), t.ColumnWidth(t.SelColumn)
	for next := t.SelColumn + 1; w < doc.Wide(text) && next < len(t.Columns); next++ {
		w += t.ColumnWidth(next) // a cell is covered whole: the end of a number would read as another
	}
	if e.Open(t.Current, t.ColumnX(t.SelColumn), w, text, typed == "") {
		e.Ref = ref
	}
}

// forget ends editing, and removes its messages.
func (e *CellEditor) forget() {
	if e.Ref != nil {
		e.t.d.Window.Hint("")
	}
	if e.said != "" {
		e.t.d.Window.Outdated(e.said)
	}
	e.Ref, e.Then, e.said = nil, nil, ""
}

// Submit makes the edit and continues in another cell. After an error the cell stays open.
func (e *CellEditor) Submit(text string, down int64, right int) {
	ref, t := e.Ref, e.t
	if ref == nil {
		return
	}
	next := func() {
		if then := e.Then; then != nil {
			defer then()
		}
		e.Close()
		t.d.Window.Shell.Focus(t.View)
		row := max(0, min(t.Order.shown(ref.Row)+down, t.Count()-1))
		col := max(1, min(t.Column(ref)+right, len(t.Columns)-1))
		t.Choose(row, col)
		if t.waiting { // the rows are read again: the other panes go on as soon as they are there
			t.d.GoToCell(&doc.CellRef{Table: t.Table.Name, Column: t.Table.Columns[col-1].Name, Row: t.Order.Real(row)})
		}
	}
	if text == ref.Typed {
		next()
		return
	}
	e.Entry.Disable()
	t.SetCell(ref, text, func(err error) {
		e.Entry.Enable()
		switch {
		case e.Ref != ref:
		case err == nil:
			if col := t.Column(ref); col > 0 { // what was typed is not cut
				t.Columns[col].Width = max(t.Columns[col].Width, kit.ColumnFor(text))
			}
			next()
		case errors.Is(err, context.Canceled):
			e.Close()
		default:
			e.Then, e.said = nil, err.Error()
			t.d.Window.Say(e.said)
			t.d.Window.Shell.Focus(e.Entry)
		}
	})
}

// makeMissing removes the value of the selected cell, if its column has missing values.
func (e *CellEditor) makeMissing() {
	t := e.t
	ref := t.Ref(t.Current, t.SelColumn)
	if ref == nil || ref.Missing || !t.editable(ref) {
		return
	}
	t.d.Editor.Unlock()
	none := *ref
	none.Missing = true
	t.SetCell(&none, "", t.trouble)
}

// editable tells whether a cell may be edited, or says why not.
func (t *Pane) editable(ref *doc.CellRef) bool {
	x := t.Repaired.Shows()
	switch {
	case x != nil:
		t.Repaired.offer(x)
	case ref.Fixed != "":
		t.d.Window.Say("this cell cannot be edited: " + ref.Fixed)
	}
	return x == nil && ref.Fixed == ""
}

// trouble says why an edit was not made, unless the user cancelled it.
func (t *Pane) trouble(err error) {
	if err != nil && !errors.Is(err, context.Canceled) {
		t.d.Window.Say(err.Error())
	}
}

// SetCell sets a cell to a typed value, in the type of its column; an empty text means missing unless the column is text. then gets
// the error, or nil.
func (t *Pane) SetCell(ref *doc.CellRef, text string, then func(error)) {
	table, col := t.Table, t.Column(ref)
	if col < 1 {
		then(errRead)
		return
	}
	none := text == "" && table.Set != nil && (ref.Missing || table.Columns[col-1].Kind != model.Text)
	label := fmt.Sprintf("%s, row %d: %s → %s", ref.Column, ref.Row, shown(ref.Text), shown(text))
	if none {
		label = fmt.Sprintf("%s, row %d: %s → missing", ref.Column, ref.Row, shown(ref.Text))
	}
	t.setCells([]model.Typed{{Row: ref.Row, Column: col - 1, Text: text, Missing: none}}, label, then)
}

var errRead = errors.New("the table is being read: try again")

// setCells sets cells to typed values, as one edit. then gets the error, or nil.
func (t *Pane) setCells(cells []model.Typed, label string, then func(error)) {
	table := t.Table
	if t.tree != t.d.Tree() {
		then(errRead)
		return
	}
	t.d.Editor.EditMade(label, func(ctx context.Context, tree *model.Tree) ([]model.Edit, error) {
		return table.Edits(ctx, tree, cells)
	}, then)
}

// shown is a value in a sentence.
func shown(s string) string {
	return cmp.Or(paint.Shorten(s, 40), "nothing")
}
