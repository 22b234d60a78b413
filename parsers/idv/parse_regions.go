package idv

import (
	"fmt"
	"slices"
	"sort"

	"spandrel/model"
)

// The classes of regions, those that keep their bytes when two claim the same first.
const (
	classHeader = iota
	classTOC
	classMeta
	classTail
	classLookup
	classMetaBlock
	classBlocks
	classTrailing
)

// places is where a class stands in the order of real writers (§2.1).
var places = [...]int{classHeader: 0, classBlocks: 1, classLookup: 2, classMetaBlock: 3, classMeta: 3, classTOC: 4, classTail: 5, classTrailing: 6}

// region is a run of bytes that the directories give a meaning. Offsets are counted from the start of the stream.
type region struct {
	class  int
	off, n int64
	full   int64 // its length before others claimed part of it
	name   *model.Field
	nodes  []treeNode
	list   bool
	col    *column
	meta   *metadata
	order  int // among the metadata of its column
	run    int // of blocks
	node   model.Node
}

func (r *region) end() int64 { return r.off + r.n }

type regionKey struct {
	class  int
	off, n int64
}

// regionMap divides a stream.
type regionMap struct {
	all  []*region
	same map[regionKey]*region
}

// add takes a region; it returns false when one of the same class already has exactly these bytes.
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

// settle lets regions have the bytes that they claim, class by class, and reports those that others have.
func (g *regionMap) settle(s *stream) {
	for _, c := range s.cols {
		if c.blocks > 0 && !g.add(&region{class: classLookup, off: c.lookup, n: 16 * c.blocks, name: lookup.Named("lookup[%d]", c.index), col: c}) {
			s.report(finding{rule: directoriesOverlap, sev: model.Note, at: c.lookupAt, n: 8, found: fmt.Sprint(c.lookup), message: "two columns share a lookup table"})
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

// merge adds regions of one class to those that have their bytes already; both are sorted by offset.
func (s *stream) merge(have, more []*region) (out []*region) {
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

// fit cuts a region to the room between the one before and the next one, and tells whether anything is left of it.
func (s *stream) fit(r, before *region, next int64) bool {
	conflict := func(sev model.Severity, with int64) {
		f := finding{rule: directoriesOverlap, sev: sev, at: s.base + r.off, n: r.n, message: fmt.Sprintf("%s overlaps the bytes at 0x%x", r.name.Name, s.base+with)}
		if r.class == classMetaBlock {
			f.rule = blockOverlap
		}
		s.report(f)
	}
	if before != nil && before.end() > r.off {
		if r.class != classLookup || before.class != classLookup || (r.off-before.off)%16 != 0 {
			if r.class != classTrailing {
				conflict(0, before.off)
				return false
			}
			cut := min(before.end()-r.off, r.n)
			r.off, r.n = r.off+cut, r.n-cut
		} else {
			conflict(0, before.off)
			if r.end() <= before.end() {
				return false
			}
			before.n = r.off - before.off
		}
	}
	if r.end() > next {
		if r.class == classTrailing {
			return false // structures behind the tail: the rest is gaps
		}
		conflict(0, next)
		switch r.class {
		case classLookup:
			r.n = (next - r.off) / 16 * 16
		case classMetaBlock:
			r.n = next - r.off
		default:
			return false
		}
	}
	return r.n > 0
}

// layRegions makes the spans, in the order of the file, and links what refers to what.
func (s *stream) layRegions(c *model.Cursor, g *regionMap) {
	s.checkOrder(g)
	at := int64(0)
	for _, r := range g.all {
		if r.off > at {
			s.gap(at, r.off)
		}
		c.At(s.base+r.off, func(c *model.Cursor) { s.lay(c, r) })
		at = max(at, r.end())
	}
	if at < s.size && !s.salvage {
		s.gap(at, s.size)
	}
	s.links(c, g)
}

func (s *stream) lay(c *model.Cursor, r *region) {
	leaf := func(n model.Node) {
		if n.Span != nil && (n.Range.Len > 0 || s.leaves[n.Range.Off] == nil) {
			s.leaves[n.Range.Off] = n.Span
		}
	}
	switch {
	case r.class == classLookup:
		r.node = c.Array(r.name, lookupRecord, r.n/16)
		r.col.table = r.node.Span
	case r.class == classMetaBlock:
		r.node = c.Frame(r.name, r.n, func(c *model.Cursor) { s.metaBlock(c, r) })
	case r.class == classBlocks:
		r.node = s.layRun(c, r)
	case r.class == classTrailing:
		r.node = c.FieldN(r.name, r.n)
		leaf(r.node)
	case r.list:
		r.node = c.List(r.name, func(c *model.Cursor) { lay(c, r.nodes, leaf) })
	default:
		r.node = c.Struct(r.name, func(c *model.Cursor) { lay(c, r.nodes, leaf) })
	}
	r.nodes = nil
}

// gap reports bytes that nothing refers to (§2.6).
func (s *stream) gap(from, to int64) {
	s.gaps += to - from
	f := finding{rule: unreachable, at: s.base + from, n: to - from, found: fmt.Sprintf("%d bytes", to-from)}
	if len(s.cols) > 0 && len(s.cols) == int(s.columnCount) && from == s.tocEnd && to == s.tail {
		f.rule = hiddenEntries // columns beyond the count, perhaps
	}
	s.report(f)
}

// checkOrder compares the order of the regions with that of real writers (§2.1).
func (s *stream) checkOrder(g *regionMap) {
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

// links states which offsets, lengths and counts follow from what.
func (s *stream) links(c *model.Cursor, g *regionMap) {
	field := func(at int64) model.Node { return model.Node{Span: s.leaves[at]} }
	offset := func(at int64, to model.Node) {
		if f := field(at); f.Span != nil && to.Span != nil {
			c.OffsetOf(f, to).From(s.base).Unchecked()
		}
	}
	for _, r := range g.all {
		switch r.class {
		case classTOC:
			s.tocSpan = r.node.Span
			offset(s.base+24, r.node)
			c.CountOf(field(s.base+48), r.node).Unchecked()
		case classTail:
			offset(s.base+32, r.node)
		case classLookup:
			offset(r.col.lookupAt, r.node)
		case classMeta:
			if r.col != nil {
				r.col.metaSpan = r.node.Span
				offset(r.col.metaAt, r.node)
				if list := r.node.Get(metaEntries.Name); list != nil {
					c.CountOf(field(s.base+r.off), model.Node{Span: list}).Unchecked()
				}
			}
		}
	}
	for _, col := range s.cols {
		for _, m := range col.entries {
			if m.region != nil && m.region.node.Span != nil && m.region.n == m.region.full {
				offset(m.offAt, m.region.node)
				if f := field(m.lenAt); f.Span != nil {
					c.LengthOf(f, m.region.node).Unchecked()
				}
			}
		}
	}
}
