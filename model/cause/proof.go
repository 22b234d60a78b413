package cause

import (
	"bytes"
	"slices"

	"spandrel/model"
)

// What makes a trial proven, and what hides the evidence of a cut.

// proves tells whether a trial that nothing else comes up to is proven: it leaves no error that is not there without it, loses
// nothing, does not make the evidence of a cut go away, and its value was either derived or the only one of all.
func (r *jury) proves(t *trial) bool {
	if t.unpacked {
		return true
	}
	if t.lossy || t.unsure || r.bares(t) || t.res.fresh(r.base, model.Error) > 0 || r.cut && t.kind < derived && !t.whole {
		return false
	}
	if t.field != nil && (r.unread(t) || r.amid(t)) {
		return false // most of the file is still unexplained, or wrong
	}
	if len(r.lost) > 0 && !t.res.clean() {
		return false // what the rest says may be what is lost
	}
	if !t.whole && r.base.problems() <= t.res.problems() {
		return false // other problems come in place of those that go
	}
	if t.copies && t.res.clean() && r.base.count[model.Error] > 0 {
		to, err := r.reach(t)
		return err == nil && (t.witnessed || r.overwrites(to) <= maxRewrite)
	}
	if r.own(t) || r.apart(t) {
		return !r.hides(t) && !r.blotted(t)
	}
	if r.base.count[model.Error] > 0 && t.res.count[model.Error] >= r.base.count[model.Error] {
		return false
	}
	if t.whole {
		return t.res.clean() || t.res.count[model.Error]*4 < r.base.count[model.Error]
	}
	if t.field != nil && t.kind < derived && t.res.fresh(r.base, model.Warning) > 0 {
		return false // what is wrong may only be hidden by what is odd
	}
	if t.field == nil && len(t.patches) > 1 && t.kind == derived && !t.safe && !t.swap {
		return false
	}
	if t.repair && !t.res.clean() && !t.solved {
		return false // what is built into a file that stays broken may not be what is missing there
	}
	if t.repair && (!t.safe || r.base.count[model.Error] == 0 && !t.solved) || t.kind < derived && r.base.count[model.Error] == 0 {
		return false
	}
	if t.field != nil && r.base.count[model.Error] == 0 && r.doubted(t) {
		return false
	}
	if t.res.gap > r.base.gap || r.blotted(t) && !r.summing(t) {
		return false
	}
	if !t.res.clean() && (t.kind < legal || t.res.count[model.Error] >= r.base.count[model.Error]) {
		return false
	}
	if t.kind == tried && !r.brute[t.field] {
		return false
	}
	return !r.hides(t) || r.summing(t)
}

// amid tells whether more is wrong than a trial takes away, so much
// that what it writes over may not be what is meant: of what was moved all is wrong.
func (r *jury) amid(t *trial) bool {
	left := t.res.problems()
	return left > maxAmid && r.base.problems()-left < left
}

// maxAmid is how many problems that have nothing to do with each other a document has at once.
const maxAmid = 10

// leastBlot is how many bytes of other fields are the same as those of a field that was written over, at least, for one thing to have
// written all of them: a number that is zero of its own has so many.
const leastBlot = 8

