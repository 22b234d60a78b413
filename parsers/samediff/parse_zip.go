package samediff

import (
	"encoding/binary"

	"spandrel/model"
)

// zipFields reads fields one behind the other, by name.
func zipFields(c *model.Cursor, fields []*model.Field) map[string]model.Node {
	out := map[string]model.Node{}
	for _, f := range fields {
		out[f.Name] = c.Field(f)
	}
	return out
}

// zipText reads a text whose length stands in the fields of a header, and adds it to them.
func zipText(c *model.Cursor, h map[string]model.Node, f *model.Field, length string) {
	h[f.Name] = c.FieldN(f, h[length].Int())
	c.LengthOf(h[length], h[f.Name])
}

// parseZip reads an archive: members, central directory, end record, and what lies between.
func parseZip(c *model.Cursor, d *doc) {
	z := &archive{}
	d.zip = z
	size := c.Size()
	base := c.Base()
	at := func(off, n int64) []byte { return c.PeekAt(base+off, n) }
	err := z.read(at(max(0, size-66_000), 66_000), at, size) // a comment has at most 65535 bytes
	if err != nil {
		c.Report(model.Finding{Rule: noDirectory, Span: c.Span(), Range: c.Range(base+max(0, size-22), min(size, 22)), Message: err.Error()})
		z.lost(c, d)
		return
	}
	list := z.sorted()
	entries := c.List(zipEntry, func(c *model.Cursor) {
		for _, m := range list {
			z.between(c, m.local, base)
			z.member(c, d, m)
		}
	})
	z.between(c, z.dirAt, base)
	dir := c.List(zipCD, func(c *model.Cursor) {
		for _, m := range z.members {
			c.Struct(zipEntry, func(c *model.Cursor) { m.directory(c) })
		}
	})
	z.ends(c, dir, entries)
	z.check(c, d, entries, dir)
}

// between reads what lies in front of a place: nothing, in a sound archive.
func (z *archive) between(c *model.Cursor, to, base int64) {
	n := base + to - c.Pos()
	if n <= 0 {
		return
	}
	f := zipBetween
	if c.Pos() == base {
		f = zipBefore
	}
	s := c.FieldN(f.Named("%s@0x%x", f.Name, c.Pos()), n)
	if f == zipBefore {
		c.Report(model.Finding{Rule: aroundArchive, Span: s.Span, Fixes: drop("drop the bytes", s.Range)})
	}
}

// member reads a local header and the data behind it.
func (z *archive) member(c *model.Cursor, d *doc, m *member) {
	m.span = c.Struct(zipEntry, func(c *model.Cursor) {
		m.head = zipFields(c, zipLocalRecord)
		zipText(c, m.head, zipName, "nameLength")
		sizes := zipExtraField(c, m.head, m.head["extraLength"].Int())
		z.data(c, d, m)
		if m.descriptor > 0 {
			c.Struct(zipDescField, func(c *model.Cursor) {
				var fields []*model.Field
				if m.descriptorSigned {
					fields = append(fields, zipSignature)
				}
				if fields = append(fields, zipCRC, zipCSize, zipUSize); m.descriptor > 16 {
					fields = append(fields[:len(fields)-2], zipCSize8, zipUSize8)
				}
				m.links(c, zipFields(c, fields))
			})
		} else {
			m.links(c, sizes)
		}
		z.checkLocal(c, m)
	}).Span
}

// data reads the content of a member: SDNB in place when it is stored, or in an address space of its own when it is deflated.
func (z *archive) data(c *model.Cursor, d *doc, m *member) {
	switch {
	case m.method == 0 && m.sdnb && m.csize >= 32 && m.flags&zipEncrypted == 0:
		m.data = c.Block(zipData, m.csize, func(c *model.Cursor) { m.nb = parseNB(c, d, m.csize) })
		m.nb.member = m.name
	case m.method == 8 && m.flags&zipEncrypted == 0:
		m.data = c.FieldN(zipData, m.csize)
		if m.csize > 0 && m.usize/m.csize > maxRatio || m.usize > maxInflated {
			return // the limits are reported with the directory
		}
		m.inflated = c.Derive(zipInside, model.Derived{Transform: inflate("raw", 6), From: []model.Node{m.data}, Size: m.usize,
			Fail: func(err error) model.Finding {
				return model.Finding{Rule: memberChecksum, Span: m.data.Span, Message: err.Error()}
			},
			Body: func(e *model.Cursor) {
				if n := e.Left(); n >= 32 && string(e.Peek(4)) == "SDNB" {
					m.nb = parseNB(e, d, n)
					m.nb.member = m.name
				} else if n > 0 {
					e.Rest(zipData)
				}
			}})
		d.st.later(m.inflated)
	default:
		m.data = c.FieldN(zipData, m.csize)
	}
}

