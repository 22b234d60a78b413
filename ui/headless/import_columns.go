package headless

import (
	"bytes"
	"cmp"
	"errors"
	"math"
	"slices"

	"spandrel/model"
)

// comparison compares rows of a file with those at the same positions of a table: columns of numbers and texts as columns, and the others cell
// by cell.
type comparison struct {
	l       *load
	old     model.RowReader
	refusal error // a cell that cannot be changed, unless rows come or go
	first   int64 // row of the present page
	differs []bool
	told    int // changes shown of the pages before
}

// page compares the rows of a page.
func (x *comparison) page(first int64, p *someRows) error {
	n := min(int64(p.rows), x.l.table.Rows-first)
	if n <= 0 {
		return nil
	}
	var left []int
	x.first, x.differs, x.told = first, make([]bool, n), len(x.l.was)
	for k := range p.columns {
		done, err := x.column(p, k)
		if err != nil {
			return err
		}
		if !done {
			left = append(left, k)
		}
	}
	if err := x.cellwise(p, left); err != nil {
		return err
	}
	slices.SortStableFunc(x.l.was[x.told:], func(a, b was) int { return cmp.Compare(a.row, b.row) })
	x.l.was = x.l.was[:min(len(x.l.was), maxTold)]
	for i, differs := range x.differs {
		if differs {
			x.l.touched++
			x.l.cut = min(x.l.cut, first+int64(i))
		}
	}
	return nil
}

// refuse keeps an error of a table that may accept it where rows come or go.
func (x *comparison) refuse(i int64, err error) error {
	x.differs[i] = true
	if errors.Is(err, errFixed) && x.l.table.Judges {
		x.refusal, err = cmp.Or(x.refusal, err), nil
	}
	return err
}

// cellwise compares columns cell by cell.
func (x *comparison) cellwise(p *someRows, columns []int) error {
	for i := int64(0); i < int64(len(x.differs)) && len(columns) > 0; i++ {
		old, err := x.old.At(x.l.ctx, x.first+i)
		if err != nil {
			return err
		}
		for _, k := range columns {
			if err := x.one(p, k, i, old); err != nil {
				return err
			}
		}
	}
	return nil
}

// one compares a cell of a row.
func (x *comparison) one(p *someRows, k int, i int64, old model.Row) error {
	c, err := x.l.cell(x.first, p, k, int(i))
	if err != nil {
		return err
	}
	row, column, n := x.first+i, x.l.columns[k], x.l.cells
	if err = x.l.compare(row, row, column, &old[column], &c); err != nil {
		err = x.refuse(i, err)
	}
	x.differs[i] = x.differs[i] || x.l.cells > n
	return err
}

// column compares a column as a column; done is false if it must be compared cell by cell.
func (x *comparison) column(p *someRows, k int) (done bool, err error) {
	g, n := &p.columns[k], int64(len(x.differs))
	col := &x.l.table.Columns[x.l.columns[k]]
	if g.item == "" || col.IsVector() {
		return false, nil
	}
	old, ok := col.Stored(x.l.ctx, x.first, n)
	if !ok || col.Names != nil {
		return ok && sameNames(&old, col.Names(x.l.ctx), g), nil
	}
	is, err := x.l.typed(x.first, p, k, n)
	if err != nil {
		return false, err
	}
	c := columns{l: x.l, col: col, item: col.Item(), codec: model.Items[col.Item()], width: int64(model.WidthOf(col.Item())), old: &old, is: &is}
	for i := c.next(0, n); i < n; i = c.next(i, n) {
		if x.l.table.Set == nil && x.l.table.Put == nil {
			return false, nil // what a cell is stored in says whether it can change
		}
		from := i
		for i++; i < n && !c.same(i); i++ {
		}
		if err := x.run(k, &c, from, i); err != nil {
			return true, err
		}
	}
	return true, nil
}

