package tiledb

import (
	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

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
