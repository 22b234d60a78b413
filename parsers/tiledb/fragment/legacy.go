package fragment

import (
	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/rule"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// readOldMeta reads fragment metadata of version 1 or 2: one generic tile.
func (r Reader) readOldMeta(c *model.Cursor, m *Metadata) {
	g := storage.ReadTile(c, r.Lock, legacyMetaF, func(c *model.Cursor, _ *storage.GenericTile) {
		m.VersionAt = c.Field(oldVersion)
		m.Version = uint32(m.VersionAt.Uint())
		r.readOldPayload(c, m)
	})
	storage.OpenNow(c, g.Payload)
}

// readLegacyMeta reads fragment metadata from before format version 1.
func (r Reader) readLegacyMeta(c *model.Cursor, m *Metadata) {
	storage.OpenNow(c, storage.ReadLegacyTile(c, legacyMetaF, func(c *model.Cursor) {
		schema.ReadLegacyVersion(c)
		r.readOldPayload(c, m)
	}))
}

func (r Reader) readOldPayload(c *model.Cursor, m *Metadata) {
	m.SchemaName = schema.OldSchema
	if m.Schema = r.Schemas.Schema(c.Context(), schema.OldSchema); m.Schema == nil {
		c.Wrong(rule.OldSchemaMissing, m.VersionAt, "no "+schema.OldSchema, "the schema of the array")
		c.Stop()
	}
	s := m.Schema
	size := int64(0)
	for i := range s.Dims {
		size += 2 * int64(filter.SizeOf(s.Dims[i].Datatype))
	}
	m.Dense, m.Null = s.Dense(), true
	if n := c.Field(oldSize); n.Int() == size && size > 0 {
		m.Null = false
		c.List(fDomain, func(c *model.Cursor) {
			for i := range s.Dims {
				m.Domain = append(m.Domain, schema.ReadRange(c, schema.RangeF, &s.Dims[i]))
			}
		})
	} else if n.Uint() > 0 {
		c.FieldN(fSectData, n.Int())
	}
	m.readOldBoxes(c)
	fields := len(s.Attrs) + 1
	m.readOldLists(c, fields)
	m.LastAt = c.Field(fLast)
	m.Last = m.LastAt.Uint()
	m.Tiles = m.Old.boxes
	m.Sizes, m.Size[0] = readU64s(c, fSizes, fSize, int64(fields))
	m.VarSizes, m.Size[1] = readU64s(c, fVarSizes, fSize, int64(fields-1))
	m.SlotCount, m.Complete = fields, true
}

// readOldBoxes reads the bounding boxes of the tiles, and the first and last cell of each tile.
func (m *Metadata) readOldBoxes(c *model.Cursor) {
	s := m.Schema
	m.Old = &oldMeta{}
	for i, f := range oldBoxes {
		n := c.Field(f[0])
		if i == 0 {
			m.Old.boxes = n.Uint()
		}
		switch {
		case n.Uint() == 0:
		case i == 0:
			c.Struct(f[1], func(c *model.Cursor) { m.readBoxes(c, n) })
		default: // the first cell of each tile, followed by its last one
			c.Elements(f[1], storage.Typed(schema.RangeLow, uint8(s.DomainType.Uint())), min(n.Int(), c.Left())*2*int64(len(s.Dims)))
		}
	}
}

// readOldLists reads the offsets and sizes of the tiles of each field.
func (m *Metadata) readOldLists(c *model.Cursor, fields int) {
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
					count := c.Field(ListCount)
					var list []uint64
					if count.Uint() > 0 {
						_, list = readU64s(c, listF, listElem, min(count.Int(), c.Left()))
					}
					m.Old.Lists[k] = append(m.Old.Lists[k], list)
				})
			}
		})
	}
}
