package tiledb

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// setTileSize writes the size of a tile, where its chunks hold as much as their headers say.
func setTileSize(ctx context.Context, t *model.Tree, f *model.Finding) []model.Fix {
	s, ok := f.About.(chunkSum)
	if !ok || f.Span == nil {
		return nil
	}
	in, err := t.Bytes(ctx, s.tile.tile.Range)
	if err != nil {
		return nil
	}
	out, _, err := filter.UnfilterTile(ctx, s.tile.filters, s.tile.bytes(), s.lock.key(), in, mostPayload)
	return offer(err == nil && int64(len(out)) == s.total, model.SetTo(f.Span, model.I(s.total)))
}

// filterAgain filters the payload of a generic tile again: chunks of the size that TileDB makes, parts and checksums as they should
// be.
func filterAgain(ctx context.Context, t *model.Tree, f *model.Finding) []model.Fix {
	g, ok := f.About.(*genericTile)
	if !ok || g.payload.Span == nil {
		return nil
	}
	encode := t.Space(g.payload.Range.Space).Transform.Encode
	payload, err := t.Bytes(ctx, model.Range{Space: g.payload.Range.Space, Len: g.payload.Range.Len})
	if err != nil || encode == nil {
		return nil
	}
	b, err := encode(payload)
	e := model.Replace(g.tile.Range, b)
	e.Into = g.tile.Path()
	return offer(err == nil, model.Fix{Label: "filter the payload again", Edits: []model.Edit{e}})
}

// setChunkLength writes the one length of a chunk after which it can be read: its own, or one that its compressor notes of its only part.
func setChunkLength(ctx context.Context, t *model.Tree, f *model.Finding) []model.Fix {
	k, ok := f.About.(brokenChunk)
	if !ok {
		return filterAgain(ctx, t, f)
	}
	b, err := t.Bytes(ctx, k.at)
	if err != nil || int64(len(b)) != k.at.Len || len(b) < chunkHead {
		return nil
	}
	orig, meta := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[8:])
	reads := func(at int, v uint32) bool {
		with := bytes.Clone(b)
		binary.LittleEndian.PutUint32(with[at:], v)
		n := int(binary.LittleEndian.Uint32(with))
		out, _, err := filter.UnfilterChunk(ctx, k.filters, k.tile, k.key(), with[chunkHead:chunkHead+meta:chunkHead+meta], with[chunkHead+meta:], n)
		return err == nil && len(out) == n
	}
	length := func(at int, v uint32, of string) []model.Fix {
		e := model.Replace(model.Range{Space: k.at.Space, Off: k.at.Off + int64(at), Len: 4}, binary.LittleEndian.AppendUint32(nil, v))
		return offer(reads(at, v), model.Fix{Label: fmt.Sprintf("set %s to %d", of, v), Safe: true, Edits: []model.Edit{e}})
	}
	if uint64(meta) > uint64(len(b)-chunkHead) || int64(orig) > mostPayload || meta != onePart {
		return nil
	}
	var out []model.Fix
	noted, wrong := func(i int) uint32 { return binary.LittleEndian.Uint32(b[chunkHead+4*i:]) }, -1
	for i, want := range []uint32{0, 1, orig, uint32(len(b)-chunkHead) - meta} { // parts of metadata, parts of data, and the lengths of the only one
		if noted(i) == want {
			continue
		}
		if wrong >= 0 {
			return nil
		}
		if wrong = i; i == 2 {
			out = append(out, length(0, noted(i), "original_length")...)
		}
		out = append(out, length(chunkHead+4*i, want, notes[i])...)
	}
	return out
}

// notes are the numbers that a compressor notes of a chunk of one part.
var notes = [...]string{"the number of parts of metadata that the compressor notes", "the number of parts that the compressor notes",
	"the length that the compressor notes", "the length that the compressor notes"}

// setBlockSize writes how long a delete commit inside a list of commits is.
func setBlockSize(_ context.Context, _ *model.Tree, f *model.Finding) []model.Fix {
	n, ok := f.About.(int64)
	return offer(ok, model.Fix{Label: fmt.Sprintf("set the size to %d", n), Safe: true,
		Edits: []model.Edit{model.Replace(f.Where(), binary.LittleEndian.AppendUint64(nil, uint64(n)))}})
}
