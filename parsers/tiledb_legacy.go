package parsers

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"

	"github.com/klauspost/compress/zlib"

	"spandrel/model"
)

// TileDB 1.3 and older (3.9): a generic tile without version and pipeline, and another order of the schema. And fragment
// metadata of versions 1 and 2 (5.1.4), which shares its payload. All of it is shown and nothing of it written.
var (
	tdbLegacyHeader = &model.Field{Name: "legacy_generic_tile", Ref: "3.9"}
	tdbLegacyComp   = &model.Field{Name: "compressor", Ref: "3.9", Codec: model.U8, Enum: tdbCompressors}
	tdbLegacyLevel  = &model.Field{Name: "level", Ref: "3.9", Codec: model.I32LE}
	tdbLegacyOrig   = &model.Field{Name: "original_length", Ref: "3.9", Codec: model.U64LE}
	tdbLegacyData   = &model.Field{Name: "compressed_length", Ref: "3.9", Codec: model.U64LE}
	tdbLegacyBytes  = &model.Field{Name: "compressed_data", Doc: "a zlib stream", Ref: "3.9", Codec: model.RawBytes}
	tdbLegacyVer    = &model.Field{Name: "library_version", Ref: "3.9"}
	tdbLegacyPart   = []*model.Field{{Name: "major", Codec: model.I32LE}, {Name: "minor", Codec: model.I32LE}, {Name: "patch", Codec: model.I32LE}}
	tdbLegacyMetaF  = &model.Field{Name: "fragment_metadata", Ref: "5.1.4"}
	tdbLegacyPipe   = [2][2]*model.Field{
		{{Name: "coords_compressor", Ref: "3.9", Codec: model.U8, Enum: tdbCompressors}, {Name: "coords_level", Ref: "3.9", Codec: model.I32LE}},
		{{Name: "offsets_compressor", Ref: "3.9", Codec: model.U8, Enum: tdbCompressors}, {Name: "offsets_level", Ref: "3.9", Codec: model.I32LE}},
	}
	tdbOldVersion = &model.Field{Name: "version", Ref: "5.1.4", Codec: model.U32LE}
	tdbOldSize    = &model.Field{Name: "non_empty_domain_size", Ref: "5.1.4", Codec: model.U64LE}
	tdbOldBoxes   = [2][2]*model.Field{
		{{Name: "num_mbrs", Ref: "5.1.4", Codec: model.U64LE}, {Name: "mbrs", Ref: "5.1.4"}},
		{{Name: "num_bounding_coords", Ref: "5.1.4", Codec: model.U64LE}, {Name: "bounding_coords", Ref: "5.1.4"}},
	}
	tdbOldLists = [3]*model.Field{{Name: "tile_offsets", Ref: "5.1.4"}, {Name: "tile_var_offsets", Ref: "5.1.4"}, {Name: "tile_var_sizes", Ref: "5.1.4"}}
	tdbOldList  = &model.Field{Name: "list", Ref: "5.1.4"}
)

const tdbLegacyBytesMin = 30 + 8

// tdbIsLegacy tells whether a file starts with a generic tile of before format 1.
func tdbIsLegacy(head []byte, size int64) bool {
	return size >= tdbLegacyBytesMin && len(head) >= tdbHeaderBytes && binary.LittleEndian.Uint64(head) == uint64(size-30) && head[16] == tdbChar && head[25] <= tdbFilterBzip2
}

// readLegacyTile reads a generic tile of before format 1.
func (d *tdbDoc) readLegacyTile(c *model.Cursor, f *model.Field, body func(*model.Cursor)) model.Node {
	var tile model.Node
	c.Struct(tdbLegacyHeader, func(c *model.Cursor) {
		c.DamageIs(tdb(3))
		for _, f := range []*model.Field{tdbTilePersisted, tdbTileSize, tdbTileDatatype, tdbTileCell, tdbLegacyComp, tdbLegacyLevel} {
			c.Field(f)
		}
	})
	tile = c.Block(tdbTileF, c.Left(), func(c *model.Cursor) {
		c.DamageIs(tdb(16))
		n := c.Field(tdbTileChunks)
		tdbCountFits(c, 16, n, 16)
		tdbRecords(c, tdbChunkList, tdbChunkF, n.Uint(), func(c *model.Cursor) {
			c.Field(tdbLegacyOrig)
			size := c.Field(tdbLegacyData)
			c.FieldN(tdbLegacyBytes, size.Int())
		})
	})
	return c.Derive(f, model.Derived{Transform: tdbLegacy, From: []model.Node{tile}, Size: -1, Body: body,
		Fail: func(err error) model.Finding {
			return model.Finding{Rule: tdb(21), Span: tile.Span, Message: err.Error()}
		}})
}

// tdbLegacy inflates the chunks of a legacy tile.
var tdbLegacy = &model.Transform{Name: "zlib chunks", Decode: func(ctx context.Context, in []byte, limit int64) (out []byte, err error) {
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
		room := min(uint64(limit)-uint64(len(out)), orig, tdbMostPayload)
		b, err := io.ReadAll(io.LimitReader(z, int64(room)))
		if out = append(out, b...); err != nil {
			return out, err
		}
		in = in[16+n:]
	}
	return out, ctx.Err()
}}

