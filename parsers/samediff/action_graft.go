package samediff

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	flatbuffers "github.com/google/flatbuffers/go"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// graft makes a prefix for a buffer that gives its root other fields (section 5.4, prefix graft): a new root offset, vtable
// and root table, and the new texts. The old buffer follows unchanged, at a multiple of 16, and its old root table becomes
// unreferenced. changes are texts, vectors of texts, or nil to drop a field.
func (p *placed) graft(b flat.Buffer, changes map[int]any) ([]byte, error) {
	old := b.Root()
	_, n := b.Vtable(old)
	switch {
	case p.Root.Name != "FlatGraph" || !p.Late():
		return nil, fmt.Errorf("graphs of generation %s can only be edited in place", p.Gen)
	case n > len(p.Root.Slots):
		return nil, fmt.Errorf("the root table has unknown fields")
	}
	root, kept := flat.Fields{}, map[int]int64{} // targets of the offsets that stay
	for slot, s := range p.Root.Slots {
		change, changed := changes[slot]
		switch {
		case changed && change != nil:
			root[slot] = change
		case changed || b.Slot(old, slot) == 0:
		case s.IsOffset():
			if root[slot], kept[slot] = int32(0), b.Ref(old, slot); kept[slot] == 0 {
				return nil, fmt.Errorf("the offset of %s is invalid: repair it first", s.Name)
			}
		default:
			root[slot] = b.Num(old, slot, int(s.Width))
		}
	}
	out := flat.Buffer(root.Buffer())
	out = append(out, make([]byte, -len(out)&15)...)
	for slot, to := range kept {
		at := out.Slot(out.Root(), slot)
		binary.LittleEndian.PutUint32(out[at:], uint32(out.Len()+to-at))
	}
	if out.Len()+b.Len() > flat.MaxSize {
		return nil, fmt.Errorf("the graph would be larger than 2 GiB")
	}
	return out, nil
}

// insert puts a graft before the buffer. If enough unneeded zeros follow the buffer, as many are removed, so that nothing after
// it moves (section 5.3).
func (p *placed) insert(ctx context.Context, t *model.Tree, b flat.Buffer, prefix []byte) ([]model.Edit, error) {
	r := p.span.Range
	edits := []model.Edit{model.Splice{Range: model.Range{Space: r.Space, Off: r.Off}, With: model.Memory(prefix), Into: p.span.Path()}}
	n := int64(len(prefix))
	if p.nb != nil && p.Size-p.Extent >= n && model.AllZero(b[p.Size-n:p.Size]) {
		edits = append(edits, model.Replace(model.Range{Space: r.Space, Off: r.End() - n, Len: n}, nil))
	}
	if up, around, g, err := p.doc.st.outer(t, p, n); err != nil {
		return nil, err
	} else if up != nil { // an inner graph: the outer one grows too
		edits = append(edits, around...)
		moved, err := p.doc.st.spread(ctx, t, map[*placed][]growth{up: {g}})
		return append(edits, moved...), err
	}
	return edits, nil
}

// setFields gives fields of the root other values.
func (p *placed) setFields(ctx context.Context, t *model.Tree, changes map[int]any) (edits []model.Edit, err error) {
	err = p.view(ctx, t, func(b flat.Buffer) error {
		prefix, err := p.graft(b, changes)
		if err == nil {
			edits, err = p.insert(ctx, t, b, prefix)
		}
		return err
	})
	return edits, err
}

// setMetadata changes keys of the graph's metadata (ids 9 and 10): a nil value removes the key. Keys keep their order.
func (p *placed) setMetadata(ctx context.Context, t *model.Tree, values map[string]*string) ([]model.Edit, error) {
	m, whole := p.metadataMap(ctx, t)
	if !whole {
		return nil, fmt.Errorf("the keys and values of the graph do not pair up")
	}
	keys, texts := merge(m, values)
	return p.setFields(ctx, t, map[int]any{flat.GraphKeys: keys, flat.GraphValues: texts})
}

// rewrite replaces the buffer by a rewritten one. fit keeps its size, with zeros after it, if something depends on that.
func (p *placed) rewrite(ctx context.Context, t *model.Tree, fit bool, change func(c *flat.Copy)) (edits []model.Edit, err error) {
	err = p.view(ctx, t, func(b flat.Buffer) error {
		out, err := p.Rewritten(b, change)
		if err != nil {
			return err
		}
		n := int64(len(out))
		if fit = fit || p.fixed(); fit && n <= p.Size {
			out = append(out, make([]byte, p.Size-n)...)
		} else if p.fixed() {
			return fmt.Errorf("the buffer has no room to grow from %d to %d bytes", p.Size, n)
		}
		edits = []model.Edit{model.Replace(p.span.Range, out)}
		return nil
	})
	return edits, err
}

func onCompact(t *model.Tree, s *model.Span) bool {
	d := main(t)
	return len(d.graphs) == 0 && d.single() || slices.ContainsFunc(d.flats, func(p *placed) bool { return p.Copyable() == nil && p.Waste() })
}

// compact rewrites every buffer of the main file that contains something unreferenced, such as the root table that a graft
// leaves, including graphs inside a graph.
func compact(ctx context.Context, t *model.Tree, _ *model.Span, _ map[string]string) (edits []model.Edit, err error) {
	d := main(t)
	if err := d.st.openAll(ctx, t); err != nil {
		return nil, err
	}
	inside := slices.ContainsFunc(d.flats, func(p *placed) bool { return p.depth > 0 && p.Waste() })
	for _, p := range d.flats {
		header := p.con != nil && p.con.header == p // what it says about the sections is updated with them
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
		return nil, fmt.Errorf("nothing would get smaller")
	}
	return edits, nil
}

// compacted rewrites a buffer if that makes it smaller.
func compacted(ctx context.Context, t *model.Tree, p *placed) (edits []model.Edit, err error) {
	return edits, p.view(ctx, t, func(b flat.Buffer) error {
		out, err := p.Rewritten(b, inner(p.depth))
		if err != nil {
			return err
		}
		if p.fixed() { // an index: the arrays after it keep their alignment
			out = append(out, make([]byte, max(0, p.Size-int64(len(out)))%64)...)
		}
		if int64(len(out)) < p.Size {
			edits = append(edits, model.Replace(p.span.Range, out))
		}
		return nil
	})
}

// inner makes a copy rewrite nested graphs too, if that makes them smaller.
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

// smaller is the graph inside a sub-instance, rewritten; ok is false if it cannot be, or would not be smaller.
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
