package tiledb

import (
	"cmp"
	"context"
	"math"
	"slices"

	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/storage"
)

// tiled finds out how many cells a tile has, and of a dense array how far it may go along each dimension: the likeliest first.
func (x *implied) tiled(ctx context.Context, f *frag) (out []arrangement) {
	count := max(len(f.field(0).list(ctx, fragment.TileOffsets)), len(f.field(0).list(ctx, fragment.VarOffsets))) // texts may be packed with where they start
	switch {
	case !f.meta.Dense:
		x.capacity = f.capacity(ctx, count)
		return []arrangement{{}}
	case x.knows(len(x.dims)):
		return []arrangement{{}}
	}
	var list []arrangement
	for _, cells := range x.perTile(ctx, f, count) {
		if list = x.extents(cells, count); len(list) > 0 {
			break
		}
	}
	for order := range byte(4) {
		for _, way := range list[:min(len(list), mostExtents)] {
			if way.tiles, way.cells = order&1, order>>1; order == 0 || len(way.extents) > 1 {
				out = append(out, way)
			}
		}
	}
	return out
}

// capacity is how many cells the tiles of a sparse fragment have but for the last, by how many bytes of a field are in the first of them and in the last.
func (f *frag) capacity(ctx context.Context, tiles int) uint64 {
	for y := range f.fields() {
		n, total := len(y.list(ctx, fragment.TileOffsets)), y.file(fragment.Fixed).totals(ctx)
		if tiles > 1 && n == tiles && total[0] > 0 && total[n-1] > 0 {
			return f.meta.Last * uint64(total[0]) / uint64(total[n-1])
		}
	}
	return max(f.meta.Last, 1)
}

// mostExtents is how many ways to divide a box are tried.
const mostExtents = 8

// arrangement is where the domain begins and how far tiles go along each dimension, and in which order tiles and cells follow each other;
// nothing for what is known.
type arrangement struct {
	lows         []uint64
	extents      []int
	tiles, cells byte
}

// perTile lists how many cells tiles of a dense fragment may have, the likeliest first.
func (x *implied) perTile(ctx context.Context, f *frag, count int) (out []int) {
	for slot := range x.attrs {
		if valid := f.field(slot).file(fragment.Validity).totals(ctx); len(valid) > 0 {
			out = append(out, int(valid[0]))
		}
	}
	if fixed := f.field(0).file(fragment.Fixed).totals(ctx); len(fixed) > 0 {
		for _, w := range []int{24, 16, 12, 8, 4, 2, 1} {
			if int(fixed[0])%w == 0 {
				out = append(out, int(fixed[0])/w)
			}
		}
	}
	if count == 1 {
		cells := 1
		for _, r := range x.box {
			cells *= int(min(storage.Spread(r[0], r[1]), 1<<20)) + 1
		}
		out = append(out, cells)
	}
	return out
}

// totals are the bytes that the tiles of a file hold, as their chunks say; nil where they are not laid out as chunks.
func (x dataFile) totals(ctx context.Context) (out []int64) {
	for _, raw := range x.rawTiles(ctx) {
		chunks, _, err := filter.Chunks(raw)
		n := int64(0)
		for _, k := range chunks {
			n += int64(k.Orig)
		}
		if err != nil {
			n = 0
		}
		out = append(out, n)
	}
	return out
}

// rawTiles are the tiles of a file of a field as they are stored.
func (x dataFile) rawTiles(ctx context.Context) (out [][]byte) {
	b, offsets := fileBytes(x.f.a.d.t, x.path(), 64<<20), x.offsets(ctx)
	for i, off := range offsets {
		end := uint64(len(b))
		if i+1 < len(offsets) {
			end = min(end, offsets[i+1])
		}
		out = append(out, b[min(off, end):end])
	}
	return out
}

// mostTries is how many extents are tried.
const mostTries = 1 << 14

// extents lists how the box can be divided into so many tiles of so many cells, the squarest first. Tiles are counted from where the domain
// begins: with the box, or at 0 or 1.
func (x *implied) extents(cells, tiles int) (out []arrangement) {
	if cells <= 0 || cells > 1<<26 {
		return nil
	}
	lengths := divisors(cells)
	for _, first := range []uint64{math.MaxUint64, 0, 1} {
		tries := 0
		var divide func(way arrangement, cells, tiles int) // along the dimensions that way says nothing of
		divide = func(way arrangement, cells, tiles int) {
			i := len(way.extents)
			if tries++; tries > mostTries {
				return
			}
			if i == len(x.box) {
				if cells == 1 && tiles == 1 {
					out = append(out, way)
				}
				return
			}
			low, high := x.box[i][0].Uint(), x.box[i][1].Uint()
			begin := low
			if first < low && int64(low) > 0 {
				begin = first
			}
			for _, e := range lengths {
				if n := int(min((high-begin)/uint64(e)-(low-begin)/uint64(e), 1<<40)) + 1; cells%e == 0 && tiles%n == 0 {
					divide(arrangement{lows: append(way.lows[:i:i], begin), extents: append(way.extents[:i:i], e)}, cells/e, tiles/n)
				}
			}
		}
		divide(arrangement{}, cells, tiles)
	}
	square := func(a arrangement) float64 { return float64(slices.Max(a.extents)) / float64(slices.Min(a.extents)) }
	slices.SortStableFunc(out, func(a, b arrangement) int { return cmp.Compare(square(a), square(b)) })
	return slices.CompactFunc(out, func(a, b arrangement) bool { return slices.Equal(a.extents, b.extents) && slices.Equal(a.lows, b.lows) })
}

func divisors(n int) (out []int) {
	for e := 1; e*e <= n; e++ {
		if n%e == 0 {
			out = append(out, e, n/e)
		}
	}
	return out
}
