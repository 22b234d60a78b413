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
}

// setCells makes the edits for typed cells.
func (s contents) setCells(cols []*column, cells []model.Typed) ([]model.Edit, error) {
	y := &typing{contents: s, at: map[place]*typed{}}
	for _, x := range cells {
		if x.Column < 0 || x.Column >= len(cols) {
			return nil, fmt.Errorf("there is no column %d", x.Column)
		}
		if err := y.take(cols[x.Column], x); err != nil {
			return nil, err
		}
	}
	return y.edits()
}

// take parses the text typed into a cell of a column.
func (y *typing) take(c *column, x model.Typed) error {
	if c.rpb <= 0 || x.Row < 0 || x.Row >= y.stream.rows {
		return fmt.Errorf("there is no row %d", x.Row)
	}
	if why := y.stream.fixed(c); why != "" {
		return fmt.Errorf("column %q: %s", c.name.s, why)
	}
	at := place{c, x.Row / c.rpb}
	if y.at[at] == nil {
		b, err := y.decoded(c, at.k)
		if err != nil {
			return err
		}
		y.at[at] = &typed{block.Read(c.codec, b, y.stream.rowsOf(c, at.k)), map[int64]block.Raw{}}
		y.order = append(y.order, at)
	}
	i, to := x.Row-at.k*c.rpb, y.at[at]
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
			b, err := y.at[at].block.Put(y.at[at].set)
			if err != nil {
				err = fmt.Errorf("column %q: %w", at.col.name.s, err)
			}
			return b, err
		}})
	}
	return y.rewrite(list...)
}
