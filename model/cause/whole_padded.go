package cause

import (
	"spandrel/model"
	"spandrel/model/evidence"
)

// paddedTogether tries to remove the zeros that follow the end of several files, as copies to media with blocks leave them: while one of them is padded, the
// document stays wrong.
func paddedTogether(r *search, names []string) {
	t := &trial{kind: derived, op: rewriteFile, snap: r.base.snap, label: "remove the zeros after the end of each", means: "What precedes them is complete."}
	n := int64(0)
	for _, name := range names {
		c, err := r.base.snap.Content(name)
		e, known := r.extents[name]
		if err != nil || !known || e.Least || e.Guess || e.Size <= 0 || e.Size >= c.Len() || c.Len()-e.Size > r.front || !allOf(bytesAt(c, e.Size, c.Len()-e.Size), 0) {
			continue
		}
		t.snap = t.snap.With(name, c.Splice(e.Size, c.Len()-e.Size, nil))
		if n++; n == 1 {
			t.at = Place{File: name, Off: e.Size, Len: c.Len() - e.Size}
		}
	}
	if n < 2 {
		return
	}
	t.text = model.Words("Zeros follow the end of %s: they were padded.", model.Count(n, "files"))
	t.event = &evidence.Event{Kind: evidence.Added, What: t.label}
	r.run([]*trial{t})
}
