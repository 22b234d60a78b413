package parsers

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"spandrel/model"
)

// Section types (section 2.1, H-05).
const (
	sdHeader = iota
	sdMetadata
	sdGraphs
	sdArraysType
	sdShardInfo
)

// peekHeader reads what the HEADER says about the file before records are read: whether bytes behind the last one are a tail
// depends on it.
func (k *sdContainer) peekHeader(c *model.Cursor) {
	for _, r := range k.recs {
		if r.typ != sdHeader || r.size > sdSmall {
			continue
		}
		b := c.PeekAt(r.data, r.size)
		if r.code() == 1 {
			b = k.front(b)
		}
		k.format, k.count = sdReadHeader(b)
		return
	}
}

// sdReadHeader returns format_version and section_count of a HEADER payload, -1 for what it does not say.
func sdReadHeader(payload []byte) (format, count int64) {
	format, count = -1, -1
	b := sdBuf(payload)
	if t := b.root(); t != 0 && b.sound(t) {
		if sub := b.ref(t, 0); sub != 0 && b.sound(sub) {
			t = sub // a ModelContainer
		}
		if v, ok := b.opt(t, 0, 4); ok {
			format = v
		}
		if v, ok := b.opt(t, 1, 4); ok {
			count = v
		}
		return format, count
	}
	var j struct {
		Format *int64 `json:"format_version"`
		Count  *int64 `json:"section_count"`
	}
	if len(payload) > 0 && payload[0] == '{' && json.Unmarshal(payload, &j) == nil {
		if j.Format != nil {
			format = *j.Format
		}
		if j.Count != nil {
			count = *j.Count
		}
	}
	return format, count
}

// record reads a record of a known extent (section 2.2).
func (k *sdContainer) record(c *model.Cursor, i int) {
	r := k.recs[i]
	f := k.outer()
	s := &sdSection{rec: r, index: i}
	k.sections = append(k.sections, s)
	s.span = c.Struct(sdFieldRec, func(c *model.Cursor) {
		n := k.head(c, f)
		s.typ, s.length, s.flags = n[0], n[1], n[2]
		k.flags(c, s)
		k.payload(c, s)
		if r.sum == 8 {
			s.sum = c.Field(f.crc8)
		} else if r.sum == 4 {
			s.sum = c.Field(f.crc)
		}
		l := c.LengthOf(s.length, s.data)
		if k.layout.inclusive {
			l.Plus(1 + r.sum)
		}
		if r.sum > 0 {
			c.ChecksumOf(s.sum, model.CRC32, s.data).As(sdf(28))
		}
	}).Span
}

// flags checks the flag byte and the type.
func (k *sdContainer) flags(c *model.Cursor, s *sdSection) {
	r := s.rec
	report := func(rule int, n model.Node, message string, fixes ...model.Fix) {
		c.Report(model.Finding{Rule: sdf(rule), Span: n.Span, Found: n.Value.String(), Message: message, Fixes: fixes})
	}
	switch {
	case r.typ > 127 && r.typ < 256:
		report(14, s.typ, fmt.Sprintf("a private section of type %d", r.typ))
	case r.typ > sdShardInfo:
		report(13, s.typ, fmt.Sprintf("a section of unknown type %d", r.typ))
	}
	switch {
	case r.badFlags:
		d := model.Finding{Rule: sdf(19), Span: s.flags.Span, Found: s.flags.Value.String()}
		if r.code() <= 2 {
			d.Fixes = []model.Fix{{Label: "clear the reserved bits", Edits: []model.Edit{model.SetValue(s.flags.Span, model.U(uint64(r.flags&0x8f)))}}}
		}
		c.Report(d)
	case r.code() == 2:
		report(20, s.flags, "zstd is declared for the future and not read")
	case r.code() == 1 && r.typ == sdHeader:
		report(26, s.flags, "the HEADER is compressed", s.storing(true))
	case r.code() == 1 && r.typ == sdArraysType:
		report(27, s.flags, "arrays in a compressed section cannot be read one by one", s.storing(false))
	}
	if k.layout.flagAt >= 0 && r.sum == 0 {
		report(29, s.flags, "the record has no CRC", sdFix("add a CRC", true, func(t *model.Tree) ([]model.Edit, error) { return k.addCRC(sdBackground, t, s) }))
	}
	if r.size == 0 && (r.typ == sdGraphs || r.typ == sdShardInfo) {
		report(30, s.length, "an empty section")
	}
}

