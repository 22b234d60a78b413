package idv

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"spandrel/model"
	"spandrel/parsers/idv/block"
)

// Transposed files (.tdv): one stream for each column, and one for the schema (§9.3).
const (
	tdvSignature     = 0x56444445534F5058 // "XPOSEDDV"
	tdvTailSignature = 0x58504F5345444456 // "VDDESOPX"
)

var (
	tdvSubTable  = &model.Field{Name: "tableOffset", Codec: model.I64LE, Show: model.ShowHex, Doc: "start of the table of streams", Ref: "§9.3"}
	tdvFields    = []*model.Field{signatureF, versionF, compatible, tdvSubTable, tailOffset, rowCount, columnCount, unused}
	tdvTable     = &model.Field{Name: "table", Doc: "the schema stream, then one stream for each column", Ref: "§9.3"}
	tdvOffset    = &model.Field{Name: "offset", Codec: model.I64LE, Show: model.ShowHex, Doc: "0: there is none", Ref: "§9.3"}
	tdvLength    = &model.Field{Name: "length", Codec: model.I64LE, Ref: "§9.3"}
	tdvRecord    = model.NewRecord(tdvOffset, tdvLength)
	tdvSub       = &model.Field{Name: "sub", Codec: model.RawBytes, Doc: "an embedded stream", Ref: "§9.3"}
	tdvStreamDoc = &model.Field{Name: "stream", Doc: "the embedded stream, with offsets of its own", Ref: "§9.3"}
)

// tdvMaxStreams is how many embedded streams are shown.
const tdvMaxStreams = 1 << 14

// tdvTailed tells whether bytes end with the tail signature of a transposed file.
func tdvTailed(b []byte) bool {
	return len(b) >= 8 && binary.LittleEndian.Uint64(b[len(b)-8:]) == tdvTailSignature
}

// tdvParse reads a transposed file.
func tdvParse(c *model.Cursor, st *state) {
	bad := func(rule *model.Rule, n model.Node, found any, expected string) {
		c.Report(model.Finding{Rule: rule, Span: n.Span, Found: fmt.Sprint(found), Expected: expected})
	}
	c.DamageIs(tdvHead)
	size := c.Size()
	var h [8]model.Node
	c.Struct(headerField, func(c *model.Cursor) {
		for i, f := range tdvFields {
			h[i] = c.Field(f)
		}
	})
	if h[0].Uint() != tdvSignature {
		c.Report(model.Finding{Rule: tdvHead, Span: h[0].Span, Found: fmt.Sprintf("%x", h[0].Uint()), Expected: fmt.Sprintf("%x", uint64(tdvSignature)),
			Fixes: []model.Fix{model.SetTo(h[0].Span, model.U(tdvSignature))}})
	}
	for _, n := range h[1:3] {
		if n.Uint() != versionBase+1 {
			bad(tdvHead, n, versionText(n.Uint()), "1.1.1.1")
		}
	}
	table, tail, rows, columns := h[3].Int(), h[4].Int(), h[5].Int(), h[6].Int()
	if rows < 0 {
		bad(tdvCounts, h[5], rows, "0 or more")
	}
	if columns < 0 {
		bad(tdvCounts, h[6], columns, "0 or more")
	}
	bound := tail
	if tail < headerSize || tail > size-8 {
		bad(tdvTail, h[4], tail, fmt.Sprintf("256 to %d", size-8))
		bound = size
	} else {
		c.At(tail, func(c *model.Cursor) {
			var sig model.Node
			node := c.Struct(tailField, func(c *model.Cursor) { sig = c.Field(signatureF) })
			if sig.Uint() != tdvTailSignature {
				v := model.U(tdvTailSignature)
				c.Report(model.Finding{Rule: tdvTail, Span: sig.Span, Found: fmt.Sprintf("0x%x", sig.Uint()), Fixes: []model.Fix{model.SetTo(sig.Span, v)}})
			}
			c.OffsetOf(h[4], node).Unchecked()
		})
	}
	n := columns + 1
	if table < headerSize || table > bound || columns < 0 || n > (bound-table)/16 {
		bad(tdvCounts, h[3], fmt.Sprintf("%d, %d entries", table, n), fmt.Sprintf("256 to %d", bound))
		if table < headerSize || table > bound || columns < 0 {
			return
		}
		n = (bound - table) / 16
	}
	entries := make([][2]int64, 0, min(n, tdvMaxStreams))
	var array model.Node
	c.At(table, func(c *model.Cursor) {
		b := c.Peek(16 * min(n, tdvMaxStreams))
		for i := 0; i+16 <= len(b); i += 16 {
			off, _, _ := model.I64LE.Decode(b[i:])
			length, _, _ := model.I64LE.Decode(b[i+8:])
			entries = append(entries, [2]int64{off.Int(), length.Int()})
		}
		array = c.Array(tdvTable, tdvRecord, n)
		c.OffsetOf(h[3], array).Unchecked()
		c.CountOf(h[6], array).Plus(-1).Unchecked()
	})
	subs := make([]*stream, len(entries))
	placed := [][2]int64{{table, table + 16*n}} // what has its bytes, in order
	for i, e := range entries {
		if e[0] == 0 {
			if i == 0 {
				bad(tdvSchema, model.Node{Span: array.Child(0)}, "no schema stream", "one")
			}
			continue
		}
		if e[0] < headerSize || e[0] > bound || e[1] < 0 || e[1] > bound-e[0] {
			bad(tdvEntry, model.Node{Span: array.Child(int64(i))}, fmt.Sprintf("%d, %d bytes", e[0], e[1]), fmt.Sprintf("inside 256 to %d", bound))
			continue
		}
		end := e[0] + e[1]
		k, _ := slices.BinarySearchFunc(placed, e[0]+1, func(p [2]int64, at int64) int { return cmp.Compare(p[1], at) }) // the first that ends behind the start
		if k < len(placed) && placed[k][0] < end {
			bad(tdvEntry, model.Node{Span: array.Child(int64(i))}, fmt.Sprintf("%d to %d", e[0], end), fmt.Sprintf("not into %d to %d, which have another meaning", placed[k][0], placed[k][1]))
			continue
		}
		placed = slices.Insert(placed, k, [2]int64{e[0], end})
		tdvStream(c, st, i, e, array.Child(int64(i)), func(s *stream) { subs[i] = s })
	}
	tdvCheck(c, h[5], h[6], array, entries, subs)
}

