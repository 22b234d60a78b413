package tree

import (
	"context"
	"fmt"

	"spandrel/model"
	"spandrel/ui/doc"
	"spandrel/ui/kit"
	"spandrel/ui/rows"
	"spandrel/ui/show"
)

// Widths to which the columns of names and values are fitted, and what values keep when they make room for offsets.
const (
	leastName, mostName              = 110, 240
	leastValue, mostValue, someValue = 40, 200, 130
)

// fitColumns makes names and values as wide as the rows first visible, so that offsets and sizes are not pushed out of sight, and
// names wider when longer or deeper ones become visible; again when the pane changes its width, unless someone dragged them.
func (t *Pane) fitColumns() {
	if len(t.Page) == 0 {
		return
	}
	name, value := &t.Columns[0].Width, &t.Columns[1].Width
	if t.fitted && t.given != [2]float32{*name, *value} {
		return
	}
	switch now := t.measured(); {
	case !t.fitted:
		t.fitted, t.natural = true, now
	case now[0] > t.natural[0]:
		t.natural[0] = now[0]
	case t.room == t.Room():
		return
	}
	*name, *value, t.room = t.natural[0], t.natural[1], t.Room()
	t.fitOffsets()
	t.given = [2]float32{*name, *value}
}

// measured is the width of the names and values in the visible rows.
func (t *Pane) measured() [2]float32 {
	name, value := float32(leastName), float32(leastValue)
	for _, c := range t.Page {
		extra := c[0].Indent + rows.BranchBox + 8 + 2*rows.CellPad
		if c[0].Mark != 0 {
			extra += 13
		}
		name, value = max(name, kit.ColumnFor(c[0].Text)+extra), max(value, kit.ColumnFor(c[1].Text))
	}
	return [2]float32{min(name, mostName), min(value, mostValue)}
}

// fitOffsets prevents offsets from being cut at the edge of the pane: without its last digits an offset is another one.
func (t *Pane) fitOffsets() {
	name, value := &t.Columns[0].Width, &t.Columns[1].Width
	rest := t.room - *name - *value
	if rest < 0 {
		*value = max(leastValue, *value+rest)
		*name = max(leastName, min(*name, t.room-*value))
		rest = 0
	}
	if short := t.Columns[2].Width - rest; short > 0 && *value-short >= someValue {
		*value, rest = *value-short, rest+short
	}
	for _, c := range t.Columns[2:] {
		if rest < c.Width {
			*value += max(0, rest)
			return
		}
		rest -= c.Width
	}
}

// treeCells describes a span in the columns of the tree.
func treeCells(ctx context.Context, tree *model.Tree, r model.TreeRow, worst map[string]model.Severity) []rows.Cell {
	s := r.Span
	name := rows.Cell{Text: show.NameOf(s), Indent: float32(min(r.Depth, 40)) * 13, Branch: -1, Mark: worst[s.Path()]}
	if !s.Ready() || s.Count() > 0 {
		name.Branch = rows.Branch(r.Open)
	}
	if s.Range.Len > 0 {
		name.Swatch = 1 + int(doc.HueOf(s)%12)
	}
	value := rows.Cell{Text: show.ValueOf(ctx, tree, s)}
	switch {
	case s.State == model.Gap:
		name.Hatch, name.Dim = true, true
	case s.State == model.Bad:
		value.Text, name.Mark = "damaged", max(name.Mark, model.Error)
	case !s.Ready():
		value.Dim = true
	}
	off, size := rows.Cell{Dim: true}, rows.Cell{Text: fmt.Sprint(s.Range.Len), Right: true, Dim: true}
	sp := tree.Space(s.Range.Space)
	if sp != nil {
		off = rows.Cell{Text: fmt.Sprintf("0x%x", s.Range.Off), Mono: true, Right: true, Dim: sp.Derived()}
	}
	if sp == nil || sp.Derived() && sp.Root == s && !s.Ready() {
		size.Text = ""
	}
	return []rows.Cell{name, value, off, size, {Text: show.TypeOf(s), Dim: true}}
}
