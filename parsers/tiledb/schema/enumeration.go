package schema

import (
	"context"
	"fmt"
	"unicode/utf8"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/rule"
	"spandrel/parsers/tiledb/storage"
)

// ReadEnumeration reads the payload of an enumeration file.
func ReadEnumeration(c *model.Cursor) *Enumeration {
	e := &Enumeration{}
	c.Field(eVersion)
	e.Name = storage.ReadText(c, nameLen, NameF)
	e.File = storage.ReadText(c, ePathLen, ePath)
	e.Datatype, e.Num = uint8(c.Field(eType).Uint()), uint32(c.Field(eNum).Uint())
	e.Ordered = c.Field(eOrdered).Uint() == 1
	e.dataSize = c.Field(eDataSize)
	n := min(e.dataSize.Int(), c.Left()+1)
	data := c.Peek(n)
	e.Data = storage.ReadValues(c, eData, e.Datatype, n)
	c.LengthOf(e.dataSize, e.Data)
	size := int64(filter.SizeOf(e.Datatype))
	if e.Num != storage.VariableCells {
		if cell := size * int64(e.Num); cell <= 0 {
			// an unknown type, or no values in a cell: reported at their fields
		} else if n%cell != 0 {
			c.Wrong(rule.EnumData, e.dataSize, n, "whole values of "+filter.Text(cell)+" bytes")
		} else {
			for at := int64(0); at <= n; at += cell {
				e.Starts = append(e.Starts, at)
			}
		}
	} else {
		e.readOffsets(c, n)
	}
	e.checkValues(c, data)
	if e.Num == storage.VariableCells && e.Count() > 0 {
		c.Derive(eValues, model.Derived{Transform: model.Identity, From: e.Data, Size: n, Body: func(c *model.Cursor) {
			c.Parts(eValues, c.Left(), &storage.Cuts{At: e.Starts, Field: storage.Typed(eValue, e.Datatype)})
		}})
	}
	storage.Trailing(c, rule.BehindEnum)
	return e
}

// Enumeration is the content of an enumeration file.
type Enumeration struct {
	Name, File        model.Node
	Datatype          uint8
	Num               uint32
	Ordered           bool
	Data, offsets     model.Node
	Starts            []int64 // starts of the values in data, and the end; nil if invalid
	dataSize, offSize model.Node
}

// readOffsets reads where the values start in n bytes of data.
func (e *Enumeration) readOffsets(c *model.Cursor, n int64) {
	e.offSize = c.Field(eOffsetsSize)
	if e.offSize.Uint()%8 != 0 || (e.offSize.Uint() == 0) != (n == 0) && n > 0 {
		c.Wrong(rule.EnumOffsets, e.offSize, e.offSize.Value, "8 bytes for each value")
	}
	raw := c.Peek(min(e.offSize.Int(), c.Left()))
	e.offsets = c.Elements(eOffsets, eOffset, e.offSize.Int()/8)
	c.LengthOf(e.offSize, e.offsets)
	e.Starts = storage.StartsOf(raw, n)
	for i := range len(raw) / 8 {
		if at := int64(filter.Uint(raw[8*i:], 8)); at != e.Starts[i] {
			r := c.Range(e.offsets.Range.Off+int64(8*i), 8)
			c.Wrong(rule.EnumOffsets, model.Spot{Span: e.offsets.Span, Range: r}, at, "first 0, ascending, inside the data")
			break
		}
	}
}

// checkValues checks that no value occurs twice, and that texts are UTF-8.
func (e *Enumeration) checkValues(c *model.Cursor, data []byte) {
	seen := map[string]bool{}
	for i := range min(e.Count(), 1<<20) {
		from, to := e.Starts[i], e.Starts[i+1]
		if to > int64(len(data)) {
			break
		}
		v, at := string(data[from:to]), model.Spot{Span: e.Data.Span, Range: c.Range(e.Data.Range.Off+from, to-from)}
		if seen[v] {
			c.Wrong(rule.EnumTwice, at, "value "+filter.Text(i), "values that differ")
		}
		seen[v] = true
		if e.Datatype == filter.UtF8 && !utf8.ValidString(v) {
			c.Wrong(rule.TextBad, at, fmt.Sprintf("%.40q in value %d", v, i), "UTF-8")
		}
	}
}

func (e *Enumeration) Count() int64 { return max(0, int64(len(e.Starts))-1) }

// Text is value i of an enumeration for people.
func (e *Enumeration) Text(ctx context.Context, t *model.Tree, i int64) string {
	r := e.Data.Range
	b, err := t.Bytes(ctx, model.Range{Space: r.Space, Off: r.Off + e.Starts[i], Len: e.Starts[i+1] - e.Starts[i]})
	if err != nil {
		return ""
	}
	return storage.Cell(e.Datatype, e.Num, b).String()
}
