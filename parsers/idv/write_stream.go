package idv

import (
	"context"
	"encoding/binary"
	"fmt"

	"spandrel/model"
)

// leaf names a leaf of a directory: empty leaves share their offset with the next one.
type leaf struct {
	off   int64
	field *model.Field
}

// rewriting collects what changes in a stream and writes it behind the stream: new blocks, lookup tables, metadata
// directories, a complete column directory and a tail; last the header is pointed at them (§7.2). Nothing moves, and until the
// header is written the stream is what it was.
type rewriting struct {
	ctx   context.Context
	s     *stream
	t     *model.Tree
	over  map[leaf][]byte       // leaves of the directories that get other bytes
	drop  map[int64]bool        // elements that go, by where they start
	extra map[int][]newEntry    // metadata entries that are added, by column
	order []int                 // columns of the new directory; nil: all, as they are
	moved map[int]map[int64]int // by column and block: index into blocks
	meta  map[*metadata][]byte
	rows  *int64
	head  map[int64][]byte // header fields asked for, by offset
	fresh [][]byte         // new data blocks, and their decoded sizes
	sizes []int
	// beside tells that other edits change bytes of the stream where they are, so that it cannot be written anew as well.
	beside bool
}

func (s *stream) change(ctx context.Context, t *model.Tree) *rewriting {
	return &rewriting{ctx: ctx, s: s, t: t, over: map[leaf][]byte{}, drop: map[int64]bool{}, extra: map[int][]newEntry{}, moved: map[int]map[int64]int{},
		meta: map[*metadata][]byte{}, head: map[int64][]byte{}}
}

// setLeaf gives a leaf of a directory, by where it starts in the space, other bytes.
func (c *rewriting) setLeaf(f *model.Field, off int64, v model.Value) {
	if b, err := f.Codec.Encode(v); err == nil {
		c.over[leaf{off, f}] = b
	}
}

// newEntry is a metadata entry that is added: its codec definition and its decoded value.
type newEntry struct {
	kind           string
	codec, decoded []byte
}

// block puts other bytes in the place of block k of a column.
func (c *rewriting) block(col int, k int64, stored []byte, size int) {
	if c.moved[col] == nil {
		c.moved[col] = map[int64]int{}
	}
	c.moved[col][k] = len(c.fresh)
	c.fresh, c.sizes = append(c.fresh, stored), append(c.sizes, size)
}

// metaBlock puts another value in the place of a metadata block, stored the smaller way (§4.3).
func (c *rewriting) metaBlock(m *metadata, decoded []byte) error {
	stored, kind, err := c.s.pack(decoded)
	if err != nil {
		return err
	}
	c.meta[m] = stored
	c.over[leaf{m.compressionAt, compression}] = []byte{kind}
	return nil
}

// pack stores a metadata value as the writer of the stream would have: deflated where that is smaller.
func (s *stream) pack(decoded []byte) ([]byte, byte, error) {
	if len(s.cols) > 0 && s.cols[0].compression == 1 {
		z, err := deflate(decoded)
		if err != nil {
			return nil, 0, err
		}
		if len(z) < len(decoded) {
			return z, 1, nil
		}
	}
	return decoded, 0, nil
}

// build writes a directory anew from its spans, with the changes. Lengths follow what they measure.
func (c *rewriting) build(span *model.Span) ([]byte, error) {
	n := span.Count()
	if b, ok := c.over[leaf{span.Range.Off, span.Field}]; ok {
		return b, nil
	}
	if span.Shape == model.Leaf || n == 0 || span.Field == dims {
		b, err := c.t.Bytes(c.ctx, span.Range)
		for i := 0; span.Field == dims && i+4 <= len(b); i += 4 {
			copy(b[i:], c.over[leaf{span.Range.Off + int64(i), dim}])
		}
		return b, err
	}
	parts, kids := make([][]byte, 0, n), make([]*model.Span, 0, n)
	add := func(k *model.Span) error {
		if c.drop[k.Range.Off] && k.Index() >= 0 {
			return nil
		}
		b, err := c.build(k)
		parts, kids = append(parts, b), append(kids, k)
		return err
	}
	if span == c.s.tocSpan && c.order != nil {
		for _, i := range c.order {
			if err := add(span.Child(int64(i))); err != nil {
				return nil, err
			}
		}
	} else {
		for i := range n {
			if err := add(span.Child(i)); err != nil {
				return nil, err
			}
		}
	}
	var out []byte
	for i, k := range kids {
		asked := c.over[leaf{k.Range.Off, k.Field}] != nil
		if (k.Field == length || k.Field == paramLength) && !asked {
			before, after := int64(0), 0
			for j := i + 1; j < len(kids) && (j == i+1 || k.Field == paramLength); j++ {
				before, after = before+kids[j].Range.Len, after+len(parts[j])
			}
			if before != int64(after) {
				parts[i] = binary.AppendUvarint(nil, uint64(after))
			}
		}
		out = append(out, parts[i]...)
	}
	return out, nil
}

