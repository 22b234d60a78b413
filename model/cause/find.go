package cause

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"spandrel/model"
)

// Find diagnoses a document. It reads the tree of d, which may be shown meanwhile, and changes nothing. It stops when ctx ends,
// with an error, or when the time of the options is over, with the best so far.
func Find(ctx context.Context, d *model.Document, o Options) (*Diagnosis, error) {
	if o.Time == 0 {
		o.Time = DefaultTime
	}
	if o.Large == 0 {
		o.Large = DefaultLarge
	}
	r := &search{ctx: ctx, o: o}
	r.deep = o.Deep || r.bytes(d.Tree) <= o.Large
	if err := r.start(d.Tree.Snapshot, d.Format); err != nil {
		return nil, err
	}
	g := &Diagnosis{Tree: r.base.tree, Format: d.Format, Deep: r.deep}
	if d.Format == nil {
		g.Tree = d.Tree
		r.unknown(d)
	}
	g.Findings, g.Omitted = r.found, nil
	if d.Format != nil {
		g.Findings, g.Omitted = r.base.tree.Findings()
	}
	g.order()
	r.found = g.Findings
	if d.Format != nil && r.base.count[model.Error]+r.base.count[model.Warning] == 0 {
		return g, nil
	}
	r.until = time.Now().Add(o.Time)
	limited, stop := context.WithTimeout(ctx, o.Time+o.Time*3/2) // what was begun may end
	defer stop()
	r.ctx = limited
	r.causes(g, d)
	g.number()
	g.lead()
	return g, ctx.Err()
}

// bytes is how much there is to read: all files that the tree knows.
func (r *search) bytes(t *model.Tree) (n int64) {
	for _, s := range t.Spaces() {
		if !s.Derived() {
			if k, err := t.Size(r.ctx, s.ID); err == nil {
				n += k
			}
		}
		if n > r.o.Large {
			break
		}
	}
	return n
}

// unknown makes the finding of a file that no format takes, with the reason of each.
func (r *search) unknown(d *model.Document) {
	var why []string
	for _, c := range d.Candidates {
		if c.Reason != "" {
			why = append(why, c.Format.Name+": "+c.Reason)
		}
	}
	r.found = []model.Finding{{Rule: model.RuleUnknown, Span: d.Tree.Root, Found: opening(r.ctx, d.Tree), Expected: strings.Join(why, "; ")}}
	r.base.keys[key(&r.found[0])]++
	r.base.count[model.Error]++
	r.base.tree = d.Tree
}

// order sorts findings by place, as they are printed.
func (g *Diagnosis) order() {
	slices.SortStableFunc(g.Findings, func(a, b model.Finding) int { // whichever worker found it first
		return cmp.Or(g.Tree.Order(a.Where(), b.Where()), strings.Compare(a.Rule.ID, b.Rule.ID))
	})
	g.By = make([]int, len(g.Findings))
	for i := range g.By {
		g.By[i] = -1
	}
}

// maxCauses is how many causes that have nothing to do with each other are looked for.
const maxCauses = 4

// causes looks for causes until nothing gets better: of what the first leaves, the next.
func (r *search) causes(g *Diagnosis, d *model.Document) {
	first := r.base
	for range maxCauses {
		r.hits = nil
		told := r.wholes()
		if len(told) > 0 && told[0].Grade == Proven && (len(told[0].Explains) > 0 || told[0].At.File == r.base.snap.Primary) {
			g.tell(told)
			return
		}
		top := r.healed()
		var brute map[*suspect]bool
		cut := false
		if r.base.format != nil && r.base.tree != nil && top == nil {
			r.prepare()
			r.sums()
			r.repairs()
			if brute, cut = r.fields(); cut {
				g.Cut = true
			}
		}
		if len(r.hits) == 0 {
			g.tell(told)
			return
		}
		c, best := r.pick(cut, brute)
		top = best
		if !top.whole && (!top.res.clean() || r.hides(top)) {
			if len(told) > 0 && c.Grade > Possible && top.kind < derived {
				c.Grade = Possible
				c.Repairs[0].Safe = false
			}
			g.tell(told)
		}
		g.Causes = append(g.Causes, c)
		for i := range g.Findings {
			if g.By[i] < 0 && top.res.keys[key(&g.Findings[i])] < first.keys[key(&g.Findings[i])] {
				g.explain(i)
			}
		}
		if top.whole || top.snap != nil || top.res.clean() || r.late() {
			return
		}
		for _, p := range top.patches {
			if int64(len(p.with)) != p.del {
				return // what follows moved
			}
		}
		next := &search{ctx: r.ctx, o: r.o, deep: r.deep, until: r.until}
		if next.start(top.res.snap, r.base.format) != nil || next.base.tree == nil {
			return
		}
		*r = *next
	}
}

