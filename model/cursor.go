package model

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sort"
)

// MaxDepth is how deep frames may nest.
const MaxDepth = 64

// Cursor is what a format's Parse works with: it reads fields in order and creates their spans. It does not return errors:
// damage ends the current frame, what was read stays, the rest becomes a Bad span, and the parent continues after the end that
// it declared. Formats need no error handling for reading.
//
// A frame has two ends: limit, what the parent declared, and end, what exists. Reading past limit is RuleOverrun, past end is
// RuleTruncated.
type Cursor struct {
	t     *Tree
	ctx   context.Context
	up    *Cursor // of the frame around; nil at the top of a file, a lazy frame or a derived space
	frame *Span
	space SpaceID

	base, pos  int64
	limit, end int64
	depth      int

	kids   []*Span
	items  bool  // children are elements: they get an index
	next   int64 // of the next element
	skim   bool  // run for positions only: adds no spans
	heard  *bool // while skimming: a finding would have been reported
	quiet  bool  // run again: reports nothing
	done   bool  // End was called in a sequence step
	damage *Rule // rule for truncation and overrun
	at     []int64
	lazy   *lazy
	made   *[]*Link // by this frame and those inside it, until they are complete
}

// Node is the result of reading a field: the value and its span (nil while a sequence is skimmed).
type Node struct {
	*Span
	Value Value
}

// Int, Uint and Text return the value; see Value.
func (n Node) Int() int64   { return n.Value.Int() }
func (n Node) Uint() uint64 { return n.Value.Uint() }
func (n Node) Text() string { return n.Value.Text() }

// stop ends a frame. The owner of the frame recovers it; it never leaves the cursor.
type stop struct{}

// run executes body as the content of c's frame, and returns the frame's children: damage stops at the end of the frame.
func (c *Cursor) run(body func(*Cursor)) children { return c.close(true, c.protect(body)) }

// protect runs body and tells whether damage stopped it. A panic of a parser becomes a finding.
func (c *Cursor) protect(body func(*Cursor)) (damaged bool) {
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		damaged = true
		switch {
		case r == stop{}:
		case isFault(r):
			err, rule := cause(r), RuleTruncated
			if !errors.Is(err, ErrShrunk) { // nothing is known about the bytes
				rule = RuleUndecoded
			}
			c.Report(Finding{Rule: rule, Span: c.frame, Message: err.Error()})
		default:
			c.Report(Finding{Rule: RuleInternal, Span: c.frame, Message: fmt.Sprint(r), Found: string(debug.Stack())})
		}
	}()
	body(c)
	return false
}

// close sorts the children, passes those outside the frame to the frame that contains them, and fills unclaimed ranges with Gap spans,
// or with a Bad span after damage. So the children of every frame tile it.
func (c *Cursor) close(declared, damaged bool) children {
	if c.skim {
		return nil
	}
	to := c.pos
	if declared {
		to = min(c.limit, c.end)
	}
	if c.tiled(to, declared) {
		return list(c.kids[:len(c.kids):len(c.kids)])
	}
	elsewhere := func(k *Span) bool { return k.Range.Space != c.space }
	own := slices.DeleteFunc(slices.Clone(c.kids), elsewhere)
	other := slices.DeleteFunc(slices.Clone(c.kids), func(k *Span) bool { return !elsewhere(k) })
	sort.SliceStable(own, func(i, j int) bool {
		a, b := own[i].Range, own[j].Range
		return a.Off < b.Off || a.Off == b.Off && a.Len < b.Len
	})
	out := make(list, 0, len(own)+len(other))
	at := c.base
	for _, k := range own {
		if k.Range.Off < c.base || k.Range.End() > to {
			c.hoist(k)
			continue
		}
		if k.Range.Off < at && k.Range.Len > 0 {
			prev := out[len(out)-1]
			c.Report(Finding{Rule: RuleOverlap, Span: prev, Range: Range{c.space, k.Range.Off, min(at, k.Range.End()) - k.Range.Off},
				Related: []Range{prev.Range, k.Range}, Found: k.Field.Name, Message: fmt.Sprintf("%s and %s overlap", prev.Name(), k.Name())})
			continue
		}
		out = append(c.unclaimed(out, at, k.Range.Off, damaged), k)
		at = max(at, k.Range.End())
	}
	if declared {
		out = c.unclaimed(out, at, to, damaged)
	}
	return append(out, other...)
}

// unclaimed adds a span for bytes that belong to no child.
func (c *Cursor) unclaimed(out list, at, to int64, damaged bool) list {
	for at < to {
		f, state, end := fieldGap, Gap, to
		if damaged && at < c.pos && c.pos < to { // read, then stopped: the bytes after it are wrong
			end = c.pos
		} else if damaged && at >= c.pos {
			f, state = fieldBad, Bad
		}
		out = append(out, &Span{Field: f, State: state, Range: Range{c.space, at, end - at}, parent: c.frame})
		at = end
	}
	return out
}

// tiled tells whether the children were read one after the other without gaps, as in most frames.
func (c *Cursor) tiled(to int64, declared bool) bool {
	at := c.base
	for _, k := range c.kids {
		if k.Range.Space != c.space || k.Range.Off != at || k.Range.End() > to {
			return false
		}
		at = k.Range.End()
	}
	return at == to || !declared
}

