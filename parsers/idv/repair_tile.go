package idv

import (
	"slices"
	"sort"

	"spandrel/model"
)

// A block that shares bytes with another while as many beside it belong to nobody is said to be a little off: at one place all bytes have
// one owner.

// tiles offers the place of the block of the finding, or of one that it shares bytes with, where it touches no other and fills a hole.
func (r repairing) tiles() (fixes []model.Fix) {
	if r.finding.Rule != blockOverlap || r.extent == nil {
		return nil
	}
	for _, e := range append([]extent{*r.extent}, r.beside(*r.extent)...) {
		if !r.cols[e.col].readable() {
			continue
		}
		b := r
		b.extent = &e
		l := b.located()
		if l == nil {
			continue
		}
		for _, off := range r.places(e) {
			if n, ok := l.at(off, int64(e.n), l.sh.declared); ok && n == int64(e.n) {
				l.offer(l.offAt, off, "offset")
			}
		}
		fixes = append(fixes, l.fixes...)
	}
	if len(fixes) == 1 {
		fixes[0].Safe = true
	}
	return fixes
}

// beside are the blocks that share bytes with one and stand next to it in the file.
func (s *stream) beside(e extent) (out []extent) {
	i := sort.Search(len(s.blocks), func(i int) bool { return s.blocks[i].off >= e.off })
	for _, o := range s.blocks[max(0, i-2):min(len(s.blocks), i+3)] {
		if (o.col != e.col || o.k != e.k) && o.off < e.end() && e.off < o.end() {
			out = append(out, o)
		}
	}
	return out
}

// places are where a block fills a hole that touches it, and shares no byte with anything.
func (s *stream) places(e extent) (out []int64) {
	for _, h := range s.holes[:min(len(s.holes), maxHoles)] {
		for _, off := range []int64{h[0], h[1] - int64(e.n)} {
			touches := h[0] <= e.end() && e.off <= h[1]
			if off != e.off && off >= headerSize && touches && !slices.Contains(out, off) && s.alone(e, off) {
				out = append(out, off)
			}
		}
	}
	return out
}

// alone tells whether a block would share no byte with another structure at an offset.
func (s *stream) alone(e extent, off int64) bool {
	end := off + int64(e.n)
	if i, _ := slices.BinarySearch(s.starts, off); end > s.bound || i < len(s.starts) && s.starts[i] < end {
		return false
	}
	i := sort.Search(len(s.blocks), func(i int) bool { return s.blocks[i].off >= off })
	for _, o := range s.blocks[max(0, i-3):min(len(s.blocks), i+3)] {
		if (o.col != e.col || o.k != e.k) && o.off < end && off < o.end() {
			return false
		}
	}
	return true
}
