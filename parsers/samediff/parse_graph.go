package samediff

import (
	"fmt"
	"slices"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

var (
	fieldGraph = &model.Field{Name: "graph", Doc: "a FlatGraph: variables, nodes, and related data", Ref: "3.3.1"}
	fieldModel = &model.Field{Name: "model", Doc: "a ModelContainer", Ref: "1.3"}
	fieldSub   = &model.Field{Name: "instance", Doc: "a graph inside the graph", Ref: "3.3.5"}
	fieldOver  = &model.Field{Name: "beyond", Doc: "bytes that no offset can reach", Codec: model.RawBytes}
)

// graph walks a FlatGraph, or a ModelContainer, and adds it as one of the document's models.
func (d *doc) graph(c *model.Cursor, f *model.Field, n int64, root string, x scopeOf) *placed {
	p := d.flat(c, f, n, root, x)
	if x.depth == 0 {
		add(d.st, &d.graphs, p)
	}
	return p
}

// flat walks n bytes as a buffer, creates its spans and reports the issues of the walk.
func (d *doc) flat(c *model.Cursor, f *model.Field, n int64, root string, x scopeOf) *placed {
	base := c.Pos()
	b := flat.Buffer(c.Peek(min(n, flat.MaxSize)))
	p := &placed{located: located{Map: flat.Open(b, root, x.limit).Settled(b, root, x.limit)}, scopeOf: x, doc: d}
	p.span = c.Parts(f, p.Size, p).Span
	if n > flat.MaxSize && x.limit == nil {
		c.Wrong(graphTooLarge, p.span, nil, nil)
		c.FieldN(fieldOver, n-flat.MaxSize)
	}
	leftBehind := p.grafted(b[:min(p.Size, b.Len())])
	for _, is := range p.Issues {
		left := is.Kind == flat.Unreached && is.Off < p.Extent && leftBehind(is.Off, is.Len)
		more := []model.Detail{model.About(issueAt{p, is})}
		if left {
			more = append(more, model.Graded(model.Note), model.Saying("%s: an edit left them behind", unreached.Title))
		}
		if is.Kind == flat.NeverSet {
			more = append(more, model.ForNewer)
		}
		c.Wrong(issueRules[is.Kind], model.Spot{Span: p.near(is.Off), Range: c.Range(base+is.Off, is.Len)}, is.Message, nil, more...)
	}
	if over := p.Size - p.Extent; d.family == familyBare && over >= 16 && over < maxPadding && p.Size <= b.Len() && model.AllZero(b[p.Extent:p.Size]) {
		c.Wrong(unreached, model.Spot{Span: p.near(p.Extent), Range: c.Range(base+p.Extent, over)}, model.Words("%s zeros after the graph",
			model.Thousands(over)), nil)
	}
	p.note(c, b)
	if p.Tangled {
		why := model.Saying("objects are shared or overlap so often that the content is not checked")
		if p.Crowded {
			why = model.Saying("the graph has more than %s tables, lists and strings: the rest is not read, and the content is not checked",
				model.Thousands(flat.MaxObjects))
		}
		c.Wrong(model.RuleCap, p.span, nil, nil, why)
		b = nil
	}
	add(d.st, &d.flats, p)
	d.st.mu.Lock()
	d.st.placed[p.span] = p
	d.st.mu.Unlock()
	p.subs(c, b)
	return p
}

// note reports legal peculiarities, once per buffer.
func (p *placed) note(c *model.Cursor, b flat.Buffer) {
	shared, long, first := 0, 0, int64(-1)
	owners := map[int64]int{}
	for _, l := range p.Layouts {
		owners[l.Vtable] += l.Used
	}
	for _, l := range p.Layouts {
		trailing := l.Slots > 0 && l.Size > 0 && b.U16(l.Vtable+2+2*int64(l.Slots)) == 0
		if owners[l.Vtable] > 1 {
			shared++
		}
		if trailing {
			long++
		}
		if first < 0 && (trailing || owners[l.Vtable] > 1) {
			first = l.Vtable
		}
	}
	if first >= 0 {
		s, r := p.at(first, 2)
		c.Wrong(sharedShape, model.Spot{Span: s, Range: r}, fmt.Sprintf("%d shared, %d longer than needed", shared, long), nil)
	}
	if p.Gen == "S0" || p.Gen == "S1" {
		c.Wrong(narrowShapes, p.span, nil, nil)
	}
}

// subs adds the graphs inside sub-instances: each in an address space of its own.
func (p *placed) subs(c *model.Cursor, b flat.Buffer) {
	if p.Root.Name != "FlatGraph" || p.Gen == "S0" || p.Gen == "S1" || p.Gen == "S2" {
		return
	}
	names := map[string]bool{}
	for k, t := range b.Tables(b.Root(), flat.GraphSubs) {
		if t == 0 {
			continue
		}
		span, at := p.at(t, 4)
		name, ok := b.Str(t, 0)
		if !ok || name == "" || names[name] {
			c.Wrong(instanceBroken, model.Spot{Span: span, Range: at}, brief(name), "a name of its own")
		}
		names[name] = true
		v := b.Ref(t, 1)
		from, n, ok := b.Vector(v, 1)
		nested := flat.Buffer(b[from : from+n])
		switch i, pos := p.At(v); {
		case !ok || i < 0 || p.Objs[i].Kind != flat.RawObject || !nested.IsGraph(nested.Root()):
			c.Wrong(instanceBroken, model.Spot{Span: span, Range: at}, "bytes that are not a graph", nil)
		case p.depth+1 > flat.MaxDepth:
			c.Wrong(nestsTooDeep, model.Spot{Span: span, Range: at}, "graphs inside graphs", "at most 64 deep")
		default:
			raw := model.Node{Span: p.span.Child(pos).Child(1)}
			x := p.scopeOf
			x.depth++
			x.nb, x.con, x.limit = nil, nil, nil
			in := c.Derive(fieldSub.Named("instance[%d]", k), model.Derived{Transform: model.Identity, From: raw, Size: n,
				Body: func(e *model.Cursor) {
					p.doc.graph(e, fieldGraph, e.Left(), "FlatGraph", x)
				}})
			p.doc.st.later(in)
		}
	}
}

// grafted returns a function that tells whether bytes are the remains of a prefix graft (section 5.4): they belonged to a sound graph that
// starts at a multiple of 16 after the root.
func (p *placed) grafted(b flat.Buffer) func(at, n int64) bool {
	type part struct{ at, n int64 }
	var lost, before []part // bytes that nothing ever referred to
	orphans := func(f *flat.Map, from int64) (out []part) {
		for _, is := range f.Issues {
			if is.Kind == flat.Unreached {
				out = append(out, part{from + is.Off, is.Len})
			}
		}
		return out
	}
	lost = orphans(p.Map, 0)
	if p.Root.Name == "FlatGraph" && p.Late() && !p.Tangled {
		from := int64(0)
		for range maxGrafts {
			i := slices.IndexFunc(lost, func(o part) bool { // zeros may pad to a multiple of 16
				at := (o.at + 15) &^ 15
				return at > from && at+4 <= o.at+o.n && b[at:].IsGraph(b[at:].Root())
			})
			if i < 0 {
				break
			}
			from, before = (lost[i].at+15)&^15, lost
			lost = orphans(flat.Open(b[from:], p.Root.Name, nil), from)
		}
	}
	if before == nil {
		return func(int64, int64) bool { return false }
	}
	return func(at, n int64) bool {
		return !slices.ContainsFunc(lost, func(o part) bool { return o.at < at+n && at < o.at+o.n })
	}
}

// maxPadding is how many zeros after a graph are examined.
const maxPadding = 64 << 20

// maxGrafts is how many consecutive grafts are distinguished from other bytes.
const maxGrafts = 8

// decodes tells whether a payload can be read without an error.
func decodes(typ uint32, b flat.Buffer) bool {
	root := map[uint32]string{header: "ContainerHeader", metadata: "MetadataSection", graphs: "FlatGraph", shardInfo: "ShardInfo"}[typ]
	if root == "" {
		return false
	}
	isError := func(is flat.Issue) bool { return issueRules[is.Kind].Severity == model.Error }
	return !slices.ContainsFunc(flat.Open(b, root, nil).Issues, isError)
}