// links states what sizes and CRC of a header say. The checks are those of SDF-085.
func (m *member) links(c *model.Cursor, f map[string]model.Node) {
	if m.flags&zipEncrypted != 0 || m.data.Span == nil {
		return
	}
	plain := m.data
	if m.method != 0 {
		plain = m.inflated
	}
	if n := f["csize"]; n.Uint() != zipMax32 {
		c.LengthOf(n, m.data).Unchecked()
	}
	if plain.Span != nil {
		if n := f["usize"]; n.Uint() != zipMax32 {
			c.LengthOf(n, plain).Unchecked()
		}
		l := c.ChecksumOf(f["crc"], model.CRC32, plain)
		l.Unchecked()
	}
}

// directory reads an entry of the central directory.
func (m *member) directory(c *model.Cursor) {
	m.dir = zipFields(c, zipDirRecord)
	zipText(c, m.dir, zipName, "nameLength")
	sizes := zipExtraField(c, m.dir, m.dir["extraLength"].Int())
	if m.dir["commentLength"].Int() > 0 {
		zipText(c, m.dir, zipComment, "commentLength")
	}
	if m.span != nil {
		m.links(c, sizes)
		if at := sizes["localOffset"]; at.Uint() != zipMax32 {
			c.OffsetOf(at, model.Node{Span: m.span}).Unchecked()
		}
	}
}

// ends reads the ZIP64 records and the end record.
func (z *archive) ends(c *model.Cursor, dir, entries model.Node) {
	base := c.Base()
	if z.end64At >= 0 && z.locator > z.end64At {
		z.between(c, z.end64At, base)
		var f map[string]model.Node
		rec := c.Struct(zipEnd64F, func(c *model.Cursor) { f = zipFields(c, zipEnd64Record) })
		c.LengthOf(f["cdSize"], dir)
		c.OffsetOf(f["cdOffset"], dir).Unchecked()
		z.between(c, z.locator, base)
		c.Struct(zipLocatorF, func(c *model.Cursor) {
			l := zipFields(c, zipLocatorRecord)
			c.OffsetOf(l["endOffset"], rec)
		})
	}
	z.between(c, z.endAt, base)
	c.Struct(zipEndField, func(c *model.Cursor) {
		f := zipFields(c, zipEndRecord)
		n := f["commentLength"]
		if k := min(n.Int(), c.Left()); k > 0 {
			c.LengthOf(n, c.FieldN(zipComment, k))
		}
		if z.end64At < 0 {
			c.LengthOf(f["cdSize"], dir).Unchecked()
			c.OffsetOf(f["cdOffset"], dir).Unchecked()
			c.CountOf(f["entries"], dir).Unchecked()
			c.CountOf(f["entriesHere"], dir).Unchecked()
		}
	})
	if c.Left() > 0 {
		s := c.Rest(zipAfter)
		c.Report(model.Finding{Rule: aroundArchive, Span: s.Span, Fixes: drop("drop the bytes", s.Range)})
	}
}

// lost reads local headers one behind the other when there is no directory.
func (z *archive) lost(c *model.Cursor, d *doc) {
	z.members = nil // what the directory said of them up to where it breaks
	c.List(zipEntry, func(c *model.Cursor) {
		for len(z.members) < readMembers {
			h := c.Peek(30)
			if len(h) < 30 || binary.LittleEndian.Uint32(h) != zipLocal {
				return
			}
			m := &member{flags: binary.LittleEndian.Uint16(h[6:]), method: binary.LittleEndian.Uint16(h[8:]),
				csize: int64(binary.LittleEndian.Uint32(h[18:])), usize: int64(binary.LittleEndian.Uint32(h[22:]))}
			n := 30 + int64(binary.LittleEndian.Uint16(h[26:])) + int64(binary.LittleEndian.Uint16(h[28:]))
			if n > c.Left() || m.csize > c.Left()-n || m.flags&zipHasDesc != 0 {
				return
			}
			m.local, m.dataAt = c.Pos(), c.Pos()+n
			m.sdnb = m.method == 0 && string(c.PeekAt(m.dataAt, 4)) == "SDNB"
			z.members = append(z.members, m)
			z.member(c, d, m)
		}
	})
	if c.Left() > 0 {
		c.Rest(zipAfter)
	}
}
