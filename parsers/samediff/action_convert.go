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

// unreadable are the rules after whose errors an array cannot be read.
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

// refuse tells why a model cannot be converted: an array of it cannot be read.
func refuse(t *model.Tree) error {
	found, _ := t.Findings()
	for _, f := range found {
		if f.Grade() == model.Error && unreadable[f.Rule] {
			return fmt.Errorf("%s at %s: repair it first", f.Text(), f.Path())
		}
	}
	return nil
}

func onWrap(t *model.Tree, s *model.Span) bool {
	d := main(t)
	return d.con == nil && d.single()
}

// single tells whether the document has one graph, as far as it has been read: compressed sections and members are read when they are
// asked for.
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
	return d.graphs[0], refuse(t)
}

// leaving returns the arrays that go into an ARRAYS section, those in front first: what is outside of the graph, and, in mode split,
// those of at least so many bytes, or all, in the graph. Texts stay there.
func (d *doc) leaving(ctx context.Context, t *model.Tree, least string) ([]*data, error) {
	limit := int64(math.MaxInt64)
	switch least {
	case "":
	case "all":
		limit = 1
	default:
		n, err := strconv.ParseInt(least, 10, 64)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("arrays are moved from a number of bytes, or all; not %q", least)
		}
		limit = n
	}
	list, _ := d.st.arrays(ctx, t)
	list = slices.DeleteFunc(list, func(a *data) bool { return a.where == "inline" && (types[a.typ] == nil || a.bytes < limit) })
	slices.SortStableFunc(list, func(a, b *data) int { return cmp.Compare(a.start(), b.start()) })
	return list, nil
}

// wrap writes convertLegacyToContainer (section 5.6). In mode wrap the old graph stays byte for byte, and arrays behind an SDNB graph
// become one ARRAYS section; in mode split arrays of the graph join them.
func wrap(ctx context.Context, t *model.Tree, _ *model.Span, args map[string]string) ([]model.Edit, error) {
	d := main(t)
	g, err := d.theGraph(ctx, t)
	if err != nil {
		return nil, err
	}
	external, err := g.outsides(ctx, t)
	if err != nil {
		return nil, err
	}
	m := d.metadataMap(ctx, t)
	h := sha256.New()
	if err := t.Stream(ctx, t.Root.Range, 1<<20, func(_ int64, b []byte) error { h.Write(b); return nil }); err != nil {
		return nil, err
	}
	m["converted.from"], m["converted.sha256"] = strings.TrimSpace(d.family+" "+g.Gen), hex.EncodeToString(h.Sum(nil))
	x := &boxed{ctx: ctx}
	if err := x.metadata(m); err != nil {
		return nil, err
	}
	moved, err := d.leaving(ctx, t, args["arrays"])
	if err != nil {
		return nil, err
	}
	verbatim := len(external) == 0 && !slices.ContainsFunc(moved, func(a *data) bool { return a.where == "inline" })
	var graph model.Source
	if verbatim {
		graph, err = leaner{g}.withStubs(ctx, t, moved)
	}
	if !verbatim || err != nil { // a stub has no room for an offset
		graph, err = leaner{g}.stripped(ctx, t, moved, nil)
	}
	if err != nil {
		return nil, err
	}
	if err := x.record(graphs, 0, graph); err != nil {
		return nil, err
	}
	if len(moved) > 0 {
		if err := x.arrays(t, moved); err != nil {
			return nil, err
		}
	}
	return create(x, args["name"], baseName(d.file)+".sdc")
}

// create is the edit that writes a container to a new file.
func create(x *boxed, name, usual string) ([]model.Edit, error) {
	if name == "" {
		name = usual
	}
	f, err := x.file()
	return []model.Edit{model.FileEdit{File: name, Create: f}}, err
}

// leaner writes a graph again without the data of its arrays.
type leaner struct{ *placed }

