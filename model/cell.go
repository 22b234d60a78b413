package model

import (
	"fmt"
	"strconv"
	"strings"
)

// Row is the cells of one row, one for each column.
type Row []Cell

// Cell is one cell: the place of its bytes and their value.
type Cell struct {
	Value Value  // None: missing
	Label string // the name of the value, where it has one: a key's text, an enum's name
	Range Range  // no bytes when the length is 0
	// Vector means that the cell contains Items instead of Value. Index gives the position of each item if only some of the
	// Len items are stored; the others are Default.
	Vector  bool
	Items   []Value
	Index   []int64
	Len     int64
	Default Value
	// Trouble says why the cell cannot be shown.
	Trouble string
	// Fixed says in one line why this cell cannot be edited; "" if it can, or if Column.Fixed says so.
	Fixed string
}

// String prints the cell for people: vectors as [1, 2, 3], sparse ones as {3: 1, 9: 2}, shortened after 64 items.
func (c Cell) String() string { return c.Named("", nil) }

// Named is String with the digits of the column's type, and the names of a vector's positions, if they have names: {age: 1, 9: 2}.
func (c Cell) Named(typ string, slots []string) string {
	switch {
	case c.Trouble != "":
		return c.Trouble
	case !c.Vector && c.Label != "":
		return c.Value.String() + " " + c.Label
	case !c.Vector:
		return c.Value.In(typ)
	}
	const most = 64
	named, items := c.Index != nil || len(slots) > 0, make([]string, 0, min(len(c.Items), most+1))
	for i, v := range c.Items[:min(len(c.Items), most)] {
		text := v.In(typ)
		if named {
			text = c.position(i, slots) + ": " + text
		}
		items = append(items, text)
	}
	if len(c.Items) > most {
		items = append(items, fmt.Sprintf("… %d", len(c.Items)))
	}
	text := strings.Join(items, ", ")
	if named {
		return "{" + text + "}"
	}
	return "[" + text + "]"
}

// position is the position of item i of a vector: its name, if it has one.
func (c Cell) position(i int, slots []string) string {
	n := int64(i)
	if i < len(c.Index) {
		n = c.Index[i]
	}
	if name := at(slots, int(n)); name != "" {
		return name
	}
	return strconv.FormatInt(n, 10)
}

// maxDense is the longest sparse vector that is filled in.
const maxDense = 1 << 20

// Dense returns all items of a vector, with the default for those that are not stored. ok is false if the vector
// is longer than a million, or positions are repeated, out of order or out of range.
func (c Cell) Dense() (items []Value, ok bool) {
	if c.Index == nil {
		return c.Items, true
	}
	if c.Len < 0 || c.Len > maxDense || len(c.Index) != len(c.Items) {
		return nil, false
	}
	out, next := make([]Value, c.Len), int64(0)
	for i, at := range c.Index {
		if at < next || at >= c.Len {
			return nil, false
		}
		for ; next < at; next++ {
			out[next] = c.Default
		}
		out[at], next = c.Items[i], at+1
	}
	for ; next < c.Len; next++ {
		out[next] = c.Default
	}
	return out, true
}

// Typed is the cell as someone would type it in a column, for a vector its stored items: [1, 2, 3], or {3: 1, 9: 2} of 12 for a sparse one of this
// length. missing is true if it has no value.
func (c Cell) Typed(col *Column) (text string, missing bool) {
	one := func(v Value) string {
		if col.Kind == Bytes {
			return fmt.Sprint(v.JSON())
		}
		return v.typed()
	}
	if !c.Vector {
		return one(c.Value), c.Value.Kind == None
	}
	items := make([]string, len(c.Items))
	for i, v := range c.Items {
		switch {
		case v.Kind == None:
			items[i] = "missing"
		case col.Kind == Text:
			items[i] = strconv.Quote(v.Text())
		default:
			items[i] = v.typed()
		}
		if c.Index != nil {
			items[i] = c.position(i, nil) + ": " + items[i]
		}
	}
	if text = strings.Join(items, ", "); c.Index != nil {
		return fmt.Sprintf("{%s} of %d", text, c.Len), false
	}
	return "[" + text + "]", false
}

// JSON returns the cell for JSON lines: a scalar, an array for a vector, or an object of positions and values for a sparse
// vector that cannot be filled in.
func (c Cell) JSON() any {
	if c.Trouble != "" {
		return nil
	}
	if !c.Vector {
		return c.Value.JSON()
	}
	if items, ok := c.Dense(); ok {
		out := make([]any, len(items))
		for i, v := range items {
			out[i] = v.JSON()
		}
		return out
	}
	m := map[string]any{}
	for i, v := range c.Items[:min(len(c.Items), len(c.Index))] {
		m[strconv.FormatInt(c.Index[i], 10)] = v.JSON()
	}
	return m
}
