package model

import (
	"context"
	"fmt"
	"hash"
	"hash/crc32"
	"sync/atomic"
)

// LinkKind says how a derived value depends on its targets.
type LinkKind uint8

// The kinds of links.
const (
	LengthLink   LinkKind = iota // bytes of the targets together
	CountLink                    // elements of the target
	OffsetLink                   // where the target starts
	ChecksumLink                 // a checksum over the targets
	SameLink                     // the same value as the target's
	EndLink                      // where the target ends
	PadLink                      // bytes that fill the targets up to a multiple of Unit
)

func (k LinkKind) String() string {
	return [...]string{"length of", "count of", "offset of", "checksum of", "same as", "end of", "padding of"}[k]
}

// Link says that the value of Field is derived from its targets. A format declares it once, while parsing; the link then checks the
// file, updates it after an edit, and lets the user navigate between the two.
//
// The value is (measure − Base) ÷ Unit + Bias.
type Link struct {
	Kind    LinkKind
	fill    byte  // what padding is made of
	by      *Span // the field that says Unit of padding; nil where the format fixes it
	Quiet   bool  // laid out, but not checked: the format checks it in its own way
	doubt   bool
	checked atomic.Bool
	Field   *Span
	Targets []*Span
	Unit    int64 // bytes that count as one, for lengths and offsets
	Bias    int64
	Base    int64 // what offsets are counted from
	Origin  *Span // second base of offsets: its start, which may move; nil: the start of the space
	Sum     *Sum
	Rule    *Rule // rule for a wrong value; nil: RuleLink or RuleChecksum
}

// MaxUnit is the largest unit of padding that an edit may ask for, because it is multiplied by what is padded.
const MaxUnit = 1 << 20

// Sum is a checksum algorithm.
type Sum struct {
	Name  string
	New   func() hash.Hash
	Value func(h hash.Hash) Value
	// Weak means that a change of almost any byte can make the sum match, as for a sum of bytes: a match proves nothing.
	Weak bool
}

// CRC32 is the checksum of ZIP, gzip and PNG (IEEE 802.3).
var CRC32 = &Sum{Name: "CRC-32", New: func() hash.Hash { return crc32.NewIEEE() }, Value: func(h hash.Hash) Value { return U(uint64(h.(hash.Hash32).Sum32())) }}

// LengthOf says that n is the length in bytes of the targets together.
func (c *Cursor) LengthOf(n Node, targets ...Node) *Link { return c.link(LengthLink, n, targets) }

// CountOf says that n is the number of elements of target.
func (c *Cursor) CountOf(n, target Node) *Link { return c.link(CountLink, n, []Node{target}) }

// OffsetOf says that n is where target starts in its space.
func (c *Cursor) OffsetOf(n, target Node) *Link { return c.link(OffsetLink, n, []Node{target}) }

// EndOf says that n is where target ends in its space.
func (c *Cursor) EndOf(n, target Node) *Link { return c.link(EndLink, n, []Node{target}) }

// PadOf says that n is padding: as many fill bytes as extend the targets to a multiple of unit. A leaf of no bytes is
// padding too, which an edit may enlarge. Its content is not checked.
func (c *Cursor) PadOf(n Node, unit int64, fill byte, targets ...Node) *Link {
	l := c.link(PadLink, n, targets)
	l.Unit, l.fill, l.Quiet = unit, fill, true
	return l
}

// ChecksumOf says that n is a checksum over the bytes of the targets, one after the other. It is verified on demand, because it
// reads everything; the bytes are as doubtful as the sum.
func (c *Cursor) ChecksumOf(n Node, sum *Sum, targets ...Node) *Link {
	l := c.link(ChecksumLink, n, targets)
	l.Sum = sum
	return l.Doubtful()
}

// SameAs says that n repeats the value of target.
func (c *Cursor) SameAs(n, target Node) *Link { return c.link(SameLink, n, []Node{target}) }

func (c *Cursor) link(k LinkKind, n Node, targets []Node) *Link {
	l := &Link{Kind: k, Field: n.Span, Unit: 1}
	for _, t := range targets {
		if t.Span == nil {
			return l
		}
		l.Targets = append(l.Targets, t.Span)
	}
	if c.skim || c.quiet && !c.lazy.own() || n.Span == nil || len(targets) == 0 {
		return l
	}
	*c.made = append(*c.made, l)
	return l
}

// Per sets the unit, Plus the bias, From the base, Since the span from whose start offsets are counted, and As the rule that reports a wrong value. When says whether the value
// can be judged: false if what it measures is truncated, or its own damage has been reported, so that a finding would be
// redundant. Unchecked says that the format checks the value itself; a comment says why. They return the link.
func (l *Link) Per(unit int64) *Link  { l.Unit = unit; return l }
func (l *Link) Plus(bias int64) *Link { l.Bias = bias; return l }
func (l *Link) From(base int64) *Link { l.Base = base; return l }
func (l *Link) Since(n Node) *Link    { l.Origin = n.Span; return l }
func (l *Link) As(r *Rule) *Link      { l.Rule = r; return l }
func (l *Link) When(ok bool) *Link    { l.Quiet = l.Quiet || !ok; return l }
func (l *Link) Unchecked() *Link      { l.Quiet = true; return l }

// Doubtful says that if the field is wrong, its targets may be what is wrong: no fix is safe.
func (l *Link) Doubtful() *Link { l.doubt = true; return l }