// blotted tells whether a field was written over together with its neighbours: all of them are zero, or 0xff. What these were is not brought
// back by a trial that puts the one right that is missed.
func (r *jury) blotted(t *trial) bool {
	if t.field == nil || len(bytes.Trim(t.field.raw, "\x00")) > 0 && len(bytes.Trim(t.field.raw, "\xff")) > 0 {
		return false
	}
	first := r.base.snap
	if r.after {
		first = r.first.snap // what is repaired by now was written over with it
	}
	c, err := first.Content(t.field.file)
	if err != nil {
		return false
	}
	from := max(0, t.field.off-sector)
	b := make([]byte, min(c.Len(), t.field.off+sector)-from)
	if n, _ := c.ReadAt(b, from); n < len(b) {
		return false
	}
	same := string(t.field.raw[:1])
	at, end := t.field.off-from, t.field.off-from+int64(len(t.field.raw))
	run := model.Range{Off: from + int64(len(bytes.TrimRight(b[:at], same))), Len: 0}
	run.Len = from + end + int64(len(b[end:])-len(bytes.TrimLeft(b[end:], same))) - run.Off
	if run.Len < int64(len(t.field.raw))+leastBlot {
		return false
	}
	if t.blank = run; run.Len >= longWiped {
		return true // what else stood there is gone, whatever one field should be
	}
	snap, err := r.reach(t)
	if err != nil {
		return false
	}
	tree := judge(r.all, snap, t.res.format, nil).tree
	if tree == nil {
		return false
	}
	others := int64(0)
	for _, sp := range tree.Spaces() {
		if sp.Derived() || sp.File != t.field.file {
			continue
		}
		run.Space = sp.ID
		tree.Cover(run, func(s *model.Span) bool {
			in := min(s.Range.End(), run.End()) - max(s.Range.Off, run.Off)
			if number := s.Shape == model.Leaf && s.Range.Len <= 8; number && in < s.Range.Len {
				return true // its other bytes say that it is a number with zeros in it
			}
			if s.State != model.Gap && !s.Field.Unused && !(s.Range.Off <= t.field.off && t.field.off < s.Range.End()) {
				others += in
			}
			return true
		})
	}
	t.blot = others >= leastBlot
	return t.blot
}

// doubted tells whether the format itself offers what a trial writes, and calls it no more than a choice.
func (r *jury) doubted(t *trial) bool {
	for i := range r.found[:min(len(r.found), 500)] {
		for _, x := range r.base.tree.Fixes(r.all, &r.found[i]) {
			for _, e := range x.Edits[:min(len(x.Edits), 64)] {
				if s, b := assigned(r.all, r.base.tree, e); s != nil && !x.Safe && s.Range == t.field.span.Range && string(b) == string(t.raw) {
					return true
				}
			}
		}
	}
	return false
}

// unread tells whether most of a field's file is explained by nothing after a trial.
func (r *jury) unread(t *trial) bool {
	size, err := r.base.tree.Size(r.all, t.field.space)
	return err == nil && t.res.gap > size/2
}

// own tells whether a trial writes the one value that the format calls the only answer for what is wrong with the field itself: other
// errors of the document have nothing to do with it.
func (r *jury) own(t *trial) bool {
	if t.field == nil || t.kind < derived {
		return false
	}
	for i := range r.found {
		f := &r.found[i]
		if f.Span == nil || f.Span.Range != t.field.span.Range || t.res.keys[key(f)] >= r.base.keys[key(f)] {
			continue
		}
		if x := r.base.tree.Safe(f, r.base.tree.Fixes(r.all, f)); x != nil {
			if p := (remedies{r.search}).single(x); p != nil && string(p.with) == string(t.raw) {
				return true
			}
		}
	}
	return false
}

// apart tells whether all that a trial of a derived value takes away are warnings about the field itself, and nothing else is another then:
// errors elsewhere have nothing to do with it.
func (r *jury) apart(t *trial) bool {
	if t.field == nil || t.kind < derived || t.res.count[model.Error] != r.base.count[model.Error] || t.res.fresh(r.base, model.Warning) > 0 {
		return false
	}
	for i := range r.found {
		f := &r.found[i]
		if t.res.keys[key(f)] < r.base.keys[key(f)] && (f.Span == nil || f.Span.Range != t.field.span.Range || f.Want.Kind == model.None) {
			return false
		}
	}
	return true
}

// summing tells whether a checksum that differs agrees after a trial.
func (r *jury) summing(t *trial) bool {
	for i := range r.found {
		if f := &r.found[i]; f.Span != nil && r.clues.summed[[2]int64{int64(f.Span.Range.Space), f.Span.Range.Off}] && t.res.keys[key(f)] < r.base.keys[key(f)] {
			return true
		}
	}
	return false
}

