package tiledb

import (
	"context"

	"spandrel/model"
	"spandrel/parsers/tiledb/fragment"
)

// Counting salvaged cells as readers get them: a cell that several fragments contain counts once, and one that only pads a tile does not count.

// asRead replaces the numbers of stored cells by those of cells that readers get. How many there were is unknown if not all coordinates can be read.
func (s *salvager) asRead(ctx context.Context, t *model.Tree) {
	stored := s.cells
	s.cells.Saved -= s.doubts
	is := (&model.Salvaged{Files: s.files}).Tree(ctx, t)
	if is == nil {
		return
	}
	d, ok := is.State.(*doc)
	if !ok {
		return
	}
	saved, known := seen(ctx, d.array(""))
	if !known {
		s.cells.What = "stored cells"
		return
	}
	of := saved
	if stored.Saved < stored.Of || len(s.lost) > 0 {
		if of, known = seen(ctx, s.a); known && len(s.lost) == 0 {
			of = max(of, saved) // what was never committed is saved too
		} else {
			of = -1
		}
	}
	s.cells.Saved, s.cells.Of = max(0, saved-s.doubts), of
}

// seen is how many cells readers get of the array, unwritten ones not counted; known is false if some cannot be told apart.
func seen(ctx context.Context, a *array) (n int64, known bool) {
	v, err := a.viewAt(ctx, asOfNow)
	if err != nil {
		return 0, false
	}
	if b, ok := v.(*boxTable); ok {
		return b.covered(ctx), ctx.Err() == nil
	}
	return v.rows(), v.table().unmerged == ""
}

// covered is how many cells of the box a fragment contains. Each is counted in the newest one.
func (b *boxTable) covered(ctx context.Context) (n int64) {
	for i, f := range b.boxes {
		sizes, lines := make([]uint64, len(f.low)), uint64(1)
		for d := range f.low {
			if sizes[d] = f.high[d] - f.low[d] + 1; d < len(f.low)-1 {
				lines *= sizes[d]
			}
		}
		x := make([]uint64, len(sizes))
		for line := range lines {
			if ctx.Err() != nil {
				return n
			}
			fragment.Split(line*sizes[len(sizes)-1], sizes, false, x)
			for d := range x {
				x[d] += f.low[d]
			}
			n += b.along(i, x)
		}
	}
	return n
}

// along is how many cells of fragment i are the newest, from a place up to the end of its box in the last dimension.
func (b *boxTable) along(i int, x []uint64) (n int64) {
	last := len(x) - 1
	for end := b.boxes[i].high[last]; x[last] <= end; {
		newest, run := b.newestAt(x)
		if run = min(run, end-x[last]+1); newest == i {
			n += int64(run)
		}
		x[last] += run
	}
	return n
}
