package idv

import (
	"fmt"
	"slices"
	"sort"

	"spandrel/model"
)

// places is the order of the classes in files of real writers (§2.1).
var places = [...]int{classHeader: 0, classBlocks: 1, classLookup: 2, classMetaBlock: 3, classMeta: 3, classTOC: 4, classTail: 5,
	classTrailing: 6}

// add adds a region; it returns false if one of the same class has exactly the same bytes.
func (g *regionMap) add(r *region) bool {
	if g.same == nil {
		g.same = map[regionKey]*region{}
	}
	r.full = r.n
	key := regionKey{r.class, r.off, r.n}
	old := g.same[key]
	if old == nil {
		g.same[key] = r
		g.all = append(g.all, r)
	}
	if r.meta != nil {
		if r.meta.region = r; old != nil {
			r.meta.region = old
		}
	}
	return old == nil
}

// settle assigns regions the bytes that they claim, class by class, and reports conflicts.
func (g *regionMap) settle(s *division) {
	for _, c := range s.cols {
		if c.blocks > 0 && !g.add(&region{class: classLookup, off: c.lookup, n: 16 * c.blocks, name: lookup.Named("lookup[%d]", c.index),
			col: c}) {
			s.report(finding{rule: directoriesOverlap, at: c.lookupAt, n: 8, found: fmt.Sprint(c.lookup),
				message: "two columns share a lookup table"})
		}
	}
	sort.SliceStable(g.all, func(i, j int) bool {
		a, b := g.all[i], g.all[j]
		return a.class < b.class || a.class == b.class && (a.off < b.off || a.off == b.off && a.n > b.n)
	})
	var have []*region
	for i := 0; i < len(g.all); {
		j := i
		for j < len(g.all) && g.all[j].class == g.all[i].class {
			j++
		}
		have = s.merge(have, g.all[i:j])
		i = j
	}
	g.all = have
}

// merge adds regions of one class to the settled ones; both are sorted by offset.
func (s *division) merge(have, more []*region) (out []*region) {
	i := 0
	for _, r := range more {
		for i < len(have) && have[i].off <= r.off {
			out = append(out, have[i])
			i++
		}
		next := s.size
		if i < len(have) {
			next = have[i].off
		}
		var before *region
		if len(out) > 0 {
			before = out[len(out)-1]
		}
		if !s.fit(r, before, next) {
			continue
		}
		out = append(out, r)
	}
	return append(out, have[i:]...)
}

// fit shortens a region to the room between its neighbours, and tells whether anything is left of it.
func (s *division) fit(r, before *region, next int64) bool {
	if before != nil && before.end() > r.off && !s.fitBehind(r, before) {
		return false
	}
	if r.end() <= next {
		return r.n > 0
	}
	if r.class == classTrailing {
		return false // structures after the tail: the rest is gaps
	}
	s.overlaps(r, next)
	switch r.class {
	case classLookup:
		r.n = (next - r.off) / 16 * 16
	case classMetaBlock:
		r.n = next - r.off
	case classMeta, classTOC:
		r.n, r.whole = next-r.off, false
		r.nodes = cutNodes(r.nodes, s.base+next)
	default:
		return false
	}
	return r.n > 0
}

// fitBehind shortens what follows the tail, or a table of blocks, if two regions overlap; false if the second is dropped.
func (s *division) fitBehind(r, before *region) bool {
	if r.class == classTrailing {
		cut := min(before.end()-r.off, r.n)
		r.off, r.n = r.off+cut, r.n-cut
		return true
	}
	s.overlaps(r, before.off)
	if r.class != classLookup || before.class != classLookup || (r.off-before.off)%16 != 0 || r.end() <= before.end() {
		return false
	}
	before.n = r.off - before.off
	return true
}

// overlaps reports a region that shares bytes with what starts at an offset.
func (s *division) overlaps(r *region, with int64) {
	f := finding{rule: directoriesOverlap, at: s.base + r.off, n: r.n, message: fmt.Sprintf("%s overlaps the bytes at 0x%x", r.name.Name, s.base+with)}
	if r.class == classMetaBlock {
		f.rule = blockOverlap
	}
	s.report(f)
}

// gap reports bytes that nothing refers to (§2.6).
func (s *division) gap(from, to int64) {
	s.holes = append(s.holes, [2]int64{from, to})
	f := finding{rule: unreachable, at: s.base + from, n: to - from, found: model.Words("%d bytes", to-from)}
	if len(s.cols) > 0 && len(s.cols) == int(s.columnCount) && from == s.tocEnd && to == s.tail {
		f.rule = hiddenEntries // columns beyond the count, perhaps
	}
	s.report(f)
}

// checkOrder compares the order of the regions with that of real writers (§2.1).
func (s *division) checkOrder(g *regionMap) {
	before := []int{0, -1, 0}
	for _, r := range g.all {
		place := []int{places[r.class], -1, r.order}
		if r.col != nil {
			place[1] = r.col.index
		}
		if slices.Compare(place, before) < 0 {
			s.report(finding{rule: unusualOrder, at: s.base + r.off, n: r.n, found: r.name.Name})
			return
		}
		before = place
	}
}
