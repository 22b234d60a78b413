package cause

import (
	"bytes"
	"path"
	"slices"

	"spandrel/model"
)

// The first bytes of a file are missing, and everything else is too early by as many. A kind of file with a magic shows
// it, and how many bytes are missing is found by putting back the magic, followed by zeros.

const (
	maxBeheaded = 64 // bytes missing at the front, at most
	leastMagic  = 2  // remaining bytes of a magic that show how many are missing
)

// frontMissing looks for the number of bytes missing at the front of a file that does not begin as files of its kind do.
func frontMissing(g *subject) {
	if !g.all || !g.blamed || len(g.b) == 0 {
		return
	}
	for _, m := range missingMagics(g) { // with the rest of a number before it
		if n := earlyBy(g, m); n > 0 && m.At > 0 {
			settleFront(g, withFront(g, m, n))
		}
	}
	if !slices.ContainsFunc(g.r.hits, func(t *trial) bool { return t.res.clean() && !t.unsure }) {
		refillFront(g)
	}
	if slices.ContainsFunc(g.r.hits, func(t *trial) bool { return t.heals() || g.r.unheads(t) }) {
		return
	}
	for _, m := range missingMagics(g) {
		n := earlyBy(g, m)
		if best := bestFront(g, m, n); best != nil && (g.r.base.format == nil || n > 0 || outdoes(best.res, g.r.base)) {
			reportFront(g, best)
			return
		}
	}
}

// bestFront is the best trial that restores the missing front of a file with a magic: n bytes if the magic is too early by so many, otherwise the
// magic and some bytes after it; nil for none.
func bestFront(g *subject, m model.Magic, n int) (best *trial) {
	if n > 0 {
		t := withFront(g, m, n)
		if t == nil {
			return nil
		}
		t.begins = true
		named := m.At > 0 || g.r.base.format != nil // a few letters alone do not identify the kind of file
		if g.r.judges([]*trial{t}); t.res == nil || g.r.blind(t) || !named && !t.res.clean() {
			return nil
		}
		return t
	}
	var trials []*trial
	for k := len(m.Bytes); m.At == 0 && g.r.base.format != nil && k <= maxBeheaded; k++ {
		trials = append(trials, withFront(g, m, k))
	}
	g.r.judges(trials)
	for _, t := range trials {
		if t.res.clean() && t.res.fits && !g.r.blind(t) && (best == nil || t.res.order(best.res) < 0) {
			best = t
		}
	}
	return best
}

// reportFront keeps such a trial, or reports it if it leaves as many errors, because some become visible only after it.
func reportFront(g *subject, t *trial) {
	g.told = slices.DeleteFunc(g.told, func(c *Cause) bool { return c.torn })
	if t.res.count[model.Error] < g.r.base.count[model.Error] {
		keep(g.r, t)
		return
	}
	g.tell(Likely, t.means, t.evidence, "%s", t.text).Repairs = []*Repair{g.r.offer(t, false)}
}

// missingMagics is what files of this kind begin with, if this one does not; for an unknown kind, all magics.
func missingMagics(g *subject) (out []model.Magic) {
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

// earlyBy returns by how many bytes a magic is too early: the end of it is left at the front of the file, or it is not where it should be; 0 for neither.
func earlyBy(g *subject, m model.Magic) (n int) {
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
		zeros := allOf(rest, 0) && bytes.HasPrefix(g.b[min(len(rest), len(g.b)):], []byte{0}) // more of them are not a piece of it
		if bytes.HasPrefix(g.b, rest) && !zeros {
			n = k
		}
	}
	return n
}

// headGone is how the sentence of behead begins.
const headGone = "The first "

// behead says that the first bytes of a file are missing.
func behead(n int64, it string) string {
	first := amountOf(n)
	if n == 1 {
		first = "byte"
	}
	return headGone + first + " of " + it + " " + are(n) + " missing; everything after " + pronoun(n) + " is shifted towards the start."
}

