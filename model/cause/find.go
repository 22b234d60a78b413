package cause

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"spandrel/model"
)

// remoteLarge is how much of a remote document is read without being asked to, and how much of each file is read to say what happened to it.
const remoteLarge = 2 << 20

// Find diagnoses a document. It reads the tree of d, which may be on screen meanwhile, and changes nothing. It returns an error if ctx
// ends; when the time of the options is over, it returns the best diagnosis so far.
func Find(ctx context.Context, d *model.Document, o Options) (*Diagnosis, error) {
	if o.Time == 0 {
		o.Time = DefaultTime
	}
	if o.Large == 0 {
		o.Large = DefaultLarge
	}
	r := &search{ctx: ctx, all: ctx, o: o, front: maxTransform}
	if d.Remote() {
		r.o.Large, r.front = min(o.Large, remoteLarge), remoteLarge
		o = r.o
	}
	r.bytes = amount(ctx, d.Tree, o.Large)
	r.deep = o.Deep || r.bytes <= o.Large
	if err := r.start(d.Tree.Snapshot, d.Format); err != nil {
		return nil, err
	}
	g := &Diagnosis{Tree: r.base.tree, Format: d.Format, Deep: r.deep}
	if d.Format == nil {
		g.Tree = d.Tree
		unknownFile(r, d)
	}
	g.Findings, g.Omitted = r.found, nil
	if d.Format != nil {
		g.Findings, g.Omitted = r.base.tree.Findings()
	}
	g.order()
	g.surplus(ctx)
	if r.protected(g, d) {
		g.number()
		g.lead()
		return g, ctx.Err()
	}
	r.found = g.Findings
	if n := r.base.count[model.Error]; d.Format != nil && n == 0 && (!o.Warnings || r.base.count[model.Warning] == 0) {
		return g, nil // what is merely unusual may be intended
	}
	if o.Time > 0 && d.Tree.Snapshot.Fault() == nil { // a read error says nothing about the rest
		searchFor(ctx, r, g, o.Purse.take(o.Time))
	}
	g.oddities(r)
	g.means()
	g.number()
	g.lead()
	return g, ctx.Err()
}

// searchFor looks for causes for a limited time; if there is none left, a finding says so.
func searchFor(ctx context.Context, r *search, g *Diagnosis, had time.Duration) {
	if had == 0 {
		g.Findings = append(g.Findings, model.Finding{Rule: model.RuleCap, Span: g.Tree.Root,
			Message: "no search for causes, because earlier documents used up the time; check this one on its own"})
		g.By = append(g.By, -1)
		return
	}
	var stop func()
	r.spend, r.ctx, stop = begin(ctx, had)
	defer stop()
	r.causes(g)
	g.saves(ctx)
	r.o.Purse.giveBack(had, r.spend)
}

// amount is how much there is to read: the size of all files that the tree knows.
func amount(ctx context.Context, t *model.Tree, most int64) (n int64) {
	for _, s := range t.Spaces() {
		if !s.Derived() {
			if k, err := t.Size(ctx, s.ID); err == nil {
				n += k
			}
		}
		if n > most {
			break
		}
	}
	return n
}

// unknownFile makes the finding about a file that no format recognises, with the reason of each.
func unknownFile(r *search, d *model.Document) {
	var why []string
	for _, c := range d.Candidates {
		if c.Reason != "" {
			why = append(why, c.Format.Name+": "+c.Reason)
		}
	}
	r.found = []model.Finding{{Rule: model.RuleUnknown, Span: d.Tree.Root, Found: opening(r.ctx, d.Tree), Expected: strings.Join(why, "; ")}}
	r.base.keys[key(&r.found[0])]++
	r.base.count[model.Error]++
	r.base.checks.add(&r.found[0], model.RuleUnknown.Title, 1)
	r.base.size = d.Tree.Root.Range.Len
	r.base.tree = d.Tree
}