// explain gives a finding to the last cause.
func (g *Diagnosis) explain(i int) {
	g.By[i] = len(g.Causes) - 1
	c := g.Causes[g.By[i]]
	c.Explains = append(c.Explains, i)
}

// tell adds causes that cannot be undone. They explain what lies in their files and nobody else explains.
func (g *Diagnosis) tell(told []*Cause) {
	for _, c := range told {
		about := c.Explains
		c.Explains = nil
		g.Causes = append(g.Causes, c)
		for _, i := range about {
			if g.By[i] < 0 {
				g.explain(i)
			}
		}
	}
}

// pick makes a cause of the best trials.
func (r *search) pick(cut bool, brute map[*suspect]bool) (*Cause, *trial) {
	all := sorted(r.hits)
	top := all[0]
	var rivals []*trial
	for _, t := range all[1:] {
		if t.rivals(top) && !r.sameBytes(t, top) {
			rivals = append(rivals, t)
		}
	}
	rivals = r.lead(&top, rivals)
	c := &Cause{Grade: Possible, Text: top.text, Means: top.means, Evidence: top.evidence, At: top.at}
	if len(rivals) == 0 && !top.lossy {
		c.Grade = Likely
		if r.proves(top, cut, brute) {
			c.Grade = Proven
		}
	}
	c.Evidence = append(c.Evidence, r.evidence(top, rivals)...)
	if c.Means == "" {
		c.Means = means(top, r.base)
	}
	c.Repairs = append(c.Repairs, r.offer(top, c.Grade == Proven && !top.lossy))
	seen := map[string]bool{top.label: true}
	for _, t := range append(rivals, r.others(all, top)...) {
		if len(c.Repairs) < 6 && !seen[t.label] && t.label != "" {
			seen[t.label] = true
			c.Repairs = append(c.Repairs, r.offer(t, false))
		}
	}
	slices.SortStableFunc(c.Repairs, func(a, b *Repair) int { return b2i(a.Loses != "") - b2i(b.Loses != "") })
	return c, top
}

// rivals tells whether a trial is as good as the best one: as much is whole then, or what speaks for it is more though a warning is left.
// Many changes are no rival of few.
func (t *trial) rivals(top *trial) bool {
	a, b := t.res, top.res
	if a.count[model.Error] != b.count[model.Error] || t.lossy && !top.lossy || len(t.patches) >= 4*max(1, len(top.patches)) && t.snap == nil {
		return false
	}
	if t.whole && top.whole {
		return t.kind >= top.kind && (top.drops || !t.drops)
	}
	if t.kind > top.kind || len(t.patches) < len(top.patches) && t.snap == nil {
		return true
	}
	return a.count[model.Warning] == b.count[model.Warning] && a.gap <= b.gap
}

// others returns trials that make it better though not as good, of other fields: choices.
func (r *search) others(all []*trial, top *trial) (out []*trial) {
	for _, t := range all {
		if t.kind == derived && len(out) < 3 && t != top {
			out = append(out, t)
		}
	}
	return out
}

// sameBytes tells whether two trials lead to the same file.
func (r *search) sameBytes(a, b *trial) bool {
	if a.snap == nil && b.snap == nil {
		return len(a.patches) == 1 && len(b.patches) == 1 && a.patches[0].file == b.patches[0].file && a.patches[0].off == b.patches[0].off &&
			string(a.patches[0].with) == string(b.patches[0].with)
	}
	x, err := r.reach(a)
	if err != nil {
		return false
	}
	y, err := r.reach(b)
	return err == nil && same(x, y)
}

// lead puts the field in front of which most speaks among trials that come to the same, and returns the rest.
func (r *search) lead(top **trial, rivals []*trial) []*trial {
	all := append([]*trial{*top}, rivals...)
	weight := func(t *trial) (n int) {
		if t.lossy {
			return -100
		}
		if n = 3 * int(t.kind); t.repair {
			n = 2
		}
		if t.field != nil {
			if closeTo(t.field.raw, t.raw) {
				n += 5
			}
			if v, _, err := t.field.span.Field.Codec.Decode(t.raw); err == nil {
				with, against := r.witnesses(t.field, v)
				n += 10 * (len(with) - len(against))
			}
		}
		return n - len(t.patches)
	}
	slices.SortStableFunc(all, func(a, b *trial) int { return weight(b) - weight(a) })
	*top = all[0]
	return all[1:]
}

