package cause

import (
	"bytes"
	"iter"

	"spandrel/model"
	"spandrel/model/evidence"
)

// A transfer that started again, and was appended to what there was.

const (
	leastBegun = 16 // bytes that occur twice if a transfer was restarted
	mostBegun  = 4  // places at which it may have been

	leastRestarted = 4096 // bytes of two copies that differ: a shorter beginning is like that of other structures
)

// restarts are where the file begins again after part of its beginning: the transfer was restarted, and appended to that part.
func restarts(g *subject) (out []int) {
	if len(g.b) < 2*leastBegun || periodic(g.b[:leastBegun]) {
		return nil
	}
	for at := range beginnings(g.b, leastBegun) {
		if out = append(out, at); len(out) == mostBegun {
			break
		}
	}
	return out
}

// restartedBefore tries each of two copies of the beginning that differ: something happened to one of them since. A first copy that is as long as what
// follows it was not interrupted.
func restartedBefore(g *subject) {
	n := bytes.Index(g.b[min(len(g.b), 1):], g.b[:min(len(g.b), leastBegun)]) + 1
	if n < leastRestarted || 2*n >= len(g.b) || periodic(g.b[:leastBegun]) || g.alike(int64(n)) {
		return
	}
	differ := model.Differences(g.b[:n], g.b[n:2*n])
	if differ == 0 || 8*differ > n {
		return
	}
	for _, keep := range []struct {
		label string
		from  int
	}{{"keep the first copy", n}, {"keep the second copy", 0}} {
		t := g.becomes(g.c.Splice(int64(keep.from), int64(n), nil), keep.label, "This happens when an interrupted download starts again and is appended to its first part.", "",
			model.Words("%s begins again at byte %s, and the two copies of its beginning differ in %s.", g.the(), model.Thousands(int64(n)), amountOf(int64(differ))))
		if t != nil {
			t.event = &evidence.Event{Kind: evidence.Repeated, What: g.name, Place: evidence.Log(float64(len(g.b))), Value: evidence.Log(float64(n)), Explains: 8 * evidence.Bits(n)}
		}
	}
}

// restartedAndCut reports a file that begins again and is not whole either way: the second transfer was interrupted too, or damaged.
func restartedAndCut(g *subject) {
	for _, n := range restarts(g) {
		if n < leastBlank || g.alike(int64(n)) {
			continue
		}
		c := g.tell(Likely, "This happens when an interrupted download starts again and is appended to its first part. What begins there is not whole either: download or copy it again, or save the intact data.",
			[]string{"the bytes there are those of its beginning"}, "%s begins again at byte %s.", g.the(), model.Thousands(int64(n)))
		c.At.Off, c.At.Len = int64(n), int64(min(n, len(g.b)-n))
		if t := g.becomes(g.c.Splice(0, int64(n), nil), "remove the first copy", "", "", c.Text); t != nil {
			g.withdraw(t)
			c.Repairs = []*Repair{g.r.offer(t, false)}
		}
		return
	}
}

// alike tells whether elements of one list are at the front of the file and at a place, such as the members of an archive: then the second is another one, and
// not the beginning again.
func (g *subject) alike(at int64) bool {
	sp := spaceOf(g.r.base.tree, g.name)
	if sp == nil {
		return false
	}
	lists := map[*model.Span]model.Shape{} // of the element; what belongs to no structure is a leaf among them
	for s, _ := g.r.base.tree.AtOpen(g.r.ctx, sp.ID, 0); s != nil && s.Parent() != nil && s.Range.Off == 0; s = s.Parent() {
		lists[s.Parent()] = s.Shape
	}
	for s, _ := g.r.base.tree.AtOpen(g.r.ctx, sp.ID, at); s != nil && s.Parent() != nil && s.Range.Off == at; s = s.Parent() {
		if shape, ok := lists[s.Parent()]; ok && shape == s.Shape {
			return true
		}
	}
	return false
}

// beginnings yields where bytes begin again, with the same bytes as far as there are any, and at least so many.
func beginnings(b []byte, least int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for from := 1; from < len(b); from++ {
			i := bytes.Index(b[from:], b[:least])
			if i < 0 {
				return
			}
			if from += i; bytes.HasPrefix(b[from:], b[:min(from, len(b)-from)]) && !yield(from) {
				return
			}
		}
	}
}

// beginsAgainAt returns where the file begins again and continues with the same bytes to its end, or 0.
func beginsAgainAt(g *subject) int64 {
	if len(g.b) < 64 || uniform(g.b[:32]) {
		return 0
	}
	for at := range beginnings(g.b, 32) {
		if at >= 32 && 8*at >= len(g.b) {
			return int64(at)
		}
	}
	return 0
}
