package idv

import (
	"cmp"
	"fmt"
	"slices"

	"spandrel/model"
	"spandrel/parsers/idv/block"
)

// transposedFile is a transposed file that is being read.
type transposedFile struct {
	c                          *model.Cursor
	st                         *state
	size, bound                int64
	table, tail, rows, columns model.Node // the fields of the header
	array                      model.Node // of streams
	entries                    [][2]int64
	subs                       []*directory
}

// parseTransposed reads a transposed file.
func parseTransposed(c *model.Cursor, st *state) {
	c.DamageIs(transposedHead)
	x := &transposedFile{c: c, st: st, size: c.Size()}
	x.header()
	x.end()
	if n := x.count(); n >= 0 {
		x.streams(n)
		x.check()
	}
}

// header reads the header and checks what it says by itself.
func (x *transposedFile) header() {
	var h [8]model.Node
	x.c.Struct(headerField, func(c *model.Cursor) {
		for i, f := range transposedFields {
			h[i] = c.Field(f)
		}
	})
	if h[0].Uint() != transposedSignature {
		x.c.Wrong(transposedHead, h[0], fmt.Sprintf("%x", h[0].Uint()), model.U(transposedSignature),
			expecting(fmt.Sprintf("%x", uint64(transposedSignature))))
	}
	for _, n := range h[1:3] {
		if n.Uint() != versionBase+1 {
			x.c.Wrong(transposedHead, n, versionText(n.Uint()), "1.1.1.1")
		}
	}
	x.table, x.tail, x.rows, x.columns = h[3], h[4], h[5], h[6]
	for _, n := range []model.Node{x.rows, x.columns} {
		if n.Int() < 0 {
			x.c.Wrong(transposedCounts, n, nil, "0 or more")
		}
	}
}

// end reads the end mark.
func (x *transposedFile) end() {
	x.st.tail = x.tail
	x.bound = x.tail.Int()
	if x.bound < headerSize || x.bound > x.size-8 {
		x.c.Wrong(transposedTail, x.tail, nil, fmt.Sprintf("256 to %d", x.size-8))
		x.bound = x.size
		return
	}
	x.c.At(x.bound, func(c *model.Cursor) {
		var sig model.Node
		node := c.Struct(tailField, func(c *model.Cursor) { sig = c.Field(signatureF) })
		if sig.Uint() != transposedTailSignature {
			c.Wrong(transposedTail, sig, fmt.Sprintf("0x%x", sig.Uint()), model.U(transposedTailSignature), expecting(""))
		}
		c.OffsetOf(x.tail, node).As(transposedTail)
	})
}

// count is how many entries of the table of streams exist in the file; -1 if its offset is invalid.
func (x *transposedFile) count() int64 {
	table, n := x.table.Int(), x.columns.Int()+1
	if table >= headerSize && table <= x.bound && n > 0 && n <= (x.bound-table)/16 {
		return n
	}
	x.c.Wrong(transposedCounts, x.table, model.Words("%d, %d entries", table, n), fmt.Sprintf("256 to %d", x.bound))
	if table < headerSize || table > x.bound || n <= 0 {
		return -1
	}
	return (x.bound - table) / 16
}

// streams reads the table of n streams, and the streams.
func (x *transposedFile) streams(n int64) {
	table := x.table.Int()
	x.c.At(table, func(c *model.Cursor) {
		b := c.Peek(16 * min(n, transposedMaxStreams))
		for i := 0; i+16 <= len(b); i += 16 {
			off, _, _ := model.I64LE.Decode(b[i:])
			length, _, _ := model.I64LE.Decode(b[i+8:])
			x.entries = append(x.entries, [2]int64{off.Int(), length.Int()})
		}
		x.array = c.Array(transposedTable, transposedRecord, n)
		c.OffsetOf(x.table, x.array).As(transposedCounts)
		c.CountOf(x.columns, x.array).Plus(-1).As(transposedCounts).When(n == x.columns.Int()+1)
	})
	x.subs = make([]*directory, len(x.entries))
	placed := [][2]int64{{table, table + 16*n}} // spans in file order
	for i, e := range x.entries {
		at := x.array.Child(int64(i))
		end := e[0] + e[1]
		switch {
		case e[0] == 0 && i == 0:
			x.c.Wrong(transposedSchema, at, "no schema stream", "one")
			continue
		case e[0] == 0:
			continue
		case e[0] < headerSize || e[0] > x.bound || e[1] < 0 || e[1] > x.bound-e[0]:
			x.c.Wrong(transposedEntry, at, model.Words("%d, %d bytes", e[0], e[1]), fmt.Sprintf("inside 256 to %d", x.bound))
			continue
		}
		// the first that ends after the start
		k, _ := slices.BinarySearchFunc(placed, e[0]+1, func(p [2]int64, at int64) int { return cmp.Compare(p[1], at) })
		if k < len(placed) && placed[k][0] < end {
			x.c.Wrong(transposedEntry, at, fmt.Sprintf("%d to %d", e[0], end), fmt.Sprintf("not in %d to %d, which is used for something else",
				placed[k][0], placed[k][1]))
			continue
		}
		placed = slices.Insert(placed, k, [2]int64{e[0], end})
		x.stream(i, e, at)
	}
}

