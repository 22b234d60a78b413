package cause

import (
	"bytes"
	"slices"
	"strings"

	"spandrel/model"
)

// The first bytes of a file missing: what follows stands too early by as many. A file of a kind that begins with a magic shows that it is
// so, and how many they are is seen by putting the magic there, and zeros behind it.

const (
	maxBeheaded = 64 // bytes that are missing at the front at most
	leastMagic  = 2  // of which this is left of a magic, so that it says how many they are
)

// beheaded looks for how many bytes are missing in front of a file that does not begin as those of its kind do.
func (g *glance) beheaded() {
	if !g.all || !g.blamed || len(g.b) == 0 || g.r.base.format == nil || slices.ContainsFunc(g.r.hits, func(t *trial) bool { return t.res.clean() }) {
		return
	}
	for _, m := range g.magic() {
		if t := g.headless([]byte(m.Bytes)); t != nil && outdoes(t.res, g.r.base) {
			keep(g.r, t)
			return
		}
	}
}

// magic is what a file of its kind begins with, where this one does not.
func (g *glance) magic() []model.Magic {
	list := g.r.base.format.Magics
	if g.extent != nil && len(g.extent.Magics) > 0 {
		list = g.extent.Magics
	} else if !g.primary {
		return nil
	}
	if slices.ContainsFunc(list, g.begins) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(list), func(m model.Magic) bool { return m.At != 0 || len(m.Bytes) < 3 })
}

// headless is the best of the trials that put bytes in front of a file, of which the first are a magic; nil for none. A piece of the magic
// that is left says how many they are.
func (g *glance) headless(magic []byte) (best *trial) {
	var (
		trials []*trial
		piece  *model.Snapshot
	)
	for n := 1; n <= maxBeheaded; n++ {
		if n < len(magic) && (len(magic)-n < leastMagic || !bytes.HasPrefix(g.b, magic[n:])) {
			continue
		}
		front := make([]byte, n)
		copy(front, magic)
		t := &trial{kind: legal, whole: true, shift: true, unsure: n > len(magic), at: Place{File: g.name, Len: min(1, g.c.Len())},
			snap: g.r.base.snap.With(g.name, g.c.Splice(0, 0, model.Memory(front)))}
		it := lower(g.the())
		t.text = "The first " + counted(int64(n), "of "+it+" is missing", "of "+it+" are missing") + ": what follows stands too early by as much."
		t.text = strings.Replace(t.text, "first 1 byte", "first byte", 1)
		t.label = "put " + pronoun(int64(n)) + " there: what files of its kind begin with"
		t.evidence = []string{"it does not begin as files of its kind do, and what follows is right with as many bytes in front of it"}
		if n > len(magic) {
			t.label += ", and zeros for the others"
			t.means = "What they were is not in this file."
		}
		if trials = append(trials, t); n < len(magic) {
			piece = t.snap
			break
		}
	}
	g.r.judges(trials)
	for _, t := range trials {
		if t.res != nil && !t.res.failed && t.sized && (t.res.clean() || t.snap == piece) && (best == nil || t.res.order(best.res) < 0) {
			best = t
		}
	}
	return best
}

const leastSevered = 2 // fields beside the magic that are wrong where the front of a file is gone

// misfits counts the fields at the front of a file that are wrong beside its magic, where that is.
func (g *glance) misfits() int64 {
	if !g.blamed || g.r.base.format == nil || len(g.magic()) == 0 {
		return 0
	}
	wrong := map[int64]bool{}
	for _, at := range (disk{g}).places(model.Error) {
		if at[0] > 0 && at[1] <= 2*maxBeheaded {
			wrong[at[0]] = true
		}
	}
	return int64(len(wrong))
}

// severed tells of a file that does not begin as those of its kind do, where what stands behind the magic is wrong too.
func (g *glance) severed() {
	n := g.misfits()
	if n < leastSevered {
		return
	}
	g.tell(Likely, "What stood there is not in this file.", []string{model.Count(n, "more fields at its front are wrong")},
		"%s does not begin as files of its kind do: its first bytes are missing, or something was written over them.", g.the())
	c := g.told[len(g.told)-1]
	c.At.Len, c.guess = min(g.c.Len(), 2*maxBeheaded), true
}
