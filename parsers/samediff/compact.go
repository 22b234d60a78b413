package samediff

import (
	"fmt"
	"slices"

	flatbuffers "github.com/google/flatbuffers/go"

	"spandrel/model"
)

// waste tells whether writing the buffer anew could make it smaller: something lies in it that nothing refers to.
func (p *placed) waste() bool {
	used := int64(0)
	for _, i := range p.order {
		if o := p.objs[i]; o.kind == objOrphan || o.kind == objPad && o.len >= 8 {
			return true
		} else {
			used += int64(o.len)
		}
	}
	return used < p.size
}

func onCompact(t *model.Tree, s *model.Span) bool {
	d := main(t)
	return len(d.graphs) == 0 && d.single() || slices.ContainsFunc(d.flats, func(p *placed) bool { return p.copyable() == nil && p.waste() })
}

// compact writes every buffer of the main file anew that holds something which nothing refers to, as the root table that a graft
// leaves behind; graphs inside a graph with it.
func compact(ctx bufContext, t *model.Tree, _ *model.Span, _ map[string]string) (edits []model.Edit, err error) {
	d := main(t)
	if err := d.st.openAll(ctx, t); err != nil {
		return nil, err
	}
	inside := slices.ContainsFunc(d.flats, func(p *placed) bool { return p.depth > 0 && p.waste() })
	for _, p := range d.flats {
		header := p.con != nil && p.con.header == p // what it says of the sections follows them
		if p.depth > 0 || header || p.copyable() != nil || p.damaged() || !p.waste() && !(inside && p.root.name == "FlatGraph") {
			continue
		}
		err := p.view(ctx, t, func(b buf) error {
			out, err := p.rewritten(b, p.inner)
			if err != nil {
				return err
			}
			if p.fixed() { // an index: the arrays behind it keep their alignment
				out = append(out, make([]byte, max(0, p.size-int64(len(out)))%64)...)
			}
			if int64(len(out)) < p.size {
				edits = append(edits, model.Replace(p.span.Range, out))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if len(edits) == 0 {
		return nil, fmt.Errorf("nothing would become smaller")
	}
	return edits, nil
}

// inner makes a copy write the graphs inside anew too, where that makes them smaller.
func (p *placed) inner(c *copyJob) {
	c.other = func(tab *table, at int64, slot int) (flatbuffers.UOffsetT, bool) {
		if tab.name != "SameDiffSubInstance" || slot != 1 {
			return 0, false
		}
		from, n, ok := c.b.vec(at, slot, 1)
		b := c.b[from : from+n]
		if !ok || !b.isGraph(b.root()) || p.depth >= maxDepth {
			return 0, false
		}
		q := p.doc.walked(b, "FlatGraph", scopeOf{dims: p.dims, depth: p.depth + 1})
		if q.copyable() != nil || q.damaged() {
			return 0, false
		}
		out, err := q.rewritten(b, q.inner)
		if err != nil || int64(len(out)) >= n {
			return 0, false
		}
		return c.out.CreateByteVector(out), true
	}
}
