package table

import (
	"math"
	"strconv"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/rows"
)

// CellAt returns a cell; false if it has not been read yet.
func (t *Pane) CellAt(row int64, col int) (model.Cell, bool) {
	if t.Table == nil || t.tree != t.d.Tree() || row < 0 || col < 1 {
		return model.Cell{}, false
	}
	p, i := t.Pages[row/t.page], row%t.page
	if p == nil || i >= int64(len(p.rows)) || col > len(p.rows[i]) {
		return model.Cell{}, false
	}
	return p.rows[i][col-1], true
}

// slots returns the names of the positions of a vector cell, which must have been read.
func (t *Pane) slots(row int64, col int) []string { return t.Pages[row/t.page].slots[col-1] }

// Ref returns a reference to a cell, or nil if it has not been read yet.
func (t *Pane) Ref(row int64, col int) *doc.CellRef {
	c, ok := t.CellAt(row, col)
	if !ok {
		return nil
	}
	ref := &doc.CellRef{Table: t.Table.Name, Column: t.Table.Columns[col-1].Name, Row: t.Order.Real(row)}
	ref.AfterRepair = t.Repaired.Shows() != nil
	ref.Read(t.Table.Columns[col-1], c, t.slots(row, col), t.Table.Set != nil)
	return ref
}

// Column returns the position of a cell's column in the displayed table, from 1, or -1 if the cell belongs to another table.
func (t *Pane) Column(ref *doc.CellRef) int {
	if ref == nil || t.Table == nil || ref.Table != t.Table.Name || ref.AfterRepair != (t.Repaired.Shows() != nil) {
		return -1
	}
	return t.Table.Column(ref.Column) + 1
}

// RangeOf returns the bytes of a cell; an empty range if it has not been read yet.
func (t *Pane) RangeOf(ref *doc.CellRef) model.Range {
	if col := t.Column(ref); col > 0 {
		if c, ok := t.CellAt(t.Order.shown(ref.Row), col); ok {
			return c.Range
		}
	}
	return model.Range{}
}

// refOf returns the smallest cell read so far that contains a range, or nil. Among cells that share their bytes it prefers the selected one, then the first
// row.
func (t *Pane) refOf(r model.Range) *doc.CellRef {
	if r.Len == 0 || t.Table == nil || t.tree != t.d.Tree() {
		return nil
	}
	best, row, col := int64(math.MaxInt64), int64(-1), 0
	for i, p := range t.Pages {
		for j, cells := range p.rows {
			size, k := smallest(cells, r)
			if at := i*t.page + int64(j); k >= 0 && (size < best || size == best && at < row) {
				best, row, col = size, at, k+1
			}
		}
	}
	if row < 0 {
		return nil
	}
	if c, ok := t.CellAt(t.Current, t.SelColumn); ok && c.Range.Contains(r) && c.Range.Len == best {
		row, col = t.Current, t.SelColumn
	}
	return t.Ref(row, col)
}

// smallest returns the size and the position of the smallest cell of a row that contains a range; -1 if none does.
func smallest(cells model.Row, r model.Range) (size int64, at int) {
	at = -1
	for k, c := range cells {
		if c.Range.Contains(r) && (at < 0 || c.Range.Len < size) {
			size, at = c.Range.Len, k
		}
	}
	return size, at
}

func (t *Pane) sets(ref *doc.CellRef) bool {
	return t.Table != nil && t.Table.Set != nil && t.Column(ref) > 0
}

// Row returns the cells of a row for drawing, up to the last visible column; false while its page is being read.
func (t *Pane) Row(row int64) ([]rows.Cell, bool) {
	p := t.Pages[row/t.page]
	if p == nil || !p.ready {
		return nil, false
	}
	number := rows.Cell{Text: strconv.FormatInt(numberOf(t.Table, t.Order.Real(row)), 10), Right: true, Dim: true}
	i := row % t.page
	if i >= int64(len(p.rows)) {
		return []rows.Cell{number, {Text: p.trouble, Mark: model.Error, Wide: true}}, true
	}
	lo, hi, _ := t.InView()
	cells := make([]rows.Cell, max(1, min(max(hi, t.Pinned+1), len(p.rows[i])+1)))
	cells[0] = number
	for k := 1; k < len(cells); k++ {
		if k > t.Pinned && k < lo { // skip columns out of view: there may be thousands
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

// numberOf is the row number shown for a row of a table.
func numberOf(t *model.Table, row int64) int64 {
	if t.Number != nil {
		return t.Number(row)
	}
	return row
}
