package cause

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"spandrel/model"
)

// What trials come to: which of them leads, what is a rival of it, and what is proven.

// jury judges the trials of a search that made it better.
type jury struct {
	*search
	cut   bool              // time ran out before all were tried
	brute map[*suspect]bool // of these every value was tried
}

// rivals tells whether a trial is as good as the best one: as much is whole then, or what speaks for it is more though a warning is left.
// Many changes are no rival of few.
func (t *trial) rivals(top *trial) bool {
	a, b := t.res, top.res
	if t.drops && (top.restores() || t.unsure && top.kind == derived && top.field != nil && closeTo(top.field.raw, top.raw)) {
		return false // what it takes off is a part of the file then
	}
	if top.unpacked || a.count[model.Error] != b.count[model.Error] || t.lossy && !top.lossy || t.beside && !top.beside || top.solved && !t.solved || len(t.patches) >= 4*max(1, len(top.patches)) && t.snap == nil {
		return false
	}
	if len(t.patches) > len(top.patches) && t.kind < top.kind && top.snap == nil {
		return false // two numbers wrong at once, where one is known to be
	}
	if top.kind == derived && t.kind < derived && t.field != nil && t.field == top.field {
		return false // the field may have that value too, and nothing speaks for it
	}
	if t.whole && top.whole {
		if t.drops && top.exact && top.res.clean() && t.length() < top.length() {
			return false // what it takes off on top has a meaning, and fits
		}
		return t.kind >= top.kind && (top.drops || !t.drops) && (t.exact || !top.exact) &&
			!(t.drops && top.drops && a.nodes*10 < b.nodes*9)
	}
	if (t.kind < derived || top.whole && top.drops) && a.gap > b.gap {
		return false // it leaves bytes without a meaning that have one, or are gone, after the best
	}
	if t.kind < top.kind && a.nodes*10 < b.nodes*9 && a.gap >= b.gap {
		return false // it reads less, and less speaks for it
	}
	if t.kind > top.kind || len(t.patches) < len(top.patches) && t.snap == nil {
		return true
	}
	return a.count[model.Warning] == b.count[model.Warning] && a.gap <= b.gap
}

// batch tells whether a trial is several changes put together, each because the bytes fit it.
func (t *trial) batch() bool {
	return t.field == nil && !t.repair && !t.whole && !t.swap && t.snap == nil && len(t.patches) > 1
}

// length is how long the file is that a trial is about, after it.
func (t *trial) length() int64 {
	if t.snap == nil {
		return 0
	}
	c, err := t.snap.Content(t.at.File)
	if err != nil {
		return 0
	}
	return c.Len()
}

// restores tells whether a trial writes what stands elsewhere and all around agrees with, and everything is whole then.
func (t *trial) restores() bool {
	return t.copies && t.witnessed && !t.lossy && t.res.clean()
}

// meets tells whether a trial takes away some of the findings that another does: what is about others is a cause of its own.
func (r *jury) meets(t, other *trial) bool {
	if r.base.format == nil {
		return true
	}
	none := true
	for k, n := range r.base.keys {
		if other.res.keys[k] < n {
			if none = false; t.res.keys[k] < n {
				return true
			}
		}
	}
	return none
}

// contains tells whether a trial makes all the changes of another that leaves the length of the file as it is: it is the same, and more.
func (r *jury) contains(t, other *trial) bool {
	if t == other || len(other.patches) == 0 {
		return false
	}
	snap, err := r.reach(t)
	if err != nil {
		return false
	}
	for _, p := range other.patches {
		is, err := snap.Content(p.file)
		was, _ := r.base.snap.Content(p.file)
		b := make([]byte, len(p.with))
		if err != nil || was == nil || is.Len() != was.Len() || p.del != int64(len(b)) {
			return false
		}
		if _, err := is.ReadAt(b, p.off); err != nil || !bytes.Equal(b, p.with) {
			return false
		}
	}
	return true
}

