package schema

import (
	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/rule"
	"spandrel/parsers/tiledb/storage"
)

// ReadLegacy reads the schema of TileDB 1.3 and older. Compressors become pipelines of one filter.
func ReadLegacy(c *model.Cursor) *Schema {
	s := &Schema{}
	c.DamageIs(rule.SchemaCut)
	c.Wrong(rule.HeaderVersion, ReadLegacyVersion(c), nil, nil,
		model.Saying("written by TileDB 1.3 or older: later releases do not open the array, though all of it can be read here"))
	s.Array, s.TileOrder, s.CellOrder, s.Capacity = c.Field(sArray), c.Field(sTileOrder), c.Field(sCellOrder), c.Field(sCapacity)
	pipe := func(c *model.Cursor, f [2]*model.Field) []filter.Filter {
		if comp, level := c.Field(f[0]), c.Field(f[1]); comp.Uint() > 0 {
			return []filter.Filter{{Type: uint8(comp.Uint()), Compressor: uint8(comp.Uint()), Level: int32(level.Int())}}
		}
		return nil
	}
	s.Coords.List, s.Offsets.List = pipe(c, legacyPipe[0]), pipe(c, legacyPipe[1])
	c.Struct(sDomain, s.readDomain)
	s.AttrCount = c.Field(attrCount)
	storage.ReadList(c, s.AttrCount, attrs, 14, func(c *model.Cursor) {
		var a Attribute
		a.Self = c.Struct(attrF, func(c *model.Cursor) {
			a.Name = storage.ReadText(c, nameLen, NameF)
			a.Typ = c.Field(typeF)
			a.Datatype = uint8(a.Typ.Uint())
			a.Filters.List = pipe(c, [2]*model.Field{storage.LegacyComp, storage.LegacyLevel})
			a.Num = c.Field(cellNum)
		})
		s.Attrs = append(s.Attrs, a)
	})
	s.Complete = true
	return s
}

func ReadLegacyVersion(c *model.Cursor) model.Node {
	return c.Struct(legacyVer, func(c *model.Cursor) {
		for _, f := range legacyPart {
			c.Field(f)
		}
	})
}
