package tiledb

import (
	"context"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/tiledb/fragment"
)

// setCells turns what was typed into cells into fragments.
func setCells(ctx context.Context, x readAs, typed []model.Typed) ([]model.Edit, error) {
	var cells []cellEdit
	cols := x.table().cols
	for _, t := range typed {
		if t.Column < 0 || t.Column >= len(cols) {
			return nil, fmt.Errorf("%s", fixedFragment)
		}
		p, err := x.place(ctx, t.Row)
		if err != nil {
			return nil, err
		}
		col := cols[t.Column]
		e := cellEdit{cellPlace: p}
		s, slot := col.slotIn(p.f)
		fixed := ""
		switch e.slot, e.added = slot, s; {
		case col.dim >= 0:
			fixed = coordF.Fixed
		case s == nil:
			fixed = olderFragment
		case s.Attr == nil:
			fixed = ownF.Fixed
		}
		if fixed != "" {
			return nil, fmt.Errorf("row %d, %s: %s", t.Row, col.name, fixed)
		}
		no, yes := byte(0), byte(1)
		switch e.valid = &yes; {
		case t.Missing && !s.Nullable:
			return nil, fmt.Errorf("row %d: cells of %s cannot be null", t.Row, s.Name)
		case t.Missing:
			e.valid = &no
		default:
			if e.with, err = p.f.a.schemas.ParseCell(ctx, s.Attr, t.Text); err != nil {
				return nil, fmt.Errorf("row %d, %s: %w", t.Row, s.Name, err)
			}
			e.whole = true
		}
		cells = append(cells, e)
	}
	edits, _, err := rewriteCells(ctx, x.table().a.d, cells)
	return edits, err
}

// slotIn is the field of the column in a fragment, or the one that a new fragment would have of it, with slot -1; nil where there is none.
func (col column) slotIn(f *frag) (s *fragment.Slot, slot int) {
	if slot, _ = col.in(f); slot >= 0 {
		return &f.slots[slot], slot
	}
	if col.attr != nil {
		return &fragment.Slot{Name: col.name, Datatype: col.typ, Num: col.num, Nullable: col.attr.Nullable(), Attr: col.attr}, -1
	}
	return nil, -1
}

const olderFragment = "the fragment is older than the attribute: add the cell again"
