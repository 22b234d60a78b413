package idv

import (
	"fmt"
	"slices"
	"sort"

	"spandrel/model"
	"spandrel/parsers/idv/block"
)

// Blocks that share bytes: the offset of one of them is wrong. Its own bytes are then referenced by nothing, which tells where it was.

// maxMisplaced is the longest block that is read where it may have been.
const maxMisplaced = 4 << 20

// checkMisplaced finds which of two blocks that share bytes is at a wrong place: the one that left a gap. If two entries refer to the very same bytes, that
// may be intended otherwise, and which of them is wrong is what the order of their columns suggests.
func checkMisplaced(s *stream, peek peek) {
	s.strays = map[extent]bool{}
	for i := range s.findings {
		f := &s.findings[i]
		if f.rule != blockOverlap || f.about.other == nil {
			continue
		}
		two := [2]extent{*f.about.extent, *f.about.other}
		e, to, ok := misplaced(&s.division, peek, two)
		if !ok || s.strays[e] {
			continue
		}
		s.strays[e] = true
		other, same := two[0], two[0].off == two[1].off
		if other == e {
			other = two[1]
		}
		if same {
			s.clashes = append(s.clashes, two)
		}
		*f = finding{rule: blockMisplaced, at: s.entryAt(e), n: 8, found: fmt.Sprintf("0x%x", e.off), set: intOf(to), ask: same, about: f.about, related: f.related,
			message: model.Words("%s lies in %s, and nothing refers to the %d bytes at 0x%x, exactly its length", s.blockName(e), s.blockName(other), e.n, s.base+to)}
	}
}

// misplaced is the one of two blocks that share bytes that left a gap, and where that is. If either can have left it, it is the one that is out of the order
// of its column.
func misplaced(s *division, peek peek, two [2]extent) (e extent, to int64, ok bool) {
	var out []extent
	for _, e := range two {
		if at, ok := holeOf(s, e); ok && holds(s, peek, e, at) {
			out, to = append(out, e), at // both are as long as the gap
		}
	}
	if len(out) == 2 {
		out = slices.DeleteFunc(out, func(e extent) bool { return between(s, e, e.off) || !between(s, e, to) })
	}
	if len(out) != 1 {
		return extent{}, 0, false
	}
	return out[0], to, true
}

// holds tells whether bytes at an offset are values for a block that is not compressed.
func holds(s *division, peek peek, e extent, at int64) bool {
	c := s.cols[e.col]
	return c.compression == 0 && c.readable() && e.n <= maxMisplaced && block.Fits(c.codec, peek(s.base+at, int64(e.n)), s.rowsOf(c, int64(e.k)))
}

// suspects are the blocks whose bytes may be those of others.
func suspects(s *division) map[extent]bool {
	out := map[extent]bool{}
	for _, two := range s.clashes {
		known := s.strays[two[0]] || s.strays[two[1]]
		for _, e := range two {
			if !known || s.strays[e] {
				out[e] = true
			}
		}
	}
	return out
}

// holeOf is where a block may have been: the only unreferenced bytes that are exactly as long, if all bytes where it is now belong to others.
func holeOf(s *division, e extent) (at int64, ok bool) {
	n := 0
	for _, h := range s.holes {
		if h[1]-h[0] == int64(e.n) {
			at, n = h[0], n+1
		}
	}
	return at, n == 1 && covered(s, e)
}

// covered tells whether every byte of a block belongs to others too.
func covered(s *division, e extent) bool {
	to := e.off
	last := sort.Search(len(s.blocks), func(i int) bool { return s.blocks[i].off >= e.end() })
	for _, o := range s.blocks[:last] {
		if o.off <= to && (o.col != e.col || o.k != e.k) {
			to = max(to, o.end())
		}
	}
	return to >= e.end()
}

// between tells whether a block at an offset follows the one before it in its column, and precedes the one after it.
func between(s *division, e extent, at int64) bool {
	return !slices.ContainsFunc(s.blocks, func(o extent) bool {
		return o.col == e.col && (o.k == e.k-1 && o.off >= at || o.k == e.k+1 && o.off <= at)
	})
}
