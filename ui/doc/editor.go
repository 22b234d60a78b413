package doc

import (
	"context"
	"errors"
	"slices"

	"spandrel/model"
	"spandrel/model/cause"
	"spandrel/ui/kit"
	"spandrel/ui/show"
)

// planned is a worker's result for an edit: the plan, and the tree after it.
type planned struct {
	plan *model.Plan
	tree *model.Tree
}

// ErrLocked means that the document is locked against editing.
var ErrLocked = errors.New("the document is locked: Edit › Unlock, or Locked in the status bar")

// How messages begin about typing in a locked document, and about applied repairs.
const (
	LockedSaid = "locked: "
	FixesSaid  = "repaired: "
)

// Editor changes a document: one edit at a time, in the order of the requests.
type Editor struct {
	d           *Document
	Locked      bool     // until someone unlocks it, nothing is edited
	Busy        bool     // an edit is being worked out, or the document is being saved
	waiting     []func() // what was asked for meanwhile
	Dirty       bool     // there are unsaved edits
	Saving      bool     // a worker uses the model: its history and saved state are not accessible
	RepairLinks bool     // raw edits in the hex pane carry lengths, counts, offsets and checksums along
	Inserting   bool     // typing in the hex pane inserts

	CanUndo, CanRedo bool
	Guessed          bool // an unproven repair was applied, saved or not

	saved *savedTree // nil until it is asked for
}

// Preview computes an edit in the background, for a preview. Nothing changes.
func (e *Editor) Preview(label string, edits []model.Edit, then func(*model.Plan, error)) {
	e.plan(label, edits, false, func(p planned, err error) { then(p.plan, err) })
}

func (e *Editor) plan(label string, edits []model.Edit, parse bool, then func(planned, error)) {
	doc, t, format := e.d.Model, e.d.Tree(), e.d.Model.Format
	kit.Work(e.d.Window, label, model.Edited, func(ctx context.Context) (planned, error) {
		p, err := doc.PlanOn(ctx, t, label, edits...)
		if err != nil || p.Empty() || !parse {
			return planned{plan: p}, err
		}
		tree := model.Parse(ctx, p.To, format)
		if found, _ := t.Findings(); slices.ContainsFunc(found, func(f model.Finding) bool { return f.Grade() == model.Error }) {
			hidden, err := model.Resummed(ctx, p, t, tree)
			if err == nil && hidden == "" {
				hidden, err = model.ReadsLess(ctx, t, tree)
			}
			if err != nil {
				return planned{}, err
			}
			if hidden != "" {
				p.Warnings = append(p.Warnings, kit.Sentence(hidden))
			}
		}
		return planned{p, tree}, ctx.Err() // what was cancelled has not read all
	}, then)
}

// Edit computes an edit and makes it. Edits of the same group within a second of each other become one step. then gets
// an error if the edit is not possible, or nil once it is made; without it the window shows errors. If the format asks for
// confirmation, the user is asked first; a no is context.Canceled.
func (e *Editor) Edit(label, group string, edits []model.Edit, then func(error)) {
	e.Later(label, group, func() []model.Edit { return edits }, then)
}

// Later is Edit with edits that are determined when it is their turn.
func (e *Editor) Later(label, group string, edits func() []model.Edit, then func(error)) {
	if then == nil {
		then = func(err error) {
			if err != nil {
				e.d.Window.Fail("Not edited", err)
			}
		}
	}
	switch {
	case e.d.Preview != nil:
		then(ErrPreview)
		return
	case e.Locked:
		then(ErrLocked)
		return
	}
	e.InTurn(func() {
		e.plan(label, edits(), true, func(p planned, err error) {
			if err != nil || p.plan.Empty() {
				e.Next()
				then(err)
				return
			}
			e.confirmed(planned{p.plan.Grouped(group), p.tree}, then)
		})
	})
}

// confirmed makes a plan whose turn it is, if it has warnings only after the user has agreed.
func (e *Editor) confirmed(p planned, then func(error)) {
	end := func(agreed bool) {
		err := context.Canceled
		if agreed {
			e.orNext(func() { err = e.make(p.plan, p.tree) })
		}
		e.Next()
		then(err)
	}
	if len(p.plan.Warnings) == 0 {
		end(true)
		return
	}
	e.show(p.plan, p.tree, false, end)
}

// Commit makes a plan that was computed elsewhere.
func (e *Editor) Commit(p *model.Plan) {
	e.InTurn(func() {
		if e.d.Tree().Snapshot != p.From {
			e.d.Window.Say("the document has changed")
			e.Next()
			return
		}
		format := e.d.Model.Format
		e.parse(func(ctx context.Context) *model.Tree { return model.Parse(ctx, p.To, format) }, func(t *model.Tree) {
			e.failed(p, e.make(p, t))
		})
	})
}

