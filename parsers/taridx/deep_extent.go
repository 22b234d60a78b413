package taridx

import (
	"context"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

// tarMagics are the bytes by which shards are known; each member begins with them.
var tarMagics = []model.Magic{{Bytes: "ustar", At: 257}}

// maxShards is of how many shards the diagnosis is told how long they are.
const maxShards = 64

// extents says how long the index should be, whose rows end it, and the shards, whose members do.
func extents(ctx context.Context, t *model.Tree) (out []model.Extent) {
	x := stateOf(t)
	if x == nil || x.rows == nil || x.dead {
		return nil
	}
	n, start := x.head["n_rows"], x.rows.Range.Off
	if n.Uint() < 1<<50 {
		out = append(out, model.Extent{Size: start + n.Int()*rowSize, By: n.Span, Says: "the header says", Content: "rows", Unit: rowSize,
			Overhead: start})
	}
	for _, h := range x.fold.shards[:min(len(x.fold.shards), maxShards)] {
		if e, ok := x.fold.extent(ctx, h); ok {
			out = append(out, e)
		}
	}
	return out
}

// extent is the length of a shard: its last member is cut, or only zeros that end the archive follow it and a multiple of blocks.
func (f *fold) extent(ctx context.Context, h *shard) (e model.Extent, ok bool) {
	size := h.entry.Size
	e = model.Extent{File: h.name, Size: size, Magics: tarMagics}
	last := int64(0)
	end, err := f.scan(ctx, h, func(off int64, head tarfile.Head) error {
		last = off + tarfile.Block + tarfile.Padded(head.Size)
		return nil
	})
	switch {
	case size == 0 || err != nil && last <= size:
		return e, size > 0
	case last > size:
		e.Size, e.Least, e.Says = last, true, "the size of its last member says"
	case size%tarfile.Block != 0 && end == last && last > 0: // what stands behind the zeros is no block
		e.Size, e.Says = size/tarfile.Block*tarfile.Block, "tar files are made of blocks of 512 bytes"
	}
	return e, true
}
