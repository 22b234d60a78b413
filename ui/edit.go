package ui

import (
	"context"
	"errors"

	"spandrel/model"
)

// planned is what a worker hands back for an edit: the plan, and the tree after it.
type planned struct {
	plan *model.Plan
	tree *model.Tree
}

var errLocked = errors.New("the document is locked: Edit › Unlock, or READ in the status bar")

// editing is the part of a Document that changes it.
type editing struct {
	busy        bool     // an edit is being worked out, or the document is being saved
	waiting     []func() // what was asked for meanwhile
	dirty       bool     // there are unsaved edits
	saving      bool     // a worker has the model: its history and what is saved may not be asked for
	repairLinks bool     // raw edits in the hex pane carry lengths, counts, offsets and checksums along
	inserting   bool     // typing in the hex pane inserts
}

// Plan works an edit out in the background, for a preview. Nothing changes.
func (d *Document) Plan(label string, edits []model.Edit, then func(*model.Plan, error)) {
	d.plan(label, edits, false, func(p planned, err error) { then(p.plan, err) })
}

func (d *Document) plan(label string, edits []model.Edit, parse bool, then func(planned, error)) {
	doc, t, format := d.Model, d.Tree(), d.Model.Format
	d.wb.submit(model.Job{Title: label, Priority: model.Edited,
		Run: func(ctx context.Context, _ func(done, total int64)) (any, error) {
			p, err := doc.PlanOn(ctx, t, label, edits...)
			if err != nil || p.Empty() || !parse {
				return planned{plan: p}, err
			}
			return planned{p, model.Parse(ctx, p.To, format)}, ctx.Err() // what was cancelled has not read all
		},
		Done: func(v any, err error) {
			p, _ := v.(planned)
			then(p, err)
		}})
}

// Edit works an edit out and makes it. Edits of the same group that follow each other within a second are one step. then is
// told of what does not fit, or nil once the edit is made; without it the window shows errors. Where the format has
// something to say about the edit, the user is asked first; a no is context.Canceled.
func (d *Document) Edit(label, group string, edits []model.Edit, then func(error)) {
	d.EditLater(label, group, func() []model.Edit { return edits }, then)
}

// EditLater is Edit with edits that are made when it is their turn.
func (d *Document) EditLater(label, group string, edits func() []model.Edit, then func(error)) {
	if then == nil {
		then = func(err error) {
			if err != nil {
				d.wb.fail(label, err)
			}
		}
	}
	if d.locked {
		then(errLocked)
		return
	}
	d.inTurn(func() {
		d.plan(label, edits(), true, func(p planned, err error) {
			if err != nil || p.plan.Empty() {
				d.next()
				then(err)
				return
			}
			commit := func() {
				d.Model.Commit(p.plan.Grouped(group), p.tree, d.spot())
				d.edited()
				d.next()
				then(nil)
			}
			if len(p.plan.Warnings) == 0 || d.wb.win == nil {
				commit()
				return
			}
			d.wb.showPlan(d, p.plan, commit, func() {
				d.next()
				then(context.Canceled)
			})
		})
	})
}

// commitLater makes a plan that was worked out elsewhere.
func (d *Document) commitLater(p *model.Plan) {
	d.inTurn(func() {
		d.parse(p.To, func(t *model.Tree) {
			d.Model.Commit(p, t, nil)
			d.edited()
		})
	})
}

// parse parses a state of the document in the background and, when commit has made its tree the document's, ends the turn.
func (d *Document) parse(s *model.Snapshot, commit func(*model.Tree)) {
	format := d.Model.Format
	d.wb.submit(model.Job{Title: "reading " + d.tabName(), Priority: model.Edited,
		Run: func(ctx context.Context, _ func(done, total int64)) (any, error) {
			return model.Parse(ctx, s, format), ctx.Err()
		},
		Done: func(v any, err error) {
			if err == nil {
				commit(v.(*model.Tree))
			} else {
				d.wb.fail("Reading "+d.tabName(), err)
			}
			d.next()
		}})
}

// inTurn runs f when no other change is being worked out: one that was asked for later sees what the earlier one made. f ends
// with next.
func (d *Document) inTurn(f func()) {
	if d.busy {
		d.waiting = append(d.waiting, f)
		return
	}
	d.busy = true
	f()
}

// next ends a change and begins the one that waits.
func (d *Document) next() {
	d.busy = false
	if len(d.waiting) > 0 {
		f := d.waiting[0]
		d.waiting = d.waiting[1:]
		d.inTurn(f)
	}
}

// spot is a selection as the history of edits keeps it: by path, as spans do not survive parsing.
type spot struct {
	path string
	r    model.Range
}

func (d *Document) spot() spot {
	p := spot{r: d.Sel.Range}
	if d.Sel.Span != nil {
		p.path = d.Sel.Span.Path()
	}
	return p
}

// edited follows a new tree.
func (d *Document) edited() {
	d.dirty = d.Model.Dirty()
	d.TreeChanged()
	d.record()
}