// storing is the fix that stores a compressed section.
func (s *sdSection) storing(safe bool) model.Fix {
	return sdFix("store the section as it is", safe, func(t *model.Tree) ([]model.Edit, error) { return s.store(sdBackground, t) })
}

var (
	sdFieldZ        = &model.Field{Name: "data", Doc: "a deflate stream", Ref: "2.1 H-10", Codec: model.RawBytes}
	sdFieldInflated = &model.Field{Name: "inflated", Doc: "what the stream holds", Ref: "2.2"}
)

// payload reads the data of a record: as it stands, or in an address space of its own when it is compressed.
func (k *sdContainer) payload(c *model.Cursor, s *sdSection) {
	r := s.rec
	switch code := r.code(); {
	case code == 0 || k.layout.flagAt < 0:
		s.data = k.content(c, s, r.size)
		return
	case code != 1:
		s.data = c.FieldN(sdFieldData, r.size)
		return
	}
	framing := sdFraming(c.Peek(2))
	level := sdLevel(c.Peek(2))
	s.data = c.FieldN(sdFieldZ, r.size)
	s.derived = true
	raw, broken := s.data, false
	in := c.Derive(sdFieldInflated, model.Derived{Transform: sdInflate(framing, level), From: []model.Node{raw}, Size: -1,
		Fail: func(err error) model.Finding {
			broken = !errors.As(err, &sdLeftover{})
			return k.inflateFault(s, raw.Span, err)
		},
		Body: func(e *model.Cursor) {
			if broken { // what there is of it would only be found wanting
				e.Rest(sdFieldData)
				return
			}
			if framing != "zlib" && e.Left() > 0 {
				e.Report(model.Finding{Rule: sdf(22), Span: raw.Span, Range: model.Range{Space: raw.Range.Space, Off: raw.Range.Off, Len: min(2, raw.Range.Len)},
					Found: framing, Expected: "zlib", Fixes: []model.Fix{k.rewrap(raw.Span, framing, level)}})
			}
			k.content(e, s, e.Left())
		}})
	k.doc.st.later(in)
}

// inflateFault says why a stream could not be inflated to its end.
func (k *sdContainer) inflateFault(s *sdSection, raw *model.Span, err error) model.Finding {
	d := model.Finding{Rule: sdf(21), Span: raw, Message: err.Error()}
	var left sdLeftover
	var bad sdCorrupt
	r := raw.Range
	switch {
	case errors.Is(err, errSDRatio):
		d.Rule, d.Span, d.Fixes = sdf(23), s.length.Span, []model.Fix{s.storing(false)}
	case errors.As(err, &left):
		d.Rule, d.Range = sdf(24), model.Range{Space: r.Space, Off: r.End() - left.n, Len: left.n}
		d.Fixes = sdDrop("drop the bytes behind the stream", d.Range)
	case errors.As(err, &bad):
		d.Range = model.Range{Space: r.Space, Off: r.Off + bad.at, Len: r.Len - bad.at}
	}
	return d
}

// rewrap puts a stream of another framing into zlib.
func (k *sdContainer) rewrap(raw *model.Span, framing string, level int) model.Fix {
	return sdFix("put the stream into zlib framing", true, func(t *model.Tree) ([]model.Edit, error) {
		in, err := t.Bytes(sdBackground, raw.Range)
		if err != nil {
			return nil, err
		}
		out, err := sdInflateAll(sdBackground, framing, in, int64(len(in))*sdMaxRatio)
		if err != nil {
			return nil, err
		}
		z, err := sdDeflate("zlib", level, out)
		return []model.Edit{model.Replace(raw.Range, z)}, err
	})
}

