package samediff

import (
	"context"
	"fmt"
	"slices"

	flatbuffers "github.com/google/flatbuffers/go"

	"spandrel/model"
	"spandrel/parsers/internal/zipfile"
	"spandrel/parsers/samediff/flat"
)

func onMerge(t *model.Tree, s *model.Span) bool {
	d := main(t)
	g, count := d.structure()
	return g != nil && count > 1 || d.zip != nil && slices.ContainsFunc(d.zip.Members,
		func(m *zipfile.Member) bool { // deflated ones are not read yet
			n := shardName(m.Name)
			return n != nil && n.index == 0 && n.count > 1
		})
}

// mergeShards writes loadSharded followed by save (section 5.6): the graph of shard 0 and the arrays of all others in one container.
func mergeShards(ctx context.Context, t *model.Tree, _ *model.Span, args map[string]string) ([]model.Edit, error) {
	d := main(t)
	if err := d.st.openAll(ctx, t); err != nil {
		return nil, err
	}
	if err := refuse(t); err != nil {
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
	list = slices.DeleteFunc(list, func(a *data) bool { return a.where == "inline" && a.graph == g })
	x := &boxed{ctx: ctx}
	if err := x.metadata(m); err != nil {
		return nil, err
	}
	graph, err := leaner{g}.joined(ctx, t, external)
	if err == nil {
		err = x.record(graphs, 0, graph)
	}
	if err == nil && len(list) > 0 {
		err = x.arrays(t, list)
	}
	if err != nil {
		return nil, err
	}
	return create(x, args["name"], baseName(d.file)+".sdc")
}

// joined returns the graph of a set with what the shards of weights have of it beside arrays: the updater state (section 1.4.6). It
// is the graph byte for byte when they have none.
func (p leaner) joined(ctx context.Context, t *model.Tree, external []*data) (model.Source, error) {
	var others []*flat.Copy
	for _, d := range p.doc.st.snapshot() {
		for _, q := range d.graphs {
			if q == p.placed {
				continue
			}
			b, err := t.Bytes(ctx, q.span.Range)
			if err != nil {
				return nil, err
			}
			if _, n, _ := flat.Buffer(b).Vec(q.GraphAt(b), flat.GraphUpdater, 4); n == 0 {
				continue
			}
			if err := q.Copyable(); err != nil {
				return nil, fmt.Errorf("%s: %w", d.file, err)
			}
			others = append(others, &flat.Copy{Map: q.Map, B: b})
		}
	}
	if len(others) == 0 && len(external) == 0 {
		r := p.span.Range
		r.Len = p.Extent
		return source(ctx, t, r, 1)
	}
	return p.stripped(ctx, t, external, func(c *flat.Copy, graph int64) flatbuffers.UOffsetT {
		slot := &c.Types["FlatGraph"].Slots[flat.GraphUpdater]
		refs := c.Elements(c.B.Ref(graph, flat.GraphUpdater), slot, 0)
		for _, o := range others {
			o.Out, o.Made, o.Sizes = c.Out, map[int64]flatbuffers.UOffsetT{}, c.Sizes
			refs = append(refs, o.Elements(o.B.Ref(o.GraphAt(o.B), flat.GraphUpdater), slot, 0)...)
			if c.Err == nil {
				c.Err = o.Err
			}
		}
		return flat.RefVector(c.Out, refs)
	})
}
