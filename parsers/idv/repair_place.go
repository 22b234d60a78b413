package idv

import (
	"fmt"
	"slices"
	"sort"

	"spandrel/model"
)

// The place and the length of a block are stated once. If they are wrong, the bytes themselves tell: a block that inflates to the
// expected values is at an unused place, or ends elsewhere than stated.

const (
	maxHoles = 64      // number of places tried
	maxProbe = 4 << 20 // bytes tried at these places
)

// located is a block that exists somewhere, and the fields that state its place.
type located struct {
	contents
	sh           *shape
	off, n       int64 // in the stream
	offAt, lenAt int64 // where the fields are in the stream
	decAt        int64 // offset of the inflated length; 0: none
	fixes        []model.Fix
}

// located is the block that the finding is about.
func (r repairing) located() *located {
	if m := r.about.meta; m != nil && r.column != nil {
		sh := r.stream.metaShape(r.column, m)
		return &located{sh: &sh, off: m.off, n: m.said, offAt: m.offAt - r.stream.base, lenAt: m.lenAt - r.stream.base, contents: r.contents}
	}
	e := r.extent
	if e == nil && r.sh != nil && r.sh.meta == nil {
		if x, ok := r.entryOf(r.sh.col, r.sh.k); ok {
			e = &x
		}
	}
	if e == nil || !r.stream.cols[e.col].readable() {
		return nil
	}
	sh, at := r.stream.shape(*e), r.stream.entryAt(*e)-r.stream.base
	return &located{sh: &sh, off: e.off, n: int64(e.n), offAt: at, lenAt: at + 8, decAt: at + 12, contents: r.contents}
}

// repairs are the values of one of the numbers with which the block is valid.
func (l *located) repairs() []model.Fix {
	if _, n, ok := l.at(l.off, l.n, l.sh.declared); ok && n == l.n {
		return nil // it is right
	}
	if _, n, ok := l.at(l.off, l.stream.room(l.off), l.sh.declared); ok {
		l.offer(l.lenAt, n, "length")
		if len(l.fixes) == 1 && n == l.stream.room(l.off) && n < l.n { // it ends where the next one starts
			l.fixes[0].Safe = true
			return l.fixes
		}
	}
	if l.decAt > 0 {
		if b, n, ok := l.at(l.off, l.n, -1); ok && n == l.n {
			l.offer(l.decAt, int64(len(b)), "decompressedLength")
		}
	}
	if l.n > 0 && l.n <= maxProbe {
		l.inHoles()
	}
	for i := range l.fixes {
		l.fixes[i].Safe = len(l.fixes) == 1
	}
	return l.fixes
}

// inHoles offers places in unreferenced bytes at which the block is valid.
func (l *located) inHoles() {
	for _, h := range l.stream.holes[:min(int64(len(l.stream.holes)), maxHoles, maxProbe/l.n)] {
		if l.ctx.Err() != nil {
			return
		}
		if _, n, ok := l.at(h[0], min(l.n, h[1]-h[0]), l.sh.declared); ok && n == l.n {
			l.offer(l.offAt, h[0], "offset")
		}
	}
}

// at tells whether the block is valid at an offset, and how many of n bytes it takes. It inflates to what is declared; to b if that is -1.
func (l *located) at(off, n, declared int64) (b []byte, taken int64, ok bool) {
	if off < headerSize || n <= 0 || n > l.stream.size-off || n > maxProbe {
		return nil, 0, false
	}
	sh := *l.sh
	sh.declared, sh.at = declared, model.Range{Space: l.stream.space, Off: l.stream.base + off, Len: n}
	return l.try(sh)
}

// offer sets a number.
func (l *located) offer(at, v int64, name string) {
	if e := l.setField(at, v); e != nil {
		l.fixes = append(l.fixes, model.Fix{Label: fmt.Sprintf("set %s to %d, where the block is intact", name, v), Edits: e})
	}
}

// room is how many bytes there are from an offset to whatever starts next.
func (s *stream) room(off int64) int64 {
	next := s.bound
	if i, _ := slices.BinarySearch(s.starts, off+1); i < len(s.starts) {
		next = min(next, s.starts[i])
	}
	if i := sort.Search(len(s.blocks), func(i int) bool { return s.blocks[i].off > off }); i < len(s.blocks) {
		next = min(next, s.blocks[i].off)
	}
	return next - off
}

// placeRepairs find which of the numbers that locate a block, or a value of metadata, the bytes contradict, and its right value.
func placeRepairs(r repairing) []model.Fix {
	if l := r.located(); l != nil {
		return l.repairs()
	}
	return nil
}

// metaValueRepairs are those for an unreadable value: another place, another compression, or none.
func metaValueRepairs(r repairing) []model.Fix {
	return slices.Concat(placeRepairs(r), metaKindRepairs(r), dropEntryRepairs(r))
}
