package align

import (
	"context"
	"sort"
	"sync"

	"spandrel/model"
)

// Bytes are compared in sequence, not by offset: after bytes that only one side has, the alignment is found again, so
// that one inserted byte is one difference. It is searched for in windows of growing size, each a limited number of times in a comparison: bytes
// that moved further than the largest window are not found.

// alignWindows are the window sizes for realignment, and how often each is tried.
var alignWindows = []struct{ size, tries int64 }{{4 << 10, 20_000}, {64 << 10, 1000}, {1 << 20, 40}}

const (
	alignWord   = 16 // bytes that have to be alike for a place to be tried
	alignLeast  = 32 // and then, for both sides to go on there
	alignClean  = 64 // equal bytes after a difference that make it a difference of values
	alignedStep = 8  // runs that fewer equal bytes part are one
	alignRead   = 2 << 20
)

// SideBytes is one of the two sides, read piece by piece.
type SideBytes struct {
	read func(ctx context.Context, off, n int64) ([]byte, error)
	size int64
	buf  []byte
	off  int64 // of buf
}

// SideOf is a range of a tree as a side.
func SideOf(t *model.Tree, r model.Range) SideBytes {
	return SideBytes{size: r.Len, read: func(ctx context.Context, off, n int64) ([]byte, error) {
		return t.Bytes(ctx, model.Range{Space: r.Space, Off: r.Off + off, Len: n})
	}}
}

// sideIn is n bytes of a file from an offset on as a side.
func sideIn(c *model.Content, from, size int64) SideBytes {
	return SideBytes{size: size, read: func(ctx context.Context, off, n int64) ([]byte, error) {
		b := make([]byte, n)
		if _, err := c.ReadAt(b, from+off); err != nil {
			return nil, err
		}
		return b, ctx.Err()
	}}
}

// at returns n bytes from an offset on, or fewer at the end.
func (s *SideBytes) at(ctx context.Context, off, n int64) ([]byte, error) {
	n = max(0, min(n, s.size-off))
	if off < s.off || off+n > s.off+int64(len(s.buf)) {
		b, err := s.read(ctx, off, min(alignRead, s.size-off))
		if err != nil {
			return nil, err
		}
		s.buf, s.off = b, off
	}
	return s.buf[off-s.off:][:n], nil
}

// Aligner compares two sides.
type Aligner struct {
	A, B  SideBytes
	tries []int64 // that are left of each window
}

// Runs passes the differences to f, in order, until f returns false: Off and New are bytes of a, OldOff and Old those of b in their place.
func (w *Aligner) Runs(ctx context.Context, progress func(done, total int64), f func(model.Changed) bool) error {
	for _, x := range alignWindows {
		w.tries = append(w.tries, x.tries)
	}
	for i, j := int64(0), int64(0); ; {
		n, err := w.equal(ctx, i, j, progress)
		if err != nil {
			return err
		}
		i, j = i+n, j+n
		here, there, err := w.different(ctx, i, j)
		if err != nil || here+there == 0 || !f(model.Changed{Off: i, New: here, OldOff: j, Old: there}) {
			return err
		}
		i, j = i+here, j+there
	}
}

// different counts the bytes of both sides, from two places on, until both are equal again: to the ends if one side has ended.
func (w *Aligner) different(ctx context.Context, i, j int64) (here, there int64, err error) {
	for i+here < w.A.size && j+there < w.B.size {
		p, q, err := w.both(ctx, i+here, j+there, 1)
		if err != nil || p[0] == q[0] {
			return here, there, err
		}
		x, y, err := w.next(ctx, i+here, j+there)
		if err != nil {
			return 0, 0, err
		}
		here, there = here+x, there+y
	}
	return w.A.size - i, w.B.size - j, nil
}

// equal counts the equal bytes from two places on.
func (w *Aligner) equal(ctx context.Context, i, j int64, progress func(done, total int64)) (n int64, err error) {
	for {
		progress(i+n, w.A.size)
		p, q, err := w.both(ctx, i+n, j+n, 64<<10)
		if err != nil {
			return n, err
		}
		same := alike(p, q)
		n += int64(same)
		if same < len(p) || same < len(q) || same == 0 {
			return n, ctx.Err()
		}
	}
}

func (w *Aligner) both(ctx context.Context, i, j, n int64) (p, q []byte, err error) {
	if p, err = w.A.at(ctx, i, n); err == nil {
		q, err = w.B.at(ctx, j, n)
	}
	return p, q, err
}

// next counts the bytes of both sides, from two different ones on, until both are equal again.
func (w *Aligner) next(ctx context.Context, i, j int64) (here, there int64, err error) {
	p, q, err := w.both(ctx, i, j, 64<<10)
	if err != nil {
		return 0, 0, err
	}
	stay := differingFor(p, q)
	same := alike(p[stay:], q[stay:])
	if ends := i+int64(stay+same) == w.A.size && j+int64(stay+same) == w.B.size; same >= alignClean || same > 0 && ends {
		return int64(stay), int64(stay), nil
	}
	for k, x := range alignWindows {
		if w.tries[k] == 0 {
			continue
		}
		w.tries[k]--
		if p, q, err = w.both(ctx, i, j, x.size); err != nil {
			return 0, 0, err
		}
		if x, y, ok := meeting(p, q); ok && alike(p[x:], q[y:]) > same {
			return int64(x), int64(y), ctx.Err()
		}
	}
	return int64(stay), int64(stay), ctx.Err()
}

// differingFor counts the bytes before the first equal ones at the same place.
func differingFor(p, q []byte) int {
	same := 0
	for k := range min(len(p), len(q)) {
		if p[k] != q[k] {
			same = 0
		} else if same++; same == alignedStep {
			return k + 1 - same
		}
	}
	return min(len(p), len(q)) - same
}

