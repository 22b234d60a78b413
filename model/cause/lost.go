package cause

import (
	"slices"

	"spandrel/model"
)

// What hides that bytes are lost: a number that makes a truncated file look complete, or one correct number among others that were overwritten with it.

// hidesLoss tells whether a trial only hides that the file is truncated: the file was too short for its content, has the right length
// afterwards, and nothing but its end supports the number.
func hidesLoss(r *ranking, t *trial) bool {
	was, is, ok := t.numbers()
	if !ok {
		return false
	}
	if with, against := r.clues.backing(t); len(with) > len(against) {
		return false
	}
	size, err := r.base.tree.Size(r.all, t.field.span.Range.Space)
	if err != nil || was/1000 > max(uint64(size), is) {
		return false // no file is that long
	}
	snap, err := r.reach(t)
	if err != nil {
		return true
	}
	v := judge(r.all, snap, r.base.format, nil)
	if v.tree == nil || fitsAfter(r, v.tree) || movesEnd(r, v.tree, t.field, size) {
		return true
	}
	return is < was && endsThere(r, v.tree, t.field, size)
}

// endsThere tells whether what a field measures in another tree, or what follows it, is the end of the file.
func endsThere(r *ranking, t *model.Tree, field *suspect, size int64) bool {
	last := func(s *model.Span) bool { return s.Range.End() == size && s.Range.Len > 0 }
	for _, l := range t.Links() {
		measures := l.Field.Range.Off == field.off && t.FileName(l.Field.Range) == field.file
		if measures && slices.ContainsFunc(l.Targets, func(s *model.Span) bool {
			return last(s) && s.Range.Space == l.Field.Range.Space && !staysInPlace(r, s)
		}) {
			return true
		}
	}
	s, err := t.Find(r.all, field.path)
	if err != nil || s.Parent() == nil || s.Parent().Parent() == nil {
		return false
	}
	for i := range s.Parent().Count() {
		if k := s.Parent().Child(i); k.Range.Off == s.Range.End() && last(k) {
			return true
		}
	}
	return false
}

// dropDishonest drops guesses that contradict what is known: numbers that fit the rest of a file with lost bytes, numbers that hide a truncation while
// another repair restores what is missing, and those that leave most of the problems of a truncation.
func dropDishonest(r *ranking, told []*Cause) {
	if len(told) == 0 {
		return
	}
	torn := func(c *Cause) bool { return c.torn }
	elsewhere := r.elsewhere(told)
	back := slices.ContainsFunc(r.hits, func(t *trial) bool { return t.op == makeRepair && t.res.clean() && !t.lossy })
	r.hits = slices.DeleteFunc(r.hits, func(t *trial) bool {
		if slices.ContainsFunc(told, torn) && t.whole() && !t.begins && 2*t.res.count[model.Error] > r.base.count[model.Error] {
			return true // the missing end explains most of the problems, and this one few
		}
		return !t.whole() && t.op != makeRepair && (t.kind < derived && !elsewhere || back && slices.ContainsFunc(told, torn) && hidesLoss(r, t))
	})
}

// staysInPlace tells whether a structure of another tree is at the same place in this document: then no number moved its end.
func staysInPlace(r *ranking, s *model.Span) bool {
	was, err := r.base.tree.Find(r.all, s.Path())
	return err == nil && was.Range == s.Range && was.State != model.Bad
}

// fitsAfter tells whether a file that is missing or has the wrong length is right in another tree, or is no longer referred to.
func fitsAfter(r *ranking, t *model.Tree) bool {
	fits := func(e model.Extent) bool {
		c, err := t.Snapshot.Content(e.File)
		return err == nil && c.Len() == e.Size
	}
	after := t.Extents(r.all)
	for name, e := range r.extents {
		i := slices.IndexFunc(after, func(e model.Extent) bool { return e.File == name })
		if !fits(e) && (i < 0 || fits(after[i])) {
			return true
		}
	}
	return false
}

