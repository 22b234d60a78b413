package samediff

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/internal/inflate"
	"spandrel/parsers/samediff/flat"
)

// peekHeader reads the HEADER before the records are read: whether bytes after the last one are a tail
// depends on it.
func (k *container) peekHeader(c *model.Cursor) {
	for _, r := range k.recs {
		if r.typ != header || r.size > small {
			continue
		}
		b := c.PeekAt(r.data, r.size)
		if r.code() == 1 {
			b = k.front(b)
		}
		k.format, k.count = readHeader(b)
		return
	}
}

// record reads a record of known extent (section 2.2).
func (k *container) record(c *model.Cursor, i int) {
	r := k.recs[i]
	f := k.outer()
	s := &section{rec: r, index: i, con: k}
	k.sections = append(k.sections, s)
	s.span = c.Struct(fieldRec, func(c *model.Cursor) {
		n := k.head(c, f)
		s.typ, s.length, s.flags = n[0], n[1], n[2]
		k.flags(c, s)
		k.payload(c, s)
		if r.sum == 8 {
			s.sum = c.Field(f.crc8)
		} else if r.sum == 4 {
			s.sum = c.Field(f.crc)
		}
		l := c.LengthOf(s.length, s.data).As(recordTooLong)
		if k.layout.inclusive {
			l.Plus(1 + r.sum)
		}
		if r.sum > 0 {
			c.ChecksumOf(s.sum, model.CRC32, s.data).As(sectionChecksum)
		}
	}).Span
}

// flags checks the flag byte and the type.
func (k *container) flags(c *model.Cursor, s *section) {
	r := s.rec
	switch {
	case r.wrongType:
		rule := unknownSection
		if s.typ.Uint() > 127 {
			rule = privateSection
		}
		c.Wrong(rule, s.typ, nil, model.U(uint64(r.typ)), model.Graded(model.Error),
			model.Saying("the content of the section is that of type %d, %s", r.typ, flat.Enums["SectionType"][uint64(r.typ)]))
	case r.typ > 127 && r.typ < 256:
		c.Wrong(privateSection, s.typ, nil, nil)
	case r.typ > shardInfo:
		c.Wrong(unknownSection, s.typ, nil, nil)
	}
	switch {
	case r.wrongFlags:
		c.Wrong(badFlags, s.flags, nil, model.U(uint64(r.flags)), model.Saying("the flags of the section do not match its content"))
	case r.badFlags:
		var want any // nothing, if the compression is unknown too
		if r.code() <= 2 {
			want = model.U(uint64(r.flags & 0x8f))
		}
		c.Wrong(badFlags, s.flags, nil, want, model.Doubtful)
	case r.code() == 2:
		c.Wrong(zstdSection, s.flags, nil, nil)
	case r.code() == 1 && r.typ == header:
		c.Wrong(headerCompressed, s.flags, nil, nil, model.About(s))
	case r.code() == 1 && r.typ == arraysType:
		c.Wrong(arraysCompressed, s.flags, nil, nil, model.About(s))
	}
	if k.layout.flagAt >= 0 && r.sum == 0 {
		c.Wrong(noChecksum, s.flags, nil, nil, model.About(s))
	}
	if r.size == 0 && (r.typ == graphs || r.typ == shardInfo) {
		c.Wrong(emptySection, s.length, nil, nil)
	}
}

var (
	fieldZ        = &model.Field{Name: "data", Doc: "a deflate stream", Ref: "2.1 H-10", Codec: model.RawBytes}
	fieldInflated = &model.Field{Name: "inflated", Doc: "the content of the stream", Ref: "2.2"}
)

// payload reads the data of a record: directly, or in an address space of its own if it is compressed.
func (k *container) payload(c *model.Cursor, s *section) {
	r := s.rec
	switch code := r.code(); {
	case code == 0 || k.layout.flagAt < 0:
		s.data = k.content(c, s, r.size)
		s.body = s.data
		return
	case code != 1:
		s.data = c.FieldN(fieldData, r.size)
		return
	}
	framing := inflate.FramingOf(c.Peek(2))
	level := inflate.LevelOf(c.Peek(2))
	s.data = c.FieldN(fieldZ, r.size)
	s.derived = true
	raw, broken := s.data, false
	in := c.Derive(fieldInflated, model.Derived{Transform: inflate.Transform(framing, level, maxInflated, maxRatio), From: raw,
		Size: -1,
		Fail: func(err error) model.Finding {
			broken = !errors.As(err, &inflate.Leftover{})
			if s == k.rump {
				return model.Wrong(nil, nil, nil, nil) // the truncation was reported
			}
			return k.inflateFault(s, raw.Span, err)
		},
		Body: func(e *model.Cursor) {
			if broken && s != k.rump { // the existing part would only produce more errors
				e.Rest(fieldData)
				return
			}
			if framing != "zlib" && e.Left() > 0 {
				front := model.Range{Space: raw.Range.Space, Off: raw.Range.Off, Len: min(2, raw.Range.Len)}
				e.Wrong(oddFraming, model.Spot{Span: raw.Span, Range: front}, framing, "zlib", model.About(s))
			}
			s.body = k.content(e, s, e.Left())
		}})
	k.doc.st.later(in)
}

