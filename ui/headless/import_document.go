package headless

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"spandrel/model"
)

// documentSource reads the table of the same name in another document. Names of keys and enumerations stand for their numbers, which may be others there.
func (l *load) documentSource() (*source, error) {
	t, err := l.otherTable()
	if err != nil {
		return nil, err
	}
	rows := &otherRows{ctx: l.ctx, rows: model.RowReader{Table: &t}}
	s := &source{shut: func() error { return nil }}
	for i, col := range t.Columns {
		if l.add && col.Numbers { // the rows get other numbers
			continue
		}
		rows.from, s.names, s.units = append(rows.from, i), append(s.names, col.Name), append(s.units, col.Clock)
	}
	s.next = gatheredCells(len(s.names), rows.next)
	return s, nil
}

// otherTable opens the other document once, and finds the table.
func (l *load) otherTable() (t model.Table, err error) {
	if l.other == nil {
		if l.other, err = l.open(cmp.Or(l.spool, l.from)); err != nil {
			return t, err
		}
	}
	switch {
	case l.other.Format == nil:
		return t, model.ErrNoFormat
	case status(l.other) == Found:
		return t, fmt.Errorf("%s is damaged: repair it first", l.from)
	}
	return tableOf(l.ctx, l.from, l.other.Tree, l.table.Name)
}

// otherRows are the rows of a table of another document.
type otherRows struct {
	ctx  context.Context
	rows model.RowReader
	from []int // columns
	at   int64 // the next row
}

func (o *otherRows) next() ([]model.Cell, error) {
	if o.at >= o.rows.Rows {
		return nil, io.EOF
	}
	r, err := o.rows.At(o.ctx, o.at)
	o.at++
	cells := make([]model.Cell, len(o.from))
	for k, i := range o.from {
		if err != nil {
			return nil, err
		}
		cells[k] = r[i]
		err = asWritten(&cells[k], &o.rows.Columns[i])
	}
	return cells, err
}

// asWritten makes a cell of another document one that a file of rows could have.
func asWritten(c *model.Cell, col *model.Column) error {
	if c.Trouble != "" {
		return fmt.Errorf("column %q cannot be read: %s", col.Name, c.Trouble)
	}
	if col.Names != nil && c.Label != "" && c.Value.Int() >= col.NamesFrom {
		c.Value = model.S(c.Label)
	}
	if c.Index == nil {
		return nil
	}
	items, ok := c.Dense()
	if !ok {
		return fmt.Errorf("column %q has a sparse vector of %s items, which is too long", col.Name, model.Thousands(c.Len))
	}
	c.Items, c.Index = items, nil
	return nil
}
