package doc

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/model/cause"
	"spandrel/ui/kit"
	"spandrel/ui/paint"
)

// Causes is what happened to a document, as far as that can be found out: the search runs in the background after the
// full check, and again after each edit.
type Causes struct {
	d      *Document
	Tree   *model.Tree // that was diagnosed, or is
	List   []*cause.Cause
	Of     map[FindingKey]int // cause of a finding, by its text
	After  *AfterRepair       // tables after the first repair, if they then have more rows
	Left   *model.Salvaged    // salvaged document, opened and checked; nil if not tried
	none   bool               // it was, and nothing can
	cut    bool               // the search ran out of time
	Cancel kit.Running
}

func (c *Causes) tell(found bool) {
	notify(c.d, func(v *Document) []func(bool) { return v.Diagnoses }, found)
}

// FindingKey identifies a finding in any tree of a document.
type FindingKey struct{ rule, path, text string }

// KeyOf names a finding.
func KeyOf(f *model.Finding) FindingKey { return FindingKey{f.Rule.ID, f.Path(), f.Text()} }

// Begin forgets the causes of an earlier tree.
func (c *Causes) Begin() {
	if c.Tree != nil && c.Tree != c.d.Tree() && c.d.Preview == nil {
		c.stop()
	}
}

// Follow looks for the causes of a tree with problems that has not been diagnosed yet.
func (c *Causes) Follow() {
	t := c.d.Tree()
	limit := c.d.CauseTime
	if t == c.Tree || c.d.Preview != nil {
		return
	}
	c.stop()
	if !c.looks() {
		return
	}
	c.Tree = t
	doc := c.d.ForWorkers()
	c.Cancel = kit.Watched(c.d.Window, "looking for the cause in "+c.d.TabName(), model.Checks, func(ctx context.Context, progress kit.Progress) (diagnosed, error) {
		g, err := cause.Find(ctx, doc, cause.Options{Formats: c.d.Formats, Time: limit, Progress: func(done, total int64, _ string) { progress(done, total) }})
		if err != nil {
			return diagnosed{}, err
		}
		left, none := leftOf(ctx, g)
		return diagnosed{g, afterRepairOf(ctx, doc, g), left, none}, ctx.Err()
	}, func(found diagnosed, err error) {
		c.Cancel = nil
		c.d.Window.Outdated(waitsSaid)
		if err == nil && c.d.Tree() == t {
			c.take(found)
		} else {
			c.tell(true) // what they waited for does not come
		}
	})
	c.tell(false)
}

// Cut tells whether the search in the current tree ran out of time.
func (c *Causes) Cut() bool { return c.cut && c.Tree == c.d.Tree() && c.Cancel == nil }

// Longer is the advice to search again, with more time.
func (c *Causes) Longer() Advice {
	return Advice{Label: "Search longer for the cause", Do: func() {
		c.d.CauseTime *= longer
		c.stop()
		c.Follow()
	}}
}

// longer is the factor by which the time for a search that ran out of it is extended.
const longer = 8

// looks tells whether causes are being searched for in the current tree.
func (c *Causes) looks() bool {
	n := c.d.Found.Counts()
	return c.d.CauseTime > 0 && (c.d.Model.Format == nil || n[model.Error]+n[model.Warning] > 0) && c.d.Tree().Root.Range.Len <= CheckSize
}

