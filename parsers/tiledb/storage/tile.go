package storage

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"sync"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/rule"
)

// ReadTile reads a generic tile at the position, and makes its payload a child named f, read by body.
func ReadTile(c *model.Cursor, l *Lock, f *model.Field, body func(*model.Cursor, *GenericTile)) *GenericTile {
	g := &GenericTile{}
	persisted, behind := g.readHeader(c)
	n := persisted.Int()
	total, end, whole := findChunks(c, behind, n)
	switch {
	case n > c.Left():
		c.Wrong(rule.PersistedBeyond, persisted, n, "at most "+filter.Text(c.Left()), WantIf(whole, model.I(end)))
		n = c.Left()
		if whole {
			n = end
		}
	case whole && n < end:
		c.Wrong(rule.PersistedShort, persisted, n, model.I(end))
		n = end
	}
	if g.total = -1; whole {
		g.total = total
	}
	g.Tile = c.Block(TileF, n, func(c *model.Cursor) { ReadChunks(c, g) })
	c.LengthOf(persisted, g.Tile).When(n == persisted.Int()) // too much and too little are different rules, reported above
	if whole && n > end {
		r := c.Range(g.Tile.Range.Off+end, n-end)
		c.Wrong(rule.InsideTile, model.Spot{Span: g.Tile.Span, Range: r}, filter.Text(n-end)+" bytes", "none")
	}
	if whole && total != g.Size.Int() && g.Chunks > 0 {
		c.Wrong(rule.TileSizeWrong, g.Size, g.Size.Value, total, model.About(ChunkSum{g.coding(l), g, total}))
	}
	if !whole || total > MostPayload {
		total = -1
	}
	if l.bars(c, g) {
		return g
	}
	how := g.coding(l)
	g.Payload = c.Derive(f, model.Derived{Transform: torn(g.Filters, how.Transform(MostPayload)), From: g.Tile,
		Size: total,
		Fail: func(err error) model.Finding {
			return FilterFinding(err, g.Tile, g, how)
		},
		Body: func(c *model.Cursor) {
			if c.Left() > 0 || total == 0 { // if nothing was decoded, the transform has reported why
				body(c, g)
			}
		}})
	c.LengthOf(g.Size, g.Payload).When(total == g.Size.Int()) // compared with the chunks above, if their headers are valid
	return g
}

// findChunks looks for chunks at the position or, if there are none, for n bytes of chunks that begin behind bytes later: TileDB looks for them
// where the stored size of the pipeline leads. In that case it moves there.
func findChunks(c *model.Cursor, behind, n int64) (total, end int64, whole bool) {
	total, end, whole = WalkChunks(c)
	if whole || behind <= 0 || behind >= c.Left() {
		return total, end, whole
	}
	b := c.PeekAt(c.Pos()+behind, 8)
	if len(b) < 8 || filter.Uint(b, 8) > uint64(c.Left()-behind-8)/12 {
		return total, end, false
	}
	if _, sum, last, ok := walk(c, behind+8, filter.Uint(b, 8)); ok && last-behind == n {
		c.Skip(behind)
		return sum, n, true
	}
	return total, end, false
}

// readHeader reads the header of a generic tile: how many bytes its chunks should have, and how many of the pipeline's size its
// filters leave.
func (g *GenericTile) readHeader(c *model.Cursor) (persisted model.Node, behind int64) {
	c.Struct(tileHeader, func(c *model.Cursor) {
		c.DamageIs(rule.HeaderCut)
		g.Version, persisted, g.Size = c.Field(tileVersion), c.Field(tilePersisted), c.Field(tileSize)
		typ, cell, crypt := c.Field(tileDatatype), c.Field(tileCell), c.Field(tileCrypt)
		sizeOf := c.Field(tilePipeSize)
		if typ.Uint() != filter.Char || cell.Uint() != 1 {
			at, want, severity := typ, uint64(filter.Char), model.Warning
			if typ.Uint() == filter.Char {
				at, want = cell, 1
			}
			if typ.Uint() > filter.GeomWKT || cell.Uint() == 0 {
				severity = model.Error
			}
			c.Wrong(rule.NotChar, at, at.Value, model.U(want), model.Graded(severity))
		}
		if crypt.Uint() > 1 {
			c.Wrong(rule.BadEncryption, crypt, crypt.Value, "0 or 1")
		}
		p := ReadPipelineOf(c, tilePipe, min(uint32(g.Version.Uint()), VersionNewest), sizeOf.Int())
		g.Filters, g.single = p.List, p.largest.Uint() == 0
		c.LengthOf(sizeOf, p.Node).As(rule.PipelineSize)
		behind = sizeOf.Int() - p.Range.Len
		checkGenericPipe(c, &p)
		if crypt.Uint() <= 1 && (crypt.Uint() == 1) != g.Sealed() {
			c.Wrong(rule.EncryptionDiffers, p.Node, crypt.Value, "AES_256_GCM last exactly when the tile is encrypted")
		}
	})
	return persisted, behind
}

// WalkChunks reads the chunk headers from the position on: the sum of original lengths, where the last chunk ends, and
// whether all exist.
func WalkChunks(c *model.Cursor) (total, end int64, whole bool) {
	b := c.Peek(8)
	if len(b) < 8 {
		return 0, 0, false
	}
	n := binary.LittleEndian.Uint64(b)
	if n > uint64(c.Left()-8)/12 {
		return 0, 8, false
	}
	_, total, end, whole = walk(c, 8, n)
	return total, end, whole
}

