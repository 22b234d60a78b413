package model

import (
	"context"
	"io"
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
