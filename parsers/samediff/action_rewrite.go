package samediff

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	flatbuffers "github.com/google/flatbuffers/go"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// rewriting rewrites a graph for a file of another kind, in which arrays have another form (section 3.6): with shapeInfo and big-endian in
// .fb, with dims and little-endian in SDNB. Tables are made in memory; the bytes of arrays follow them and are only read when the file is
// written.
type rewriting struct {
	*whole
	*flat.Copy
	p       *placed // the buffer to write: the graph, or an inner one
	root    int64   // its FlatGraph
	bare    bool
	meta    map[string]string
	blobs   map[string]int64 // arrays after the graph, by their offset from the first
	behind  []*data          // arrays whose bytes follow the tables
	hole    flatbuffers.UOffsetT
	changed bool // something has changed
}

// rewrite returns the graph, and whether it differs from the present one.
func (w *whole) rewrite(bare bool, meta map[string]string, blobs map[string]int64) (out model.Source, changed bool, err error) {
	w.ownKeys(meta)
	err = w.g.view(w.ctx, w.t, func(b flat.Buffer) error {
		r := &rewriting{whole: w, p: w.g, bare: bare, meta: meta, blobs: blobs, Copy: &flat.Copy{Map: w.g.Map, B: b}}
		r.Other, r.root = r.other, w.g.GraphAt(b)
		buf, err := r.Build(r.root, w.g.Types["FlatGraph"])
		if err != nil {
			return err
		}
		changed = r.changed
		out, err = r.filled(buf)
		return err
	})
	return out, changed, err
}

// ownKeys adds the keys of the graph that METADATA lacks to the metadata, and notes those that have another value there, which is the one that counts.
func (w *whole) ownKeys(meta map[string]string) {
	own, _ := w.g.metadataMap(w.ctx, w.t)
	var lost []string
	for _, key := range slices.Sorted(maps.Keys(own)) {
		if v, ok := meta[key]; slices.Contains(madeKeys, key) || v == own[key] && ok {
			continue
		} else if ok {
			lost = append(lost, fmt.Sprintf("%s=%s", brief(key), brief(own[key])))
		} else {
			meta[key] = own[key]
		}
	}
	w.leave("values of keys in the graph are left out, because METADATA gives these keys other values: %s", lost)
}

// filled puts the bytes of arrays after the tables, and points the tables at them.
func (r *rewriting) filled(buf []byte) (model.Source, error) {
	at, region, end := map[string]int64{}, &model.Joined{}, int64(len(buf))
	pad := func() {
		region.Add(model.Fill(0, -end&7))
		end += -end & 7
	}
	for _, a := range r.behind {
		if at[a.name] > 0 {
			continue
		}
		src := a.source(r.ctx, r.t, r.stored(a))
		if src.Len() != a.bytes {
			return nil, fmt.Errorf("%s: only %d of %d bytes are present", a.name, src.Len(), a.bytes)
		}
		pad()
		at[a.name] = end
		if end += 4 + a.bytes; end > flat.MaxSize {
			return nil, fmt.Errorf("the graph and its arrays would exceed 2 GiB, the limit of this format")
		}
		region.Add(model.Memory(binary.LittleEndian.AppendUint32(nil, uint32(a.bytes))))
		region.Add(src)
	}
	pad()
	b := flat.Buffer(buf)
	for _, x := range b.Tables(b.Root(), flat.GraphVariables) {
		name, _ := b.Str(x, flat.VarName)
		array := b.Ref(x, flat.VarArray)
		if to := at[name]; to > 0 && array != 0 {
			slot := b.Slot(array, flat.ArrBuffer)
			binary.LittleEndian.PutUint32(buf[slot:], uint32(to-slot))
		}
	}
	return joined(model.Memory(buf), region), nil
}

// stored tells whether an array's elements are written big-endian: unchanged if its form stays.
func (r *rewriting) stored(a *data) bool {
	if r.stays(a) != nil {
		return a.big
	}
	return r.bare
}

