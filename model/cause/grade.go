package cause

import (
	"cmp"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/model/evidence"
)

// How certain a cause is, and the evidence for it.

// lower gives a cause the grade it deserves regardless of its margin, and adjusts its words.
func (r *ranking) lower(c *Cause, top *trial, margin evidence.Bits) {
	whole := rests(r, top)
	errors, remain := explained(c.Ledger, c.Story, whole, false)
	gone, left := explained(c.Ledger, c.Story, whole, true)
	much := remain > errors/2 || left > gone/2
	guess := top.field != nil && top.kind < derived && !top.res.clean() // errors remain that it does not explain: it is just a number that fits some of the bytes
	vague := guess && (margin < evidence.ProvenMargin || much || top.res.fresh(r.base, model.Error) > 0) || c.Grade > Possible && r.misleads(top)
	crowded := left > gone && !reveals(r.search, top)
	if !vague && crowded && c.Grade > Possible {
		c.crowded = c.Text
	}
	if vague || crowded {
		c.Grade, c.Text = Possible, cmp.Or(top.maybe, c.Text)
	}
	if top.fix != nil && top.fix.Foreign {
		c.Grade, c.Story.Without = Possible, "the bytes may be what the writer intended"
	}
	if c.Grade == Proven {
		r.object(c, top, much)
	} else if top.op == trimFile && top.maybe != "" && r.doubt(top) == insertedToo {
		c.Means, c.Text = insertedTooMeans, top.maybe
	}
}

// misleads tells whether the number that a trial sets is no evidence, though everything fits with it: it covers other structures, or is in one that is misread.
func (r *ranking) misleads(t *trial) bool {
	return t.field != nil && (swallows(r.search, t) || r.holds("misread", misread(t)))
}

const (
	notProven    = "not proven: "
	errorsRemain = "many errors would remain"
	bytesLost    = "bytes are lost, which may make other bytes seem wrong"
)

// object lowers the grade of a cause that the ledger calls proven if anything speaks against that, and says so; much means that many errors would remain.
func (r *ranking) object(c *Cause, top *trial, much bool) {
	chosen, unsound := r.chosen(top), ""
	if much {
		unsound = errorsRemain
	}
	other := cmp.Or(r.objects("chosen: "+chosen, chosen), r.doubt(top))
	why := cmp.Or(other, r.objects("unsound", unsound))
	if why == "" {
		return
	}
	c.unprove(why)
	c.beside = other == ""
	switch f := r.doubted(top); {
	case why == insertedToo:
		c.Means, c.Text = insertedTooMeans, cmp.Or(top.maybe, c.Text)
	case why == partsLeft:
		c.Text = cmp.Or(top.maybe, c.Text)
	case f != nil && f.Message != "":
		c.Text = sentence(f.Text())
	}
}

// unprove lowers the grade of a cause that the ledger calls proven; why is the objection.
func (c *Cause) unprove(why string) {
	if c.Grade < Proven {
		return
	}
	c.Grade, c.Story.Without = Likely, why
	c.Evidence = append(c.Evidence, notProven+why)
	for _, x := range c.Repairs {
		x.Safe = false
	}
}

// stand judges causes again, once what they leave unexplained has causes of its own: several events happened to the file, each of which stands by itself. Those
// that were less than likely only because they explain less than what remained become likely, also if another cause tells what happened to all of
// that and it cannot be undone. Those that were not proven only because many errors would
// remain become proven if every other cause is at least likely and loses nothing, so that the document is clean after their repairs.
func (g *Diagnosis) stand(clean bool) {
	for _, c := range g.Causes {
		if c.crowded != "" && (clean || g.accounted()) {
			c.Grade, c.Text = Likely, c.crowded
		}
	}
	if !clean || slices.ContainsFunc(g.Causes, func(c *Cause) bool { return c.Grade < Likely || len(c.Repairs) == 0 || c.Repairs[0].Loses != "" }) {
		return
	}
	for _, c := range g.Causes {
		if c.beside && !strings.HasSuffix(c.Repairs[0].Label, withPrevious) {
			c.Grade, c.Story.Without, c.Repairs[0].Safe = Proven, "", true
			c.Evidence = slices.DeleteFunc(c.Evidence, func(e string) bool { return e == notProven+errorsRemain })
		}
	}
}

// accounted tells whether every error belongs to a cause that is at least likely, or would be but for what the others explain.
func (g *Diagnosis) accounted() bool {
	for i := range graded(g.Findings, model.Error) {
		if by := g.By[i]; by < 0 || g.Causes[by].Grade < Likely && g.Causes[by].crowded == "" {
			return false
		}
	}
	return len(g.Causes) > 1
}

