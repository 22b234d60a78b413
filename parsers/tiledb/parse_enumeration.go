package tiledb

import (
	"context"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// readEnumeration reads the payload of an enumeration file.
func readEnumeration(c *model.Cursor) *enumeration {
	e := &enumeration{}
	c.Field(eVersion)
	e.name = readText(c, nameLen, nameF)
	e.file = readText(c, ePathLen, ePath)
	e.datatype, e.num = uint8(c.Field(eType).Uint()), uint32(c.Field(eNum).Uint())
	e.ordered = c.Field(eOrdered).Uint() == 1
	e.dataSize = c.Field(eDataSize)
	n := min(e.dataSize.Int(), c.Left()+1)
	data := c.Peek(n)
	e.data = readValues(c, eData, e.datatype, n)
	c.LengthOf(e.dataSize, e.data)
	size := int64(filter.SizeOf(e.datatype))
	if e.num != variableCells {
		if cell := size * int64(e.num); cell <= 0 {
			// an unknown type, or no values in a cell: their fields say so
		} else if n%cell != 0 {
			c.Wrong(enumData, e.dataSize, n, "whole values of "+filter.Text(cell)+" bytes")
		} else {
			for at := int64(0); at <= n; at += cell {
				e.starts = append(e.starts, at)
			}
		}
	} else {
		e.readOffsets(c, n)
	}
	e.distinct(c, data)
	if e.num == variableCells && e.count() > 0 {
		c.Derive(eValues, model.Derived{Transform: model.Identity, From: []model.Node{e.data}, Size: n, Body: func(c *model.Cursor) {
			c.Parts(eValues, c.Left(), &cuts{e.starts, typed(eValue, e.datatype)})
		}})
	}
	trailing(c, behindEnum)
	return e
}

// enumeration is what an enumeration file holds.
type enumeration struct {
	name, file        model.Node
	datatype          uint8
	num               uint32
	ordered           bool
	data, offsets     model.Node
	starts            []int64 // of the values in data, and the end; nil when something is wrong
	dataSize, offSize model.Node
}

// readOffsets reads where the values start in n bytes of data.
func (e *enumeration) readOffsets(c *model.Cursor, n int64) {
	e.offSize = c.Field(eOffsetsSize)
	if e.offSize.Uint()%8 != 0 || (e.offSize.Uint() == 0) != (n == 0) && n > 0 {
		c.Wrong(enumOffsets, e.offSize, e.offSize.Value, "8 bytes for each value")
	}
	raw := c.Peek(min(e.offSize.Int(), c.Left()))
	e.offsets = c.Elements(eOffsets, eOffset, e.offSize.Int()/8)
	c.LengthOf(e.offSize, e.offsets)
	e.starts = startsOf(raw, n)
	for i := range len(raw) / 8 {
		if at := int64(filter.Uint(raw[8*i:], 8)); at != e.starts[i] {
			r := c.Range(e.offsets.Range.Off+int64(8*i), 8)
			c.Wrong(enumOffsets, model.Spot{Span: e.offsets.Span, Range: r}, at, "first 0, ascending, inside the data")
			break
		}
	}
}

// distinct checks that no value stands there twice.
func (e *enumeration) distinct(c *model.Cursor, data []byte) {
	seen := map[string]bool{}
	for i := range min(e.count(), 1<<20) {
		from, to := e.starts[i], e.starts[i+1]
		if to > int64(len(data)) {
			break
		}
		if v := string(data[from:to]); seen[v] {
			r := c.Range(e.data.Range.Off+from, to-from)
			c.Wrong(enumTwice, model.Spot{Span: e.data.Span, Range: r}, "value "+filter.Text(i), "values that differ")
		} else {
			seen[v] = true
		}
	}
}

func (e *enumeration) count() int64 { return max(0, int64(len(e.starts))-1) }

// text is value i of an enumeration for people.
func (e *enumeration) text(t *model.Tree, ctx context.Context, i int64) string {
	r := e.data.Range
	b, err := t.Bytes(ctx, model.Range{Space: r.Space, Off: r.Off + e.starts[i], Len: e.starts[i+1] - e.starts[i]})
	if err != nil {
		return ""
	}
	return cell(e.datatype, e.num, b).String()
}
