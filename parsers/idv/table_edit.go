package idv

import (
	"fmt"

	"spandrel/model"
	"spandrel/parsers/idv/block"
)

// fixed says why the cells of a column cannot be edited.
func (s *stream) fixed(c *column) string {
	switch {
	case c.cut:
		return "the table of blocks of this column is damaged: repair it first"
	case len(s.cols) != int(s.columnCount) || s.tocSpan == nil:
		return "the column directory is damaged: repair it first"
	}
	return ""
}

// typing is new values for cells of a stream: each block is encoded once.
type typing struct {
	contents
	order []place
	at    map[place]*typed
}

// place is block k of a column.
type place struct {
	col *column
	k   int64
}

// typed is a block, and its new values by position.
type typed struct {
	block *block.Block
	set   map[int64]block.Raw
	laid  []numbers
}

// numbers are new ones from a position on.
type numbers struct {
	from int64
	data []byte
}

// setCells makes the edits for typed cells of a table, and runs of them.
func (s contents) setCells(tab *model.Table, cols []*column, cells []model.Typed, runs []model.Run) ([]model.Edit, error) {
	y := &typing{contents: s, at: map[place]*typed{}}
	for _, x := range cells {
		if x.Column < 0 || x.Column >= len(cols) {
			return nil, fmt.Errorf("there is no column %d", x.Column)
		}
		if err := y.take(cols[x.Column], x); err != nil {
			return nil, err
		}
	}
	for i := range runs {
		if r := &runs[i]; r.Column < 0 || r.Column >= len(cols) {
			return nil, fmt.Errorf("there is no column %d", r.Column)
		} else if err := y.takeRun(cols[r.Column], &tab.Columns[r.Column], r); err != nil {
			return nil, err
		}
	}
	return y.edits()
}

// takeRun takes a run of values: plain numbers as they are stored, and others as if they were typed.
func (y *typing) takeRun(c *column, col *model.Column, r *model.Run) error {
	w := int64(model.WidthOf(col.Item()))
	for i := int64(0); i < r.Rows; {
		at, to, err := y.place(c, r.First+i)
		if err != nil {
			return err
		}
		from := r.First + i - at.k*c.rpb
		n := min(r.Rows-i, c.rpb-from)
		if r.Null == nil && to.block.Lays(from, from+n) {
			to.laid = append(to.laid, numbers{from, r.Data[i*w : (i+n)*w]})
			i += n
			continue
		}
		for ; n > 0; i, n = i+1, n-1 {
			if err := y.take(c, r.Typed(col, i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// place finds the block of a row of a column, and decodes it once.
func (y *typing) place(c *column, row int64) (at place, to *typed, err error) {
	if c.rpb <= 0 || row < 0 || row >= y.stream.rows {
		return at, nil, fmt.Errorf("there is no row %d", row)
	}
	if why := y.stream.fixed(c); why != "" {
		return at, nil, fmt.Errorf("column %q: %s", c.name.s, why)
	}
	at = place{c, row / c.rpb}
	if y.at[at] == nil {
		b, err := y.decoded(c, at.k)
		if err != nil {
			return at, nil, err
		}
		y.at[at] = &typed{block: block.Read(c.codec, b, y.stream.rowsOf(c, at.k)), set: map[int64]block.Raw{}}
		y.order = append(y.order, at)
	}
	return at, y.at[at], nil
}

// take parses the text typed into a cell of a column.
func (y *typing) take(c *column, x model.Typed) error {
	at, to, err := y.place(c, x.Row)
	if err != nil {
		return err
	}
	i := x.Row - at.k*c.rpb
	old, err := to.block.Raws(i, i+1)
	if err == nil {
		y.load(c)
		to.set[i], err = c.codec.Parse(x.Text, x.Missing, c.labels, old[0])
	}
	if err != nil {
		return fmt.Errorf("row %d of column %q: %w", x.Row, c.name.s, err)
	}
	return nil
}

// edits stores the blocks.
func (y *typing) edits() ([]model.Edit, error) {
	var list []rewritten
	for _, at := range y.order {
		e, ok := y.entryOf(at.col, at.k)
		if !ok {
			return nil, fmt.Errorf("the table of blocks of column %q is damaged", at.col.name.s)
		}
		list = append(list, rewritten{&derivedBlock{y.stream, y.stream.shape(e)}, func() ([]byte, error) {
			to := y.at[at]
			b, err := to.block.Put(to.set)
			if err != nil {
				return nil, fmt.Errorf("column %q: %w", at.col.name.s, err)
			}
			for _, x := range to.laid {
				to.block.Lay(b, x.from, x.data)
			}
			return b, nil
		}})
	}
	return y.rewrite(list...)
}
