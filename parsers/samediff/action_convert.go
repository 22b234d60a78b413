package samediff

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	flatbuffers "github.com/google/flatbuffers/go"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// unreadable are the rules that make an array unreadable.
var unreadable = setOf(rootLost, tableNoShape, tableBadShape, slotOutside, fieldOverlap, offsetOutside, vectorTooLong, textTooLong,
	textNotUTF8, claimedTwice,
	nestsTooDeep, graphTooLarge, shapeUnclear, shapeImpossible, arrayLength, orderLetter, typeUndecodable, badByteOrder,
	entryOutside, entryOverlap, entryUnknown,
	inlineAndEntry, entryLength)

func setOf(list ...*model.Rule) map[*model.Rule]bool {
	out := map[*model.Rule]bool{}
	for _, r := range list {
		out[r] = true
	}
	return out
}

// refuse is an error if a model cannot be changed: the first finding that must be repaired before.
func refuse(found []model.Finding, such func(f *model.Finding) bool) error {
	if i := slices.IndexFunc(found, func(f model.Finding) bool { return such(&f) }); i >= 0 {
		return fmt.Errorf("%s at %s: repair it first", found[i].Text(), found[i].Path())
	}
	return nil
}

// illegible tells that an array cannot be read.
func illegible(f *model.Finding) bool { return f.Grade() == model.Error && unreadable[f.Rule] }

// single tells whether the document has one graph, as far as it has been read: compressed sections and members are read on
// demand.
func (d *doc) single() bool {
	return len(d.graphs) == 1 || len(d.graphs) == 0 && (d.con != nil || d.zip != nil && d.family == familyZipped)
}

// theGraph reads what has not been read yet, and returns the only graph.
func (d *doc) theGraph(ctx context.Context, t *model.Tree) (*placed, error) {
	if err := d.st.openAll(ctx, t); err != nil {
		return nil, err
	}
	if len(d.graphs) != 1 {
		return nil, fmt.Errorf("%d graphs, where one is needed", len(d.graphs))
	}
	found, _ := t.Findings()
	return d.graphs[0], refuse(found, illegible)
}

// leaving returns the arrays that go into an ARRAYS section, in order: those outside the graph, and those in the graph of at least so
// many bytes, or all. Texts stay there.
func (w *whole) leaving(least string) ([]*data, error) {
	limit := int64(math.MaxInt64)
	switch least {
	case "":
	case "all":
		limit = 1
	default:
		n, err := strconv.ParseInt(least, 10, 64)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("the size from which arrays are moved must be a number of bytes, or all; not %q", least)
		}
		limit = n
	}
	list := slices.Clone(w.arrays)
	list = slices.DeleteFunc(list, func(a *data) bool { return w.owned(a) && (types[a.typ] == nil || a.bytes < limit) })
	slices.SortStableFunc(list, func(a, b *data) int { return cmp.Compare(a.start(), b.start()) })
	return list, nil
}

// container writes the model as a container (section 5.6). The graph is unchanged, unless arrays of it are moved, or shards have
// updater state to be merged into it; arrays outside of it become one ARRAYS section.
func (w *whole) container(args map[string]string) (model.Source, error) {
	if !w.set {
		h := sha256.New()
		if err := w.t.Stream(w.ctx, w.t.Root.Range, 1<<20, func(_ int64, b []byte) error { h.Write(b); return nil }); err != nil {
			return nil, err
		}
		w.meta["converted.from"] = strings.TrimSpace(w.g.doc.family + " " + w.g.Gen)
		w.meta["converted.sha256"] = hex.EncodeToString(h.Sum(nil))
	}
	moved, err := w.leaving(args["arrays"])
	if err != nil {
		return nil, err
	}
	var graph model.Source
	verbatim := len(w.more) == 0 && w.g.Root.Name == "FlatGraph" &&
		!slices.ContainsFunc(moved, func(a *data) bool { return w.owned(a) || a.where == "external" })
	if verbatim {
		graph, err = w.withStubs(moved)
	}
	if !verbatim || err != nil { // a stub has no room for an offset
		graph, err = w.stripped(moved)
	}
	if err != nil {
		return nil, err
	}
	x := &boxed{ctx: w.ctx, t: w.t}
	x.metadata(w.meta)
	x.record(graphs, 0, graph)
	x.arrays(moved)
	return x.file()
}

// withStubs returns the bytes of the graph, with stubs for the places of arrays in an ARRAYS section of their own.
func (w *whole) withStubs(moved []*data) (model.Source, error) {
	r := w.g.span.Range
	r.Len = w.g.Extent
	if len(moved) == 0 {
		return w.t.Slice(w.ctx, r), nil
	}
	at := places(moved, 64)
	b, err := w.t.Bytes(w.ctx, r)
	if err != nil {
		return nil, err
	}
	v := w.g.open(b)
	for i := range v.vars {
		x := &v.vars[i]
		off, ok := at[x.name]
		if !ok || x.array == 0 {
			continue
		}
		pos := v.b.Slot(x.array, flat.ArrAppendedOffset)
		switch {
		case pos != 0:
			copy(b[pos:], appendInt(nil, off, 8))
		case off != 0:
			return nil, fmt.Errorf("%s: the stub has no room for an offset", x.name)
		}
	}
	return model.Memory(b), nil
}

