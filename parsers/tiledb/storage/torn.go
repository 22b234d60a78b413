package storage

import (
	"context"

	"spandrel/model"
	"spandrel/parsers/internal/inflate"
	"spandrel/parsers/tiledb/filter"
)

const (
	ChunkHead = 12 // bytes of the header of a chunk
	OnePart   = 16 // bytes of a compressor's metadata for one part: part counts, original and compressed length
)

// inflates tells whether the only filter is GZIP.
func inflates(filters []filter.Filter) bool {
	if len(filters) != 1 {
		return false
	}
	op, known := filter.Effective(filters[0])
	return known && op == filter.Gzip
}

// onePart tells whether the metadata of a chunk are those of a compressor, about one part.
func onePart(meta []byte) bool {
	return len(meta) == OnePart && filter.Uint(meta, 4) == 0 && filter.Uint(meta[4:], 4) == 1 // parts of metadata, parts of data
}

// torn makes a transform of a generic tile return the existing part of a truncated chunk, after the others. Cells are never read from
// such a part: they are whole, or missing.
func torn(filters []filter.Filter, t *model.Transform) *model.Transform {
	if !inflates(filters) {
		return t
	}
	decode := t.Decode
	t.Decode = func(ctx context.Context, in []byte, limit int64) ([]byte, error) {
		out, err := decode(ctx, in, limit)
		chunks, end, _ := filter.Chunks(in)
		last := in[end:]
		if err == nil || ctx.Err() != nil || len(last) < ChunkHead+OnePart || chunkBytes(last) <= int64(len(last)) || !onePart(last[ChunkHead:][:OnePart]) {
			return out, err
		}
		left := limit
		for _, c := range chunks {
			left -= int64(c.Orig)
		}
		if left < 0 || int64(len(out)) != limit-left { // an earlier one is broken too
			return out, err
		}
		rest, _ := inflate.Into(ctx, nil, last[ChunkHead+OnePart:], inflate.Request{Framing: inflate.Zlib, Want: min(int64(filter.Uint(last, 4)), left)})
		return append(out, rest...), err
	}
	return t
}
