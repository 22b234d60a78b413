package model

import "fmt"

// Prefixed reads a length and a leaf of that many bytes after it, and links them. A length that does not fit is reported by the
// rule of its field, or as truncation, and ends the frame.
func (c *Cursor) Prefixed(length, data *Field) (n, d Node) {
	n = c.Field(length)
	if length.Rule != nil && n.Uint() > uint64(c.Left()) {
		c.Wrong(length.Rule, n, nil, fmt.Sprintf("at most %d", c.Left()))
		c.Stop()
	}
	d = c.FieldN(data, n.Int())
	c.LengthOf(n, d).As(length.Rule)
	return n, d
}

// CountedBy reads the list that belongs to a count read before, and links them; item reads element i and takes at least least bytes. A count
// that does not fit is reported by the rule of its field, or as truncation, and the existing elements are read. The list ends with an element that
// reads nothing.
func (c *Cursor) CountedBy(n Node, list *Field, least int64, item func(c *Cursor, i int64)) Node {
	rule, ok := (*Rule)(nil), n.Uint() <= uint64(c.Left()/max(least, 1))
	if n.Span != nil {
		rule = n.Field.Rule
	}
	if !ok {
		c.Wrong(c.lengthRule(rule), n, nil, fmt.Sprintf("at most %d", c.Left()/max(least, 1)))
	}
	l := c.List(list, func(c *Cursor) {
		for i, at := int64(0), int64(-1); i < n.Int() && (ok || c.More()) && at != c.pos; i++ {
			at = c.pos
			item(c, i)
		}
	})
	c.CountOf(n, l).As(rule).When(ok)
	return l
}

// CountedElements reads a count and as many fixed-size fields after it, and links them. A count that does not fit is reported once, and the
// array is as long as there is room.
func (c *Cursor) CountedElements(count, f, elem *Field) (n, a Node) {
	n = c.Field(count)
	if a = c.Elements(f, elem, n.Int()); n.Span != nil {
		c.CountOf(n, a).As(n.Field.Rule)
	}
	return n, a
}

// Aligned reads the padding of the targets to a multiple of unit, as far as it exists, and links it: an edit of the
// targets adjusts it. by is the field with the unit, whose edit adjusts it too; Node{} if the format fixes the unit. It
// measures spans, which a sequence has none of while it is skimmed: use PadOf there.
func (c *Cursor) Aligned(pad *Field, unit int64, by Node, targets ...Node) (Node, *Link) {
	n := int64(0)
	for _, t := range targets {
		n += t.Range.Len
	}
	p := c.FieldN(pad, min((unit-n%unit)%unit, c.Left()))
	l := c.PadOf(p, unit, 0, targets...)
	l.by = by.Span
	return p, l
}

// Values returns the first values of an array made by Elements, at most most of them.
func (c *Cursor) Values(array Node, most int64) (out []Value) {
	if array.Span == nil {
		return nil
	}
	e, ok := array.kids.(*elements)
	if !ok || e.rec != nil {
		return nil
	}
	b, err := c.t.view(c.ctx, Range{c.space, array.Range.Off, min(most, e.n) * e.stride})
	for ; err == nil && int64(len(b)) >= e.stride; b = b[e.stride:] {
		v, _, err := e.field.Codec.Decode(b)
		if err != nil {
			break
		}
		out = append(out, v)
	}
	return out
}

// lengthRule is the rule that reports a length or count that does not fit.
func (c *Cursor) lengthRule(own *Rule) *Rule {
	switch {
	case own != nil:
		return own
	case c.damage != nil:
		return c.damage
	case c.limit < c.end:
		return RuleOverrun
	}
	return RuleTruncated
}

// Try reads ahead without a trace: no spans, no findings, and the position stays. It returns how many bytes body read, and
// whether it ran to its end without a finding, that is, whether this structure fits here.
func (c *Cursor) Try(body func(*Cursor)) (n int64, ok bool) {
	d, heard := *c, false
	d.base, d.kids, d.items = c.pos, nil, false
	d.skim, d.heard, d.quiet, d.done = true, &heard, false, false
	damaged := d.protect(body)
	return d.pos - c.pos, !damaged && !heard
}
