package cause

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/model/evidence"
)

// Which of the hits is the cause: the one whose story costs least. Its grade follows from the margin to the next one.

// ranking orders the trials that improved the document.
type ranking struct {
	*search
	cut bool // time ran out before everything was tried
}

// pick is the trial that the ledger prefers.
type pick struct {
	all    []*trial // the cheapest first
	ledger *evidence.Ledger
	of     map[*trial]*evidence.Story
	whole  *trial // the cheapest: the margin belongs to it
	top    *trial // the same, or the first part of it that helps by itself and is as certain
	rivals []*trial
}

// best is the cause that the ledger prefers, with the other repairs; nil if there is none, or the story that nothing happened explains the bytes better.
func (r *ranking) best() (*Cause, *trial) {
	if len(r.hits) == 0 {
		return nil, nil
	}
	p := r.pick()
	c := &Cause{Text: p.top.text, Means: p.top.means, Evidence: slices.Clone(p.top.evidence), At: p.top.at, whole: p.top.whole(), Ledger: p.ledger, Story: p.of[p.top]}
	c.Grade = Grade(p.ledger.Grade(p.of[p.whole]))
	if r.doubtful(p, c.Grade) {
		return nil, p.top
	}
	r.describe(c, p)
	r.lower(c, p.top, p.ledger.Margin(p.of[p.whole]))
	if lost := alsoAsText(r.search, p.top); lost != "" {
		c.Text += " " + lost
		c.Means = "So did others, whose values cannot be recovered: download or copy the file again."
	}
	cutAsWell(r, c, p.top)
	c.Evidence = unrepeated(append(c.Evidence, r.evidence(p.top, p.rivals)...))
	c.Evidence = append(c.Evidence, hidden(r, p.top, c.Evidence)...)
	c.Repairs = append(c.Repairs, r.offer(p.top, c.Grade == Proven && !p.top.lossy))
	r.alternatives(c, p)
	return c, p.top
}

// pick weighs all trials that improved the document.
func (r *ranking) pick() *pick {
	p := r.order(withoutHalves(sorted(r.hits)))
	for n := 0; n < maxRivals && p.unswallowed(r); n++ {
		p = r.order(p.all)
	}
	if q := r.order(r.beside(p.whole)); len(q.all) > 0 && r.holds("apart", r.apart(q.whole, q.ledger.Margin(q.of[q.whole]))) {
		p = q
	}
	p.top = r.part(p)
	for _, t := range p.all {
		if t != p.whole && p.of[t].Leads != p.of[p.top].Leads && p.above(t) < evidence.LikelyMargin {
			p.rivals = append(p.rivals, t)
		}
	}
	return p
}

// unswallowed drops, of the trials that cost little more than the cheapest, guessed lengths with which structures that follow become part of a text. It tells
// whether there were any, beside other trials.
func (p *pick) unswallowed(r *ranking) bool {
	rest := slices.DeleteFunc(slices.Clone(p.all), func(t *trial) bool {
		return t.field != nil && t.kind < derived && p.above(t) < evidence.LikelyMargin && swallows(r.search, t) && r.holds("swallows", true)
	})
	if len(rest) == 0 || len(rest) == len(p.all) {
		return false
	}
	p.all = rest
	return true
}

// above is by how much the story of a trial costs more than the cheapest.
func (p *pick) above(t *trial) evidence.Bits { return p.of[t].Cost() - p.of[p.whole].Cost() }

// doubtful tells whether the preferred trial does not say what happened.
func (r *ranking) doubtful(p *pick, grade Grade) bool {
	if p.ledger.Stories[0].Leads == asItIs || r.holds("unread", p.whole.field != nil && !miswritten(r.search, p.whole) && mostlyUnread(r, p.whole)) {
		return true // most of the file is unexplained whatever that field is
	}
	if r.holds("stranger", !r.opens(p.whole) && r.stranger(p.whole)) {
		return true
	}
	if r.holds("explains little", r.explainsLittle(p, p.top)) {
		return true
	}
	if p.top.kind == derived {
		return false
	}
	return r.holds("too many rivals", len(p.rivals) > maxRivals) || // if so many changes fit, none of them says what happened
		r.holds("a guess cut short", r.cut && grade == Possible && !p.top.res.clean()) // nor does one that leaves problems if not all of its rivals are known
}