// Want computes the value that the field should have. ok is false if a target is damaged, so that nothing can be said.
func (l *Link) Want(ctx context.Context, t *Tree) (v Value, ok bool, err error) {
	var n int64
	for _, s := range l.Targets {
		if s.cut() || s.State == Bad || l.Kind == CountLink && !s.Ready() || l.Kind != OffsetLink && t.undecided(s.Range.Space) {
			return Value{}, false, nil
		}
		n += s.Range.Len
	}
	switch l.Kind {
	case CountLink:
		n = l.Targets[0].elements()
	case OffsetLink:
		n = l.Targets[0].Range.Off
	case EndLink:
		n = l.Targets[0].Range.End()
	case SameLink:
		v, err = t.Value(ctx, l.Targets[0])
		return v, err == nil, err
	case ChecksumLink:
		h := l.Sum.New()
		for _, s := range l.Targets {
			if err := t.Stream(ctx, s.Range, 1<<20, func(_ int64, b []byte) error { h.Write(b); return nil }); err != nil {
				return Value{}, false, err
			}
		}
		return l.Sum.Value(h), true, nil
	}
	if l.Origin != nil {
		n -= l.Origin.Range.Off
	}
	if n -= l.Base; n%l.Unit != 0 {
		return Value{}, false, nil
	}
	return I(n/l.Unit + l.Bias), true, nil
}

// elements returns the number of children that are elements, not gaps between or after them.
func (s *Span) elements() int64 {
	n := s.Count()
	if l, ok := s.children().(list); ok {
		n = 0
		for _, k := range l {
			if k.Index() >= 0 {
				n++
			}
		}
	} else if k := s.Child(n - 1); k != nil && k.Index() < 0 {
		n--
	}
	return n
}

// check reports a wrong value, once; not after an interruption, when a target may be unread and so without its length. Checksums are left to
// CheckSums, and the count of an unread list waits for the list.
func (l *Link) check(ctx context.Context, t *Tree) {
	if l.Kind == CountLink && !l.Targets[0].Ready() {
		t.await(l)
		return
	}
	if l.Kind != ChecksumLink && !l.Quiet && ctx.Err() == nil && !l.checked.Swap(true) {
		l.verify(ctx, t)
	}
}

func (l *Link) verify(ctx context.Context, t *Tree) error {
	want, ok, err := l.Want(ctx, t)
	if err != nil || !ok {
		return err
	}
	got, err := t.Value(ctx, l.Field)
	if err != nil || got.Equal(want) {
		return err
	}
	rule := l.Rule
	if rule == nil {
		if rule = RuleLink; l.Kind == ChecksumLink {
			rule = RuleChecksum
		}
	}
	d := Finding{Rule: rule, Span: l.Field, Found: got.String(), Expected: want.String(), Want: want, Doubt: l.doubt}
	for _, s := range l.Targets {
		d.Related = append(d.Related, s.Range)
	}
	if l.Kind == ChecksumLink {
		d.Sum = l.Sum
		t.mu.Lock()
		t.suspect = append(t.suspect, d.Related...)
		t.mu.Unlock()
	}
	d.Message = fmt.Sprintf("%s: %s is the %s %s", rule.Title, l.Field.Name(), l.Kind, l.Targets[0].Path())
	t.Report(d)
	return nil
}

// await keeps a link until the list that it counts is opened.
func (t *Tree) await(l *Link) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.awaited == nil {
		t.awaited = map[*lazy][]*Link{}
	}
	list := l.Targets[0].lazy()
	t.awaited[list] = append(t.awaited[list], l)
}

// counted checks the links that waited for a list.
func (t *Tree) counted(ctx context.Context, list *lazy) {
	t.mu.Lock()
	links := t.awaited[list]
	delete(t.awaited, list)
	t.mu.Unlock()
	for _, l := range links {
		l.check(ctx, t)
	}
}

func (t *Tree) checkLinks(ctx context.Context) {
	for _, l := range t.Links() {
		l.check(ctx, t)
	}
}

// CheckSums verifies every checksum that is known so far and reports those that do not match.
func (t *Tree) CheckSums(ctx context.Context) error {
	for _, l := range t.Links() {
		if l.Kind == ChecksumLink && !l.Quiet && !l.checked.Load() {
			l.verify(ctx, t)
			if err := ctx.Err(); err != nil {
				return err
			}
			l.checked.Store(true)
		}
	}
	return nil
}

// Relation is a link seen from one of its ends.
type Relation struct {
	Text string // "length of", "measured by" …
	To   Range
	Span *Span // the other end
}

// own tells whether what is read now keeps its links itself.
func (l *lazy) own() bool { return l != nil && l.element }

// elementLinks are the links inside the sequence elements that contain a span.
func elementLinks(s *Span) (out []*Link) {
	for ; s != nil; s = s.parent {
		if l := s.lazy(); l.own() && s.Ready() {
			out = append(out, l.links...)
		}
	}
	return out
}

// Relations returns where one can go from a span: what its value measures or locates, and what measures or locates it.
func (t *Tree) Relations(s *Span) (out []Relation) {
	path := s.Path()
	for _, l := range append(t.Links(), elementLinks(s)...) {
		if l.Field.Range == s.Range && l.Field.Path() == path {
			for _, k := range l.Targets {
				out = append(out, Relation{l.Kind.String(), k.Range, k})
			}
		}
		for _, k := range l.Targets {
			if k.Range == s.Range && k.Path() == path {
				back := [...]string{"its length", "its count", "its offset", "its checksum", "repeated by", "its end", "its padding"}[l.Kind]
				out = append(out, Relation{back, l.Field.Range, l.Field})
			}
		}
	}
	if s.Field.Target == nil {
		return out
	}
	if r, ok := s.Field.Target(t, s); ok {
		out = append(out, Relation{"refers to", r, t.At(r.Space, r.Off)})
	}
	return out
}
