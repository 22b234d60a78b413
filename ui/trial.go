package ui

import (
	"context"
	"errors"
	"slices"

	"spandrel/model"
)

// trial is a change that is looked at before it is made: panes show what the document would become, or what it is, with what changes
// tinted. Nothing is edited meanwhile, and nothing of it stays when it is dropped.
type trial struct {
	plan          *model.Plan
	before, after *model.Tree
	old           bool                       // before is shown
	runs          map[string][]model.Changed // of each file what changes, by its name
	was           identity                   // what was selected before
	first         identity                   // what changes first
	guess         bool                       // a repair that is not proven
	end           func(made bool)
}

var errTrial = errors.New("a change is being previewed: Apply or Cancel it first")

// shown is the tree that panes show, other the one beside it.
func (x *trial) shown() *model.Tree {
	if x.old {
		return x.before
	}
	return x.after
}

func (x *trial) other() *model.Tree {
	if x.old {
		return x.after
	}
	return x.before
}

// trialView is a trial as workers see it: what is shown at the moment, and what beside it. The zero value tints nothing.
type trialView struct {
	tree, other *model.Tree
	runs        map[string][]model.Changed
	old         bool
}

// tints is the trial as it is now, for a worker.
func (d *Document) tints() trialView {
	if x := d.trial; x != nil {
		return trialView{x.shown(), x.other(), x.runs, x.old}
	}
	return trialView{}
}

// of returns the bytes of a file that change, as they are numbered in the tree that is shown.
func (v *trialView) of(file string) (list []model.Changed) {
	for _, c := range v.runs[file] {
		if v.old {
			c = model.Changed{Off: c.OldOff, New: c.Old, OldOff: c.Off, Old: c.New}
		}
		list = append(list, c)
	}
	return list
}

// touches tells whether bytes change: of decoded ones, those that they are made from.
func (v *trialView) touches(r model.Range) bool {
	if v.tree == nil || r.Len == 0 {
		return false
	}
	sp := v.tree.Space(r.Space)
	for sp != nil && sp.Derived() && sp.Raw != nil {
		r = sp.Raw.Range
		sp = v.tree.Space(r.Space)
	}
	return sp != nil && slices.ContainsFunc(v.of(sp.File), func(c model.Changed) bool { return c.Off < r.End() && c.Off+max(c.New, 1) > r.Off })
}

// differs tells whether a field says something else on the other side.
func (v *trialView) differs(ctx context.Context, s *model.Span, says string) bool {
	if !v.touches(s.Range) {
		return false
	}
	if sp := v.tree.Space(s.Range.Space); s.Shape != model.Leaf || sp == nil || !sp.Derived() {
		return true
	}
	o, err := v.other.Find(ctx, s.Path())
	return err != nil || o == nil || valueText(ctx, v.other, o) != says
}

// runsIn returns the runs of bytes of a range that change. Decoded ones are compared with those on the other side.
func (v *trialView) runsIn(ctx context.Context, at model.Range, b []byte) (list []model.Range) {
	if v.tree == nil {
		return nil
	}
	sp := v.tree.Space(at.Space)
	if sp == nil {
		return nil
	}
	if !sp.Derived() {
		for _, c := range v.of(sp.File) {
			list = append(list, model.Range{Space: at.Space, Off: c.Off, Len: c.New})
		}
		return list
	}
	var was []byte
	if s, err := v.other.Find(ctx, sp.Root.Path()); err == nil && s != nil {
		size, err := v.other.Size(ctx, s.Range.Space)
		if n := min(at.Len, size-at.Off); err == nil && n > 0 {
			was, _ = v.other.Bytes(ctx, model.Range{Space: s.Range.Space, Off: at.Off, Len: n})
		}
	}
	for i := range b {
		if i >= len(was) || was[i] != b[i] {
			list = append(list, model.Range{Space: at.Space, Off: at.Off + int64(i), Len: 1})
		}
	}
	return list
}

// rows returns the same rows of the table of the other side: nil where there is none of the name.
func (v *trialView) rows(ctx context.Context, table *model.Table, first, n int64) []model.Row {
	if v.other == nil {
		return nil
	}
	list := v.other.Tables(ctx)
	i := slices.IndexFunc(list, func(t model.Table) bool { return t.Name == table.Name && len(t.Columns) == len(table.Columns) })
	if i < 0 {
		return nil
	}
	rows, _ := list[i].Read(ctx, first, max(0, min(n, list[i].Rows-first)))
	return rows
}

