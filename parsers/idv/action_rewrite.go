package idv

import (
	"fmt"
	"maps"
	"slices"

	"spandrel/model"
)

// maxAnew is the largest stream that an edit rewrites; in a larger one, changes are appended.
const maxAnew = 64 << 20

// tidy tells whether a stream is small and has no unreachable bytes, so that rewriting it loses none and leaves none.
func (s *stream) tidy() bool {
	return s.size <= maxAnew && len(s.holes) == 0 && s.tail == s.size-8 && !s.salvage
}

// file writes the stream with the changes in the order of ML.NET's writer (§2.1, §7.5): header, blocks in their present order,
// lookup tables, metadata, column directory, tail.
func (c *rewriting) file() ([]model.Edit, error) {
	s := c.stream
	if s.salvage || s.tocSpan == nil && s.columnCount > 0 || len(s.cols) != int(max(0, s.columnCount)) {
		return nil, s.damagedTOC()
	}
	out := &model.Joined{}
	head := make([]byte, headerSize)
	out.Add(model.Memory(head))
	kept := c.kept()
	if err := c.rewriteBlocks(out, kept); err != nil {
		return nil, err
	}
	put := func(b []byte) int64 { return out.Add(model.Memory(b)) }
	if err := c.rewriteMetadata(kept, put); err != nil {
		return nil, err
	}
	toc, tail, err := c.putDirectory(put)
	if err != nil {
		return nil, err
	}
	is, err := c.header(toc, tail)
	if err != nil {
		return nil, err
	}
	copy(head, is)
	return []model.Edit{model.Splice{Range: model.Range{Space: s.space, Off: s.base, Len: s.size}, With: out, Into: s.root.Path()}}, nil
}

// kept lists the remaining columns in order.
func (c *rewriting) kept() []int {
	if c.order != nil {
		return c.order
	}
	return model.Indices(len(c.stream.cols))
}

// rewriteBlocks writes the blocks of the remaining columns and their lookup tables. Shared blocks stay shared.
func (c *rewriting) rewriteBlocks(out *model.Joined, kept []int) error {
	s := c.stream
	place := map[regionKey]int64{}
	fresh := make([]int64, len(c.fresh))
	for _, b := range s.blocks {
		if !slices.Contains(kept, int(b.col)) {
			continue
		}
		if i, ok := c.moved[int(b.col)][int64(b.k)]; ok {
			fresh[i] = out.Add(model.Memory(c.fresh[i]))
			continue
		}
		key := regionKey{off: b.off, n: int64(b.n)}
		if _, ok := place[key]; !ok {
			place[key] = out.Add(c.t.Slice(c.ctx, s.rangeOf(b)))
		}
	}
	for _, i := range kept {
		col := s.cols[i]
		table, err := c.lookupTable(col, place, fresh)
		if err != nil {
			return err
		}
		at := out.Len()
		if len(table) > 0 {
			out.Add(model.Memory(table))
		}
		c.setLeaf(lookupOffset, col.lookupAt, model.I(at))
	}
	return nil
}

// lookupTable is the lookup table of a column, with the new places of its blocks.
func (c *rewriting) lookupTable(col *column, place map[regionKey]int64, fresh []int64) ([]byte, error) {
	s := c.stream
	table, err := c.t.Bytes(c.ctx, model.Range{Space: s.space, Off: s.base + col.lookup, Len: 16 * col.blocks})
	if err != nil && col.blocks > 0 {
		return nil, err
	}
	for k := range int64(len(table)) / 16 {
		b := decodeEntry(table[16*k:], col.index, k)
		at, ok := place[regionKey{off: b.off, n: int64(b.n)}]
		n, size := int64(b.n), int64(b.dec)
		if j, moved := c.moved[col.index][k]; moved {
			at, ok = fresh[j], fresh[j] > 0
			n, size = int64(len(c.fresh[j])), int64(c.sizes[j])
		}
		if !ok {
			return nil, fmt.Errorf("%s is not in the stream: repair its lookup entry first", s.blockName(b))
		}
		copy(table[16*k:], appendEntry(nil, at, n, size))
	}
	return table, nil
}

// rewriteMetadata writes the metadata of the remaining columns, and its directories. Each entry then has bytes of its own.
func (c *rewriting) rewriteMetadata(kept []int, put func(b []byte) int64) error {
	s := c.stream
	left := s.size
	for _, i := range kept {
		col := s.cols[i]
		if col.meta != 0 && col.metaSpan == nil {
			return fmt.Errorf("the metadata directory of column %q is damaged or shared", col.name.s)
		}
		if col.unread {
			return col.losesMetadata()
		}
		if err := c.keepMetadata(col, &left); err != nil {
			return err
		}
		if err := c.putMetadata(col, put); err != nil {
			return err
		}
	}
	return nil
}

// keepMetadata reads the unchanged entries of a column; left is how many bytes they may have in total.
func (c *rewriting) keepMetadata(col *column, left *int64) error {
	s := c.stream
	for _, m := range col.entries {
		if c.meta[m] != nil || c.drop[s.base+m.entry[0]] {
			continue
		}
		if m.off < headerSize || m.n < 1 || m.off > s.size-m.n {
			return fmt.Errorf("%s of column %q is not in the stream", m.kind.s, col.name.s)
		}
		if *left -= m.n; *left < 0 {
			return fmt.Errorf("metadata entries share their bytes: stored separately they would be longer than the file")
		}
		b, err := c.t.Bytes(c.ctx, model.Range{Space: s.space, Off: s.base + m.off, Len: m.n})
		if err != nil {
			return err
		}
		c.meta[m] = b
	}
	return nil
}

// edits makes the edits of the change: the stream rewritten if it is small and tidy and nothing else changes in it, otherwise data after it.
func (c *rewriting) edits() ([]model.Edit, error) {
	if c.stream.tidy() && !c.beside {
		over, meta := maps.Clone(c.over), maps.Clone(c.meta)
		if edits, err := c.file(); err == nil {
			return edits, nil
		}
		c.over, c.meta = over, meta
	}
	return c.appended()
}