// order sorts findings by place, as they are printed.
func (g *Diagnosis) order() {
	slices.SortStableFunc(g.Findings, func(a, b model.Finding) int { // independent of which worker was first
		return cmp.Or(g.Tree.Order(a.Where(), b.Where()), strings.Compare(a.Rule.ID, b.Rule.ID))
	})
	g.By = make([]int, len(g.Findings))
	for i := range g.By {
		g.By[i] = -1
	}
}

// maxCauses is how many independent causes are looked for.
const maxCauses = 4

// causes looks for one cause after the other: each search starts from what the previous repair leaves.
func (r *search) causes(g *Diagnosis) {
	first := r.base
	for range maxCauses {
		top := r.cause(g, first)
		if top == nil || top.whole() || top.snap != nil || top.res.clean() || r.late() {
			return
		}
		for _, p := range top.patches {
			if int64(len(p.with)) != p.del {
				return // what follows has moved
			}
		}
		next := &search{ctx: r.ctx, all: r.all, o: r.o, bytes: r.bytes, deep: r.deep, front: r.front, spend: r.spend, after: true, first: first}
		if next.start(top.res.snap, r.base.format) != nil || next.base.tree == nil {
			return
		}
		*r = *next
	}
}

// cause adds the next cause, for findings of the first state, and returns its trial; nil if there is nothing more to
// find.
func (r *search) cause(g *Diagnosis, first *verdict) *trial {
	forget(r)
	r.subjects = nil
	told := r.wholes()
	if len(told) > 0 && told[0].Grade == Proven && (len(told[0].Explains) > 0 || told[0].At.File == r.base.snap.Primary) {
		g.tell(r, rebuildFirst(r, told))
		return nil
	}
	rank := &ranking{search: r}
	if r.base.format != nil && r.base.tree != nil && r.healed() == nil {
		rank.parts(slices.ContainsFunc(told, func(c *Cause) bool { return !c.guess })) // guessing is pointless where bytes are known to be lost
		g.Cut = g.Cut || rank.cut
	}
	if top := r.healed(); top == nil || !top.res.clean() {
		r.guesses()
	}
	told = r.sure(told)
	dropDishonest(rank, told)
	var c *Cause
	var top *trial
	if len(r.hits) > 0 {
		c, top = rank.best()
	}
	if c == nil {
		g.tellOr(r, told)
		return nil
	}
	if slices.ContainsFunc(told, func(c *Cause) bool { return c.other }) || r.holds("traces", r.traces(told, top)) {
		g.tell(r, told)
		return nil
	}
	told = rank.way(told, c, top)
	rank.slipped(c, top)
	if loses := !top.whole() && (top.lossy || hidesLoss(rank, top)); loses || !top.whole() && !top.res.clean() {
		g.tell(r, told)
		switch {
		case r.holds("told, and the best hides or loses", len(told) > 0 && loses):
			return nil
		case c.Grade == Possible && top.kind < derived && g.explained():
			return nil // the reported cause explains everything: this is one of its symptoms
		}
	}
	g.Causes = append(g.Causes, c)
	for _, i := range g.here(r, c.also) {
		if g.By[i] < 0 {
			g.explain(i)
		}
	}
	for i := range g.Findings {
		if g.By[i] < 0 && top.res.keys[key(&g.Findings[i])] < first.keys[key(&g.Findings[i])] {
			g.explain(i)
		}
	}
	return top
}

// parts tries what may be wrong inside the files. If something is known to be lost, nothing is guessed.
func (r *ranking) parts(lost bool) {
	r.clues = gather(r.ctx, r.base.tree, r.found, r.o.Worth)
	r.step("checksums", func() { wrongSums(r.search) })
	r.step("bits of streams", func() { wrongBits(r.search) })
	ruleRepairs(r.search)
	if r.strict = r.healed() != nil; !r.strict {
		for _, g := range r.subjects {
			g.step("drifted", driftedAtProblem)
		}
	}
	r.brute, r.cut = r.fields(r.strict || lost)
}

