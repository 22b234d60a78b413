package ui

import (
	"context"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/model/cause"
)

// causes is what happened to a document, as far as that can be found out: it is looked for in the background once everything was
// checked, and anew after each edit.
type causes struct {
	d      *Document
	tree   *model.Tree // that was diagnosed, or is
	list   []*cause.Cause
	of     map[findingKey]int // the cause of a finding, by what it says
	mend   *mended            // what the rows are after the first repair, where they say more then
	left   *model.Salvaged    // what can be saved of it as a new document, opened and checked; nil where that was not looked for
	none   bool               // it was, and nothing can
	cut    bool
	cancel func()
	told   []func(found bool) // told that the search begins, or is over
}

func (c *causes) tell(found bool) {
	for _, f := range c.told {
		f(found)
	}
}

// findingKey names a finding in any tree of a document.
type findingKey struct{ rule, path, text string }

func keyOf(f *model.Finding) findingKey { return findingKey{f.Rule.ID, f.Path(), f.Text()} }

// begin forgets the causes of an earlier tree.
func (c *causes) begin() {
	if c.tree != nil && c.tree != c.d.Tree() && c.d.trial == nil {
		c.stop()
	}
}

// follow looks for the causes of a tree that was not diagnosed yet, when something is wrong with it.
func (c *causes) follow() {
	t, m := c.d.Tree(), c.d.Model
	limit := c.d.causeTime
	if t == c.tree || c.d.trial != nil {
		return
	}
	c.stop()
	if !c.looks() {
		return
	}
	c.tree = t
	doc := &model.Document{Path: m.Path, Format: m.Format, Tree: t, Candidates: m.Candidates} // what a worker may read
	c.cancel = c.d.wb.submit(model.Job{Title: "looking for the cause", Priority: model.Checks,
		Run: func(ctx context.Context, progress func(done, total int64)) (any, error) {
			g, err := cause.Find(ctx, doc, cause.Options{Formats: c.d.formats, Time: limit, Progress: func(done, total int64, _ string) { progress(done, total) }})
			if err != nil {
				return nil, err
			}
			left, none := leftOf(ctx, g)
			return diagnosed{g, mendedBy(ctx, doc, g), left, none}, ctx.Err()
		},
		Done: func(v any, err error) {
			c.cancel = nil
			if found, ok := v.(diagnosed); ok && err == nil && c.d.Tree() == t {
				c.take(found)
			} else {
				c.tell(true) // what they waited for does not come
			}
		}})
	c.tell(false)
}

// looks tells whether a cause is looked for in the tree that is shown.
func (c *causes) looks() bool {
	n := c.d.found.counts()
	return c.d.causeTime > 0 && (c.d.Model.Format == nil || n[model.Error]+n[model.Warning] > 0) && c.d.Tree().Root.Range.Len <= checkSize
}

// diagnosed is what a worker found out.
type diagnosed struct {
	*cause.Diagnosis
	mend *mended
	left *model.Salvaged
	none bool
}

// leftOf finds what can be saved of a document with an error that no known repair removes. none: nothing can.
func leftOf(ctx context.Context, g *cause.Diagnosis) (left *model.Salvaged, none bool) {
	if g.Format == nil || !slices.ContainsFunc(g.Findings, func(f model.Finding) bool { return f.Grade() == model.Error }) ||
		!slices.ContainsFunc(g.Causes, func(c *cause.Cause) bool { return len(c.Repairs) == 0 }) {
		return nil, false
	}
	left, err := model.Salvage(ctx, g.Tree)
	return left, err != nil
}

// stop forgets the causes of an earlier tree.
func (c *causes) stop() {
	if c.cancel != nil {
		c.cancel()
		c.cancel = nil
	}
	c.list, c.of, c.mend, c.tree, c.left, c.none = nil, nil, nil, nil, nil, false
}

func (c *causes) take(g diagnosed) {
	c.list, c.cut, c.of, c.mend, c.left, c.none = g.Causes, g.Cut, map[findingKey]int{}, g.mend, g.left, g.none
	for i, k := range g.By {
		if k >= 0 {
			c.of[keyOf(&g.Findings[i])] = k
		}
	}
	c.tell(true)
}

// now is the causes of the tree that is shown.
func (c *causes) now() []*cause.Cause {
	if c.tree != c.d.Tree() {
		return nil
	}
	return c.list
}

// mended is what the rows of the tree that is shown are after its repair; nil where they say no more then.
func (c *causes) mended() *mended {
	if c.tree != c.d.Tree() {
		return nil
	}
	return c.mend
}

// plan is a repair as a step of the history; nil when the document is another one meanwhile.
func (c *causes) plan(r *cause.Repair) *model.Plan {
	if c.d.Tree() != c.tree {
		return nil
	}
	plan, err := r.Plan(context.Background(), c.tree.Snapshot)
	if err != nil {
		return nil
	}
	return plan
}

// preview shows what a repair would change, and makes it when the user agrees.
func (c *causes) preview(r *cause.Repair) {
	if c.waits() {
		return
	}
	plan := c.plan(r)
	if plan == nil {
		c.d.wb.say("the document was changed meanwhile: the cause is looked for again")
		return
	}
	if r.Loses != "" {
		plan.Warnings = append(plan.Warnings, "It loses "+r.Loses+".")
	}
	c.d.editor.try(plan, r.Format, r.Safe)
}

// previewFix shows what a repair of a rule would change, which is not proven.
func (c *causes) previewFix(fix model.Fix) {
	if c.waits() {
		return
	}
	c.d.editor.previewFix(fix, func(plan *model.Plan, err error) {
		if err != nil {
			c.d.wb.fail(fix.Label, err)
			return
		}
		if fix.Loses != "" {
			plan.Warnings = append(plan.Warnings, "It loses "+fix.Loses+".")
		}
		c.d.editor.try(plan, nil, false)
	})
}

// gradeText says how sure a cause is.
func gradeText(g cause.Grade) string {
	return map[cause.Grade]string{cause.Proven: "proven", cause.Likely: "likely", cause.Possible: "possible"}[g]
}

// proven counts the findings that go away with what is proven and loses nothing.
func (c *causes) proven() (n int) {
	for k, x := range c.now() {
		if x.Safe() != nil {
			n += c.explained(k, c.d.found.all)
		}
	}
	return n
}

// explained counts the findings of a list that a cause explains.
func (c *causes) explained(k int, found []model.Finding) (n int) {
	for i := range found {
		if at, ok := c.of[keyOf(&found[i])]; ok && at == k {
			n++
		}
	}
	return n
}

// causeTime is how long a cause is looked for.
const causeTime = cause.DefaultTime

// shortPaths leaves of long paths in a sentence their last name: a line has to say what happened before it ends. The details say all.
func shortPaths(s string) string {
	words := strings.Split(s, " ")
	for i, w := range words {
		if at := strings.LastIndexByte(w, '/'); at > 0 && len(w) > 40 {
			words[i] = "…" + w[at:]
		}
	}
	return strings.Join(words, " ")
}
