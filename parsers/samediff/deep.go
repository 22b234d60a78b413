package samediff

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// deep runs the checks that read everything.
func deep(ctx context.Context, t *model.Tree, p *model.Probe) error {
	st, ok := t.State.(*state)
	if !ok {
		return nil
	}
	p.Progress(0, 4, "opening sections")
	if err := st.openAll(ctx, t); err != nil {
		return err
	}
	set := &set{ctx: ctx, t: t, p: p, st: st, have: map[string][]has{}, kind: map[string]int64{}}
	set.shards = slices.ContainsFunc(st.docs, func(d *doc) bool { return shardName(d.file) != nil || len(d.nbs) > 1 })
	p.Progress(1, 4, "archives")
	for _, d := range st.docs {
		set.file(d)
	}
	p.Progress(3, 4, "arrays")
	set.blobs()
	if ctx.Err() == nil {
		set.finish()
	}
	return ctx.Err()
}

// file checks the members of an archive, and the buffers of a file.
func (s *set) file(d *doc) {
	if d.zip != nil && d.family == familyZipped {
		d.zip.Sums(s.ctx, s.t, s.p, memberChecksum)
	}
	for i := 0; i < len(d.flats) && s.ctx.Err() == nil; i++ {
		s.p.Progress(2, 4, fmt.Sprintf("graph %d of %d", i+1, len(d.flats)))
		d.flats[i].view(s.ctx, s.t, func(b flat.Buffer) error { return s.flat(d, d.flats[i], b) })
	}
}

// has is where the data of an array was found.
type has struct {
	doc    *doc
	where  string
	inline bool
	span   *model.Span
	nb     *native // for a member of an archive
}

// in names the file, or the member of an archive.
func (h *has) in() string {
	if h.nb != nil && h.nb.member != "" {
		return h.nb.member
	}
	return h.doc.file
}

// need is a variable that must have data.
type need struct {
	doc  *doc
	name string
	place
}

// place is a span and bytes in it.
type place struct {
	span *model.Span
	at   model.Range
}

// set is all files of a document together.
type set struct {
	ctx    context.Context
	t      *model.Tree
	p      *model.Probe
	st     *state
	shards bool             // a file is a shard, or an archive has several models
	have   map[string][]has // arrays with data, by name
	need   []need
	kind   map[string]int64 // VarType of the variables of any graph, by name
	graphs int
}

// flat checks one buffer and notes which arrays it contains and needs.
func (s *set) flat(d *doc, f *placed, b flat.Buffer) error {
	k := &checker{modelView: f.open(b), t: s.t, ctx: s.ctx, p: s.p, made: map[*model.Rule]int{}}
	if f.Root.Name == "FlatGraph" || f.Root.Name == "ModelContainer" {
		(&graphChecker{checker: k}).content()
		s.graph(k, d)
	}
	if f.Root.Name == "ArraysSection" {
		s.index(k, d)
	} else if f.owner != "" {
		s.add(f.owner, has{doc: d, where: "ARRAYS", span: f.span})
	}
	if f.Gen == "S0" {
		return nil
	}
	return k.arrays()
}

// graph notes the variables of a graph and those whose data is in it.
func (s *set) graph(k *checker, d *doc) {
	if k.placed.depth == 0 {
		s.graphs++
	}
	manifest := map[string]*appended{}
	unread := k.placed.nb != nil && (k.placed.nb.manifest == nil || k.placed.nb.manifest.Err != nil) // nothing is known about appended arrays
	if k.placed.depth == 0 {
		manifest = k.placed.nb.byName()
	}
	places := map[int64]place{} // many variables may be one table
	for i := range k.vars {
		x := &k.vars[i]
		if k.placed.depth == 0 {
			s.kind[x.name] = x.kind
		}
		if !k.placed.Late() || x.name == "" {
			continue
		}
		here, ok := places[x.at]
		if !ok {
			here.span, here.at = k.placed.at(x.at, 4)
			places[x.at] = here
		}
		s.variable(k, x, need{d, x.name, here}, manifest[x.name], unread)
	}
	if k.placed.depth == 0 {
		s.manifest(k, manifest)
		s.compare(k, d)
	}
}

