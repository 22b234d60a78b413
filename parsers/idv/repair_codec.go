package idv

import (
	"cmp"
	"encoding/binary"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/idv/block"
)

// Repairs that need more than the field in question.

// keyValues is how many key values a column has, or 0.
func (c *column) keyValues() uint64 {
	for _, m := range c.entries {
		if k := m.codec; m.kind.s == "KeyValues" && k.Kind == block.Vector && k.Size > 0 {
			return uint64(k.Size)
		}
	}
	return 0
}

// keyCountRepairs set the count of a key to the number of its key values, which its keys must not exceed, otherwise to the largest
// of its keys (rule 034).
func keyCountRepairs(r repairing) []model.Fix {
	c, k := r.column, r.codec
	if c == nil || k == nil {
		return nil
	}
	set := func(n uint64) []model.Edit {
		return []model.Edit{model.Replace(model.Range{Space: r.stream.space, Off: r.finding.Where().Off, Len: 8}, binary.LittleEndian.AppendUint64(nil, n))}
	}
	if n := c.keyValues(); n > 0 && n <= k.Item.TopKey() {
		return []model.Fix{{Label: fmt.Sprintf("set count to %d, the number of key values", n), Safe: true,
			Build: r.build(func(s contents) ([]model.Edit, error) {
				top, err := largestKey(s, c)
				if err == nil && top > n {
					err = fmt.Errorf("column %q has keys up to %d, but %d key values", c.name.s, top, n)
				}
				return set(n), err
			})}}
	}
	return []model.Fix{{Label: "set count to the largest key", Build: r.build(func(s contents) ([]model.Edit, error) {
		top, err := largestKey(s, c)
		return set(max(1, top)), err
	})}}
}

// largestKey searches all blocks of a column of keys, or of vectors of keys.
func largestKey(s contents, c *column) (top uint64, err error) {
	if c.compression > 1 {
		return 0, fmt.Errorf("the blocks of column %q cannot be read", c.name.s)
	}
	for n := range c.blocks {
		b, err := s.decoded(c, n)
		if err != nil {
			return 0, err
		}
		k, err := block.Read(c.codec, b, s.stream.rowsOf(c, n)).LargestKey()
		if err != nil {
			return 0, fmt.Errorf("block %d of column %q: %w", n, c.name.s, err)
		}
		top = max(top, k)
	}
	return top, nil
}

// newKeyRepairs convert a key of the old type to the present one (rules 035 and 043). Raw keys stay; a min, which the present type does not have, is dropped;
// because a file for older readers is not damaged, that needs a decision.
func newKeyRepairs(r repairing) []model.Fix {
	c, k := r.column, r.codec
	if k == nil || k.Count == 0 || k.Name != "Key" {
		return nil
	}
	fix := model.Fix{Label: "convert it to Key2"}
	count := k.Count
	if k.BadCount && c != nil && c.keyValues() > 0 && c.keyValues() <= k.Item.TopKey() {
		count = c.keyValues()
	}
	if k.Min != 0 {
		fix.Label += fmt.Sprintf(" without its min of %d", k.Min)
	}
	fix.Build = r.build(func(s contents) ([]model.Edit, error) {
		item, err := s.t.Bytes(s.ctx, model.Range{Space: s.stream.space, Off: k.Item.Off, Len: k.Item.N})
		if err != nil {
			return nil, err
		}
		params := binary.LittleEndian.AppendUint64(item, count)
		ch := s.change()
		ch.over[leaf{k.Off, r.field}] = block.Define("Key2", params)
		return ch.edits()
	})
	return []model.Fix{fix}
}

// blockRowsRepairs find the rows per block if columns have none (rule 037): from another column, or from the blocks.
func blockRowsRepairs(r repairing) []model.Fix {
	if other := r.column; other != nil {
		return []model.Fix{{Label: fmt.Sprintf("set it to %d, as in column %q", other.rpb, other.name.s), Safe: true,
			Build: r.build(func(s contents) ([]model.Edit, error) {
				return s.stream.setRowsPerBlock(other.rpb), s.stream.whole()
			})}}
	}
	return []model.Fix{{Label: "compute it from the blocks", Safe: true, Build: r.build(func(s contents) ([]model.Edit, error) {
		n, err := s.countBlockRows()
		return s.stream.setRowsPerBlock(n), cmp.Or(err, s.stream.whole())
	})}}
}

