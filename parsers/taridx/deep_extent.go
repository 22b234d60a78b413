package taridx

import (
	"context"
	"maps"
	"slices"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

// maxAbsent is how many missing shards are reported.
const maxAbsent = 8

// extents says how long the index should be, which ends with its rows, and the shards, which end with their members.
func extents(ctx context.Context, t *model.Tree) (out []model.Extent) {
	x := stateOf(t)
	if x == nil || x.rows == nil {
		return nil
	}
	if x.dead { // it is unknown whether shards without members should have some
		return empty(ctx, x.fold)
	}
	n, start := x.head["n_rows"], x.rows.Range.Off
	if rows, ok := x.uniform(ctx); ok && rows == x.n && n.Int() != x.n {
		out = append(out, model.Extent{Size: start + x.n*rowSize, By: x.head["n_stems"].Span, Says: "the sample count in the header gives its length",
			Content: "rows", Unit: rowSize, Overhead: start})
	} else if n.Uint() < 1<<50 && !(n.Int() > x.n && x.complete(ctx)) {
		out = append(out, model.Extent{Size: start + n.Int()*rowSize, By: n.Span, Says: "the header gives its length", Content: "rows", Unit: rowSize,
			Overhead: start})
	}
	need := x.needs(ctx)
	for _, h := range x.fold.shards[:min(len(x.fold.shards), maxShards)] {
		if e, ok := x.extent(ctx, h, need[h]); ok {
			out = append(out, e)
		}
	}
	return append(out, x.absent(ctx)...)
}

// empty are the shards of a fold that have no members.
func empty(ctx context.Context, f *fold) (out []model.Extent) {
	for _, h := range f.shards[:min(len(f.shards), maxShards)] {
		if w := f.walk(ctx, h).toEnd(); w.err == nil && w.end == 0 {
			out = append(out, model.Extent{File: h.name, Size: h.entry.Size, Zeros: true})
		}
	}
	return out
}

// complete tells whether each row has its member, and each member its row: then no row is missing, whatever the header counts.
func (x *index) complete(ctx context.Context) bool {
	m, err := x.matched(ctx)
	return err == nil && x.n > 0 && m.whole() && len(m.missing) == 0 && x.t.Root.Range.End() == x.rows.Range.End()
}

// absent are the missing shards that rows point into, as far as their names follow from the others.
func (x *index) absent(ctx context.Context) (out []model.Extent) {
	count, need := map[uint16]int64{}, map[uint16]int64{}
	if x.n > maxRewrite || x.each(ctx, func(_ int64, r entryRow) {
		if x.fold.of(r.fid) == nil && r.off < 1<<50 && r.size < 1<<50 {
			count[r.fid]++
			need[r.fid] = max(need[r.fid], int64(r.off)+tarfile.Block+tarfile.Padded(int64(r.size)))
		}
	}) != nil {
		return nil
	}
	for _, fid := range slices.Sorted(maps.Keys(count)) {
		if int64(fid) >= x.n+int64(len(x.fold.shards)) {
			break // each shard has a row
		}
		if name := x.fold.nameOf(fid); name != "" && len(out) < maxAbsent && (count[fid] > 1 || count[fid] == x.n) {
			out = append(out, model.Extent{File: name, Size: need[fid], Least: true, Says: "rows of the index refer to bytes after its end", Magics: tarfile.Magics})
		}
	}
	return out
}

// needs is up to where rows point in each shard, according to at least two of them: a single one may be wrong, unless the shard ends in the middle
// of a block.
func (x *index) needs(ctx context.Context) map[*shard]int64 {
	last, before := map[*shard]int64{}, map[*shard]int64{}
	if x.n > maxRewrite {
		return nil
	}
	x.each(ctx, func(_ int64, r entryRow) {
		h := x.fold.of(r.fid)
		if h == nil || r.off > 1<<50 || r.size > 1<<50 {
			return
		}
		end := int64(r.off) + tarfile.Block + tarfile.Padded(int64(r.size))
		if end > last[h] {
			before[h], last[h] = last[h], end
		} else {
			before[h] = max(before[h], end)
		}
	})
	for h, end := range before {
		if end <= h.entry.Size && h.entry.Size%tarfile.Block == 0 {
			delete(last, h)
		}
	}
	return last
}

// extent is the length of a shard: it is truncated if no zeros end the archive and members are missing that rows point at, or the end of its last
// one; otherwise its end determines it.
func (x *index) extent(ctx context.Context, h *shard, need int64) (e model.Extent, ok bool) {
	size := h.entry.Size
	e = model.Extent{File: h.name, Size: size, Magics: tarfile.Magics}
	last, w := int64(0), x.fold.walk(ctx, h)
	for off, head := range w.members {
		last = off + head.Span()
	}
	end, err := w.end, w.err
	ended := err == nil && end+tarfile.Block <= size
	e.Zeros = ended && !headers{x}.pointsBehind(ctx, h, end)
	switch {
	case last == 0 && size%tarfile.Block == 0 && size > 0 && !headers{x}.pointsBehind(ctx, h, 0): // without members
		e.Magics, e.Zeros = nil, true
	case err != nil && last <= size:
		e.Zeros = len(headers{x}.ending(ctx, h, end).odd) > 0
		if size%tarfile.Block != 0 { // bytes were inserted or lost before a header
			e.Size, e.Guess, e.Says = wholeBlocks(size), true, "a tar file is made of blocks of 512 bytes"
		}
	case !ended && need > size && need >= last:
		e.Size, e.Least, e.Says = need, true, "rows of the index refer to bytes after its end"
	case last > size:
		e.Size, e.Least, e.Says = last, true, "it ends inside its last member"
	default:
		rest := headers{x}.ending(ctx, h, end)
		if rest.should > 0 && (rest.should < size || size > end) {
			e.Size, e.Says = rest.should, "the zeros at the end of a tar file come earlier"
		} else if rest.zeros == size-end && size%tarfile.Block != 0 {
			e.Size, e.Zeros, e.Says = tarfile.Padded(max(size, end+2*tarfile.Block)), true, "a tar file ends with two blocks of 512 zeros"
		}
	}
	return e, true
}

// wholeBlocks is the nearest possible length of an archive: a whole number of records of 20 blocks, which most programs write, if that is
// less than a block away, otherwise of blocks.
func wholeBlocks(size int64) int64 {
	nearest := func(unit int64) int64 { return (size + unit/2) / unit * unit }
	if n := nearest(20 * tarfile.Block); n > 0 && max(n-size, size-n) < tarfile.Block {
		return n
	}
	return max(tarfile.Block, nearest(tarfile.Block))
}

// uniform is how many rows there should be if every sample has the same number except the last, which may be incomplete: that number times the
// sample count in the header.
func (x *index) uniform(ctx context.Context) (rows int64, ok bool) {
	stems := x.head["n_stems"]
	if x.n < 2 || stems.Span == nil || stems.Uint() > maxRewrite {
		return 0, false
	}
	s := x.counted(ctx)
	if s == nil || !s.same {
		return 0, false
	}
	rows = stems.Int() * s.most
	return rows, rows >= x.n
}

// counted counts the rows of the samples; nil if there are too many rows.
func (x *index) counted(ctx context.Context) *rowCounts {
	x.once.Lock()
	defer x.once.Unlock()
	if x.counts != nil {
		return x.counts
	}
	var last [2]uint64
	count := map[[2]uint64]int64{}
	if x.n > maxRewrite || x.each(ctx, func(_ int64, r entryRow) { last = r.key(); count[last]++ }) != nil {
		return nil
	}
	s := &rowCounts{samples: len(count), same: true}
	for _, n := range count {
		s.most = max(s.most, n)
	}
	for key, n := range count {
		s.same = s.same && (n == s.most || key == last)
	}
	x.counts = s
	return s
}