// alike counts the equal bytes at the front.
func alike(p, q []byte) (n int) {
	for most := min(len(p), len(q)); n < most && p[n] == q[n]; n++ {
	}
	return n
}

// alikeBefore counts the equal bytes at the end.
func alikeBefore(p, q []byte) (n int) {
	for most := min(len(p), len(q)); n < most && p[len(p)-1-n] == q[len(q)-1-n]; n++ {
	}
	return n
}

// wordsOf returns where the words of one side are; -1 for those that occur more than once.
func wordsOf(p []byte) map[string]int {
	words := make(map[string]int, len(p)/alignWord)
	for k := 0; k+alignWord <= len(p); k += alignWord {
		if k+2*alignWord > len(p) { // the last one is that of the end
			k = len(p) - alignWord
		}
		word := string(p[k : k+alignWord])
		if _, twice := words[word]; twice {
			words[word] = -1
		} else {
			words[word] = k
		}
	}
	return words
}

// meeting finds where two different sides continue with the same bytes, skipping as few as possible: by words that occur only
// once in one of them.
func meeting(p, q []byte) (here, there int, ok bool) {
	words, best := wordsOf(p), len(p)+len(q)+1
	for y := 0; y+alignWord <= len(q) && y < best; y++ {
		x, known := words[string(q[y:y+alignWord])]
		if !known || x < 0 {
			continue
		}
		n, back := alike(p[x:], q[y:]), alikeBefore(p[:x], q[:y])
		end := x+n == len(p) && y+n == len(q)
		if skipped := x + y - 2*back; skipped < best && (back+n >= alignLeast || end) {
			here, there, best, ok = x-back, y-back, skipped, true
		}
	}
	return here, there, ok
}

// alignMost is how many bytes are searched for unchanged content after a change that rewrote them.
const alignMost = 16 << 20

// Exactly narrows rewritten runs of a file to the bytes that really differ.
func Exactly(ctx context.Context, now, was *model.Content, runs []model.Changed) (out []model.Changed) {
	total := int64(0)
	for _, c := range runs {
		total += c.New + c.Old
	}
	if total > alignMost {
		return runs
	}
	for _, c := range runs {
		w := Aligner{A: sideIn(now, c.Off, c.New), B: sideIn(was, c.OldOff, c.Old)}
		err := w.Runs(ctx, func(_, _ int64) {}, func(x model.Changed) bool {
			out = append(out, model.Changed{Off: c.Off + x.Off, New: x.New, OldOff: c.OldOff + x.OldOff, Old: x.Old})
			return true
		})
		if err != nil {
			return runs
		}
	}
	return out
}

// ExactRuns caches the result of Exactly for a file.
type ExactRuns struct {
	mu       sync.Mutex
	now, was *model.Snapshot
	file     string
	runs     []model.Changed
}

// Of is Exactly for a file in two states of a document, for workers.
func (e *ExactRuns) Of(ctx context.Context, now, was *model.Snapshot, file string, runs []model.Changed) []model.Changed {
	if len(runs) == 0 {
		return runs
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.now == now && e.was == was && e.file == file {
		return e.runs
	}
	a, err := now.Content(file)
	b, wasErr := was.Content(file)
	if err != nil || wasErr != nil {
		return runs
	}
	if runs = Exactly(ctx, a, b, runs); ctx.Err() == nil {
		e.now, e.was, e.file, e.runs = now, was, file, runs
	}
	return runs
}

// Alignment is how the bytes of two compared documents correspond, by the spaces of the first.
type Alignment struct {
	mu   sync.Mutex
	runs map[model.SpaceID][]model.Changed
}

// NewAlignment makes an alignment without known differences.
func NewAlignment() *Alignment { return &Alignment{runs: map[model.SpaceID][]model.Changed{}} }

// Note adds the next differing run of a space.
func (l *Alignment) Note(space model.SpaceID, c model.Changed) {
	l.mu.Lock()
	l.runs[space] = append(l.runs[space], c)
	l.mu.Unlock()
}

// Of returns the runs of a space of the first document, from its side or, with back, from the other's.
func (l *Alignment) Of(space model.SpaceID, back bool) []model.Changed {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.runs[space]
	list = list[:len(list):len(list)]
	if !back {
		return list
	}
	out := make([]model.Changed, len(list))
	for i, c := range list {
		out[i] = model.Changed{Off: c.OldOff, New: c.Old, OldOff: c.Off, Old: c.New}
	}
	return out
}

// Opposed returns the place on the other side of a byte, for how many bytes that is so, and whether they have counterparts there.
func Opposed(runs []model.Changed, off int64) (to, n int64, paired bool) {
	const rest = 1 << 62
	k := sort.Search(len(runs), func(k int) bool { return runs[k].Off > off })
	n = rest
	if k < len(runs) {
		n = runs[k].Off - off
	}
	if k == 0 {
		return off, n, true
	}
	c := runs[k-1]
	if off >= c.Off+c.New {
		return off + c.OldOff + c.Old - c.Off - c.New, n, true
	}
	in := off - c.Off
	return c.OldOff + min(in, c.Old), c.New - in, c.New == c.Old
}

// FileLike returns the file of b that corresponds to a file of a: the main file to the main file, others by name.
func FileLike(a, b *model.Tree, sp *model.Space) model.SpaceID {
	if sp.ID == a.Root.Range.Space {
		return b.Root.Range.Space
	}
	for _, s := range b.Spaces() {
		if s.File == sp.File && !s.Derived() && s.ID != b.Root.Range.Space {
			return s.ID
		}
	}
	return model.NoSpace
}
