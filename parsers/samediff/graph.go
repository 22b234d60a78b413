package samediff

import (
	"spandrel/model"
)

// scopeOf is where a buffer stands, which decides how its arrays are read (section 3.6).
type scopeOf struct {
	dims    bool // SDNB and ARRAYS: shapes are dims, byteOrder is the ordering
	depth   int  // of sub-instances
	nb      *native
	con     *container
	section *section              // the ARRAYS section whose index this is
	limit   func(end int64) int64 // where the buffer ends, if something else follows: see walk
}

// placed is a walked buffer in the tree.
type placed struct {
	*flat
	scopeOf
	doc    *doc
	span   *model.Span
	tables map[string]*table
	owner  string // of a FlatArray by itself: the name of the array
}

var (
	fieldGraph = &model.Field{Name: "graph", Doc: "a FlatGraph: variables, nodes, and what belongs to them", Ref: "3.3.1"}
	fieldModel = &model.Field{Name: "model", Doc: "a ModelContainer", Ref: "1.3"}
	fieldSub   = &model.Field{Name: "instance", Doc: "a graph inside the graph", Ref: "3.3.5"}
	fieldOver  = &model.Field{Name: "beyond", Doc: "bytes that no offset can reach", Codec: model.RawBytes}
)

// graph walks a FlatGraph, or a ModelContainer, and places it as one of the document's models.
func (d *doc) graph(c *model.Cursor, f *model.Field, n int64, root string, x scopeOf) *placed {
	p := d.flat(c, f, n, root, x)
	if x.depth == 0 {
		add(d.st, &d.graphs, p)
	}
	return p
}

// flat walks n bytes as a buffer, places its objects and reports what the walk found.
func (d *doc) flat(c *model.Cursor, f *model.Field, n int64, root string, x scopeOf) *placed {
	base := c.Pos()
	b := buf(c.Peek(min(n, maxFlat)))
	p := d.walked(b, root, x)
	p.span = c.Parts(f, p.size, p).Span
	if n > maxFlat && x.limit == nil {
		c.Report(model.Finding{Rule: sdf(137), Span: p.span})
		c.FieldN(fieldOver, n-maxFlat)
	}
	left := p.grafted(b[:min(p.size, b.len())])
	for _, is := range p.issues {
		d := model.Finding{Rule: is.rule, Span: p.near(is.off), Range: c.Range(base+is.off, is.len), Message: is.message}
		if label := issueFixes[is.rule]; label != "" {
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
	add(d.st, &d.flats, p)
	d.st.mu.Lock()
	d.st.placed[p.span] = p
	d.st.mu.Unlock()
	p.subs(c, b)
	return p
}

// walked is a buffer of the document that has no span.
func (d *doc) walked(b buf, root string, x scopeOf) *placed {
	gen, tables := "", gens[""]
	switch root {
	case "FlatGraph":
		gen, tables = generation(b, b.root())
	case "ModelContainer":
		gen, tables = generation(b, b.ref(b.root(), 3))
	}
	p := &placed{flat: walk(b, tables[root], x.limit), scopeOf: x, doc: d, tables: tables}
	p.gen = gen
	return p
}

// near returns the span of the object at an offset of the buffer, or that of the buffer.
func (p *placed) near(off int64) *model.Span {
	if i := p.Find(off); i >= 0 {
		return p.span.Child(i)
	}
	return p.span
}

// at returns the object at an offset and its bytes, for findings.
func (p *placed) at(off, n int64) (*model.Span, model.Range) {
	r := p.span.Range
	return p.near(off), model.Range{Space: r.Space, Off: r.Off + off, Len: n}
}

// note reports what is legal but worth knowing, once for a buffer.
func (p *placed) note(c *model.Cursor) {
	shared, long, first := 0, 0, int64(-1)
	b := buf(c.PeekAt(p.span.Range.Off, p.size))
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
		c.Report(model.Finding{Rule: sdf(136), Span: s, Range: r, Message: counted(shared, "shared vtable") + ", " + counted(long, "untrimmed one")})
	}
	if p.gen == "S0" || p.gen == "S1" {
		c.Report(model.Finding{Rule: sdf(188), Span: p.span})
	}
}

// subs places the graphs inside sub-instances: each in an address space of its own.
func (p *placed) subs(c *model.Cursor, b buf) {
	if p.root.name != "FlatGraph" || p.gen == "S0" || p.gen == "S1" || p.gen == "S2" {
		return
	}
	names := map[string]bool{}
	b.tables(b.root(), graphSubs, func(k, t int64) {
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
		nested := buf(b[from : from+n])
		switch i, pos := p.find(v); {
		case !ok || i < 0 || p.objs[i].kind != objRaw || !nested.isGraph(nested.root()):
			c.Report(model.Finding{Rule: sdf(163), Span: span, Range: at, Message: "the bytes of the sub-instance are no graph"})
		case p.depth+1 > maxDepth:
			c.Report(model.Finding{Rule: sdf(133), Span: span, Range: at, Message: "sub-instances nest deeper than 64"})
		default:
			raw := model.Node{Span: p.span.Child(pos).Child(1)}
			x := p.scopeOf
			x.depth++
			x.nb, x.con, x.limit = nil, nil, nil
			in := c.Derive(fieldSub.Named("instance[%d]", k), model.Derived{Transform: model.Identity, From: []model.Node{raw}, Size: n, Body: func(e *model.Cursor) {
				p.doc.graph(e, fieldGraph, e.Left(), "FlatGraph", x)
			}})
			p.doc.st.later(in)
		}
	})
}
