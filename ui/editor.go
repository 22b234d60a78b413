package ui

import (
	"context"
	"errors"
	"slices"

	"spandrel/model"
	"spandrel/model/cause"
)

// planned is what a worker hands back for an edit: the plan, and the tree after it.
type planned struct {
	plan *model.Plan
	tree *model.Tree
}

var errLocked = errors.New("the document is locked: Edit › Unlock, or READ in the status bar")

// How it begins what is said of typing in a locked document, and of repairs that were made.
const (
	lockedSaid = "locked: "
	fixesSaid  = "repaired: "
)

// editor changes a document: one edit at a time, in the order in which they were asked for.
type editor struct {
	d           *Document
	locked      bool     // until somebody unlocks it, nothing is edited
	busy        bool     // an edit is being worked out, or the document is being saved
	waiting     []func() // what was asked for meanwhile
	dirty       bool     // there are unsaved edits
	saving      bool     // a worker has the model: its history and what is saved may not be asked for
	repairLinks bool     // raw edits in the hex pane carry lengths, counts, offsets and checksums along
	inserting   bool     // typing in the hex pane inserts

	canUndo, canRedo bool
	guessed          bool // a repair that was not proven is among the steps that led here, saved or not
}

// preview works an edit out in the background, for a preview. Nothing changes.
func (e *editor) preview(label string, edits []model.Edit, then func(*model.Plan, error)) {
	e.plan(label, edits, false, func(p planned, err error) { then(p.plan, err) })
}

