package compare

import (
	"context"
	"errors"

	"fyne.io/fyne/v2"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
)

// Menu offers to undo an edit alone.
func (p *Changes) Menu(row int64, x float32) *fyne.Menu {
	step, made := p.steps[p.Line(row).Fold]
	if !made {
		return p.List.Menu(row, x)
	}
	return fyne.NewMenu("", fyne.NewMenuItem("Undo this edit only", func() { p.undoOne(step) }))
}

// undoOne reverses an edit and keeps those made after it. This is a merge: of the state after the edit, this document has made the later ones, and the state
// before it the reverse.
func (p *Changes) undoOne(c model.Change) {
	t, d := p.Doc.Tree(), p.Doc.ForWorkers()
	if c.After == t.Snapshot {
		p.Doc.Editor.Undo()
		return
	}
	kit.Watched(p.Doc.Window, "undoing an edit", model.Edited, func(ctx context.Context, _ kit.Progress) (*model.Plan, error) {
		x, err := model.MergeContent(ctx, model.Parse(ctx, c.After, t.Format), t, model.Parse(ctx, c.Before, t.Format), model.MergeOptions{})
		switch {
		case err != nil:
			return nil, err
		case len(x.Conflicts) > 0:
			return nil, errors.New("a later edit changed the same: undo that first")
		}
		return x.Plan(ctx, d)
	}, func(plan *model.Plan, err error) {
		switch {
		case err == nil && t != p.Doc.Tree():
			err = doc.ErrMeanwhile
		case err == nil && plan.Empty():
			err = errors.New("it changed no value of a table: use Undo")
		}
		if err != nil {
			p.Doc.Window.Fail("Not undone", err)
			return
		}
		plan.Label = "undo “" + c.Label + "”"
		p.Doc.Editor.Unlock()
		p.Doc.Editor.Commit(plan)
	})
}
