package cause

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"spandrel/model"
)

// What a repair overwrites, and what it only moves.

// maxRewrite is how many existing bytes a safe repair of a rule may overwrite: one that replaces more also replaces bytes that
// were right.
const maxRewrite = 8

// maxOrphaned is the longest run of bytes that is examined.
const maxOrphaned = 1 << 20

// renamedIn tells whether another state has the content of a file under another name instead.
func renamedIn(r *search, name string, to *model.Snapshot) bool {
	was, err := r.base.snap.Content(name)
	return err == nil && slices.ContainsFunc(changed(r.base.snap, to), func(other string) bool {
		is, err := to.Content(other)
		return err == nil && other != name && is.Len() == was.Len() && is.Len() <= r.front && firstDifference(r.all, was, is, 0) < 0
	})
}

// renamedFolder is the name that a folder of several files has in another state, and the one that it has now, if nothing else differs; otherwise "".
func renamedFolder(r *search, to *model.Snapshot) (name, now string) {
	var gone, fresh []string
	for _, file := range changed(r.base.snap, to) {
		if _, err := to.Content(file); err != nil {
			gone = append(gone, file)
		} else {
			fresh = append(fresh, file)
		}
	}
	if len(gone) < 2 || len(gone) != len(fresh) {
		return "", ""
	}
	name, now = path.Dir(fresh[0]), path.Dir(gone[0])
	for _, file := range gone {
		rest, inside := strings.CutPrefix(file, now+"/")
		if !inside || !slices.Contains(fresh, name+"/"+rest) || !renamedIn(r, file, to) {
			return "", ""
		}
	}
	return name, now
}

// bytesWritten is the number of bytes that a patch overwrites with different ones. Zeros do not count, because they carry no information.
func bytesWritten(r *search, q model.Patch) int64 {
	c, err := r.base.snap.Content(q.File)
	if err != nil || q.Del > 4096 {
		return q.Del
	}
	b := bytesAt(c, q.Off, q.Del)
	if q.With != nil && q.With.Len() == q.Del {
		is := make([]byte, q.Del)
		q.With.ReadAt(is, 0)
		for i := range b {
			if b[i] == is[i] {
				b[i] = 0
			}
		}
	}
	return q.Del - int64(bytes.Count(b, []byte{0}))
}

// overwrites counts the bytes of files that a trial replaces or removes, except zeros and the content of lost sectors.
func (r *ranking) overwrites(to *model.Snapshot) (n int64) {
	for _, name := range changed(r.base.snap, to) {
		was, err := r.base.snap.Content(name)
		is, ierr := to.Content(name)
		switch {
		case err != nil:
			continue // a new file
		case ierr != nil && renamedIn(r.search, name, to):
			continue
		case ierr != nil || max(was.Len(), is.Len()) > r.front:
			return max(n, was.Len())
		}
		a, b := bytesAt(was, 0, was.Len()-commonEnd(was, is, min(was.Len(), is.Len()))), bytesAt(is, 0, is.Len())
		for i, x := range a {
			if (i >= len(b) || x != b[i]) && x != 0 && !isLost(r.search, name, int64(i)) {
				n++
			}
		}
	}
	return n
}

// orphaned counts the bytes that have a meaning before a trial and none after it, except zeros: a corrected number
// leads to everything that it led to, and leaves nothing unexplained.
func (t *trial) orphaned(base *verdict) (n int64) {
	if len(t.res.bare) >= maxBare || len(base.bare) >= maxBare {
		return 0 // not all are known
	}
	front := t.front(base)
	for _, is := range t.res.bare {
		if is.File == t.at.File {
			is.Off += front
		}
		c, err := base.snap.Content(is.File)
		if err != nil || is.Len > maxOrphaned {
			continue
		}
		b := bytesAt(c, is.Off, is.Len)
		for _, was := range base.bare {
			if from, to := max(is.Off, was.Off), min(is.Off+int64(len(b)), was.Off+was.Len); was.File == is.File && from < to {
				clear(b[from-is.Off : to-is.Off])
			}
		}
		n += int64(len(b) - bytes.Count(b, []byte{0}))
	}
	return n
}

// front is how many bytes a trial removes from the front of its file.
func (t *trial) front(base *verdict) int64 {
	if t.op != trimFile {
		return 0
	}
	was, is, ok := both(base.snap, t.snap, t.at.File)
	if !ok || was.Len() <= is.Len() || commonEnd(was, is, is.Len()) < is.Len() {
		return 0
	}
	return was.Len() - is.Len()
}

func isLost(r *search, file string, off int64) bool {
	return slices.ContainsFunc(r.lost, func(p Place) bool { return p.File == file && off >= p.Off && off < p.Off+p.Len })
}

// sacrifices tells whether a trial reduces the errors by reading less: bytes lose their meaning; or a number decreases, leaving fewer structures
// and unexplained bytes; or it becomes zero.
func (r *search) sacrifices(t *trial) bool {
	was, is, ok := t.numbers()
	if r.base.format == nil || !ok {
		return false
	}
	switch {
	case t.kind < derived && t.orphaned(r.base) > 0:
		return true
	case len(t.field.span.Field.Enum) > 0:
		return t.res.gap > r.base.gap // a named value does not count anything
	case is >= was:
		return false
	}
	return is == 0 && t.kind < derived && (t.res.gap > 0 || was > 1 && t.res.nodes <= r.base.nodes) || t.res.gap > r.base.gap || t.res.holes[t.field.file] > 0 && (t.res.nodes < r.base.nodes || t.kind < derived && t.res.nodes == r.base.nodes)
}
