package storage

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"

	"github.com/klauspost/compress/zlib"

	"spandrel/model"
	"spandrel/parsers/tiledb/rule"
)

// ReadLegacyTile reads a generic tile of before format 1.
func ReadLegacyTile(c *model.Cursor, f *model.Field, body func(*model.Cursor)) model.Node {
	var tile model.Node
	c.Struct(legacyHeader, func(c *model.Cursor) {
		c.DamageIs(rule.HeaderCut)
		for _, f := range []*model.Field{tilePersisted, tileSize, tileDatatype, tileCell, LegacyComp, LegacyLevel} {
			c.Field(f)
		}
	})
	tile = c.Block(TileF, c.Left(), func(c *model.Cursor) {
		c.DamageIs(rule.ChunkBeyond)
		n := c.Field(TileChunks)
		CountFits(c, rule.ChunkBeyond, n, 16)
		Records(c, ChunkList, chunkF, n.Uint(), func(c *model.Cursor) {
			c.Field(legacyOrig)
			size := c.Field(legacyData)
			c.FieldN(legacyBytes, size.Int())
		})
	})
	return c.Derive(f, model.Derived{Transform: legacy, From: tile, Size: -1, Body: body,
		Fail: func(err error) model.Finding {
			return model.Wrong(rule.ZlibDamaged, tile, nil, nil, model.Saying("%s", err))
		}})
}

// legacy inflates the chunks of a legacy tile.
var legacy = &model.Transform{Name: "zlib chunks", Decode: func(ctx context.Context, in []byte, limit int64) (out []byte, err error) {
	if len(in) < 8 {
		return nil, io.ErrUnexpectedEOF
	}
	for in = in[8:]; len(in) >= 16 && ctx.Err() == nil; {
		orig, n := binary.LittleEndian.Uint64(in), binary.LittleEndian.Uint64(in[8:])
		if n > uint64(len(in)-16) {
			return out, io.ErrUnexpectedEOF
		}
		z, err := zlib.NewReader(bytes.NewReader(in[16 : 16+n]))
		if err != nil {
			return out, err
		}
		room := min(uint64(limit)-uint64(len(out)), orig, MostPayload)
		b, err := io.ReadAll(io.LimitReader(z, int64(room)))
		if out = append(out, b...); err != nil {
			return out, err
		}
		in = in[16+n:]
	}
	return out, ctx.Err()
}}
