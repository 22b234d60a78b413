package parsers

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"

	flatbuffers "github.com/google/flatbuffers/go"

	"spandrel/model"
)

// metadataMap returns the keys of a container, or of a graph.
func (d *sdDoc) metadataMap(ctx sdCtx, t *model.Tree) map[string]string {
	if d.con != nil && d.con.meta != nil || len(d.graphs) == 0 {
		return d.con.metadataMap()
	}
	m, _ := d.graphs[0].metadataMap(ctx, t)
	return m
}

func (k *sdContainer) metadataMap() map[string]string {
	m := map[string]string{}
	if k != nil && k.meta != nil {
		for _, e := range k.meta.entries {
			m[e.key] = e.value
		}
	}
	return m
}

// metadataMap returns the keys of a graph, and whether each has a value.
func (p *sdPlaced) metadataMap(ctx sdCtx, t *model.Tree) (m map[string]string, whole bool) {
	m = map[string]string{}
	err := p.view(ctx, t, func(b sdBuf) error {
		keys, values := p.metadata(b)
		whole = len(keys) == len(values)
		for i := range min(len(keys), len(values)) {
			m[keys[i]] = values[i]
		}
		return nil
	})
	return m, whole && err == nil
}

// sdRefuse tells why a model cannot be converted: an array of it cannot be read.
func sdRefuse(t *model.Tree) error {
	found, _ := t.Findings()
	for _, f := range found {
		if id := f.Rule.ID; f.Grade() == model.Error && (id >= "SDF-120" && id < "SDF-138" || id >= "SDF-170" && id < "SDF-179" || id >= "SDF-059" && id < "SDF-065") {
			return fmt.Errorf("%s at %s: repair it first", id, f.Path())
		}
	}
	return nil
}

// sdBase is the name of a file without its extension, and without what makes it a shard.
func sdBase(name string) string {
	if s := sdShardName(name); s != nil {
		return s.base
	}
	name = path.Base(name)
	return strings.TrimSuffix(name, path.Ext(name))
}

func sdOnWrap(t *model.Tree, s *model.Span) bool {
	d := sdMain(t)
	return d.con == nil && d.single()
}

// single tells whether the document has one graph, as far as it has been read: compressed sections and members are read when they are
// asked for.
func (d *sdDoc) single() bool {
	return len(d.graphs) == 1 || len(d.graphs) == 0 && (d.con != nil || d.zip != nil && d.family == sdZipped)
}

// theGraph reads what has not been read yet, and returns the only graph.
func (d *sdDoc) theGraph(ctx sdCtx, t *model.Tree) (*sdPlaced, error) {
	if err := d.st.openAll(ctx, t); err != nil {
		return nil, err
	}
	if len(d.graphs) != 1 {
		return nil, fmt.Errorf("%d graphs, where one is needed", len(d.graphs))
	}
	return d.graphs[0], sdRefuse(t)
}

// leaving returns the arrays that go into an ARRAYS section, those in front first: what is outside of the graph, and, in mode split,
// those of at least so many bytes, or all, in the graph. Texts stay there.
func (d *sdDoc) leaving(ctx sdCtx, t *model.Tree, least string) ([]*sdData, error) {
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
	list = slices.DeleteFunc(list, func(a *sdData) bool { return a.where == "inline" && (sdTypes[a.typ] == nil || a.bytes < limit) })
	slices.SortStableFunc(list, func(a, b *sdData) int { return cmp.Compare(a.start(), b.start()) })
	return list, nil
}

// start is where the bytes of an array are; 0 when it has none.
func (a *sdData) start() int64 {
	if len(a.at) == 0 {
		return 0
	}
	return a.at[0].Off
}

// sdWrap writes convertLegacyToContainer (section 5.6). In mode wrap the old graph stays byte for byte, and arrays behind an SDNB graph
// become one ARRAYS section; in mode split arrays of the graph join them.
func sdWrap(ctx sdCtx, t *model.Tree, _ *model.Span, args map[string]string) ([]model.Edit, error) {
	d := sdMain(t)
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
	m["converted.from"], m["converted.sha256"] = strings.TrimSpace(d.family+" "+g.gen), hex.EncodeToString(h.Sum(nil))
	x := &sdBoxed{ctx: ctx}
	if err := x.metadata(m); err != nil {
		return nil, err
	}
	moved, err := d.leaving(ctx, t, args["arrays"])
	if err != nil {
		return nil, err
	}
	verbatim := len(external) == 0 && !slices.ContainsFunc(moved, func(a *sdData) bool { return a.where == "inline" })
	var graph model.Source
	if verbatim {
		graph, err = g.withStubs(ctx, t, moved)
	}
	if !verbatim || err != nil { // a stub has no room for an offset
		graph, err = g.stripped(ctx, t, moved, nil)
	}
	if err != nil {
		return nil, err
	}
	if err := x.record(sdGraphs, 0, graph); err != nil {
		return nil, err
	}
	if len(moved) > 0 {
		if err := x.arrays(t, moved); err != nil {
			return nil, err
		}
	}
	return sdCreate(x, args["name"], sdBase(d.file)+".sdc")
}

