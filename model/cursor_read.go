package model

import (
	"sync"
)

// Field reads a leaf of fixed size, or a ULEB, and returns its value.
func (c *Cursor) Field(f *Field) Node {
	n := int64(f.Codec.Size())
	if n < 0 {
		s, ok := f.Codec.(ULEB)
		if !ok {
			panic("model: field " + f.Name + " needs a length: use FieldN")
		}
		b := c.Peek(int64(s))
		_, used, err := s.Decode(b)
		if err == ErrShort {
			c.short(int64(len(b))+1, f)
		}
		if err != nil {
			c.fail(Finding{Rule: c.ruleFor(f), Span: c.frame, Range: c.Range(c.pos, int64(len(b))), Message: err.Error()})
		}
		n = int64(used)
	}
	return c.leaf(f, n)
}

// FieldN reads a leaf of n bytes: text or raw bytes whose length another field states.
func (c *Cursor) FieldN(f *Field, n int64) Node { return c.leaf(f, n) }

// maxNode is the length up to which a text or bytes leaf is decoded while parsing.
const maxNode = 64 << 10

func (c *Cursor) leaf(f *Field, n int64) Node {
	large := n > maxNode && f.Check == nil // for edited content this would copy the bytes
	first := n
	if large {
		first = 1
	}
	b := c.front(first, n, f)
	s := c.add(f, c.pos, n, Leaf)
	c.pos += n
	if large {
		return Node{Span: s}
	}
	v, _, err := f.Codec.Decode(b)
	if c.quiet {
		return Node{Value: v, Span: s}
	}
	if s == nil { // the element is read again where that is wrong
		if err != nil || f.Check != nil && f.Check(v) != "" {
			*c.heard = true
		}
		return Node{Value: v}
	}
	if err != nil {
		c.Report(Finding{Rule: c.ruleFor(f), Span: s, Message: err.Error()})
	} else {
		c.check(f, s, v)
	}
	return Node{Value: v, Span: s}
}

// check reports an illegal value.
func (c *Cursor) check(f *Field, s *Span, v Value) {
	if f.Check == nil {
		return
	}
	want := f.Check(v)
	if want == "" {
		return
	}
	d := Finding{Rule: f.rule(), Span: s, Found: v.String(), Expected: want}
	if f.Safe.Kind != None {
		d.Want = f.Safe
	} else if f.Offer.Kind != None {
		d.Want, d.Doubt = f.Offer, true
	}
	c.Report(d)
}

func (f *Field) rule() *Rule {
	if f.Rule != nil {
		return f.Rule
	}
	return RuleValue
}

func (c *Cursor) ruleFor(f *Field) *Rule {
	if f.Rule == nil && c.damage != nil {
		return c.damage
	}
	return f.rule()
}

// Struct reads a group of fields without a declared length: it ends where body stops. Damage inside also ends the frame around
// it.
func (c *Cursor) Struct(f *Field, body func(*Cursor)) Node {
	return c.group(f, -1, Struct, false, body)
}

// Block reads a group of fields with a declared length of n bytes. Damage inside ends only the block. A length that does not
// fit is reported once and shortened.
func (c *Cursor) Block(f *Field, n int64, body func(*Cursor)) Node {
	return c.group(f, n, Struct, false, body)
}

// List reads elements of varying size: every child that body adds becomes element [0], [1] …
func (c *Cursor) List(f *Field, body func(*Cursor)) Node { return c.group(f, -1, Array, true, body) }

// ListN is List with a declared length of n bytes.
func (c *Cursor) ListN(f *Field, n int64, body func(*Cursor)) Node {
	return c.group(f, n, Array, true, body)
}

