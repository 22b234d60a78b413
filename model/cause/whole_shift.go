package cause

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"spandrel/model"
)

// Bytes that were taken out of a file or put into it somewhere inside: what stands behind them is all there, and not where it should be. The
// length tells how many they are; where they were is looked for from coarse to fine by how much is wrong with bytes put in or taken out there.

const (
	maxShift   = 1 << 20 // bytes that were lost or came in
	coarse     = 16      // places that are tried first, evenly spread
	fine       = 4       // by how much the distance of places shrinks each time, and how many are tried at either side
	nearby     = 40      // how far to either side each place is tried in the end
	leastWorse = 3       // problems of a file that is looked at so, and that must go away
)

// shift is a file that is too long or too short by bytes that lie inside it.
type shift struct {
	*glance
	by int64 // bytes that came in; less than 0: that are missing
}

// shifted looks for the place of bytes that are missing inside a file or that do not belong there. Those at an end are found by then.
func (g *glance) shifted() {
	if g.extent == nil || g.extent.Least || !g.all || !g.blamed || g.r.base.format == nil || g.r.base.problems() < leastWorse {
		return
	}
	s := shift{g, g.c.Len() - g.extent.Size}
	n := min(g.c.Len(), g.extent.Size)
	if s.by == 0 || max(s.by, -s.by) > min(maxShift, n/2) || slices.ContainsFunc(g.r.hits, func(t *trial) bool { return t.res.clean() }) {
		return
	}
	ends := s.judged([]int64{0, n})
	best := s.place(n)
	if best == nil || best.res.problems()+leastWorse > g.r.base.problems() {
		return
	}
	for _, t := range ends {
		if t != nil && best.res.problems()+leastWorse > t.res.problems() {
			return // it is as well at an end
		}
	}
	if s.by > 0 {
		s.extra(best)
	} else {
		s.absent(best)
	}
}

// place returns the trial at the place after which the least is wrong, of several the one in the middle.
func (s shift) place(n int64) (best *trial) {
	tried, step := map[int64]*trial{}, max(1, n/coarse)
	var at []int64
	for x := step; x < n; x += step {
		at = append(at, x)
	}
	at = append(at, s.firsts(n)...)
	for {
		at = slices.DeleteFunc(at, func(x int64) bool { _, ok := tried[x]; return ok || x <= 0 || x >= n })
		slices.Sort(at)
		for i, t := range s.judged(slices.Compact(at)) {
			tried[at[i]] = t
		}
		if best = s.middle(tried); best == nil || s.r.late() {
			return best
		}
		if step == 1 {
			return best
		}
		step = max(1, step/fine)
		at = at[:0]
		reach := int64(fine)
		if step == 1 {
			reach = nearby
		}
		for k := -reach; k <= reach; k++ {
			at = append(at, best.at.Off+k*step)
		}
	}
}

// firsts are where the first problems of the file are: it is right up to the first of them.
func (s shift) firsts(n int64) (out []int64) {
	for _, x := range (disk{s.glance}).spots() {
		if len(out) < fine {
			out = append(out, x[0])
		}
	}
	return out
}

// middle is the best of trials; of places that do as well the one in their middle. It is sure where all of them come to the same bytes.
func (s shift) middle(tried map[int64]*trial) *trial {
	var same []*trial
	for _, t := range tried {
		switch {
		case t == nil || len(same) > 0 && t.res.order(same[0].res) > 0:
		case len(same) == 0 || t.res.order(same[0].res) < 0:
			same = []*trial{t}
		default:
			same = append(same, t)
		}
	}
	if len(same) == 0 {
		return nil
	}
	slices.SortFunc(same, func(a, b *trial) int { return cmp.Compare(a.at.Off, b.at.Off) })
	best := same[len(same)/2]
	best.unsure = slices.ContainsFunc(same, func(t *trial) bool { return !s.alike(best, t) })
	return best
}

// alike tells whether the files that two trials change have the same bytes then.
func (s shift) alike(a, b *trial) bool {
	x, xerr := a.snap.Content(a.at.File)
	y, yerr := b.snap.Content(b.at.File)
	return xerr == nil && yerr == nil && firstDifference(s.r.all, x, y, 0) < 0
}

