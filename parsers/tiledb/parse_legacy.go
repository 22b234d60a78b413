package tiledb

import (
	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

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