// sameNames tells whether all values of a column of names are those of a page.
func sameNames(old *model.Batch, names []string, g *given) bool {
	if len(names) == 0 || g.Starts == nil {
		return false
	}
	for i := range old.Rows {
		place := int32(le.Uint32(old.Data[4*i:]))
		if place < 0 || int(place) >= len(names) || names[place] == "" || names[place] != string(g.Data[g.Starts[i]:g.Starts[i+1]]) {
			return false
		}
	}
	return true
}

// run notes that rows of a column change, from one to another of the page.
func (x *comparison) run(k int, c *columns, from, to int64) error {
	column := x.l.columns[k]
	if c.col.Fixed != "" {
		w := c.change(from)
		return x.refuse(from, x.l.fixed(x.first+from, column, &w.old, &w.is, c.col.Fixed))
	}
	for i := from; i < min(to, from+maxTold-int64(x.told)); i++ {
		w := c.change(i)
		w.row, w.column = x.first+i, column
		x.l.was = append(x.l.was, w)
	}
	for i := from; i < to; i++ {
		x.differs[i] = true
	}
	r := model.Run{Column: column, First: x.first + from, Batch: c.is.Part(c.item, from, to)}
	x.l.runs = append(x.l.runs, r)
	return x.l.count(to-from, len(r.Data))
}

// typed is the first n values of a column of a page that starts at a row of the file, in the type of the table's column.
func (l *load) typed(first int64, p *someRows, k int, n int64) (model.Batch, error) {
	g, col, unit := &p.columns[k], &l.table.Columns[l.columns[k]], l.source.units[k]
	item := col.Item()
	if g.item == item && unit == nil {
		return g.Batch, nil
	}
	var out model.Batch
	text := string(g.Data) // once, not for each value
	for i := range n {
		c := model.Cell{}
		switch {
		case g.Null != nil && g.Null[i]:
		case g.Starts != nil && g.item == "utf8":
			c.Value = model.S(text[g.Starts[i]:g.Starts[i+1]])
		default:
			c.Value = g.Value(g.item, i)
		}
		c, err := l.incoming(col, unit, c)
		if err != nil {
			return out, l.refused(first+i, l.columns[k], err)
		}
		out.Append(item, c.Value)
	}
	return out, nil
}

// columns are the old and the new values of a column.
type columns struct {
	l       *load
	col     *model.Column
	item    string
	codec   model.Codec // of numbers; nil for texts
	width   int64
	old, is *model.Batch
}

// change is the old and the new content of a row.
func (c *columns) change(i int64) was {
	return was{old: model.Cell{Value: c.old.Value(c.item, i)}, is: model.Cell{Value: c.is.Value(c.item, i)}}
}

// next is the first row from i on whose value differs; n if there is none.
func (c *columns) next(i, n int64) int64 {
	if c.old.Null == nil && c.is.Null == nil && bytes.Equal(c.bytes(c.old, i, n), c.bytes(c.is, i, n)) && c.width > 0 {
		return n
	}
	for i < n && c.same(i) {
		i++
	}
	return i
}

// same tells whether the value of a row stays.
func (c *columns) same(i int64) bool {
	gone, was := c.is.Null != nil && c.is.Null[i], c.old.Null != nil && c.old.Null[i]
	switch {
	case gone == was && (gone || bytes.Equal(c.bytes(c.old, i, i+1), c.bytes(c.is, i, i+1))):
		return true
	case !gone && !was && (c.col.Kind == model.Uint || c.col.Kind == model.Int):
		return false
	case !gone && !was && c.col.Kind == model.Float:
		return c.noNumber(c.old, i) && c.noNumber(c.is, i)
	}
	return c.l.same(c.col, c.old.Value(c.item, i), c.is.Value(c.item, i))
}

// noNumber tells whether a float is NaN: all of them count as the same.
func (c *columns) noNumber(b *model.Batch, i int64) bool {
	v, _, _ := c.codec.Decode(c.bytes(b, i, i+1))
	return math.IsNaN(v.Float())
}

// bytes are those of the values of some rows.
func (c *columns) bytes(b *model.Batch, from, to int64) []byte {
	if b.Starts != nil {
		return b.Data[b.Starts[from]:b.Starts[to]]
	}
	return b.Data[from*c.width : to*c.width]
}
