package cause

import (
	"bytes"
	"path"
	"slices"

	"spandrel/model"
)

// The first bytes of a file missing: what follows stands too early by as many. A file of a kind that begins with a magic shows that it is
// so, and how many they are is seen by putting the magic there, and zeros behind it.

// head is a file whose beginning is looked at.
type head struct{ *glance }

const (
	maxBeheaded = 64 // bytes that are missing at the front at most
	leastMagic  = 2  // of which this is left of a magic, so that it says how many they are
)

// beheaded looks for how many bytes are missing in front of a file that does not begin as those of its kind do.
func (g head) beheaded() {
	if !g.all || !g.blamed || len(g.b) == 0 {
		return
	}
	for _, m := range g.magic() { // with what is left of a number in front of it
		if n := g.early(m); n > 0 && m.At > 0 {
			g.settle(g.fronted(m, n))
		}
	}
	whole := func(t *trial) bool { return t.res.clean() && !t.unsure }
	if !slices.ContainsFunc(g.r.hits, whole) {
		g.refilled()
	}
	if slices.ContainsFunc(g.r.hits, func(t *trial) bool { return t.res.clean() }) {
		return
	}
	for _, m := range g.magic() {
		var trials []*trial
		n := g.early(m)
		if n > 0 {
			if t := g.fronted(m, n); t != nil {
				t.begins = true
				trials = append(trials, t)
			}
		}
		for k := len(m.Bytes); n == 0 && m.At == 0 && g.r.base.format != nil && k <= maxBeheaded; k++ {
			trials = append(trials, g.fronted(m, k))
		}
		g.r.judges(trials)
		var best *trial
		for _, t := range trials {
			if t.res == nil || t.res.failed || g.r.blind(t) {
				continue
			}
			whole := t.res.clean() && (n > 0 || t.sized)
			if told := n > 0 && (m.At > 0 || g.r.base.format != nil); (whole || told) && (best == nil || t.res.order(best.res) < 0) {
				best = t // a few letters alone do not tell which kind of file it was
			}
		}
		if best != nil && (g.r.base.format == nil || n > 0 || outdoes(best.res, g.r.base)) {
			g.told = slices.DeleteFunc(g.told, func(c *Cause) bool { return c.torn })
			if best.res.count[model.Error] < g.r.base.count[model.Error] {
				keep(g.r, best)
				return
			}
			g.tell(Likely, best.means, best.evidence, "%s", best.text) // what is wrong in front of the rest is seen only then
			g.told[len(g.told)-1].Repairs = []*Repair{g.r.offer(best, false)}
			return
		}
	}
}

// magic is what a file of its kind begins with, where this one does not; of a file of no known kind, of all.
func (g head) magic() (out []model.Magic) {
	if !g.primary && (g.extent == nil || len(g.extent.Magics) == 0) {
		return nil
	}
	for _, list := range g.magics() {
		if !slices.ContainsFunc(list, g.begins) {
			out = append(out, list...)
		}
	}
	return slices.DeleteFunc(out, func(m model.Magic) bool { return m.At < 0 || len(m.Bytes) < 3 })
}

// early returns by how many bytes a magic stands too early: a piece of it is left in front of the file, or it stands further in; 0 for not.
func (g head) early(m model.Magic) (n int) {
	if m.At > 0 {
		g.marks(m, func(at int64) {
			if n == 0 && -at <= maxBeheaded {
				n = max(0, -int(at))
			}
		})
		return n
	}
	for k := len(m.Bytes) - leastMagic; k > 0; k-- {
		rest := []byte(m.Bytes[k:])
		zeros := len(bytes.Trim(rest, "\x00")) == 0 && bytes.HasPrefix(g.b[min(len(rest), len(g.b)):], []byte{0}) // more of them are no piece of it
		if bytes.HasPrefix(g.b, rest) && !zeros {
			n = k
		}
	}
	return n
}

// headGone is how that begins that behead says.
const headGone = "The first "

// behead says that the first bytes of a file are missing.
func behead(n int64, it string) string {
	first := amountOf(n)
	if n == 1 {
		first = "byte"
	}
	return headGone + first + " of " + it + " " + are(n) + " missing; everything after " + pronoun(n) + " is shifted towards the start."
}

// fronted is the trial that puts n bytes in front of a file: its magic where it begins with that, and zeros; nil where no format takes it.
func (g head) fronted(m model.Magic, n int) *trial {
	front, it := make([]byte, n), lower(g.the())
	if m.At == 0 {
		copy(front, m.Bytes)
	}
	c := g.c.Splice(0, 0, model.Memory(front))
	t := &trial{kind: legal, whole: true, shift: true, at: Place{File: g.name, Len: min(1, g.c.Len())}, snap: g.r.base.snap.With(g.name, c),
		text:     behead(int64(n), it),
		label:    "restore " + pronoun(int64(n)) + " from the fixed beginning of the format",
		evidence: []string{"it does not begin like this format, and everything is in place with this many bytes before it"}}
	if m.At > 0 || n > len(m.Bytes) {
		t.unsure, t.label, t.means = true, shift{by: -int64(n)}.filling(), "The original bytes are not in this file. Everything after "+pronoun(int64(n))+" is."
	}
	if g.r.base.format == nil {
		if t.format, _ = g.r.recognised(path.Base(g.name), c); t.format == nil {
			return nil
		}
	}
	return t
}