// record keeps the unsaved edits where they survive a crash.
func (d *Document) record() {
	if dir := d.wb.records; dir != "" {
		if err := d.Model.Record(dir); err != nil {
			d.wb.fail("The unsaved edits could not be recorded", err)
		}
	}
}

// Undo and Redo walk the history of edits and bring back the selection of the step.
func (d *Document) Undo() {
	d.step(d.Model.Undoable, func(c *model.Change) *model.Snapshot { return c.Before }, d.Model.CommitUndo)
}
func (d *Document) Redo() {
	d.step(d.Model.Redoable, func(c *model.Change) *model.Snapshot { return c.After }, d.Model.CommitRedo)
}

func (d *Document) step(which func() *model.Change, to func(*model.Change) *model.Snapshot, commit func(*model.Tree)) {
	d.inTurn(func() {
		c := which()
		if c == nil {
			d.next()
			return
		}
		d.parse(to(c), func(t *model.Tree) {
			commit(t)
			d.edited()
			if p, ok := c.Selection.(spot); ok && p.path != "" {
				d.SelectPath(p.path, nil)
			}
		})
	})
}

// SetValue edits one field. Typing in the same field is one step.
func (d *Document) SetValue(s *model.Span, v model.Value, then func(error)) {
	d.Edit("set "+s.Path(), "set "+s.Path(), []model.Edit{model.SetValue(s, v)}, then)
}

// Replace puts bytes in place of others in the hex pane; nil deletes, an empty range inserts. at is asked when it is the
// edit's turn. What depends on the bytes follows only when the user has asked for it with "repair links".
func (d *Document) Replace(at func() model.Range, with model.Source, label string) {
	if with == nil {
		with = model.Memory(nil)
	}
	d.EditLater(label, "bytes", func() []model.Edit { return []model.Edit{{Range: at(), With: with, Loose: !d.repairLinks}} }, func(err error) {
		if err != nil {
			d.hex.measure() // it went on as if the edit were made
			d.wb.fail(label, err)
		}
	})
}

// Fix makes the edits of a fix.
func (d *Document) Fix(f model.Fix, then func(error)) {
	d.edits(f, func(edits []model.Edit, err error) {
		switch {
		case err == nil:
			d.Edit(f.Label, "", edits, then)
		case then != nil:
			then(err)
		default:
			d.wb.fail(f.Label, err)
		}
	})
}

// Preview works the edits of a fix out without making them.
func (d *Document) Preview(f model.Fix, then func(*model.Plan, error)) {
	d.edits(f, func(edits []model.Edit, err error) {
		if err != nil {
			then(nil, err)
			return
		}
		d.Plan(f.Label, edits, then)
	})
}

func (d *Document) edits(f model.Fix, then func([]model.Edit, error)) {
	t := d.Tree()
	d.wb.submit(model.Job{Title: f.Label, Priority: model.Edited,
		Run: func(ctx context.Context, _ func(done, total int64)) (any, error) { return f.Make(ctx, t) },
		Done: func(v any, err error) {
			edits, _ := v.([]model.Edit)
			then(edits, err)
		}})
}

// FixAll applies the safe fixes one after the other, and hands over what it made and what it could not make. Where everything
// was checked, it is checked again after each of them.
func (d *Document) FixAll(then func(*model.Repair)) {
	begin := func() { d.fixNext(new(model.Repair), d.problem.check.done, then) }
	if d.problem.check.asked { // it may take long
		begin()
	} else {
		d.problem.whenChecked(false, begin)
	}
}

func (d *Document) fixNext(run *model.Repair, deep bool, then func(*model.Repair)) {
	fix := run.Next(d.Tree())
	if fix == nil {
		then(run)
		return
	}
	d.Fix(*fix, func(err error) {
		run.Done(err)
		d.problem.whenChecked(deep, func() { d.fixNext(run, deep, then) })
	})
}

// Save saves the document in the background. Nothing changes it meanwhile.
func (d *Document) Save(o model.SaveOptions, then func([]model.Saved, error)) {
	d.inTurn(func() {
		doc := d.Model
		d.saving = true
		d.wb.submit(model.Job{Title: "saving", Priority: model.Edited,
			Run: func(ctx context.Context, progress func(done, total int64)) (any, error) {
				o.Progress = progress
				return doc.Save(ctx, o)
			},
			Done: func(v any, err error) {
				d.saving, d.dirty = false, doc.Dirty()
				d.record()
				for _, p := range d.panes {
					p.changed()
				}
				d.next()
				d.wb.changed()
				saved, _ := v.([]model.Saved)
				then(saved, err)
			}})
	})
}

// SetLocked locks or unlocks the document for editing.
func (d *Document) SetLocked(on bool) {
	d.locked = on
	for _, p := range d.panes {
		p.changed()
		p.selected(d.Sel)
	}
	d.wb.changed()
}
