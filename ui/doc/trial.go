package doc

import (
	"context"
	"errors"
	"slices"

	"spandrel/model"
	"spandrel/ui/align"
	"spandrel/ui/kit"
	"spandrel/ui/show"
)

// Preview is a change being reviewed before it is made: panes show the document after it, or before it, with the changes
// tinted. Nothing is edited meanwhile, and nothing remains if it is discarded.
type Preview struct {
	Plan          *model.Plan
	Before, After *model.Tree
	Old           bool                       // before is shown
	runs          map[string][]model.Changed // of each file what changes, by its name
	was           Identity                   // what was selected before
	first         Identity                   // what changes first
	Guess         bool                       // a repair that is not proven
	end           func(made bool)
}

// ErrPreview means that nothing can be edited during a preview.
var ErrPreview = errors.New("a change is being previewed: Apply or Cancel it first")

// Shown is the tree that panes show, other the one on the other side.
func (x *Preview) Shown() *model.Tree {
	if x.Old {
		return x.Before
	}
	return x.After
}

func (x *Preview) other() *model.Tree {
	if x.Old {
		return x.After
	}
	return x.Before
}

// Tints is a preview as seen by workers: the side being shown, and the other one. The zero value tints nothing.
type Tints struct {
	tree, Other *model.Tree
	runs        map[string][]model.Changed
	old         bool
}

// Tints is the current preview, for a worker.
func (d *Document) Tints() Tints {
	if x := d.Preview; x != nil {
		return Tints{x.Shown(), x.other(), x.runs, x.Old}
	}
	return Tints{}
}

// of returns the changed bytes of a file, as numbered in the tree being shown.
func (v *Tints) of(file string) []model.Changed { return model.Map(v.runs[file], v.seen) }

// seen is a change as seen from the side being shown.
func (v *Tints) seen(c model.Changed) model.Changed {
	if v.old {
		return model.Changed{Off: c.OldOff, New: c.Old, OldOff: c.Off, Old: c.New}
	}
	return c
}

// Touches tells whether bytes change; for decoded ones, those that they are decoded from.
func (v *Tints) Touches(r model.Range) bool {
	if v.tree == nil || r.Len == 0 {
		return false
	}
	sp := v.tree.Space(r.Space)
	for sp != nil && sp.Derived() && sp.Raw != nil {
		r = sp.Raw.Range
		sp = v.tree.Space(r.Space)
	}
	return sp != nil && slices.ContainsFunc(v.runs[sp.File], func(c model.Changed) bool {
		c = v.seen(c)
		return c.Off < r.End() && c.Off+max(c.New, 1) > r.Off
	})
}

// Differs tells whether a field has another value on the other side.
func (v *Tints) Differs(ctx context.Context, s *model.Span, says string) bool {
	if !v.Touches(s.Range) {
		return false
	}
	if sp := v.tree.Space(s.Range.Space); s.Shape != model.Leaf || sp == nil || !sp.Derived() {
		return true
	}
	o, err := v.Other.Find(ctx, s.Path())
	return err != nil || o == nil || show.ValueOf(ctx, v.Other, o) != says
}

// RunsIn returns the changed runs of a range. Decoded bytes are compared with the other side.
func (v *Tints) RunsIn(ctx context.Context, at model.Range, b []byte) (list []model.Range) {
	if v.tree == nil {
		return nil
	}
	sp := v.tree.Space(at.Space)
	if sp == nil {
		return nil
	}
	if !sp.Derived() {
		return model.Map(v.of(sp.File), func(c model.Changed) model.Range { return model.Range{Space: at.Space, Off: c.Off, Len: c.New} })
	}
	var was []byte
	if s, err := v.Other.Find(ctx, sp.Root.Path()); err == nil && s != nil {
		size, err := v.Other.Size(ctx, s.Range.Space)
		if n := min(at.Len, size-at.Off); err == nil && n > 0 {
			was, _ = v.Other.Bytes(ctx, model.Range{Space: s.Range.Space, Off: at.Off, Len: n})
		}
	}
	for i := range b {
		if i >= len(was) || was[i] != b[i] {
			list = append(list, model.Range{Space: at.Space, Off: at.Off + int64(i), Len: 1})
		}
	}
	return list
}