// make makes a plan whose tree is known. It is not made if something could not be read meanwhile, which the plan may treat as missing.
func (e *Editor) make(plan *model.Plan, tree *model.Tree) error { return e.makeOf(plan, tree, false) }

// makeOf is make for a plan that may be a guess, which its step of the history remembers.
func (e *Editor) makeOf(plan *model.Plan, tree *model.Tree, guess bool) error {
	if err := plan.From.Fault(); err != nil {
		return err
	}
	id := e.d.Sel.Identity()
	id.guess = guess
	e.d.Model.Commit(plan, tree, id)
	e.edited(id)
	return nil
}

// failed says why a plan was not made, if it was not.
func (e *Editor) failed(plan *model.Plan, err error) {
	if err != nil {
		e.d.Window.Fail(plan.Label, err)
	}
}

// parse parses a state of the document in the background and, after commit has made the tree the document's, ends the turn.
func (e *Editor) parse(read func(context.Context) *model.Tree, commit func(*model.Tree)) {
	kit.Work(e.d.Window, "reading "+e.d.TabName(), model.Edited, func(ctx context.Context) (*model.Tree, error) {
		return read(ctx), ctx.Err()
	}, func(v *model.Tree, err error) {
		defer e.Next()
		if err == nil {
			commit(v)
		} else {
			e.d.Window.Fail("Reading "+e.d.TabName(), err)
		}
	})
}

// Look updates what is known about the history; not while a worker uses it.
func (e *Editor) Look() {
	m := e.d.Model
	e.Dirty, e.CanUndo, e.CanRedo = m.Dirty(), m.Undoable() != nil, m.Redoable() != nil
	undo, _ := m.History()
	e.Guessed = slices.ContainsFunc(undo, func(c model.Change) bool { id, ok := c.Selection.(Identity); return ok && id.guess })
}

// edited follows a new tree, in which it selects what id identifies.
func (e *Editor) edited(id Identity) {
	e.Look()
	e.d.Recorder.keep(e.d.Model) // before anything that may fail
	e.d.Window.Outdated("saved ")
	e.d.Window.Outdated(FixesSaid)
	e.d.TreeChanged(id)
}

// Undo and Redo walk the history of edits and restore the selection of the step.
func (e *Editor) Undo() {
	e.step(e.d.Model.Undoable, (*model.Change).Back, e.d.Model.CommitUndo)
}

// Redo repeats the last undone edit.
func (e *Editor) Redo() {
	e.step(e.d.Model.Redoable, (*model.Change).Again, e.d.Model.CommitRedo)
}

func (e *Editor) step(which func() *model.Change, read func(*model.Change, context.Context) *model.Tree, commit func(*model.Tree)) {
	if e.d.Preview != nil {
		e.d.Window.Say(ErrPreview.Error())
		return
	}
	e.InTurn(func() {
		c := which()
		if c == nil {
			e.Next()
			return
		}
		e.parse(func(ctx context.Context) *model.Tree { return read(c, ctx) }, func(t *model.Tree) {
			id, ok := c.Selection.(Identity)
			if !ok {
				id = e.d.Sel.Identity()
			}
			id.from, id.typed, id.guess = nil, false, false
			commit(t)
			e.edited(id)
		})
	})
}

// SetValue edits one field. Typing in the same field is one step.
func (e *Editor) SetValue(s *model.Span, v model.Value, then func(error)) {
	e.Edit(setLabel(e.d.Tree(), s, v), "set "+s.Path(), []model.Edit{model.SetValue(s, v)}, then)
}

// Replace replaces bytes in the hex pane; nil deletes, an empty range inserts. at is called when it is the
// edit's turn; failed, which may be nil, is called if it was not made. What depends on the bytes is updated only if the user asked for it with "repair links".
func (e *Editor) Replace(at func() model.Range, with model.Source, label string, failed func()) {
	if with == nil {
		with = model.Memory(nil)
	}
	e.Later(label, "bytes", func() []model.Edit { return []model.Edit{model.Splice{Range: at(), With: with, Loose: !e.RepairLinks}} }, func(err error) {
		if err != nil {
			if failed != nil {
				failed()
			}
			e.d.Window.Fail("Not edited", err)
		}
	})
}

// Making makes edits of a tree, in a worker.
type Making = func(context.Context, *model.Tree) ([]model.Edit, error)

// making lets a worker make edits of the current tree of a document.
func making(d *Document, label string, make Making, then func([]model.Edit, error)) {
	t := d.Tree()
	kit.Work(d.Window, label, model.Edited, func(ctx context.Context) ([]model.Edit, error) { return make(ctx, t) }, then)
}

