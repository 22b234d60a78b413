package tiledb

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"

	"github.com/klauspost/compress/zlib"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// readLegacyTile reads a generic tile of before format 1.
func readLegacyTile(c *model.Cursor, f *model.Field, body func(*model.Cursor)) model.Node {
	var tile model.Node
	c.Struct(legacyHeader, func(c *model.Cursor) {
		c.DamageIs(headerCut)
		for _, f := range []*model.Field{tilePersisted, tileSize, tileDatatype, tileCell, legacyComp, legacyLevel} {
			c.Field(f)
		}
	})
	tile = c.Block(tileF, c.Left(), func(c *model.Cursor) {
		c.DamageIs(chunkBeyond)
		n := c.Field(tileChunks)
		countFits(c, chunkBeyond, n, 16)
		records(c, chunkList, chunkF, n.Uint(), func(c *model.Cursor) {
			c.Field(legacyOrig)
			size := c.Field(legacyData)
			c.FieldN(legacyBytes, size.Int())
		})
	})
	return c.Derive(f, model.Derived{Transform: legacy, From: []model.Node{tile}, Size: -1, Body: body,
		Fail: func(err error) model.Finding {
			return model.Wrong(zlibDamaged, tile, nil, nil, model.Saying("%s", err))
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
		room := min(uint64(limit)-uint64(len(out)), orig, mostPayload)
		b, err := io.ReadAll(io.LimitReader(z, int64(room)))
		if out = append(out, b...); err != nil {
			return out, err
		}
		in = in[16+n:]
	}
	return out, ctx.Err()
}}

// readLegacySchema reads the schema of TileDB 1.3 and older. Compressors become pipelines of one filter.
func readLegacySchema(c *model.Cursor) *schemaInfo {
	s := &schemaInfo{}
	c.DamageIs(schemaCut)
	c.Wrong(headerVersion, readLegacyVersion(c), nil, nil,
		model.Saying("written by TileDB 1.3 or older: later releases do not open the array, though all of it can be read here"))
	s.array, s.tileOrder, s.cellOrder, s.capacity = c.Field(sArray), c.Field(sTileOrder), c.Field(sCellOrder), c.Field(sCapacity)
	pipe := func(c *model.Cursor, f [2]*model.Field) []filter.Filter {
		if comp, level := c.Field(f[0]), c.Field(f[1]); comp.Uint() > 0 {
			return []filter.Filter{{Type: uint8(comp.Uint()), Compressor: uint8(comp.Uint()), Level: int32(level.Int())}}
		}
		return nil
	}
	s.coords.list, s.offsets.list = pipe(c, legacyPipe[0]), pipe(c, legacyPipe[1])
	c.Struct(sDomain, func(c *model.Cursor) {
		s.domainType = c.Field(domType)
		s.dimCount = c.Field(domCount)
		readList(c, s.dimCount, dims, 7, func(c *model.Cursor) {
			var d dim
			d.self = c.Struct(dimF, func(c *model.Cursor) { readDim(c, s, &d) })
			s.dims = append(s.dims, d)
		})
	})
	s.attrCount = c.Field(attrCount)
	readList(c, s.attrCount, attrs, 14, func(c *model.Cursor) {
		var a attr
		a.self = c.Struct(attrF, func(c *model.Cursor) {
			a.name = readText(c, nameLen, nameF)
			a.typ = c.Field(typeF)
			a.datatype = uint8(a.typ.Uint())
			a.filters.list = pipe(c, [2]*model.Field{legacyComp, legacyLevel})
			a.num = c.Field(cellNum)
		})
		s.attrs = append(s.attrs, a)
	})
	s.complete = true
	return s
}

func readLegacyVersion(c *model.Cursor) model.Node {
	return c.Struct(legacyVer, func(c *model.Cursor) {
		for _, f := range legacyPart {
			c.Field(f)
		}
	})
}

// readOldMeta reads fragment metadata of version 1 or 2: one generic tile.
func (r metadataReader) readOldMeta(c *model.Cursor, m *fragmentMeta) {
	g := readTile(c, r.lock, legacyMetaF, func(c *model.Cursor, _ *genericTile) {
		m.versionAt = c.Field(oldVersion)
		m.version = uint32(m.versionAt.Uint())
		r.readOldPayload(c, m)
	})
	openNow(c, g.payload)
}

// readLegacyMeta reads fragment metadata of before format 1.
func (r metadataReader) readLegacyMeta(c *model.Cursor, m *fragmentMeta) {
	openNow(c, readLegacyTile(c, legacyMetaF, func(c *model.Cursor) {
		readLegacyVersion(c)
		r.readOldPayload(c, m)
	}))
}

func (r metadataReader) readOldPayload(c *model.Cursor, m *fragmentMeta) {
	m.schemaName = oldSchema
	if m.schema = r.schemas.schema(c.Context(), oldSchema); m.schema == nil {
		c.Wrong(oldSchemaMissing, m.versionAt, "no "+oldSchema, "the schema of the array")
		c.Stop()
	}
	s := m.schema
	size := int64(0)
	for i := range s.dims {
		size += 2 * int64(filter.SizeOf(s.dims[i].datatype))
	}
	m.dense, m.null = s.dense(), true
	if n := c.Field(oldSize); n.Int() == size && size > 0 {
		m.null = false
		c.List(fDomain, func(c *model.Cursor) {
			for i := range s.dims {
				m.domain = append(m.domain, readRange(c, rangeF, &s.dims[i]))
			}
		})
	} else if n.Uint() > 0 {
		c.FieldN(fSectData, n.Int())
	}
	m.readOldBoxes(c)
	fields := len(s.attrs) + 1
	m.readOldLists(c, fields)
	m.lastAt = c.Field(fLast)
	m.last = m.lastAt.Uint()
	m.tiles = m.old.boxes
	m.sizes, m.size[0] = readU64s(c, fSizes, fSize, int64(fields))
	m.varSizes, m.size[1] = readU64s(c, fVarSizes, fSize, int64(fields-1))
	m.slots, m.complete = fields, true
}

// readOldBoxes reads the boxes of the tiles, and their first and last cells.
func (m *fragmentMeta) readOldBoxes(c *model.Cursor) {
	s := m.schema
	m.old = &oldMeta{}
	for i, f := range oldBoxes {
		n := c.Field(f[0])
		if i == 0 {
			m.old.boxes = n.Uint()
		}
		switch {
		case n.Uint() == 0:
		case i == 0:
			c.Struct(f[1], func(c *model.Cursor) { m.readBoxes(c, n) })
		default: // the first cell of each tile, then its last one
			c.Elements(f[1], typed(rangeLow, uint8(s.domainType.Uint())), min(n.Int(), c.Left())*2*int64(len(s.dims)))
		}
	}
}

// readOldLists reads where the tiles of the fields begin and how long they are.
func (m *fragmentMeta) readOldLists(c *model.Cursor, fields int) {
	for k, f := range oldLists {
		n := fields
		if k > 0 {
			n--
		}
		if n == 0 {
			continue
		}
		c.List(f, func(c *model.Cursor) {
			for range n {
				c.Struct(oldList, func(c *model.Cursor) {
					count := c.Field(listCount)
					var list []uint64
					if count.Uint() > 0 {
						_, list = readU64s(c, listF, listElem, min(count.Int(), c.Left()))
					}
					m.old.lists[k] = append(m.old.lists[k], list)
				})
			}
		})
	}
}
