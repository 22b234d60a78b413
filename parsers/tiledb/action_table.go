package tiledb

import (
	"context"
	"errors"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/tiledb/fragment"
)

// setCells turns typed cells into fragments.
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
		e, err := cols[t.Column].edit(ctx, p, t)
		if err != nil {
			return nil, fmt.Errorf("row %d, %s: %w", t.Row, cols[t.Column].Name, err)
		}
		cells = append(cells, e)
	}
	edits, _, err := rewriteCells(ctx, x.table().a.d, cells)
	return edits, err
}

// edit returns the edit for what was typed into a cell of the column.
func (col column) edit(ctx context.Context, p cellPlace, t model.Typed) (e cellEdit, err error) {
	s, slot := &col.Slot, col.in(p.f)
	if slot >= 0 {
		s = &p.f.slots[slot]
	}
	switch {
	case col.Dim != nil:
		return e, errors.New(coordF.Fixed)
	case s.Attr == nil && slot < 0:
		return e, errors.New(olderFragment)
	case s.Attr == nil:
		return e, errors.New(ownF.Fixed)
	}
	v, err := typedValue(ctx, p.f.a, s, t)
	e = cellEdit{cellPlace: p, slot: slot, added: s, valid: &v.Valid}
	if !t.Missing {
		e.with, e.whole = v.Data, true
	}
	return e, err
}

// typedValue parses a cell of an attribute given as text.
func typedValue(ctx context.Context, a *array, s *fragment.Slot, t model.Typed) (v fragment.Value, err error) {
	switch {
	case t.Missing && !s.Nullable:
		return v, errors.New("it cannot be null")
	case t.Missing:
		v.Data = fillValue(ctx, a, s.Attr).Data
		return v, nil
	}
	v.Valid = 1
	v.Data, err = a.schemas.ParseCell(ctx, s.Attr, t.Text)
	return v, err
}

const olderFragment = "the fragment is older than the attribute: add the cell again"