// whole says why the column directory may not be what it seems.
func (s *stream) whole() error {
	if len(s.cols) != int(max(0, s.columnCount)) {
		return s.damagedTOC()
	}
	for _, c := range s.cols {
		if c.name.n == 0 || !c.readable() {
			return s.damagedTOC()
		}
	}
	return nil
}

// setBlockRows sets the rows per block of all columns that differ.
func (s *stream) setRowsPerBlock(n int64) (edits []model.Edit) {
	for _, c := range s.cols {
		if c.rpb != n {
			edits = append(edits, model.Replace(model.Range{Space: s.space, Off: c.rpbAt, Len: c.lookupAt - c.rpbAt},
				binary.AppendUvarint(nil, uint64(n))))
		}
	}
	return edits
}

// countBlockRows finds the rows per block that the first block of every column states, if the lookup tables have the corresponding number of
// entries and their last blocks contain the rest.
func (s contents) countBlockRows() (rpb int64, err error) {
	for _, c := range s.stream.cols {
		if !c.readable() || s.stream.rows <= 0 {
			continue
		}
		first := s.ownRows(c, 0)
		if first <= 0 || first > s.stream.rows {
			continue
		}
		blocks := (s.stream.rows-1)/first + 1
		if s.ownRows(c, blocks-1) != s.stream.rows-(blocks-1)*first {
			continue
		}
		if rpb > 0 && first != rpb {
			return 0, fmt.Errorf("some blocks have %d rows, some %d", rpb, first)
		}
		rpb = first
	}
	if rpb == 0 {
		return 0, fmt.Errorf("no column shows how many rows a block has")
	}
	return rpb, nil
}

// lookupRepairs search for the lookup table of a column among unreferenced bytes, and where its neighbours leave room
// (rule 040).
func lookupRepairs(r repairing) []model.Fix {
	c := r.column
	n := (r.stream.rows-1)/max(1, c.rpb) + 1
	if r.stream.rows <= 0 || n > 1<<12 {
		return nil
	}
	taken := map[int64]bool{c.lookup: true} // used by a table, or tried already
	for _, o := range r.stream.cols {
		taken[o.lookup] = true
	}
	for _, off := range tablePlaces(r.stream, c, n) {
		if taken[off] {
			continue
		}
		if r.ctx.Err() != nil {
			return nil
		}
		if taken[off] = true; r.stream.sound(r.peek, c, off, n) && r.leads(c, off) {
			return []model.Fix{{Label: fmt.Sprintf("point to the table of blocks at 0x%x", off), Safe: true,
				Edits: r.setField(c.lookupAt-r.stream.base, off)}}
		}
	}
	return nil
}

// tablePlaces are possible places of a table of n entries: at the ends of gaps, beside the tables of other columns, and before what follows tables.
func tablePlaces(s *stream, c *column, n int64) (out []int64) {
	for _, h := range s.holes[:min(len(s.holes), maxHoles)] {
		if h[1]-h[0] >= 16*n {
			out = append(out, h[0], h[1]-16*n)
		}
	}
	for _, o := range s.cols {
		if o != c && o.blocks == n {
			out = append(out, o.lookup+16*n*int64(c.index-o.index))
		}
		for _, m := range o.entries {
			out = append(out, m.off-16*n)
		}
		if o.meta > 0 {
			out = append(out, o.meta-16*n)
		}
	}
	return append(out, s.toc-16*n)
}

// leads tells whether the first entry of a table at an offset leads to values of the column.
func (r repairing) leads(c *column, off int64) bool {
	e := r.peek(r.stream.base+off, 16)
	if len(e) < 16 {
		return false
	}
	b := decodeEntry(e, c.index, 0)
	sh := r.stream.shape(b)
	l := located{contents: r.contents, sh: &sh}
	_, n, ok := l.at(b.off, int64(b.n), int64(b.dec))
	return ok && n == int64(b.n)
}

// sound tells whether n lookup entries at an offset lead to blocks inside the stream.
func (s *stream) sound(peek peek, c *column, off, n int64) bool {
	if off < headerSize || n > s.bound/16 || off > s.bound-16*n {
		return false
	}
	b := peek(s.base+off, 16*n)
	for k := int64(0); 16*k+16 <= int64(len(b)); k++ {
		e := decodeEntry(b[16*k:], c.index, k)
		if e.n <= 0 || e.dec < 0 || e.off < headerSize || e.end() > off || c.compression == 0 && e.n != e.dec {
			return false
		}
	}
	return int64(len(b)) == 16*n
}