// hides tells whether a trial makes the evidence of a cut go away: a file that is too short for what is written in it is long
// enough then, and nobody but the file's own end says so.
func (r *jury) hides(t *trial) bool {
	if t.field == nil {
		return false
	}
	f := t.field.span.Field
	is, _, err := f.Codec.Decode(t.raw)
	if err != nil || !is.IsNumber() || !t.field.value.IsNumber() {
		return false
	}
	if with, against := r.clues.witnesses(t.field, is); len(with) > len(against) {
		return false
	}
	size, err := r.base.tree.Size(r.all, t.field.space)
	if err != nil || t.field.value.Uint()/1000 > max(uint64(size), is.Uint()) {
		return false // no file was ever that long
	}
	snap, err := r.reach(t)
	if err != nil {
		return true
	}
	v := judge(r.all, snap, r.base.format, nil)
	if v.tree == nil || r.fits(v.tree) || r.moves(v.tree, t.field, size) {
		return true
	}
	if is.Uint() >= t.field.value.Uint() {
		return false
	}
	ends := false
	for _, l := range v.tree.Links() {
		if l.Field.Range.Off == t.field.off && r.fileOf(v.tree, l.Field) == t.field.file {
			for _, s := range l.Targets {
				ends = ends || s.Range.End() == size && s.Range.Space == l.Field.Range.Space && s.Range.Len > 0 && !r.stays(s)
			}
		}
	}
	if s, err := v.tree.Find(r.all, t.field.path); err == nil && s.Parent() != nil && s.Parent().Parent() != nil {
		for i := range s.Parent().Count() {
			k := s.Parent().Child(i)
			ends = ends || k.Range.Off == s.Range.End() && k.Range.End() == size && k.Range.Len > 0
		}
	}
	return ends
}

// honest drops guesses beside what is told: what is lost is why, and what fits the rest is none; nor is a number that hides a cut where
// something brings back what is missing.
func (r *jury) honest(told []*Cause) {
	if len(told) == 0 {
		return
	}
	back := slices.ContainsFunc(r.hits, func(t *trial) bool { return t.repair && t.res.clean() && !t.lossy })
	r.hits = slices.DeleteFunc(r.hits, func(t *trial) bool {
		return !t.whole && !t.repair && (t.kind < derived || back && slices.ContainsFunc(told, func(c *Cause) bool { return c.torn }) && r.hides(t))
	})
}

// stays tells whether a structure of another tree lies where it does in the document as it is: then no number moved its end.
func (r *jury) stays(s *model.Span) bool {
	was, err := r.base.tree.Find(r.all, s.Path())
	return err == nil && was.Range == s.Range && was.State != model.Bad
}

// fits tells whether a file that is missing, or not as long as it should be, is right in another tree, or nobody asks for it any more.
func (r *jury) fits(t *model.Tree) bool {
	wrong := map[string]bool{}
	for name, e := range r.extents {
		if c, err := t.Snapshot.Content(name); err != nil || c.Len() != e.Size {
			wrong[name] = true
		}
	}
	if len(wrong) == 0 {
		return false
	}
	model.Contain(func() error {
		for _, e := range t.Format.Extents(r.all, t) {
			if e.File == "" {
				e.File = t.Snapshot.Primary
			}
			if c, err := t.Snapshot.Content(e.File); wrong[e.File] && (err != nil || c.Len() != e.Size) {
				delete(wrong, e.File)
			} else if wrong[e.File] {
				return nil
			}
		}
		return nil
	})
	return len(wrong) > 0
}

// moves tells whether what reaches to the end of a file begins elsewhere in another tree of it: then all of its content is another, and that
// nothing is found in it proves nothing.
func (r *jury) moves(t *model.Tree, field *suspect, size int64) bool {
	moved := false
	var walk func(s *model.Span, depth int)
	walk = func(s *model.Span, depth int) {
		if depth > 3 || moved || t.FileName(s.Range) != field.file && s.Range.Space != model.NoSpace {
			return
		}
		if s.Parent() != nil && s.Range.End() == size && s.Range.Len >= 16 && s.Range.Off > field.off && s.Range.Space != model.NoSpace {
			was, err := r.base.tree.Find(r.all, s.Path())
			moved = err == nil && was.Range.Off != s.Range.Off
		}
		if s.Ready() && s.Shape != model.Leaf {
			for i := max(0, s.Count()-16); i < s.Count(); i++ {
				walk(s.Child(i), depth+1)
			}
		}
	}
	walk(t.Root, 0)
	return moved
}

func (r *jury) fileOf(t *model.Tree, s *model.Span) string { return t.FileName(s.Range) }