// withFront is the trial that puts n bytes at the front of a file: its magic, if it begins with one, and zeros; nil if no format recognises it.
func withFront(g *subject, m model.Magic, n int) *trial {
	front, it := make([]byte, n), lower(g.the())
	if m.At == 0 {
		copy(front, m.Bytes)
	}
	c := g.c.Splice(0, 0, model.Memory(front))
	t := &trial{kind: legal, op: shiftRest, at: Place{File: g.name, Len: min(1, g.c.Len())}, snap: g.r.base.snap.With(g.name, c),
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
	maxRefilled = 16 // bytes missing at the front of a file without a magic, at most
	maxSettled  = 4  // numbers among them
)

// refillFront looks for the missing first bytes of a kind of file without a magic: zeros take their place, and are then replaced by the numbers that
// the rest of the document implies.
func refillFront(g *subject) {
	f := g.r.base.format
	if f != nil && len(f.Magics) > 0 || g.extent != nil && len(g.extent.Magics) > 0 {
		return
	}
	from, to := beheadedBy(g)
	trials := zeroFronts(g, from, to)
	for _, t := range trials[:min(len(trials), 2)] {
		if (from == to || f == nil || t.res.order(g.r.base) <= 0) && frontSettled(g, t) {
			keep(g.r, t)
			return
		}
	}
}

// zeroFronts are the trials that put from to to zeros at the front of a file, the best first.
func zeroFronts(g *subject, from, to int) (trials []*trial) {
	f := g.r.base.format
	for n := from; n <= to; n++ {
		if t := withFront(g, model.Magic{}, n); t != nil && (f != nil || len(t.format.Magics) == 0) {
			t.begins, t.unsure, t.label, t.means = true, f == nil, "restore them from the rest of the file", ""
			trials = append(trials, t)
		}
	}
	g.r.judges(trials)
	trials = slices.DeleteFunc(trials, func(t *trial) bool { return t.res == nil || from == to && t.res.nodes < g.r.base.nodes }) // it is truncated: something else is read instead
	slices.SortStableFunc(trials, func(a, b *trial) int { return a.res.order(b.res) })
	return trials
}

// beheadedBy is how many bytes may be missing at the front of the file, at least and at most; if the second is less, none.
func beheadedBy(g *subject) (from, to int) {
	if e := g.extent; e != nil && e.Size > g.c.Len() {
		n := e.Size - g.c.Len()
		if e.Least || n > maxBeheaded {
			return 1, 0
		}
		return int(n), int(n)
	}
	if places := damagedPlaces(g, model.Error); g.r.base.format != nil && (len(places) == 0 || places[0][0] > maxBeheaded) {
		return 1, 0 // it is sound up to there
	}
	return 1, maxRefilled
}

// settleFront keeps a trial that puts zeros at the front of a file if the numbers in them are implied.
func settleFront(g *subject, t *trial) {
	if t == nil {
		return
	}
	t.begins, t.unsure = true, false
	if g.r.judges([]*trial{t}); t.res != nil && frontSettled(g, t) {
		t.label, t.means = "restore them from the rest of the file", ""
		keep(g.r, t)
	}
}

// frontSettled gives the zeroed numbers at the front of a file the values that others imply, and tells whether the file is
// whole then. It is unsure if none is implied.
func frontSettled(g *subject, t *trial) bool {
	is, err := t.snap.Content(g.name)
	if err != nil {
		return false
	}
	missing, said := is.Len()-g.c.Len(), false
	for range maxSettled {
		trials, ok := impliedAtFront(g, t, missing)
		if !ok {
			return false
		}
		g.r.judges(trials)
		best := bestImplied(g, t, trials)
		if best == t {
			break
		}
		*t, said = *best, true
		t.kind = legal
	}
	t.unsure = t.unsure || !said // nothing contradicts the zeros, and nothing confirms them
	return t.res.clean()
}

// impliedAtFront are trials in which one more number among the first bytes has a value that others imply; false if the state cannot be read.
func impliedAtFront(g *subject, t *trial, missing int64) (trials []*trial, ok bool) {
	v := judge(g.r.ctx, t.snap, t.res.format, nil)
	if v.failed || check(g.r.ctx, v.tree, nil) != nil {
		return nil, false
	}
	found, _ := v.tree.Findings()
	c := gather(g.r.ctx, v.tree, found, nil)
	for _, s := range c.list {
		if s.file != g.name || s.off >= missing {
			continue
		}
		for _, x := range c.known(s) {
			left := max(0, missing-s.off)
			if x.kind < legal || left < int64(len(x.raw)) && !bytes.Equal(x.raw[left:], s.raw[left:]) {
				continue // existing bytes stay
			}
			to, _ := apply(t.snap, []patch{{s.file, s.off, int64(len(x.raw)), x.raw}})
			next := *t
			next.snap, next.kind, next.res = to, x.kind, nil
			trials = append(trials, &next)
		}
	}
	return trials, true
}

// bestImplied is the best of these trials, or t itself if none is better. It is unsure if another one with as much evidence is as good.
func bestImplied(g *subject, t *trial, trials []*trial) *trial {
	best := t
	for _, next := range trials {
		if next.res == nil || next.res.order(best.res) > 0 {
			continue
		}
		same := best != t && next.res.order(best.res) == 0
		switch {
		case same && next.kind == best.kind:
			best.unsure = best.unsure || !alike(g.r, best, next)
		case same && next.kind > best.kind, !same && next.res.order(best.res) < 0:
			best = next
		}
	}
	return best
}

// nearly tells whether a file begins with a magic but for one byte of it: then the magic is neither missing nor encoded.
func (g *subject) nearly(m model.Magic) bool {
	n := len(m.Bytes)
	return m.At == 0 && n >= 4 && n <= len(g.b) && model.Differences(m.Bytes, string(g.b[:n])) == 1
}

const leastSevered = 2 // wrong fields next to the magic that show a lost front

// wrongAtFront counts the wrong fields at the front of a file next to its magic, if it has one.
func wrongAtFront(g *subject) int64 {
	if !g.blamed || g.r.base.format == nil || len(missingMagics(g)) == 0 {
		return 0
	}
	wrong, places := map[int64]bool{}, damagedPlaces(g, model.Error)
	if !slices.ContainsFunc(places, func(at [2]int64) bool { return at[0] == 0 }) {
		return 0 // its kind has none
	}
	for _, at := range places {
		if at[0] > 0 && at[1] <= 2*maxBeheaded {
			wrong[at[0]] = true
		}
	}
	return int64(len(wrong))
}

// frontWrong reports a file that does not begin as files of its kind do, and is also wrong after the place of the magic.
func frontWrong(g *subject) {
	n := wrongAtFront(g)
	if n < leastSevered || slices.ContainsFunc(missingMagics(g), g.nearly) {
		return
	}
	c := g.tell(Likely, "Its first bytes are missing or overwritten, or all of it is in another order, encoded or encrypted.", []string{model.Count(n, "more fields at its beginning are wrong")},
		"%s does not begin like a file of this format.", g.the())
	c.At.Len, c.guess = min(g.c.Len(), 2*maxBeheaded), true
}