func (c *Cursor) group(f *Field, n int64, shape Shape, items bool, body func(*Cursor)) Node {
	cut := false
	if n >= 0 {
		n, cut = c.fit(f, n)
	}
	s := c.add(f, c.pos, max(n, 0), shape)
	if s != nil && cut {
		s.clip(true)
	}
	d := c.sub(s, n)
	d.items = items
	defer func() {
		if n >= 0 {
			c.pos += n
		} else {
			c.pos = d.pos
		}
		if s != nil {
			s.Range.Len = c.pos - s.Range.Off
		}
	}()
	damaged := d.protect(body)
	k := d.close(n >= 0, damaged)
	if s != nil {
		s.kids = k
	}
	if damaged && n < 0 {
		panic(stop{})
	}
	return Node{Span: s}
}

// fit shortens a declared length to what is left of the frame and reports it once.
func (c *Cursor) fit(f *Field, n int64) (int64, bool) {
	left := c.Left()
	if n >= 0 && n <= left {
		return n, false
	}
	rule := RuleTruncated
	if c.limit < c.end {
		rule = RuleOverrun
	}
	if c.damage != nil {
		rule = c.damage
	}
	c.Report(Finding{Rule: rule, Span: c.frame, Range: c.Range(c.pos, left), Found: Words("%d bytes", left), Expected: Words("%d bytes", n),
		Message: Words("%s: %s declares %d bytes, but %d are left", rule.Title, f.Name, n, left)})
	return left, true
}

// Frame makes a child of n bytes that body reads when someone looks inside. Until then the links across its borders do not exist,
// so what other places depend on belongs in a Block.
func (c *Cursor) Frame(f *Field, n int64, body func(*Cursor)) Node {
	n, cut := c.fit(f, n)
	s := c.add(f, c.pos, n, Struct)
	c.pos += n
	if s == nil {
		return Node{}
	}
	damage := c.damage
	s.clip(cut)
	s.kids = &lazy{open: func(d *Cursor) children {
		d.damage = damage
		return d.run(body)
	}}
	return Node{Span: s}
}

// Array makes n fixed-size records by arithmetic: a billion of them cost nothing. A count that does not fit is reported once
// and reduced to the existing records.
func (c *Cursor) Array(f *Field, rec *Record, n int64) Node {
	return c.stride(f, &elements{rec: rec, field: f, stride: rec.Size(), n: n})
}

// Elements is Array for single fields: numbers of one codec.
func (c *Cursor) Elements(f, elem *Field, n int64) Node {
	return c.stride(f, &elements{field: elem, stride: int64(elem.Codec.Size()), n: n})
}

func (c *Cursor) stride(f *Field, e *elements) Node {
	cut := false
	if fits := c.Left() / e.stride; e.n < 0 || e.n > fits {
		want := e.n
		if e.n > 0 && e.n <= 1<<62/e.stride {
			want = e.n * e.stride
		} else if e.n > 0 {
			want = 1 << 62
		}
		_, cut = c.fit(f, want)
		e.n = fits
	}
	s := c.add(f, c.pos, e.n*e.stride, Array)
	c.pos += e.n * e.stride
	if s != nil {
		e.parent, s.kids = s, e
		s.clip(cut)
	}
	return Node{Span: s}
}

// Sequence makes a child of n bytes with consecutive elements of varying size. step reads one element; it is
// run over the whole frame when the sequence is opened, without creating spans, to find the starts of elements, and again for
// each element that someone looks at. It calls End if no element starts here. Short elements cost a byte or two each. Links in an
// element follow edits, but are not checked: step, or a deep check, compares with Wrong. In a List or CountedBy they are.
func (c *Cursor) Sequence(f, elem *Field, n int64, step func(*Cursor)) Node {
	n, cut := c.fit(f, n)
	s := c.add(f, c.pos, n, Array)
	c.pos += n
	if s == nil {
		return Node{}
	}
	damage := c.damage
	s.clip(cut)
	s.kids = &lazy{open: func(d *Cursor) children {
		d.damage = damage
		return d.scan(elem, step)
	}}
	return Node{Span: s}
}

