package ui

import (
	"math"
	"slices"

	"spandrel/model"
)

// tableCells finds cells by their place, their name and their bytes, among those that have been read.
type tableCells struct{ t *tablePane }

// cellAt returns a cell that has been read.
func (n *tableCells) cellAt(row int64, col int) (model.Cell, bool) {
	if n.t.table == nil || n.t.tree != n.t.d.Tree() || row < 0 || col < 1 {
		return model.Cell{}, false
	}
	p, i := n.t.pages[row/n.t.page], row%n.t.page
	if p == nil || i >= int64(len(p.rows)) || col > len(p.rows[i]) {
		return model.Cell{}, false
	}
	return p.rows[i][col-1], true
}

// slots returns the names of the positions of a vector cell that has been read.
func (n *tableCells) slots(row int64, col int) []string { return n.t.pages[row/n.t.page].slots[col-1] }

// ref names a cell that has been read.
func (n *tableCells) ref(row int64, col int) *cellRef {
	c, ok := n.cellAt(row, col)
	if !ok {
		return nil
	}
	ref := &cellRef{table: n.t.table.Name, column: n.t.table.Columns[col-1].Name, row: n.t.order.real(row)}
	ref.mended = n.t.mend.shows() != nil
	ref.read(n.t.table.Columns[col-1], c, n.slots(row, col), n.t.table.Set != nil)
	return ref
}

// column returns the number of the column of a cell of the table that is shown, or -1.
func (n *tableCells) column(ref *cellRef) int {
	if ref == nil || n.t.table == nil || ref.table != n.t.table.Name || ref.mended != (n.t.mend.shows() != nil) {
		return -1
	}
	return slices.IndexFunc(n.t.table.Columns, func(c model.Column) bool { return c.Name == ref.column }) + 1
}

// rangeOf returns the bytes of a cell that has been read.
func (n *tableCells) rangeOf(ref *cellRef) model.Range {
	if col := n.column(ref); col > 0 {
		if c, ok := n.cellAt(n.t.order.shown(ref.row), col); ok {
			return c.Range
		}
	}
	return model.Range{}
}

// refOf names the smallest cell among those that have been read that holds a range: the chosen one, where several share their
// bytes.
func (n *tableCells) refOf(r model.Range) *cellRef {
	if r.Len == 0 || n.t.table == nil || n.t.tree != n.t.d.Tree() {
		return nil
	}
	best, row, col := int64(math.MaxInt64), int64(-1), 0
	better := func(size, r int64, c int) bool {
		switch {
		case size != best:
			return size < best
		case row == n.t.Current && col == n.t.SelColumn:
			return false
		}
		return r == n.t.Current && c == n.t.SelColumn || r < row
	}
	for i, p := range n.t.pages {
		for j, cells := range p.rows {
			for k, c := range cells {
				if at := i*n.t.page + int64(j); c.Range.Contains(r) && better(c.Range.Len, at, k+1) {
					best, row, col = c.Range.Len, at, k+1
				}
			}
		}
	}
	if row < 0 {
		return nil
	}
	return n.ref(row, col)
}

func (n *tableCells) sets(ref *cellRef) bool {
	return n.t.table != nil && n.t.table.Set != nil && n.column(ref) > 0
}