// tdvStream reads an embedded stream in an address space of its own: its offsets count from its start.
func tdvStream(c *model.Cursor, st *state, i int, e [2]int64, entry *model.Span, done func(*stream)) {
	label := fmt.Sprintf("column %d", i-1)
	if i == 0 {
		label = "rows"
	}
	c.At(e[0], func(c *model.Cursor) {
		raw := c.FieldN(tdvSub.Named("sub[%d]", i), e[1])
		c.OffsetOf(model.Node{Span: entry.Child(0)}, raw).Unchecked()
		c.LengthOf(model.Node{Span: entry.Child(1)}, raw).Unchecked()
		s := c.Derive(tdvStreamDoc.Named("stream[%d]", i), model.Derived{Transform: model.Identity, From: []model.Node{raw}, Size: e[1], Body: func(c *model.Cursor) {
			streamParse(c, st, map[bool]string{true: "", false: label}[i == 0])
		}})
		if s.Span != nil {
			st.boxed = append(st.boxed, s.Span)
		}
		// What the directories of the column streams say is checked against the schema now, without spans.
		if b := c.PeekAt(e[0], e[1]); len(b) > 0 {
			done(glance(b))
		}
	})
}

// glance reads the directories of a stream without making spans.
func glance(b []byte) *stream {
	s := &stream{size: int64(len(b)), leaves: map[int64]*model.Span{}}
	peek := func(off, n int64) []byte {
		if off < 0 || off >= int64(len(b)) {
			return nil
		}
		return b[off:min(off+n, int64(len(b)))]
	}
	var regions regionMap
	s.header(peek)
	if !s.salvage {
		s.directories(peek, &regions)
	}
	return s
}

// tdvCheck compares the streams with the header and with the schema (rules 124 to 126).
func tdvCheck(c *model.Cursor, rows, columns model.Node, array model.Node, entries [][2]int64, subs []*stream) {
	bad := func(rule *model.Rule, i int64, found, expected string) {
		c.Report(model.Finding{Rule: rule, Span: array.Child(i), Found: found, Expected: expected})
	}
	if len(subs) == 0 || subs[0] == nil || rows.Int() < 0 {
		return
	}
	schema := subs[0]
	if int64(len(schema.cols)) != columns.Int() || schema.rows != 0 && schema.rows != rows.Int() {
		bad(tdvSchema, 0, fmt.Sprintf("%d columns, %d rows", len(schema.cols), schema.rows), fmt.Sprintf("%d columns, 0 or %d rows", columns.Int(), rows.Int()))
	}
	for i, s := range subs[1:] {
		if i >= len(schema.cols) {
			return
		}
		want := schema.cols[i].codec
		if s == nil {
			if entries[i+1][0] == 0 && schema.rows != rows.Int() {
				bad(tdvNoColumn, int64(i+1), fmt.Sprintf("no stream for column %q", schema.cols[i].name.s), "")
			}
			continue
		}
		slots, item := int64(1), want
		if want.Kind == block.Vector {
			slots, item = want.Size, want.Item
		}
		ok := len(s.cols) == 1 && s.cols[0].codec.Kind == block.Vector && s.cols[0].codec.Size == rows.Int() && s.rows == slots && s.cols[0].codec.Item.Base() == item.Base()
		if !ok {
			found := fmt.Sprintf("%d columns, %d rows", len(s.cols), s.rows)
			if len(s.cols) == 1 {
				found = fmt.Sprintf("%s, %d rows", s.cols[0].codec, s.rows)
			}
			bad(tdvColumn, int64(i+1), found, fmt.Sprintf("Vector<%s, %d>, %d rows", item, rows.Int(), slots))
		}
	}
}