func (e *editor) plan(label string, edits []model.Edit, parse bool, then func(planned, error)) {
	doc, t, format := e.d.Model, e.d.Tree(), e.d.Model.Format
	e.d.wb.submit(model.Job{Title: label, Priority: model.Edited,
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

// edit works an edit out and makes it. Edits of the same group that follow each other within a second are one step. then is
// told of what does not fit, or nil once the edit is made; without it the window shows errors. Where the format has
// something to say about the edit, the user is asked first; a no is context.Canceled.
func (e *editor) edit(label, group string, edits []model.Edit, then func(error)) {
	e.later(label, group, func() []model.Edit { return edits }, then)
}

// later is Edit with edits that are made when it is their turn.
func (e *editor) later(label, group string, edits func() []model.Edit, then func(error)) {
	if then == nil {
		then = func(err error) {
			if err != nil {
				e.d.wb.fail(label, err)
			}
		}
	}
	switch {
	case e.d.trial != nil:
		then(errTrial)
		return
	case e.locked:
		then(errLocked)
		return
	}
	e.inTurn(func() {
		e.plan(label, edits(), true, func(p planned, err error) {
			if err != nil || p.plan.Empty() {
				e.next()
				then(err)
				return
			}
			commit := func() {
				var err error
				e.orNext(func() { err = e.make(p.plan.Grouped(group), p.tree) })
				e.next()
				then(err)
			}
			if len(p.plan.Warnings) == 0 {
				commit()
				return
			}
			e.show(p.plan, p.tree, false, func(made bool) {
				if made {
					commit()
					return
				}
				e.next()
				then(context.Canceled)
			})
		})
	})
}

// commit makes a plan that was worked out elsewhere.
func (e *editor) commit(p *model.Plan) { e.repair(p, e.d.Model.Format) }

// repair is commit of a plan behind which the document is of a format; nil: of the one that it has.
func (e *editor) repair(p *model.Plan, format *model.Format) {
	e.inTurn(func() {
		if e.d.Tree().Snapshot != p.From {
			e.d.wb.say("the document was changed meanwhile")
			e.next()
			return
		}
		if format == nil {
			format = e.d.Model.Format
		}
		e.parse(func(ctx context.Context) *model.Tree { return model.Parse(ctx, p.To, format) }, func(t *model.Tree) {
			e.failed(p, e.make(p, t))
		})
	})
}

// make makes a plan whose tree is known. What could not be read since it was worked out may be what it takes for missing: then it is not made.
func (e *editor) make(plan *model.Plan, tree *model.Tree) error { return e.makeOf(plan, tree, false) }

// makeOf is make of a plan that may be a guess, which its step of the history remembers.
func (e *editor) makeOf(plan *model.Plan, tree *model.Tree, guess bool) error {
	if err := plan.From.Fault(); err != nil {
		return err
	}
	id := e.d.sel.identity()
	id.guess = guess
	e.d.Model.Commit(plan, tree, id)
	e.edited(id)
	return nil
}

// failed tells why a plan was not made, if it was not.
func (e *editor) failed(plan *model.Plan, err error) {
	if err != nil {
		e.d.wb.fail(plan.Label, err)
	}
}

// parse parses a state of the document in the background and, when commit has made its tree the document's, ends the turn.
func (e *editor) parse(read func(context.Context) *model.Tree, commit func(*model.Tree)) {
	e.d.wb.submit(model.Job{Title: "reading " + e.d.tabName(), Priority: model.Edited,
		Run: func(ctx context.Context, _ func(done, total int64)) (any, error) {
			return read(ctx), ctx.Err()
		},
		Done: func(v any, err error) {
			defer e.next()
			if err == nil {
				commit(v.(*model.Tree))
			} else {
				e.d.wb.fail("Reading "+e.d.tabName(), err)
			}
		}})
}

// look notes what the history says; not while a worker has it.
func (e *editor) look() {
	m := e.d.Model
	e.dirty, e.canUndo, e.canRedo = m.Dirty(), m.Undoable() != nil, m.Redoable() != nil
	undo, _ := m.History()
	e.guessed = slices.ContainsFunc(undo, func(c model.Change) bool { id, ok := c.Selection.(identity); return ok && id.guess })
}

// edited follows a new tree, in which what id means is selected.
func (e *editor) edited(id identity) {
	e.look()
	e.record() // before anything that may fail
	e.d.wb.outdated("saved ")
	e.d.wb.outdated(fixesSaid)
	e.d.TreeChanged(id)
}

// record keeps the unsaved edits where they survive a crash.
func (e *editor) record() {
	e.d.recorder.keep(e.d.Model)
}

// undo and Redo walk the history of edits and bring back the selection of the step.
func (e *editor) undo() {
	e.step(e.d.Model.Undoable, (*model.Change).Back, e.d.Model.CommitUndo)
}
func (e *editor) redo() {
	e.step(e.d.Model.Redoable, (*model.Change).Again, e.d.Model.CommitRedo)
}

func (e *editor) step(which func() *model.Change, read func(*model.Change, context.Context) *model.Tree, commit func(*model.Tree)) {
	if e.d.trial != nil {
		e.d.wb.say(errTrial.Error())
		return
	}
	e.inTurn(func() {
		c := which()
		if c == nil {
			e.next()
			return
		}
		e.parse(func(ctx context.Context) *model.Tree { return read(c, ctx) }, func(t *model.Tree) {
			id, ok := c.Selection.(identity)
			if !ok {
				id = e.d.sel.identity()
			}
			id.from, id.typed, id.guess = nil, false, false
			commit(t)
			e.edited(id)
		})
	})
}

// setValue edits one field. Typing in the same field is one step.
func (e *editor) setValue(s *model.Span, v model.Value, then func(error)) {
	e.edit("set "+s.Path(), "set "+s.Path(), []model.Edit{model.SetValue(s, v)}, then)
}

// replace puts bytes in place of others in the hex pane; nil deletes, an empty range inserts. at is asked when it is the
// edit's turn; failed, which may be nil, is told that it was not made. What depends on the bytes follows only when the user has asked for it with "repair links".
func (e *editor) replace(at func() model.Range, with model.Source, label string, failed func()) {
	if with == nil {
		with = model.Memory(nil)
	}
	e.later(label, "bytes", func() []model.Edit { return []model.Edit{model.Splice{Range: at(), With: with, Loose: !e.repairLinks}} }, func(err error) {
		if err != nil {
			if failed != nil {
				failed()
			}
			e.d.wb.fail(label, err)
		}
	})
}

// previewFix works the edits of a fix out without making them.
func (e *editor) previewFix(f model.Fix, then func(*model.Plan, error)) {
	e.fixEdits(f, func(edits []model.Edit, err error) {
		if err != nil {
			then(nil, err)
			return
		}
		e.preview(f.Label, edits, then)
	})
}

func (e *editor) fixEdits(f model.Fix, then func([]model.Edit, error)) {
	t := e.d.Tree()
	e.d.wb.submit(model.Job{Title: f.Label, Priority: model.Edited,
		Run: func(ctx context.Context, _ func(done, total int64)) (any, error) { return f.Make(ctx, t) },
		Done: func(v any, err error) {
			edits, _ := v.([]model.Edit)
			then(edits, err)
		}})
}

// repaired is what a worker made of a document on its own: the repairs, what is left to say after them, and all of them as one step.
type repaired struct {
	planned
	made []*cause.Repair
	left *cause.Diagnosis
}

// madeText names repairs: the first by its label.
func madeText(made []*cause.Repair) string {
	if n := len(made) - 1; n > 0 {
		return model.Words("%s, and %s more", made[0].Label, counted(int64(n), "repair"))
	}
	return made[0].Label
}

var errMeanwhile = errors.New("the document was changed meanwhile: nothing was repaired")

// repairAll makes what is proven and loses nothing, as spandrel fix does, as one step. It is worked out on a document of its own: it may take
// many seconds, others edit meanwhile, and where it is cancelled nothing was made; then is not called where cancel was.
func (e *editor) repairAll(then func(repaired, error)) (cancel func()) {
	m, t := e.d.Model, e.d.Tree()
	all := e.d.check.done
	doc := &model.Document{Path: m.Path, Format: m.Format, Tree: t, Candidates: m.Candidates}
	o := cause.Options{Formats: e.d.formats, Deep: all}
	return e.d.wb.submit(model.Job{Title: "looking for repairs", Priority: model.Checks,
		Run: func(ctx context.Context, progress func(done, total int64)) (any, error) {
			o.Progress = func(done, total int64, _ string) { progress(done, total) }
			made, left, err := cause.Mend(ctx, doc, o, nil)
			if err != nil || len(made) == 0 {
				return repaired{left: left}, err
			}
			plan := &model.Plan{Label: madeText(made), From: t.Snapshot, To: doc.Tree.Snapshot}
			steps, _ := doc.History()
			for _, s := range steps {
				plan.Patches = append(plan.Patches, s.Patches...)
			}
			return repaired{planned{plan, model.Parse(ctx, plan.To, doc.Format)}, made, left}, ctx.Err()
		},
		Done: func(v any, err error) {
			x, _ := v.(repaired)
			if err != nil || len(x.made) == 0 {
				then(x, err)
				return
			}
			e.inTurn(func() {
				if e.d.trial != nil || e.d.Tree().Snapshot != x.plan.From {
					err = errMeanwhile
				} else {
					if e.locked {
						e.setLocked(false)
					}
					e.make(x.plan, x.tree)
				}
				e.next()
				e.d.check.whenChecked(all && err == nil, func() { then(x, err) })
			})
		}})
}

// save saves the document in the background. Nothing changes it meanwhile.
func (e *editor) save(o model.SaveOptions, then func([]model.Saved, error)) {
	if e.d.trial != nil {
		then(nil, errTrial)
		return
	}
	e.inTurn(func() {
		doc := e.d.Model
		e.saving = true
		e.d.wb.submit(model.Job{Title: "saving", Priority: model.Edited,
			Run: func(ctx context.Context, progress func(done, total int64)) (any, error) {
				o.Progress = progress
				return doc.Save(ctx, o)
			},
			Done: func(v any, err error) {
				e.saving = false
				e.look()
				e.record()
				e.d.each(pane.changed)
				e.next()
				e.d.wb.update()
				saved, _ := v.([]model.Saved)
				then(saved, err)
			}})
	})
}

// setLocked locks or unlocks the document for editing.
func (e *editor) setLocked(on bool) {
	if e.locked = on; !on {
		e.d.wb.outdated(lockedSaid)
	}
	e.d.each(func(p pane) {
		p.changed()
		p.selected(e.d.sel.now)
	})
	e.d.wb.update()
}

// unsaved returns the runs of a space that differ from what the disk holds: none while that is being written. Derived spaces
// have none of their own.
func (e *editor) unsaved(id model.SpaceID) []model.Changed {
	sp := e.d.Tree().Space(id)
	if !e.dirty || e.saving || sp == nil || sp.Derived() || e.d.trial != nil {
		return nil
	}
	return e.d.Model.Unsaved(sp.File)
}

// readAnew parses the document as it is now once more. Edits and their history stay.
func (e *editor) readAnew() {
	e.inTurn(func() {
		s, format := e.d.Tree().Snapshot, e.d.Model.Format
		e.parse(func(ctx context.Context) *model.Tree { return model.Parse(ctx, s, format) }, func(t *model.Tree) {
			id := e.d.sel.identity()
			e.d.Model.Tree = t
			e.d.TreeChanged(id)
		})
	})
}

// unlock lets a locked document be edited, and says so: somebody began to. It tells whether it was locked.
func (e *editor) unlock() bool {
	if !e.locked {
		return false
	}
	e.d.wb.say("unlocked for editing")
	e.setLocked(false)
	return true
}
