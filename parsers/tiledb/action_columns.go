package tiledb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// Changed rows are written as columns: a field of the new fragment is pieces of the new cells and of those that are there now.

// piece is new cells of a field, for consecutive rows.
type piece struct {
	row, n int64
	fragment.Cells
	old bool // the cells stay
}

// rowRange is rows from one to another.
type rowRange struct{ from, to int64 }

// changing is the new cells of the rows of a table.
type changing struct {
	*newFragment
	add    addition
	x      readAs
	cols   []column
	pieces map[string][]piece // by field
	rows   []rowRange         // that change
}

// takes tells whether the values of runs of a field are cells as they are: not those that must be in a list of values.
func takes(s *fragment.Slot) bool {
	return s.Attr != nil && s.Datatype != filter.Bool && s.Attr.Enum.Text() == "" &&
		(s.Num == 1 && storage.IsNumber(s.Datatype) || s.Variable() && storage.CodecOf(s.Datatype) == model.UTF8)
}

// change is the change of rows that typed cells and runs make.
func (add addition) change(ctx context.Context, x readAs, t *model.Table, cells []model.Typed, runs []model.Run) (*changing, error) {
	n, err := add.draft()
	if err != nil {
		return nil, err
	}
	c := &changing{n, add, x, x.table().cols, map[string][]piece{}, nil}
	for i := range runs {
		if err := c.takeRun(ctx, &t.Columns[runs[i].Column], &runs[i]); err != nil {
			return nil, err
		}
	}
	for _, one := range cells {
		if err := c.take(ctx, one); err != nil {
			return nil, err
		}
	}
	c.sort()
	return c, nil
}

// slotOf is where the new fragment has a column.
func (c *changing) slotOf(column int) int {
	if column < 0 || column >= len(c.cols) {
		return -1
	}
	return c.cols[column].in(c.f)
}

// takeRun takes new cells: as they are, or if that is impossible, as if they were typed.
func (c *changing) takeRun(ctx context.Context, col *model.Column, r *model.Run) error {
	slot := c.slotOf(r.Column)
	if slot >= 0 && takes(&c.Slots[slot]) && (c.Slots[slot].Nullable || r.Null == nil) {
		s := &c.Slots[slot]
		c.pieces[s.File] = append(c.pieces[s.File], piece{row: r.First, n: r.Rows, Cells: fragment.CellsOf(s, &r.Batch)})
		c.rows = append(c.rows, rowRange{r.First, r.First + r.Rows})
		return nil
	}
	for i := range r.Rows {
		if err := c.take(ctx, r.Typed(col, i)); err != nil {
			return err
		}
	}
	return nil
}

// take takes a new cell that is given as text.
func (c *changing) take(ctx context.Context, t model.Typed) error {
	slot := c.slotOf(t.Column)
	if slot < 0 {
		return errors.New(fixedFragment)
	}
	s := &c.Slots[slot]
	if s.Attr == nil {
		return fmt.Errorf("row %d, %s: %s", t.Row, s.Name, coordF.Fixed)
	}
	v, err := typedValue(ctx, c.f.a, s, t)
	if err != nil {
		return fmt.Errorf("row %d, %s: %w", t.Row, s.Name, err)
	}
	c.put(s, t.Row, v)
	return nil
}

// put takes the new value of a cell.
func (c *changing) put(s *fragment.Slot, row int64, v fragment.Value) {
	p := piece{row: row, n: 1}
	p.Add(s, v)
	c.pieces[s.File] = append(c.pieces[s.File], p)
	c.rows = append(c.rows, rowRange{row, row + 1})
}

// edit takes an edit of a cell, which may be one of several.
func (c *changing) edit(ctx context.Context, row int64, x *cellEdit) error {
	i, err := attributeAt(c.add.s, x)
	if err != nil {
		return err
	}
	s := &c.Slots[slices.IndexFunc(c.Slots, func(s fragment.Slot) bool { return s.Attr != nil && s.At == i })]
	var v fragment.Value
	for _, p := range slices.Backward(c.pieces[s.File]) {
		if p.row == row {
			v, err = x.apply(s, p.Value(s, 0))
			c.put(s, row, v)
			return err
		}
	}
	if !x.whole {
		now, err := c.present(ctx, s, rowRange{row, row + 1})
		if err != nil {
			return err
		}
		v = now.Value(s, 0)
	}
	v, err = x.apply(s, v)
	c.put(s, row, v)
	return err
}

// sort puts the pieces into order, and joins the rows.
func (c *changing) sort() {
	for _, list := range c.pieces {
		slices.SortStableFunc(list, func(x, y piece) int { return cmp.Compare(x.row, y.row) })
	}
	slices.SortFunc(c.rows, func(x, y rowRange) int { return cmp.Compare(x.from, y.from) })
	var rows []rowRange
	for _, r := range c.rows {
		if n := len(rows); n > 0 && r.from <= rows[n-1].to {
			rows[n-1].to = max(rows[n-1].to, r.to)
			continue
		}
		rows = append(rows, r)
	}
	c.rows = rows
}

