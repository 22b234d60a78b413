package parsers

import (
	"fmt"
	"slices"

	flatbuffers "github.com/google/flatbuffers/go"

	"spandrel/model"
)

// structure returns the graph of shard 0, of a set of files or of the members of an archive, and how many shards there should be;
// nil when the document is no set.
func (d *sdDoc) structure() (g *sdPlaced, count int64) {
	if n := sdShardName(d.file); n != nil && n.index == 0 && len(d.graphs) == 1 {
		return d.graphs[0], n.count
	}
	for _, p := range d.graphs {
		if p.nb == nil {
			continue
		}
		if n := sdShardName(p.nb.member); n != nil && n.index == 0 {
			return p, n.count
		}
	}
	return nil, 0
}

func sdOnMerge(t *model.Tree, s *model.Span) bool {
	d := sdMain(t)
	g, count := d.structure()
	return g != nil && count > 1 || d.zip != nil && slices.ContainsFunc(d.zip.members, func(m *sdMember) bool { // deflated ones are not read yet
		n := sdShardName(m.name)
		return n != nil && n.index == 0 && n.count > 1
	})
}

// sdMergeShards writes loadSharded followed by save (section 5.6): the graph of shard 0 and the arrays of all others in one container.
func sdMergeShards(ctx sdCtx, t *model.Tree, _ *model.Span, args map[string]string) ([]model.Edit, error) {
	d := sdMain(t)
	if err := d.st.openAll(ctx, t); err != nil {
		return nil, err
	}
	if err := sdRefuse(t); err != nil {
		return nil, err
	}
	g, count := d.structure()
	if g == nil {
		return nil, fmt.Errorf("there is no shard 0")
	}
	have := int64(len(d.st.snapshot()))
	if d.zip != nil {
		have = int64(len(d.nbs))
	}
	if have != count {
		return nil, fmt.Errorf("%d of %d shards are there", have, count)
	}
	external, err := g.outsides(ctx, t)
	if err != nil {
		return nil, err
	}
	m := d.metadataMap(ctx, t)
	if g.nb != nil {
		m, _ = g.metadataMap(ctx, t)
	}
	delete(m, "shard.index")
	delete(m, "shard.type")
	list, _ := d.st.arrays(ctx, t)
	list = slices.DeleteFunc(list, func(a *sdData) bool { return a.where == "inline" && a.graph == g })
	x := &sdBoxed{ctx: ctx}
	if err := x.metadata(m); err != nil {
		return nil, err
	}
	graph, err := g.joined(ctx, t, external)
	if err == nil {
		err = x.record(sdGraphs, 0, graph)
	}
	if err == nil && len(list) > 0 {
		err = x.arrays(t, list)
	}
	if err != nil {
		return nil, err
	}
	return sdCreate(x, args["name"], sdBase(d.file)+".sdc")
}

// joined returns the graph of a set with what the shards of weights have of it beside arrays: the updater state (section 1.4.6). It
// is the graph byte for byte when they have none.
func (p *sdPlaced) joined(ctx sdCtx, t *model.Tree, external []*sdData) (model.Source, error) {
	var others []*sdCopy
	for _, d := range p.doc.st.snapshot() {
		for _, q := range d.graphs {
			if q == p {
				continue
			}
			b, err := t.Bytes(ctx, q.span.Range)
			if err != nil {
				return nil, err
			}
			if _, n, _ := sdBuf(b).vec(q.graphAt(b), sdGraphUpdater, 4); n == 0 {
				continue
			}
			if err := q.copyable(); err != nil {
				return nil, fmt.Errorf("%s: %w", d.file, err)
			}
			others = append(others, &sdCopy{sdPlaced: q, b: b})
		}
	}
	if len(others) == 0 && len(external) == 0 {
		r := p.span.Range
		r.Len = p.extent
		return sdSource(ctx, t, r, 1)
	}
	return p.stripped(ctx, t, external, func(c *sdCopy, graph int64) flatbuffers.UOffsetT {
		slot := &c.tables["FlatGraph"].slots[sdGraphUpdater]
		refs := c.elements(c.b.ref(graph, sdGraphUpdater), slot, 0)
		for _, o := range others {
			o.out, o.made, o.sizes = c.out, map[int64]flatbuffers.UOffsetT{}, c.sizes
			refs = append(refs, o.elements(o.b.ref(o.graphAt(o.b), sdGraphUpdater), slot, 0)...)
			if c.err == nil {
				c.err = o.err
			}
		}
		return sdRefs(c.out, refs)
	})
}
