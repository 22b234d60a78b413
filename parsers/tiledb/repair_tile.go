package tiledb

import (
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
	out, _, err := filter.UnfilterTile(ctx, s.tile.filters, s.tile.bytes(), s.d.key(), in, mostPayload)
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

// setBlockSize writes how long a delete commit inside a list of commits is.
func setBlockSize(_ context.Context, _ *model.Tree, f *model.Finding) []model.Fix {
	n, ok := f.About.(int64)
	return offer(ok, model.Fix{Label: fmt.Sprintf("set the size to %d", n), Safe: true,
		Edits: []model.Edit{model.Replace(f.Where(), binary.LittleEndian.AppendUint64(nil, uint64(n)))}})
}
