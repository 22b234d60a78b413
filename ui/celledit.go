package ui

import (
	"context"
	"errors"
	"fmt"

	"fyne.io/fyne/v2"

	"spandrel/model"
)

// cellEditor edits a cell of a table where it stands, in the type of its column: Enter goes on to the cell below, Tab to the one on the
// right, Esc leaves everything as it was. What cannot be edited says so before anything is typed.
type cellEditor struct {
	t     *tablePane
	ref   *cellRef // that is edited; nil: none
	entry *keyEntry
	box   *fyne.Container // over the rows
}

func newCellEditor(t *tablePane) *cellEditor {
	e := &cellEditor{t: t, entry: newKeyEntry(t.d.wb.Workbench)}
	e.entry.OnSubmitted = func(string) { e.submit(1, 0) }
	e.entry.other = func(name fyne.KeyName) bool {
		switch name {
		case fyne.KeyEscape:
			e.close()
			t.d.wb.shell.focus(t.View)
		case fyne.KeyTab:
			e.submit(0, 1)
		case fyne.KeyDown:
			e.submit(1, 0)
		case fyne.KeyUp:
			e.submit(-1, 0)
		default:
			return false
		}
		return true
	}
	e.entry.tab = true
	e.box = fyne.NewContainerWithoutLayout(e.entry)
	e.entry.Hide()
	return e
}

// begin opens the chosen cell with what it says, or with what was typed to begin.
func (e *cellEditor) begin(typed string) {
	t := e.t
	ref := t.named.ref(t.Current, t.SelColumn)
	if ref == nil {
		return
	}
	if ref.fixed != "" {
		t.d.wb.status.say("this cell cannot be edited: " + ref.fixed)
		return
	}
	if t.d.editor.locked {
		t.d.editor.setLocked(false)
		t.d.wb.status.say("unlocked for editing")
	}
	at, size, ok := t.View.Place(t.Current, t.ColumnX(t.SelColumn), t.ColumnWidth(t.SelColumn))
	if !ok {
		return
	}
	e.ref = ref
	text := typed
	if typed == "" {
		text = ref.typed
	}
	e.entry.SetText(text)
	e.entry.Move(at)
	e.entry.Resize(fyne.NewSize(max(size.Width, 90), max(size.Height, e.entry.MinSize().Height)))
	e.entry.Show()
	e.box.Refresh()
	t.d.wb.shell.focus(e.entry)
	if typed == "" {
		e.entry.TypedShortcut(&fyne.ShortcutSelectAll{})
	} else {
		e.entry.CursorColumn = len([]rune(typed))
	}
}

func (e *cellEditor) close() {
	e.ref = nil
	e.entry.Hide()
}

// submit makes the edit and goes on to another cell. What cannot be is said, and the cell stays open.
func (e *cellEditor) submit(down int64, right int) {
	ref, t := e.ref, e.t
	if ref == nil {
		return
	}
	next := func() {
		e.close()
		t.d.wb.shell.focus(t.View)
		row := max(0, min(ref.row+down, t.Count()-1))
		t.choose(row, max(1, min(t.named.column(ref)+right, len(t.Columns)-1)))
	}
	if e.entry.Text == ref.typed {
		next()
		return
	}
	e.entry.Disable()
	t.setCell(ref, e.entry.Text, func(err error) {
		e.entry.Enable()
		switch {
		case e.ref != ref:
		case err == nil:
			next()
		case errors.Is(err, context.Canceled):
			e.close()
		default:
			t.d.wb.status.say(err.Error())
			t.d.wb.shell.focus(e.entry)
		}
	})
}

// setCell gives a cell what somebody typed, in the type of its column. then is told why not, or nil.
func (t *tablePane) setCell(ref *cellRef, text string, then func(error)) {
	tree, table, col, at := t.tree, t.table, t.named.column(ref), t.named.rangeOf(ref)
	if col < 1 || tree != t.d.Tree() {
		then(errors.New("the table is being read: try again"))
		return
	}
	label := fmt.Sprintf("%s, row %d: %s → %s", ref.column, ref.row, shown(ref.text), shown(text))
	t.d.wb.submit(model.Job{Title: label, Priority: model.Edited,
		Run: func(ctx context.Context, _ func(done, total int64)) (any, error) {
			if table.Set != nil {
				return table.Set(ctx, []model.Typed{{Row: ref.row, Column: col - 1, Text: text, Missing: text == "" && ref.missing}})
			}
			return setField(ctx, tree, at, text)
		},
		Done: func(v any, err error) {
			edits, _ := v.([]model.Edit)
			if err != nil {
				then(err)
				return
			}
			t.d.editor.edit(label, "", edits, then)
		}})
}

// setField is the edit of a cell that is one field.
func setField(ctx context.Context, t *model.Tree, at model.Range, text string) ([]model.Edit, error) {
	s, err := t.AtOpen(ctx, at.Space, at.Off)
	if err != nil {
		return nil, err
	}
	if s == nil || s.Range != at || s.Shape != model.Leaf || s.Field.Codec == nil {
		return nil, errors.New("this cell is one of several values in the same bytes: edit them in the hex pane")
	}
	if s.Field.Fixed != "" {
		return nil, errors.New(s.Field.Fixed)
	}
	v, err := s.Field.Parse(text)
	if err == nil {
		_, err = s.Field.Codec.Encode(v)
	}
	if err != nil {
		return nil, err
	}
	return []model.Edit{model.SetValue(s, v)}, nil
}

// shown is a value in a sentence.
func shown(s string) string {
	if s == "" {
		return "nothing"
	}
	if r := []rune(s); len(r) > 40 {
		return string(r[:39]) + "…"
	}
	return s
}
