package cause

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/model/evidence"
)

// Several files in one, as cat writes them: what a trial removes at an end of a file may be a whole file of its own, and what follows the end of a file
// may be more files of its format.

const (
	surelyFile = 60 // confidence from which on bytes are a file of a format
	mostJoined = 64 // places at which one of several joined files may begin
)

// joinedAt returns where files of a format begin that follow each other in the main file, from a place on to its end, each with exactly the length that
// it states; nil if they do not.
func joinedAt(ctx context.Context, snap *model.Snapshot, f *model.Format, from int64) (starts []int64) {
	c, err := snap.Content(snap.Primary)
	if err != nil || c.Len() > maxTransform || from >= c.Len() {
		return nil
	}
	piece := func(at, end int64) *model.Content { return c.Splice(end, c.Len()-end, nil).Splice(0, at, nil) }
	marks := append(beginningsIn(bytesAt(c, 0, c.Len()), f, from), c.Len())
	for at := from; at < c.Len(); {
		ends := marks
		if n := statedLength(ctx, snap, f, piece(at, c.Len())); len(marks) == 1 && at+n < c.Len() {
			ends = []int64{at + n, c.Len()}
		}
		i := slices.IndexFunc(ends, func(end int64) bool { return end > at && isWhole(ctx, snap, f, piece(at, end)) })
		if i < 0 || ctx.Err() != nil || len(starts) == mostJoined {
			return nil
		}
		starts, at = append(starts, at), ends[i]
	}
	return starts
}

// filesIn returns where the files of a format begin that a content consists of, if it is one, or has such files at an end; nil if it is something else.
func filesIn(ctx context.Context, snap *model.Snapshot, f *model.Format, c *model.Content) []int64 {
	snap = snap.With(snap.Primary, c)
	v := judge(ctx, snap, f, nil)
	if v.failed {
		return nil
	}
	found, _ := v.tree.Findings()
	for i := range found {
		if at := found[i].Where(); at.Space == v.tree.Root.Range.Space && 0 < at.Len && at.Len < c.Len() && measures(found[i].Found, at.Len) {
			return filesAround(ctx, v.tree, at)
		}
	}
	if isWhole(ctx, snap, f, c) {
		return []int64{0}
	}
	return nil
}

// filesAround returns where the files of its format begin that a main file consists of if bytes at an end of it are such files; nil if they are not.
func filesAround(ctx context.Context, t *model.Tree, at model.Range) []int64 {
	c, err := t.Snapshot.Content(t.Snapshot.Primary)
	if err != nil || c.Len() > maxTransform || at.Off > 0 && at.End() < c.Len() {
		return nil
	}
	cut := cmp.Or(at.Off, at.Len)
	rest := joinedAt(ctx, t.Snapshot, t.Format, cut)
	if rest == nil {
		rest = filesIn(ctx, t.Snapshot, t.Format, c.Splice(0, cut, nil))
		for i := range rest {
			rest[i] += cut
		}
	}
	if front := filesIn(ctx, t.Snapshot, t.Format, c.Splice(cut, c.Len()-cut, nil)); front != nil && rest != nil {
		return append(front, rest...)
	}
	return nil
}

// statedLength is the exact length that a file states at the front of a content; 0 if it states none.
func statedLength(ctx context.Context, snap *model.Snapshot, f *model.Format, c *model.Content) int64 {
	v := judge(ctx, snap.With(snap.Primary, c), f, nil)
	if v.failed {
		return 0
	}
	for _, e := range statedBy(ctx, v.tree) {
		if !e.Least && !e.Guess {
			return e.Size
		}
	}
	return 0
}

// statedBy are the lengths that a main file states of itself.
func statedBy(ctx context.Context, t *model.Tree) []model.Extent {
	return slices.DeleteFunc(t.Extents(ctx), func(e model.Extent) bool { return e.File != "" && e.File != t.Snapshot.Primary })
}