// unrepeated leaves out what another says at greater length.
func unrepeated(list []string) []string {
	var out []string
	for i, s := range list {
		if !slices.ContainsFunc(list[:i], func(o string) bool { return strings.HasPrefix(o, s) }) {
			out = append(out, s)
		}
	}
	return out
}

// maxRivals is how many other changes may do as well as a guess.
const maxRivals = 16

// pick makes a cause of the best trials; nil where the best says nothing.
func (r *jury) pick() (*Cause, *trial) {
	if r.o.Evidence {
		return r.graded()
	}
	all := sorted(r.hits)
	top := r.restoring(all)
	if i := slices.IndexFunc(all, (*trial).restores); i >= 0 && top.drops {
		top = all[i]
	}
	if i := slices.IndexFunc(all, func(t *trial) bool { return t.unpacked }); i >= 0 {
		top = all[i] // whatever else is wrong is wrong with what is in it
	}
	for _, t := range all {
		if t.field != nil && !t.lossy && t.res.count[model.Error] == top.res.count[model.Error] && !(top.swap && top.res.problems() < t.res.problems()) && r.contains(top, t) {
			top = t // the rest of it is a cause of its own
		}
	}
	top = r.part(top, all)
	var rivals []*trial
	own := r.own(top) || top.field != nil && r.clues.only(top.field, top.raw)
	for _, t := range all {
		if own && t.kind < derived && !t.whole {
			continue // of a field the format itself says what it should be
		}
		if t != top && t.rivals(top) && r.meets(t, top) && !r.contains(t, top) && !(top.swap && r.contains(top, t)) {
			rivals = append(rivals, t)
		}
	}
	rivals = r.lead(&top, rivals)
	blind := len(rivals) > 0 && (top.res.gap > r.base.gap || top.res.nodes*10 < r.base.nodes*9)
	guessed := top.kind < derived && (top.field != nil && r.unread(top) || len(rivals) > maxRivals || blind || r.base.problems() <= top.res.problems())
	if !top.whole && (guessed || len(rivals) > 4*maxRivals && !top.res.clean()) {
		// What so much else does as well, what reads less, or what takes no problem away, says nothing of what happened: then only what a rule offers and makes everything whole does.
		known := slices.DeleteFunc(slices.Clone(r.hits), func(t *trial) bool { return !t.repair && !t.whole || !t.res.clean() })
		if len(known) == 0 || len(known) == len(r.hits) {
			return nil, top
		}
		r.hits = known
		return r.pick()
	}
	guess := func(t *trial) bool { return t.whole && t.drops && !t.begins && !t.exact && t.kind < derived }
	if n := len(r.hits); guess(top) && slices.ContainsFunc(rivals, guess) {
		// Where a file begins or ends is known by nothing if it may begin or end at several places.
		if r.hits = slices.DeleteFunc(slices.Clone(r.hits), guess); len(r.hits) == 0 {
			return nil, top
		} else if len(r.hits) < n {
			return r.pick()
		}
	}
	c := r.told(top, rivals)
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

// told is the cause that a trial is, beside which others come to the same, without its repairs.
func (r *jury) told(top *trial, rivals []*trial) *Cause {
	c := &Cause{Grade: Possible, Text: top.text, Means: top.means, Evidence: slices.Clone(top.evidence), At: top.at, whole: top.whole}
	ledger, of := r.weigh(r.hits)
	c.Ledger, c.Story = ledger, of[top]
	if len(rivals) > 0 && top.maybe != "" {
		c.Text = top.maybe
	}
	if r.blotted(top) && top.blank.Len >= longWiped/2 && !top.res.clean() && c.Grade < Proven {
		c.Text = model.Words("%s; %s bytes at 0x%x are all 0x%02x, it among them, and what else stood there is gone.", strings.TrimSuffix(c.Text, "."), model.Thousands(top.blank.Len), top.blank.Off, top.field.raw[0])
	}
	if n := r.vanish(top); n > 1 {
		c.Text = model.Words("In %s places: %s.", model.Thousands(int64(n)), top.rule.Title)
	}
	if len(rivals) == 0 && !top.lossy {
		c.Grade = Likely
		if r.proves(top) {
			if why := cmp.Or(r.doubt(top), outweighed(ledger, c.Story, top.unpacked || top.solved)); why == "" {
				c.Grade = Proven
			} else {
				c.Story.Without = why
				c.Evidence = append(c.Evidence, "not proven: "+why)
			}
		}
	}
	if top.field != nil && r.unread(top) {
		c.Grade = Possible
		c.Means = model.Words("More than that is wrong: %s of its bytes have no meaning after it either.", model.Thousands(top.res.gap))
	}
	c.Evidence = unrepeated(append(c.Evidence, r.evidence(top, rivals)...))
	return c
}

// vanish counts the findings of the rule that offered a repair, of those that it takes away.
func (r *jury) vanish(t *trial) (n int) {
	if t.rule == nil {
		return 0
	}
	rule := fmt.Sprintf(" %s ", t.rule.ID)
	for k, m := range r.base.keys {
		if strings.Contains(k, rule) {
			n += max(0, m-t.res.keys[k])
		}
	}
	return n
}

// restoring returns the best trial. Where that gives something up, it is the best one that does not: of what is known, where the rest is
// another cause, or one after which all bytes have a meaning.
func (r *jury) restoring(all []*trial) *trial {
	top := all[0]
	if !top.lossy {
		return top
	}
	var best *trial
	for _, t := range all {
		known := t.kind == derived && !t.repair && t.res.fresh(r.base, model.Warning) == 0
		reads := t.kind < derived && t.field != nil && t.res.gap < min(r.base.gap, top.res.gap) && t.res.count[model.Error] < r.base.count[model.Error]
		if t.lossy || !known && !reads || t.res.fresh(r.base, model.Error) > 0 || best != nil && (best.res.gap < t.res.gap || best.res.gap == t.res.gap && best.kind >= t.kind) || r.hides(t) {
			continue
		}
		if best = t; known {
			break
		}
	}
	if best == nil {
		return top
	}
	return best
}

// others returns trials that make it better though not as good, of other fields: choices.
func (r *jury) others(all []*trial, top *trial) (out []*trial) {
	for _, t := range all {
		if t.kind == derived && len(out) < 3 && t != top && r.meets(t, top) && (top.snap == nil || !r.contains(top, t)) {
			out = append(out, t)
		}
	}
	return out
}

// lead puts the field in front of which most speaks among trials that come to the same, and returns the rest.
func (r *jury) lead(top **trial, rivals []*trial) []*trial {
	all := append([]*trial{*top}, rivals...)
	weight := func(t *trial) (n int) {
		if t.lossy {
			return -100
		}
		if n = 3 * int(t.kind); t.repair {
			n = 2
		} else if t.whole && !t.drops && t.loses == "" {
			n += 6 // something that programs do to whole files, and that fits all of this one
		} else if t.drops && t.exact {
			n += 4 // more than a number that is anything
		}
		if t.field != nil {
			if closeTo(t.field.raw, t.raw) {
				n += 5
			}
			if oneBit(t.field.raw, t.raw) {
				n += 4 // more than one kind of value is before the next
			}
			if v, _, err := t.field.span.Field.Codec.Decode(t.raw); err == nil {
				with, against := r.clues.witnesses(t.field, v)
				n += 10 * (len(with) - len(against))
			}
		}
		return n - len(t.patches)
	}
	slices.SortStableFunc(all, func(a, b *trial) int { return weight(b) - weight(a) })
	*top = all[0]
	return all[1:]
}

// evidence says in a few words what speaks for a trial.
func (r *jury) evidence(t *trial, rivals []*trial) (out []string) {
	gone := r.base.problems() - t.res.problems()
	switch {
	case r.base.format == nil:
		out = append(out, "what is left is read as "+t.format.Title)
	case t.res.clean():
		out = append(out, "the file has no error then")
	case gone > 0:
		out = append(out, model.Count(int64(gone), "problems go away with it"))
	}
	if t.field != nil {
		if v, _, err := t.field.span.Field.Codec.Decode(t.raw); err == nil {
			with, _ := r.clues.witnesses(t.field, v)
			out = append(out, with...)
		}
	}
	if t.blot {
		out = append(out, fmt.Sprintf("what stands beside it is 0x%02x too, and may be gone", t.field.raw[0]))
	}
	if len(rivals) == 0 && t.kind <= near && t.field != nil {
		out = append(out, "nothing else that was tried does as well")
	}
	if len(rivals) > 0 {
		out = append(out, model.Count(int64(len(rivals)), "other changes do as well"))
	}
	return out
}

// way makes one of what happened to a file as a whole and a repair of a rule that undoes it, and returns what else was told.
func (r *jury) way(told []*Cause, c *Cause, top *trial) []*Cause {
	for i, t := range told {
		if t.torn && r.reinterprets(top) {
			continue
		}
		gone := 0
		for _, k := range t.Explains {
			gone += b2i(top.res.keys[key(&r.found[k])] < r.base.keys[key(&r.found[k])])
		}
		within := (t.At.Len >= sector || t.At.Off == 0 && t.At.Len >= leastBlank || r.last(t.At)) && t.At.File == top.at.File && t.At.Off <= top.at.Off && top.at.Off+top.at.Len <= t.At.Off+t.At.Len
		if (top.repair || (top.safe || top.kind == derived) && top.res.clean()) && gone > 0 && ((within || t.torn) && top.res.clean() || within && top.copies || 2*gone >= len(t.Explains) && (t.At.Len < sector || top.copies)) {
			if c.also = t.Explains; !top.begins {
				c.Text, c.At, c.File, c.Evidence, c.torn = t.Text, t.At, t.File, append(t.Evidence, c.Evidence...), t.torn
			}
			c.Grade = max(c.Grade, min(t.Grade, Likely)) // what happened is plainer than what to do
			c.Repairs = append(c.Repairs, t.Repairs...)
			if !top.res.clean() {
				c.Means = t.Means
			}
			return slices.Delete(told, i, i+1)
		}
	}
	return told
}

// reinterprets tells whether a trial gives a number another value, for which nothing else speaks than that a file is too short for the one it has.
func (r *jury) reinterprets(t *trial) bool {
	if t.field == nil {
		return false
	}
	v, _, err := t.field.span.Field.Codec.Decode(t.raw)
	if err != nil {
		return true
	}
	with, against := r.clues.witnesses(t.field, v)
	return len(with) <= len(against)
}

// last tells whether a place that is more than a byte is the end of its file.
func (r *jury) last(at Place) bool {
	c, err := r.base.snap.Content(at.File)
	return err == nil && at.Len > 1 && at.Off+at.Len == c.Len()
}

// sorted puts trials in order, the best first: what changes less before what changes more, where both leave as many errors.
func sorted(hits []*trial) []*trial {
	out := slices.Clone(hits)
	slices.SortStableFunc(out, func(a, b *trial) int {
		return cmp.Or(b2i(a.res.failed)-b2i(b.res.failed), a.res.count[model.Error]-b.res.count[model.Error], b2i(a.lossy)-b2i(b.lossy), b2i(b.solved)-b2i(a.solved),
			b2i(a.beside)-b2i(b.beside), a.size()-b.size(), a.res.order(b.res), int(b.kind)-int(a.kind))
	})
	return out
}

// size is how much a trial changes: a field or two, many, or the shape of a file.
func (t *trial) size() int {
	switch {
	case t.repair:
		return 3
	case t.whole && t.loses == "":
		return b2i(t.drops)
	case t.whole || t.snap != nil:
		return 2
	case len(t.patches) > 2:
		return 1
	}
	return 0
}
