package tiledb

import (
	"context"
	"errors"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// rewrite is the fix that filters the payload of a generic tile again: chunks of the size that TileDB makes, parts and
// checksums as they should be.
func (g *genericTile) rewrite() model.Fix {
	return model.Fix{Label: "filter the payload again", Build: func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		payload, err := t.Bytes(ctx, model.Range{Space: g.payload.Range.Space, Len: g.payload.Range.Len})
		if err != nil {
			return nil, err
		}
		encode := t.Space(g.payload.Range.Space).Transform.Encode
		if encode == nil {
			return nil, errors.New("the filters of this tile can only be undone")
		}
		b, err := encode(payload)
		if err != nil {
			return nil, err
		}
		e := model.Replace(g.tile.Range, b)
		e.Into = g.tile.Path()
		return []model.Edit{e}, nil
	}}
}

// filterFinding says which rule a pipeline broke, and at which bytes of the tile. g is nil for tiles of data files.
func (a *array) filterFinding(err error, tile model.Node, g *genericTile) model.Finding {
	d := model.Finding{Rule: tdb(20), Span: tile.Span, Message: err.Error()}
	var e *filter.Error
	if !errors.As(err, &e) {
		d.Rule = model.RuleUndecoded
		return d
	}
	d.Found, d.Expected = e.Found, e.Expected
	digest := map[uint8]int64{filter.MD5: 16, filter.SHA256: 32}[e.Filter]
	size := int64(4)
	switch {
	case e.Kind == filter.Auth:
		d.Rule, d.Needs, size = tdb(23), secret, filter.TagBytes
	case e.Kind == filter.Limit:
		d.Rule = model.RuleCap
	case e.Kind == filter.Unsupported:
		d.Rule = tdb(30)
	case e.Kind == filter.Spare:
		if d.Rule = tdb(19); !e.Usable {
			d.Severity = model.Error
		}
	case e.Kind == filter.Checksum && digest > 0:
		d.Rule, size = tdb(22), digest
	case e.Where == "header":
		if d.Rule = tdb(16); g != nil && g.total < 0 && g.chunks <= eagerChunks {
			return model.Finding{} // reading the chunks has said so
		}
	case e.Where == "metadata":
		d.Rule = tdb(18)
	case e.Filter == filter.Gzip && e.Err != nil || e.Kind == filter.Checksum:
		d.Rule = tdb(21)
	}
	if g != nil && e.Usable && d.Rule != tdb(21) {
		d.Fixes = []model.Fix{g.rewrite()}
	}
	a.locate(&d, e, tile, size)
	return d
}

// locate points a finding at the bytes of the chunk that a pipeline stumbled over: size bytes of the metadata, or the data
// from the part on. Bytes that another filter made are not in the file: then it is the whole chunk.
func (a *array) locate(d *model.Finding, e *filter.Error, tile model.Node, size int64) {
	if e.Chunk < 0 {
		return
	}
	b, err := a.d.t.Bytes(context.Background(), tile.Range)
	if err != nil {
		return
	}
	chunks, _, _ := filter.Chunks(b)
	if e.Chunk >= len(chunks) {
		return
	}
	k := chunks[e.Chunk]
	r := model.Range{Space: tile.Range.Space, Off: tile.Range.Off + k.Offset, Len: k.Size()}
	if e.ChunkOff >= 0 && e.ChunkOff < r.Len {
		n := r.Len - e.ChunkOff
		if e.Where == "metadata" {
			n = min(n, size)
		}
		r.Off, r.Len = r.Off+e.ChunkOff, n
	}
	d.Range = r
	leaf := map[string]*model.Field{"metadata": chunkMetadata, "data": chunkFiltered}[e.Where]
	if list := tile.Get(chunkList.Name); list != nil && list.Ready() && leaf != nil {
		if s := list.Child(int64(e.Chunk)); s != nil && s.Get(leaf.Name) != nil && s.Get(leaf.Name).Range.Contains(r) {
			d.Span = s.Get(leaf.Name)
		}
	}
}