// tinted tells which cells of rows differ from those on the other side.
func tinted(rows, other []model.Row) [][]bool {
	out := make([][]bool, len(rows))
	for i, row := range rows {
		out[i] = make([]bool, len(row))
		for k := range row {
			out[i][k] = i >= len(other) || k >= len(other[i]) || cellSum(&row[k]) != cellSum(&other[i][k])
		}
	}
	return out
}

// try has a change looked at, and makes it when the user wants that. Behind it the document is of a format; nil: of the one that it has. Values
// that a repair writes which is not proven are not verified from then on.
func (e *editor) try(plan *model.Plan, format *model.Format, proven bool) {
	if e.d.trial != nil {
		e.d.wb.say(errTrial.Error())
		return
	}
	e.inTurn(func() {
		switch {
		case e.d.Tree().Snapshot != plan.From:
			e.d.wb.say("the document was changed meanwhile")
			e.next()
			return
		case plan.Empty():
			e.d.wb.say(plan.Label + ": nothing changes")
			e.next()
			return
		case format == nil:
			format = e.d.Model.Format
		}
		var tree *model.Tree
		e.d.wb.submit(model.Job{Title: plan.Label, Priority: model.Edited,
			Run: func(ctx context.Context, _ func(done, total int64)) (any, error) {
				tree = model.Parse(ctx, plan.To, format)
				return nil, ctx.Err()
			},
			Done: func(_ any, err error) {
				if err = errors.Join(err, plan.From.Fault()); err != nil {
					e.failed(plan, err)
					e.next()
					return
				}
				e.show(plan, tree, !proven, func(made bool) {
					if made {
						e.failed(plan, e.makeOf(plan, tree, !proven))
					}
					e.next()
				})
			}})
	})
}

// show shows what a plan makes of the document, whose turn it is, and calls end when the user has decided.
func (e *editor) show(plan *model.Plan, after *model.Tree, guess bool, end func(made bool)) {
	d := e.d
	if d.wb.shell.agrees() {
		end(true)
		return
	}
	x := &trial{plan: plan, before: d.Tree(), after: after, was: d.sel.identity(), guess: guess, end: end}
	d.wb.submit(model.Job{Title: plan.Label, Priority: model.Edited,
		Run: func(ctx context.Context, _ func(done, total int64)) (any, error) { return x.measure(ctx), ctx.Err() },
		Done: func(v any, err error) {
			if x.first = x.was; v != "" && v != x.was.path && err == nil {
				x.first = identity{path: v.(string), whole: true}
			}
			d.trial = x
			d.TreeChanged(x.first)
			d.preview(x)
		}})
}

// measure finds out which bytes change, and returns the path of the field that is selected, where that does, or else that the first of them
// are in; "" where it is none.
func (x *trial) measure(ctx context.Context) string {
	runs, first := map[string][]model.Changed{}, ""
	for i := range x.plan.Patches {
		q := &x.plan.Patches[i]
		path := q.Path
		if path == "" && first != x.was.path {
			path = fieldAt(x.before, q)
		}
		if first == "" || path == x.was.path {
			first = path
		}
		if _, known := runs[q.File]; known {
			continue
		}
		now, err := x.plan.To.Content(q.File)
		was, wasErr := x.plan.From.Content(q.File)
		switch {
		case err != nil || wasErr != nil:
			runs[q.File] = nil
		default:
			runs[q.File] = exactly(ctx, now, was, slices.DeleteFunc(now.Diff(was), func(c model.Changed) bool { return c.Same(now, was) }))
		}
	}
	x.runs = runs
	return first
}

// turn shows the document as it is, or as it would become.
func (x *trial) turn(d *Document, old bool) {
	if x != nil && x.old != old {
		x.old = old
		d.TreeChanged(d.sel.identity())
		d.preview(x)
	}
}

// decide ends the trial: the change is made, or the document shown as it is.
func (x *trial) decide(d *Document, made bool) {
	if x == nil {
		return
	}
	d.trial = nil
	d.preview(nil)
	switch {
	case made:
		d.editor.locked = false
	case x.old:
		d.TreeChanged(d.sel.identity())
	default:
		d.TreeChanged(x.was)
	}
	x.end(made)
}
