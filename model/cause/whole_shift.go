package cause

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"spandrel/model"
)

// Bytes that were taken out of a file or put into it somewhere inside: what stands behind them is all there, and not where it should be. The
// length tells how many they are; where they were is looked for from coarse to fine by how much is wrong with bytes put in or taken out there.

const (
	maxShift   = 1 << 20 // bytes that were lost or came in
	coarse     = 16      // places that are tried first, evenly spread
	fine       = 4       // by how much the distance of places shrinks each time, and how many are tried at either side
	maxEach    = 1 << 10 // bytes of a file of which each place is tried
	nearby     = 40      // how far to either side each place is tried in the end
	nearest    = 8       // how far from a problem a place is looked for where nothing says how many bytes they are
	nearText   = 256     // bytes of the first problem of which each place is tried for one byte
	within     = 32      // places in the first bytes of the first problem that are tried
	eachWithin = 1 << 16 // bytes of a file in which all of them are
	leastWorse = 3       // problems that must go away where others stay
)

// shift is a file that is too long or too short by bytes that lie inside it.
type shift struct {
	*glance
	by   int64 // bytes that came in; less than 0: that are missing
	free bool  // nothing says how long the file should be
}

// shifted looks for the place of bytes that are missing inside a file or that do not belong there. Those at an end are found by then.
func (g *glance) shifted() {
	if g.extent == nil || g.extent.Least || g.extent.Begins || !g.all || !g.blamed || g.r.base.format == nil || g.r.base.count[model.Error] == 0 && g.r.base.problems() < leastWorse {
		return
	}
	s := shift{glance: g, by: g.c.Len() - g.extent.Size}
	n := min(g.c.Len(), g.extent.Size)
	if s.by == 0 || max(s.by, -s.by) > min(maxShift, n/2) || slices.ContainsFunc(g.r.hits, func(t *trial) bool { return t.res.clean() }) {
		return
	}
	best := s.place(n)
	if best == nil || !outdoes(best.res, g.r.base) || best.res.nodes*10 < g.r.base.nodes*9 || s.asWell(best) {
		return // it is read as something of less content
	}
	if s.by > 0 {
		s.extra(best)
	} else {
		s.absent(best)
	}
}

// asWell tells whether as much is whole with the bytes at an end of the file as at the place of a trial: then nothing says that they are inside.
func (s shift) asWell(t *trial) bool {
	at := []int64{min(s.c.Len(), s.c.Len()-s.by)}
	if t.at.Off > 0 {
		at = append(at, 0)
	}
	ends := s.judged(at)
	return slices.ContainsFunc(ends, func(end *trial) bool { return end != nil && !outdoes(t.res, end.res) })
}

// headless tells whether bytes may be missing at the front of a file of which no mark says how it begins.
func (s shift) headless() bool {
	return s.by < 0 && !s.primary && len(s.extent.Magics) == 0 && disk{s.glance}.wrongAt(func(at model.Range) bool { return at.Off < maxBeheaded && at.Len < s.c.Len() })
}

// outdoes tells whether a state is so much better than another that it is no chance: it alone is whole, or several problems are gone.
func outdoes(v, other *verdict) bool {
	return v.clean() && !other.clean() || v.problems()+leastWorse <= other.problems()
}

// near returns the best trial of the places around the first problems.
func (s shift) near(n int64) *trial {
	var at []int64
	places := (disk{s.glance}).places(model.Warning)
	if len(places) > 0 && (s.by == 1 || s.by == -1) && places[0][1]-places[0][0] <= nearText {
		for x := places[0][0]; x < min(places[0][1], n-1); x++ { // somewhere in a text that cannot be read
			at = append(at, max(1, x))
		}
	}
	for i, place := range places {
		for x := max(1, place[0]-nearest); i < fine && x <= min(place[0]+nearest, n-1); x++ {
			at = append(at, x)
		}
	}
	slices.Sort(at)
	at = slices.Compact(at)
	tried := map[int64]*trial{}
	for i, t := range s.judged(at) {
		tried[at[i]] = t
	}
	return s.middle(tried)
}

// filling is the repair of bytes that are missing, in words.
func (s shift) filling() string {
	return model.Words("insert %s zeros", model.Thousands(-s.by)) + ", so everything after is in place again"
}