// miswritten tells whether a trial corrects one byte of a number that cannot be what it is. Bytes of another kind of file would hardly be so close to a legal value.
func miswritten(r *search, t *trial) bool {
	return len(t.raw) >= 4 && model.Differences(t.field.raw, t.raw) == 1 && slices.ContainsFunc(r.found, func(f model.Finding) bool {
		return f.Span == t.field.span && f.Grade() == model.Error && t.res.fewer(key(&f), r.base)
	})
}

// describe says what happened in other words than those of the trial where the document knows better.
func (r *ranking) describe(c *Cause, p *pick) {
	if x := p.top.fix; x != nil && x.Says != "" {
		c.Text = x.Says
	} else if text, at := r.rewritten(p.top); text != "" {
		c.Text, c.At, c.counted = text, at, strings.HasPrefix(text, headGone)
	} else if f := elsewhere(r.search, p.top); f != nil {
		c.Text, c.At = sentence(f.Text()), placeOf(r.base.tree, f)
	} else if n := r.vanishing(p.top, p.top.rule); n > 1 {
		c.Text = model.Words("In %s places: %s.", model.Thousands(int64(n)), p.top.rule.Title)
	} else if len(p.rivals) > 0 && p.top.maybe != "" {
		c.Text = p.top.maybe
	}
}

// alternatives adds the repairs that may be meant instead.
func (r *ranking) alternatives(c *Cause, p *pick) {
	seen := map[string]bool{p.top.label: true, "": true}
	for _, t := range p.all[1:] {
		if len(c.Repairs) < maxOffered && !seen[t.label] && p.of[t].Leads != p.of[p.top].Leads && p.above(t) < evidence.ProvenMargin && r.meets(t, p.top) {
			seen[t.label] = true
			c.Repairs = append(c.Repairs, r.offer(t, false))
		}
	}
	if p.whole.batch() && p.whole != p.top && !p.whole.lossy && !r.after { // several damages
		c.Repairs = append(c.Repairs, r.offer(p.whole, false))
	}
}

// order weighs trials, and puts the cheapest first.
func (r *ranking) order(all []*trial) *pick {
	p := &pick{all: all}
	p.ledger, p.of = weigh(r, all)
	slices.SortStableFunc(all, func(a, b *trial) int { return cmp.Compare(p.of[a].Cost(), p.of[b].Cost()) })
	if len(all) > 0 {
		p.whole = all[0]
	}
	return p
}

// beside are lossless trials next to a best one that is lossy, or after which bytes are elsewhere: about what it leaves, and, if it is lossy, about numbers that
// it rewrites only because it lays out the file again. They do not repair what the best one is about.
func (r *ranking) beside(top *trial) (out []*trial) {
	if top.op != makeRepair || top.rule == nil {
		return nil
	}
	to, err := r.reach(top)
	if err != nil || !top.lossy && !moves(r.ctx, r.base.snap, to) {
		return nil
	}
	for _, t := range r.hits {
		if t.lossy || t.field == nil && !t.solved || r.vanishing(t, top.rule) > 0 {
			continue
		}
		if r.leaves(top, t) || top.lossy && t.field != nil && t.field.rewrittenIn(to) {
			out = append(out, t)
		}
	}
	return out
}

// rewrittenIn tells whether a field has other bytes in another state, or is not there.
func (f *suspect) rewrittenIn(to *model.Snapshot) bool {
	c, err := to.Content(f.file)
	return err != nil || !bytes.Equal(bytesAt(c, f.off, int64(len(f.raw))), f.raw)
}

// leaves tells whether a trial leaves a problem that another one removes.
func (r *ranking) leaves(t, other *trial) bool {
	for k := range r.base.keys {
		if other.res.fewer(k, r.base) && !t.res.fewer(k, r.base) {
			return true
		}
	}
	return false
}

