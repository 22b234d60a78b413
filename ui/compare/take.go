package compare

import (
	"context"
	"errors"
	"slices"

	"fyne.io/fyne/v2"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/paint"
	"spandrel/ui/show"
)

// mostTaken is how many bytes are taken from the other document at once.
const mostTaken = 1 << 20

// takenRuns is for how many differing runs the bytes of the other document are kept, so that they can be taken.
const takenRuns = 200

// errGone means that what differed no longer exists.
var errGone = errors.New("it no longer exists: compare again")

// takeCell makes the edits that give a cell the value of the other document.
func takeCell(ref doc.CellRef, to model.Typed) doc.Making {
	return func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		table, ok := model.TableNamed(t.Tables(ctx), ref.Table)
		k := slices.IndexFunc(table.Columns, func(c model.Column) bool { return c.Name == ref.Column })
		if !ok || k < 0 || ref.Row >= table.Rows {
			return nil, errGone
		}
		to.Row, to.Column = ref.Row, k
		return table.Edits(ctx, t, []model.Typed{to})
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
	if row < 0 || row >= p.Count() || p.Items[row].Take == nil {
		return
	}
	item := p.Items[row]
	where := item.Cells[0].Text
	if item.Cell != nil {
		where += ", " + item.Cells[1].Text
	}
	label := where + ": " + paint.Shorten(item.Cells[2].Text, 40) + " → " + paint.Shorten(item.Cells[3].Text, 40)
	p.Doc.Editor.Unlock()
	p.Doc.Editor.EditMade(label, item.Take, func(err error) {
		switch {
		case errors.Is(err, context.Canceled):
		case err != nil:
			p.Doc.Window.Say("not copied: " + err.Error())
		default:
			p.forget(item)
		}
	})
}

// forget drops a difference that no longer exists.
func (p *Find) forget(item doc.Place) {
	same := func(x doc.Place) bool { return slices.Equal(x.Cells, item.Cells) && x.At == item.At }
	p.Set(slices.DeleteFunc(slices.Clone(p.Items), same))
	p.say(show.Counted(p.Count(), "difference") + " left")
}

// Menu offers to take the value of the other document if that is possible.
func (p *Find) Menu(row int64, x float32) *fyne.Menu {
	m := p.List.Menu(row, x)
	if row < 0 || row >= p.Count() || p.Items[row].Take == nil {
		return m
	}
	if m == nil {
		m = fyne.NewMenu("")
	}
	m.Items = append([]*fyne.MenuItem{fyne.NewMenuItem("Use the value of "+p.Columns[3].Title, func() { p.Take(row) })}, m.Items...)
	return m
}
