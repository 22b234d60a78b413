package zipfile

import (
	"fmt"
	"maps"

	"spandrel/model"
	"spandrel/parsers/internal/inflate"
)

// Client is a format's part in reading an archive.
type Client struct {
	// Rules report the kinds of problems; a Kind without a rule is not reported.
	Rules map[Kind]*model.Rule
	// Content reads the m.Packed bytes of a member that starts at the cursor and sets m.Data, and m.Plain if known: Leaf and
	// Derive do the usual things. Nil: Leaf.
	Content func(c *model.Cursor, m *Member)
}

// reading is an archive being read.
type reading struct {
	*Archive
	Client
	base int64 // of the archive in its space
}

// Read creates spans for the archive that fills the cursor's frame. If the directory cannot be read, the members are those found by
// local headers.
func Read(c *model.Cursor, client Client) *Archive {
	size, base := c.Size(), c.Base()
	at := func(off, n int64) []byte { return c.PeekAt(base+off, n) }
	archive, err := scanned(c, at, size)
	z := &reading{archive, client, base}
	if z.Carved || z.endAt < 0 {
		if err == nil {
			err = fmt.Errorf("the end record is not where the directory ends")
		}
		z.wrong(c, Issue{Kind: NoDirectory, Archive: archive}, model.Spot{Span: c.Span(), Range: c.Range(base+max(0, size-endSize), min(size, endSize))},
			nil, model.Saying("%v: %d members were found by their own headers", err, len(z.Members)))
	}
	list := z.sorted()
	z.Entries = c.List(memberList, func(c *model.Cursor) {
		for _, m := range list {
			z.between(c, m.local)
			z.member(c, m)
		}
	})
	if !z.Carved {
		z.between(c, z.dirAt)
		z.Directory = c.List(directory, func(c *model.Cursor) {
			for _, m := range z.Members {
				c.Struct(entry, func(c *model.Cursor) { z.entry(c, m) })
			}
		})
		z.ends(c)
	}
	switch {
	case c.Left() == 0:
	case z.Retraced && z.endAt < 0:
		z.between(c, size) // the rest of the end record
	case z.hidden:
		z.junk(c, c.Rest(after), "bytes follow the archive, so that readers do not find its directory", model.Graded(model.Error))
	default:
		z.junk(c, c.Rest(after), "bytes follow the archive")
	}
	return archive
}

// scanned is the archive as its directory says or, if that cannot be read or is doubtful, as its members do. An error is why the directory cannot be read.
func scanned(c *model.Cursor, at func(off, n int64) []byte, size int64) (*Archive, error) {
	base, tail := c.Base(), max(0, size-EndBytes)
	archive, err := Scan(c.Context(), at(tail, size-tail), at, size, func(places []model.Range) {
		for i := range places {
			places[i].Off += base
		}
		c.Soon(places)
	})
	if err != nil || archive.doubt {
		if other := retrace(c.Context(), at, size); err != nil || other.Retraced {
			other.hidden = err != nil && other.endAt >= 0
			archive = other
		}
	}
	return archive, err
}

// fields reads consecutive fields, by name.
func fields(c *model.Cursor, list []*model.Field) map[string]model.Node {
	out := map[string]model.Node{}
	for _, f := range list {
		out[f.Name] = c.Field(f)
	}
	return out
}

// text reads a text of n bytes, whose length should be in the fields of a header, and adds it to them.
func text(c *model.Cursor, h map[string]model.Node, f *model.Field, length string, n int64) {
	h[f.Name] = c.FieldN(f, n)
	c.LengthOf(h[length], h[f.Name]).When(h[length].Int() == n) // another one is reported with its header
}

// between reads what precedes a place: nothing, in an intact archive.
func (z *reading) between(c *model.Cursor, to int64) {
	n := z.base + to - c.Pos()
	if n <= 0 {
		return
	}
	if c.Pos() == z.base {
		z.junk(c, c.FieldN(before.Named("%s@0x%x", before.Name, c.Pos()), n), "extra bytes precede the archive")
		return
	}
	c.FieldN(between.Named("%s@0x%x", between.Name, c.Pos()), n)
}

