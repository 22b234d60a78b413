package cause

import (
	"bytes"
	"fmt"
	"strings"

	"spandrel/model"
)

// Guards of repairs next to which bytes may have been lost or inserted.

const (
	leastRepeated = 4       // bytes of a repeated piece that are no coincidence
	mostRepeated  = 1 << 16 // longest repeated piece
)

// twice: a piece that is there twice in a row was inserted, or it has replaced other bytes of that length. Only a length stated elsewhere tells
// these apart, because in both cases the file reads well without the second copy.
func (g guarded) twice() string {
	for _, c := range changes(g.all, g.base.snap, g.to) {
		was, err := g.base.snap.Content(c.File)
		if err != nil || c.Grown > 0 || c.Del < leastRepeated || c.Del > mostRepeated || c.Off+c.Del >= was.Len() {
			continue // a file that is whole before the copy lacks nothing
		}
		if e, ok := g.extents[c.File]; ok && !e.Least && !e.Guess && e.Size == was.Len()-c.Del {
			continue
		}
		if piece := bytesAt(was, c.Off, c.Del); bytes.Equal(piece, bytesAt(was, c.Off+c.Del, c.Del)) || c.Off >= c.Del && bytes.Equal(piece, bytesAt(was, c.Off-c.Del, c.Del)) {
			return fmt.Sprintf("one of the two copies may have replaced other bytes of %s", c.File)
		}
	}
	return ""
}

// spilled: bytes that were wiped next to values may be a part of what was: values of the same fill show no damage.
func (g guarded) spilled() string {
	if g.t.whole() { // it moves bytes that were not wiped
		return ""
	}
	for _, c := range changes(g.all, g.base.snap, g.to) {
		was, err := g.base.snap.Content(c.File)
		if err != nil || c.Del == 0 || c.Del != c.Grown || !allOf(c.Was, 0) && !allOf(c.Was, 0xff) {
			continue
		}
		for _, at := range []int64{c.Off - 1, c.Off + c.Del} {
			beside := model.FileRange{File: c.File, Off: at, Len: 1}
			if at >= 0 && bytes.Equal(bytesAt(was, at, 1), c.Was[:1]) && g.after.tree.Unvouched(g.all, false).Meets(beside) {
				return "the values next to it have the same fill, and may have been overwritten with it"
			}
		}
	}
	return ""
}

// isSecondCopy tells whether a trial removes nothing but bytes that are there twice in a row.
func isSecondCopy(r *ranking, t *trial) bool {
	if t.op != rewriteFile {
		return false
	}
	was, is, ok := both(r.base.snap, t.snap, t.at.File)
	if !ok || was.Len() <= is.Len() || max(was.Len(), is.Len()) > r.front {
		return false
	}
	at, n := firstDifference(r.all, was, is, 0), was.Len()-is.Len()
	return at >= n && commonEnd(was, is, is.Len()) >= is.Len()-at && bytes.Equal(bytesAt(was, at, n), bytesAt(was, at-n, n))
}

// left: what a number counts or measures may not lose its meaning, also in what is read only on demand.
func (g guarded) left() string {
	if g.t.field == nil || g.base.format == nil {
		return ""
	}
	if n := gapsBeside(g, g.after.tree) - gapsBeside(g, g.base.tree); n > 0 {
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

// misread tells whether two more fields of the entry of a list that a number is in stay wrong: then all of it may be read from a wrong place, and what
// suits one field says nothing.
func misread(t *trial) bool {
	entry := t.field.span
	for entry.Parent() != nil && entry.Index() < 0 {
		entry = entry.Parent()
	}
	if t.solved || entry.Shape != model.Struct || entry.Index() < 0 {
		return false
	}
	in, wrong := entry.Path()+"/", map[string]bool{}
	for f := range t.res.keys {
		if f.grade <= model.Warning && strings.HasPrefix(f.path, in) && f.path != t.field.path {
			wrong[f.path] = true
		}
	}
	return len(wrong) >= 2
}