// sparse writes the rows that change as cells of a sparse array.
func (c *changing) sparse(ctx context.Context) ([]model.Edit, error) {
	fields := make([]fragment.Cells, len(c.Slots))
	for slot, s := range c.Files() {
		for rows := c.rows; len(rows) > 0; {
			n := 1
			for n < len(rows) && rows[n].to-rows[0].from <= mostReserved {
				n++
			}
			if err := c.extend(ctx, &fields[slot], s, rows[:n]); err != nil {
				return nil, fmt.Errorf("%s: %w", s.Name, err)
			}
			rows = rows[n:]
		}
	}
	return c.add.columns(ctx, fields)
}

// extend adds the cells of some rows, which are read together if need be.
func (c *changing) extend(ctx context.Context, to *fragment.Cells, s *fragment.Slot, rows []rowRange) error {
	first, old := rows[0].from, (*fragment.Cells)(nil)
	for _, r := range rows {
		for n := int64(0); r.from < r.to; r.from += n {
			p := c.newest(s, r)
			if n = min(r.to, p.row+p.n) - r.from; !p.old {
				to.Extend(s, p.Part(s, int(r.from-p.row), int(r.from-p.row+n)))
				continue
			}
			if old == nil {
				cells, err := c.present(ctx, s, rowRange{first, rows[len(rows)-1].to})
				if err != nil {
					return err
				}
				old = &cells
			}
			to.Extend(s, old.Part(s, int(r.from-first), int(r.from-first+n)))
		}
	}
	return ctx.Err()
}

// newest is the piece that has the first of some rows, or how many of them stay.
func (c *changing) newest(s *fragment.Slot, r rowRange) piece {
	list := c.pieces[s.File]
	k, _ := slices.BinarySearchFunc(list, r.from+1, func(p piece, row int64) int { return cmp.Compare(p.row, row) })
	if k > 0 && r.from < list[k-1].row+list[k-1].n { // the last one that begins there or before
		return list[k-1]
	}
	if k < len(list) {
		r.to = min(r.to, list[k].row)
	}
	return piece{row: r.from, n: r.to - r.from, old: true}
}

// present is the cells of a field as they are now.
func (c *changing) present(ctx context.Context, s *fragment.Slot, rows rowRange) (fragment.Cells, error) {
	column := slices.IndexFunc(c.cols, func(x column) bool { return x.Name == s.Name && (x.Dim != nil) == (s.Dim != nil) })
	b := newColumnBatch(c.x.table(), column, rows.to-rows.from)
	if err := c.x.runs(ctx, rows.from, rows.to-rows.from, b.take); err != nil {
		return fragment.Cells{}, err
	}
	return b.all(s), nil
}

// merged tells whether the rows are the newest cells in their places.
func (x *cellTable) merged() bool {
	return x.view != nil && x.unmerged == "" && x.view.schema.Dups.Uint() == 0 && !x.view.schema.Dense()
}

// columnsOf are new cells of an array, by slot.
func (n *newFragment) columnsOf(ctx context.Context, x *cellTable, given model.GivenRows) ([]fragment.Cells, error) {
	fields := make([]fragment.Cells, len(n.Slots))
	for j, c := range x.cols {
		slot := c.in(n.f)
		if slot < 0 {
			return nil, fmt.Errorf("%s: the schema has no such field", c.Name)
		}
		row, err := n.columnOf(ctx, &fields[slot], &n.Slots[slot], j, given)
		if err != nil {
			return nil, fmt.Errorf("row %d of the new rows, %s: %w", row, c.Name, err)
		}
	}
	return fields, ctx.Err()
}

// columnOf adds the new cells of a field: as they are where that is possible. An error is about a row.
func (n *newFragment) columnOf(ctx context.Context, to *fragment.Cells, s *fragment.Slot, column int, given model.GivenRows) (row int64, err error) {
	if b := given.Column(column); b != nil && (s.Dim != nil || takes(s)) && (s.Nullable || b.Null == nil) {
		*to = fragment.CellsOf(s, b)
		return outside(s, to)
	}
	for ; row < given.N && ctx.Err() == nil; row++ {
		v, err := newCell(ctx, n.f.a, s, given.Cell(given.From+row, column))
		if err != nil {
			return row, err
		}
		to.Add(s, v)
	}
	return row, ctx.Err()
}

// newCell is a cell of an attribute or a dimension given as text.
func newCell(ctx context.Context, a *array, s *fragment.Slot, t model.Typed) (v fragment.Value, err error) {
	if s.Dim == nil {
		return typedValue(ctx, a, s, t)
	}
	at, err := typedCoordinate(s.Dim, t)
	if err == nil {
		v.Data, err = storage.CodecOf(s.Datatype).Encode(at)
	}
	return v, err
}

// outside is the first coordinate that is not in the domain.
func outside(s *fragment.Slot, t *fragment.Cells) (row int64, err error) {
	d := s.Dim
	if d == nil || d.Low.Span == nil || t.Cells(s) == 0 {
		return 0, nil
	}
	if r := t.Ends(s); d.Holds(r[0], r[1]) {
		return 0, nil
	}
	for i := range t.Cells(s) {
		if v := d.Coordinate(t.At(s, i)); !d.Holds(v, v) {
			return int64(i), outOfDomain(d)
		}
	}
	return 0, nil
}

func outOfDomain(d *schema.Dimension) error {
	return fmt.Errorf("the domain is %s to %s", d.Low.Value, d.High.Value)
}