func (z *reading) junk(c *model.Cursor, n model.Node, what string, more ...model.Detail) {
	z.wrong(c, Issue{Kind: Junk, Archive: z.Archive, at: n.Span}, n.Span, model.Words("%s bytes", model.Thousands(n.Range.Len)), append(more, model.Saying("%s", what))...)
}

// member reads a local header and the data after it.
func (z *reading) member(c *model.Cursor, m *Member) {
	m.Span = c.Struct(memberF, func(c *model.Cursor) {
		m.Head = fields(c, localRecord)
		text(c, m.Head, nameField, "nameLength", m.headName)
		sizes := extraField(c, m.Head, m.headExtra)
		if z.Content != nil {
			z.Content(c, m)
		}
		if m.Data.Span == nil {
			m.Leaf(c)
		}
		if m.descriptor > 0 {
			c.Struct(descriptor, func(c *model.Cursor) {
				m.tail = fields(c, m.descriptorRecord())
				m.links(c, m.tail)
			})
		} else if m.Flags&hasDescriptor == 0 {
			m.links(c, sizes)
		}
		switch {
		case m.headLost:
			first, last := m.Head["signature"].Range, m.Head["name"].Range
			first.Len = last.End() - first.Off
			z.wrong(c, Issue{Kind: NoMember, Archive: z.Archive, Member: m, head: first}, model.Spot{Span: m.Head["signature"].Span, Range: first}, nil,
				model.Saying("%s: the header before the data is damaged; the directory has all of its information", m.Name))
		case !z.Carved:
			z.compare(c, m)
		}
	}).Span
}

// descriptorRecord is the fields after the data of a member.
func (m *Member) descriptorRecord() (out []*model.Field) {
	if m.descriptorSigned {
		out = append(out, signature)
	}
	if m.descriptor > 16 {
		return append(out, crc, csize8, usize8)
	}
	return append(out, crc, csize, usize)
}

// Leaf reads the data of a member as bytes.
func (m *Member) Leaf(c *model.Cursor) {
	m.Data = c.FieldN(Data, m.Packed)
	if m.Method == 0 && !m.Encrypted() {
		m.Plain = m.Data
	}
}

// Derive makes the content of a member in an address space of its own, inflated if it is deflated; Data must have been read. fail
// makes the finding for a failure; nil: the engine's.
func (m *Member) Derive(c *model.Cursor, f *model.Field, deflated *model.Transform, body func(*model.Cursor), fail func(error) model.Finding) {
	tr := model.Identity
	if m.Method == 8 {
		tr = deflated
	}
	m.Plain = c.Derive(f, model.Derived{Transform: tr, From: m.Data, Size: m.Size, Body: body, Fail: fail})
}

// Deflated is the transform of deflated members.
var Deflated = inflate.Transform(inflate.Raw, 6, 0, 0)

// links declares what sizes and CRC of a header are derived from. A 32-bit size that only stands for a ZIP64 field is skipped.
func (m *Member) links(c *model.Cursor, f map[string]model.Node) {
	if m.Encrypted() || m.Data.Span == nil {
		return
	}
	state := func(name string, stated int64, link func(n model.Node) *model.Link) {
		if n := f[name]; n.Span != nil && (n.Uint() != max32 || n.Range.Len == 8) {
			link(n).When(n.Int() == stated) // another value is reported beside the one of the directory
		}
	}
	state("csize", m.Packed, func(n model.Node) *model.Link { return c.LengthOf(n, m.Data) })
	if m.Plain.Span == nil {
		return
	}
	state("usize", m.Size, func(n model.Node) *model.Link { return c.LengthOf(n, m.Plain) })
	// Sums reads and checks all members, so that a wrong size and a wrong sum are one finding.
	c.ChecksumOf(f["crc"], model.CRC32, m.Plain).Unchecked()
}

// entry reads an entry of the central directory.
func (z *reading) entry(c *model.Cursor, m *Member) {
	m.Entry = fields(c, entryRecord)
	text(c, m.Entry, nameField, "nameLength", int64(len(m.Name)))
	sizes := extraField(c, m.Entry, m.extra)
	if m.comment > 0 {
		text(c, m.Entry, comment, "commentLength", m.comment)
	}
	if m.Span == nil {
		z.wrong(c, Issue{Kind: NoMember, Archive: z.Archive, Member: m}, m.Entry["localOffset"], nil,
			model.Saying("the directory names %q, which is not where it says", m.Name))
		return
	}
	m.links(c, sizes)
	if at := sizes["localOffset"]; at.Uint() != max32 || at.Range.Len == 8 {
		c.OffsetOf(at, model.Node{Span: m.Span}).From(z.base + z.Bias).When(at.Int() == m.local-z.Bias)
	}
	z.compareEntry(c, m)
}

