package cause

import (
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
	r := &search{ctx: ctx, all: ctx, o: o, front: maxTransform, lists: &model.Listings{}}
	if d.Remote() {
		r.o.Large, r.front = min(o.Large, remoteLarge), remoteLarge
		o = r.o
	}
	r.bytes = amount(ctx, d, o.Large)
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
	r.found = g.Findings
	if r.protected(g, d) || g.splits(r) {
		g.number()
		g.lead()
		return g, ctx.Err()
	}
	r.found = g.Findings
	if d.Format != nil && unusual(r) {
		return g, nil // what is merely unusual may be intended
	}
	if sealed(ctx, g) {
		return g, ctx.Err()
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

// unusual tells whether nothing is worth a search: there are no errors, and warnings only if they are not to be explained. Those about bytes after the end are
// if a piece is repeated inside.
func unusual(r *search) bool {
	errors, warnings := r.base.count[model.Error], r.base.count[model.Warning]
	r.odd = r.o.Warnings || errors == 0 && warnings > 0 && endDoubled(r)
	return errors == 0 && (!r.odd || warnings == 0)
}

// sealed tells whether nothing can be read, and every error may be that of a wrong key: then bytes that do not decrypt say nothing about damage.
func sealed(ctx context.Context, g *Diagnosis) bool {
	return !slices.ContainsFunc(g.Findings, func(f model.Finding) bool { return f.Grade() == model.Error && f.Needs == nil }) &&
		slices.ContainsFunc(g.Findings, func(f model.Finding) bool { return f.Needs != nil }) && len(g.Tree.Tables(ctx)) == 0
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
	g.stand(false)
	g.Cut = g.Cut || r.late() // many parts of the search skip what they have no time for
	g.saves(ctx)
	r.o.Purse.giveBack(had, r.spend)
}

// amount is how much there is to read: the size of all files that the tree knows; in a store, where reading may cost money, of all that are there.
func amount(ctx context.Context, d *model.Document, most int64) (n int64) {
	t := d.Tree
	if d.Remote() {
		_, size := t.Stored(ctx)
		if n = size; size < 0 {
			n = most + 1
		}
		return n
	}
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

// maxCauses is how many independent causes are looked for.
const maxCauses = 4

// causes looks for one cause after the other: each search starts from what the previous repair leaves.
func (r *search) causes(g *Diagnosis) {
	first := r.base
	var origin *search // of the present state, once a cause has been found that is not proven
	for range maxCauses {
		top := r.cause(g, first)
		whole := top != nil && top.whole()
		if top == nil {
			top = r.back
		}
		if top == nil || top.res.clean() || r.ctx.Err() != nil || r.spend.over(1) {
			return
		}
		moved := movedIn(r.ctx, r.base.snap, top.res.snap)
		if whole {
			moved = changed(r.base.snap, top.res.snap)
		}
		if origin == nil && g.Causes[len(g.Causes)-1].Grade < Proven {
			was := *r
			origin = &was
		}
		next := &search{ctx: r.ctx, all: r.all, o: r.o, bytes: r.bytes, deep: r.deep, front: r.front, spend: r.spend, lists: r.lists, odd: r.odd, before: r.before + 1, after: true, first: first, guess: origin, spoiled: r.spoiled}
		if next.start(top.res.snap, r.base.format) != nil || next.base.tree == nil || blames(next, moved) {
			return
		}
		*r = *next
	}
}

// moves tells whether bytes of a file are elsewhere in it after a change.
func moves(ctx context.Context, was, is *model.Snapshot) bool { return len(movedIn(ctx, was, is)) > 0 }

// movedIn are the files in which a change moves bytes. What is only longer or shorter at its end has them where they were.
func movedIn(ctx context.Context, was, is *model.Snapshot) []string {
	return slices.DeleteFunc(changed(was, is), func(name string) bool {
		a, b, ok := both(was, is, name)
		return !ok || a.Len() == b.Len() || firstDifference(ctx, a, b, 0) >= min(a.Len(), b.Len())
	})
}

// blames tells whether an error is in one of some files: if their bytes moved, the places of its causes would not be those of the original document.
func blames(r *search, files []string) bool {
	return len(files) > 0 && slices.ContainsFunc(r.found, func(f model.Finding) bool {
		return f.Grade() == model.Error && slices.Contains(files, placeOf(r.base.tree, &f).File)
	})
}

// cause adds the next cause, for findings of the first state, and returns its trial; nil if there is nothing more to
// find.
func (r *search) cause(g *Diagnosis, first *verdict) *trial {
	forget(r)
	r.subjects = nil
	saidRepairs(r)
	told := r.wholes()
	rank := &ranking{search: r}
	if provenFirst(r, told) {
		if told = rebuildFirst(r, told); !saidElsewhere(r, told) {
			g.tell(r, told)
			return nil
		}
	} else {
		told = rank.inside(told)
	}
	g.Cut = g.Cut || rank.cut
	c, top := rank.best()
	if c == nil && len(told) == 0 {
		told = unrestorable(r)
	}
	if c == nil || slices.ContainsFunc(told, func(c *Cause) bool { return c.other }) || r.holds("traces", r.traces(told, top)) {
		g.tell(r, told)
		return nil
	}
	told = rank.way(told, c, top)
	loses := !top.whole() && (top.lossy || hidesLoss(rank, top))
	if !top.whole() {
		g.tell(r, r.besides(told, top, loses))
	}
	if r.holds("told, and the best hides or loses", loses && len(told) > 0) {
		return nil
	}
	g.explainedBy(r, c, top.res, first)
	g.stand(top.res.clean())
	return top
}

// provenFirst tells whether it is proven what happened to a file as a whole.
func provenFirst(r *search, told []*Cause) bool {
	return len(told) > 0 && told[0].Grade == Proven && (len(told[0].Explains) > 0 || told[0].At.File == r.base.snap.Primary)
}

// saidElsewhere tells whether rules say what happened to other files than the one that a proven cause is about, and drops all other trials.
func saidElsewhere(r *search, told []*Cause) bool {
	r.hits = slices.DeleteFunc(r.hits, func(t *trial) bool {
		return t.fix == nil || t.fix.Says == "" || t.lossy || t.res.fresh(r.base, model.Error) > 0
	})
	remark(r)
	return len(r.hits) > 0 && told[0].At.File != r.base.snap.Primary && r.elsewhere(told)
}

// inside tries what may be wrong inside the files unless a change to a whole file makes everything whole, and returns the causes that cannot be
// undone and are still believed.
func (r *ranking) inside(told []*Cause) []*Cause {
	if slices.ContainsFunc(r.hits, func(t *trial) bool { return t.at.File == r.base.snap.Primary && (t.exact || r.unheads(t)) }) {
		return told // everything in it was read at a wrong place
	}
	if top := r.healed(); r.base.format != nil && (top == nil || !top.res.clean()) {
		r.parts(slices.ContainsFunc(told, func(c *Cause) bool { return !c.guess }) && !r.elsewhere(told)) // guessing is pointless where bytes are known to be lost
	}
	if top := r.healed(); (top == nil || !top.res.clean()) && !slices.ContainsFunc(r.hits, (*trial).saysAll) {
		r.guesses()
	}
	told = r.sure(told)
	dropDishonest(r, told)
	return told
}

// saysAll tells whether a rule says what happened, and its repair is the only answer and leaves no error: nothing is left to guess.
func (t *trial) saysAll() bool {
	return t.fix != nil && t.fix.Says != "" && t.safe && !t.lossy && t.res.clean()
}

// elsewhere tells whether there is an error that such causes do not explain.
func (r *search) elsewhere(told []*Cause) bool {
	in := map[int]bool{}
	for _, c := range told {
		for _, i := range c.Explains {
			in[i] = true
		}
	}
	for i := range r.found {
		if r.found[i].Grade() == model.Error && !in[i] {
			return true
		}
	}
	return false
}

// besides are the causes that are told beside a repair: all if it loses data or leaves errors, otherwise those whose problems all stay.
func (r *search) besides(told []*Cause, t *trial, loses bool) (out []*Cause) {
	for _, c := range told {
		gone := len(c.Explains) == 0 || slices.ContainsFunc(c.Explains, func(i int) bool { return t.res.fewer(key(&r.found[i]), r.base) })
		if loses || !t.res.clean() || !gone {
			out = append(out, c)
		}
	}
	return out
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
	r.cut = r.fields(r.strict || lost)
}

// traces tells whether the best trial is about a symptom of a known cause: of lost bytes, or of a missing file that some error is about. What a checksum decides
// is a symptom of nothing.
func (r *search) traces(told []*Cause, top *trial) bool {
	if top.whole() || top.solved && top.res.problems() < r.base.problems() {
		return false
	}
	gone := slices.ContainsFunc(told, func(c *Cause) bool { return c.gone && isGrave(r, c) })
	return top.op != makeRepair && gone || !(top.op == makeRepair && top.copies() || (top.op == makeRepair || top.safe || top.kind == derived) && top.res.clean()) && isLost(r, top.at.File, top.at.Off) || len(told) > 0 && r.base.problems() <= top.res.problems()
}

// isGrave tells whether a cause explains an error.
func isGrave(r *search, c *Cause) bool {
	return slices.ContainsFunc(c.Explains, func(i int) bool { return r.found[i].Grade() == model.Error })
}

// rebuildFirst offers to rebuild the first file that is something else altogether from the files beside it. Once the main file is, nothing
// else is told: it would be about bytes that do not belong to the file.
func rebuildFirst(r *search, told []*Cause) []*Cause {
	c := told[0]
	if c.At.File == r.base.snap.Primary {
		told = told[:1]
	}
	if r.base.format == nil {
		return told
	}
	forget(r)
	ruleRepairs(r)
	for _, t := range sorted(r.hits) {
		again := t.copies() || t.safe && !t.lossy && c.At.File != r.base.snap.Primary // a repair of the main file may keep some of it
		if again && t.res.fresh(r.base, model.Error) == 0 && len(c.Repairs) == 0 && slices.Contains(changed(r.base.snap, t.snap), c.At.File) {
			vouched := c.At.File != r.base.snap.Primary && t.res.clean() // nothing is left of the main file to compare the new one with
			c.Repairs = append(c.Repairs, r.offer(t, vouched && !t.lossy && r.doubt(t) == ""))
			c.Means = "Its content can be rebuilt from the other files."
		}
	}
	return told
}
