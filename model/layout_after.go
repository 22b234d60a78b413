package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
)

// layout is where the spans of a tree are, and what they contain, after splices.
type layout struct {
	ctx context.Context
	t   *Tree
	by  map[SpaceID][]*splice // sorted by offset
}

var errOverlap = errors.New("two changes affect the same bytes")

// add inserts a splice in order.
func (l *layout) add(s *splice) error {
	list := l.by[s.at.Space]
	i := sort.Search(len(list), func(i int) bool {
		return list[i].at.Off > s.at.Off || list[i].at.Off == s.at.Off && list[i].at.End() > s.at.End()
	})
	if i > 0 && list[i-1].at.End() > s.at.Off || i < len(list) && s.at.End() > list[i].at.Off {
		return fmt.Errorf("%w: 0x%x", errOverlap, s.at.Off)
	}
	l.by[s.at.Space] = slices.Insert(list, i, s)
	return nil
}

// length returns how long a span is after the changes.
func (l *layout) length(s *Span) (int64, error) {
	n := s.Range.Len
	if sp := l.t.Space(s.Range.Space); sp != nil && sp.Derived() && sp.Root == s {
		var err error
		if n, err = l.t.Size(l.ctx, sp.ID); err != nil {
			return 0, err
		}
		for _, c := range l.by[s.Range.Space] {
			n += c.delta()
		}
		return n, nil
	}
	for _, c := range l.touching(s.Range) {
		if c.inside(s) {
			n += c.delta()
		}
	}
	return n, nil
}

// touching returns the splices in a range or at its borders.
func (l *layout) touching(r Range) []*splice {
	list := l.by[r.Space]
	i := sort.Search(len(list), func(i int) bool { return list[i].at.End() >= r.Off })
	j := i + sort.Search(len(list)-i, func(j int) bool { return list[i+j].at.Off > r.End() })
	return list[i:j]
}

// offset returns where a span starts after the changes.
func (l *layout) offset(s *Span) int64 {
	off := s.Range.Off
	for _, c := range l.by[s.Range.Space] {
		if c.at.Off > s.Range.Off {
			break
		}
		if c.at.End() <= s.Range.Off && !(c.at.Off == s.Range.Off && (c.inside(s) || c.behind(s))) {
			off += c.delta()
		}
	}
	return off
}

// count returns how many elements a list has after the changes.
func (l *layout) count(s *Span) (int64, error) {
	if e, ok := s.children().(*elements); ok {
		n, err := l.length(s)
		return n / e.stride, err
	}
	n := s.elements()
	for _, c := range l.touching(s.Range) {
		if c.owner.is(s) {
			n += c.count
		}
		if c.at.Len == 0 || c.count != 0 {
			continue
		}
		for i := range s.Count() { // whole elements that are deleted
			k := s.Child(i)
			if k.Index() >= 0 && c.at.Contains(k.Range) && k.Range.Len > 0 && c.with.Len() == 0 {
				n--
			}
		}
	}
	return n, nil
}

// lengths is the total length of spans, before and after the changes.
func (l *layout) lengths(spans []*Span) (before, after int64, err error) {
	for _, s := range spans {
		n, err := l.length(s)
		if err != nil {
			return 0, 0, err
		}
		after += n
		if sp := l.t.Space(s.Range.Space); sp == nil || !sp.Derived() || sp.Root != s {
			before += s.Range.Len
			continue
		}
		before += n // the root of a derived space may not know its length
		for _, c := range l.by[s.Range.Space] {
			before -= c.delta()
		}
	}
	return before, after, nil
}

// given is the new value of a field, if an edit sets one.
func (l *layout) given(s *Span) (v Value, ok bool, err error) {
	c := l.spliceOf(s)
	if c == nil {
		return Value{}, false, nil
	}
	b, err := readAll(c.with)
	if err != nil {
		return Value{}, false, err
	}
	v, _, err = s.Field.Codec.Decode(b)
	return v, err == nil, err
}

// spliceOf returns the splice that replaces exactly the bytes of a span, or nil.
func (l *layout) spliceOf(s *Span) *splice {
	for _, c := range l.touching(s.Range) {
		if c.at == s.Range && s.Range.Len > 0 {
			return c
		}
	}
	return nil
}

// replaced tells whether an edit replaces all bytes of a span.
func (l *layout) replaced(s *Span) bool {
	return slices.ContainsFunc(l.touching(s.Range), func(c *splice) bool { return c.asked && c.at.Contains(s.Range) })
}

// changed tells whether bytes of a span change.
func (l *layout) changed(s *Span) bool {
	return slices.ContainsFunc(l.touching(s.Range), func(c *splice) bool { return c.at.Overlaps(s.Range) || c.inside(s) })
}

// original returns the bytes of a space before the changes.
func (l *layout) original(id SpaceID) (*Content, error) {
	sp := l.t.Space(id)
	if !sp.Derived() {
		return sp.file()
	}
	n, err := l.t.Size(l.ctx, id)
	if err != nil {
		return nil, err
	}
	b, err := l.t.Bytes(l.ctx, Range{id, 0, n})
	return BytesContent(b), err
}

// reader returns the bytes of a span after the changes. It reads no others, because a file may have as many checksums as changes.
func (l *layout) reader(s *Span) (io.Reader, error) {
	c, err := l.original(s.Range.Space)
	if err != nil {
		return nil, err
	}
	n, err := l.length(s)
	if err != nil {
		return nil, err
	}
	near, from, to := l.touching(s.Range), s.Range.Off, s.Range.End()
	if l.t.Space(s.Range.Space).Root == s {
		near, from, to = l.by[s.Range.Space], 0, c.Len()
	} else if len(near) > 0 {
		from, to = min(from, near[0].at.Off), max(to, near[len(near)-1].at.End())
	}
	at := l.offset(s) - from
	for _, c := range l.by[s.Range.Space] {
		if c.at.End() >= s.Range.Off {
			break
		}
		at -= c.delta()
	}
	return io.NewSectionReader(c.apply(near, from, to), at, n), nil
}