// kept tells whether an array already has the required form.
func (r *rewriting) kept(a *arr) bool {
	if r.bare {
		return a.dialect == "SI"
	}
	return a.dialect == "DIM"
}

// other gives the replacement of a field.
func (r *rewriting) other(tab *flat.Table, at int64, slot int) (flatbuffers.UOffsetT, bool) {
	switch {
	case tab.Name == "FlatVariable" && slot == flat.VarShape:
		return r.shape(at)
	case tab.Name == "FlatVariable" && slot == flat.VarArray:
		return r.array(at)
	case tab.Name == "FlatGraph" && r.p == r.g && (slot == flat.GraphKeys || slot == flat.GraphValues):
		return r.metadata(slot)
	case tab.Name == "FlatGraph" && r.p == r.g && slot == flat.GraphUpdater && len(r.more) > 0:
		r.changed = true
		return r.joined(r.Copy, at, func(q *placed, c *flat.Copy) {
			o := &rewriting{whole: r.whole, p: q, bare: r.bare, Copy: c}
			c.Other = o.other
		}), true
	case tab.Name == "SameDiffSubInstance" && slot == 1:
		return r.inside(at)
	}
	// In SDNB, ND4J also reads shapeInfo in operations.
	if s := &tab.Slots[slot]; s.Table() != nil && s.Table().Name == "FlatArray" && (r.bare || tab.Name == "UpdaterState") {
		return r.arraysIn(at, slot, s)
	}
	return 0, false
}

// metadata are the keys or values of the graph.
func (r *rewriting) metadata(slot int) (flatbuffers.UOffsetT, bool) {
	keys, values := merge(r.meta, nil)
	old, _ := r.B.Strs(r.root, slot)
	list := keys
	if slot == flat.GraphValues {
		list = values
	}
	if slices.Equal(list, old) {
		return 0, false
	}
	if r.changed = true; len(list) == 0 {
		return 0, true
	}
	return flat.Put(r.Out, list), true
}

// variable returns the array of a variable of the outermost graph.
func (r *rewriting) variable(at int64) *data {
	if r.p != r.g {
		return nil
	}
	name, _ := r.B.Str(at, flat.VarName)
	return r.by[name]
}

// shape is the shape of a variable. SDNB stores it for all variables with an array, because ND4J finds no other for those after the graph; .fb only for
// placeholders.
func (r *rewriting) shape(at int64) (flatbuffers.UOffsetT, bool) {
	there := r.B.Slot(at, flat.VarShape) != 0
	dims, known, bytes := []int64(nil), false, int64(0)
	if a := r.variable(at); a != nil {
		dims, bytes, known = a.dims, a.bytes, true
	} else if x := r.B.Ref(at, flat.VarArray); x != 0 {
		a := r.p.array(r.B, x)
		dims, bytes, known = a.dims, a.total, a.dialect != ""
	}
	switch {
	case !known || r.bare != there || r.bare && r.B.Num(at, flat.VarKind, 1) == placeholder:
		return 0, false
	case r.bare:
		r.changed = true
		return 0, true
	case bytes == 0 && len(dims) == 0: // no shape means one element
		return 0, false
	}
	r.changed = true
	return flat.Put(r.Out, dims), true
}

// array is the FlatArray of a variable: its elements are in it, or after the graph.
func (r *rewriting) array(at int64) (flatbuffers.UOffsetT, bool) {
	a := r.variable(at)
	if a == nil {
		return r.converted(r.B.Ref(at, flat.VarArray))
	}
	if off, ok := r.blobs[a.name]; ok {
		r.changed = true
		return a.stub(off).Put(r.Out), true
	}
	var fields flat.Fields
	if old := r.stays(a); old != nil {
		fields = flat.Fields{flat.ArrShape: old.shape, flat.ArrType: int8(old.typ)}
		if old.hasOrder {
			fields[flat.ArrOrder] = int8(old.byteOrder)
		}
		r.changed = r.changed || len(old.chunks) > 0
	} else {
		r.changed = true
		fields = r.described(a)
	}
	if a.bytes > 0 {
		if r.hole == 0 {
			r.hole = r.Out.CreateByteVector(nil)
		}
		fields[flat.ArrBuffer] = r.hole
		r.behind = append(r.behind, a)
	}
	return fields.Put(r.Out), true
}