// movesEnd tells whether what extends to the end of a file begins elsewhere in another tree: then its content is different, and
// finding no problem in it proves nothing.
func movesEnd(r *ranking, t *model.Tree, field *suspect, size int64) bool {
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

// mostlyUnread tells whether no structure explains most of a field's file after a trial.
func mostlyUnread(r *ranking, t *trial) bool {
	size, err := r.base.tree.Size(r.all, t.field.span.Range.Space)
	return err == nil && t.res.gap > size/2
}

// opens tells whether a file that was mostly without a meaning is read after a trial, with one error: that it does not begin like its format.
func (r *ranking) opens(t *trial) bool {
	return t.field != nil && t.res.count[model.Error] == 1 && reveals(r.search, t)
}

// reveals tells whether most of a file had no meaning, and has one after a trial: what is wrong there could not be seen before, and does not speak against the trial.
func reveals(r *search, t *trial) bool {
	return 2*r.base.unread() > r.base.size && 2*t.res.unread() < t.res.size
}

// leastBlot is how many bytes of neighbouring fields must be the same as those of a field for one act of damage to have
// overwritten all of them: a number that is zero on its own has as many.
const leastBlot = 8

// neighboursWiped tells whether a field was overwritten together with its neighbours: all are zero, or 0xff. A trial that restores the one that is missed
// does not restore the others.
func neighboursWiped(r *ranking, t *trial) bool {
	if t.field == nil || !allOf(t.field.raw, 0) && !allOf(t.field.raw, 0xff) {
		return false
	}
	snap := r.base.snap
	if r.after {
		snap = r.first.snap // what has been repaired was overwritten by the same damage
	}
	c, err := snap.Content(t.field.file)
	if err != nil {
		return false
	}
	from, size := max(0, t.field.off-sector), int64(len(t.field.raw))
	b := bytesAt(c, from, t.field.off+sector-from)
	if t.field.off-from+size > int64(len(b)) {
		return false
	}
	first, last := runAround(b, t.field.off-from)
	switch n := last - first; {
	case n < size+leastBlot:
		return false
	case n >= longWiped:
		return true // the other content there is lost, whatever one field should be
	}
	return othersIn(r, t, from+first, from+last) >= leastBlot
}

// runAround is the run of bytes of one value around a place.
func runAround(b []byte, at int64) (from, to int64) {
	for from, to = at, at; from > 0 && b[from-1] == b[at]; {
		from--
	}
	for to < int64(len(b)) && b[to] == b[at] {
		to++
	}
	return from, to
}

// othersIn is how many bytes of a run belong to other fields than the one to which a trial gives a value.
func othersIn(r *ranking, t *trial, from, to int64) (n int64) {
	snap, err := r.reach(t)
	if err != nil {
		return 0
	}
	tree := judge(r.all, snap, t.res.format, nil).tree
	sp := spaceOf(tree, t.field.file)
	if sp == nil {
		return 0
	}
	tree.Cover(model.Range{Space: sp.ID, Off: from, Len: to - from}, func(s *model.Span) bool {
		in := min(s.Range.End(), to) - max(s.Range.Off, from)
		partly := s.Shape == model.Leaf && s.Range.Len <= 8 && in < s.Range.Len // its other bytes show a number that contains zeros
		if !partly && s.State != model.Gap && !s.Field.Unused && !(s.Range.Off <= t.field.off && t.field.off < s.Range.End()) {
			n += in
		}
		return true
	})
	return n
}

// spaceOf is the space of a file of a document, nil if there is none.
func spaceOf(t *model.Tree, file string) *model.Space {
	if t == nil {
		return nil
	}
	all := t.Spaces()
	i := slices.IndexFunc(all, func(s *model.Space) bool { return !s.Derived() && s.File == file })
	if i < 0 {
		return nil
	}
	return all[i]
}
