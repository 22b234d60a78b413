package cause

import (
	"fmt"

	"spandrel/model"
)

// Guards of numbers next to which bytes were lost or inserted: what follows has shifted, and another number fits the shifted bytes.

const (
	leastRepeated = 4       // bytes of a repeated piece that are no coincidence
	mostRepeated  = 1 << 16 // longest repeated piece
	mostRepeats   = 8       // repeated pieces of that length; a file with more is repetitive by nature
)

// left: what a number counts or measures may not lose its meaning, also in what is read only on demand.
func (g guarded) left() string {
	if g.t.field == nil || g.base.format == nil {
		return ""
	}
	if n := gapsBeside(g, g.after.tree) - gapsBeside(g, g.before); n > 0 {
		return fmt.Sprintf("%s after %s would have no meaning", model.Count(n, "bytes"), g.t.field.path)
	}
	return ""
}

// gapsBeside is how many bytes beside the field have no meaning in a tree.
func gapsBeside(g guarded, t *model.Tree) int64 {
	sp := spaceOf(t, g.t.field.file)
	if sp == nil {
		return 0
	}
	s, err := t.AtOpen(g.all, sp.ID, g.t.field.off)
	if err != nil || s == nil || s.Parent() == nil {
		return 0
	}
	return gapsIn(s.Parent())
}

// gapsIn is how many bytes of a span have no meaning.
func gapsIn(s *model.Span) (n int64) {
	for i := range s.Count() {
		if c := s.Child(i); c != nil && c.State == model.Gap {
			n += c.Range.Len
		}
	}
	return n
}

// asGood tells whether a file with other bytes leads to a state as good as another one. If time is over it may: what was not tried
// proves nothing.
func asGood(r *search, as *verdict, file string, c *model.Content) bool {
	t := &trial{op: rewriteFile, snap: r.base.snap.With(file, c), at: Place{File: file}}
	r.judges([]*trial{t})
	if t.res == nil && r.ctx.Err() != nil {
		return true
	}
	return t.res != nil && t.res.order(as) <= 0
}
