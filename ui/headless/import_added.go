package headless

import (
	"math"

	"spandrel/model"
)

// newRows are rows that are added to a table, by its columns: batches of single values, and cells of the others. A column that the file lacks has
// neither.
type newRows struct {
	n       int64
	columns []given
	cells   int64 // how many values are kept as cells
}

// cell is the content of a new row.
func (r *newRows) cell(row int64, column int) model.Cell {
	switch g := &r.columns[column]; {
	case g.item != "":
		return model.Cell{Value: g.Value(g.item, row)}
	case row < int64(len(g.cells)):
		return g.cells[row]
	}
	return model.Cell{}
}

// page keeps the rows of a page that starts at a row of the file, from one of them on.
func (r *newRows) page(l *load, first int64, p *someRows, from int64) error {
	n := int64(p.rows)
	if from >= n {
		return nil
	}
	for k := range p.columns {
		if err := r.column(l, first, p, k, from); err != nil {
			return err
		}
	}
	r.n += n - from
	return r.roomy(l)
}

// column keeps a column of a page.
func (r *newRows) column(l *load, first int64, p *someRows, k int, from int64) error {
	n, to := int64(p.rows), r.of(l, k)
	if p.columns[k].item == "" || to.item == "" {
		for i := from; i < n; i++ {
			c, err := l.cell(first, p, k, int(i))
			if err != nil {
				return err
			}
			r.cellOf(l, to, c)
		}
		return nil
	}
	b, err := l.typed(first, p, k, n)
	if err != nil {
		return err
	}
	if from > 0 {
		b = b.Part(to.item, from, n)
	}
	l.held += int64(len(b.Data))
	to.Extend(to.item, &b)
	return nil
}

// row keeps a row of cells.
func (r *newRows) row(l *load, cells []model.Cell) error {
	for k, c := range cells {
		r.cellOf(l, r.of(l, k), c)
	}
	r.n++
	return r.roomy(l)
}

// cellOf keeps a cell of a column.
func (r *newRows) cellOf(l *load, to *given, c model.Cell) {
	if to.item == "" {
		to.cells, r.cells = append(to.cells, c), r.cells+1
		return
	}
	held := len(to.Data)
	to.Append(to.item, c.Value)
	l.held += int64(len(to.Data) - held)
}

// of is what is kept of a column of the file.
func (r *newRows) of(l *load, k int) *given {
	if r.columns == nil {
		r.columns = make([]given, len(l.table.Columns))
	}
	to, col := &r.columns[l.columns[k]], &l.table.Columns[l.columns[k]]
	if !col.IsVector() && col.Names == nil {
		to.item = col.Item()
	}
	return to
}

// roomy is an error if too much is kept.
func (r *newRows) roomy(l *load) error {
	if r.cells > maxLoaded || l.held > min(maxHeld, math.MaxInt32) { // texts of a batch have places of 32 bits
		return errTooLoaded
	}
	return nil
}

// given are the new rows as a table takes them, from one on.
func (r *newRows) given(t *model.Table, from int64) model.GivenRows {
	return model.GivenRows{From: from, N: r.n, Cell: func(row int64, column int) model.Typed {
		return typedCell(&t.Columns[column], row, column, r.cell(row-from, column))
	}, Batch: func(column int) *model.Batch {
		if g := &r.columns[column]; g.item != "" {
			return &g.Batch
		}
		return nil
	}}
}
