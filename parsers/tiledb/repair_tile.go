package tiledb

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/tiledb/storage"
)

// setTileSize writes the size of a tile, if its chunks contain as much as their headers say.
var setTileSize = model.Knowing(func(ctx context.Context, t *model.Tree, f *model.Finding, s storage.ChunkSum) []model.Fix {
	in, err := t.Bytes(ctx, s.Tile.Tile.Range)
	if err != nil {
		return nil
	}
	out, _, err := s.Keyed().Unfilter(ctx, in, storage.MostPayload)
	return offer(err == nil && int64(len(out)) == s.Total, model.SetTo(f.Span, model.I(s.Total)))
})

// filterAgain filters the payload of a generic tile again: into chunks of TileDB's size, with valid parts and checksums.
var filterAgain = model.Knowing(func(ctx context.Context, t *model.Tree, _ *model.Finding, g *storage.GenericTile) []model.Fix {
	if g.Payload.Span == nil {
		return nil
	}
	encode := t.Space(g.Payload.Range.Space).Transform.Encode
	payload, err := t.Bytes(ctx, model.Range{Space: g.Payload.Range.Space, Len: g.Payload.Range.Len})
	if err != nil || encode == nil {
		return nil
	}
	b, err := encode(ctx, payload)
	e := model.Replace(g.Tile.Range, b)
	e.Into = g.Tile.Path()
	return offer(err == nil, model.Fix{Label: "filter the payload again", Edits: []model.Edit{e}})
})

// setChunkLength writes the one length of a chunk with which it can be read: its own, or one in its compressor's metadata about its only part.
func setChunkLength(ctx context.Context, t *model.Tree, f *model.Finding) []model.Fix {
	k, ok := f.About.(storage.BrokenChunk)
	if !ok {
		return filterAgain(ctx, t, f)
	}
	b, err := t.Bytes(ctx, k.At)
	if err != nil || int64(len(b)) != k.At.Len || len(b) < storage.ChunkHead {
		return nil
	}
	orig, meta := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[8:])
	reads := func(at int, v uint32) bool {
		with := bytes.Clone(b)
		binary.LittleEndian.PutUint32(with[at:], v)
		n := int(binary.LittleEndian.Uint32(with))
		out, _, err := k.Keyed().UnfilterChunk(ctx, with[storage.ChunkHead:], int(meta), n)
		return err == nil && len(out) == n
	}
	length := func(at int, v uint32, of string) []model.Fix {
		e := model.Replace(model.Range{Space: k.At.Space, Off: k.At.Off + int64(at), Len: 4}, binary.LittleEndian.AppendUint32(nil, v))
		return offer(reads(at, v), model.Fix{Label: fmt.Sprintf("set %s to %d", of, v), Safe: true, Edits: []model.Edit{e}})
	}
	if uint64(meta) > uint64(len(b)-storage.ChunkHead) || int64(orig) > storage.MostPayload || meta != storage.OnePart {
		return nil
	}
	var out []model.Fix
	noted, wrong := func(i int) uint32 { return binary.LittleEndian.Uint32(b[storage.ChunkHead+4*i:]) }, -1
	for i, want := range []uint32{0, 1, orig, uint32(len(b)-storage.ChunkHead) - meta} { // metadata parts, data parts, and the lengths of the only part
		if noted(i) == want {
			continue
		}
		if wrong >= 0 {
			return nil
		}
		if wrong = i; i == 2 {
			out = append(out, length(0, noted(i), "original_length")...)
		}
		out = append(out, length(storage.ChunkHead+4*i, want, notes[i])...)
	}
	return out
}

// notes are a compressor's metadata numbers of a chunk of one part.
var notes = [...]string{"the number of metadata parts recorded by the compressor", "the number of parts recorded by the compressor",
	"the length recorded by the compressor", "the length recorded by the compressor"}

// setBlockSize writes how long a delete commit inside a list of commits is.
var setBlockSize = model.Knowing(func(_ context.Context, _ *model.Tree, f *model.Finding, n int64) []model.Fix {
	return []model.Fix{{Label: fmt.Sprintf("set the size to %d", n), Safe: true,
		Edits: []model.Edit{model.Replace(f.Where(), binary.LittleEndian.AppendUint64(nil, uint64(n)))}}}
})