// proves tells whether a trial that nothing else comes up to is proven: it leaves no error that is not there without it, loses
// nothing, does not make the evidence of a cut go away, and its value was either derived or the only one of all.
func (r *search) proves(t *trial, cut bool, brute map[*suspect]bool) bool {
	if t.lossy || t.unsure || t.res.fresh(r.base, model.Error) > 0 || cut && t.kind < derived && !t.whole {
		return false
	}
	if r.own(t) {
		return !r.hides(t)
	}
	if r.base.count[model.Error] > 0 && t.res.count[model.Error] >= r.base.count[model.Error] {
		return false
	}
	if t.whole {
		return t.res.clean() || t.res.count[model.Error]*4 < r.base.count[model.Error]
	}
	if t.field != nil && t.kind < derived && t.res.fresh(r.base, model.Warning) > 0 && t.lowers() {
		return false
	}
	if t.field == nil && len(t.patches) > 2 && !t.safe {
		return false
	}
	if t.repair && (!t.safe || r.base.count[model.Error] == 0) || t.kind < derived && r.base.count[model.Error] == 0 {
		return false
	}
	if t.res.gap > r.base.gap {
		return false
	}
	if !t.res.clean() && (t.kind < legal || t.res.count[model.Error] >= r.base.count[model.Error]) {
		return false
	}
	if t.kind == tried && !brute[t.field] {
		return false
	}
	return !r.hides(t) || r.summing(t)
}

// own tells whether a trial writes the one value that the format calls the only answer for what is wrong with the field itself: other
// errors of the document have nothing to do with it.
func (r *search) own(t *trial) bool {
	if t.field == nil || t.kind < derived {
		return false
	}
	for i := range r.found {
		f := &r.found[i]
		if f.Span == nil || f.Span.Range != t.field.span.Range || t.res.keys[key(f)] >= r.base.keys[key(f)] {
			continue
		}
		if x := r.base.tree.Safe(f, r.base.tree.Fixes(r.ctx, f)); x != nil {
			if p := r.single(x); p != nil && string(p.with) == string(t.raw) {
				return true
			}
		}
	}
	return false
}

// summing tells whether a checksum that differs agrees after a trial.
func (r *search) summing(t *trial) bool {
	for i := range r.found {
		if f := &r.found[i]; f.Span != nil && r.summed[[2]int64{int64(f.Span.Range.Space), f.Span.Range.Off}] && t.res.keys[key(f)] < r.base.keys[key(f)] {
			return true
		}
	}
	return false
}

// lowers tells whether a trial makes a number smaller.
func (t *trial) lowers() bool {
	is, _, err := t.field.span.Field.Codec.Decode(t.raw)
	return err != nil || is.Uint() < t.field.value.Uint()
}

// evidence says in a few words what speaks for a trial.
func (r *search) evidence(t *trial, rivals []*trial) (out []string) {
	gone := r.base.count[model.Error] + r.base.count[model.Warning] - t.res.count[model.Error] - t.res.count[model.Warning]
	switch {
	case r.base.format == nil:
		out = append(out, "what is left is read as "+t.format.Title)
	case t.res.clean():
		out = append(out, "the file has no error then")
	case gone > 0:
		out = append(out, fmt.Sprintf("%d problems go away with it", gone))
	}
	if t.field != nil {
		if v, _, err := t.field.span.Field.Codec.Decode(t.raw); err == nil {
			with, _ := r.witnesses(t.field, v)
			out = append(out, with...)
		}
	}
	if len(rivals) == 0 && t.kind <= near && t.field != nil {
		out = append(out, "nothing else that was tried does as well")
	}
	if len(rivals) > 0 {
		out = append(out, fmt.Sprintf("%d other changes do as well", len(rivals)))
	}
	return out
}

// means says what a cause means for the user.
func means(t *trial, base *verdict) string {
	n := base.count[model.Error] + base.count[model.Warning]
	left := t.res.count[model.Error] + t.res.count[model.Warning]
	switch {
	case left == 0 && n == 1:
		return "It is the only thing that is wrong."
	case left == 0:
		return fmt.Sprintf("All %d problems come from it.", n)
	}
	return fmt.Sprintf("%d of %d problems come from it.", n-left, n)
}

// number counts the repairs through.
func (g *Diagnosis) number() {
	n := 0
	for _, c := range g.Causes {
		for _, x := range c.Repairs {
			n++
			x.Number = n
		}
	}
}

// lead puts the findings at the places of causes in front of the others, and what causes explain in front of what they do not.
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
