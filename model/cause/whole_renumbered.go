package cause

import (
	"cmp"
	"slices"
	"strconv"

	"spandrel/model"
	"spandrel/model/evidence"
)

// Parts of a file that were joined in the order of their names: cat part* takes part10 after part1, and part2 after part19.

const (
	fewNamed  = 10  // parts, at least: up to nine are in order
	manyNamed = 300 // … and at most
	leastSize = 1 << 10

	leastSeams = 2 // with damage: there are more, but one error may stand for several

	maxRenumbered = 1 << 30 // bytes that all trials together read
)

// partsRenumbered tries to put parts of each round size back in the order of their numbers, which are from 0 or from 1.
func partsRenumbered(g *subject) {
	places := damagedPlaces(g, model.Error)
	long := g.extent != nil && !g.extent.Least && !g.extent.Guess && g.extent.Size != g.c.Len()
	if g.prose() || long || len(places) < leastSeams {
		return
	}
	var trials []*trial
	for _, n := range partSizes(g.c.Len()) {
		for from := range 2 {
			seam := n * int64(2-from) // after the last part that is in its place
			if seam < places[0][0]/2 || seam > places[0][1]+sector {
				continue // nothing before it is damaged, and what it goes through is
			}
			if order := byName(int((g.c.Len()+n-1)/n), from); order != nil {
				trials = append(trials, renumberedOf(g, n, order))
			}
		}
	}
	trials = trials[:min(len(trials), int(maxRenumbered/max(1, g.r.bytes, g.c.Len())))]
	choices := evidence.Log(float64(len(trials)))
	for _, t := range trials {
		t.event = &evidence.Event{Kind: evidence.Exchanged, What: t.label, Place: choices}
	}
	keepFitting(g, trials, func(int) bool { return false })
}

// partSizes are the round numbers of bytes of which a file of some length has as many parts, as people give them: powers of two and small multiples of them, a
// digit and zeros, in bytes, KiB or MiB.
func partSizes(size int64) (out []int64) {
	add := func(n, power int64) {
		for ; (fewNamed-1)*n < size; n *= power {
			if n >= leastSize && size <= n*manyNamed && !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	for _, times := range []int64{1, 3, 5} {
		add(times, 2)
	}
	for _, unit := range []int64{1, 1 << 10, 1 << 20} {
		for digit := range int64(9) {
			add((digit+1)*unit, 10)
		}
	}
	return out
}

// byName are the numbers of so many parts, counted from one of them on, in the order of the numbers as text; nil if they are in order then.
func byName(parts, from int) []int {
	order := make([]int, parts)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(strconv.Itoa(a+from), strconv.Itoa(b+from)) })
	if slices.IsSorted(order) {
		return nil
	}
	return order
}

// renumberedOf is the trial that puts the parts of n bytes, which are in some order, back in that of their numbers. The last of them may be shorter.
func renumberedOf(g *subject, n int64, order []int) *trial {
	parts, at := make([]model.Source, len(order)), int64(0)
	for _, i := range order {
		size := min(n, int64(len(g.b))-int64(i)*n)
		parts[i], at = model.Memory(g.b[at:at+size]), at+size
	}
	is := &model.Joined{}
	for _, part := range parts {
		is.Add(part)
	}
	return &trial{kind: legal, op: swapPieces, snap: g.r.base.snap.With(g.name, model.NewContent(is)), at: Place{File: g.name, Off: n, Len: n},
		text:  model.Words("%s was joined from %d parts of %s in the order of their names as text, in which 10 precedes 2.", g.the(), len(order), amountOf(n)),
		means: "cat part* takes them in this order.", label: model.Words("put the %d parts of %s in the order of their numbers", len(order), amountOf(n))}
}