// tdbReadLegacySchema reads the schema of TileDB 1.3 and older. Compressors become pipelines of one filter.
func tdbReadLegacySchema(c *model.Cursor) *tdbSchema {
	s := &tdbSchema{}
	c.DamageIs(tdb(50))
	tdbReadLegacyVersion(c)
	s.array, s.tileOrder, s.cellOrder, s.capacity = c.Field(tdbSArray), c.Field(tdbSTileOrder), c.Field(tdbSCellOrder), c.Field(tdbSCapacity)
	pipe := func(c *model.Cursor, f [2]*model.Field) []tdbFilter {
		if comp, level := c.Field(f[0]), c.Field(f[1]); comp.Uint() > 0 {
			return []tdbFilter{{Type: uint8(comp.Uint()), Compressor: uint8(comp.Uint()), Level: int32(level.Int())}}
		}
		return nil
	}
	s.coords.list, s.offsets.list = pipe(c, tdbLegacyPipe[0]), pipe(c, tdbLegacyPipe[1])
	c.Struct(tdbSDomain, func(c *model.Cursor) {
		s.domainType = c.Field(tdbDomType)
		s.dimCount = c.Field(tdbDomCount)
		tdbReadList(c, s.dimCount, tdbDims, 7, func(c *model.Cursor) {
			var d tdbDim
			d.self = c.Struct(tdbDimF, func(c *model.Cursor) { tdbReadDim(c, s, &d) })
			s.dims = append(s.dims, d)
		})
	})
	s.attrCount = c.Field(tdbAttrCount)
	tdbReadList(c, s.attrCount, tdbAttrs, 14, func(c *model.Cursor) {
		var a tdbAttr
		a.self = c.Struct(tdbAttrF, func(c *model.Cursor) {
			a.name = tdbReadText(c, tdbNameLen, tdbNameF)
			a.typ = c.Field(tdbTypeF)
			a.datatype = uint8(a.typ.Uint())
			a.filters.list = pipe(c, [2]*model.Field{tdbLegacyComp, tdbLegacyLevel})
			a.num = c.Field(tdbCellNum)
		})
		s.attrs = append(s.attrs, a)
	})
	s.complete = true
	return s
}

func tdbReadLegacyVersion(c *model.Cursor) {
	c.Struct(tdbLegacyVer, func(c *model.Cursor) {
		for _, f := range tdbLegacyPart {
			c.Field(f)
		}
	})
}

// tdbOldMeta is what the fragment metadata of before version 3 list.
type tdbOldMeta struct {
	lists [3][][]uint64 // tile offsets, variable offsets, variable sizes: by field, then tile
	boxes uint64
}

// readOldMeta reads fragment metadata of version 1 or 2: one generic tile.
func (a *tdbArray) readOldMeta(c *model.Cursor, m *tdbFragmentMeta) {
	g := a.readTile(c, tdbLegacyMetaF, func(c *model.Cursor, _ *tdbTile) {
		m.versionAt = c.Field(tdbOldVersion)
		m.version = uint32(m.versionAt.Uint())
		a.readOldPayload(c, m)
	})
	a.open(c, g.payload)
}

// readLegacyMeta reads fragment metadata of before format 1.
func (a *tdbArray) readLegacyMeta(c *model.Cursor, m *tdbFragmentMeta) {
	a.open(c, a.d.readLegacyTile(c, tdbLegacyMetaF, func(c *model.Cursor) {
		tdbReadLegacyVersion(c)
		a.readOldPayload(c, m)
	}))
}

func (a *tdbArray) readOldPayload(c *model.Cursor, m *tdbFragmentMeta) {
	m.schemaName = tdbOldSchema
	if m.schema = a.schema(c.Context(), tdbOldSchema); m.schema == nil {
		tdbReport(c, 162, m.versionAt, "no "+tdbOldSchema, "the schema of the array")
		c.Stop()
	}
	s := m.schema
	size := int64(0)
	for i := range s.dims {
		size += 2 * int64(tdbDatatypeSize(s.dims[i].datatype))
	}
	m.dense, m.null = s.dense(), true
	if n := c.Field(tdbOldSize); n.Int() == size && size > 0 {
		m.null = false
		c.List(tdbFDomain, func(c *model.Cursor) {
			for i := range s.dims {
				m.domain = append(m.domain, tdbReadRange(c, tdbRangeF, &s.dims[i]))
			}
		})
	} else if n.Uint() > 0 {
		c.FieldN(tdbFSectData, n.Int())
	}
	m.old = &tdbOldMeta{}
	for i, f := range tdbOldBoxes {
		n := c.Field(f[0])
		if i == 0 {
			m.old.boxes = n.Uint()
		}
		switch {
		case n.Uint() == 0:
		case i == 0:
			c.Struct(f[1], func(c *model.Cursor) { m.readBoxes(c, n) })
		default: // the first cell of each tile, then its last one
			c.Elements(f[1], tdbTyped(tdbRangeLow, uint8(s.domainType.Uint())), min(n.Int(), c.Left())*2*int64(len(s.dims)))
		}
	}
	fields := len(s.attrs) + 1
	for k, f := range tdbOldLists {
		n := fields
		if k > 0 {
			n--
		}
		if n == 0 {
			continue
		}
		c.List(f, func(c *model.Cursor) {
			for range n {
				c.Struct(tdbOldList, func(c *model.Cursor) {
					count := c.Field(tdbListCount)
					var list []uint64
					if count.Uint() > 0 {
						_, list = tdbReadU64s(c, tdbListF, tdbListElem, min(count.Int(), c.Left()))
					}
					m.old.lists[k] = append(m.old.lists[k], list)
				})
			}
		})
	}
	m.lastAt = c.Field(tdbFLast)
	m.last = m.lastAt.Uint()
	m.tiles = m.old.boxes
	m.sizes, m.size[0] = tdbReadU64s(c, tdbFSizes, tdbFSize, int64(fields))
	m.varSizes, m.size[1] = tdbReadU64s(c, tdbFVarSizes, tdbFSize, int64(fields-1))
	m.slots, m.complete = fields, true
}
