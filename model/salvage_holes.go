package model

import (
	"bytes"
	"cmp"
	"context"
	"slices"
)

// Most doubts are about the values themselves, so that the check of a salvaged document finds them again. Zeros and text are suspicious only by their place in the
// damaged file, and a salvage moves them.

const (
	mostTouched = 8  // parts that are named
	leastZeros  = 16 // zeros that a copy in memory may have by accident
)

// bySector tells whether a rule is about what fills whole sectors of a file.
func (r *Rule) bySector() bool { return r == RuleBlank || r == RuleTextInNumbers }

// holes says which zeros or text of a damaged document, over whole sectors, are in the salvaged one, and in which of its parts.
func (s *Salvaged) holes(ctx context.Context, of *Tree) (out []string, err error) {
	t := Parse(ctx, of.Snapshot, of.Format) // the other one may have been checked before, or not
	if err = t.blankSectors(ctx); err != nil {
		return nil, err
	}
	found, _ := t.Findings()
	for i := range found {
		if !found[i].Rule.bySector() {
			continue
		}
		var names []string
		for _, p := range t.touched(ctx, found[i].Range) {
			if at := p.Range.common(found[i].Range); s.holds(t, at) && !t.undecoded(ctx, at) {
				names = append(names, cmp.Or(p.Path(), t.FileName(p.Range)))
			}
		}
		if len(names) > 0 {
			out = append(out, found[i].Text()+" ("+Few(names, mostTouched)+")")
		}
	}
	return out, ctx.Err()
}

// undecoded tells whether bytes are part of encoded ones that cannot be decoded: what is decoded of those comes from the bytes before.
func (t *Tree) undecoded(ctx context.Context, at Range) bool {
	return slices.ContainsFunc(t.Spaces(), func(s *Space) bool {
		if !s.Derived() || s.Transform == Identity || !s.Origin.Overlaps(at) {
			return false
		}
		_, err := t.Size(ctx, s.ID)
		return err != nil || s.Fault() != nil
	})
}

// common is what two ranges of a space share.
func (r Range) common(q Range) Range {
	from := max(r.Off, q.Off)
	return Range{r.Space, from, max(0, min(r.End(), q.End())-from)}
}

// touched are the smallest parts that a range is in: several if it is in no single one. The elements of an array are no parts.
func (t *Tree) touched(ctx context.Context, at Range) []*Span {
	s := t.Space(at.Space).Root
	for {
		err := t.Open(ctx, s)
		if _, values := s.children().(*elements); values || err != nil {
			return []*Span{s}
		}
		switch kids := overlapping(s, at); len(kids) {
		case 0:
			return []*Span{s}
		case 1:
			s = kids[0]
		default:
			return kids
		}
	}
}

// overlapping are the children of a span that share bytes with a range.
func overlapping(s *Span, at Range) (out []*Span) {
	list := s.children()
	for off := max(at.Off, s.Range.Off); list != nil && off < min(at.End(), s.Range.End()); {
		i := list.find(off)
		if i < 0 {
			break
		}
		k := list.at(i)
		out, off = append(out, k), k.Range.End()
	}
	return out
}

// holds tells whether zeros of a document may be among the salvaged bytes.
func (s *Salvaged) holds(t *Tree, at Range) bool {
	files, _ := t.InFiles(at)
	for _, src := range s.Files {
		if slices.ContainsFunc(files, func(r FileRange) bool { return t.mayHold(src, r) }) {
			return true
		}
	}
	return false
}

// mayHold tells whether a source has zeros of a file of the document. Of bytes in memory it is not known where they are from: there it is enough that
// they contain as many zeros, or a sector.
func (t *Tree) mayHold(src Source, at FileRange) bool {
	switch x := src.(type) {
	case *Joined:
		return slices.ContainsFunc(x.parts, func(p Source) bool { return t.mayHold(p, at) })
	case *rangeReader:
		from, _ := x.t.InFiles(x.r)
		return UnionOf(from...).Meets(at)
	case *memory:
		n := min(at.Len, SectorSize)
		return n >= leastZeros && bytes.Contains(x.b, make([]byte, n))
	case *Content:
		return t.madeOf(x, at)
	}
	return true
}

// madeOf is mayHold for a content, which may have pieces of that of the file.
func (t *Tree) madeOf(x *Content, at FileRange) bool {
	c, err := t.Snapshot.Content(at.File)
	if err != nil {
		return true
	}
	from := c.part(nil, at.Off, at.End())
	return slices.ContainsFunc(x.pieces, func(p piece) bool {
		own := slices.ContainsFunc(c.pieces, func(q piece) bool { return q.src == p.src })
		return !own && t.mayHold(p.src, at) || slices.ContainsFunc(from, func(q piece) bool {
			return q.src == p.src && q.at < p.at+p.n && p.at < q.at+q.n
		})
	})
}
