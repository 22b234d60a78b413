package cause

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"

	"spandrel/model"
)

// How causes and findings are put together for people: which cause explains what, in which order, and what it means.

// order sorts findings by place, as they are printed.
func (g *Diagnosis) order() {
	slices.SortStableFunc(g.Findings, func(a, b model.Finding) int { // independent of which worker was first
		return cmp.Or(g.Tree.Order(a.Where(), b.Where()), strings.Compare(a.Rule.ID, b.Rule.ID))
	})
	g.By = slices.Repeat([]int{-1}, len(g.Findings))
}

// graded yields the findings of at least a severity, with their indices.
func graded(list []model.Finding, least model.Severity) iter.Seq2[int, *model.Finding] {
	return func(yield func(int, *model.Finding) bool) {
		for i := range list {
			if list[i].Grade() <= least && !yield(i, &list[i]) {
				return
			}
		}
	}
}

// explain gives a finding to the last cause, unless another one explains it.
func (g *Diagnosis) explain(i int) {
	if g.By[i] >= 0 {
		return
	}
	g.By[i] = len(g.Causes) - 1
	c := g.Causes[g.By[i]]
	c.Explains = append(c.Explains, i)
}

// explainedBy adds a cause, which explains what its repair removes of the findings of the first state.
func (g *Diagnosis) explainedBy(r *search, c *Cause, repaired, first *verdict) {
	g.Causes = append(g.Causes, c)
	for _, i := range g.here(r, c.also) {
		g.explain(i)
	}
	for i := range g.Findings {
		if repaired.fewer(key(&g.Findings[i]), first) {
			g.explain(i)
		}
	}
}

// here translates findings of a search into findings of the diagnosis, which lists those of the original document.
func (g *Diagnosis) here(r *search, list []int) (out []int) {
	if !r.after {
		return list
	}
	want := map[finding]bool{}
	for _, i := range list {
		want[key(&r.found[i])] = true
	}
	for i := range g.Findings {
		if want[key(&g.Findings[i])] {
			out = append(out, i)
		}
	}
	return out
}

// tell adds causes that cannot be undone, each once, because a later search finds them again. They explain the findings in their files that no other
// cause explains.
func (g *Diagnosis) tell(r *search, told []*Cause) {
	r.doWithout(told)
	for _, c := range told {
		if slices.ContainsFunc(g.Causes, func(o *Cause) bool { return o.Text == c.Text }) {
			continue
		}
		about := g.here(r, c.Explains)
		c.Explains, c.Title = nil, r.extents[cmp.Or(c.File, c.At.File)].Title
		g.Causes = append(g.Causes, c)
		for _, i := range about {
			g.explain(i)
		}
	}
}

// orSave is the advice to salvage; it is given if something is left.
const orSave = ", or save the intact data"

// saves says how much of a truncated document is left, after a repair of something else if more is left then, and removes the advice to save it if nothing is.
func (g *Diagnosis) saves(ctx context.Context) {
	offered := func(c *Cause) bool { return c.torn || strings.Contains(c.Means, orSave) }
	if g.Format == nil || g.Format.Salvage == nil || !g.Deep || !slices.ContainsFunc(g.Causes, offered) {
		return
	}
	left, after, err := g.left(ctx, g.Lossless(offered))
	if ctx.Err() != nil {
		return
	}
	if err != nil || len(left.Problems) > 0 { // what would be saved is damaged as well
		for _, c := range g.Causes {
			c.Means = strings.Replace(c.Means, orSave, "", 1)
		}
		return
	}
	for _, c := range g.Causes {
		c.saves(left.Contents() + after)
		if c.torn && c.Grade != Proven && left.Unvouched > 0 && !left.Aligned {
			c.Means += " If they are missing inside it instead, the values after that place are wrong: no checksum covers them."
		}
	}
}

// left is what is left of the document or, if that is more, after a repair, which may be nil; after says so then.
func (g *Diagnosis) left(ctx context.Context, x *Repair) (left *model.Salvaged, after string, err error) {
	left, err = model.Salvage(ctx, g.Tree)
	if x == nil {
		return left, "", err
	}
	more, bad := model.Salvage(ctx, model.Parse(ctx, x.To, g.Format))
	if bad != nil || more.Saved() <= left.Saved() {
		return left, "", err
	}
	return more, ", after the repair “" + x.Label + "”", nil
}