// EditMade is Edit with edits that a worker makes; without any there is no step.
func (e *Editor) EditMade(label string, make Making, then func(error)) {
	making(e.d, label, make, func(edits []model.Edit, err error) {
		if err != nil || len(edits) == 0 {
			then(err)
			return
		}
		e.Edit(label, "", edits, then)
	})
}

// TryMade previews edits that a worker makes: try gets the plan, unless that fails.
func (e *Editor) TryMade(label string, make Making, try func(*model.Plan)) {
	making(e.d, label, make, kit.OrFail(e.d.Window.Host, label, func(edits []model.Edit) {
		e.Preview(label, edits, kit.OrFail(e.d.Window.Host, label, try))
	}))
}

// Repairs is the result of repairing a copy of a document: the repairs, the diagnosis after them, and all of them as one step.
type Repairs struct {
	planned
	Made []*cause.Repair
	Left *cause.Diagnosis
}

// MadeText describes repairs: the first by its label.
func MadeText(made []*cause.Repair) string {
	if n := len(made) - 1; n > 0 {
		return model.Words("%s, and %s more", made[0].Label, show.Counted(int64(n), "repair"))
	}
	return made[0].Label
}

// ErrMeanwhile means that the document was changed while repairs were being computed.
var ErrMeanwhile = errors.New("the document has changed: nothing was repaired")

// RepairAll applies proven and lossless repairs, like spandrel fix, as one step. They are computed on a copy of the document: that may take
// many seconds, other edits continue, and after a cancel nothing has changed; then is not called if cancel was.
func (e *Editor) RepairAll(then func(Repairs, error)) (cancel func()) {
	doc, all := e.d.ForWorkers(), e.d.Check.Done
	o := cause.Options{Formats: e.d.Formats, Deep: all}
	return kit.Watched(e.d.Window, "looking for repairs of "+e.d.TabName(), model.Checks, func(ctx context.Context, progress kit.Progress) (Repairs, error) {
		o.Progress = func(done, total int64, _ string) { progress(done, total) }
		return repaired(ctx, doc, o)
	}, func(x Repairs, err error) {
		if err != nil || len(x.Made) == 0 {
			then(x, err)
			return
		}
		e.InTurn(func() {
			if e.d.Preview != nil || e.d.Tree().Snapshot != x.plan.From {
				err = ErrMeanwhile
			} else {
				if e.Locked {
					e.SetLocked(false)
				}
				e.make(x.plan, x.tree)
			}
			e.Next()
			e.d.Check.WhenChecked(all && err == nil, func() { then(x, err) })
		})
	})
}

// repaired repairs a copy of a document.
func repaired(ctx context.Context, doc *model.Document, o cause.Options) (Repairs, error) {
	from := doc.Tree.Snapshot
	made, left, err := cause.ApplyProven(ctx, doc, o, nil)
	if err != nil || len(made) == 0 {
		return Repairs{Left: left}, err
	}
	plan := &model.Plan{Label: MadeText(made), From: from, To: doc.Tree.Snapshot}
	steps, _ := doc.History()
	for _, s := range steps {
		plan.Patches = append(plan.Patches, s.Patches...)
	}
	return Repairs{planned{plan, model.Parse(ctx, plan.To, doc.Format)}, made, left}, ctx.Err()
}

// SetLocked locks or unlocks the document for editing.
func (e *Editor) SetLocked(on bool) {
	if e.Locked = on; !on {
		e.d.Window.Outdated(LockedSaid)
	}
	for _, v := range e.d.views() {
		v.Begin()
	}
	e.d.Window.Update()
}

// Unsaved returns the runs of a space that differ from the disk: none while the file is being written. Derived spaces
// have none of their own.
func (e *Editor) Unsaved(id model.SpaceID) []model.Changed {
	sp := e.d.Tree().Space(id)
	if !e.Dirty || e.Saving || sp == nil || sp.Derived() || e.d.Preview != nil {
		return nil
	}
	return e.d.Model.Unsaved(sp.File)
}

// ReadAnew parses the present document again. Edits and history stay.
func (e *Editor) ReadAnew() {
	e.InTurn(func() {
		s, format := e.d.Tree().Snapshot, e.d.Model.Format
		e.parse(func(ctx context.Context) *model.Tree { return model.Parse(ctx, s, format) }, func(t *model.Tree) {
			id := e.d.Sel.Identity()
			e.d.Model.Tree = t
			e.d.TreeChanged(id)
		})
	})
}

// Unlock unlocks a document, with a message, because someone started to edit. It tells whether it was locked.
func (e *Editor) Unlock() bool {
	if !e.Locked {
		return false
	}
	e.d.Window.Say("unlocked for editing")
	e.SetLocked(false)
	return true
}