// sdCreate is the edit that writes a container to a new file.
func sdCreate(x *sdBoxed, name, usual string) ([]model.Edit, error) {
	if name == "" {
		name = usual
	}
	f, err := x.file()
	return []model.Edit{{File: name, Create: f}}, err
}

// withStubs returns the bytes of a graph whose stubs give the places that arrays get in an ARRAYS section of their own.
func (p *sdPlaced) withStubs(ctx sdCtx, t *model.Tree, moved []*sdData) (model.Source, error) {
	r := p.span.Range
	r.Len = p.extent
	if len(moved) == 0 {
		return sdSource(ctx, t, r, 1)
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
		pos := v.b.slot(x.array, sdArrAppendedOffset)
		switch {
		case pos != 0:
			copy(b[pos:], sdAppend(nil, off, 8))
		case off != 0:
			return nil, fmt.Errorf("%s: the stub has no room for an offset", x.name)
		}
	}
	return model.Memory(b), nil
}

func sdOnSplit(t *model.Tree, s *model.Span) bool {
	d := sdMain(t)
	return d.single() && (len(d.graphs) == 0 || d.graphs[0].late()) && sdShardName(d.file) == nil
}

// sdSplit writes saveSharded (section 5.6).
func sdSplit(ctx sdCtx, t *model.Tree, _ *model.Span, args map[string]string) ([]model.Edit, error) {
	d := sdMain(t)
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
	list = slices.DeleteFunc(list, func(a *sdData) bool { return a.where == "inline" && (sdTypes[a.typ] == nil || a.bytes == 0) })
	n = min(n, len(list)+1)
	if n < 2 {
		return nil, fmt.Errorf("there are no arrays to spread over files")
	}
	sort.SliceStable(list, func(i, j int) bool {
		return list[i].bytes > list[j].bytes || list[i].bytes == list[j].bytes && list[i].name < list[j].name
	})
	shards, fill := make([][]*sdData, n), make([]int64, n)
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
	graph, err := g.stripped(ctx, t, list, nil)
	if err != nil {
		return nil, err
	}
	base := sdBase(d.file)
	var edits []model.Edit
	for i := n - 1; i >= 0; i-- { // shard 0 last of all: it makes the set
		x := &sdBoxed{ctx: ctx}
		m := map[string]string{"shard.index": fmt.Sprint(i), "shard.type": "weights"}
		if i == 0 {
			m = d.metadataMap(ctx, t)
			m["shard.index"], m["shard.type"] = "0", "graph"
		}
		if err := x.metadata(m); err != nil {
			return nil, err
		}
		if i == 0 {
			err = x.record(sdGraphs, 0, graph)
		} else {
			err = x.arrays(t, shards[i])
		}
		if err == nil {
			err = x.record(sdShardInfo, 0, model.Memory(sdFlatShardInfo(sdShard{index: int64(i), count: int64(n), kind: m["shard.type"], base: base})))
		}
		if err != nil {
			return nil, err
		}
		e, err := sdCreate(x, "", fmt.Sprintf("%s.shard%d-of-%d.sdc", base, i, n))
		if err != nil {
			return nil, err
		}
		edits = append(edits, e...)
	}
	return edits, nil
}

// stripped writes a graph anew with stubs in place of arrays. updater, if not nil, writes its updater state.
func (p *sdPlaced) stripped(ctx sdCtx, t *model.Tree, moved []*sdData, updater func(c *sdCopy, graph int64) flatbuffers.UOffsetT) (out model.Source, err error) {
	by := map[string]*sdData{}
	for _, a := range moved {
		by[a.name] = a
	}
	err = p.view(ctx, t, func(b sdBuf) error {
		c := &sdCopy{sdPlaced: p, b: b}
		c.other = func(tab *sdTable, at int64, slot int) (flatbuffers.UOffsetT, bool) {
			switch {
			case tab.name == "FlatVariable" && slot == sdVarArray:
				name, _ := b.str(at, sdVarName)
				if a := by[name]; a != nil {
					return a.stub(-1).put(c.out), true
				}
			case tab.name == "FlatGraph" && slot == sdGraphUpdater && updater != nil:
				return updater(c, at), true
			}
			return 0, false
		}
		buf, err := c.build(p.graphAt(b), p.tables["FlatGraph"])
		out = model.Memory(buf)
		return err
	})
	return out, err
}