// apart tells whether a trial with such a margin is a cause of its own.
func (r *ranking) apart(t *trial, margin evidence.Bits) bool {
	return margin >= evidence.ProvenMargin && t.kind == derived && t.res.count[model.Error] < r.base.count[model.Error] && t.res.fresh(r.base, model.Error) == 0 && !hidesLoss(r, t)
}

// mostBytes is more than any file contains: 256 TiB.
const mostBytes = 1 << 48

// stranger tells whether a trial corrects a number in a file that is not recognised as its format even with that number.
func (r *ranking) stranger(t *trial) bool {
	if t.field == nil || t.res.clean() || r.base.format == nil || r.base.format.Detect == nil || r.base.snap.Primary == "" {
		return false
	}
	to, err := r.reach(t)
	if err != nil {
		return false
	}
	for _, s := range []*model.Snapshot{r.base.snap, to} {
		c, err := s.Content(s.Primary)
		if err != nil {
			return false
		}
		if f, _ := r.recognised("file", c); f != nil {
			return false
		}
	}
	return true
}

// maxRivals is how many other changes may fit as well as a guess.
const maxRivals = 16

// maxOffered is how many repairs a person chooses from.
const maxOffered = 6

// part returns the first part of a preferred batch that helps by itself and explains enough to be a cause of its own; a trial that is no batch
// is returned unchanged.
func (r *ranking) part(p *pick) *trial {
	if !r.holds("part of a batch", p.whole.batch()) {
		return p.whole
	}
	i := slices.IndexFunc(p.all, func(t *trial) bool {
		return !t.batch() && !t.lossy && t.res.count[model.Error] < r.base.count[model.Error] && t.res.fresh(r.base, model.Error) == 0 &&
			r.contains(p.whole, t) && !r.explainsLittle(p, t)
	})
	if i < 0 {
		return p.whole
	}
	return p.all[i]
}

// explainsLittle tells whether a trial leaves much more unexplained than it explains.
func (r *ranking) explainsLittle(p *pick, t *trial) bool {
	gone, left := explained(p.ledger, p.of[t], rests(r, t), true)
	return left > leastExplained*gone && !reveals(r.search, t)
}

// batch tells whether a trial combines several independent changes.
func (t *trial) batch() bool {
	return t.op == setValues && t.field == nil && t.fix == nil && len(t.patches) > 1
}

// meets tells whether two trials remove some of the same findings; otherwise they are about different causes.
func (r *ranking) meets(t, other *trial) bool {
	none := true
	for k := range r.base.keys {
		if other.res.fewer(k, r.base) {
			if none = false; t.res.fewer(k, r.base) {
				return true
			}
		}
	}
	return none
}

// contains tells whether a trial makes all the changes of another one, which keeps the length of the file.
func (r *ranking) contains(t, other *trial) bool {
	if len(other.patches) == 0 {
		return false
	}
	snap, err := r.reach(t)
	if err != nil {
		return false
	}
	for _, p := range other.patches {
		was, is, ok := both(r.base.snap, snap, p.file)
		if !ok || is.Len() != was.Len() || p.del != int64(len(p.with)) || !bytes.Equal(bytesAt(is, p.off, p.del), p.with) {
			return false
		}
	}
	return true
}

// sorted puts trials in order, the best first: of those that leave as many errors, those that change less come first.
func sorted(hits []*trial) []*trial {
	out := slices.Clone(hits)
	slices.SortStableFunc(out, func(a, b *trial) int {
		return cmp.Or(a.res.count[model.Error]-b.res.count[model.Error], b2i(a.lossy)-b2i(b.lossy), b2i(b.solved)-b2i(a.solved),
			b2i(a.beside)-b2i(b.beside), a.size()-b.size(), a.res.order(b.res), int(b.kind)-int(a.kind))
	})
	return out
}

