package storage

import (
	"context"
	"encoding/binary"

	"spandrel/model"
	"spandrel/model/correct"
	"spandrel/parsers/internal/inflate"
	"spandrel/parsers/tiledb/filter"
)

// Partly readable tiles whose last or only chunk is a broken zlib stream: what precedes a truncation, and the one wrong bit.

// stream is the zlib stream of a chunk: its place in the tile, and its decoded size. torn means that the tile ends in it.
type stream struct {
	from, to, orig int64
	torn           bool
}

// streams lists the zlib streams of a tile whose only filter is GZIP, one per chunk. ok is false for other layouts.
func streams(filters []filter.Filter, in []byte) (out []stream, ok bool) {
	if len(filters) != 1 || len(in) < 8 {
		return nil, false
	}
	if op, known := filter.Effective(filters[0]); !known || op != filter.Gzip {
		return nil, false
	}
	u := func(at int64) int64 { return int64(binary.LittleEndian.Uint32(in[at:])) }
	size, at := int64(len(in)), int64(8)
	for n := binary.LittleEndian.Uint64(in); n > 0 && size-at >= ChunkHead+OnePart; n-- {
		orig, data, meta := u(at), u(at+4), u(at+8)
		if meta != OnePart || u(at+ChunkHead) != 0 || u(at+ChunkHead+4) != 1 { // parts of metadata, parts of data
			return nil, false
		}
		s := stream{at + ChunkHead + OnePart, at + ChunkHead + OnePart + data, orig, false}
		if at = s.to; at > size {
			s.to, s.torn = size, true
		}
		out = append(out, s)
	}
	return out, len(out) > 0
}

const (
	ChunkHead = 12 // bytes of the header of a chunk
	OnePart   = 16 // bytes of a compressor's metadata for one part: part counts, original and compressed length
)

// torn makes a transform of a generic tile return the existing part of a truncated chunk, after the others. Cells are never read from
// such a part: they are whole, or missing.
func torn(filters []filter.Filter, t *model.Transform) *model.Transform {
	decode := t.Decode
	t.Decode = func(ctx context.Context, in []byte, limit int64) ([]byte, error) {
		out, err := decode(ctx, in, limit)
		list, ok := streams(filters, in)
		if err == nil || !ok || len(list) == 0 || !list[len(list)-1].torn || ctx.Err() != nil {
			return out, err
		}
		last := list[len(list)-1]
		before := int64(0)
		for _, s := range list[:len(list)-1] {
			if before += s.orig; before > limit {
				return out, err
			}
		}
		if int64(len(out)) != before {
			return out, err // an earlier one is broken too
		}
		rest, _ := inflate.Into(ctx, nil, in[last.from:last.to], inflate.Request{Framing: inflate.Zlib, Want: min(last.orig, limit-before)})
		return append(out, rest...), err
	}
	return t
}

// tileFlips looks for the wrong bit in the one chunk of a tile that does not inflate; its Adler-32 identifies it.
func tileFlips(filters []filter.Filter) func(ctx context.Context, in []byte, length int, accept func([]byte) bool, w *correct.Work) ([]correct.Change, error) {
	return func(ctx context.Context, in []byte, _ int, accept func([]byte) bool, w *correct.Work) ([]correct.Change, error) {
		list, _ := streams(filters, in)
		var broken []stream
		for _, s := range list {
			out, how := inflate.Into(ctx, nil, in[s.from:s.to], inflate.Request{Framing: inflate.Zlib, Want: s.orig})
			if s.torn || how.Err == nil && !how.More && int64(len(out)) == s.orig {
				continue
			}
			broken = append(broken, s)
		}
		if len(broken) != 1 {
			return nil, ctx.Err()
		}
		s := broken[0]
		found, err := inflate.Flips(inflate.Zlib)(ctx, in[s.from:s.to], int(s.orig), accept, w)
		for i := range found {
			found[i].At += s.from
		}
		return found, err
	}
}
