package table

import (
	"cmp"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
	"spandrel/ui/rows"
)

// tableColumn is a column before its cells are known.
func tableColumn(c model.Column) rows.Column {
	w, vector := float32(90), strings.HasSuffix(c.Type, "]")
	switch {
	case vector && c.Slots != nil:
		w = kit.WidestColumn
	case vector:
		w = 200
	case c.Kind == model.Text || c.Kind == model.Bytes:
		w = 160
	case c.Kind == model.Float:
		w = 140
	}
	col := rows.Column{Title: cmp.Or(c.Name, "(no name)"), Note: c.Type, Right: !vector && c.Kind != model.Text && c.Kind != model.Bytes}
	col.Width = max(w, kit.ColumnFor(col.Head()))
	return col
}

// fitColumns makes the columns as wide as what is in them, as the first page shows it. Those of texts get narrower too, as do all where that page is all
// there is: of numbers, later ones tend to be longer.
func (t *Pane) fitColumns(p *tablePage) {
	if t.fitted || len(p.rows) == 0 {
		return
	}
	t.fitted = true
	rows := p.rows[:min(len(p.rows), 40, 1+20_000/len(t.Columns))] // of very many columns, few rows tell
	wanted := make([]float32, len(t.Columns))                      // width of their content, if larger than the default
	repeated := make([]float32, len(t.Columns))                    // the same for columns with repeated values, which get the remaining room
	for k := range t.Columns[1:] {
		col, title := &t.Columns[k+1], kit.ColumnFor(t.Columns[k+1].Head())
		if kind := t.Table.Columns[k].Kind; int64(len(rows)) == t.Table.Rows || kind == model.Text || kind == model.Bytes {
			col.Width = title
		}
		texts := t.textsOf(p, rows, k)
		for _, text := range texts {
			col.Width = max(col.Width, kit.ColumnFor(text))
			wanted[k+1] = max(wanted[k+1], kit.WholeColumn(text))
		}
		if others := len(slices.Compact(texts)) - 1; len(rows) > 2 && others*repeats < len(rows) { // columns with repeated values come last
			col.Width, wanted[k+1], repeated[k+1] = min(col.Width, max(title, RepeatedColumn)), 0, wanted[k+1]
		}
	}
	t.tighten(wanted, repeated)
	t.spread(wanted)
	t.spread(repeated)
}

// textsOf are the texts of a column in some rows of a page, but for cells in trouble.
func (t *Pane) textsOf(p *tablePage, rows []model.Row, k int) (out []string) {
	for _, row := range rows {
		if k < len(row) && row[k].Trouble == "" {
			out = append(out, t.shownText(p, k, &row[k]))
		}
	}
	return out
}

// laterDigits reserves room for longer numbers in rows that were not read yet.
const laterDigits = "00"

// tighten narrows columns to what their first rows need, if that makes more columns visible. Columns of an array keep equal widths.
func (t *Pane) tighten(wanted, repeated []float32) {
	over, free := -t.Room(), make([]float32, len(t.Columns))
	for k := range t.Columns {
		if over += t.Columns[k].Width; k > 0 && t.Table.Of == nil {
			least := max(kit.ColumnFor(t.Columns[k].Head()), wanted[k]+kit.ColumnFor(laterDigits)-kit.ColumnFor(""), min(RepeatedColumn, repeated[k]))
			free[k] = max(0, t.Columns[k].Width-least)
		}
	}
	all := float32(0)
	for _, f := range free {
		all += f
	}
	for k, f := range free {
		if over > 0 && f > 0 {
			t.Columns[k].Width -= f * min(1, over/all)
		}
	}
}

// spread gives the room beside the last column to columns whose texts are cut.
func (t *Pane) spread(wanted []float32) {
	left := t.Room()
	for _, c := range t.Columns {
		left -= c.Width
	}
	for k := range t.Columns {
		if more := min(left, wanted[k]-t.Columns[k].Width); more > 0 {
			t.Columns[k].Width += more
			left -= more
		}
	}
}

// shownText is how a cell of a page stands in its column.
func (t *Pane) shownText(p *tablePage, col int, c *model.Cell) string {
	switch {
	case isMissing(c) && c.Range == model.Range{}: // nothing in the file says so: there is none in this row
		return "–"
	case isMissing(c):
		return "missing"
	}
	if t.Table.Of != nil && c.Value.Kind == model.Float && c.Trouble == "" {
		return short6(c.Value.Float())
	}
	return doc.CellText(&t.Table.Columns[col], c, p.slots[col])
}

func isMissing(c *model.Cell) bool { return c.Trouble == "" && !c.Vector && c.Value.Kind == model.None }

// RepeatedColumn is how wide a column is at most whose rows that are first seen repeat the row before, but for one in so many.
const (
	RepeatedColumn = 110
	repeats        = 4
)
