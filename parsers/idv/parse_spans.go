package idv

import (
	"cmp"
	"context"
	"fmt"
	"sort"

	"spandrel/model"
)

// layRegions creates the spans, in file order, and links what refers to what.
func (s *stream) layRegions(c *model.Cursor, g *regionMap) {
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
	case r.list:
		r.node = c.List(r.name, func(c *model.Cursor) { lay(c, r.nodes) })
	default:
		r.node = c.Struct(r.name, func(c *model.Cursor) { lay(c, r.nodes) })
	}
	r.nodes = nil
}

// links declares which offsets, lengths and counts are derived from what.
func (s *stream) links(c *model.Cursor, g *regionMap) {
	l := linking{s, c, g}
	for _, r := range g.all {
		l.region(r)
	}
	for _, col := range s.cols {
		if col.metaOf != nil {
			continue
		}
		for _, m := range col.entries {
			if m.region == nil || m.region.node.Span == nil || m.region.n != m.region.full {
				continue
			}
			l.offset(m.offAt, m.region.node)
			if f := l.field(m.lenAt); f.Span != nil {
				c.LengthOf(f, m.region.node).As(metadataBlockLength)
			}
		}
	}
}

// linking is a stream whose numbers are linked to what they speak of.
type linking struct {
	s *stream
	c *model.Cursor
	g *regionMap
}

// field is the leaf at an offset.
func (l linking) field(at int64) model.Node { return model.Node{Span: l.g.leaf(l.s.base, at)} }

// offset links the number at an offset to where something begins.
func (l linking) offset(at int64, to model.Node) {
	if f := l.field(at); f.Span != nil && to.Span != nil {
		l.c.OffsetOf(f, to).From(l.s.base)
	}
}

// region links what says where a region is, and how much is in it. The header counts only if it is not empty.
func (l linking) region(r *region) {
	switch r.class {
	case classTOC:
		if l.s.tocSpan = r.node.Span; !l.s.salvage && !l.s.foreign {
			l.offset(l.s.base+24, r.node)
			l.c.CountOf(l.field(l.s.base+48), r.node).As(entryCut).When(len(l.s.cols) == int(l.s.columnCount))
		}
	case classTail:
		if !l.s.salvage && !l.s.foreign {
			l.offset(l.s.base+32, r.node)
		}
	case classLookup:
		l.offset(r.col.lookupAt, r.node)
	case classMeta:
		if r.col == nil || r.node.Span == nil {
			return
		}
		r.col.metaSpan = r.node.Span
		l.offset(r.col.metaAt, r.node)
		if list := r.node.Get(metaEntries.Name); list != nil {
			l.c.CountOf(l.field(l.s.base+r.off), model.Node{Span: list}).As(metadataCount).When(r.whole)
		}
	}
}

// layRun makes the span of a run; its blocks are created when someone looks at them.
func (s *stream) layRun(c *model.Cursor, r *region) model.Node {
	run := &s.runs[r.run]
	elem := &model.Field{Name: "block", Ref: "§4.2", Note: s.blockNote}
	n := c.Frames(r.name, elem, r.n, run.starts, s.layBlock)
	run.span = n.Span
	return n
}

func (s *stream) blockNote(_ context.Context, _ *model.Tree, span *model.Span) string {
	if b := s.at(span.Range.Off - s.base); len(b) > 0 {
		first := int64(b[0].k) * s.cols[b[0].col].rpb
		return fmt.Sprintf("column %q, rows %d to %d", s.cols[b[0].col].name.s, first, first+s.rowsOf(s.cols[b[0].col], int64(b[0].k))-1)
	}
	return ""
}

// maxShared is how many decoded forms of one shared block are shown, if together they are no more than its bytes alone could be.
const maxShared = 64

