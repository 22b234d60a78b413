package model

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
)

// Difference is a difference between the contents of two documents: a table, a column, a row, a cell, a payload of a row, or a field outside all tables.
type Difference struct {
	Kind          string // table, column, row, cell, payload or field
	Table, Column string
	Row, RowB     int64  // row in each table; -1: missing
	Path          string // rows[3]/Age; with the key of the row in place of its number where rows are matched by that
	A, B          any    // value for JSON; nil: missing
	TextA, TextB  string // text for people; "missing" if it is missing
	Typed         *Typed // text to type into the cell of A to get the value of B; nil if B cannot be read
	Back          *Typed // the same for the cell of B and the value of A
	value         *Value // of a field, in B; nil if that cannot be set by itself
	element       string // path of the named element that contains the field, or "" for none
	At            int64  // of a row that only one table has: before which row of the other it belongs
	only          Row    // that row
	pair          *pair
}

// Cells are what to type into a new row of the table that lacks the row; nil if a cell cannot be read.
func (d *Difference) Cells() []Typed {
	from, to, table := d.pair.inX, d.pair.inY, d.pair.y
	if d.Row < 0 {
		from, to, table = to, from, d.pair.x
	}
	cells := make([]Typed, len(table.Columns))
	for k := range cells {
		cells[k].Missing = true
	}
	for i, k := range to {
		if table.Columns[k].Fixed != "" {
			continue
		}
		typed := typedAs(&d.only[from[i]], &table.Columns[k], 0, k)
		if typed == nil {
			return nil
		}
		cells[k] = *typed
	}
	return cells
}

// ContentOptions say how contents are compared.
type ContentOptions struct {
	// Key is the column that identifies rows, in the tables that have it. "": the key of the format, otherwise the order of rows.
	Key string

	bits bool // NaNs with different bits differ
}

// CompareContent passes every difference between the contents of two documents to differ, in the order of the first: tables by name,
// columns by name, rows by key or in order, and the fields that formats have outside tables. The layout is not content. compared is
// false if the tables do not hold all content, or there are none: then contents cannot be compared.
func CompareContent(ctx context.Context, a, b *Tree, o ContentOptions, differ func(Difference) error) (compared bool, err error) {
	x, y := contentTables(ctx, a), contentTables(ctx, b)
	partial := func(t Table) bool { return t.Partial }
	if len(x)+len(y) == 0 || slices.ContainsFunc(x, partial) || slices.ContainsFunc(y, partial) {
		return false, nil
	}
	c := &contents{ctx: ctx, o: o, differ: differ, a: a, b: b}
	for i, j := range paired(x, y, func(t Table) string { return t.Name }) {
		d := Difference{Kind: "table", TextA: "missing", TextB: "missing", Row: -1, RowB: -1}
		switch {
		case i < 0:
			d.Table, d.B, d.TextB = y[j].Name, y[j].Rows, Count(y[j].Rows, "rows")
		case j < 0:
			d.Table, d.A, d.TextA = x[i].Name, x[i].Rows, Count(x[i].Rows, "rows")
		}
		if d.Path = d.Table; i >= 0 && j >= 0 {
			err = c.tables(&x[i], &y[j])
		} else {
			err = differ(d)
		}
		if err != nil {
			return true, err
		}
	}
	return true, c.apart()
}

// paired yields, for each name, its positions in two lists: for the names of the first list, then for those only in the second; -1: not in that list.
func paired[T any](a, b []T, name func(T) string) iter.Seq2[int, int] {
	find := func(list []T) func(x T) int {
		at := make(map[string]int, len(list))
		for i := range slices.Backward(list) {
			at[name(list[i])] = i + 1
		}
		return func(x T) int { return at[name(x)] - 1 }
	}
	return func(yield func(i, j int) bool) {
		inA, inB := find(a), find(b)
		for i, x := range a {
			if !yield(i, inB(x)) {
				return
			}
		}
		for j, y := range b {
			if inA(y) < 0 && !yield(-1, j) {
				return
			}
		}
	}
}

