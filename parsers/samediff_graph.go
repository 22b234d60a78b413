package parsers

import (
	"spandrel/model"
)

// sdContext is where a buffer stands, which decides how its arrays are read (section 3.6).
type sdContext struct {
	dims    bool // SDNB and ARRAYS: shapes are dims, byteOrder is the ordering
	depth   int  // of sub-instances
	nb      *sdNB
	con     *sdContainer
	section *sdSection            // the ARRAYS section whose index this is
	limit   func(end int64) int64 // where the buffer ends, if something else follows: see sdWalk
}

// sdPlaced is a walked buffer in the tree.
type sdPlaced struct {
	*sdFlat
	sdContext
	doc    *sdDoc
	span   *model.Span
	tables map[string]*sdTable
	owner  string // of a FlatArray by itself: the name of the array
}

var (
	sdFieldGraph = &model.Field{Name: "graph", Doc: "a FlatGraph: variables, nodes, and what belongs to them", Ref: "3.3.1"}
	sdFieldModel = &model.Field{Name: "model", Doc: "a ModelContainer", Ref: "1.3"}
	sdFieldSub   = &model.Field{Name: "instance", Doc: "a graph inside the graph", Ref: "3.3.5"}
	sdFieldOver  = &model.Field{Name: "beyond", Doc: "bytes that no offset can reach", Codec: model.RawBytes}
)

// graph walks a FlatGraph, or a ModelContainer, and places it as one of the document's models.
func (d *sdDoc) graph(c *model.Cursor, f *model.Field, n int64, root string, x sdContext) *sdPlaced {
	p := d.flat(c, f, n, root, x)
	if x.depth == 0 {
		sdAdd(d.st, &d.graphs, p)
	}
	return p
}

// flat walks n bytes as a buffer, places its objects and reports what the walk found.
func (d *sdDoc) flat(c *model.Cursor, f *model.Field, n int64, root string, x sdContext) *sdPlaced {
	base := c.Pos()
	b := sdBuf(c.Peek(min(n, sdMaxFlat)))
	p := d.walked(b, root, x)
	p.span = c.Parts(f, p.size, p).Span
	if n > sdMaxFlat && x.limit == nil {
		c.Report(model.Finding{Rule: sdf(137), Span: p.span})
		c.FieldN(sdFieldOver, n-sdMaxFlat)
	}
	left := p.grafted(b[:min(p.size, b.len())])
	for _, is := range p.issues {
		d := model.Finding{Rule: is.rule, Span: p.near(is.off), Range: c.Range(base+is.off, is.len), Message: is.message}
		if label := sdIssueFixes[is.rule]; label != "" {
			d.Fixes = p.rebuilding(label)
		} else if is.rule == sdf(130) {
			d.Fixes = p.latin(d.Span, d.Range)
		}
		if is.rule == sdf(135) && left(is.off, is.len) {
			d.Severity, d.Message = model.Note, d.Message+": an edit left them behind"
		}
		c.Report(d)
	}
	if p.tangled {
		c.Report(model.Finding{Rule: model.RuleCap, Span: p.span, Message: "objects are shared or overlap so often that the content is not looked at"})
		b = nil
	}
	p.note(c)
	sdAdd(d.st, &d.flats, p)
	d.st.mu.Lock()
	d.st.placed[p.span] = p
	d.st.mu.Unlock()
	p.subs(c, b)
	return p
}

// walked is a buffer of the document that has no span.
func (d *sdDoc) walked(b sdBuf, root string, x sdContext) *sdPlaced {
	gen, tables := "", sdGens[""]
	switch root {
	case "FlatGraph":
		gen, tables = sdGeneration(b, b.root())
	case "ModelContainer":
		gen, tables = sdGeneration(b, b.ref(b.root(), 3))
	}
	p := &sdPlaced{sdFlat: sdWalk(b, tables[root], x.limit), sdContext: x, doc: d, tables: tables}
	p.gen = gen
	return p
}

// near returns the span of the object at an offset of the buffer, or that of the buffer.
func (p *sdPlaced) near(off int64) *model.Span {
	if i := p.Find(off); i >= 0 {
		return p.span.Child(i)
	}
	return p.span
}

// at returns the object at an offset and its bytes, for findings.
func (p *sdPlaced) at(off, n int64) (*model.Span, model.Range) {
	r := p.span.Range
	return p.near(off), model.Range{Space: r.Space, Off: r.Off + off, Len: n}
}

// note reports what is legal but worth knowing, once for a buffer.
func (p *sdPlaced) note(c *model.Cursor) {
	shared, long, first := 0, 0, int64(-1)
	b := sdBuf(c.PeekAt(p.span.Range.Off, p.size))
	owners := map[int64]int{}
	for _, l := range p.layouts {
		owners[l.vtable] += l.used
	}
	for _, l := range p.layouts {
		trailing := l.slots > 0 && l.size > 0 && b.u16(l.vtable+2+2*int64(l.slots)) == 0
		if owners[l.vtable] > 1 {
			shared++
		}
		if trailing {
			long++
		}
		if first < 0 && (trailing || owners[l.vtable] > 1) {
			first = l.vtable
		}
	}
	if first >= 0 {
		s, r := p.at(first, 2)
		c.Report(model.Finding{Rule: sdf(136), Span: s, Range: r, Message: sdCount(shared, "shared vtable") + ", " + sdCount(long, "untrimmed one")})
	}
	if p.gen == "S0" || p.gen == "S1" {
		c.Report(model.Finding{Rule: sdf(188), Span: p.span})
	}
}

// subs places the graphs inside sub-instances: each in an address space of its own.
func (p *sdPlaced) subs(c *model.Cursor, b sdBuf) {
	if p.root.name != "FlatGraph" || p.gen == "S0" || p.gen == "S1" || p.gen == "S2" {
		return
	}
	names := map[string]bool{}
	b.tables(b.root(), sdGraphSubs, func(k, t int64) {
		if t == 0 {
			return
		}
		span, at := p.at(t, 4)
		name, ok := b.str(t, 0)
		if !ok || name == "" || names[name] {
			c.Report(model.Finding{Rule: sdf(163), Span: span, Range: at, Found: name, Message: "a sub-instance without a name of its own"})
		}
		names[name] = true
		v := b.ref(t, 1)
		from, n, ok := b.vector(v, 1)
		nested := sdBuf(b[from : from+n])
		switch i, pos := p.find(v); {
		case !ok || i < 0 || p.objs[i].kind != sdRaw || !nested.isGraph(nested.root()):
			c.Report(model.Finding{Rule: sdf(163), Span: span, Range: at, Message: "the bytes of the sub-instance are no graph"})
		case p.depth+1 > sdMaxDepth:
			c.Report(model.Finding{Rule: sdf(133), Span: span, Range: at, Message: "sub-instances nest deeper than 64"})
		default:
			raw := model.Node{Span: p.span.Child(pos).Child(1)}
			x := p.sdContext
			x.depth++
			x.nb, x.con, x.limit = nil, nil, nil
			in := c.Derive(sdFieldSub.Named("instance[%d]", k), model.Derived{Transform: model.Identity, From: []model.Node{raw}, Size: n, Body: func(e *model.Cursor) {
				p.doc.graph(e, sdFieldGraph, e.Left(), "FlatGraph", x)
			}})
			p.doc.st.later(in)
		}
	})
}