// variable notes where a variable of a graph has its data: after the graph, according to a manifest entry, or in the graph; unread means that the
// manifest is unknown.
func (s *set) variable(k *checker, x *variable, n need, entry *appended, unread bool) {
	a := &arr{}
	if x.array != 0 {
		a = k.placed.array(k.b, x.array)
	}
	inline, outermost := len(a.pieces()) > 0, k.placed.depth == 0
	if entry != nil {
		s.appended(k, x, a, entry, inline)
		if entry.blob.bad {
			s.need = append(s.need, n)
		} else if outermost && entry.Length > 0 {
			s.add(x.name, has{doc: n.doc, where: "the manifest", span: entry.span, nb: k.placed.nb})
		}
		return
	}
	dims, known := k.dimsOf(x)
	count, fits := product(dims)
	switch {
	case inline && outermost:
		s.add(x.name, has{doc: n.doc, where: "the graph", inline: true, span: n.span, nb: k.placed.nb})
	case inline, a.empty() && x.array != 0, known && fits && count == 0:
	case a.external || len(a.files) > 0:
		s.external(k, n.doc, x, a)
	case x.kind != varVariable && x.kind != varConstant, unread:
	case outermost:
		s.need = append(s.need, n)
	default:
		k.report(arrayMissing, part{x.at, 4}, x.name, nil, saying("%s has no data in its graph", x.name))
	}
}

func (s *set) add(name string, h has) { s.have[name] = append(s.have[name], h) }

// compare compares the keys of the graph with METADATA (SDF-040), and those of a shard in SDNB with the name of its file.
func (s *set) compare(k *checker, d *doc) {
	name := shardName(d.file)
	nb := k.placed.nb
	if nb != nil && nb.member != "" {
		name = shardName(nb.member)
	}
	keys, values := k.placed.metadata(k.b)
	for i, key := range keys[:min(len(keys), len(values))] {
		if d.con != nil && d.con.meta != nil && d.con.meta.variant != opaque && key != "nd4j.format.type" {
			k.compareKey(d.con, key, values[i])
		}
		if nb != nil && name != nil {
			k.compareShard(name, key, values[i])
		}
	}
}

// compareKey compares a key of the graph with that of METADATA.
func (k *checker) compareKey(con *container, key, value string) {
	v, ok := con.meta.get(key)
	if ok && v == value {
		return
	}
	at := k.where(k.graph, flat.GraphKeys, 4)
	span, r := k.placed.at(at.at, at.n)
	k.p.Wrong(metadataDiffers, model.Spot{Span: span, Range: r}, brief(value)+" in the graph", brief(v)+" in METADATA",
		of(key, metadataDiffers), model.Beside(con.meta.span), model.About(keyIn{con, k.placed, key, value}))
}

// compareShard compares a key of the graph with what the name of the shard says.
func (k *checker) compareShard(name *shard, key, value string) {
	at := k.where(k.graph, flat.GraphValues, 4)
	switch want := fmt.Sprint(name.index); {
	case key == "shard.index" && value != want:
		k.report(shardNumber, at, "number "+value, "number "+want+", as the file name says", model.About(k.key(key, want, false)))
	case key == "shard.type" && value != name.part():
		k.report(shardType, at, value, name.part(), model.About(k.key(key, name.part(), true)))
	}
}

// finish reports what only all files together show (SDF-046 to SDF-048, 108).
func (s *set) finish() {
	for _, name := range slices.Sorted(maps.Keys(s.have)) {
		s.twice(name, s.have[name])
	}
	if s.incomplete() {
		return
	}
	for _, n := range s.need {
		if len(s.have[n.name]) == 0 {
			s.p.Wrong(arrayMissing, model.Spot{Span: n.span, Range: n.at}, brief(n.name), nil, of(n.name, arrayMissing))
		}
	}
}

// twice reports an array stored in several places. Twice in one place is reported there.
func (s *set) twice(name string, list []has) {
	first := list[0]
	for i, h := range list[1:] {
		if first.in() == h.in() && first.inline == h.inline {
			continue
		}
		rule := arrayInTwo
		if first.in() == h.in() {
			rule = arrayInBoth
		}
		s.p.Wrong(rule, h.span, brief(name), nil, model.Beside(first.span),
			saying("the array %s is in %s of %s and in %s of %s", name, first.where, first.in(), h.where, h.in()))
		if i > 8 {
			break
		}
	}
}

// incomplete tells whether shards are missing: then nothing can be said about their content.
func (s *set) incomplete() bool {
	if !s.shards {
		return false
	}
	if s.st.unread > 0 {
		return true
	}
	d := s.st.docs[0]
	if d.zip != nil {
		_, count := d.structure()
		return int64(len(d.nbs)) < count
	}
	n := shardName(d.file)
	return n != nil && (int64(len(s.st.docs)) < n.count || n.leftover)
}
