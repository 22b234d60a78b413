package cause

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"spandrel/model"
)

// Bytes were removed from the middle of a file or inserted there: everything after them is complete, but not where it should be. The
// length says how many they are; the place is found from coarse to fine, by how much is wrong after undoing it there.

const (
	maxShift   = 1 << 20 // bytes lost or inserted
	coarse     = 16      // places tried first, evenly spread
	fine       = 4       // factor by which the distance of places shrinks, and number of places on either side
	maxEach    = 1 << 10 // bytes of a file in which every place is tried
	nearby     = 40      // distance on either side within which every place is tried at the end
	nearest    = 8       // distance from a problem if nothing says how many bytes they are
	nearText   = 256     // bytes of the first problem in which every place is tried for one byte
	within     = 32      // places tried in the first bytes of the first problem
	eachWithin = 1 << 16 // bytes of a file in which all of them are tried
	leastWorse = 3       // problems that must disappear if others remain
)

// shift is a file that is too long or too short by bytes inside it.
type shift struct {
	*subject
	by   int64 // surplus bytes; negative: missing bytes
	free bool  // nothing states the length of the file
}

// shifted looks for the place of missing or surplus bytes inside the file. Those at an end have been found before.
func shifted(g *subject) {
	if g.extent == nil || g.extent.Least || g.extent.Begins || !g.all || !g.blamed || g.r.base.format == nil || g.r.base.count[model.Error] == 0 && g.r.base.problems() < leastWorse {
		return
	}
	s := shift{subject: g, by: g.c.Len() - g.extent.Size}
	n := min(g.c.Len(), g.extent.Size)
	if s.by == 0 || max(s.by, -s.by) > min(maxShift, n/2) || slices.ContainsFunc(g.r.hits, func(t *trial) bool { return t.heals() || t.exact }) {
		return
	}
	best := s.place(n)
	if best == nil || !outdoes(best.res, g.r.base) || s.asWell(best) || s.empties(best) {
		return
	}
	if s.by > 0 {
		s.extra(best)
	} else {
		s.absent(best)
	}
}

// empties tells whether the tables have fewer cells after a trial than before: it hides content instead of restoring it.
func (s shift) empties(t *trial) bool {
	v := judge(s.r.all, t.snap, s.r.base.format, nil)
	return v.failed || v.tree.Cells(s.r.all) < s.r.base.tree.Cells(s.r.all)
}

// asWell tells whether a change at an end of the file is as good as a trial inside: then nothing says that the bytes are inside.
func (s shift) asWell(t *trial) bool {
	at := []int64{min(s.c.Len(), s.c.Len()-s.by)}
	if t.at.Off > 0 {
		at = append(at, 0)
	}
	ends := s.judged(at)
	return slices.ContainsFunc(ends, func(end *trial) bool { return end != nil && !outdoes(t.res, end.res) })
}

// headless tells whether bytes may be missing at the front of a file that has no magic.
func (s shift) headless() bool {
	return s.by < 0 && !s.primary && len(s.extent.Magics) == 0 && findingAt(s.subject, func(at model.Range) bool { return at.Off < maxBeheaded && at.Len < s.c.Len() })
}

// outdoes tells whether a state is so much better than another that it is no coincidence: it alone is whole, or several problems are gone.
func outdoes(v, other *verdict) bool {
	return v.clean() && !other.clean() || v.problems()+leastWorse <= other.problems()
}

