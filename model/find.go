package model

import (
	"context"
	"errors"
	"io"
	"math"
)

const searchStep = 1 << 20

// Search returns the next match in a space that starts at or behind from; with back, the last match that starts before from.
// io.EOF says that there is none. It can be cancelled and reports how far it is.
func (t *Tree) Search(ctx context.Context, space SpaceID, q Query, from int64, back bool, progress func(done, total int64)) (Range, error) {
	size, err := t.Size(ctx, space)
	if err != nil {
		return Range{}, err
	}
	n := q.Len()
	if n == 0 || n > searchStep {
		return Range{}, io.EOF
	}
	found := Range{Space: space}
	look := func(lo, hi int64) (hit bool, err error) { // matches that start in [lo, hi)
		r := Range{space, lo, min(hi+n-1, size) - lo}
		fault := Guard(func() {
			var b []byte
			if b, err = t.view(ctx, r); err == nil {
				if i, n := q.index(b, int(hi-lo), back); i >= 0 {
					found.Off, found.Len, hit = lo+int64(i), int64(n), true
				}
			}
		})
		if fault != nil {
			err = fault
		}
		return hit, err
	}
	from = max(0, min(from, size))
	for done := int64(0); ; done += searchStep {
		if err := ctx.Err(); err != nil {
			return Range{}, err
		}
		lo, hi := from+done, min(from+done+searchStep, size)
		if back {
			lo, hi = max(0, from-done-searchStep), from-done
		}
		if lo >= hi {
			return Range{}, io.EOF
		}
		if hit, err := look(lo, hi); hit || err != nil {
			return found, err
		}
		if progress != nil {
			progress(done, size)
		}
	}
}

// SearchAll hands over the matches in a space in their order, of whichever query, until f says no. With apart none begins within the one
// before it.
func (t *Tree) SearchAll(ctx context.Context, space SpaceID, queries []Query, apart bool, progress func(done, total int64), f func(Range) bool) error {
	next := make([]Range, len(queries)) // of each query
	for i := range next {
		next[i].Off = -1
	}
	const none = math.MaxInt64
	for from := int64(0); ; {
		best := -1
		for i, q := range queries {
			if next[i].Off < from {
				r, err := t.Search(ctx, space, q, from, false, progress)
				switch {
				case errors.Is(err, io.EOF):
					r.Off = none
				case err != nil:
					return err
				}
				next[i] = r
			}
			if next[i].Off != none && (best < 0 || next[i].Off < next[best].Off) {
				best = i
			}
		}
		if best < 0 {
			return nil
		}
		step := int64(1)
		if r := next[best]; queries[best].wide { // of plain letters the other order matches too, one byte later: with the zero of the letter beside them
			if k := len(next) - 1 - best; queries[k].wide && next[k].Off == r.Off+1 && !t.evenIn(r) {
				best = k
			}
			step = 2
		}
		if !f(next[best]) {
			return nil
		}
		if from = next[best].Off + step; apart {
			from = next[best].End()
		}
	}
}

// evenIn tells whether bytes begin at a whole letter of the field that they are in, where two bytes are one.
func (t *Tree) evenIn(r Range) bool {
	s := t.At(r.Space, r.Off)
	return s == nil || (r.Off-s.Range.Off)%2 == 0
}
