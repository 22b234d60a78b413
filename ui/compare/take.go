package compare

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"fyne.io/fyne/v2"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/paint"
	"spandrel/ui/show"
)

// mostTaken is how many bytes are taken from the other document at once.
const mostTaken = 1 << 20

// mostMoved is how many rows may follow one that is copied or removed: they are all written again.
const mostMoved = 1 << 20

// takenRuns is for how many differing runs the bytes of the other document are kept, so that they can be taken.
const takenRuns = 200

// errGone means that what differed no longer exists.
var errGone = errors.New("it no longer exists: compare again")

// errClosed means that the document to copy from or to was closed.
var errClosed = errors.New("the other document is closed")

// takeCell makes the edits that give a cell the value of the other document.
func takeCell(ref doc.CellRef, to model.Typed) doc.Making {
	return func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		table, ok := model.TableNamed(t.Tables(ctx), ref.Table)
		k := table.Column(ref.Column)
		if !ok || k < 0 || ref.Row >= table.Rows {
			return nil, errGone
		}
		to.Row, to.Column = ref.Row, k
		return table.Edits(ctx, t, []model.Typed{to})
	}
}

// rowAlone is the kind of a difference that only one document has a row.
const rowAlone = "row"

// rowWays makes the edits that end such a difference: of this document, which lacks the row or has it, and of the other; nil where the number of
// rows cannot be changed.
func rowWays(d model.Difference, tables, others []model.Table) (take, give doc.Making) {
	cells := d.Cells()
	lacking := func(list []model.Table) doc.Making {
		if cells == nil || !canFill(list, d.Table) {
			return nil
		}
		return rowsFrom(d.Table, d.At, model.MergedRow{A: -1, Cells: cells}, model.MergedRow{A: d.At})
	}
	having := func(list []model.Table, row int64) doc.Making {
		if !canFill(list, d.Table) {
			return nil
		}
		return rowsFrom(d.Table, row)
	}
	if d.Row < 0 {
		return lacking(tables), having(others, d.RowB)
	}
	return having(tables, d.Row), lacking(others)
}

func canFill(list []model.Table, name string) bool {
	t, ok := model.TableNamed(list, name)
	return ok && t.Fill != nil
}

// rowsFrom makes the edit after which a table has other rows in place of one: with none, that row is removed.
func rowsFrom(table string, row int64, list ...model.MergedRow) doc.Making {
	return func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		now, ok := model.TableNamed(t.Tables(ctx), table)
		if !ok || row > now.Rows {
			return nil, errGone
		}
		if now.Rows-row > mostMoved {
			return nil, fmt.Errorf("more than %s rows follow", model.Thousands(mostMoved))
		}
		rows := slices.Clone(list)
		if row == now.Rows && len(rows) > 0 {
			rows = rows[:1] // it is added after the last one
		}
		for next := row + 1; next < now.Rows; next++ {
			rows = append(rows, model.MergedRow{A: next})
		}
		return model.Rearranged(ctx, t, table, row, rows)
	}
}

// takeField makes the edit that gives a field the value of the other document.
func takeField(path string, value model.Value) doc.Making {
	return func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		s, err := t.Find(ctx, path)
		if err != nil || s == nil || s.Shape != model.Leaf {
			return nil, errors.Join(errGone, err)
		}
		return []model.Edit{model.SetValue(s, value)}, nil
	}
}

// takeBytes makes the edit that replaces bytes by those of the other document.
func takeBytes(here model.Range, there []byte) doc.Making {
	return func(context.Context, *model.Tree) ([]model.Edit, error) {
		return []model.Edit{model.Splice{Range: here, With: model.Memory(there), Loose: true}}, nil
	}
}

// Take gives what differs in a row the value of the other document. The row disappears.
func (p *Find) Take(row int64) {
	switch x := p.Line(row); {
	case x.Settle != nil:
		x.Settle(p.taken(x))
	case x.Take != nil:
		p.copy(p.Doc, x, x.Take, x.Cells[2].Text, x.Cells[3].Text)
	}
}

// Give gives what differs in a row the value of this document in the other one.
func (p *Find) Give(row int64) {
	if x := p.Line(row); x.Give != nil {
		p.copy(p.other, x, x.Give, x.Cells[3].Text, x.Cells[2].Text)
	}
}

// copy makes the edit of a document that replaces what was by what is elsewhere.
func (p *Find) copy(to *doc.Document, item doc.Place, make doc.Making, was, is string) {
	where := item.Cells[0].Text
	if item.Cell != nil {
		where += ", " + item.Cells[1].Text
	}
	release, open := to.Window.TryHold()
	if !open {
		p.taken(item)(errClosed)
		return
	}
	release()
	to.Editor.Unlock()
	to.Editor.EditMade(where+": "+paint.Shorten(was, 40)+" → "+paint.Shorten(is, 40), make, p.taken(item))
}

// taken is called when a row was taken, or could not be.
func (p *Find) taken(item doc.Place) func(error) {
	return func(err error) {
		switch {
		case errors.Is(err, context.Canceled):
		case err != nil:
			p.Doc.Window.Say("not copied: " + err.Error())
		case item.Cells[1].Text == rowAlone: // the rows after it have other numbers
			p.Compare(p.other, true)
		default:
			p.forget(item)
		}
	}
}

// forget drops a difference that no longer exists.
func (p *Find) forget(item doc.Place) {
	same := func(x doc.Place) bool { return slices.Equal(x.Cells, item.Cells) && x.At == item.At }
	p.Set(slices.DeleteFunc(slices.Clone(p.Items), same))
	noun := "difference"
	if item.Settle != nil {
		noun = "conflict"
	}
	p.say(show.Counted(p.Count(), noun) + " left")
}

// Menu offers to take the value of the other document, and to give it that of this one, if that is possible.
func (p *Find) Menu(row int64, x float32) *fyne.Menu {
	m := p.List.Menu(row, x)
	item := p.Line(row)
	var first []*fyne.MenuItem
	if item.Take != nil || item.Settle != nil {
		first = append(first, fyne.NewMenuItem(verb(item, 3, [3]string{"Copy from ", "Remove, as in ", "Use the value of "})+p.Columns[3].Title, func() { p.Take(row) }))
	}
	if item.Give != nil {
		first = append(first, fyne.NewMenuItem(verb(item, 2, [3]string{"Copy to ", "Remove from ", "Use this value in "})+p.Columns[3].Title, func() { p.Give(row) }))
	}
	switch {
	case len(first) == 0:
		return m
	case m == nil:
		m = fyne.NewMenu("")
	}
	m.Items = append(first, m.Items...)
	return m
}

// verb is what a row offers: to copy what only one side has, to remove what it lacks, or to use its value. from is the column of the side.
func verb(item doc.Place, from int, verbs [3]string) string {
	switch absent {
	case item.Cells[5-from].Text:
		return verbs[0]
	case item.Cells[from].Text:
		return verbs[1]
	}
	return verbs[2]
}