// near returns the best trial of the places around the first problems.
func (s shift) near(n int64) *trial {
	var at []int64
	places := damagedPlaces(s.subject, model.Warning)
	if len(places) > 0 && s.by == 1 && places[0][1]-places[0][0] <= nearText {
		for x := places[0][0]; x < min(places[0][1], n-1); x++ { // somewhere in an unreadable text
			at = append(at, max(1, x))
		}
	}
	for i, place := range places {
		for x := max(1, place[0]-nearest); i < fine && x <= min(place[0]+nearest, n-max(1, s.by)); x++ {
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

// filling is the repair of missing bytes, in words.
func (s shift) filling() string {
	return model.Words("insert %s zeros", model.Thousands(-s.by)) + ", so everything after is in place again"
}

// place returns the trial at the place that leaves the fewest problems; of several equal ones, the middle.
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
		if best = s.middle(tried); best == nil || step == 1 || s.r.late() {
			return best
		}
		step = max(1, step/fine)
		at = placesAround(best.at.Off, step)
	}
}

// placesAround are places at this distance from each other on both sides of one; every place if the distance is 1.
func placesAround(off, step int64) (out []int64) {
	reach := int64(fine)
	if step == 1 {
		reach = nearby
	}
	for k := -reach; k <= reach; k++ {
		out = append(out, off+k*step)
	}
	return out
}

// firsts are where the first problems of the file are, and places inside the very first: the file is right up to there, or up to something in it.
func (s shift) firsts(n int64) (out []int64) {
	for i, x := range damagedPlaces(s.subject, model.Warning) {
		if i == fine {
			break
		}
		out = append(out, x[0], x[0]+min(0, s.by)) // missing bytes precede what is too early
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

// middle is the best of the trials; of places that are equally good, the middle of those that lead to the same bytes. It is certain if
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
	for _, t := range same { // those that lead to the same bytes are neighbours
		if k := len(groups) - 1; k >= 0 && alike(s.r, groups[k][0], t) {
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

// spliced is the trial that replaces bytes inside the file by more or fewer.
func (g *subject) spliced(off, del int64, with []byte) *trial {
	c := g.c.Splice(off, del, model.Memory(with))
	return &trial{kind: legal, op: shiftRest, snap: g.r.base.snap.With(g.name, c), at: Place{File: g.name, Off: off, Len: 1}}
}

// alike tells whether two trials lead to the same bytes.
func alike(r *search, a, b *trial) bool {
	x, y, ok := both(a.snap, b.snap, a.at.File)
	return ok && firstDifference(r.all, x, y, 0) < 0
}

// judged makes the trials of some places and judges them; nil if one could not be judged.
func (s shift) judged(at []int64) []*trial {
	out := make([]*trial, len(at))
	for i, x := range at {
		out[i] = s.spliced(x, max(0, s.by), make([]byte, max(0, -s.by)))
	}
	s.r.judges(out)
	for i, t := range out {
		less := t.res == nil || (t.res.nodes+int64(b2i(s.by > 0)))*10 < s.r.base.nodes*9 // surplus bytes are a span
		if less || !s.free && !t.res.fits || t.res.gap > s.r.base.gap+max(0, -s.by) {
			out[i] = nil // what is no longer read cannot be wrong
		}
	}
	return out
}

// sized tells whether a file of a tree has the length that something in it states, or nothing states one.
func sized(ctx context.Context, t *model.Tree, file string) bool {
	c, err := t.Snapshot.Content(file)
	if err != nil || t.Format == nil || t.Format.Extents == nil {
		return false
	}
	stated := slices.DeleteFunc(t.Extents(ctx), func(e model.Extent) bool { return e.File != file })
	return len(stated) == 0 || slices.ContainsFunc(stated, func(e model.Extent) bool { return e.Size == c.Len() && !e.Least })
}

// moved says that n bytes are surplus, and what they are if known, or that -n bytes are missing inside the file;
// about is "about " if their place is uncertain.
func moved(n int64, it, about string, off int64, what string) string {
	if n < 0 {
		return fmt.Sprintf("%s inside %s, at %s0x%x; everything after is shifted towards the start.", counted(-n, "is missing", "are missing"), it, about, off)
	}
	if what != "" {
		what = ": " + strings.TrimSuffix(what, ".")
	}
	return fmt.Sprintf("%s to %s at %s0x%x%s; everything after is shifted towards the end.", counted(n, "does not belong", "do not belong"), it, about, off, what)
}

// extra adds the trial that removes bytes. It is proven if the file is whole without them, or a checksum matches, and with no other bytes removed nearby.
func (s shift) extra(t *trial) {
	t.solved = !t.unsure && slices.ContainsFunc(s.r.found, func(f model.Finding) bool { return f.Sum != nil && !f.Sum.Weak && t.res.fewer(key(&f), s.r.base) })
	t.unsure = t.unsure || !t.solved && !t.res.clean()
	about := ""
	if t.unsure {
		about = "about "
	}
	t.text = moved(s.by, lower(s.the()), about, t.at.Off, foreign(s.b[t.at.Off:t.at.Off+s.by], nil))
	t.label, t.means = "remove "+these(s.by), "Bytes were inserted into the file, or a piece of it was written twice."
	if t.evidence = []string{"the file is too long by exactly this much"}; s.free {
		t.evidence = []string{"everything after is in place without them"}
	}
	if as := s.edited(t); as != nil {
		as.evidence, t.unsure = t.evidence, true
		t.label = "remove " + amountOf(s.by) + ": which ones is a guess"
		keep(s.r, as)
	}
	keep(s.r, t)
}

// absent adds where bytes are missing in a file that is called truncated, and offers to put zeros there.
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

// said is the reason why a file is too short, at the end of a sentence; "" if its exact length is known.
func said(e *model.Extent) string {
	if e.Says == "" || !e.Least {
		return ""
	}
	return "; " + e.Says
}

// these refers to a number of bytes that was mentioned.
func these(n int64) string {
	if n == 1 {
		return "this byte"
	}
	return "these " + model.Thousands(n) + " bytes"
}
