package cause

import (
	"cmp"
	"slices"

	"spandrel/model"
)

// A few surplus bytes in a file that does not state its length.

const maxDrift = 8 << 10 // bytes of a file that does not state its length

// drifts are the amounts that get inserted if nothing says how many: a number or two, or a row of a dump.
var drifts = []int64{4, 1, 2, 8, 16}

// driftedAtProblem looks for a few surplus bytes near the first problem of a small file whose length nothing
// states. It is never proven: only the problems say how many bytes they are.
func driftedAtProblem(g *subject) {
	if (shift{subject: g, free: true}).stuffed(); slices.ContainsFunc(g.r.hits, func(t *trial) bool { return t.op == shiftRest && t.res.clean() }) {
		return
	}
	e := g.extent
	if e != nil && !e.Least && e.Size != g.c.Len() || !g.all || len(g.b) > maxDrift || g.r.base.format == nil || g.r.base.count[model.Error] == 0 {
		return
	}
	for _, by := range drifts {
		if by > 1 && mostlyText(g.b) {
			continue // it has no fixed-width numbers: one wrong byte is likelier than four surplus ones
		}
		s := shift{subject: g, by: by, free: true}
		t := s.near(int64(len(g.b)))
		if t == nil || !t.res.clean() || t.res.fresh(g.r.base, model.Warning) > 0 || t.res.nodes <= g.r.base.nodes || t.res.gap > g.r.base.gap {
			continue // what reads to its end has not shifted, and what is no longer read cannot be wrong
		}
		if !s.asWell(t) {
			t.unsure = true
			s.extra(t)
			return
		}
	}
}

const (
	leastStuffed = 24      // consecutive zeros that may have been inserted
	maxStuffed   = 4       // runs of zeros that are tried, longest first
	ownZeros     = 16      // zeros of a run that may be the file's own
	maxEased     = 1 << 20 // bytes of a file that is searched
)

// stuffed looks for inserted zeros if nothing states the length of the file: a run longer than any in a sound file. How many of
// them are surplus is tried.
func (s shift) stuffed() {
	if s.extent != nil && !s.extent.Least && !s.extent.Guess || !s.all || len(s.b) > maxEased || s.r.base.format == nil || s.r.base.count[model.Error] == 0 {
		return
	}
	runs := zeroRuns(s.b, leastStuffed)
	slices.SortStableFunc(runs, func(a, b model.Range) int { return cmp.Compare(b.Len, a.Len) })
	for _, run := range runs[:min(len(runs), maxStuffed)] {
		if best, n := withoutZeros(s.subject, run); best != nil {
			s.by = n
			s.extra(best)
			return
		}
	}
}

// withoutZeros is the best trial that removes zeros of a run, all or nearly all, and how many; nil if none makes the file whole.
func withoutZeros(g *subject, run model.Range) (best *trial, n int64) {
	var trials []*trial
	for n := run.Len; n >= max(leastStuffed/2, run.Len-ownZeros); n-- {
		trials = append(trials, g.spliced(run.Off, n, nil))
	}
	g.r.judges(trials)
	for i, t := range trials {
		if !t.res.clean() || t.res.nodes <= g.r.base.nodes || t.res.gap > g.r.base.gap {
			continue
		}
		several := best != nil
		if best == nil || t.res.order(best.res) < 0 {
			best, n = t, run.Len-int64(i)
		}
		best.unsure = several
	}
	return best, n
}

// zeroRuns are the runs of at least so many zeros.
func zeroRuns(b []byte, least int64) (out []model.Range) {
	for at := 0; at < len(b); at++ {
		if b[at] != 0 {
			continue
		}
		from, to := runAround(b, int64(at))
		if to-from >= least {
			out = append(out, model.Range{Off: from, Len: to - from})
		}
		at = int(to)
	}
	return out
}

// mostlyText tells whether all bytes but one are text.
func mostlyText(b []byte) bool {
	i := slices.IndexFunc(b, func(x byte) bool { return !plain([]byte{x}) })
	return i < 0 || plain(b[i+1:])
}