// hoist passes a span outside the frame, read by following an offset, to the surrounding frame.
func (c *Cursor) hoist(k *Span) {
	if c.up == nil {
		c.Report(Finding{Rule: RuleLink, Span: c.frame, Range: k.Range, Message: k.Field.Name + " lies outside the structure that refers to it"})
		return
	}
	k.parent = c.up.frame
	k.number(-1)
	c.up.kids = append(c.up.kids, k)
}

// add adds a child span to the frame.
func (c *Cursor) add(f *Field, off, n int64, shape Shape) *Span {
	if c.skim {
		return nil
	}
	s := &Span{Field: f, Range: Range{c.space, off, n}, Shape: shape, parent: c.frame}
	if c.items {
		s.number(c.next)
		c.next++
	}
	if c.kids == nil {
		c.kids = make(list, 0, 4)
	}
	c.kids = append(c.kids, s)
	return s
}

// sub returns a cursor for the content of a child that ends after n bytes, or at c's own end if n is negative.
func (c *Cursor) sub(s *Span, n int64) *Cursor {
	if c.depth >= MaxDepth {
		c.fail(Finding{Rule: RuleCap, Span: c.frame, Message: fmt.Sprintf("structures are nested deeper than %d levels", MaxDepth)})
	}
	d := &Cursor{t: c.t, ctx: c.ctx, up: c, frame: s, space: c.space, base: c.pos, pos: c.pos, limit: c.limit, end: c.end,
		depth: c.depth + 1, skim: c.skim, heard: c.heard, quiet: c.quiet, damage: c.damage, at: c.at, lazy: c.lazy, made: c.made}
	if n >= 0 {
		d.limit, d.end = c.pos+n, min(c.end, c.limit)
	}
	return d
}

// front returns the first of the next n bytes, from which a field can be read. It ends the frame if they do not exist.
func (c *Cursor) front(first, n int64, f *Field) []byte {
	if n < 0 || n > c.limit-c.pos || n > c.end-c.pos {
		c.short(n, f)
	}
	b, err := c.t.view(c.ctx, Range{c.space, c.pos, first})
	if err != nil {
		c.fail(Finding{Rule: RuleUndecoded, Span: c.frame, Range: Range{c.space, c.pos, 0}, Message: err.Error()})
	}
	return b
}

// short reports that n bytes of f do not exist and ends the frame.
func (c *Cursor) short(n int64, f *Field) {
	rule, left := RuleTruncated, c.end-c.pos
	if c.limit < c.end {
		rule, left = RuleOverrun, c.limit-c.pos
	}
	if c.damage != nil {
		rule = c.damage
	}
	c.fail(Finding{Rule: rule, Span: c.frame, Range: Range{c.space, c.pos, max(0, min(c.limit, c.end)-c.pos)},
		Found: Words("%d bytes", left), Expected: Words("%d bytes", n), Message: Words("%s: %s needs %d bytes, but %d are left", rule.Title, f.Name, n, max(0, left))})
}

// fail reports a finding and ends the frame.
func (c *Cursor) fail(d Finding) {
	c.Report(d)
	panic(stop{})
}

// Stop ends the frame: the rest of it becomes a Bad span. Report the reason first.
func (c *Cursor) Stop() { panic(stop{}) }

// Report adds a finding. While a sequence is skimmed nothing is reported: elements with findings are read
// again for it.
func (c *Cursor) Report(d Finding) {
	if c.skim {
		*c.heard = true
	} else if !c.quiet {
		c.t.Report(d)
	}
}

// DamageIs makes reading past the end of this frame, or of one inside it, a finding of the format's own rule.
func (c *Cursor) DamageIs(r *Rule) { c.damage = r }

// Tree returns the tree under construction.
func (c *Cursor) Tree() *Tree { return c.t }

// Context is cancelled with the parse; long loops of a format check it.
func (c *Cursor) Context() context.Context { return c.ctx }

// Frame position: Pos is where the next field starts, Left how many bytes of the frame exist after it, Size how many the
// frame has, and Base where it starts.
func (c *Cursor) Pos() int64  { return c.pos }
func (c *Cursor) Left() int64 { return max(0, min(c.limit, c.end)-c.pos) }
func (c *Cursor) Size() int64 { return min(c.limit, c.end) - c.base }
func (c *Cursor) Base() int64 { return c.base }

// More tells whether bytes are left.
func (c *Cursor) More() bool { return c.Left() > 0 && c.ctx.Err() == nil }

// Skimming tells whether a sequence is only looking for the starts of elements: values are read, but no spans are created.
func (c *Cursor) Skimming() bool { return c.skim }

// Span returns the span whose content the cursor reads.
func (c *Cursor) Span() *Span { return c.frame }

// Range returns n bytes from off in the cursor's space, for findings.
func (c *Cursor) Range(off, n int64) Range { return Range{c.space, off, n} }

// Peek returns up to n bytes from the position without moving it. The slice is valid until the frame ends.
func (c *Cursor) Peek(n int64) []byte { return c.PeekAt(c.pos, n) }

// Soon announces places of the frame's file that are read next, so that a remote file needs fewer requests.
func (c *Cursor) Soon(places []Range) {
	if s := c.t.Space(c.space); s != nil && !s.Derived() {
		if content, err := s.file(); err == nil {
			content.Soon(places)
		}
	}
}

// PeekAt returns up to n bytes from an offset of the frame's space.
func (c *Cursor) PeekAt(off, n int64) []byte {
	top := min(c.limit, c.end)
	if off < 0 || off >= top || n <= 0 {
		return nil
	}
	b, err := c.t.view(c.ctx, Range{c.space, off, min(n, top-off)})
	if err != nil {
		return nil
	}
	return b
}