// Frames is Sequence for a format that knows the starts of the elements: offsets in the frame's space, in order, the
// first one the position; they tile n bytes. Nothing is read before someone looks at an element.
func (c *Cursor) Frames(f, elem *Field, n int64, starts []int64, step func(*Cursor)) Node {
	n, cut := c.fit(f, n)
	end := c.pos + n
	s := c.add(f, c.pos, n, Array)
	c.pos = end
	if s != nil {
		for len(starts) > 0 && starts[len(starts)-1] >= end {
			starts = starts[:len(starts)-1]
		}
		s.kids = &sequence{t: c.t, parent: s, elem: elem, step: step, damage: c.damage, starts: listed(starts), end: end}
		s.clip(cut)
	}
	return Node{Span: s}
}

// End ends a sequence before the element that is being read.
func (c *Cursor) End() {
	c.done = true
	panic(stop{})
}

// scan finds the starts of a sequence's elements.
func (c *Cursor) scan(elem *Field, step func(*Cursor)) children {
	found := &packedStarts{}
	q := &sequence{parent: c.frame, elem: elem, step: step, t: c.t, damage: c.damage, starts: found}
	d := c.sub(c.frame, c.Left())
	d.skim, d.heard = true, new(bool)
	var loud []int64 // elements with something to report
	damaged := false
	for d.More() && !damaged {
		d.base, *d.heard = d.pos, false
		damaged = d.protect(step)
		switch {
		case d.done:
			d.pos = d.base
		case damaged: // a partly read element counts as one
			found.add(d.base)
			d.pos = d.limit
		case d.pos <= d.base:
			c.Report(Finding{Rule: RuleInternal, Span: c.frame, Message: "an element of a sequence has no bytes"})
			damaged = true
		default:
			found.add(d.base)
		}
		if d.done {
			break
		}
		if n := found.count(); n > 0 && (damaged || *d.heard && len(loud) < MaxPerRule) {
			loud = append(loud, n-1)
		}
	}
	q.end = d.pos
	for _, i := range loud {
		e := &Cursor{t: c.t, ctx: c.ctx, frame: q.at(i), space: c.space, base: found.at(i), pos: found.at(i), limit: c.limit, end: c.end, depth: c.depth + 1, damage: c.damage, quiet: c.quiet, made: c.made}
		e.protect(step)
	}
	if rest := c.limit - q.end; rest > 0 {
		return &tail{q, &Span{Field: fieldGap, State: Gap, Range: Range{c.space, q.end, rest}, parent: c.frame}}
	}
	return q
}

// sequence is the children of a Sequence.
type sequence struct {
	t      *Tree
	parent *Span
	elem   *Field
	step   func(*Cursor)
	damage *Rule
	starts starts
	end    int64

	mu   sync.Mutex
	made map[int64]*Span
}

func (q *sequence) count() int64 { return q.starts.count() }

// madeMost is how many elements of a sequence are kept: those on a screen. An opened element stays open while it is kept.
const madeMost = 256

func (q *sequence) at(i int64) *Span {
	q.mu.Lock()
	defer q.mu.Unlock()
	if s := q.made[i]; s != nil {
		return s
	}
	if len(q.made) >= madeMost || q.made == nil {
		q.made = make(map[int64]*Span)
	}
	s := q.element(i)
	q.made[i] = s
	return s
}

func (q *sequence) element(i int64) *Span {
	from, to := q.starts.at(i), q.end
	if i+1 < q.starts.count() {
		to = q.starts.at(i + 1)
	}
	s := &Span{Field: q.elem, Range: Range{q.parent.Range.Space, from, to - from}, Shape: Struct, parent: q.parent}
	s.number(i)
	s.kids = &lazy{reported: true, element: true, open: func(d *Cursor) children {
		d.damage = q.damage
		return d.run(q.step)
	}}
	return s
}
func (q *sequence) find(off int64) int64 {
	if off >= q.end {
		return -1
	}
	return lastStart(q.starts, off)
}

// Skip passes over n bytes without a field: they become a Gap. They are not read.
func (c *Cursor) Skip(n int64) {
	c.front(0, n, fieldGap)
	c.pos += n
}

// Rest reads the remaining bytes as one leaf.
func (c *Cursor) Rest(f *Field) Node { return c.FieldN(f, c.Left()) }
