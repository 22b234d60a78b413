package samediff

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"spandrel/model"
)

// graft makes what is put in front of a buffer to give its root other fields (section 5.4, prefix graft): a new root offset, vtable
// and root table, and the new texts. The old buffer follows unchanged, at a multiple of 16, and its old root table becomes an
// orphan. changes are texts, vectors of texts, or nil to drop a field.
func (p *placed) graft(b buf, changes map[int]any) ([]byte, error) {
	old := b.root()
	_, n := b.vtable(old)
	switch {
	case p.root.name != "FlatGraph" || !p.late():
		return nil, fmt.Errorf("graphs of generation %s are only edited in place", p.gen)
	case n > len(p.root.slots):
		return nil, fmt.Errorf("the root table has fields that the schema does not know")
	}
	root, kept := addition{}, map[int]int64{} // what the offsets that stay lead to
	for slot, s := range p.root.slots {
		change, changed := changes[slot]
		switch {
		case changed && change != nil:
			root[slot] = change
		case changed || b.slot(old, slot) == 0:
		case s.offset():
			if root[slot], kept[slot] = int32(0), b.ref(old, slot); kept[slot] == 0 {
				return nil, fmt.Errorf("the offset of %s leads nowhere: repair it first", s.name)
			}
		default:
			root[slot] = b.num(old, slot, int(s.width))
		}
	}
	out := buf(root.buffer())
	out = append(out, make([]byte, -len(out)&15)...)
	for slot, to := range kept {
		at := out.slot(out.root(), slot)
		binary.LittleEndian.PutUint32(out[at:], uint32(out.len()+to-at))
	}
	if out.len()+b.len() > maxFlat {
		return nil, fmt.Errorf("the graph would be larger than 2 GiB")
	}
	return out, nil
}

// insert puts a graft in front of the buffer. Where zeros follow the buffer that nothing needs, as many go, so that nothing behind
// it moves (section 5.3).
func (p *placed) insert(t *model.Tree, b buf, prefix []byte) ([]model.Edit, error) {
	r := p.span.Range
	edits := []model.Edit{model.Splice{Range: model.Range{Space: r.Space, Off: r.Off}, With: model.Memory(prefix), Into: p.span.Path()}}
	n := int64(len(prefix))
	if p.nb != nil && p.size-p.extent >= n && allZero(b[p.size-n:p.size]) {
		edits = append(edits, model.Replace(model.Range{Space: r.Space, Off: r.End() - n, Len: n}, nil))
	}
	if up, around, g, err := p.doc.st.outer(t, p, n); err != nil {
		return nil, err
	} else if up != nil { // a graph inside a graph: that grows too
		edits = append(edits, around...)
		moved, err := p.doc.st.spread(t, map[*placed][]growth{up: {g}})
		return append(edits, moved...), err
	}
	return edits, nil
}

// setFields gives fields of the root other values.
func (p *placed) setFields(ctx bufContext, t *model.Tree, changes map[int]any) (edits []model.Edit, err error) {
	err = p.view(ctx, t, func(b buf) error {
		prefix, err := p.graft(b, changes)
		if err == nil {
			edits, err = p.insert(t, b, prefix)
		}
		return err
	})
	return edits, err
}

// setMetadata changes keys of the graph's metadata (ids 9 and 10): a nil value drops the key. Keys are kept in order.
func (p *placed) setMetadata(ctx bufContext, t *model.Tree, values map[string]*string) ([]model.Edit, error) {
	m, whole := p.metadataMap(ctx, t)
	if !whole {
		return nil, fmt.Errorf("the keys and values of the graph do not pair")
	}
	keys, texts := merge(m, values)
	return p.setFields(ctx, t, map[int]any{graphKeys: keys, graphValues: texts})
}

// merge applies changes to metadata and returns it in order.
func merge(m map[string]string, values map[string]*string) (keys, texts []string) {
	for k, v := range values {
		if v == nil {
			delete(m, k)
		} else {
			m[k] = *v
		}
	}
	keys = slices.Sorted(maps.Keys(m))
	for _, k := range keys {
		texts = append(texts, m[k])
	}
	return keys, texts
}
