package cause

import (
	"bytes"
	"slices"

	"spandrel/model"
)

// What a repair writes over, and what it only moves.

// maxRewrite is how many bytes that are there a repair of a rule may write over and be safe: what replaces more replaces something that
// was right.
const maxRewrite = 8

// moved tells whether a file is gone in another state, and its bytes are there under a new name.
func (r *search) moved(name string, to *model.Snapshot) bool {
	was, err := r.base.snap.Content(name)
	if _, left := to.Content(name); err != nil || left == nil {
		return false
	}
	return slices.ContainsFunc(changed(r.base.snap, to), func(other string) bool {
		is, err := to.Content(other)
		return err == nil && is.Len() == was.Len() && is.Len() <= maxTransform && firstDifference(r.all, was, is, 0) < 0
	})
}

// written is how many bytes a patch writes over that are not zero: zeros say nothing that could be right.
func (r *search) written(q model.Patch) int64 {
	c, err := r.base.snap.Content(q.File)
	if err != nil || q.Del > 4096 {
		return q.Del
	}
	b := make([]byte, q.Del)
	n, _ := c.ReadAt(b, q.Off)
	return q.Del - int64(bytes.Count(b[:n], []byte{0}))
}

// overwrites counts the bytes that stand in files and not after a trial: zeros, and those of sectors that hold something else, left out.
func (r *jury) overwrites(to *model.Snapshot) (n int64) {
	for _, name := range changed(r.base.snap, to) {
		was, err := r.base.snap.Content(name)
		is, ierr := to.Content(name)
		switch {
		case err != nil:
			continue // it is new
		case ierr != nil && r.moved(name, to):
			continue
		case ierr != nil || max(was.Len(), is.Len()) > maxTransform:
			return max(n, was.Len())
		}
		a, b := make([]byte, was.Len()), make([]byte, is.Len())
		was.ReadAt(a, 0)
		is.ReadAt(b, 0)
		if len(b) > len(a) && commonEnd(was, is, was.Len())+max(0, firstDifference(r.all, was, is, 0)) >= was.Len() {
			continue // something was put in
		}
		end := 0 // how many of the last bytes are the same, where the lengths differ
		for len(a) != len(b) && end < min(len(a), len(b)) && a[len(a)-1-end] == b[len(b)-1-end] {
			end++
		}
		for i := range a[:len(a)-end] {
			if (i >= len(b) || a[i] != b[i]) && a[i] != 0 && !r.isLost(name, int64(i)) {
				n++
			}
		}
	}
	return n
}

func (r *search) isLost(file string, off int64) bool {
	return slices.ContainsFunc(r.lost, func(p Place) bool { return p.File == file && off >= p.Off && off < p.Off+p.Len })
}