func onSplit(t *model.Tree, s *model.Span) bool {
	d := main(t)
	return d.single() && (len(d.graphs) == 0 || d.graphs[0].Late()) && shardName(d.file) == nil
}

// split writes a set of shards as saveSharded does (section 5.6).
func split(ctx context.Context, t *model.Tree, _ *model.Span, args map[string]string) ([]model.Edit, error) {
	w, err := readWhole(ctx, t)
	if err != nil {
		return nil, err
	}
	n := 0
	if _, err := fmt.Sscan(args["count"], &n); err != nil || n < 2 {
		return nil, fmt.Errorf("a set has at least 2 files, not %q", args["count"])
	}
	list := slices.DeleteFunc(slices.Clone(w.arrays), func(a *data) bool { return w.owned(a) && (types[a.typ] == nil || a.bytes == 0) })
	n = min(n, len(list)+1)
	if n < 2 {
		return nil, fmt.Errorf("there are no arrays to split over files")
	}
	graph, err := w.stripped(list)
	if err != nil {
		return nil, err
	}
	base := baseName(main(t).file)
	var edits []model.Edit
	for i, part := range slices.Backward(spread(list, n)) { // write shard 0 last: without it there is no set
		s := shard{index: int64(i), count: int64(n), base: base}
		s.kind = s.part()
		f, err := w.shardFile(s, graph, part)
		if err != nil {
			return nil, err
		}
		edits = append(edits, model.FileEdit{File: fmt.Sprintf("%s.shard%d-of-%d.sdc", base, i, n), Create: f})
	}
	return edits, nil
}

// shardFile is a file of a set: the first has the graph, and the metadata of the model, the others have arrays.
func (w *whole) shardFile(s shard, graph model.Source, list []*data) (model.Source, error) {
	m := map[string]string{}
	if s.index == 0 {
		m = w.meta
	}
	m["shard.index"], m["shard.type"] = fmt.Sprint(s.index), s.kind
	x := &boxed{ctx: w.ctx, t: w.t}
	x.metadata(m)
	if s.index == 0 {
		x.record(graphs, 0, graph)
	}
	x.arrays(list)
	x.record(shardInfo, 0, model.Memory(flatShardInfo(s)))
	return x.file()
}

// spread distributes arrays over all shards of n but the first, the largest first, each to the one with the least data.
func spread(list []*data, n int) [][]*data {
	slices.SortStableFunc(list, func(a, b *data) int { return cmp.Or(cmp.Compare(b.bytes, a.bytes), cmp.Compare(a.name, b.name)) })
	shards, fill := make([][]*data, n), make([]int64, n)
	for _, a := range list {
		to := 1 + slices.Index(fill[1:], slices.Min(fill[1:]))
		shards[to] = append(shards[to], a)
		fill[to] += a.bytes
	}
	return shards
}

// stripped rewrites the graph with stubs in place of arrays, and with the updater state in the graphs of other shards.
func (w *whole) stripped(moved []*data) (out model.Source, err error) {
	err = w.g.view(w.ctx, w.t, func(b flat.Buffer) error {
		c, v := &flat.Copy{Map: w.g.Map, B: b}, w.g.open(b)
		for _, a := range moved {
			if i, ok := v.byName[a.name]; ok {
				c.Set(v.vars[i].at, flat.VarArray, a.stub(-1))
			}
		}
		if len(w.more) > 0 {
			c.Other = func(tab *flat.Table, at int64, slot int) (flatbuffers.UOffsetT, bool) {
				if tab.Name != "FlatGraph" || slot != flat.GraphUpdater {
					return 0, false
				}
				return w.joined(c, at, nil), true
			}
		}
		buf, err := c.Build(v.graph, w.g.Types["FlatGraph"])
		out = model.Memory(buf)
		return err
	})
	return out, err
}

// joined writes the updater state of the graph followed by that of other shards (section 1.4.6). other, if not nil, is called with
// each copy before it is made.
func (w *whole) joined(c *flat.Copy, graph int64, other func(q *placed, o *flat.Copy)) flatbuffers.UOffsetT {
	slot := &c.Map.Types["FlatGraph"].Slots[flat.GraphUpdater]
	refs := c.Elements(c.B.Ref(graph, flat.GraphUpdater), slot, 0)
	for _, q := range w.more {
		err := q.view(w.ctx, w.t, func(b flat.Buffer) error {
			o := &flat.Copy{Map: q.Map, B: b, Out: c.Out, Made: map[int64]flatbuffers.UOffsetT{}, Sizes: c.Sizes}
			if other != nil {
				other(q, o)
			}
			refs = append(refs, o.Elements(b.Ref(q.GraphAt(b), flat.GraphUpdater), slot, 0)...)
			return o.Err
		})
		if c.Err == nil {
			c.Err = err
		}
	}
	return flat.RefVector(c.Out, refs)
}