// contentTables are the tables with a document's content.
func contentTables(ctx context.Context, t *Tree) (out []Table) {
	for _, table := range t.Tables(ctx) {
		if !table.Layout && table.Read != nil {
			out = append(out, table)
		}
	}
	return out
}

// contents compares two documents.
type contents struct {
	ctx    context.Context
	o      ContentOptions
	differ func(Difference) error
	a, b   *Tree
}

// pair is two tables of one name, and the columns that both have.
type pair struct {
	*contents
	x, y       *Table
	inX, inY   []int
	keyX, keyY []int // key columns; none: rows are matched in order
}

func (c *contents) tables(x, y *Table) error {
	p := &pair{contents: c, x: x, y: y}
	if err := p.match(); err != nil {
		return err
	}
	first, err := p.alike()
	if err != nil {
		return err
	}
	return p.rows(first)
}

// match finds the columns that both tables have, and reports the others, and those that differ.
func (p *pair) match() error {
	for i, j := range paired(p.x.Columns, p.y.Columns, func(c Column) string { return c.Name }) {
		x, y, err := at(p.x.Columns, i), at(p.y.Columns, j), error(nil)
		switch {
		case x.Layout || y.Layout:
		case i < 0 || j < 0:
			err = p.column(x.Name+y.Name, "", x.Type, y.Type)
		default:
			err = p.both(i, j)
		}
		if err != nil {
			return err
		}
	}
	if v, w := p.x.Tensor, p.y.Tensor; v.reindexed(w) {
		return p.column(p.x.Columns[len(p.x.Columns)-1].Name, shapePath, v.shape(), w.shape())
	}
	return nil
}

// both notes a column that both tables have, and compares its descriptions.
func (p *pair) both(i, j int) error {
	x, y := &p.x.Columns[i], &p.y.Columns[j]
	p.inX, p.inY = append(p.inX, i), append(p.inY, j)
	if x.Name == p.o.Key || p.o.Key == "" && slices.Contains(p.x.Key, x.Name) {
		p.keyX, p.keyY = append(p.keyX, i), append(p.keyY, j)
	}
	if x.Type != y.Type {
		if err := p.column(x.Name, "/type", x.Type, y.Type); err != nil {
			return err
		}
	}
	a, b := p.about(x), p.about(y)
	for k := range max(len(a), len(b)) {
		if v, w := at(a, k), at(b, k); v != w {
			if err := p.column(x.Name, fmt.Sprintf("/about[%d]", k), v, w); err != nil {
				return err
			}
		}
	}
	return nil
}

// column reports a difference between columns; "" stands for nothing.
func (p *pair) column(name, what, a, b string) error {
	d := Difference{Kind: "column", Table: p.x.Name, Column: name, Path: p.x.Name + "/" + name + what, Row: -1, RowB: -1, TextA: "missing", TextB: "missing"}
	if a != "" {
		d.A, d.TextA = a, a
	}
	if b != "" {
		d.B, d.TextB = b, b
	}
	return p.differ(d)
}

// about is a document's description of a column: the meaning of its values, and the positions of its vectors.
func (p *pair) about(c *Column) (out []string) {
	if c.Names != nil && c.Kind != Text {
		out = append(out, c.Names(p.ctx)...)
	}
	if c.Slots != nil {
		out = append(out, c.Slots()...)
	}
	if c.About != nil {
		out = append(out, c.About(p.ctx)...)
	}
	return out
}

// at is an item of a list, or the zero value if there is no such position.
func at[T any](list []T, i int) (x T) {
	if i >= 0 && i < len(list) {
		x = list[i]
	}
	return x
}

// alikeRows is how many rows are compared at once in columnar form.
const alikeRows = 16 << 10

