package table

import (
	"math"
	"slices"
	"strconv"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/rows"
)

// TableCells finds cells by their place, their name and their bytes, among those that have been read.
type TableCells struct{ t *Pane }

// CellAt returns a cell that has been read.
func (n *TableCells) CellAt(row int64, col int) (model.Cell, bool) {
	if n.t.Table == nil || n.t.tree != n.t.d.Tree() || row < 0 || col < 1 {
		return model.Cell{}, false
	}
	p, i := n.t.Pages[row/n.t.page], row%n.t.page
	if p == nil || i >= int64(len(p.rows)) || col > len(p.rows[i]) {
		return model.Cell{}, false
	}
	return p.rows[i][col-1], true
}

// slots returns the names of the positions of a vector cell that has been read.
func (n *TableCells) slots(row int64, col int) []string { return n.t.Pages[row/n.t.page].slots[col-1] }

// Ref names a cell that has been read.
func (n *TableCells) Ref(row int64, col int) *doc.CellRef {
	c, ok := n.CellAt(row, col)
	if !ok {
		return nil
	}
	ref := &doc.CellRef{Table: n.t.Table.Name, Column: n.t.Table.Columns[col-1].Name, Row: n.t.Order.Real(row)}
	ref.AfterRepair = n.t.Mend.Shows() != nil
	ref.Read(n.t.Table.Columns[col-1], c, n.slots(row, col), n.t.Table.Set != nil)
	return ref
}

// Column returns the number of the column of a cell of the table that is shown, or -1.
func (n *TableCells) Column(ref *doc.CellRef) int {
	if ref == nil || n.t.Table == nil || ref.Table != n.t.Table.Name || ref.AfterRepair != (n.t.Mend.Shows() != nil) {
		return -1
	}
	return slices.IndexFunc(n.t.Table.Columns, func(c model.Column) bool { return c.Name == ref.Column }) + 1
}

// RangeOf returns the bytes of a cell that has been read.
func (n *TableCells) RangeOf(ref *doc.CellRef) model.Range {
	if col := n.Column(ref); col > 0 {
		if c, ok := n.CellAt(n.t.Order.shown(ref.Row), col); ok {
			return c.Range
		}
	}
	return model.Range{}
}

// refOf names the smallest cell among those that have been read that holds a range: the chosen one, where several share their
// bytes.
func (n *TableCells) refOf(r model.Range) *doc.CellRef {
	if r.Len == 0 || n.t.Table == nil || n.t.tree != n.t.d.Tree() {
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
	for i, p := range n.t.Pages {
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
	return n.Ref(row, col)
}

func (n *TableCells) sets(ref *doc.CellRef) bool {
	return n.t.Table != nil && n.t.Table.Set != nil && n.Column(ref) > 0
}

// Row is a row as it is drawn: the cells in sight, when they are read.
func (t *Pane) Row(row int64) ([]rows.Cell, bool) {
	p := t.Pages[row/t.page]
	if p == nil || !p.ready {
		return nil, false
	}
	number := rows.Cell{Text: strconv.FormatInt(t.number(t.Order.Real(row)), 10), Right: true, Dim: true}
	i := row % t.page
	if i >= int64(len(p.rows)) {
		return []rows.Cell{number, {Text: p.trouble, Mark: model.Error, Wide: true}}, true
	}
	lo, hi, _ := t.InView()
	cells := make([]rows.Cell, max(1, min(max(hi, t.Pinned+1), len(p.rows[i])+1)))
	cells[0] = number
	for k := 1; k < len(cells); k++ {
		if k > t.Pinned && k < lo { // there may be thousands
			k = min(lo, len(cells)-1)
		}
		c := p.rows[i][k-1]
		cells[k] = rows.Cell{Text: t.shownText(p, k-1, &c), Right: t.Columns[k].Right && !c.Vector && c.Label == ""}
		cells[k].Fill = t.Array.heat(c.Value)
		cells[k].Tint = p.Tint != nil && p.Tint[i][k-1]
		switch {
		case c.Trouble != "":
			cells[k].Mark, cells[k].Right = model.Error, false
		case isMissing(&c):
			cells[k].Dim = true
		}
	}
	return cells, true
}

// number is what a row of the table is called by.
func (t *Pane) number(row int64) int64 {
	if t.Table.Number != nil {
		return t.Table.Number(row)
	}
	return row
}
