package parsers

import (
	"context"

	"spandrel/model"
)

// sdData is an array with its elements, wherever they are.
type sdData struct {
	name  string
	typ   int64
	dims  []int64
	order byte
	big   bool
	where string
	in    *sdDoc
	graph *sdPlaced     // the buffer that describes it
	at    []model.Range // the pieces of its bytes, in order
	bytes int64
	// offset is what a stub of it says about its place, or less than 1 for nothing.
	offset int64
}

// count is how many elements there are; 0 when the bytes do not say.
func (a *sdData) count() int64 {
	n, ok := sdProduct(a.dims)
	if t := sdTypes[a.typ]; t != nil {
		if have := a.bytes / t.width; !ok || n > have {
			return have
		}
	}
	if !ok {
		return 0
	}
	return n
}

// index returns the indices of the element that is stored at position i.
func (a *sdData) index(i int64) []int64 {
	out := make([]int64, len(a.dims))
	for k := range a.dims {
		at := len(a.dims) - 1 - k
		if a.order == 'f' {
			at = k
		}
		d := max(1, a.dims[at])
		out[at], i = i%d, i/d
	}
	return out
}

// piece returns where n bytes from off of the array are; a piece may end sooner.
func (a *sdData) piece(off, n int64) (model.Range, bool) {
	for _, r := range a.at {
		if off < r.Len {
			return model.Range{Space: r.Space, Off: r.Off + off, Len: min(n, r.Len-off)}, true
		}
		off -= r.Len
	}
	return model.Range{}, false
}

// data returns an array's elements where its buffer has them.
func (p *sdPlaced) data(b sdBuf, at int64, name, where string) *sdData {
	a := p.array(b, at)
	bare := len(a.pieces()) == 0 // without bytes: an empty array, or one whose bytes are elsewhere
	if a.dialect == "" || bare && (!a.empty() || a.stub || a.outside()) {
		return nil
	}
	out := &sdData{name: name, typ: a.typ, dims: a.dims, order: a.order, big: a.big(), where: where, in: p.doc, graph: p, bytes: a.total}
	for _, c := range a.pieces() {
		out.at = append(out.at, model.Range{Space: p.span.Range.Space, Off: p.span.Range.Off + c[0], Len: c[1]})
	}
	return out
}

// blob returns an array's elements outside of its buffer.
func (p *sdPlaced) blob(b sdBuf, at int64, x *sdBlob, where string) *sdData {
	if x == nil || x.bad || x.span == nil && x.len > 0 {
		return nil
	}
	out := &sdData{name: x.name, typ: x.typ, order: 'c', where: where, in: p.doc, graph: p, bytes: x.len}
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
func (s *sdState) arrays(ctx context.Context, t *model.Tree) (list []*sdData, by map[string]*sdData) {
	by = map[string]*sdData{}
	add := func(a *sdData) {
		if a != nil && by[a.name] == nil {
			by[a.name] = a
			list = append(list, a)
		}
	}
	for _, d := range s.snapshot() {
		for _, p := range d.flats {
			if p.depth > 0 {
				continue
			}
			p.view(ctx, t, func(b sdBuf) error {
				switch p.root.name {
				case "FlatGraph", "ModelContainer":
					p.graphData(ctx, t, b, add)
				case "FlatArray":
					if p.owner != "" {
						add(p.data(b, b.root(), p.owner, "section"))
					}
				case "ArraysSection":
					p.sectionData(b, add)
				}
				return nil
			})
		}
	}
	return list, by
}

func (s *sdState) snapshot() []*sdDoc {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*sdDoc(nil), s.docs...)
}

func (p *sdPlaced) graphData(ctx context.Context, t *model.Tree, b sdBuf, add func(*sdData)) {
	v, manifest := p.open(b), p.nb.byName()
	for i := range v.vars {
		x := &v.vars[i]
		if e := manifest[x.name]; e != nil {
			a := p.blob(b, x.array, e.blob, "blob")
			if a != nil && x.array == 0 {
				if a.dims = x.shape; !x.hasShape && sdTypes[a.typ] != nil {
					a.dims = []int64{a.bytes / sdTypes[a.typ].width}
				}
			}
			add(a)
		} else if x.array != 0 {
			add(p.data(b, x.array, x.name, "inline"))
			if a := p.array(b, x.array); v.late() && a.outside() {
				if o, err := p.outsideData(ctx, t, x.name, a); err == nil {
					add(o)
				}
			}
		}
	}
}

func (p *sdPlaced) sectionData(b sdBuf, add func(*sdData)) {
	blobs := map[string]*sdBlob{}
	if p.section != nil {
		for _, x := range p.section.arrays.blobs {
			blobs[x.name] = x
		}
	}
	b.tables(b.root(), 0, func(_, t int64) {
		name, _ := b.str(t, 0)
		a := b.ref(t, 1)
		if a == 0 {
			return
		}
		if inline := p.data(b, a, name, "section"); inline != nil {
			add(inline)
			return
		}
		add(p.blob(b, a, blobs[name], "section"))
	})
}
