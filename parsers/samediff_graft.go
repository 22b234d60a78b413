package parsers

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
func (p *sdPlaced) graft(b sdBuf, changes map[int]any) ([]byte, error) {
	old := b.root()
	_, n := b.vtable(old)
	switch {
	case p.root.name != "FlatGraph" || !p.late():
		return nil, fmt.Errorf("graphs of generation %s are only edited in place", p.gen)
	case n > len(p.root.slots):
		return nil, fmt.Errorf("the root table has fields that the schema does not know")
	}
	for slot := range changes {
		n = max(n, slot+1)
	}
	table := int64(4 + 4 + 2*n)
	for table%8 != 4 { // so that an i64 right behind the offset to the vtable is aligned
		table++
	}
	out := make([]byte, table+4)
	vtable := table - int64(4+2*n)
	put32 := binary.LittleEndian.PutUint32
	put16 := binary.LittleEndian.PutUint16
	put32(out, uint32(table))
	put32(out[table:], uint32(table-vtable))
	put16(out[vtable:], uint16(4+2*n))
	at := map[int]int64{} // where the offsets of the new table are
	for slot := range n {
		change, changed := changes[slot]
		pos := b.slot(old, slot)
		if changed && change == nil || !changed && pos == 0 {
			continue
		}
		put16(out[vtable+4+2*int64(slot):], uint16(int64(len(out))-table))
		if s := p.root.slots[slot]; !s.offset() {
			out = append(out, b[pos:pos+s.width]...)
			continue
		}
		at[slot] = int64(len(out))
		out = append(out, 0, 0, 0, 0)
	}
	put16(out[vtable+2:], uint16(int64(len(out))-table))
	for slot := range n {
		switch c := changes[slot].(type) {
		case string:
			put32(out[at[slot]:], uint32(int64(len(out))-at[slot]))
			out = sdAppendText(out, c)
		case []string:
			put32(out[at[slot]:], uint32(int64(len(out))-at[slot]))
			out = binary.LittleEndian.AppendUint32(out, uint32(len(c)))
			refs := len(out)
			out = append(out, make([]byte, 4*len(c))...)
			for i, s := range c {
				put32(out[refs+4*i:], uint32(len(out)-refs-4*i))
				out = sdAppendText(out, s)
			}
		}
	}
	for len(out)%16 != 0 {
		out = append(out, 0)
	}
	for slot, pos := range at {
		if _, changed := changes[slot]; !changed {
			put32(out[pos:], uint32(int64(len(out))+b.ref(old, slot)-pos))
		}
	}
	if int64(len(out))+b.len() > sdMaxFlat {
		return nil, fmt.Errorf("the graph would be larger than 2 GiB")
	}
	return out, nil
}

// sdAppendText adds a string of a buffer, with its zero byte and padding to 4.
func sdAppendText(out []byte, s string) []byte {
	out = binary.LittleEndian.AppendUint32(out, uint32(len(s)))
	out = append(append(out, s...), 0)
	for len(out)%4 != 0 {
		out = append(out, 0)
	}
	return out
}

// insert puts a graft in front of the buffer. Where zeros follow the buffer that nothing needs, as many go, so that nothing behind
// it moves (section 5.3).
func (p *sdPlaced) insert(t *model.Tree, b sdBuf, prefix []byte) ([]model.Edit, error) {
	r := p.span.Range
	edits := []model.Edit{{Range: model.Range{Space: r.Space, Off: r.Off}, With: model.Memory(prefix), Into: p.span.Path()}}
	n := int64(len(prefix))
	if p.nb != nil && p.size-p.extent >= n && sdZero(b[p.size-n:p.size]) {
		edits = append(edits, model.Replace(model.Range{Space: r.Space, Off: r.End() - n, Len: n}, nil))
	}
	if up, around, g, err := p.doc.st.outer(t, p, n); err != nil {
		return nil, err
	} else if up != nil { // a graph inside a graph: that grows too
		edits = append(edits, around...)
		moved, err := p.doc.st.spread(t, map[*sdPlaced][]sdGrowth{up: {g}})
		return append(edits, moved...), err
	}
	return edits, nil
}

// setFields gives fields of the root other values.
func (p *sdPlaced) setFields(ctx sdCtx, t *model.Tree, changes map[int]any) (edits []model.Edit, err error) {
	err = p.view(ctx, t, func(b sdBuf) error {
		prefix, err := p.graft(b, changes)
		if err == nil {
			edits, err = p.insert(t, b, prefix)
		}
		return err
	})
	return edits, err
}

// setMetadata changes keys of the graph's metadata (ids 9 and 10): a nil value drops the key. Keys are kept in order.
func (p *sdPlaced) setMetadata(ctx sdCtx, t *model.Tree, values map[string]*string) ([]model.Edit, error) {
	m, whole := p.metadataMap(ctx, t)
	if !whole {
		return nil, fmt.Errorf("the keys and values of the graph do not pair")
	}
	keys, texts := sdMerge(m, values)
	return p.setFields(ctx, t, map[int]any{sdGraphKeys: keys, sdGraphValues: texts})
}

// sdMerge applies changes to metadata and returns it in order.
func sdMerge(m map[string]string, values map[string]*string) (keys, texts []string) {
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