// stream reads an embedded stream in an address space of its own: its offsets count from its start.
func (x *transposedFile) stream(i int, e [2]int64, entry *model.Span) {
	label := fmt.Sprintf("column %d", i-1)
	if i == 0 {
		label = "rows"
	}
	x.c.At(e[0], func(c *model.Cursor) {
		raw := c.FieldN(transposedSub.Named("sub[%d]", i), e[1])
		c.OffsetOf(model.Node{Span: entry.Child(0)}, raw).As(transposedEntry)
		c.LengthOf(model.Node{Span: entry.Child(1)}, raw).As(transposedEntry)
		s := c.Derive(transposedStreamDoc.Named("stream[%d]", i), model.Derived{Transform: model.Identity, From: raw,
			Size: e[1], Body: func(c *model.Cursor) {
				parseStream(c, x.st, map[bool]string{true: "", false: label}[i == 0])
			}})
		if s.Span != nil {
			x.st.boxed = append(x.st.boxed, s.Span)
		}
		// The directories of the column streams are compared with the schema now, without spans.
		if b := c.PeekAt(e[0], e[1]); len(b) > 0 {
			x.subs[i] = glance(b)
		}
	})
}

// glance reads the directories of a stream without creating spans.
func glance(b []byte) *directory {
	s := &directory{size: int64(len(b))}
	peek := func(off, n int64) []byte { return within(b, off, n) }
	var regions regionMap
	s.header(peek)
	if !s.salvage {
		s.columns(peek, &regions)
		s.metadata(peek, &regions)
	}
	return s
}

// check compares the streams with the header and with the schema (rules 124 to 126).
func (x *transposedFile) check() {
	bad := func(rule *model.Rule, i int64, found, expected string) {
		x.c.Wrong(rule, x.array.Child(i), found, expected)
	}
	subs, rows, columns := x.subs, x.rows.Int(), x.columns.Int()
	if len(subs) == 0 || subs[0] == nil || rows < 0 {
		return
	}
	schema := subs[0]
	if int64(len(schema.cols)) != columns || schema.rows != 0 && schema.rows != rows {
		bad(transposedSchema, 0, model.Words("%d columns, %d rows", len(schema.cols), schema.rows),
			model.Words("%d columns, 0 or %d rows", columns, rows))
	}
	for i, c := range schema.cols[:min(len(schema.cols), len(subs)-1)] {
		at := i + 1 // the schema is the first
		switch s := subs[at]; {
		case s != nil:
			if found, expected := transposedAs(s, c.codec, rows); found != expected {
				bad(transposedColumn, int64(at), found, expected)
			}
		case x.entries[at][0] == 0 && schema.rows != rows:
			bad(transposedNoColumn, int64(at), fmt.Sprintf("no stream for column %q", c.name.s), "")
		}
	}
}

// transposedAs returns the actual and expected content of the stream of a column with so many rows: for each position of the column, a vector of all rows.
func transposedAs(s *directory, column *block.Codec, rows int64) (found, expected string) {
	slots, item := int64(1), column
	if column.Kind == block.Vector {
		slots, item = column.Size, column.Item
	}
	expected = model.Words("Vector<%s, %d>, %d rows", item, rows, slots)
	if len(s.cols) != 1 {
		return model.Words("%d columns, %d rows", len(s.cols), s.rows), expected
	}
	if k := s.cols[0].codec; k.Kind == block.Vector && k.Size == rows && s.rows == slots && k.Item.Base() == item.Base() {
		return expected, expected
	}
	return model.Words("%s, %d rows", s.cols[0].codec, s.rows), expected
}