// diagnosed is a worker's result.
type diagnosed struct {
	*cause.Diagnosis
	after *AfterRepair
	left  *model.Salvaged
	none  bool
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

// stop cancels the search and forgets the causes of an earlier tree.
func (c *Causes) stop() {
	c.Cancel.Stop()
	c.List, c.Of, c.After, c.Tree, c.Left, c.none, c.cut = nil, nil, nil, nil, nil, false, false
}

func (c *Causes) take(g diagnosed) {
	c.List, c.cut, c.Of, c.After, c.Left, c.none = g.Causes, g.Cut, map[FindingKey]int{}, g.after, g.left, g.none
	c.d.Found.learn(g.Findings)
	for i, k := range g.By {
		if k >= 0 {
			c.Of[KeyOf(&g.Findings[i])] = k
		}
	}
	c.tell(true)
}

// Now is the causes in the current tree.
func (c *Causes) Now() []*cause.Cause {
	if c.Tree != c.d.Tree() {
		return nil
	}
	return c.List
}

// AfterRepair is the rows after the proven repair of the current tree; nil if they show no more.
func (c *Causes) AfterRepair() *AfterRepair {
	if c.Tree != c.d.Tree() {
		return nil
	}
	return c.After
}

// plan is a repair as a step of the history; nil if the document has changed meanwhile.
func (c *Causes) plan(r *cause.Repair) *model.Plan {
	if c.d.Tree() != c.Tree {
		return nil
	}
	plan, err := r.Plan(context.Background(), c.Tree.Snapshot)
	if err != nil {
		return nil
	}
	return plan
}

// Preview shows what a repair would change, and applies it if the user agrees.
func (c *Causes) Preview(r *cause.Repair) {
	if c.Waits() {
		return
	}
	plan := c.plan(r)
	if plan == nil {
		c.d.Window.Say("the document has changed, so the search for the cause starts again")
		return
	}
	warnLoss(plan, r.Loses)
	c.d.Editor.Try(plan, r.Format, r.Safe)
}

// warnLoss adds to a plan what it loses; "": nothing.
func warnLoss(plan *model.Plan, loses string) {
	if loses != "" {
		plan.Warnings = append(plan.Warnings, "It loses "+loses+".")
	}
}

// PreviewFix shows what an unproven repair of a rule would change.
func (c *Causes) PreviewFix(fix model.Fix) {
	if c.Waits() {
		return
	}
	c.d.Editor.TryMade(fix.Label, fix.Make, func(plan *model.Plan) {
		warnLoss(plan, fix.Loses)
		c.d.Editor.Try(plan, nil, false)
	})
}

// GradeText says how certain a cause is.
func GradeText(g cause.Grade) string {
	return map[cause.Grade]string{cause.Proven: "proven", cause.Likely: "likely", cause.Possible: "possible"}[g]
}

// Proven counts the findings that proven and lossless repairs remove.
func (c *Causes) Proven() (n int) {
	for k, x := range c.Now() {
		if x.Safe() != nil {
			n += c.Explained(k, c.d.Found.All)
		}
	}
	return n
}

// Explained counts the findings in a list that a cause explains.
func (c *Causes) Explained(k int, found []model.Finding) (n int) {
	for i := range found {
		if at, ok := c.Of[KeyOf(&found[i])]; ok && at == k {
			n++
		}
	}
	return n
}

// CauseTime is the time for finding causes.
const CauseTime = cause.DefaultTime

// CauseText is what happened, for a line: ShortPaths, with the file named by what it contains.
func CauseText(x *cause.Cause) string {
	if file := cmp.Or(x.File, x.At.File); x.Title != "" {
		return ShortPaths(strings.ReplaceAll(x.Text, file, titled(x, file)))
	}
	return ShortPaths(x.Text)
}

// titled is the name of the file of a cause for people: an attribute and its file, bill_length_mm (a2.tdb).
func titled(x *cause.Cause, file string) string {
	if x.Title == "" {
		return path.Base(file)
	}
	return paint.Shorten(model.OneLine(x.Title), 40) + " (" + path.Base(file) + ")"
}

// ShortPaths shortens long paths in a sentence to their last name, so that the line says what happened before it ends. The details show them in full.
func ShortPaths(s string) string {
	words := strings.Split(s, " ")
	for i, w := range words {
		if at := strings.LastIndexByte(w, '/'); at > 0 && len(w) > 40 {
			words[i] = "…" + w[at:]
		}
	}
	return strings.Join(words, " ")
}
