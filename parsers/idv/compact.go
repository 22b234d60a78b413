package idv

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"

	"spandrel/model"
)

// slice is a range of a space as a Source: it is read when it is asked for.
type slice struct {
	t *model.Tree
	r model.Range
}

func (s slice) Len() int64 { return s.r.Len }
func (s slice) ReadAt(p []byte, off int64) (int, error) {
	n := min(int64(len(p)), s.r.Len-off)
	if n <= 0 {
		return 0, io.EOF
	}
	b, err := s.t.Bytes(context.Background(), model.Range{Space: s.r.Space, Off: s.r.Off + off, Len: n})
	copy(p, b)
	if err == nil && len(b) < len(p) {
		err = io.EOF
	}
	return len(b), err
}

// compact rewrites a stream in the order of ML.NET's writer (§2.1, §7.5): header, blocks in the order that they have now,
// lookup tables, metadata, column directory, tail. Stored blocks keep their bytes; unreachable bytes go.
func (s *stream) compact(t *model.Tree) ([]model.Edit, error) {
	if s.salvage || s.tocSpan == nil && s.columnCount > 0 || len(s.cols) != int(max(0, s.columnCount)) {
		return nil, fmt.Errorf("the directories at 0x%x are damaged: repair them first", s.base+s.toc)
	}
	out := &model.Joined{}
	head, err := t.Bytes(background, model.Range{Space: s.space, Off: s.base, Len: headerSize})
	if err != nil {
		return nil, err
	}
	out.Add(model.Memory(head))
	place := map[regionKey]int64{}
	for _, b := range s.blocks {
		key := regionKey{off: b.off, n: int64(b.n)}
		if _, ok := place[key]; !ok {
			place[key] = out.Add(slice{t, s.rangeOf(b)})
		}
	}
	c := s.change(t)
	for _, col := range s.cols {
		table, err := t.Bytes(background, model.Range{Space: s.space, Off: s.base + col.lookup, Len: 16 * col.blocks})
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
		c.setLeaf(metaBlockOff, m.offAt, model.I(out.Add(slice{c.t, at})))
	}
	dir, err := c.build(col.metaSpan)
	if err != nil {
		return err
	}
	c.setLeaf(metaOffset, col.metaAt, model.I(out.Add(model.Memory(dir))))
	return nil
}
