package samediff

import (
	"encoding/binary"
	"maps"

	"spandrel/model"
)

// ZIP64 sizes and offsets stand in a block of the extra field (APPNOTE.TXT 4.5.3): those that are ff ff ff ff in the header, in order.
var (
	zipExtras     = &model.Field{Name: "extra", Doc: "blocks of other programs, and sizes above 4 GiB"}
	zipExtra64    = &model.Field{Name: "zip64", Doc: "sizes and offset that are ff ff ff ff in the header"}
	zipExtraOther = &model.Field{Name: "block", Codec: model.RawBytes}
	zipExtraID    = &model.Field{Name: "id", Codec: model.U16LE, Show: model.ShowHex, Fixed: "it says what the block is"}
	zipExtraSize  = &model.Field{Name: "size", Codec: model.U16LE}
	zipOffset8    = &model.Field{Name: "localOffset", Codec: model.U64LE}
)

const zipMax32 = 0xffffffff

// zipExtraField reads n bytes of extra field behind a header, and returns the fields of the header with those of 8 bytes in place of
// what they stand for.
func zipExtraField(c *model.Cursor, h map[string]model.Node, n int64) map[string]model.Node {
	if n == 0 {
		return h
	}
	var wide []*model.Field
	for _, f := range []*model.Field{zipUSize8, zipCSize8, zipOffset8} {
		if v, ok := h[f.Name]; ok && v.Uint() == zipMax32 {
			wide = append(wide, f)
		}
	}
	if len(wide) == 0 || !zipHas64(c.Peek(n)) {
		c.LengthOf(h["extraLength"], c.FieldN(zipExtra, n))
		return h
	}
	h = maps.Clone(h)
	all := c.Block(zipExtras, n, func(c *model.Cursor) {
		for i := 0; c.Left() >= 4; i++ {
			b := c.Peek(4)
			size := int64(binary.LittleEndian.Uint16(b[2:]))
			if binary.LittleEndian.Uint16(b) != 1 {
				c.FieldN(zipExtraOther.Named("block[%d]", i), 4+size)
				continue
			}
			c.Block(zipExtra64.Named("zip64[%d]", i), 4+size, func(c *model.Cursor) {
				c.Field(zipExtraID)
				c.Field(zipExtraSize)
				for ; len(wide) > 0 && c.Left() >= 8; wide = wide[1:] {
					h[wide[0].Name] = c.Field(wide[0])
				}
				if c.Left() > 0 {
					c.Rest(zipExtraOther)
				}
			})
		}
		if c.Left() > 0 {
			c.Rest(zipExtraOther)
		}
	})
	c.LengthOf(h["extraLength"], all)
	return h
}

// zipHas64 tells whether an extra field is made of whole blocks, one of them ZIP64.
func zipHas64(x []byte) (found bool) {
	for len(x) >= 4 {
		n := 4 + int(binary.LittleEndian.Uint16(x[2:]))
		if n > len(x) {
			return false
		}
		found = found || binary.LittleEndian.Uint16(x) == 1
		x = x[n:]
	}
	return found
}