// traces tells whether the best trial is about a symptom of a known cause: of lost bytes, or of a missing file.
func (r *search) traces(told []*Cause, top *trial) bool {
	if top.whole() {
		return false
	}
	gone := slices.ContainsFunc(told, func(c *Cause) bool { return c.gone })
	return top.op != makeRepair && gone || !(top.op == makeRepair && top.copies() || (top.op == makeRepair || top.safe || top.kind == derived) && top.res.clean()) && isLost(r, top.at.File, top.at.Off) || len(told) > 0 && r.base.problems() <= top.res.problems()
}

// rebuildFirst offers to rebuild the first file that is something else altogether from the files beside it. Once the main file is, nothing
// else is told: it would be about bytes that do not belong to the file.
func rebuildFirst(r *search, told []*Cause) []*Cause {
	c := told[0]
	if c.At.File == r.base.snap.Primary {
		told = told[:1]
	}
	if r.base.format == nil || r.base.tree == nil {
		return told
	}
	forget(r)
	ruleRepairs(r)
	for _, t := range sorted(r.hits) {
		if t.copies() && t.res.clean() && len(c.Repairs) == 0 && slices.Contains(changed(r.base.snap, t.snap), c.At.File) {
			vouched := c.At.File != r.base.snap.Primary // nothing is left of the main file to compare the new one with
			c.Repairs = append(c.Repairs, r.offer(t, vouched && !t.lossy && r.doubt(t) == ""))
			c.Means = "Its content can be rebuilt from the other files."
		}
	}
	return told
}

// explained tells whether every error and warning belongs to a cause.
func (g *Diagnosis) explained() bool {
	for i := range g.Findings {
		if g.By[i] < 0 && g.Findings[i].Grade() != model.Note {
			return false
		}
	}
	return len(g.Causes) > 0
}

// explain gives a finding to the last cause.
func (g *Diagnosis) explain(i int) {
	g.By[i] = len(g.Causes) - 1
	c := g.Causes[g.By[i]]
	c.Explains = append(c.Explains, i)
}

// here translates findings of a search into findings of the diagnosis, which lists those of the original document.
func (g *Diagnosis) here(r *search, list []int) (out []int) {
	if !r.after {
		return list
	}
	want := map[string]bool{}
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
	for _, c := range told {
		if slices.ContainsFunc(g.Causes, func(o *Cause) bool { return o.Text == c.Text }) {
			continue
		}
		about := g.here(r, c.Explains)
		c.Explains = nil
		g.Causes = append(g.Causes, c)
		for _, i := range about {
			if g.By[i] < 0 {
				g.explain(i)
			}
		}
	}
}

// orSave is the advice to salvage; it is given if something is left.
const orSave = ", or save the intact data"

// saves says how much of a truncated document is left, and removes the advice to save it if nothing is.
func (g *Diagnosis) saves(ctx context.Context) {
	offered := func(c *Cause) bool { return c.torn || strings.Contains(c.Means, orSave) }
	if g.Format == nil || g.Format.Salvage == nil || !g.Deep || !slices.ContainsFunc(g.Causes, offered) {
		return
	}
	left, err := model.Salvage(ctx, g.Tree)
	if err != nil && ctx.Err() == nil {
		for _, c := range g.Causes {
			c.Means = strings.Replace(c.Means, orSave, "", 1)
		}
	}
	if err != nil {
		return
	}
	for _, c := range g.Causes {
		if c.torn && c.Grade == Proven && len(c.Repairs) > 0 && c.Repairs[0].Loses == "" {
			c.Means = "The first repair restores what is missing."
		} else if c.torn && c.Grade < Proven && left.Contents() != "" {
			c.Means = "The missing bytes are not in this file: download or copy it again" + orSave + ": " + left.Contents() + "."
		}
	}
}

// oddities drops unproven causes that explain only warnings while an error remains unexplained: they are not why the file
// does not load.
func (g *Diagnosis) oddities(r *search) {
	grave := func(want int) bool {
		for i := range g.Findings {
			if g.By[i] == want && g.Findings[i].Grade() == model.Error {
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
		g.Causes = slices.Delete(g.Causes, k, k+1)
		for i, by := range g.By {
			if by == k {
				g.By[i] = -1
			} else if by > k {
				g.By[i]--
			}
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