// Lossless is the first repair of a cause that is at least likely and not one of some, if it loses nothing; otherwise nil.
func (g *Diagnosis) Lossless(of func(*Cause) bool) *Repair {
	for _, c := range g.Causes {
		if !of(c) && c.Grade >= Likely && len(c.Repairs) > 0 && c.Repairs[0].Loses == "" && c.Repairs[0].To != nil {
			return c.Repairs[0]
		}
	}
	return nil
}

// saves adds what can be saved to the advice to do so.
func (c *Cause) saves(left string) {
	switch {
	case c.torn && c.Grade == Proven && len(c.Repairs) > 0 && c.Repairs[0].Loses == "":
		c.Means = "The first repair restores what is missing."
	case left == "" || c.torn && c.Grade == Proven:
	case c.torn:
		c.Means = "The missing bytes are not in this file: download or copy it again" + orSave + ": " + left + "."
	default:
		c.Means = strings.Replace(c.Means, orSave+".", orSave+": "+left+".", 1)
	}
}

// oddities drops unproven causes that explain only warnings while an error remains unexplained: they are not why the file
// does not load.
func (g *Diagnosis) oddities(r *search) {
	grave := func(want int) bool {
		for i := range graded(g.Findings, model.Error) {
			if g.By[i] == want {
				return true
			}
		}
		return false
	}
	if !grave(-1) {
		return
	}
	for k := len(g.Causes) - 1; k >= 0; k-- {
		if c := g.Causes[k]; c.Grade == Proven || len(c.Explains) == 0 || grave(k) || !r.holds("oddities", true) {
			continue
		}
		g.withdraw(k)
	}
}

// withdraw removes a cause; nothing explains its findings then.
func (g *Diagnosis) withdraw(k int) {
	g.Causes = slices.Delete(g.Causes, k, k+1)
	for i, by := range g.By {
		if by == k {
			g.By[i] = -1
		} else if by > k {
			g.By[i]--
		}
	}
}

// means fills in what a cause means, if it does not say so itself: how many of the problems come from it.
func (g *Diagnosis) means() {
	for _, c := range g.Causes {
		if c.Means != "" {
			continue
		}
		switch n, of := g.Counts(c); {
		case n == 0:
		case n == of && of == 1:
			c.Means = g.alone()
		case n == of:
			c.Means = model.Words("It explains all %s problems.", model.Thousands(int64(of)))
		case n == 1:
			c.Means = model.Words("It explains one of %s problems.", model.Thousands(int64(of)))
		default:
			c.Means = model.Words("It explains %s of %s problems.", model.Thousands(int64(n)), model.Thousands(int64(of)))
		}
	}
}

// alone says of the only problem of a document that no other was found. Only checksums show that values are right, so what they cover is said; that
// nothing else is wrong is never known, because lengths, types and flags beside them are seldom covered too.
func (g *Diagnosis) alone() string {
	if g.Deep && vouched(g.Tree) {
		return "No other errors were found, and checksums cover nearly the whole file."
	}
	return "No other errors were found."
}

// vouched tells whether checksums cover the files of a document but for a tenth of their bytes.
func vouched(t *model.Tree) bool {
	size := int64(0)
	for _, s := range t.Spaces() {
		if !s.Derived() && s.Root != nil {
			size += s.Root.Range.Len
		}
	}
	return size > 0 && t.Summed().Size() >= size-size/10
}

// number numbers the repairs of all causes.
func (g *Diagnosis) number() {
	n := 0
	for _, c := range g.Causes {
		for _, x := range c.Repairs {
			n++
			x.Number = n
		}
	}
}

// lead sorts findings: first those at the places of causes, then those that causes explain, then the others.
func (g *Diagnosis) lead() {
	n := len(g.Findings)
	index := make([]int, n)
	for i := range index {
		index[i] = i
	}
	rank := func(i int) int {
		f := &g.Findings[i]
		at := f.Where()
		for k, c := range g.Causes {
			if c.At.Span != nil && c.At.Span.Range.Overlaps(at) && at.Len <= 64 || c.At.Path != "" && f.Path() == c.At.Path {
				return k
			}
		}
		if g.By[i] >= 0 {
			return 100 + g.By[i]
		}
		return 1000
	}
	slices.SortStableFunc(index, func(a, b int) int { return rank(a) - rank(b) })
	at := make([]int, n)
	found, by := make([]model.Finding, n), make([]int, n)
	for to, from := range index {
		found[to], by[to], at[from] = g.Findings[from], g.By[from], to
	}
	for _, c := range g.Causes {
		for k := range c.Explains {
			c.Explains[k] = at[c.Explains[k]]
		}
	}
	g.Findings, g.By = found, by
}