// inflateFault says why a stream could not be inflated to its end.
func (k *container) inflateFault(s *section, raw *model.Span, err error) model.Finding {
	var left inflate.Leftover
	var bad inflate.Corrupt
	r := raw.Range
	switch {
	case errors.Is(err, inflate.ErrRatio):
		return model.Wrong(inflatesTooFar, s.length, nil, nil, model.About(s))
	case errors.As(err, &left):
		r.Off, r.Len = r.End()-left.N, left.N
		return model.Wrong(afterStream, model.Spot{Span: raw, Range: r}, model.Words("%d bytes", left.N), nil, cutting(r, ""))
	case errors.As(err, &bad):
		r.Off, r.Len = r.Off+bad.At, r.Len-bad.At
	}
	return model.Wrong(inflateFailed, model.Spot{Span: raw, Range: r}, err, nil)
}

// contents is the payload of a section being read.
type contents struct {
	*section
	n     int64       // bytes that it has
	b     flat.Buffer // as many of them as a buffer can have
	whole bool        // it looks like a buffer
}

// content reads the payload of a section, n bytes, in whichever form it has (section 2.4).
func (k *container) content(c *model.Cursor, s *section, n int64) model.Node {
	p := &contents{section: s, n: n, b: flat.Buffer(c.Peek(min(n, flat.MaxSize)))}
	p.whole = p.b.Sound(p.b.Root())
	switch {
	case !s.derived && !p.whole && s.rec.code() == 0 && k.unflagged(s, p.b):
		return p.hidden(c)
	case s.rec.typ == header:
		return p.header(c)
	case s.rec.typ == metadata:
		return p.metadata(c)
	case s.rec.typ == graphs && n > 0:
		return k.graphs(c, s, n, p.b)
	case s.rec.typ == arraysType:
		return k.arrays(c, s, n, p.b)
	case s.rec.typ == shardInfo && n > 0:
		return p.shardInfo(c)
	}
	return c.FieldN(fieldData, n)
}

// hidden reads a payload that is deflated although its flags do not say so.
func (p *contents) hidden(c *model.Cursor) model.Node {
	node := c.FieldN(fieldData, p.n)
	if p.flags.Span != nil {
		c.Wrong(hiddenDeflate, p.flags, nil, model.U(uint64(p.rec.flags|1)), model.Doubtful)
	} else {
		c.Wrong(hiddenDeflate, node.Span, nil, nil)
	}
	return node
}

// flat reads a payload as a buffer, and returns what can be read of it.
func (p *contents) flat(c *model.Cursor, root string) (*placed, flat.Buffer) {
	f := p.con.doc.flat(c, fieldData, p.n, root, scopeOf{con: p.con})
	if f.Tangled {
		return f, nil
	}
	return f, p.b
}

// header reads a HEADER: a buffer with nothing else, or that of a whole model, or JSON, or unknown.
func (p *contents) header(c *model.Cursor) model.Node {
	if !p.whole {
		return p.headerText(c)
	}
	root := "ContainerHeader"
	if sub := p.b.Ref(p.b.Root(), 0); sub != 0 && p.b.Sound(sub) {
		root = "ModelContainer"
	}
	f, _ := p.flat(c, root)
	if p.con.header == nil {
		p.con.header = f
	}
	return model.Node{Span: f.span}
}

// unflagged tells whether a supposedly uncompressed payload is a deflate stream of the section's content (SDF-025).
func (k *container) unflagged(s *section, b flat.Buffer) bool {
	if inflate.FramingOf(b) != "zlib" || s.rec.typ == header || s.rec.typ > shardInfo {
		return false
	}
	in := k.front(b)
	switch {
	case s.rec.typ == graphs:
		return in.Root() != 0
	case s.rec.typ == arraysType:
		return len(in) >= 8 && (in.IsIndex() || k.order.Uint64(in) <= uint64(len(in)-8) && in[8:8+k.order.Uint64(in)].IsIndex())
	}
	return decodes(s.rec.typ, in)
}

// isJSON tells whether a payload is an object of JSON.
func (p *contents) isJSON() bool { return len(p.b) > 0 && p.b[0] == '{' && json.Valid(p.b) }

// headerText reads a HEADER that is JSON or unknown.
func (p *contents) headerText(c *model.Cursor) model.Node {
	if p.isJSON() {
		p.variant = "json"
		return c.FieldN(fieldText0, p.n)
	}
	node := c.FieldN(fieldData, p.n)
	// Otherwise the type may be wrong; and the records are displaced if they do not end with the file.
	c.Wrong(headerUnreadable, node.Span, nil, nil, model.About(p.con.newHeader(node, p.index == 0 && p.n > 0)))
	return node
}

// graphs reads a GRAPH: a FlatGraph, one after a length, or an SDNB file.
func (k *container) graphs(c *model.Cursor, s *section, n int64, b flat.Buffer) model.Node {
	if bytes.HasPrefix(b, []byte("SDNB")) && n >= 32 {
		s.variant = "sdnb"
		return c.Block(fieldNB, n, func(c *model.Cursor) { parseNB(c, k.doc, n, "") })
	}
	for _, w := range []int64{8, 4} { // first, because a length can look like a root offset
		if behind(b, k.order, w) {
			s.variant = fmt.Sprintf("prefix%d", w)
			return c.Block(fieldData, n, func(c *model.Cursor) {
				f := k.outer().prefix8
				if w == 4 {
					f = k.outer().prefix4
				}
				size := c.Field(f)
				g := k.doc.graph(c, fieldGraph, n-w, "FlatGraph", scopeOf{con: k})
				c.LengthOf(size, model.Node{Span: g.span})
			})
		}
	}
	return model.Node{Span: k.doc.graph(c, fieldData, n, "FlatGraph", scopeOf{con: k}).span}
}
