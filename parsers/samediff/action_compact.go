package samediff

import (
	"context"
	"fmt"
	"slices"

	flatbuffers "github.com/google/flatbuffers/go"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

func onCompact(t *model.Tree, s *model.Span) bool {
	d := main(t)
	return len(d.graphs) == 0 && d.single() || slices.ContainsFunc(d.flats, func(p *placed) bool { return p.Copyable() == nil && p.Waste() })
}

// compact rewrites every buffer of the main file that holds something which nothing refers to, as the root table that a graft
// leaves behind; graphs inside a graph with it.
func compact(ctx context.Context, t *model.Tree, _ *model.Span, _ map[string]string) (edits []model.Edit, err error) {
	d := main(t)
	if err := d.st.openAll(ctx, t); err != nil {
		return nil, err
	}
	inside := slices.ContainsFunc(d.flats, func(p *placed) bool { return p.depth > 0 && p.Waste() })
	for _, p := range d.flats {
		header := p.con != nil && p.con.header == p // what it says of the sections follows them
		if p.depth > 0 || header || p.Copyable() != nil || p.Damaged() || !p.Waste() && !(inside && p.Root.Name == "FlatGraph") {
			continue
		}
		more, err := compacted(ctx, t, p)
		if err != nil {
			return nil, err
		}
		edits = append(edits, more...)
	}
	if len(edits) == 0 {
		return nil, fmt.Errorf("nothing would become smaller")
	}
	return edits, nil
}

// compacted rewrites a buffer, where that makes it smaller.
func compacted(ctx context.Context, t *model.Tree, p *placed) (edits []model.Edit, err error) {
	return edits, p.view(ctx, t, func(b flat.Buffer) error {
		out, err := p.Rewritten(b, inner(p.depth))
		if err != nil {
			return err
		}
		if p.fixed() { // an index: the arrays behind it keep their alignment
			out = append(out, make([]byte, max(0, p.Size-int64(len(out)))%64)...)
		}
		if int64(len(out)) < p.Size {
			edits = append(edits, model.Replace(p.span.Range, out))
		}
		return nil
	})
}

// inner makes a copy rewrite the graphs inside too, where that makes them smaller.
func inner(depth int) func(c *flat.Copy) {
	return func(c *flat.Copy) {
		c.Other = func(tab *flat.Table, at int64, slot int) (flatbuffers.UOffsetT, bool) {
			if tab.Name != "SameDiffSubInstance" || slot != 1 {
				return 0, false
			}
			out, ok := smaller(c.B, at, depth)
			if !ok {
				return 0, false
			}
			return c.Out.CreateByteVector(out), true
		}
	}
}

// smaller is the graph inside a sub-instance, rewritten; ok is false where it cannot be, or is as small already.
func smaller(in flat.Buffer, sub int64, depth int) (out []byte, ok bool) {
	from, n, ok := in.Vec(sub, 1, 1)
	b := in[from : from+n]
	if !ok || !b.IsGraph(b.Root()) || depth >= flat.MaxDepth {
		return nil, false
	}
	f := flat.Open(b, "FlatGraph", nil)
	if f.Copyable() != nil || f.Damaged() {
		return nil, false
	}
	out, err := f.Rewritten(b, inner(depth+1))
	return out, err == nil && int64(len(out)) < n
}
