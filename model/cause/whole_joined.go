package cause

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"spandrel/model"
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
	starts := joinedAt(g.r.ctx, g.r.base.snap, g.r.base.format, 0)
	if len(starts) < 2 || sameThroughout(g, starts[1]) {
		return
	}
	g.tell(Likely, keepAll, []string{"each has exactly the length that it states"}, "%s", joinedText(starts))
}

// keepAll is what to do about joined files.
const keepAll = "Split them there to keep all. Readers open the first one only."

// joinedText says that files are joined.
func joinedText(starts []int64) string {
	return model.Words("%d files are joined in one: they begin at bytes %s.", len(starts), listed(starts))
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

// joinTrial marks a trial as lossy if what it removes at an end is another file. A second copy, or a part of one, is no loss.
func joinTrial(r *search, t *trial) {
	if t.snap == nil || t.loses != "" && t.op != makeRepair {
		return
	}
	was, is, ok := both(r.base.snap, t.snap, t.at.File)
	if !ok || is.Len() >= was.Len() {
		return
	}
	n, at := was.Len()-is.Len(), is.Len()
	which := "last"
	if firstDifference(r.all, was, is, 0) < is.Len() {
		if at, which = 0, "first"; firstDifference(r.all, was.Splice(0, n, nil), is, 0) >= 0 {
			return
		}
	}
	off := was.Splice(at+n, was.Len()-at-n, nil).Splice(0, at, nil)
	f, sure := r.recognised(path.Base(t.at.File), off)
	if d := firstDifference(r.all, off, is, 0); f == nil || sure < surelyFile || d < 0 || d >= n {
		return // the rest begins with it: a transfer was restarted after it
	}
	if v := judge(r.ctx, r.base.snap.With(t.at.File, off), f, nil); !v.clean() || v.gap > 0 {
		if starts := joinedAt(r.ctx, r.base.snap, f, at); at > 0 && len(starts) > 1 {
			t.text, t.means, t.loses = joinedText(append([]int64{0}, starts...)), keepAll, "the files that follow"
		}
		return
	}
	t.text = fmt.Sprintf("Two files are joined in %s: its %s %s are a file of their own (%s).", t.at.File, which, amountOf(n), f.Title)
	t.means, t.loses = "Split them there to keep both.", "the file that they form"
}
