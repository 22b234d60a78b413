package cause

import (
	"fmt"
	"path"
)

// Two files in one: what a trial removes at an end of a file may be a whole file of its own.

// surelyFile is the confidence from which on bytes are a file of a format.
const surelyFile = 60

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
		return
	}
	t.text = fmt.Sprintf("Two files are joined in %s: its %s %s are a file of their own (%s).", t.at.File, which, amountOf(n), f.Title)
	t.means, t.loses = "Split them there to keep both.", "the file that they form"
}