// settled tells whether the value that a trial gives a field is independent of other damage: it is the only value the format allows, or
// two witnesses agree on it and none disagrees. A number that is erased is wrong for sure, so that one is enough; one in the wrong byte order is a witness itself.
func settled(r *search, t *trial) bool {
	v, ok := t.value()
	if !ok || t.kind < derived {
		return false
	}
	only := t.field.span.Field.Safe
	with, against := r.clues.backing(t)
	least := 2 - evidence.Disfigured(t.field.raw, t.raw)
	return only.Kind != model.None && only.Equal(v) || len(with) >= least && len(against) == 0
}

// explained is the cost in bits of the problems that a story removes, and of those it leaves, which cast doubt on its evidence: errors, with odd also
// what no known writer writes. Both are 0 if that evidence is known to be intact.
func explained(l *evidence.Ledger, s *evidence.Story, whole, odd bool) (gone, left evidence.Bits) {
	null := slices.IndexFunc(l.Stories, func(o *evidence.Story) bool { return o.Leads == asItIs })
	if null < 0 || whole {
		return 0, 0
	}
	left = s.Wrong(odd)
	return l.Stories[null].Wrong(odd) - left, left
}

// rests tells whether the evidence of a trial is known to be intact, by a checksum for instance.
func rests(r *ranking, t *trial) bool {
	return t.op == unpackFile || t.solved || t.exact || t.shifts && t.copies() || settled(r.search, t)
}

// leastExplained: a story that leaves more than this many times the cost it removes is not reported, because something else is the reason for most of the
// problems, and probably for those it explains too.
const leastExplained = 4

// chosen says why other bytes than those of a trial might fit as well, though no other story was tried; "" if they are the only ones.
func (r *ranking) chosen(t *trial) string {
	switch {
	case t.lossy:
		return "it loses data"
	case t.field != nil && t.kind < derived && r.base.format != nil && r.base.count[model.Error] == 0:
		return "every reader accepts the unchanged file, and nothing shows what the number should be"
	case t.copies() && t.res.clean() && r.base.count[model.Error] > 0:
		if to, err := r.reach(t); err == nil && (t.fix.Witnessed || t.shifts || r.overwrites(to) <= maxRewrite) {
			return ""
		}
		return "it overwrites much of the existing data"
	case t.op == makeRepair && !t.safe:
		return "other bytes would fit equally well"
	case r.cut && t.kind < derived && !t.whole(), r.late() && !rests(r, t) && t.res.problems() > 0:
		return "the search was not exhaustive"
	case t.unsure:
		return "something else may have happened"
	case neighboursWiped(r, t):
		return "the neighbouring bytes have the same value and may be lost"
	case len(r.lost) > 0 && !t.res.clean():
		return bytesLost
	case r.doubted(t) != nil:
		return "the other side of the comparison may be wrong instead"
	}
	return ""
}

// doubted is a finding that admits that its other side may be wrong, if only such findings support the value that a trial gives a field; or nil.
func (r *ranking) doubted(t *trial) (doubts *model.Finding) {
	if _, ok := t.value(); !ok {
		return nil
	}
	if with, _ := r.clues.backing(t); len(with) > 0 {
		return nil
	}
	for _, f := range graded(r.found, model.Warning) {
		if !t.res.fewer(key(f), r.base) {
			continue
		}
		if f.Span == nil || f.Span.Range != t.field.span.Range || !f.Doubt || f.Sum != nil { // nearly the same sum is no coincidence
			return nil
		}
		doubts = f
	}
	return doubts
}

// shownThen precedes a problem that only a repair shows.
const shownThen = "a problem that was hidden shows then: "

// evidence says in a few words what supports a trial.
func (r *ranking) evidence(t *trial, rivals []*trial) (out []string) {
	gone := r.base.problems() - t.res.problems()
	switch {
	case r.base.format == nil:
		out = append(out, "the rest is read as "+t.format.Title)
	case t.res.clean() && r.base.problems() > 1:
		out = append(out, "no errors remain")
	case gone > 0 && !t.res.clean():
		out = append(out, model.Count(int64(gone), "problems disappear"))
	}
	with, _ := r.clues.backing(t)
	out = append(out, with...)
	if len(rivals) == 0 && t.kind <= near && t.field != nil {
		out = append(out, "no other change tried fits as well")
	}
	if len(rivals) > 0 {
		out = append(out, model.Count(int64(len(rivals)), "other changes fit as well"))
	}
	return out
}

// hidden are the warnings that show only after a trial with which a file can be read again, but for those that the evidence already names.
func hidden(r *ranking, t *trial, evidence []string) (out []string) {
	if !t.res.clean() || !reveals(r.search, t) {
		return nil
	}
	for _, c := range t.res.checks.list(false) {
		if !slices.ContainsFunc(evidence, func(s string) bool { return strings.HasSuffix(s, c.What) }) {
			out = append(out, shownThen+c.What)
		}
	}
	return out
}

// unrepeated drops entries that another one repeats in more detail.
func unrepeated(list []string) []string {
	var out []string
	for i, s := range list {
		if !slices.ContainsFunc(list[:i], func(o string) bool { return strings.HasPrefix(o, s) }) {
			out = append(out, s)
		}
	}
	return out
}
