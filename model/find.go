package model

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"
)

const searchStep = 1 << 20

// Search returns the next match in a space at or after from; with back, the last match before from.
// io.EOF means that there is none. It can be cancelled and reports its progress.
func (t *Tree) Search(ctx context.Context, space SpaceID, q Query, from int64, back bool, progress func(done, total int64)) (Range, error) {
	size, err := t.Size(ctx, space)
	if err != nil {
		return Range{}, err
	}
	n := q.Len()
	if n == 0 || n > searchStep {
		return Range{}, io.EOF
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
		r := Range{space, lo, min(hi+n-1, size) - lo}
		if hit, ok, err := t.match(ctx, r, q, int(hi-lo), back); ok || err != nil {
			return hit, err
		}
		if progress != nil {
			progress(done, size)
		}
	}
}

// match is the first match in a range, or the last, that starts within its first most bytes.
func (t *Tree) match(ctx context.Context, r Range, q Query, most int, last bool) (hit Range, ok bool, err error) {
	err = t.see(ctx, r, func(b []byte) error {
		if i, n := q.index(b, most, last); i >= 0 {
			hit, ok = Range{r.Space, r.Off + int64(i), int64(n)}, true
		}
		return nil
	})
	return hit, ok, err
}

// SearchAll passes the matches of all queries in a space to f, in order, until f returns false. With apart no match begins inside the one
// before it.
func (t *Tree) SearchAll(ctx context.Context, space SpaceID, queries []Query, apart bool, progress func(done, total int64), f func(Range) bool) error {
	next := slices.Repeat([]Range{{Off: -1}}, len(queries)) // of each query
	for from := int64(0); ; {
		for i, q := range queries {
			if next[i].Off >= from {
				continue
			}
			r, err := t.Search(ctx, space, q, from, false, progress)
			switch {
			case errors.Is(err, io.EOF):
				r.Off = noMatch
			case err != nil:
				return err
			}
			next[i] = r
		}
		best := nearest(next)
		if best < 0 {
			return nil
		}
		best, step := t.meant(queries, next, best)
		if !f(next[best]) {
			return nil
		}
		if from = next[best].Off + step; apart {
			from = next[best].End()
		}
	}
}

// noMatch is the place of a query's next match if there is none.
const noMatch = math.MaxInt64

// nearest is the index of the first of some matches; -1 if there are none.
func nearest(next []Range) int {
	best := -1
	for i, r := range next {
		if r.Off != noMatch && (best < 0 || r.Off < next[best].Off) {
			best = i
		}
	}
	return best
}

// meant decides to which of two UTF-16 queries a match belongs: plain letters also match in the other byte order, one byte later, with the
// zero of the neighbouring letter. step is the size of a letter.
func (t *Tree) meant(queries []Query, next []Range, best int) (query int, step int64) {
	if !queries[best].wide {
		return best, 1
	}
	other := len(next) - 1 - best
	if queries[other].wide && next[other].Off == next[best].Off+1 && !t.evenIn(next[best]) {
		return other, 2
	}
	return best, 2
}

// evenIn tells whether bytes begin at a whole UTF-16 letter of the field that contains them.
func (t *Tree) evenIn(r Range) bool {
	s := t.At(r.Space, r.Off)
	return s == nil || (r.Off-s.Range.Off)%2 == 0
}
