package cause

import (
	"fmt"
	"slices"

	"spandrel/model"
)

// What trials come to: which of them leads, what is a rival of it, and what is proven.

// jury judges the trials of a search that made it better.
type jury struct {
	*search
	cut   bool              // time ran out before all were tried
	brute map[*suspect]bool // of these every value was tried
}

// rivals tells whether a trial is as good as the best one: as much is whole then, or what speaks for it is more though a warning is left.
// Many changes are no rival of few.
func (t *trial) rivals(top *trial) bool {
	a, b := t.res, top.res
	if a.count[model.Error] != b.count[model.Error] || t.lossy && !top.lossy || top.solved && !t.solved || len(t.patches) >= 4*max(1, len(top.patches)) && t.snap == nil {
		return false
	}
	if t.whole && top.whole {
		return t.kind >= top.kind && (top.drops || !t.drops)
	}
	if (t.kind < derived || top.whole && top.drops) && a.gap > b.gap {
		return false // it leaves bytes without a meaning that have one, or are gone, after the best
	}
	if t.kind > top.kind || len(t.patches) < len(top.patches) && t.snap == nil {
		return true
	}
	return a.count[model.Warning] == b.count[model.Warning] && a.gap <= b.gap
}

// lowers tells whether a trial makes a number smaller.
func (t *trial) lowers() bool {
	is, _, err := t.field.span.Field.Codec.Decode(t.raw)
	return err != nil || is.Uint() < t.field.value.Uint()
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// means says what a cause means for the user.
func means(t *trial, base *verdict) string {
	n, left := base.problems(), t.res.problems()
	switch {
	case left == 0 && n == 1:
		return "It is the only thing that is wrong."
	case left == 0:
		return fmt.Sprintf("All %d problems come from it.", n)
	}
	if n-left == 1 {
		return fmt.Sprintf("One of %d problems comes from it.", n)
	}
	return fmt.Sprintf("%d of %d problems come from it.", n-left, n)
}

// maxRivals is how many other changes may do as well as a guess.
const maxRivals = 16

// pick makes a cause of the best trials; nil where the best says nothing.
func (r *jury) pick() (*Cause, *trial) {
	all := sorted(r.hits)
	top := all[0]
	var rivals []*trial
	for _, t := range all[1:] {
		if t.rivals(top) && !r.sameBytes(t, top) {
			rivals = append(rivals, t)
		}
	}
	rivals = r.lead(&top, rivals)
	if top.kind < derived && !top.whole && (len(rivals) > maxRivals || r.base.problems() <= top.res.problems()) {
		return nil, top // what so much else does as well, or what takes no problem away, says nothing of what happened
	}
	c := &Cause{Grade: Possible, Text: top.text, Means: top.means, Evidence: top.evidence, At: top.at}
	if len(rivals) == 0 && !top.lossy {
		c.Grade = Likely
		if r.proves(top) {
			c.Grade = Proven
		}
	}
	c.Evidence = append(c.Evidence, r.evidence(top, rivals)...)
	if c.Means == "" {
		c.Means = means(top, r.base)
	}
	c.Repairs = append(c.Repairs, r.offer(top, c.Grade == Proven && !top.lossy))
	seen := map[string]bool{top.label: true}
	for _, t := range append(rivals, r.others(all, top)...) {
		if len(c.Repairs) < 6 && !seen[t.label] && t.label != "" && (t.field != nil || !r.sameBytes(t, top)) {
			seen[t.label] = true
			c.Repairs = append(c.Repairs, r.offer(t, false))
		}
	}
	slices.SortStableFunc(c.Repairs, func(a, b *Repair) int { return b2i(a.Loses != "") - b2i(b.Loses != "") })
	return c, top
}

// others returns trials that make it better though not as good, of other fields: choices.
func (r *jury) others(all []*trial, top *trial) (out []*trial) {
	for _, t := range all {
		if t.kind == derived && len(out) < 3 && t != top {
			out = append(out, t)
		}
	}
	return out
}

// sameBytes tells whether two trials lead to the same file.
func (r *jury) sameBytes(a, b *trial) bool {
	if a.snap == nil && b.snap == nil { // a byte, and the number that it is of, may be the same change
		if len(a.patches) != 1 || len(b.patches) != 1 || !overlaps(a.patches, b.patches[0]) {
			return false
		}
	}
	x, err := r.reach(a)
	if err != nil {
		return false
	}
	y, err := r.reach(b)
	return err == nil && same(r.ctx, x, y)
}

// lead puts the field in front of which most speaks among trials that come to the same, and returns the rest.
func (r *jury) lead(top **trial, rivals []*trial) []*trial {
	all := append([]*trial{*top}, rivals...)
	weight := func(t *trial) (n int) {
		if t.lossy {
			return -100
		}
		if n = 3 * int(t.kind); t.repair {
			n = 2
		}
		if t.field != nil {
			if closeTo(t.field.raw, t.raw) {
				n += 5
			}
			if v, _, err := t.field.span.Field.Codec.Decode(t.raw); err == nil {
				with, against := r.clues.witnesses(t.field, v)
				n += 10 * (len(with) - len(against))
			}
		}
		return n - len(t.patches)
	}
	slices.SortStableFunc(all, func(a, b *trial) int { return weight(b) - weight(a) })
	*top = all[0]
	return all[1:]
}

// proves tells whether a trial that nothing else comes up to is proven: it leaves no error that is not there without it, loses
// nothing, does not make the evidence of a cut go away, and its value was either derived or the only one of all.
func (r *jury) proves(t *trial) bool {
	if t.lossy || t.unsure || t.res.fresh(r.base, model.Error) > 0 || r.cut && t.kind < derived && !t.whole {
		return false
	}
	if t.field != nil && r.unread(t) {
		return false // most of the file is still unexplained
	}
	if t.copies && t.res.clean() && r.base.count[model.Error] > 0 {
		to, err := r.reach(t)
		return err == nil && r.overwrites(to) <= maxRewrite
	}
	if r.own(t) {
		return !r.hides(t)
	}
	if r.base.count[model.Error] > 0 && t.res.count[model.Error] >= r.base.count[model.Error] {
		return false
	}
	if t.whole {
		return t.res.clean() || t.res.count[model.Error]*4 < r.base.count[model.Error]
	}
	if t.field != nil && t.kind < derived && t.res.fresh(r.base, model.Warning) > 0 && t.lowers() {
		return false
	}
	if t.field == nil && len(t.patches) > 2 && !t.safe {
		return false
	}
	if t.repair && (!t.safe || r.base.count[model.Error] == 0) || t.kind < derived && r.base.count[model.Error] == 0 {
		return false
	}
	if t.res.gap > r.base.gap {
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

// unread tells whether most of a field's file is explained by nothing after a trial.
func (r *jury) unread(t *trial) bool {
	size, err := r.base.tree.Size(r.ctx, t.field.space)
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
		if x := r.base.tree.Safe(f, r.base.tree.Fixes(r.ctx, f)); x != nil {
			if p := r.single(x); p != nil && string(p.with) == string(t.raw) {
				return true
			}
		}
	}
	return false
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

// evidence says in a few words what speaks for a trial.
func (r *jury) evidence(t *trial, rivals []*trial) (out []string) {
	gone := r.base.problems() - t.res.problems()
	switch {
	case r.base.format == nil:
		out = append(out, "what is left is read as "+t.format.Title)
	case t.res.clean():
		out = append(out, "the file has no error then")
	case gone > 0:
		out = append(out, plural(gone, "problem goes", "problems go")+" away with it")
	}
	if t.field != nil {
		if v, _, err := t.field.span.Field.Codec.Decode(t.raw); err == nil {
			with, _ := r.clues.witnesses(t.field, v)
			out = append(out, with...)
		}
	}
	if len(rivals) == 0 && t.kind <= near && t.field != nil {
		out = append(out, "nothing else that was tried does as well")
	}
	if len(rivals) > 0 {
		out = append(out, plural(len(rivals), "other change does", "other changes do")+" as well")
	}
	return out
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
	size, err := r.base.tree.Size(r.ctx, t.field.space)
	if err != nil || t.field.value.Uint()/1000 > max(uint64(size), is.Uint()) {
		return false // no file was ever that long
	}
	snap, err := r.reach(t)
	if err != nil {
		return true
	}
	v := judge(r.ctx, snap, r.base.format, false, -1)
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
				ends = ends || s.Range.End() == size && s.Range.Space == l.Field.Range.Space && s.Range.Len > 0
			}
		}
	}
	if s, err := v.tree.Find(r.ctx, t.field.path); err == nil && s.Parent() != nil && s.Parent().Parent() != nil {
		for i := range s.Parent().Count() {
			k := s.Parent().Child(i)
			ends = ends || k.Range.Off == s.Range.End() && k.Range.End() == size && k.Range.Len > 0
		}
	}
	return ends
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
		for _, e := range t.Format.Extents(r.ctx, t) {
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
			was, err := r.base.tree.Find(r.ctx, s.Path())
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

// way makes one of what happened to a file as a whole and a repair of a rule that undoes it, and returns what else was told.
func (r *jury) way(told []*Cause, c *Cause, top *trial) []*Cause {
	for i, t := range told {
		gone := 0
		for _, k := range t.Explains {
			gone += b2i(top.res.keys[key(&r.found[k])] < r.base.keys[key(&r.found[k])])
		}
		if top.repair && gone > 0 && 2*gone >= len(t.Explains) {
			c.Text, c.At, c.Evidence = t.Text, t.At, append(t.Evidence, c.Evidence...)
			return slices.Delete(told, i, i+1)
		}
	}
	return told
}