// stays is the FlatArray of an array in the graph itself that already has the required form, or nil.
func (r *rewriting) stays(a *data) *arr {
	if r.owned(a) {
		if old := r.p.array(r.B, a.record); r.kept(old) {
			return old
		}
	}
	return nil
}

// described is a FlatArray without elements.
func (r *rewriting) described(a *data) flat.Fields {
	if !r.bare {
		return a.described()
	}
	info := append(append([]int64{int64(len(a.dims))}, a.dims...), denseStrides(a.dims, a.order)...)
	extras := bitOf(a.typ)
	if a.bytes == 0 {
		extras |= emptyFlag
	}
	return flat.Fields{flat.ArrShape: append(info, extras, 1, int64(a.order)), flat.ArrType: int8(a.typ), flat.ArrOrder: int8(1)}
}

// converted writes an array of the graph in its new form; ok is false if it already has it, or its form is unknown.
func (r *rewriting) converted(at int64) (flatbuffers.UOffsetT, bool) {
	if at == 0 {
		return 0, false
	}
	a := r.p.array(r.B, at)
	if a.dialect == "" || r.kept(a) || a.stub || a.outside() {
		return 0, false
	}
	r.changed = true
	fields := r.described(&data{typ: a.typ, dims: a.dims, order: a.order, bytes: a.total})
	if a.total > 0 {
		raw := make([]byte, 0, a.total)
		for _, c := range a.pieces() {
			raw = append(raw, r.B[c[0]:c[0]+c[1]]...)
		}
		if t := types[a.typ]; t != nil && a.big() != r.bare {
			model.Swap(raw, int(t.width))
		}
		fields[flat.ArrBuffer] = raw
	}
	return fields.Put(r.Out), true
}

// arraysIn writes the arrays of a field in their new form: one, or a list.
func (r *rewriting) arraysIn(at int64, slot int, s *flat.Slot) (flatbuffers.UOffsetT, bool) {
	if r.B.Slot(at, slot) == 0 {
		return 0, false
	}
	if !s.Vec {
		return r.converted(r.B.Ref(at, slot))
	}
	var refs []flatbuffers.UOffsetT
	for _, x := range r.B.Tables(at, slot) {
		ref, ok := r.converted(x)
		if !ok {
			ref = r.Table(x, s.Table(), 1)
		}
		refs = append(refs, ref)
	}
	return flat.RefVector(r.Out, refs), true
}

// inside writes a graph inside the graph.
func (r *rewriting) inside(at int64) (flatbuffers.UOffsetT, bool) {
	from, n, ok := r.B.Vec(at, 1, 1)
	b := r.B[from : from+n]
	if !ok || !b.IsGraph(b.Root()) || r.p.depth >= flat.MaxDepth {
		return 0, false
	}
	x := r.p.scopeOf
	x.depth, x.nb, x.con, x.limit = x.depth+1, nil, nil, nil
	q := &placed{located: located{Map: flat.Open(b, "FlatGraph", nil)}, scopeOf: x, doc: r.p.doc}
	in := &rewriting{whole: r.whole, p: q, bare: r.bare, Copy: &flat.Copy{Map: q.Map, B: b}}
	in.Other = in.other
	out, err := in.Build(b.Root(), q.Root)
	if err != nil {
		r.Err = fmt.Errorf("a graph inside the graph: %w", err)
	}
	if !in.changed || err != nil {
		return 0, false
	}
	r.changed = true
	return r.Out.CreateByteVector(out), true
}
