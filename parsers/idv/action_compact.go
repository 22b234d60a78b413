package idv

import (
	"context"
	"encoding/binary"
	"fmt"

	"spandrel/model"
)

// compact rewrites a stream in the order of ML.NET's writer (§2.1, §7.5): header, blocks in the order that they have now,
// lookup tables, metadata, column directory, tail. Stored blocks keep their bytes; unreachable bytes go.
func (s *stream) compact(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
	if s.salvage || s.tocSpan == nil && s.columnCount > 0 || len(s.cols) != int(max(0, s.columnCount)) {
		return nil, fmt.Errorf("the directories at 0x%x are damaged: repair them first", s.base+s.toc)
	}
	out := &model.Joined{}
	head, err := t.Bytes(ctx, model.Range{Space: s.space, Off: s.base, Len: headerSize})
	if err != nil {
		return nil, err
	}
	out.Add(model.Memory(head))
	place := map[regionKey]int64{}
	for _, b := range s.blocks {
		key := regionKey{off: b.off, n: int64(b.n)}
		if _, ok := place[key]; !ok {
			place[key] = out.Add(t.Slice(ctx, s.rangeOf(b)))
		}
	}
	c := s.change(ctx, t)
	for _, col := range s.cols {
		table, err := t.Bytes(ctx, model.Range{Space: s.space, Off: s.base + col.lookup, Len: 16 * col.blocks})
		if err != nil && col.blocks > 0 {
			return nil, err
		}
		for k := range col.blocks {
			b := decodeEntry(table[16*k:], col.index, k)
			at, ok := place[regionKey{off: b.off, n: int64(b.n)}]
			if !ok {
				return nil, fmt.Errorf("%s is not in the stream: repair its lookup entry first", s.blockName(b))
			}
			binary.LittleEndian.PutUint64(table[16*k:], uint64(at))
		}
		c.setLeaf(lookupOffset, col.lookupAt, model.I(out.Add(model.Memory(table))))
	}
	for _, col := range s.cols {
		if err := c.compactMetadata(col, out); err != nil {
			return nil, err
		}
	}
	var dir []byte
	if s.tocSpan != nil {
		if dir, err = c.build(s.tocSpan); err != nil {
			return nil, err
		}
	}
	toc := out.Add(model.Memory(dir))
	if len(dir) == 0 {
		toc = out.Len()
	}
	tail := out.Add(model.Memory(binary.LittleEndian.AppendUint64(nil, tailSignature)))
	binary.LittleEndian.PutUint64(head[24:], uint64(toc))
	binary.LittleEndian.PutUint64(head[32:], uint64(tail))
	return []model.Edit{model.Splice{Range: model.Range{Space: s.space, Off: s.base, Len: s.size}, With: out, Into: s.root.Path()}}, nil
}

// compactMetadata puts the metadata of a column: its blocks, then its directory.
func (c *rewriting) compactMetadata(col *column, out *model.Joined) error {
	if col.meta == 0 {
		return nil
	}
	if col.metaSpan == nil {
		return fmt.Errorf("the metadata directory of column %q is damaged or shared", col.name.s)
	}
	for _, m := range col.entries {
		at := model.Range{Space: c.s.space, Off: c.s.base + m.off, Len: m.n}
		if m.off < headerSize || m.n < 1 || m.off > c.s.size-m.n {
			return fmt.Errorf("%s of column %q is not in the stream", m.kind.s, col.name.s)
		}
		c.setLeaf(metaBlockOff, m.offAt, model.I(out.Add(c.t.Slice(c.ctx, at))))
	}
	dir, err := c.build(col.metaSpan)
	if err != nil {
		return err
	}
	c.setLeaf(metaOffset, col.metaAt, model.I(out.Add(model.Memory(dir))))
	return nil
}