// layBlock reads one block: its bytes, followed by their decoded form for each column that refers to it.
func (s *stream) layBlock(c *model.Cursor) {
	blocks := s.at(c.Base() - s.base)
	if len(blocks) == 0 {
		return
	}
	data := c.FieldN(dataField, min(int64(blocks[0].n), c.Left()))
	size := int64(0)
	for i, b := range blocks {
		if size += int64(b.dec); i >= maxShared || i > 0 && size > model.DeflateRatio*int64(b.n) {
			break
		}
		if i > 0 && b.n == blocks[i-1].n && b.dec == blocks[i-1].dec && b.col == blocks[i-1].col &&
			s.rowsOf(s.cols[b.col], int64(b.k)) == s.rowsOf(s.cols[b.col], int64(blocks[i-1].k)) {
			continue
		}
		f := decoded
		if i > 0 {
			f = decoded.Named("decoded%d.%d", b.col, b.k)
		}
		s.derive(c, f, data, s.shape(b))
	}
}

// find returns the span of a block's decoded bytes, opening spans on the way.
func (s contents) find(b extent) *model.Span {
	off := s.stream.base + b.off
	for _, run := range s.stream.runs {
		if run.span == nil || off < run.span.Range.Off || off >= run.span.Range.End() {
			continue
		}
		i := sort.Search(len(run.starts), func(i int) bool { return run.starts[i] >= off })
		if i == len(run.starts) || run.starts[i] != off {
			return nil
		}
		frame := run.span.Child(int64(i))
		if frame == nil || s.t.Open(s.ctx, frame) != nil {
			return nil
		}
		return decodedIn(s, frame, b)
	}
	return nil
}

// decodedIn is the span of a block's decoded bytes in that of the block, which columns may share.
func decodedIn(s contents, frame *model.Span, b extent) *model.Span {
	want := fmt.Sprintf("decoded%d.%d", b.col, b.k)
	var first *model.Span
	for i := range frame.Count() {
		k := frame.Child(i)
		if sp := s.t.Space(k.Range.Space); sp == nil || !sp.Derived() || k.Range.Space == s.stream.space {
			continue
		}
		if k.Name() == want {
			return k
		}
		first = cmp.Or(first, k)
	}
	if same := s.stream.at(b.off)[0]; same.col == b.col {
		return first
	}
	return nil
}

// leaf returns the leaf that starts at an offset of the space of a stream at base; nil where none is known.
func (g *regionMap) leaf(base, at int64) *model.Span {
	i := sort.Search(len(g.all), func(i int) bool { return base+g.all[i].off > at }) - 1
	if i < 0 || g.all[i].node.Span == nil {
		return nil
	}
	if k := g.all[i].node.At(at); k.Shape == model.Leaf && k.Range.Off == at {
		return k
	}
	return nil
}

// spanAt returns the leaf that starts at an offset of the space: a field of a directory or of a lookup table.
func (s *stream) spanAt(g *regionMap, at int64) *model.Span {
	if k := g.leaf(s.base, at); k != nil {
		return k
	}
	return s.root
}

// lay creates the spans of nodes.
func lay(c *model.Cursor, nodes []treeNode) {
	var made []model.Node
	for i := 0; i < len(nodes); i += 1 + int(nodes[i].kids) {
		n, kids := nodes[i], nodes[i+1:i+1+int(nodes[i].kids)]
		switch {
		case n.group && n.list:
			made = append(made, c.List(n.field, func(c *model.Cursor) { lay(c, kids) }))
		case n.group:
			made = append(made, c.Struct(n.field, func(c *model.Cursor) { lay(c, kids) }))
		case n.field == dims:
			made = append(made, c.Elements(dims, dim, n.n/int64(dim.Codec.Size())))
		default:
			made = append(made, c.FieldN(n.field, n.n))
		}
	}
	k := 0
	for i := 0; i < len(nodes); i += 1 + int(nodes[i].kids) {
		if k++; nodes[i].measures && k < len(made) {
			rest := made[k:]
			if !nodes[i].all {
				rest = rest[:1]
			}
			c.LengthOf(made[k-1], rest...).When(false)
		}
	}
}

// findingContext is what repairs need to know about a finding.
type findingContext struct {
	about
	of *stream
}

// diagnose makes the finding about a span.
func (s *stream) diagnose(f finding, span *model.Span) model.Finding {
	return f.diagnose(model.Range{Space: s.space, Off: f.at, Len: f.n}, span, findingContext{f.about, s})
}
