package idv

import (
	"spandrel/model"
	"spandrel/parsers/idv/block"
	"spandrel/parsers/internal/inflate"
)

// layPart makes the span of a part of a block.
func layPart(c *model.Cursor, sh shape, p block.Part) model.Node {
	x := partFields[p.Role]
	switch {
	case p.Role == block.Bits && p.Kind == block.Bool:
		x = partField{bits, bitsElem}
	case p.Role == block.Bits:
		x = partField{bits2, bits2Elem}
	case p.Role == block.Bounds:
		x.elem = bound
	case p.Role == block.Values && p.Kind == block.RowID:
		return c.Array(values, rowIDs, p.N/rowIDs.Size())
	case p.Role == block.Values:
		x = partField{values, numberElems[p.Kind]}
		if codec := sh.codec.Scalar(); codec.Kind == block.Key && sh.meta == nil && sh.col != nil {
			f := *x.elem
			f.Note = sh.col.keyNote
			x.elem = &f
		}
	}
	if x.elem != nil {
		return c.Elements(x.field, x.elem, p.N/int64(x.elem.Codec.Size()))
	}
	return c.FieldN(x.field, p.N)
}

// body creates the spans of a decoded block and reports its problems.
func (s *stream) body(c *model.Cursor, sh shape, b []byte, how inflate.Outcome) {
	k := block.Read(sh.codec, b, sh.rows)
	var laid []*model.Span
	one := func(c *model.Cursor, p block.Part) {
		if n := layPart(c, sh, p); n.Span != nil {
			laid = append(laid, n.Span)
		}
	}
	parts := k.Parts()
	for i := 0; i < len(parts); i++ {
		if !parts[i].Items {
			one(c, parts[i])
			continue
		}
		c.Struct(items, func(c *model.Cursor) {
			for ; i < len(parts) && parts[i].Items; i++ {
				one(c, parts[i])
			}
		})
		i--
	}
	innerLinks(c, laid)
	inspect(s.version, &sh, k, how, func(f finding) { s.t.Report(s.blockFinding(c, sh, f, laid)) })
}

// innerLinks declares the counts and lengths inside a block. Block.Check compares them with what the rows and the type require, and decides
// which side is wrong.
func innerLinks(c *model.Cursor, laid []*model.Span) {
	by := map[*model.Field]model.Node{}
	for _, s := range laid {
		if by[s.Field].Span == nil {
			by[s.Field] = model.Node{Span: s}
		}
	}
	pair := func(n, of *model.Field, link func(n model.Node, of model.Node) *model.Link) {
		if by[n].Span != nil && by[of].Span != nil {
			link(by[n], by[of]).When(false)
		}
	}
	pair(entriesF, bounds, c.CountOf)
	pair(textLength, textF, func(n, of model.Node) *model.Link { return c.LengthOf(n, of) })
	pair(numVectors, counts, c.CountOf)
	pair(numIndices, indices, c.CountOf)
}

// blockFinding makes a finding about a place inside a decoded block, or about the block if at is negative.
func (s *stream) blockFinding(c *model.Cursor, sh shape, f finding, laid []*model.Span) model.Finding {
	where := c.Span()
	f.message = sh.describe(f.message)
	if f.at < 0 {
		d := s.diagnose(f, where)
		d.Range = sh.at
		return d
	}
	d := s.diagnose(f, laidAt(laid, f.at, where))
	d.Range.Space = c.Range(0, 0).Space
	return d
}

// laidAt returns the innermost span of a block that contains an offset, or the block.
func laidAt(laid []*model.Span, at int64, whole *model.Span) *model.Span {
	for _, span := range laid {
		if span.Range.Off <= at && at < span.Range.End() {
			whole = span
			if n := span.Count(); n > 0 {
				if whole = span.Child((at - span.Range.Off) / (span.Range.Len / n)); whole.Count() > 0 {
					whole = whole.Child(0)
				}
			}
		}
	}
	return whole
}