// content reads the payload of a section, n bytes, in the form that it has (section 2.4).
func (k *sdContainer) content(c *model.Cursor, s *sdSection, n int64) model.Node {
	b := sdBuf(c.Peek(min(n, sdMaxFlat)))
	root := b.root()
	flat := func(name string) model.Node {
		p := k.doc.flat(c, sdFieldData, n, name, sdContext{con: k})
		b := b
		if p.tangled {
			b = nil
		}
		switch name {
		case "ContainerHeader", "ModelContainer":
			if k.header == nil {
				k.header = p
			}
		case "MetadataSection":
			k.describe(c, s, sdFlatMeta(p, b))
		case "ShardInfo":
			k.shard = sdFlatShard(p, b)
		}
		return model.Node{Span: p.span}
	}
	whole := b.sound(root)
	if !s.derived && !whole && s.rec.code() == 0 && k.unflagged(s, b) {
		node := c.FieldN(sdFieldData, n)
		d := model.Finding{Rule: sdf(25), Span: node.Span, Message: "the data are a deflate stream, which nothing says"}
		if s.flags.Span != nil {
			d.Span, d.Fixes = s.flags.Span, []model.Fix{{Label: "set the flag", Edits: []model.Edit{model.SetValue(s.flags.Span, model.U(uint64(s.rec.flags|1)))}}}
		}
		c.Report(d)
		return node
	}
	switch s.rec.typ {
	case sdHeader:
		if whole {
			if sub := b.ref(root, 0); sub != 0 && b.sound(sub) {
				return flat("ModelContainer")
			}
			return flat("ContainerHeader")
		}
		return k.headerText(c, s, n, b)
	case sdMetadata:
		return k.metadata(c, s, n, b, whole, flat)
	case sdGraphs:
		if n > 0 {
			return k.graphs(c, s, n, b)
		}
	case sdArraysType:
		return k.arrays(c, s, n, b)
	case sdShardInfo:
		if n > 0 {
			return k.shardInfo(c, s, n, b, whole, flat)
		}
	}
	return c.FieldN(sdFieldData, n)
}

// unflagged tells whether a payload that should stand as it is, is a deflate stream of what the section holds (SDF-025).
func (k *sdContainer) unflagged(s *sdSection, b sdBuf) bool {
	if sdFraming(b) != "zlib" || s.rec.typ == sdHeader || s.rec.typ > sdShardInfo {
		return false
	}
	in := k.front(b)
	switch {
	case s.rec.typ == sdGraphs:
		return in.root() != 0
	case s.rec.typ == sdArraysType:
		return len(in) >= 8 && (in.isIndex() || k.order.Uint64(in) <= uint64(len(in)-8) && in[8:8+k.order.Uint64(in)].isIndex())
	}
	return sdDecodes(s.rec.typ, in)
}

// headerText reads a HEADER that is JSON or nothing known.
func (k *sdContainer) headerText(c *model.Cursor, s *sdSection, n int64, b sdBuf) model.Node {
	if len(b) > 0 && b[0] == '{' && json.Valid(b) {
		s.variant = "json"
		return c.FieldN(sdFieldText0, n)
	}
	node := c.FieldN(sdFieldData, n)
	d := model.Finding{Rule: sdf(32), Span: node.Span}
	if k.state == sdAtEnd { // otherwise the records are not where they seem to be
		d.Fixes = []model.Fix{k.newHeader(node)}
		d.Fixes[0].Safe = s.index == 0 && n > 0 // elsewhere the type may be what is wrong
	}
	c.Report(d)
	return node
}

// graphs reads a GRAPH: a FlatGraph, one behind a length, or an SDNB file.
func (k *sdContainer) graphs(c *model.Cursor, s *sdSection, n int64, b sdBuf) model.Node {
	if bytes.HasPrefix(b, []byte("SDNB")) && n >= 32 {
		s.variant = "sdnb"
		return c.Block(sdFieldNB, n, func(c *model.Cursor) { sdParseNB(c, k.doc, n) })
	}
	for _, w := range []int64{8, 4} { // first, as a length can pass for a root offset
		if sdBehind(b, k.order, w) {
			s.variant = fmt.Sprintf("prefix%d", w)
			return c.Block(sdFieldData, n, func(c *model.Cursor) {
				f := k.outer().prefix8
				if w == 4 {
					f = k.outer().prefix4
				}
				size := c.Field(f)
				g := k.doc.graph(c, sdFieldGraph, n-w, "FlatGraph", sdContext{con: k})
				c.LengthOf(size, model.Node{Span: g.span})
			})
		}
	}
	return model.Node{Span: k.doc.graph(c, sdFieldData, n, "FlatGraph", sdContext{con: k}).span}
}

// sdBehind tells whether b is a length of w bytes and a graph of that length.
func sdBehind(b sdBuf, o binary.ByteOrder, w int64) bool {
	if b.len() < w+12 {
		return false
	}
	size := uint64(o.Uint32(b))
	if w == 8 {
		size = o.Uint64(b)
	}
	in := b[w:]
	return size == uint64(in.len()) && in.isGraph(in.root())
}
