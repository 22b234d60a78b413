package cause

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"hash"
	"slices"

	"spandrel/model"
)

// Which trials lead to the same bytes, however they describe it.

// mark identifies the bytes that a trial leads to: a hash of the changed bytes and their places, or of the whole
// file if its length changes. It is "" if that cannot be told.
func mark(r *search, t *trial) string {
	sum := sha256.New()
	short := t.snap == nil
	for _, p := range t.patches {
		short = short && int64(len(p.with)) == p.del
	}
	if short {
		patches := slices.Clone(t.patches)
		slices.SortFunc(patches, func(a, b patch) int { return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.off, b.off)) })
		for _, p := range patches {
			c, err := r.base.snap.Content(p.file)
			if err != nil {
				return ""
			}
			hashDifferent(sum, p.file, p.off, bytesAt(c, p.off, p.del), p.with)
		}
		return string(sum.Sum(nil))
	}
	to, err := r.reach(t)
	if err != nil || !markFiles(r, sum, to) {
		return ""
	}
	return string(sum.Sum(nil))
}

// remark marks the remaining trials again.
func remark(r *search) {
	r.marked = map[string]int{}
	for i, t := range r.hits {
		r.marked[mark(r, t)] = i
	}
}

// markFiles adds the differences between the document and another state.
func markFiles(r *search, sum hash.Hash, to *model.Snapshot) bool {
	names := changed(r.base.snap, to)
	slices.Sort(names)
	for _, name := range names {
		was, err := r.base.snap.Content(name)
		is, ierr := to.Content(name)
		if ierr != nil {
			fmt.Fprintf(sum, "%s is gone;", name)
			continue
		}
		if is.Len() > r.front {
			return false
		}
		whole := err != nil || was.Len() != is.Len()
		if whole {
			fmt.Fprintf(sum, "%s has %d;", name, is.Len())
		}
		step := min(is.Len(), 1<<16) // most files are small, and there may be a million of them
		a, b := make([]byte, step), make([]byte, step)
		for off := int64(0); off < is.Len() && r.all.Err() == nil; off += step {
			n, _ := is.ReadAt(b, off)
			if whole {
				sum.Write(b[:n])
				continue
			}
			was.ReadAt(a[:n], off)
			hashDifferent(sum, name, off, a[:n], b[:n])
		}
	}
	return true
}

// hashDifferent adds the bytes of b that differ from those of a.
func hashDifferent(sum hash.Hash, file string, off int64, a, b []byte) {
	for i := range a {
		if i < len(b) && a[i] != b[i] {
			fmt.Fprintf(sum, "%s %d %d;", file, off+int64(i), b[i])
		}
	}
}
