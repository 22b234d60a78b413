package idv

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"spandrel/model"
)

// leaf identifies a leaf of a directory: empty leaves have the same offset as the next one.
type leaf struct {
	off   int64
	field *model.Field
}

// rewriting collects the changes of a stream and writes them after it: new blocks, lookup tables, metadata
// directories, a complete column directory and a tail; finally the header is pointed at them (§7.2). Nothing moves, and until the
// header is written the stream is unchanged.
type rewriting struct {
	contents
	over  map[leaf][]byte       // leaves of the directories that change
	drop  map[int64]bool        // removed elements, by their start
	extra map[int][]newEntry    // added metadata entries, by column
	order []int                 // columns of the new directory; nil: all, unchanged
	moved map[int]map[int64]int // by column and block: index into blocks
	meta  map[*metadata][]byte
	head  map[int64][]byte // requested header fields, by offset
	fresh [][]byte         // new data blocks, and their decoded sizes
	sizes []int
	// beside means that other edits change bytes of the stream in place, so that it cannot be rewritten as well.
	beside bool
}

// change begins a change of the stream.
func (s contents) change() *rewriting {
	return &rewriting{contents: s, over: map[leaf][]byte{}, drop: map[int64]bool{}, extra: map[int][]newEntry{},
		moved: map[int]map[int64]int{},
		meta:  map[*metadata][]byte{}, head: map[int64][]byte{}}
}

// setLeaf replaces the bytes of a leaf of a directory, identified by where it starts in the space.
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

// block replaces block k of a column.
func (c *rewriting) block(col int, k int64, stored []byte, size int) {
	if c.moved[col] == nil {
		c.moved[col] = map[int64]int{}
	}
	c.moved[col][k] = len(c.fresh)
	c.fresh, c.sizes = append(c.fresh, stored), append(c.sizes, size)
}

// metaBlock replaces the value of a metadata block, stored in the smaller way (§4.3).
func (c *rewriting) metaBlock(m *metadata, decoded []byte) error {
	stored, kind, err := c.stream.pack(decoded)
	if err != nil {
		return err
	}
	c.meta[m] = stored
	c.over[leaf{m.compressionAt, compression}] = []byte{kind}
	return nil
}

// pack stores a metadata value as the writer of the stream would have: deflated if that is smaller.
func (s *stream) pack(decoded []byte) ([]byte, byte, error) {
	if len(s.cols) > 0 && s.cols[0].compression == 1 {
		z, err := compress(1, decoded)
		if err != nil {
			return nil, 0, err
		}
		if len(z) < len(decoded) {
			return z, 1, nil
		}
	}
	return decoded, 0, nil
}

// build rewrites a directory from its spans, with the changes. Lengths are updated.
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
	kids := c.kids(span)
	parts := make([][]byte, len(kids))
	for i, k := range kids {
		var err error
		if parts[i], err = c.build(k); err != nil {
			return nil, err
		}
	}
	c.measure(kids, parts)
	return bytes.Join(parts, nil), nil
}

// measure updates the lengths among the parts of a directory if what they measure has changed its length.
func (c *rewriting) measure(kids []*model.Span, parts [][]byte) {
	for i, k := range kids {
		if k.Field != length && k.Field != paramLength || c.over[leaf{k.Range.Off, k.Field}] != nil {
			continue
		}
		before, after := int64(0), 0
		for j := i + 1; j < len(kids) && (j == i+1 || k.Field == paramLength); j++ {
			before, after = before+kids[j].Range.Len, after+len(parts[j])
		}
		if before != int64(after) {
			parts[i] = binary.AppendUvarint(nil, uint64(after))
		}
	}
}

// kids are the remaining children of a span, in their new order.
func (c *rewriting) kids(span *model.Span) (out []*model.Span) {
	order := c.order
	if span != c.stream.tocSpan || order == nil {
		order = model.Indices(int(span.Count()))
	}
	for _, i := range order {
		if k := span.Child(int64(i)); !c.drop[k.Range.Off] || k.Index() < 0 {
			out = append(out, k)
		}
	}
	return out
}

// appendText appends a length and a text (§0).
func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// setField is the edit that sets a number at an offset of the stream.
func (s contents) setField(off, v int64) []model.Edit {
	span := s.leafAt(s.stream.base + off)
	if span == nil {
		return nil
	}
	x := model.I(v)
	if span.Field.Codec.Kind() == model.Uint {
		x = model.U(uint64(v))
	}
	if b, err := span.Field.Codec.Encode(x); err != nil || int64(len(b)) != span.Range.Len {
		return nil
	}
	return []model.Edit{model.SetValue(span, x)}
}

func (s *stream) damagedTOC() error {
	return fmt.Errorf("the column directory at 0x%x is damaged: repair it first", s.base+s.toc)
}
