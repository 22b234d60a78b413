package storage

import (
	"context"
	"slices"

	"spandrel/model/correct"
	"spandrel/parsers/tiledb/filter"
)

// A checksum filter says of every chunk whether it is whole: then the one wrong bit or byte of a chunk is found by trying all.

const (
	digestBits = 128     // of the shorter digest, MD5
	shortChunk = 1 << 10 // bytes of a chunk in which all values of each byte are tried if no bit is the answer
)

// summed tells whether a checksum covers what the filters store.
func summed(filters []filter.Filter) bool {
	return slices.ContainsFunc(filters, func(f filter.Filter) bool { return f.Type == filter.MD5 || f.Type == filter.SHA256 })
}

// flips looks for the wrong bit or byte in the one chunk of a tile that is not whole.
func (how Coding) flips(ctx context.Context, in []byte, _ int, accept func([]byte) bool) (found []correct.Change, err error) {
	chunks, _, err := filter.Chunks(in)
	if err != nil {
		return nil, nil // a wrong length, which other searches find
	}
	coding, bad := how.Keyed(), -1
	whole := func(k int, body []byte) bool {
		out, _, err := coding.UnfilterChunk(ctx, body, int(chunks[k].Meta), int(chunks[k].Orig))
		return err == nil && len(out) == int(chunks[k].Orig) && accept(out)
	}
	body := func(k int) []byte { return in[chunks[k].Offset+ChunkHead : chunks[k].Offset+chunks[k].Size()] }
	for k := range chunks {
		if !whole(k, body(k)) {
			if bad >= 0 {
				return nil, ctx.Err()
			}
			bad = k
		}
	}
	if bad < 0 {
		return nil, ctx.Err()
	}
	with := slices.Clone(body(bad))
	try := func(at int, xor byte) {
		if with[at] ^= xor; whole(bad, with) {
			found = append(found, correct.Change{At: chunks[bad].Offset + ChunkHead + int64(at), Xor: []byte{xor}})
		}
		with[at] ^= xor
	}
	for at := 0; at < len(with) && ctx.Err() == nil; at++ {
		for bit := range 8 {
			try(at, 1<<bit)
		}
	}
	for at := 0; at < len(with) && len(with) <= shortChunk && len(found) == 0 && ctx.Err() == nil; at++ {
		for xor := 1; xor < 256; xor++ {
			try(at, byte(xor))
		}
	}
	return found, ctx.Err()
}
