package storage

import (
	"cmp"
	"context"
	"slices"

	"spandrel/model/correct"
	"spandrel/parsers/internal/inflate"
	"spandrel/parsers/tiledb/filter"
)

// A checksum, that of a filter or the Adler-32 of a zlib stream, says of every chunk whether it is whole: then the one wrong bit or byte of a chunk
// is found by trying all.

const (
	digestBits = 128     // of the shorter digest, MD5
	shortChunk = 1 << 10 // bytes of a chunk in which all values of each byte are tried if no bit is the answer
)

// summed tells whether a checksum covers what the filters store.
func summed(filters []filter.Filter) bool {
	return slices.ContainsFunc(filters, func(f filter.Filter) bool { return f.Type == filter.MD5 || f.Type == filter.SHA256 })
}

// flips looks for the wrong bit or byte in the one chunk of a tile that is not whole.
func (how Coding) flips(ctx context.Context, in []byte, _ int, accept func([]byte) bool, w *correct.Work) (found []correct.Change, err error) {
	chunks, _, err := filter.Chunks(in)
	if err != nil {
		return nil, nil // a wrong length, which other searches find
	}
	coding := how.Keyed()
	whole := func(k int, body []byte) bool {
		out, _, err := coding.UnfilterChunk(ctx, body, int(chunks[k].Meta), int(chunks[k].Orig))
		return err == nil && len(out) == int(chunks[k].Orig) && accept(out)
	}
	body := func(k int) []byte { return in[chunks[k].Offset+ChunkHead : chunks[k].Offset+chunks[k].Size()] }
	var bad []int
	for k := 0; k < len(chunks) && len(bad) < 2; k++ {
		if !whole(k, body(k)) {
			bad = append(bad, k)
		}
	}
	if len(bad) != 1 {
		return nil, ctx.Err()
	}
	one, all := chunks[bad[0]], slices.Clone(body(bad[0]))
	from := one.Offset + ChunkHead
	switch meta := all[:one.Meta]; {
	case !inflates(how.Filters):
		found = damaged{all, len(meta), func(b []byte) bool { return whole(bad[0], b) }}.flips(ctx, coding.Unmatched(all, len(meta)), w)
	case onePart(meta):
		from += OnePart
		found, err = inflate.Flips(inflate.Zlib)(ctx, all[OnePart:], int(one.Orig), accept, w)
	}
	for i := range found {
		found[i].At += from
	}
	return found, cmp.Or(err, ctx.Err())
}

// damaged is the chunk of a tile that is not whole: its bytes, how many of them are metadata, and whether changed ones are whole.
type damaged struct {
	all   []byte
	meta  int
	whole func([]byte) bool
}

// flips are the changes of a bit or byte that make the chunk whole: under digests that do not match it, or in its metadata, where the digests are.
func (c damaged) flips(ctx context.Context, digests []filter.Digest, w *correct.Work) (found []correct.Change) {
	part := c.all
	for _, d := range digests {
		for _, x := range correct.Digest(ctx, d.New, c.all[d.From:d.To], d.Want, w) {
			if x.At += int64(d.From); c.whole(x.Apply(c.all)) {
				found = append(found, x)
			}
		}
		part = c.all[:c.meta]
	}
	if len(found) > 0 || !w.Take(int64(len(part))) {
		return found
	}
	right := func([]byte) bool { return c.whole(c.all) }
	if found = flipped(ctx, part, true, right); len(found) == 0 && len(part) <= shortChunk {
		found = flipped(ctx, part, false, right)
	}
	return found
}

// flipped are the changes of one byte, or of one bit, that make b right.
func flipped(ctx context.Context, b []byte, bit bool, right func([]byte) bool) (found []correct.Change) {
	for at := 0; at < len(b) && ctx.Err() == nil; at++ {
		for xor := 1; xor < 256; xor++ {
			if bit && xor&(xor-1) != 0 {
				continue
			}
			if b[at] ^= byte(xor); right(b) {
				found = append(found, correct.Change{At: int64(at), Xor: []byte{byte(xor)}})
			}
			b[at] ^= byte(xor)
		}
	}
	return found
}
