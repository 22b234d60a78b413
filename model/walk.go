package model

import (
	"bytes"
	"cmp"
	"context"
)

// Walk opens every frame below a span, for the first most elements of each list, and closes what it opened, so that it keeps one
// branch at a time in memory. Reading a frame reports its problems, which is the purpose of a walk. No one else may use the tree
// meanwhile: walk over a tree of your own. Frames marked as Sound are skipped; those that are open, in a store, where reading again takes requests.
func (t *Tree) Walk(ctx context.Context, s *Span, most int64) error {
	return t.walk(ctx, s, most, false)
}

// walk is Walk; with sound it also opens the frames that were found sound in a tree of their own, so that this tree knows their spaces.
func (t *Tree) walk(ctx context.Context, s *Span, most int64, sound bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	opened := s.Ready()
	if l := s.lazy(); l != nil && !sound && (!opened || t.Snapshot.Remote) && l.sound.Load() {
		return nil
	}
	if err := t.Open(ctx, s); err != nil {
		return err
	}
	k := s.children()
	switch k.(type) {
	case nil, *columns, *elements, *parts: // nothing below is lazy
	default:
		for i := range min(k.count(), most) {
			if err := t.walk(ctx, k.at(i), most, sound); err != nil {
				return err
			}
		}
	}
	if !opened {
		s.release()
	}
	return nil
}

// Opened tells whether the children of a span are known because it was opened, and not since its parent was read.
func (t *Tree) Opened(s *Span) bool { return s.lazy() != nil && s.Ready() }

// OpenAll opens everything below a span and leaves it open, so that every space is known. What cannot be decoded is a finding, and stays empty.
func (t *Tree) OpenAll(ctx context.Context, s *Span) error {
	if t.Open(ctx, s) != nil || ctx.Err() != nil {
		return ctx.Err()
	}
	if s.Shape == Array && s.Count() > 0 && s.Child(0).Shape == Leaf && s.Child(0).Ready() {
		return nil
	}
	for i := range s.Count() {
		if err := t.OpenAll(ctx, s.Child(i)); err != nil {
			return err
		}
	}
	return nil
}

// Sound says that everything below a closed frame was read in a tree of its own and found sound. This way a check of very many
// files keeps nothing in memory.
func (s *Span) Sound() {
	if l := s.lazy(); l != nil {
		l.sound.Store(true)
	}
}

// Compare passes every leaf that differs between two trees to differ, with a nil value on the side where it is missing. Elements
// of arrays are compared by position, other spans by name.
func Compare(ctx context.Context, a, b *Tree, differ func(path string, x, y *Value) error) error {
	return comparison{ctx, a, b, func(x, y *Span, v, w *Value) error { return differ(cmp.Or(x, y).Path(), v, w) }}.spans(a.Root, b.Root)
}

// comparison is of two trees: x is always a span of a, y one of b.
type comparison struct {
	ctx    context.Context
	a, b   *Tree
	differ func(x, y *Span, v, w *Value) error // of spans, one of which may be nil, with their values
}

// spans compares two spans, of which one may be nil.
func (c comparison) spans(x, y *Span) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	if x == nil || y == nil || x.Shape == Leaf || y.Shape == Leaf {
		return c.leaves(x, y)
	}
	if err := c.a.Open(c.ctx, x); err != nil {
		return err
	}
	if err := c.b.Open(c.ctx, y); err != nil {
		return err
	}
	named := func(s *Span) bool { _, ok := s.children().(list); return ok && s.Shape == Struct }
	if named(x) && named(y) {
		return c.byName(x, y)
	}
	return c.byPlace(x, y)
}

func (c comparison) byName(x, y *Span) error {
	left := map[string]*Span{}
	for i := range y.Count() {
		k := y.Child(i)
		left[k.Name()] = k
	}
	for i := range x.Count() {
		k := x.Child(i)
		if err := c.spans(k, left[k.Name()]); err != nil {
			return err
		}
		delete(left, k.Name())
	}
	for i := range y.Count() {
		if k := y.Child(i); left[k.Name()] == k {
			if err := c.spans(nil, k); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c comparison) byPlace(x, y *Span) error {
	for i, checked := int64(0), int64(0); i < max(x.Count(), y.Count()); i++ {
		if i == checked {
			n, same, err := c.alike(x, y, i)
			if err != nil {
				return err
			}
			if checked += n; same {
				i = checked - 1
				continue
			}
		}
		if err := c.spans(x.Child(i), y.Child(i)); err != nil {
			return err
		}
	}
	return nil
}

// alike compares the next elements of two arrays, from the i-th on: how many were compared, and whether their bytes are the same.
// None are compared if the elements are of different kinds, or vary in size.
func (c comparison) alike(x, y *Span, i int64) (n int64, same bool, err error) {
	e, f := elementsOf(x), elementsOf(y)
	if e == nil || f == nil || e.stride != f.stride || e.rec != f.rec || e.field != f.field || i >= min(e.n, f.n) {
		return 0, false, nil
	}
	n = min(max(1, searchStep/e.stride), e.n-i, f.n-i)
	p, q := x.Range, y.Range
	p.Off, p.Len, q.Off, q.Len = p.Off+i*e.stride, n*e.stride, q.Off+i*e.stride, n*e.stride
	err = c.a.Stream(c.ctx, p, p.Len, func(_ int64, v []byte) error {
		return c.b.Stream(c.ctx, q, q.Len, func(_ int64, w []byte) error { same = bytes.Equal(v, w); return nil })
	})
	return n, same, err
}

// elementsOf are the elements of an array of fixed stride, without what follows them; nil for other spans.
func elementsOf(s *Span) *elements {
	k := s.children()
	if t, ok := k.(*tail); ok {
		k = t.children
	}
	e, _ := k.(*elements)
	return e
}

// Elements passes the bytes of each element of an array of single fixed-size fields to f, which may not keep them. It returns the
// number of elements: none for other spans.
func (t *Tree) Elements(ctx context.Context, s *Span, f func(i int64, field *Field, b []byte) error) (int64, error) {
	e := elementsOf(s)
	if e == nil || e.rec != nil || e.field.Codec == nil || e.stride <= 0 || e.stride > MaxValue {
		return 0, nil
	}
	i, step := int64(0), searchStep/e.stride*e.stride
	err := t.Stream(ctx, Range{s.Range.Space, s.Range.Off, e.n * e.stride}, step, func(_ int64, b []byte) error {
		for ; len(b) > 0; i, b = i+1, b[e.stride:] {
			if err := f(i, e.field, b[:e.stride]); err != nil {
				return err
			}
		}
		return nil
	})
	return e.n, err
}

func (c comparison) leaves(x, y *Span) error {
	v, err := c.value(c.a, x)
	if err != nil {
		return err
	}
	w, err := c.value(c.b, y)
	if err != nil {
		return err
	}
	if v != nil && w != nil && v.Equal(*w) && x.Range.Len == y.Range.Len {
		return nil
	}
	return c.differ(x, y, v, w)
}

// value is that of a span; nil for none.
func (c comparison) value(t *Tree, s *Span) (*Value, error) {
	if s == nil {
		return nil, nil
	}
	v, err := t.Value(c.ctx, s)
	if err == nil && s.Shape == Leaf && v.Kind == None { // bytes that mean nothing by themselves
		r := s.Range
		r.Len = min(r.Len, MaxValue)
		var b []byte
		b, err = t.Bytes(c.ctx, r)
		v = Raw(b)
	}
	return &v, err
}