const (
	maxRefilled = 16 // bytes that are missing at the front of a file without a magic at most
	maxSettled  = 4  // of its numbers
)

// refilled looks for the first bytes of a file of a kind that has no magic: zeros stand in for them, and what the rest of the document says that the
// numbers there are takes their place.
func (g head) refilled() {
	f := g.r.base.format
	if f != nil && (g.r.base.tree == nil || len(f.Magics) > 0) || g.extent != nil && len(g.extent.Magics) > 0 {
		return
	}
	from, to := 1, maxRefilled
	if e := g.extent; e != nil && e.Size > g.c.Len() {
		if from = int(min(e.Size-g.c.Len(), 2*maxBeheaded)); e.Least || from > maxBeheaded {
			return
		}
		to = from
	} else if places := (disk{g.glance}).places(model.Error); f != nil && (len(places) == 0 || places[0][0] > maxBeheaded) {
		return // it is right up to there
	}
	var trials []*trial
	for n := from; n <= to; n++ {
		if t := g.fronted(model.Magic{}, n); t != nil && (f != nil || len(t.format.Magics) == 0) {
			t.begins, t.unsure, t.label, t.means = true, f == nil, "restore them from the rest of the file", ""
			trials = append(trials, t)
		}
	}
	g.r.judges(trials)
	trials = slices.DeleteFunc(trials, func(t *trial) bool { return t.res == nil || t.res.failed || from == to && t.res.nodes < g.r.base.nodes }) // it is cut at its end: what is read then is something else
	slices.SortStableFunc(trials, func(a, b *trial) int { return a.res.order(b.res) })
	for _, t := range trials[:min(len(trials), 2)] {
		if (from == to || f == nil || t.res.order(g.r.base) <= 0) && g.settled(t) {
			keep(g.r, t)
			return
		}
	}
}

// settle keeps a trial that puts zeros in front of a file if the numbers that they are in can be told.
func (g head) settle(t *trial) {
	if t == nil {
		return
	}
	t.begins, t.unsure = true, false
	if g.r.judges([]*trial{t}); t.res != nil && !t.res.failed && g.settled(t) {
		t.label, t.means = "restore them from the rest of the file", ""
		keep(g.r, t)
	}
}

// settled gives the numbers at the front of a file, where a trial put zeros, the values that others want of them, and tells whether all is whole
// then. It is unsure where none wants one.
func (g head) settled(t *trial) bool {
	is, err := t.snap.Content(g.name)
	if err != nil {
		return false
	}
	n, said := is.Len()-g.c.Len(), false
	for range maxSettled {
		v := judge(g.r.ctx, t.snap, t.res.format, nil)
		if v.failed || model.Contain(func() error { return check(g.r.ctx, v.tree, nil) }) != nil {
			return false
		}
		found, _ := v.tree.Findings()
		c := gather(g.r.ctx, v.tree, found, nil)
		var trials []*trial
		for _, s := range c.list {
			if s.file != g.name || s.off >= n {
				continue
			}
			for _, x := range c.known(s) {
				if left := max(0, n-s.off); x.kind >= legal && (left >= int64(len(x.raw)) || bytes.Equal(x.raw[left:], s.raw[left:])) { // what is there stays
					to, _ := apply(t.snap, []patch{{s.file, s.off, int64(len(x.raw)), x.raw}})
					next := *t
					next.snap, next.kind, next.res = to, x.kind, nil
					trials = append(trials, &next)
				}
			}
		}
		g.r.judges(trials)
		best := t
		for _, next := range trials {
			if next.res == nil || next.res.failed || next.res.order(best.res) > 0 {
				continue
			}
			if same := best != t && next.res.order(best.res) == 0; same && next.kind <= best.kind {
				best.unsure = best.unsure || next.kind == best.kind && !(shift{glance: g.glance}).alike(best, next)
			} else if same || next.res.order(best.res) < 0 {
				best = next
			}
		}
		if best == t {
			break
		}
		*t, said = *best, true
		t.kind = legal
	}
	t.unsure = t.unsure || !said // nothing objects to the zeros, and nothing says that they were there
	return t.res.clean()
}

const leastSevered = 2 // fields beside the magic that are wrong where the front of a file is gone

// misfits counts the fields at the front of a file that are wrong beside its magic, where that is.
func (g head) misfits() int64 {
	if !g.blamed || g.r.base.format == nil || len(g.magic()) == 0 {
		return 0
	}
	wrong, places := map[int64]bool{}, (disk{g.glance}).places(model.Error)
	if !slices.ContainsFunc(places, func(at [2]int64) bool { return at[0] == 0 }) {
		return 0 // it is of a kind without one
	}
	for _, at := range places {
		if at[0] > 0 && at[1] <= 2*maxBeheaded {
			wrong[at[0]] = true
		}
	}
	return int64(len(wrong))
}

// severed tells of a file that does not begin as those of its kind do, where what stands behind the magic is wrong too.
func (g head) severed() {
	n := g.misfits()
	if n < leastSevered {
		return
	}
	g.tell(Likely, "Its first bytes are missing or overwritten, or all of it is in another order, encoded or encrypted.", []string{model.Count(n, "more fields at its beginning are wrong")},
		"%s does not begin like a file of this format.", g.the())
	c := g.told[len(g.told)-1]
	c.At.Len, c.guess = min(g.c.Len(), 2*maxBeheaded), true
}