// walk is WalkChunks for n chunks that start from bytes behind the position. It also counts the chunks that exist.
func walk(c *model.Cursor, from int64, n uint64) (count uint64, total, end int64, whole bool) {
	end = from
	for ; count < n; count++ {
		h := c.PeekAt(c.Pos()+end, ChunkHead)
		if len(h) < ChunkHead || count&0xFFFF == 0 && c.Context().Err() != nil {
			return count, total, end, false
		}
		total += int64(binary.LittleEndian.Uint32(h))
		if end += chunkBytes(h); end > c.Left() {
			return count, total, end, false
		}
	}
	return count, total, end, true
}

// ReadChunks reads the content of a tile; g is nil for tiles of data files.
func ReadChunks(c *model.Cursor, g *GenericTile) {
	c.DamageIs(rule.ChunkBeyond)
	n := c.Field(TileChunks)
	if g != nil {
		g.Chunks = n.Uint()
		switch want := (g.total + filter.ChunkBytes - 1) / filter.ChunkBytes; {
		case n.Uint() == 0 && g.Size.Uint() > 0:
			c.Wrong(rule.NoChunk, n, 0, "1 or more")
		case g.total >= 0 && n.Int() != want && !g.single:
			c.Wrong(rule.ChunkCount, n, n.Value, want, model.About(g))
		}
	}
	count := n.Uint()
	fit, _, end, whole := walk(c, 0, count)
	if !whole && fit > 0 && end == c.Left() {
		c.Wrong(rule.ChunkBeyond, n, count, model.U(fit), model.Saying("the number of chunks is wrong: the existing ones fill the tile"))
		count = fit
	}
	switch {
	case count == 0:
	case count <= eagerChunks:
		c.CountOf(n, c.List(ChunkList, func(c *model.Cursor) {
			for range count {
				c.Struct(chunkF, readChunk)
			}
		})).When(count == n.Uint())
	default:
		if !whole {
			end = c.Left()
		}
		c.Sequence(ChunkList, chunkF, end, readChunk)
	}
}

func readChunk(c *model.Cursor) {
	c.Field(chunkOrig)
	data, meta := c.Field(chunkData), c.Field(chunkMeta)
	c.LengthOf(meta, c.FieldN(chunkMetadata, meta.Int()))
	c.LengthOf(data, c.FieldN(chunkFiltered, data.Int()))
}

// Transform undoes and applies a pipeline on a tile of at most most bytes. If a chunk is damaged, those before it remain.
func (how Coding) Transform(most int64) *model.Transform {
	filters, key := how.Filters, how.Key
	t := &model.Transform{Name: "filter pipeline",
		Decode: func(ctx context.Context, in []byte, limit int64) ([]byte, error) {
			out, _, err := how.Keyed().Unfilter(ctx, in, min(limit, most))
			return out, Unchecked(err, key())
		},
	}
	switch {
	case inflates(filters):
		t.Flips, t.SumBits = how.flips, 32
	case summed(filters):
		t.Flips, t.SumBits = how.flips, digestBits
	}
	for _, f := range filters {
		if op, ok := filter.Effective(f); !ok || !filter.Encodes(op) && op != filter.NoFilter {
			return t
		}
	}
	// Encryption uses a new random number each time. While an edit is planned the same bytes must stay the same.
	var mu sync.Mutex
	var last, made []byte
	t.Encode = func(ctx context.Context, out []byte) (b []byte, err error) {
		mu.Lock()
		defer mu.Unlock()
		if made != nil && bytes.Equal(last, out) {
			return made, nil
		}
		if b, err = how.Keyed().Filter(ctx, out); err == nil {
			last, made = bytes.Clone(out), b
		}
		return b, err
	}
	return t
}

// Unchecked marks an error whose reason is outside the bytes: a limit of this program, an unsupported filter, a missing key.
func Unchecked(err error, key []byte) error {
	var e *filter.Error
	if errors.As(err, &e) && (e.Kind == filter.Limit || e.Kind == filter.Unsupported || e.Kind == filter.Auth && key == nil) {
		return &model.Unchecked{Why: describeError(e), Err: err}
	}
	return err
}

// GenericTile is a generic tile that was read.
type GenericTile struct {
	Version, Size model.Node
	Tile, Payload model.Node
	Filters       []filter.Filter
	single        bool   // one chunk, however long: the pipeline's largest chunk is 0
	Chunks        uint64 // as stated by the tile
	total         int64  // unfiltered bytes of all chunks; -1 if some are missing
}

// Sealed tells whether the tile is encrypted.
func (g *GenericTile) Sealed() bool {
	return len(g.Filters) > 0 && g.Filters[len(g.Filters)-1].Type == filter.AES
}

// coding is how the tile is filtered: single bytes.
func (g *GenericTile) coding(l *Lock) Coding {
	return Coding{g.Filters, Chars(uint32(g.Version.Uint())), l.Key}
}

// Chars is the type that filters see for the payload of a generic tile.
func Chars(version uint32) filter.TileType {
	return filter.TileType{Datatype: filter.Char, CellSize: 1, FormatVersion: version}
}

// ChunkSum is the sums over the headers of the chunks of a generic tile.
type ChunkSum struct {
	Coding
	Tile  *GenericTile
	Total int64
}