// judged makes the trials of some places, and judges them; nil where one could not be.
func (s shift) judged(at []int64) []*trial {
	out := make([]*trial, len(at))
	for i, x := range at {
		c := s.c.Splice(x, max(0, s.by), nil)
		if s.by < 0 {
			c = s.c.Splice(x, 0, model.Memory(make([]byte, -s.by)))
		}
		out[i] = &trial{kind: legal, whole: true, shift: true, snap: s.r.base.snap.With(s.name, c), at: Place{File: s.name, Off: x, Len: 1}}
	}
	s.r.judges(out)
	for i, t := range out {
		if t.res == nil || t.res.failed || !t.sized || t.res.gap > s.r.base.gap+max(0, -s.by) {
			out[i] = nil // what is read no more is not wrong either
		}
	}
	return out
}

// sized tells whether a file of a tree is as long as something in it says, or nothing in it says how long it is.
func sized(ctx context.Context, t *model.Tree, file string) (ok bool) {
	c, err := t.Snapshot.Content(file)
	if err != nil || t.Format == nil || t.Format.Extents == nil {
		return false
	}
	err = model.Contain(func() error {
		ok = true
		for _, e := range t.Format.Extents(ctx, t) {
			if cmp.Or(e.File, t.Snapshot.Primary) == file {
				if ok = e.Size == c.Len() && !e.Least; ok {
					break
				}
			}
		}
		return nil
	})
	return ok && err == nil
}

// extra adds the trial that takes bytes out. It is proven where the file is whole without them, and at no place beside without others.
func (s shift) extra(t *trial) {
	t.unsure = t.unsure || !t.res.clean()
	about := ""
	if t.unsure {
		about = "about "
	}
	t.text = fmt.Sprintf("%s to %s at %s0x%x: what follows stands too late by as much.", counted(s.by, "does not belong", "do not belong"), lower(s.the()), about, t.at.Off)
	t.label, t.means = "take out "+these(s.by), "Something was written into the file, or a piece of it twice."
	t.evidence = []string{"the file is longer by as much than it should be"}
	keep(s.r, t)
}

// absent says of a file that is told to be cut where the bytes are missing, and offers to put zeros there.
func (s shift) absent(t *trial) {
	n := -s.by
	for _, c := range s.told {
		if !c.torn {
			continue
		}
		c.Text = fmt.Sprintf("%s inside %s, at about 0x%x%s.", counted(n, "is missing", "are missing"), lower(s.the()), t.at.Off, said(s.extent))
		c.Means = "What follows stands too early by as much."
		c.Evidence = append(c.Evidence, "most of what follows is right with as many bytes in front of it")
		t.label = model.Words("put %s zeros", model.Thousands(n)) + " there, so that what follows stands in its place"
		c.Repairs = append(c.Repairs, s.r.offer(t, false))
		c.At = t.at
		return
	}
}

// said is who says how long a file should be, at the end of a sentence.
func said(e *model.Extent) string {
	if e.Says == "" {
		return ""
	}
	return ", as " + e.Says
}

// these are so many bytes that were named before.
func these(n int64) string {
	if n == 1 {
		return "this byte"
	}
	return "these " + model.Thousands(n) + " bytes"
}

// slipped says of a file into which a repair that is proven only puts bytes, or from which it only takes some, that they are missing, or do not
// belong there: what else is wrong with the file follows from it.
func (r *jury) slipped(c *Cause, top *trial) {
	if c.Grade != Proven || top.whole || !top.res.clean() || r.base.problems() < leastWorse || len(c.Repairs) == 0 || c.Repairs[0].To == nil {
		return
	}
	to := c.Repairs[0].To
	names := changed(r.base.snap, to)
	if len(names) != 1 {
		return
	}
	was, err := r.base.snap.Content(names[0])
	is, ierr := to.Content(names[0])
	if err != nil || ierr != nil || was.Len() == is.Len() {
		return
	}
	at, short := firstDifference(r.all, was, is, 0), min(was.Len(), is.Len())
	if at <= 0 || at >= short || at+commonEnd(was, is, short-at) < short {
		return
	}
	where := fmt.Sprintf("%s, at about 0x%x", names[0], at)
	if names[0] == r.base.snap.Primary {
		where = fmt.Sprintf("the file, at about 0x%x", at)
	}
	if n := is.Len() - was.Len(); n > 0 {
		c.Text = fmt.Sprintf("%s inside %s.", counted(n, "is missing", "are missing"), where)
	} else {
		c.Text = fmt.Sprintf("%s to %s: what follows stands too late by as much.", counted(-n, "does not belong", "do not belong"), where)
	}
	c.At = Place{File: names[0], Off: at, Len: 1}
}