// Rows returns the same rows of the other side's table; nil if it has no table of that name.
func (v *Tints) Rows(ctx context.Context, table *model.Table, first, n int64) []model.Row {
	other, ok := v.table(ctx, table)
	if !ok {
		return nil
	}
	rows, _ := other.Read(ctx, first, max(0, min(n, other.Rows-first)))
	return rows
}

// Tinted tells which cells of rows differ from those of the other side.
func Tinted(rows, other []model.Row) [][]bool {
	out := make([][]bool, len(rows))
	for i, row := range rows {
		out[i] = make([]bool, len(row))
		for k := range row {
			out[i][k] = i >= len(other) || k >= len(other[i]) || !model.SameContent(&row[k], &other[i][k])
		}
	}
	return out
}

// Try previews a change, and makes it if the user agrees. Afterwards the document has the given format; nil: its present one. Values
// written by an unproven repair count as not verified from then on.
func (e *Editor) Try(plan *model.Plan, format *model.Format, proven bool) {
	if e.d.Preview != nil {
		e.d.Window.Say(ErrPreview.Error())
		return
	}
	e.InTurn(func() {
		switch {
		case e.d.Tree().Snapshot != plan.From:
			e.d.Window.Say("the document has changed")
			e.Next()
			return
		case plan.Empty():
			e.d.Window.Say(plan.Label + ": nothing changes")
			e.Next()
			return
		case format == nil:
			format = e.d.Model.Format
		}
		kit.Work(e.d.Window, plan.Label, model.Edited, func(ctx context.Context) (*model.Tree, error) {
			return model.Parse(ctx, plan.To, format), ctx.Err()
		}, func(tree *model.Tree, err error) {
			if err = errors.Join(err, plan.From.Fault()); err != nil {
				e.failed(plan, err)
				e.Next()
				return
			}
			e.show(plan, tree, !proven, func(made bool) {
				if made {
					e.failed(plan, e.makeOf(plan, tree, !proven))
				}
				e.Next()
			})
		})
	})
}

// show shows what a plan makes of the document, whose turn it is, and calls end when the user has decided.
func (e *Editor) show(plan *model.Plan, after *model.Tree, guess bool, end func(made bool)) {
	d := e.d
	if d.Window.Shell.Agrees() {
		end(true)
		return
	}
	x := &Preview{Plan: plan, Before: d.Tree(), After: after, was: d.Sel.Identity(), Guess: guess, end: end}
	kit.Work(d.Window, plan.Label, model.Edited, func(ctx context.Context) (string, error) {
		return x.measure(ctx), ctx.Err()
	}, func(v string, err error) {
		if x.first = x.was; v != "" && v != x.was.path && err == nil {
			x.first = Identity{path: v, whole: true}
		}
		d.setPreview(x)
		d.TreeChanged(x.first)
		d.tellPreviews(x)
	})
}

// measure finds out which bytes change, and returns the path of the selected field if it changes, otherwise of the field that contains the first
// change; "" if there is none.
func (x *Preview) measure(ctx context.Context) string {
	runs, first := map[string][]model.Changed{}, ""
	for i := range x.Plan.Patches {
		q := &x.Plan.Patches[i]
		path := q.Path
		if path == "" && first != x.was.path {
			path = fieldAt(x.Before, q)
		}
		if first == "" || path == x.was.path {
			first = path
		}
		if _, known := runs[q.File]; known {
			continue
		}
		now, err := x.Plan.To.Content(q.File)
		was, wasErr := x.Plan.From.Content(q.File)
		switch {
		case err != nil || wasErr != nil:
			runs[q.File] = nil
		default:
			runs[q.File] = align.Exactly(ctx, now, was, slices.DeleteFunc(now.Diff(was), func(c model.Changed) bool { return c.Same(now, was) }))
		}
	}
	x.runs = runs
	return first
}

// Turn shows the document before or after the change.
func (x *Preview) Turn(d *Document, old bool) {
	if x != nil && x.Old != old {
		x.Old = old
		d.TreeChanged(d.Sel.Identity())
		d.tellPreviews(x)
	}
}

// Decide ends the preview: the change is made, or the document is shown unchanged.
func (x *Preview) Decide(d *Document, made bool) {
	if x == nil {
		return
	}
	d.setPreview(nil)
	d.tellPreviews(nil)
	switch {
	case made:
		d.Editor.Locked = false
	case x.Old:
		d.TreeChanged(d.Sel.Identity())
	default:
		d.TreeChanged(x.was)
	}
	x.end(made)
}
