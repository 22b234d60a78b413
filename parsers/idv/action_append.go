package idv

import (
	"encoding/binary"
	"fmt"
	"slices"

	"spandrel/model"
)

// appended puts the change after the stream: nothing moves, and until the header is written the stream is unchanged (§7.2).
func (c *rewriting) appended() ([]model.Edit, error) {
	s := c.stream
	if s.salvage || s.tocSpan == nil && len(s.cols) > 0 || len(s.cols) != int(max(0, s.columnCount)) {
		return nil, s.damagedTOC()
	}
	var out []byte
	put := func(b []byte) int64 {
		at := s.size + int64(len(out))
		out = append(out, b...)
		return at
	}
	if err := c.putLookups(put); err != nil {
		return nil, err
	}
	for _, col := range s.cols {
		if err := c.putMetadata(col, put); err != nil {
			return nil, err
		}
	}
	toc, tail, err := c.putDirectory(put)
	if err != nil {
		return nil, err
	}
	head, err := c.header(toc, tail)
	if err != nil {
		return nil, err
	}
	return []model.Edit{
		model.Splice{Range: model.Range{Space: s.space, Off: s.base + s.size}, With: model.Memory(out), Into: s.root.Path(),
			Note: "the changed data is appended and the old bytes remain: Compact (convert PATH compact) removes them"},
		model.Replace(model.Range{Space: s.space, Off: s.base, Len: headerSize}, head)}, nil
}

// putDirectory writes the directory of the columns and the tail.
func (c *rewriting) putDirectory(put func([]byte) int64) (toc, tail int64, err error) {
	var dir []byte
	if c.stream.tocSpan != nil {
		if dir, err = c.build(c.stream.tocSpan); err != nil {
			return 0, 0, err
		}
	}
	toc = put(dir)
	return toc, put(binary.LittleEndian.AppendUint64(nil, tailSignature)), nil
}

// header is the header with the changes: the new places of directory and tail, the number of columns, and other requested changes.
func (c *rewriting) header(toc, tail int64) ([]byte, error) {
	b, err := c.t.Bytes(c.ctx, model.Range{Space: c.stream.space, Off: c.stream.base, Len: headerSize})
	if err != nil {
		return nil, err
	}
	b = slices.Clone(b)
	for off, with := range c.head {
		copy(b[off:], with)
	}
	binary.LittleEndian.PutUint64(b[directoryAt:], uint64(toc))
	binary.LittleEndian.PutUint64(b[tailAt:], uint64(tail))
	if c.order != nil {
		binary.LittleEndian.PutUint32(b[columnsAt:], uint32(len(c.order)))
	}
	return b, nil
}

// putLookups writes new blocks and the lookup tables of their columns.
func (c *rewriting) putLookups(put func([]byte) int64) error {
	at := make([]int64, len(c.fresh))
	for i, b := range c.fresh {
		at[i] = put(b)
	}
	for _, col := range c.stream.cols {
		moved := c.moved[col.index]
		if len(moved) == 0 {
			continue
		}
		table, err := c.t.Bytes(c.ctx, model.Range{Space: c.stream.space, Off: c.stream.base + col.lookup, Len: 16 * col.blocks})
		if err != nil {
			return err
		}
		for k, i := range moved {
			copy(table[16*k:], appendEntry(nil, at[i], int64(len(c.fresh[i])), int64(c.sizes[i])))
		}
		c.setLeaf(lookupOffset, col.lookupAt, model.I(put(table)))
	}
	return nil
}

// putMetadata writes the new metadata of a column: blocks, then the directory.
func (c *rewriting) putMetadata(col *column, put func([]byte) int64) error {
	left, touched := c.putValues(col, put)
	switch {
	case !touched:
		return nil
	case col.unread:
		return col.losesMetadata()
	case left == 0:
		c.setLeaf(metaOffset, col.metaAt, model.I(0))
		return nil
	case c.stream.layout != 6:
		return fmt.Errorf("metadata exists from version 1.1.1.4 on")
	}
	var dir []byte
	var err error
	if col.metaSpan != nil {
		if dir, err = c.build(col.metaSpan.Get(metaEntries.Name)); err != nil {
			return err
		}
	} else if col.meta != 0 {
		return fmt.Errorf("the metadata directory of column %q is damaged or shared", col.name.s)
	}
	for _, e := range c.extra[col.index] {
		stored, kind, err := c.stream.pack(e.decoded)
		if err != nil {
			return err
		}
		dir = append(appendText(dir, e.kind), e.codec...)
		dir = binary.LittleEndian.AppendUint64(append(dir, kind), uint64(put(stored)))
		dir = binary.AppendUvarint(dir, uint64(len(stored)))
	}
	c.setLeaf(metaOffset, col.metaAt, model.I(put(append(binary.AppendUvarint(nil, uint64(left)), dir...))))
	return nil
}

// putValues writes the new metadata values of a column. left is the number of entries after that, and touched whether any of them
// changed.
func (c *rewriting) putValues(col *column, put func([]byte) int64) (left int, touched bool) {
	left = len(c.extra[col.index])
	touched = left > 0
	for _, m := range col.entries {
		if b := c.meta[m]; b != nil {
			c.setLeaf(metaBlockOff, m.offAt, model.I(put(b)))
			c.setLeaf(metaBlockLen, m.lenAt, model.U(uint64(len(b))))
			touched = true
		}
		if c.drop[c.stream.base+m.entry[0]] {
			touched = true
		} else {
			left++
		}
	}
	if col.metaSpan != nil {
		for l := range c.over {
			touched = touched || l.off >= col.metaSpan.Range.Off && l.off < col.metaSpan.Range.End()
		}
	}
	return left, touched
}

// losesMetadata says why partly readable metadata are not rewritten.
func (c *column) losesMetadata() error {
	return fmt.Errorf("column %q has metadata beyond the first %s of the file, which is all that is read: it would be lost", c.name.s, model.Thousands(maxMetadata))
}