// ends reads the ZIP64 records and the end record.
func (z *reading) ends(c *model.Cursor) {
	origin := z.base + z.Bias
	if z.end64At >= 0 && z.locator > z.end64At {
		z.between(c, z.end64At)
		var f map[string]model.Node
		rec := c.Struct(end64, func(c *model.Cursor) { f = fields(c, end64Record) })
		c.LengthOf(f["cdSize"], z.Directory)
		c.OffsetOf(f["cdOffset"], z.Directory).From(origin)
		c.CountOf(f["entries"], z.Directory)
		c.CountOf(f["entriesHere"], z.Directory)
		z.between(c, z.locator)
		c.Struct(locator, func(c *model.Cursor) { c.OffsetOf(fields(c, locatorRecord)["endOffset"], rec).From(z.base) })
	}
	if z.endAt < 0 {
		return
	}
	z.between(c, z.endAt)
	c.Struct(end, func(c *model.Cursor) {
		f := fields(c, endRecord)
		n := min(f["commentLength"].Int(), c.Left())
		if n > 0 {
			c.LengthOf(f["commentLength"], c.FieldN(comment, n)).When(f["commentLength"].Int() == n)
		}
		z.compareEnd(c, f, n)
		if z.end64At < 0 {
			says := func(l *model.Link, field string) {
				l.When(len(z.Members) < MaxMembers && f[field].Int() == z.endFields(n)[field])
			}
			says(c.LengthOf(f["cdSize"], z.Directory), "cdSize")
			says(c.OffsetOf(f["cdOffset"], z.Directory).From(origin), "cdOffset")
			says(c.CountOf(f["entries"], z.Directory), "entries")
			says(c.CountOf(f["entriesHere"], z.Directory), "entriesHere")
		}
	})
}

// extraField reads n bytes of extra field after a header, and returns the fields of the header with 8-byte ones in place of
// those that they replace.
func extraField(c *model.Cursor, h map[string]model.Node, n int64) map[string]model.Node {
	if n == 0 {
		return h
	}
	var wide []*model.Field
	for _, f := range []*model.Field{usize8, csize8, offset8} {
		if v, ok := h[f.Name]; ok && v.Uint() == max32 {
			wide = append(wide, f)
		}
	}
	if len(wide) == 0 || !has64(c.Peek(n)) {
		c.LengthOf(h["extraLength"], c.FieldN(extra, n)).When(h["extraLength"].Int() == n)
		return h
	}
	h = maps.Clone(h)
	all := c.Block(extras, n, func(c *model.Cursor) {
		for i := 0; c.Left() >= 4; i++ {
			b := c.Peek(4)
			size := u16(b[2:])
			if u16(b) != 1 {
				c.FieldN(extraOther.Named("block[%d]", i), 4+size)
				continue
			}
			c.Block(extra64.Named("zip64[%d]", i), 4+size, func(c *model.Cursor) { wide = readZip64(c, h, wide) })
		}
		if c.Left() > 0 {
			c.Rest(extraOther)
		}
	})
	c.LengthOf(h["extraLength"], all).When(h["extraLength"].Int() == n)
	return h
}

// readZip64 reads fields of 8 bytes, and returns the missing ones.
func readZip64(c *model.Cursor, h map[string]model.Node, wide []*model.Field) []*model.Field {
	c.Field(extraID)
	c.Field(extraSize)
	for ; len(wide) > 0 && c.Left() >= 8; wide = wide[1:] {
		h[wide[0].Name] = c.Field(wide[0])
	}
	if c.Left() > 0 {
		c.Rest(extraOther)
	}
	return wide
}

// has64 tells whether an extra field consists of whole blocks, one of them ZIP64.
func has64(x []byte) (found bool) {
	for len(x) >= 4 {
		n := 4 + int(u16(x[2:]))
		if n > len(x) {
			return false
		}
		found = found || u16(x) == 1
		x = x[n:]
	}
	return found
}