// place returns the trial at the place after which the least is wrong, of several the one in the middle.
func (s shift) place(n int64) (best *trial) {
	tried, step := map[int64]*trial{}, max(1, n/coarse)
	if n <= maxEach {
		step = 1
	}
	var at []int64
	for x := step; x < n; x += step {
		at = append(at, x)
	}
	at = append(at, s.firsts(n)...)
	least := int64(1)
	if s.headless() {
		at, least = append(at, 0), 0
	}
	for {
		at = slices.DeleteFunc(at, func(x int64) bool { _, ok := tried[x]; return ok || x < least || x >= n })
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

// firsts are where the first problems of the file are, and places inside the very first: it is right up to there, or up to something in it.
func (s shift) firsts(n int64) (out []int64) {
	for i, x := range (disk{s.glance}).places(model.Warning) {
		if i == fine {
			break
		}
		out = append(out, x[0], x[0]+min(0, s.by)) // bytes that are missing are so in front of what stands too early
		width, step := min(x[1]-x[0], maxEach), int64(1)
		if n > eachWithin {
			step = max(1, width/within)
		}
		for k := step; i == 0 && k < width; k += step {
			out = append(out, x[0]+k)
		}
	}
	return out
}

// middle is the best of trials; of places that do as well the one in the middle of most of those that come to the same bytes. It is sure where
// all of them do.
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
	var groups [][]*trial
	for _, t := range same { // those that come to the same bytes stand beside each other
		if k := len(groups) - 1; k >= 0 && s.alike(groups[k][0], t) {
			groups[k] = append(groups[k], t)
		} else {
			groups = append(groups, []*trial{t})
		}
	}
	largest := slices.MaxFunc(groups, func(a, b []*trial) int { return len(a) - len(b) })
	if len(largest) == 1 {
		largest = same
	}
	best := largest[len(largest)/2]
	best.unsure = len(groups) > 1
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
		if t.res == nil || t.res.failed || !s.free && !t.sized || t.res.gap > s.r.base.gap+max(0, -s.by) {
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

// moved says that so many bytes do not belong to a file, and what they are where that shows, or that they are missing inside it where they are less than
// none; about is "about " where their place is not sure.
func moved(n int64, it, about string, off int64, what string) string {
	if n < 0 {
		return fmt.Sprintf("%s inside %s, at %s0x%x; everything after is shifted towards the start.", counted(-n, "is missing", "are missing"), it, about, off)
	}
	if what != "" {
		what = ": " + strings.TrimSuffix(what, ".")
	}
	return fmt.Sprintf("%s to %s at %s0x%x%s; everything after is shifted towards the end.", counted(n, "does not belong", "do not belong"), it, about, off, what)
}

// extra adds the trial that takes bytes out. It is proven where the file is whole without them, and at no place beside without others.
func (s shift) extra(t *trial) {
	t.unsure = t.unsure || !t.res.clean()
	about := ""
	if t.unsure {
		about = "about "
	}
	t.text = moved(s.by, lower(s.the()), about, t.at.Off, foreign(s.b[t.at.Off:t.at.Off+s.by], nil))
	t.label, t.means = "remove "+these(s.by), "Bytes were inserted into the file, or a piece of it was written twice."
	if t.evidence = []string{"the file is too long by exactly this much"}; s.free {
		t.evidence = []string{"everything after is in place without them"}
	}
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
		if c.Means = "Everything after is shifted towards the start."; t.at.Off == 0 {
			c.Text = behead(n, lower(s.the()))
			c.Means = "They are not in this file: download or copy it again" + orSave + "."
		}
		c.Evidence = append(c.Evidence, "most of the rest is in place with this many bytes before it")
		t.label = s.filling()
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
func (r *ranking) slipped(c *Cause, top *trial) {
	if c.Grade != Proven || c.torn || top.whole || !top.res.clean() || r.base.problems() < leastWorse || len(c.Repairs) == 0 || c.Repairs[0].To == nil {
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
	if at <= 0 || at >= short || at+commonEnd(was, is, short-at) < short || !r.holds("slipped", true) {
		return
	}
	where := fmt.Sprintf("%s, at about 0x%x", names[0], at)
	if names[0] == r.base.snap.Primary && !r.base.snap.Folder() {
		where = fmt.Sprintf("the file, at about 0x%x", at)
	}
	if n := is.Len() - was.Len(); n > 0 {
		c.Text = fmt.Sprintf("%s inside %s.", counted(n, "is missing", "are missing"), where)
	} else {
		c.Text = fmt.Sprintf("%s to %s; everything after is shifted towards the end.", counted(-n, "does not belong", "do not belong"), where)
	}
	c.At = Place{File: names[0], Off: at, Len: 1}
}