// alike returns how many rows at the beginning are equal, in steps of pages.
func (p *pair) alike() (first int64, err error) {
	for n := min(p.x.Rows, p.y.Rows); first < n; {
		page := min(p.x.Page(alikeRows), p.y.Page(alikeRows), n-first)
		a, err := p.x.Batches(p.ctx, p.inX, first, page)
		if err != nil {
			return first, p.ctx.Err() // the rows report errors
		}
		b, err := p.y.Batches(p.ctx, p.inY, first, page)
		if err != nil {
			return first, p.ctx.Err()
		}
		for k := range a {
			if !a[k].same(&b[k]) || p.x.Columns[p.inX[k]].Type != p.y.Columns[p.inY[k]].Type {
				return first, nil
			}
		}
		if same, err := p.payloads(first, first, page); !same || err != nil {
			return first, err
		}
		first += page
	}
	return first, nil
}

// same tells whether two batches have the same bytes.
func (b *Batch) same(o *Batch) bool {
	return b.Rows == o.Rows && bytes.Equal(b.Data, o.Data) && slices.Equal(b.Starts, o.Starts) && slices.Equal(b.Lists, o.Lists) &&
		slices.Equal(b.Null, o.Null) && slices.Equal(b.Gone, o.Gone)
}

// payloads tells whether the payloads of n rows are the same.
func (p *pair) payloads(i, j, n int64) (same bool, err error) {
	if p.x.Payload == nil || p.y.Payload == nil {
		return true, nil
	}
	for k := range n {
		x, okX := p.x.Payload(p.ctx, i+k)
		y, okY := p.y.Payload(p.ctx, j+k)
		if okX != okY || x.Len != y.Len {
			return false, nil
		}
		if okX {
			if same, err := sameBytes(p.ctx, p.a, p.b, x, y); !same || err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

// sameBytes compares ranges of equal length.
func sameBytes(ctx context.Context, a, b *Tree, x, y Range) (same bool, err error) {
	const step = 1 << 20
	for off := int64(0); off < x.Len; off += step {
		n := min(step, x.Len-off)
		v, err := a.Bytes(ctx, Range{x.Space, x.Off + off, n})
		if err != nil {
			return false, err
		}
		w, err := b.Bytes(ctx, Range{y.Space, y.Off + off, n})
		if err != nil || !bytes.Equal(v, w) {
			return false, err
		}
	}
	return true, nil
}

// SameContent tells whether two cells have the same content.
func SameContent(a, b *Cell) bool { return ContentOptions{}.same(a, b) }

func (o ContentOptions) same(a, b *Cell) bool { return bytes.Equal(o.canon(nil, a), o.canon(nil, b)) }

// canon is the canonical form of a cell's content: equal for equal cells, whatever the types of numbers and the stored items.
func (o ContentOptions) canon(out []byte, c *Cell) []byte {
	if c.Trouble != "" {
		return append(append(out, '!'), c.Trouble...)
	}
	if !c.Vector {
		return o.canonValue(out, c.Value)
	}
	items, ok := c.Dense()
	if !ok {
		items = c.Items
		out = fmt.Append(out, c.Len, c.Index)
	}
	out = append(out, '[')
	for _, v := range items {
		out = o.canonValue(out, v)
	}
	return append(out, ']')
}

func (o ContentOptions) canonValue(out []byte, v Value) []byte {
	switch f := v.Float(); {
	case v.Kind == None:
		return append(out, '-')
	case v.Kind == Text || v.Kind == Bytes:
		return append(strconv.AppendInt(append(out, 't'), int64(len(v.str)), 10), ":"+v.str...)
	case v.Kind != Float:
		return append(append(out, 'n'), v.String()...)
	case math.IsNaN(f) && !o.bits:
		return append(out, 'N')
	case f == math.Trunc(f) && math.Abs(f) < 1<<53 && !(f == 0 && math.Signbit(f)):
		return strconv.AppendInt(append(out, 'n'), int64(f), 10)
	}
	return binary.BigEndian.AppendUint64(append(out, 'f'), v.bits)
}
