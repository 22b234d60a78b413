package samediff

import (
	"context"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// data returns an array's elements in its buffer. If its shape is lost they have the shape of its variable, or one axis;
// if it is truncated, those that are left.
func (p *placed) data(b flat.Buffer, at int64, name, where string, shape ...int64) *data {
	a := p.array(b, at)
	if from := b.Ref(at, flat.ArrBuffer) + 4; !a.inline && from > 4 && from < p.Size {
		a.inline, a.total = true, b.U32(from-4)
		a.buffer = [2]int64{from, min(a.total, p.Size-from)}
	}
	if a.dialect == "" && b.Slot(at, flat.ArrShape) != 0 && a.shape == nil {
		a.unshaped(p.dims, shape)
	}
	bare := len(a.pieces()) == 0 // without bytes: an empty array, or one whose bytes are elsewhere
	if a.dialect == "" || bare && (!a.empty() || a.stub || a.outside()) {
		return nil
	}
	out := &data{name: name, typ: a.typ, dims: a.dims, order: a.order, big: a.big(), where: where, in: p.doc, graph: p, record: at,
		bytes: a.total}
	for _, c := range a.pieces() {
		out.at = append(out.at, model.Range{Space: p.span.Range.Space, Off: p.span.Range.Off + c[0], Len: c[1]})
	}
	return out
}

// blob returns an array's elements outside its buffer.
func (p *placed) blob(b flat.Buffer, at int64, x *blobArray, where string) *data {
	if x == nil || x.bad || x.span == nil && x.len > 0 {
		return nil
	}
	out := &data{name: x.name, typ: x.typ, order: 'c', where: where, in: p.doc, graph: p, bytes: x.len, shared: x.shared}
	if x.len > 0 {
		out.at = []model.Range{x.span.Range}
	}
	if at != 0 {
		a := p.array(b, at)
		out.dims, out.order = a.dims, a.order
	}
	return out
}

// arrays returns all arrays of the document by name, in the order of the files.
func (s *state) arrays(ctx context.Context, t *model.Tree) (list []*data, by map[string]*data) {
	by = map[string]*data{}
	add := func(_ string, a *data) {
		if a != nil && by[a.name] == nil {
			a.clip(ctx, t)
			by[a.name] = a
			list = append(list, a)
		}
	}
	for _, d := range s.snapshot() {
		for _, p := range d.flats {
			if p.depth == 0 {
				p.whole(ctx, t, func(b flat.Buffer) error { p.eachArray(ctx, t, b, add); return nil })
			}
		}
	}
	return list, by
}

// eachArray adds the arrays of a buffer, nil for those that cannot be read: those of a graph, a single one, or those of an index.
func (p *placed) eachArray(ctx context.Context, t *model.Tree, b flat.Buffer, add func(name string, a *data)) {
	switch p.Root.Name {
	case "FlatGraph", "ModelContainer":
		p.graphData(ctx, t, b, add)
	case "FlatArray":
		if p.owner != "" {
			add(p.owner, p.data(b, b.Root(), p.owner, "section"))
		}
	case "ArraysSection":
		apart := map[int64]*blobArray{}
		for _, x := range p.section.arrays.blobs {
			apart[x.entry] = x
		}
		for e := range indexEntries(b) {
			if a := p.data(b, e.array, e.name, "section"); a != nil {
				add(e.name, a)
			} else if e.array != 0 {
				add(e.name, p.blob(b, e.array, apart[e.at], "section"))
			}
		}
	}
}

// clip keeps only the existing part of an array's places: the length of a truncated graph is known.
func (a *data) clip(ctx context.Context, t *model.Tree) {
	for i := range a.at {
		sp := t.Space(a.at[i].Space)
		if sp == nil || sp.Root == nil {
			continue
		}
		if size, err := t.Size(ctx, sp.ID); err == nil {
			a.at[i].Len = max(0, min(a.at[i].Len, size-a.at[i].Off))
		}
	}
}

// graphData adds the arrays of the variables of a graph, wherever they are.
func (p *placed) graphData(ctx context.Context, t *model.Tree, b flat.Buffer, add func(name string, a *data)) {
	v, manifest := p.open(b), p.nb.byName()
	for i := range v.vars {
		x := &v.vars[i]
		if e := manifest[x.name]; e != nil {
			add(x.name, appendedData(p, b, x, e))
			continue
		}
		if x.array == 0 {
			continue
		}
		add(x.name, p.data(b, x.array, x.name, "inline", x.shape...))
		if a := p.array(b, x.array); p.Late() && a.outside() {
			if o, err := p.outsideData(ctx, t, x.name, a); err == nil {
				add(x.name, o)
			}
		}
	}
}

// appendedData is the array of a variable at the place in a manifest entry. If the graph does not describe it, it has the shape of the variable, or
// one axis.
func appendedData(p *placed, b flat.Buffer, x *variable, e *appended) *data {
	a := p.blob(b, x.array, e.blob, "blob")
	if a != nil && x.array == 0 {
		if a.dims = x.shape; !x.hasShape && types[a.typ] != nil {
			a.dims = []int64{a.bytes / types[a.typ].width}
		}
	}
	return a
}
