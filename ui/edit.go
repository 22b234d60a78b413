package ui

import (
	"context"
	"fmt"

	"spandrel/model"
)

// planned is what a worker hands back for an edit: the plan and the tree after it.
type planned struct {
	plan *model.Plan
	tree *model.Tree
}

// Plan works an edit out in the background, for a preview. Nothing changes.
func (d *Doc) Plan(label string, edits []model.Edit, then func(*model.Plan, error)) {
	d.work("plan", label, edits, func(p planned, err error) { then(p.plan, err) })
}

// Edit works an edit out and makes it. Edits of the same group that follow each other quickly are one step. then, if not nil,
// is told of a value that does not fit, and of nil when the edit was made; without it the window shows the error.
func (d *Doc) Edit(label, group string, edits []model.Edit, then func(error)) {
	if then == nil {
		then = func(err error) {
			if err != nil {
				d.wb.window.Failed(label, err)
			}
		}
	}
	switch {
	case d.Locked:
		then(fmt.Errorf("the document is locked: unlock it in the Edit menu"))
		return
	case d.busy:
		then(fmt.Errorf("the change before this one is still being worked out"))
		return
	}
	d.busy = true
	d.work("edit", label, edits, func(p planned, err error) {
		d.busy = false
		if err != nil || p.plan.Empty() {
			then(err)
			return
		}
		d.Commit(p.plan.Grouped(group), p.tree, d.Sel)
		d.changed()
		then(nil)
	})
}

func (d *Doc) work(key, label string, edits []model.Edit, then func(planned, error)) {
	doc, tree := d.Document, d.Tree
	format := d.Format
	d.tickets[key].Cancel()
	d.tickets[key] = d.wb.Jobs.Submit(model.Job{Title: label, Priority: model.Edited,
		Run: func(ctx context.Context, _ func(int64, int64)) (any, error) {
			d.workers.Add(1)
			defer d.workers.Done()
			p, err := doc.PlanOn(ctx, tree, label, edits...)
			if err != nil || p.Empty() {
				return planned{plan: p}, err
			}
			return planned{p, model.Parse(ctx, p.To, format)}, nil
		},
		Done: func(v any, err error) {
			p, _ := v.(planned)
			then(p, err)
		}})
}

// changed follows a new tree: open branches and the selection are found again by their paths.
func (d *Doc) changed() {
	d.deep = false
	d.Hover = model.Range{}
	d.Dirty = d.Document.Dirty()
	rows, tree := d.Rows, d.Tree
	d.Rows = model.NewRows(tree)
	d.tell(Edited)
	d.Do("rows", "", model.Visible, func(ctx context.Context, t *model.Tree, _ func(int64, int64)) (any, error) {
		return rows.Moved(ctx, t), nil
	}, func(v any, err error) {
		if err == nil {
			d.Rows = v.(*model.Rows)
			d.tell(Edited)
			d.show(Selection{Range: d.Sel.Range, Path: d.Sel.Path})
		}
	})
	d.record()
	d.wb.window.Shown(d)
}

// record keeps the unsaved edits where they survive a crash.
func (d *Doc) record() {
	if dir := d.wb.Records; dir != "" {
		if err := d.Record(dir); err != nil {
			d.wb.window.Failed("Recording unsaved edits", err)
		}
	}
}

// Undo and Redo walk the history of edits and bring the selection of the step back.
func (d *Doc) Undo() {
	d.step(d.Undoable(), d.CommitUndo, func(c *model.Change) *model.Snapshot { return c.Before })
}
func (d *Doc) Redo() {
	d.step(d.Redoable(), d.CommitRedo, func(c *model.Change) *model.Snapshot { return c.After })
}

func (d *Doc) step(c *model.Change, commit func(*model.Tree), to func(*model.Change) *model.Snapshot) {
	if c == nil || d.busy {
		return
	}
	d.busy = true
	snap, format := to(c), d.Format
	d.wb.Jobs.Submit(model.Job{Priority: model.Edited,
		Run: func(ctx context.Context, _ func(int64, int64)) (any, error) {
			d.workers.Add(1)
			defer d.workers.Done()
			return model.Parse(ctx, snap, format), nil
		},
		Done: func(v any, err error) {
			d.busy = false
			if err != nil {
				d.wb.window.Failed("Undo", err)
				return
			}
			commit(v.(*model.Tree))
			if s, ok := c.Selection.(Selection); ok {
				d.Sel = s
			}
			d.changed()
		}})
}

// SetValue edits one field. Typing in the same field is one step.
func (d *Doc) SetValue(s *model.Span, v model.Value, then func(error)) {
	d.Edit("set "+s.Path(), "set "+s.Path(), []model.Edit{model.SetValue(s, v)}, then)
}

// Overwrite puts bytes in place of others; with repair, what depends on them follows.
func (d *Doc) Overwrite(r model.Range, with []byte, repair bool) {
	e := model.Replace(r, with)
	e.Loose = !repair
	label := fmt.Sprintf("edit 0x%x", r.Off)
	d.Edit(label, "bytes", []model.Edit{e}, nil)
}

// Fix applies the fix of a finding.
func (d *Doc) Fix(f model.Fix, then func(error)) {
	d.edits(f, func(edits []model.Edit, err error) {
		if err != nil {
			d.wb.window.Failed(f.Label, err)
			return
		}
		d.Edit(f.Label, "", edits, then)
	})
}

// Preview works a fix out without making it.
func (d *Doc) Preview(f model.Fix, then func(*model.Plan, error)) {
	d.edits(f, func(edits []model.Edit, err error) {
		if err != nil {
			then(nil, err)
			return
		}
		d.Plan(f.Label, edits, then)
	})
}

func (d *Doc) edits(f model.Fix, then func([]model.Edit, error)) {
	if f.Build == nil {
		then(f.Edits, nil)
		return
	}
	d.Do("fix", f.Label, model.Edited, func(_ context.Context, t *model.Tree, _ func(int64, int64)) (any, error) {
		return f.Build(t)
	}, func(v any, err error) {
		edits, _ := v.([]model.Edit)
		then(edits, err)
	})
}

// Store saves the document in the background.
func (d *Doc) Store(o model.SaveOptions, then func([]model.Saved, error)) {
	if d.busy {
		then(nil, fmt.Errorf("a change is still being worked out"))
		return
	}
	d.busy = true // nothing changes the document while it is written
	doc := d.Document
	d.wb.Jobs.Submit(model.Job{Title: "saving " + d.Path, Priority: model.Edited,
		Run: func(ctx context.Context, progress func(int64, int64)) (any, error) {
			d.workers.Add(1)
			defer d.workers.Done()
			o.Progress = progress
			return doc.Save(ctx, o)
		},
		Done: func(v any, err error) {
			d.busy = false
			saved, _ := v.([]model.Saved)
			d.Dirty = d.Document.Dirty()
			d.record()
			d.tell(Saved)
			d.wb.window.Shown(d)
			then(saved, err)
		}})
}