// beginningsIn are the later places at which a file of a format may begin, by its magics.
func beginningsIn(b []byte, f *model.Format, from int64) (out []int64) {
	for _, m := range f.Magics {
		for at := from + 1; m.At == 0 && !m.Again && len(out) < mostJoined; at++ {
			i := bytes.Index(b[min(at, int64(len(b))):], []byte(m.Bytes))
			if i < 0 {
				break
			}
			at += int64(i)
			out = append(out, at)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// isWhole tells whether a content is recognised as a file of a format and has exactly the length that it states.
func isWhole(ctx context.Context, snap *model.Snapshot, f *model.Format, c *model.Content) bool {
	found, err := model.Choose(path.Base(snap.Primary), c, []*model.Format{f})
	if err != nil || len(found) == 0 || found[0].Confidence < surelyFile {
		return false
	}
	v := judge(ctx, snap.With(snap.Primary, c), f, nil)
	if v.failed || slices.ContainsFunc(v.bare, func(p Place) bool { return p.File == snap.Primary && p.Off+p.Len == c.Len() }) {
		return false // something follows its end
	}
	stated := statedBy(ctx, v.tree)
	if len(stated) == 0 {
		return v.clean()
	}
	return slices.ContainsFunc(stated, func(e model.Extent) bool { return e.Size == c.Len() && !e.Least && !e.Guess })
}

// joinedFiles reports a file that consists of several files of its format.
func joinedFiles(g *subject) {
	if starts := joinedAt(g.r.ctx, g.r.base.snap, g.r.base.format, 0); len(starts) > 1 && !sameThroughout(g, starts[1]) {
		g.joined(joined{starts: starts})
	}
}

// joined are files that are joined in one.
type joined struct {
	starts []int64 // where they begin
	kept   int     // the one that readers open
}

// joined tells that files are joined in this one, and offers to split them.
func (g *subject) joined(x joined) *Cause {
	c := g.tell(Likely, keepAll, []string{"each has exactly the length that it states"}, "%s", joinedText(x.starts))
	t := &trial{}
	if t.splits(g.r.base.snap, g.name, x) {
		c.Repairs = append(c.Repairs, g.r.offer(t, false))
	}
	return c
}

// splits tells that whole files are joined in the main file although readers accept it, and offers to split them. It returns false if it does not.
func (g *Diagnosis) splits(r *search) bool {
	name := r.base.snap.Primary
	c, err := r.base.snap.Content(name)
	if err != nil || r.base.format == nil || r.base.count[model.Error] > 0 {
		return false
	}
	for i, at := range g.atEnds(r.ctx) {
		if g.Findings[i].Detail == copied || g.Tree.FileName(at) != name {
			continue
		}
		x := joined{starts: filesAround(r.ctx, g.Tree, at)}
		if len(x.starts) < 2 {
			continue
		}
		if at.Off == 0 {
			x.kept = len(x.starts) - 1
		}
		s := subjectOf(r, name, c, false)
		s.joined(x).Explains = []int{i}
		g.tell(r, s.told)
		return true
	}
	return false
}

// keepAll is what to do about joined files.
const keepAll = "Readers open only one of them: split them to read all."

// joinedText says that files are joined.
func joinedText(starts []int64) string {
	return model.Words("%d files are joined in one: they begin at bytes %s.", len(starts), listed(starts))
}

// splits makes a trial the one that splits a file: one of the joined files stays, the others are written beside it. It tells whether they can be.
func (t *trial) splits(snap *model.Snapshot, file string, x joined) bool {
	c, err := snap.Content(file)
	if err != nil {
		return false
	}
	to, names := snap, []string(nil)
	stem := strings.TrimSuffix(file, path.Ext(file))
	for i, at := range x.starts {
		end, name := c.Len(), file
		if i+1 < len(x.starts) {
			end = x.starts[i+1]
		}
		for n := i + 1; i != x.kept; n++ {
			name = fmt.Sprintf("%s-%d%s", stem, n, path.Ext(file))
			if _, err := to.Content(name); err != nil {
				names = append(names, path.Base(name))
				break
			}
		}
		to = to.With(name, c.Splice(end, c.Len()-end, nil).Splice(0, at, nil))
	}
	t.op, t.snap, t.at, t.unsure, t.loses, t.fix, t.safe = rewriteFile, to, Place{File: file, Off: x.starts[1], Len: 1}, true, "", nil, false
	t.label = "split the file: write " + strings.Join(names, ", ") + " beside it"
	t.text, t.means, t.maybe = joinedText(x.starts), keepAll, ""
	t.event = &evidence.Event{Kind: evidence.Added, What: t.label}
	return true
}

// sameThroughout tells whether what follows a place in a file is the file again: then nothing is lost if it is removed.
func sameThroughout(g *subject, at int64) bool { return isAgain(g.b[at:], g.b[:at]) }

// listed are numbers in a sentence.
func listed(at []int64) string {
	words := make([]string, len(at))
	for i, x := range at {
		words[i] = model.Thousands(x)
	}
	if n := len(words) - 1; n > 0 {
		return strings.Join(words[:n], ", ") + " and " + words[n]
	}
	return strings.Join(words, "")
}

// soundAlone tells whether a content, as a file by itself, has no problems in a format.
func (r *search) soundAlone(file string, c *model.Content, f *model.Format) bool {
	name := path.Base(file)
	v := judge(r.ctx, (&model.Snapshot{Primary: name}).With(name, c), f, nil)
	return !v.failed && v.problems() == 0
}

// joinTrial makes a trial split the file if what it removes at an end is another file. A second copy, or a part of one, may go.
func joinTrial(r *search, t *trial) {
	if t.snap == nil || t.loses != "" && t.op != makeRepair {
		return
	}
	is, off, parts := removedAtEnd(r, t)
	if off == nil {
		return
	}
	f, sure := r.recognised(path.Base(t.at.File), off)
	if d := firstDifference(r.all, off, is, 0); f == nil || sure < surelyFile || d < 0 || d >= off.Len() {
		return // the rest begins with it: a transfer was restarted after it
	}
	if v := judge(r.ctx, r.base.snap.With(t.at.File, off), f, nil); !v.clean() || v.gap > 0 {
		more := joinedAt(r.ctx, r.base.snap, f, is.Len())
		if parts.kept > 0 || len(more) < 2 {
			return
		}
		parts.starts = append([]int64{0}, more...)
	}
	if !r.soundAlone(t.at.File, is, f) || !r.soundAlone(t.at.File, off, f) && len(parts.starts) == 2 {
		t.loses = "what these bytes contain" // a part of one file may begin as a file does
		return
	}
	t.splits(r.base.snap, t.at.File, parts)
}

// removedAtEnd is what a trial leaves of a file, and what it removes at one of its ends; nil if it does something else.
func removedAtEnd(r *search, t *trial) (is, off *model.Content, parts joined) {
	was, is, ok := both(r.base.snap, t.snap, t.at.File)
	if !ok || is.Len() >= was.Len() {
		return nil, nil, joined{}
	}
	n := was.Len() - is.Len()
	switch {
	case firstDifference(r.all, was, is, 0) >= is.Len():
		return is, was.Splice(0, is.Len(), nil), joined{starts: []int64{0, is.Len()}}
	case firstDifference(r.all, was.Splice(0, n, nil), is, 0) < 0:
		return is, was.Splice(n, is.Len(), nil), joined{starts: []int64{0, n}, kept: 1}
	}
	return nil, nil, joined{}
}