// size is how much a trial changes: a field or two, many, or the shape of a file.
func (t *trial) size() int {
	switch {
	case t.op == makeRepair:
		return 3
	case t.whole() && t.loses == "":
		return b2i(t.op == trimFile)
	case t.whole() || t.snap != nil:
		return 2
	case len(t.patches) > 2:
		return 1
	}
	return 0
}

// elsewhere is an error at the bytes that a repair changes, if the rule that offers the repair has none there: that error says what is wrong, and the
// rule's errors follow from it. Otherwise nil.
func elsewhere(r *search, t *trial) (first *model.Finding) {
	to, err := r.reach(t)
	if t.rule == nil || err != nil {
		return nil
	}
	for _, c := range changes(r.all, r.base.snap, to) {
		for _, f := range graded(r.found, model.Error) {
			at := placeOf(r.base.tree, f)
			if at.File != c.File || at.Off >= c.Off+c.Del || c.Off >= at.Off+at.Len {
				continue
			}
			if f.Rule == t.rule {
				return nil
			}
			if first == nil {
				first = f
			}
		}
	}
	return first
}

// vanishing counts the findings of a rule that a trial removes.
func (r *ranking) vanishing(t *trial, of *model.Rule) int {
	if of == nil {
		return 0
	}
	return r.base.beyond(t.res, func(f finding) bool { return f.rule == of.ID })
}

// way merges what happened to a whole file with the repair of a rule that undoes it, and returns the other causes.
func (r *ranking) way(told []*Cause, c *Cause, top *trial) []*Cause {
	i := slices.IndexFunc(told, func(t *Cause) bool { return r.holds("way", r.undoes(top, t)) })
	if i < 0 {
		return told
	}
	t := told[i]
	said := top.fix != nil && top.fix.Says != "" && (top.safe || top.fix.Once && r.extents[t.File].Guess) || top.whole() && top.op != shiftRest
	if c.also = t.Explains; !c.counted && !top.begins && !said { // what undoes the whole file says itself what happened
		c.Text, c.At, c.File, c.Evidence, c.torn = t.Text, t.At, t.File, append(t.Evidence, c.Evidence...), t.torn
	}
	c.Grade = max(c.Grade, min(t.Grade, Likely)) // what happened is clearer than what to do
	if !top.copies() && slices.ContainsFunc(t.Repairs, func(x *Repair) bool { return x.To != nil && x.Loses == "" && x.ID != c.Repairs[0].ID }) {
		c.unprove("another repair of the whole file leads to other bytes")
	}
	c.Repairs = append(c.Repairs, t.Repairs...)
	if !top.res.clean() || t.gone && top.lossy {
		c.Means = t.Means
	}
	return slices.Delete(told, i, i+1)
}

// undoes tells whether a trial undoes such a cause: it repairs the bytes in question, or removes most of the problems that the cause explains.
func (r *ranking) undoes(top *trial, t *Cause) bool {
	if top.op != makeRepair && !((top.safe || top.kind == derived) && top.res.clean()) || r.holds("reinterprets", t.torn && r.reinterprets(top)) {
		return false
	}
	gone := 0
	for _, i := range t.Explains {
		gone += b2i(top.res.fewer(key(&r.found[i]), r.base))
	}
	switch within := r.isRun(t.At) && t.At.contains(top.at); {
	case gone == 0:
		return false
	case t.torn && top.res.clean(), within && (top.copies() || top.res.clean()):
		return true
	}
	return 2*gone >= len(t.Explains) && (t.At.Len < sector || top.copies())
}

// reinterprets tells whether a trial changes a number only because the file is too short for the present one.
func (r *ranking) reinterprets(t *trial) bool {
	if t.field == nil {
		return false
	}
	with, against := r.clues.backing(t)
	return len(with) <= len(against)
}

// isRun tells whether a place is a run of lost bytes: a sector or more, or bytes at either end of its file.
func (r *ranking) isRun(at Place) bool {
	if at.Len >= sector || at.Off == 0 && at.Len >= leastBlank {
		return true
	}
	c, err := r.base.snap.Content(at.File)
	return err == nil && at.Len > 1 && at.Off+at.Len == c.Len()
}
