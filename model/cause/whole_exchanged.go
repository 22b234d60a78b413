package cause

import (
	"bytes"
	"fmt"
	"slices"

	"spandrel/model"
)

// Two pieces of a file in each other's place: parts of a transfer that arrived out of order, or two structures.

const (
	leastPart    = 64 // programs transfer in parts of a power of two
	mostPart     = 1 << 20
	leastPiece   = 9         // bytes; shorter pieces are swapped numbers
	fewParts     = 2         // parts of a file that is searched, at least
	manyParts    = 16        // … and at most, if any two may have been swapped
	mostBroken   = 4         // parts with the first problems that may have been swapped with any other
	mostSlots    = 64        // pairs of damaged structures that are tried
	atEnds       = 2         // how many at either end may differ in length
	maxExchanged = 16 << 20  // bytes of a file that is searched
	maxReread    = 128 << 20 // bytes that all trials together read
	atOnce       = 16        // trials after which the time is looked at
)

// piece is a run of bytes of a file.
type piece struct{ off, n int64 }

// piecesSwapped tries to swap pieces: two of the damaged structures, and parts of a transfer.
func piecesSwapped(g *subject) {
	places := damagedPlaces(g, model.Warning)
	if len(g.b) > maxExchanged || g.prose() || len(places) == 0 || g.r.base.count[model.Error] == 0 {
		return
	}
	trials := swapDamaged(g, places)
	structures := len(trials)
	most := int(maxReread / max(1, g.r.bytes, int64(len(g.b)))) // each reads the whole document
	trials = append(trials, swapParts(g, places, most)...)
	trials = trials[:min(len(trials), most)]
	// Parts of another size may have been swapped if nothing checks the values. A piece that has no meaning in its new place either may have
	// been inserted.
	keepFitting(g, trials, func(i int) bool { return i >= structures || trials[i].res.gap > 0 })
}

// keepFitting keeps the first of the trials that exchange pieces and leave no errors; unsure tells of each whether it is, even if it is the only one.
func keepFitting(g *subject, trials []*trial, unsure func(i int) bool) {
	for some := range slices.Chunk(trials, atOnce) {
		if g.r.spend.over(0.5) { // the other half is for hypotheses that cost less
			break
		}
		g.r.judges(some)
	}
	var fit []*trial
	for i, t := range trials {
		if !t.res.clean() || t.res.nodes*10 < g.r.base.nodes*9 || !g.r.better(t) ||
			slices.ContainsFunc(fit, func(o *trial) bool { return alike(g.r, o, t) }) {
			continue
		}
		t.unsure = unsure(i)
		fit = append(fit, t)
	}
	for _, t := range fit[:min(len(fit), maxOffered)] {
		t.unsure = t.unsure || len(fit) > 1
		keep(g.r, t)
	}
}

// swapDamaged are trials that swap two damaged structures. If they differ in length, what is between them has moved, and is damaged too.
func swapDamaged(g *subject, places [][2]int64) (out []*trial) {
	for i := range places {
		for j := i + 1; j < len(places); j++ {
			a, b := piece{places[i][0], places[i][1] - places[i][0]}, piece{places[j][0], places[j][1] - places[j][0]}
			if len(out) < mostSlots && max(a.n, b.n) >= leastPiece && (a.n == b.n || i < atEnds && j >= len(places)-atEnds) {
				out = append(out, swapOf(g, a, b)...)
			}
		}
	}
	return out
}

// swapParts are trials that swap parts of a transfer after the last sound place: any two of a few parts; of many, one with the first problems and any
// other, and neighbours, of which one overtook the other. There are about most at the most.
func swapParts(g *subject, places [][2]int64, most int) (out []*trial) {
	for n := int64(mostPart); n >= leastPart; n /= 2 { // the larger, the fewer
		parts := int64(len(g.b)) / n
		few := parts <= manyParts
		if parts < fewParts || !few && n < sector {
			continue
		}
		broken := brokenParts(places, n)
		pair := func(i, j int64) bool {
			return few || j == i+1 || slices.Contains(broken, i) || slices.Contains(broken, j)
		}
		for i := range parts {
			for j := i + 1; j < parts && (i+1)*n > places[0][0] && len(out) < most; j++ {
				if pair(i, j) {
					out = append(out, swapOf(g, piece{i * n, n}, piece{j * n, n})...)
				}
			}
		}
	}
	return out
}

// brokenParts are the parts of a file in which its first problems begin.
func brokenParts(places [][2]int64, n int64) (out []int64) {
	for _, at := range places {
		if i := at[0] / n; !slices.Contains(out, i) && len(out) < mostBroken {
			out = append(out, i)
		}
	}
	return out
}

// swapOf is the trial that swaps two pieces, the second at the higher offset. If they differ in length, what is between them moves,
// and its place follows from the length that the second piece was meant to have.
func swapOf(g *subject, a, b piece) []*trial {
	if a.off+a.n > b.off || b.off+b.n > int64(len(g.b)) || a.n == 0 || b.n == 0 {
		return nil
	}
	first, last := g.b[a.off:a.off+b.n], g.b[b.off+b.n-a.n:b.off+b.n]
	if a.off+b.n > b.off+b.n-a.n || string(first) == string(last) {
		return nil
	}
	if uniform(first) || uniform(last) {
		return nil // bytes that were overwritten with one value are lost anyway
	}
	between := g.b[a.off+b.n : b.off+b.n-a.n]
	with := make([]byte, 0, b.off+b.n-a.off)
	with = append(append(append(with, last...), between...), first...)
	c := g.c.Splice(a.off, int64(len(with)), model.Memory(with))
	what := fmt.Sprintf("Two pieces of %s are swapped: %s at 0x%x and %s at 0x%x", lower(g.the()), amountOf(b.n), a.off, amountOf(a.n), b.off+b.n-a.n)
	return []*trial{{kind: legal, op: swapPieces, snap: g.r.base.snap.With(g.name, c), at: Place{File: g.name, Off: a.off, Len: a.n},
		text: what + ".", maybe: what + ", or pieces of another length.", label: fmt.Sprintf("swap %s at 0x%x and 0x%x", amountOf(a.n), a.off, b.off+b.n-a.n)}}
}

// uniform tells whether bytes are all the same.
func uniform(b []byte) bool { return allOf(b, b[0]) }

// allOf tells whether all bytes have one value. bytes.Trim is no alternative: it takes bytes above 0x7f that are not UTF-8 for each other.
func allOf(b []byte, x byte) bool { return bytes.Count(b, []byte{x}) == len(b) }
