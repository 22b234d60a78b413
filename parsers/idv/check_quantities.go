package idv

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/parsers/idv/block"
)

// For the diagnosis: how long a file should be, and every number that more than one place states.

var magics = []model.Magic{{Bytes: "CML\x00DVB\x00"}, {Bytes: "CML\x00DVB\x00", At: 4}, {Bytes: "XPOSEDDV"}}

// extents says how long the file should be: the tail is where the header says.
func extents(ctx context.Context, t *model.Tree) (out []model.Extent) {
	if n := t.Root.Range.Len; n > 0 && n < headerSize {
		if b, err := t.Bytes(ctx, model.Range{Space: t.Root.Range.Space, Len: min(n, 8)}); err == nil && !slices.ContainsFunc(magics, func(m model.Magic) bool {
			return m.At == 0 && strings.HasPrefix(m.Bytes, string(b))
		}) {
			return nil // it does not begin like a header
		}
		return []model.Extent{{Size: headerSize, Least: true, Says: "it is shorter than its header"}}
	}
	st := stateOf(t)
	if n := st.tail; n.Span != nil && n.Int() >= headerSize && n.Int() < 1<<50 {
		return []model.Extent{{Size: n.Int() + 8, By: n.Span, Says: "the header gives its length"}}
	}
	if st.zip != nil {
		if e, ok := st.zip.Extent(t.Peek(ctx, t.Root.Range.Space), t.Root.Range.Len); ok {
			return []model.Extent{e}
		}
	}
	for _, s := range st.all() {
		if s.space == t.Root.Range.Space && s.base <= 4 && st.zip == nil {
			out = append(out, extentOf(s.in(ctx, t), s)...)
		}
	}
	return out
}

// extentOf says how long the file of a stream should be according to its header: nothing if the header is lost, or if the directory is in place,
// has no entry with an unknown type, and ends with the file, because then the number is wrong.
func extentOf(in contents, s *stream) []model.Extent {
	if s.salvage || s.foreign || s.tail < headerSize || s.columnCount > 0 && s.toc >= s.tail {
		return nil
	}
	mark := s.size - 8
	ends := in.marked(mark)
	torn := func(c *column) bool { return c.codec.Kind == block.Unknown } // bytes may be lost in its entry
	if s.tail != mark && s.tocEnd == mark && ends && !slices.ContainsFunc(s.cols, torn) {
		return nil
	}
	return []model.Extent{{Size: s.base + s.tail + 8, By: s.headerSpan(tailOffset), Says: "the header gives its length", Ends: ends}}
}

// quantities are the numbers that several places state: rows by the header and the blocks of each column, rows per block by each
// column, columns by the header and the directory, positions and keys of a column by its type and its metadata.
func quantities(ctx context.Context, t *model.Tree) (out []model.Quantity) {
	for _, s := range stateOf(t).all() {
		if !s.salvage && !s.foreign && s.headerSpan(rowCount) != nil && ctx.Err() == nil {
			out = append(out, stated(s.in(ctx, t))...)
		}
	}
	return out
}

// stated are the numbers that several places of a stream state.
func stated(s contents) (out []model.Quantity) {
	cols := s.stream.cols[:min(len(s.stream.cols), maxWitnesses)]
	rows := model.Quantity{Name: "rows", Witnesses: []model.Witness{{Text: "the header", Value: model.I(s.stream.rows),
		Field: s.stream.headerSpan(rowCount)}}}
	group := model.Quantity{Name: "rows of a block"}
	for _, c := range cols {
		if n, err := s.columnRows(c); err == nil {
			rows.Witnesses = append(rows.Witnesses, model.Witness{Text: fmt.Sprintf("the blocks of column %q", c.name.s), Value: model.I(n)})
		}
		group.Witnesses = append(group.Witnesses, model.Witness{Text: fmt.Sprintf("column %q", c.name.s), Value: model.U(c.rpbStored),
			Field: s.leafAt(c.rpbAt)})
		out = append(out, lengthsOf(s, c))
	}
	end := model.Quantity{Name: "is the end of the file", Witnesses: []model.Witness{{Text: "the header", Value: model.I(s.stream.tail),
		Field: s.stream.headerSpan(tailOffset)}}}
	if mark := s.tailNear(); mark >= 0 && !s.marked(s.stream.tail) {
		end.Witnesses = append(end.Witnesses, model.Witness{Text: "the end mark", Value: model.I(mark), Weak: true}) // lost bytes move it
		if s.stream.tocEnd == mark {
			end.Witnesses = append(end.Witnesses, model.Witness{Text: "the directory, which ends there", Value: model.I(mark)})
		}
	}
	out = append(out, rows, group, end)
	if s.stream.tocEnd != s.stream.tail && s.tailNear() == s.stream.tail { // the directory may be elsewhere
		if toc, ok := s.stream.searchTOC(s.peek, s.tailNear()); ok && s.stream.columnCount > 0 {
			out = append(out, model.Quantity{Name: "is where the columns are described", Witnesses: []model.Witness{
				{Text: "the header", Value: model.I(s.stream.toc), Field: s.stream.headerSpan(tocOffset)},
				{Text: fmt.Sprintf("the directory of %s that ends at the end mark", model.Count(s.stream.columnCount, "columns")), Value: model.I(toc)}}})
		}
	}
	if n := s.stream.countColumns(s.peek, s.stream.toc); n > 0 {
		out = append(out, model.Quantity{Name: "columns", Witnesses: []model.Witness{
			{Text: "the header", Value: model.I(s.stream.columnCount), Field: s.stream.headerSpan(columnCount)},
			{Text: "the directory, whose entries end at the end mark", Value: model.I(n)}}})
	}
	return slices.DeleteFunc(out, func(q model.Quantity) bool { return len(q.Witnesses) < 2 })
}

// lengthsOf are the positions of a vector column, or the keys of a key column: stated by its type, and by the type and value of
// their names.
func lengthsOf(s contents, c *column) model.Quantity {
	q, kind := model.Quantity{}, ""
	switch k := c.codec; {
	case k.Kind == block.Vector && k.Rank == 1 && k.Size > 0:
		q.Name, kind = fmt.Sprintf("positions of column %q", c.name.s), "SlotNames"
		q.Witnesses = append(q.Witnesses, model.Witness{Text: "the type of the column", Value: model.I(k.Size), Field: s.leafAt(k.Off + k.N - 4)})
		if b, err := s.decoded(c, 0); err == nil && c.blocks > 0 && len(b) >= 8 {
			q.Witnesses = append(q.Witnesses, model.Witness{Text: "its first block",
				Value: model.I(int64(int32(binary.LittleEndian.Uint32(b[4:]))))})
		}
	case k.Kind == block.Key && k.Name == "Key2" && !k.BadCount:
		q.Name, kind = fmt.Sprintf("keys of column %q", c.name.s), "KeyValues"
		q.Witnesses = append(q.Witnesses, model.Witness{Text: "the type of the column", Value: model.U(k.Count),
			Field: s.leafAt(k.Off + k.N - 8)})
	default:
		return q
	}
	for _, m := range c.entries {
		if k := m.codec; m.kind.s == kind && k.Kind == block.Vector && k.Rank == 1 && k.Size > 0 {
			q.Witnesses = append(q.Witnesses, model.Witness{Text: "the type of its " + kind, Value: model.I(k.Size),
				Field: s.leafAt(k.Off + k.N - 4)})
			if cell, ok := s.metaCell(c, kind); ok {
				q.Witnesses = append(q.Witnesses, model.Witness{Text: "its " + kind, Value: model.I(cell.Len)})
			}
		}
	}
	return q
}
