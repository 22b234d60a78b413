package samediff

import (
	"context"
	"encoding/binary"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// graft makes what is put in front of a buffer to give its root other fields (section 5.4, prefix graft): a new root offset, vtable
// and root table, and the new texts. The old buffer follows unchanged, at a multiple of 16, and its old root table becomes an
// orphan. changes are texts, vectors of texts, or nil to drop a field.
func (p *placed) graft(b flat.Buffer, changes map[int]any) ([]byte, error) {
	old := b.Root()
	_, n := b.Vtable(old)
	switch {
	case p.Root.Name != "FlatGraph" || !p.Late():
		return nil, fmt.Errorf("graphs of generation %s are only edited in place", p.Gen)
	case n > len(p.Root.Slots):
		return nil, fmt.Errorf("the root table has fields that the schema does not know")
	}
	root, kept := flat.Fields{}, map[int]int64{} // what the offsets that stay lead to
	for slot, s := range p.Root.Slots {
		change, changed := changes[slot]
		switch {
		case changed && change != nil:
			root[slot] = change
		case changed || b.Slot(old, slot) == 0:
		case s.IsOffset():
			if root[slot], kept[slot] = int32(0), b.Ref(old, slot); kept[slot] == 0 {
				return nil, fmt.Errorf("the offset of %s leads nowhere: repair it first", s.Name)
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

// insert puts a graft in front of the buffer. Where zeros follow the buffer that nothing needs, as many go, so that nothing behind
// it moves (section 5.3).
func (p *placed) insert(ctx context.Context, t *model.Tree, b flat.Buffer, prefix []byte) ([]model.Edit, error) {
	r := p.span.Range
	edits := []model.Edit{model.Splice{Range: model.Range{Space: r.Space, Off: r.Off}, With: model.Memory(prefix), Into: p.span.Path()}}
	n := int64(len(prefix))
	if p.nb != nil && p.Size-p.Extent >= n && flat.AllZero(b[p.Size-n:p.Size]) {
		edits = append(edits, model.Replace(model.Range{Space: r.Space, Off: r.End() - n, Len: n}, nil))
	}
	if up, around, g, err := p.doc.st.outer(t, p, n); err != nil {
		return nil, err
	} else if up != nil { // a graph inside a graph: that grows too
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

// setMetadata changes keys of the graph's metadata (ids 9 and 10): a nil value drops the key. Keys are kept in order.
func (p *placed) setMetadata(ctx context.Context, t *model.Tree, values map[string]*string) ([]model.Edit, error) {
	m, whole := p.metadataMap(ctx, t)
	if !whole {
		return nil, fmt.Errorf("the keys and values of the graph do not pair")
	}
	keys, texts := merge(m, values)
	return p.setFields(ctx, t, map[int]any{flat.GraphKeys: keys, flat.GraphValues: texts})
}

// rewrite replaces the buffer by one rewritten. fit keeps its size, with zeros behind it, where something else counts on it.
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
			return fmt.Errorf("the buffer would grow from %d to %d bytes, for which there is no room", p.Size, n)
		}
		edits = []model.Edit{model.Replace(p.span.Range, out)}
		return nil
	})
	return edits, err
}