// appended lays the change out behind the stream: nothing moves, and until the header is written the stream is what it was (§7.2).
func (c *rewriting) appended() ([]model.Edit, error) {
	s := c.s
	if s.tocSpan == nil && len(s.cols) > 0 || len(s.cols) != int(max(0, s.columnCount)) {
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
	columns := s.columnCount
	if c.order != nil {
		columns = int64(len(c.order))
	}
	var dir []byte
	if s.tocSpan != nil {
		var err error
		if dir, err = c.build(s.tocSpan); err != nil {
			return nil, err
		}
	}
	toc := put(dir)
	tail := put(binary.LittleEndian.AppendUint64(nil, tailSignature))
	rows := s.rows
	if c.rows != nil {
		rows = *c.rows
	}
	head := binary.LittleEndian.AppendUint64(nil, uint64(toc))
	head = binary.LittleEndian.AppendUint64(head, uint64(tail))
	head = binary.LittleEndian.AppendUint64(head, uint64(rows))
	head = binary.LittleEndian.AppendUint32(head, uint32(columns))
	edits := []model.Edit{
		model.Splice{Range: model.Range{Space: s.space, Off: s.base + s.size}, With: model.Memory(out), Into: s.root.Path()},
		model.Replace(model.Range{Space: s.space, Off: s.base + 24, Len: int64(len(head))}, head),
	}
	for off, b := range c.head {
		if off >= 40 && off < 52 {
			copy(head[off-24:], b)
		} else {
			edits = append(edits, model.Replace(model.Range{Space: s.space, Off: s.base + off, Len: int64(len(b))}, b))
		}
	}
	return edits, nil
}

// putLookups writes new blocks and the lookup tables of their columns.
func (c *rewriting) putLookups(put func([]byte) int64) error {
	at := make([]int64, len(c.fresh))
	for i, b := range c.fresh {
		at[i] = put(b)
	}
	for _, col := range c.s.cols {
		moved := c.moved[col.index]
		if len(moved) == 0 {
			continue
		}
		table, err := c.t.Bytes(c.ctx, model.Range{Space: c.s.space, Off: c.s.base + col.lookup, Len: 16 * col.blocks})
		if err != nil {
			return err
		}
		for k, i := range moved {
			e := table[16*k:]
			binary.LittleEndian.PutUint64(e, uint64(at[i]))
			binary.LittleEndian.PutUint32(e[8:], uint32(len(c.fresh[i])))
			binary.LittleEndian.PutUint32(e[12:], uint32(c.sizes[i]))
		}
		c.setLeaf(lookupOffset, col.lookupAt, model.I(put(table)))
	}
	return nil
}

// putMetadata writes the new metadata of a column: blocks, then the directory.
func (c *rewriting) putMetadata(col *column, put func([]byte) int64) error {
	s, touched, left := c.s, len(c.extra[col.index]) > 0, len(c.extra[col.index])
	for _, m := range col.entries {
		if b := c.meta[m]; b != nil {
			c.setLeaf(metaBlockOff, m.offAt, model.I(put(b)))
			c.setLeaf(metaBlockLen, m.lenAt, model.U(uint64(len(b))))
			touched = true
		}
		if c.drop[s.base+m.entry[0]] {
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
	switch {
	case !touched:
		return nil
	case left == 0:
		c.setLeaf(metaOffset, col.metaAt, model.I(0))
		return nil
	case s.layout != 6:
		return fmt.Errorf("metadata exists from version 1.1.1.4 on")
	}
	var dir []byte
	var err error
	if col.metaSpan != nil {
		if dir, err = c.build(col.metaSpan.Get(metaEntries.Name)); err != nil {
			return err
		}
	} else if col.meta != 0 {
		return fmt.Errorf("the metadata directory of column %q is damaged", col.name.s)
	}
	for _, e := range c.extra[col.index] {
		stored, kind, err := s.pack(e.decoded)
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

// appendText appends a length and a text (§0).
func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}