// withStubs returns the bytes of a graph whose stubs give the places that arrays get in an ARRAYS section of their own.
func (p leaner) withStubs(ctx context.Context, t *model.Tree, moved []*data) (model.Source, error) {
	r := p.span.Range
	r.Len = p.Extent
	if len(moved) == 0 {
		return source(ctx, t, r, 1)
	}
	at := map[string]int64{}
	end := int64(0)
	for _, a := range moved {
		end = (end + 63) &^ 63
		at[a.name] = end
		end += a.bytes
	}
	b, err := t.Bytes(ctx, r)
	if err != nil {
		return nil, err
	}
	v := p.open(b)
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

// split writes saveSharded (section 5.6).
func split(ctx context.Context, t *model.Tree, _ *model.Span, args map[string]string) ([]model.Edit, error) {
	d := main(t)
	g, err := d.theGraph(ctx, t)
	if err != nil {
		return nil, err
	}
	if _, err := g.outsides(ctx, t); err != nil {
		return nil, err
	}
	n := 0
	if _, err := fmt.Sscan(args["count"], &n); err != nil || n < 2 {
		return nil, fmt.Errorf("a set has at least 2 files, not %q", args["count"])
	}
	list, _ := d.st.arrays(ctx, t)
	list = slices.DeleteFunc(list, func(a *data) bool { return a.where == "inline" && (types[a.typ] == nil || a.bytes == 0) })
	n = min(n, len(list)+1)
	if n < 2 {
		return nil, fmt.Errorf("there are no arrays to spread over files")
	}
	graph, err := leaner{g}.stripped(ctx, t, list, nil)
	if err != nil {
		return nil, err
	}
	own := d.metadataMap(ctx, t)
	own["shard.index"], own["shard.type"] = "0", "graph"
	var edits []model.Edit
	for i, part := range slices.Backward(spread(list, n)) { // shard 0 last of all: it makes the set
		x := &boxed{ctx: ctx}
		m := own
		if i > 0 {
			m = map[string]string{"shard.index": fmt.Sprint(i), "shard.type": "weights"}
		}
		err := x.metadata(m)
		switch {
		case err != nil:
		case i == 0:
			err = x.record(graphs, 0, graph)
		default:
			err = x.arrays(t, part)
		}
		s := shard{index: int64(i), count: int64(n), kind: m["shard.type"], base: baseName(d.file)}
		if err == nil {
			err = x.record(shardInfo, 0, model.Memory(flatShardInfo(s)))
		}
		if err != nil {
			return nil, err
		}
		e, err := create(x, "", fmt.Sprintf("%s.shard%d-of-%d.sdc", s.base, i, n))
		if err != nil {
			return nil, err
		}
		edits = append(edits, e...)
	}
	return edits, nil
}

// spread divides arrays over all shards of n but the first, the largest first, each to the one that holds least.
func spread(list []*data, n int) [][]*data {
	slices.SortStableFunc(list, func(a, b *data) int { return cmp.Or(cmp.Compare(b.bytes, a.bytes), cmp.Compare(a.name, b.name)) })
	shards, fill := make([][]*data, n), make([]int64, n)
	for _, a := range list {
		to := 1
		for i := 2; i < n; i++ {
			if fill[i] < fill[to] {
				to = i
			}
		}
		shards[to] = append(shards[to], a)
		fill[to] += a.bytes
	}
	return shards
}

// stripped writes a graph anew with stubs in place of arrays. updater, if not nil, writes its updater state.
func (p leaner) stripped(ctx context.Context, t *model.Tree, moved []*data,
	updater func(c *flat.Copy, graph int64) flatbuffers.UOffsetT) (out model.Source, err error) {
	by := map[string]*data{}
	for _, a := range moved {
		by[a.name] = a
	}
	err = p.view(ctx, t, func(b flat.Buffer) error {
		c := &flat.Copy{Map: p.Map, B: b}
		c.Other = func(tab *flat.Table, at int64, slot int) (flatbuffers.UOffsetT, bool) {
			switch {
			case tab.Name == "FlatVariable" && slot == flat.VarArray:
				name, _ := b.Str(at, flat.VarName)
				if a := by[name]; a != nil {
					return a.stub(-1).Put(c.Out), true
				}
			case tab.Name == "FlatGraph" && slot == flat.GraphUpdater && updater != nil:
				return updater(c, at), true
			}
			return 0, false
		}
		buf, err := c.Build(p.GraphAt(b), p.Types["FlatGraph"])
		out = model.Memory(buf)
		return err
	})
	return out, err
}
