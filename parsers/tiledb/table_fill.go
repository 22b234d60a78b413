package tiledb

import (
	"context"
	"errors"
	"fmt"

	"spandrel/model"
)

// fillCells appends n cells to the table of an array, as one new fragment, or one for each tile of a dense array.
func fillCells(ctx context.Context, x readAs, from, n int64, cell func(row int64, column int) model.Typed) ([]model.Edit, error) {
	a := x.table().a
	if why := a.unwritable(); why != "" {
		return nil, errors.New(why)
	}
	if from != x.rows() {
		return nil, errors.New("cells of an array do not go with a new table: delete them (convert PATH delete-cells), and append others")
	}
	s := a.schemas.current()
	f := &frag{a: a, meta: &fragmentMeta{footer: &footer{schema: s, version: versionNewest, dense: s.dense()}}}
	f.slots = f.meta.slotList()
	var rows []cellRow
	var edits []cellEdit
	for row := from; row < from+n; row++ {
		at := make([]model.Value, len(s.dims))
		values := make([]cellValue, len(s.attrs))
		var place cellPlace
		for j, c := range x.table().cols {
			typed := cell(row, j)
			if c.dim >= 0 {
				v, err := typedCoordinate(&s.dims[c.dim], typed)
				if err != nil {
					return nil, fmt.Errorf("row %d of those that come, %s: %w", row-from, c.name, err)
				}
				if at[c.dim] = v; c.dim == len(s.dims)-1 && s.dense() {
					place = a.unwritten(s, at)
				}
				continue
			}
			v, i, err := f.typedCell(ctx, c, typed)
			if err != nil {
				return nil, fmt.Errorf("row %d of those that come, %s: %w", row-from, c.name, err)
			}
			if values[i] = v; s.dense() {
				slot, _ := c.in(place.f)
				edits = append(edits, cellEdit{cellPlace: place, slot: slot, with: v.data, whole: true, valid: &v.valid})
			}
		}
		rows = append(rows, cellRow{at, values})
	}
	if s.dense() {
		return denseCells(ctx, a, edits)
	}
	return a.writeRows(ctx, rows)
}

// typedCoordinate is a coordinate that is given as text.
func typedCoordinate(d *dim, t model.Typed) (model.Value, error) {
	if d.variable() {
		return model.S(t.Text), nil
	}
	v, err := model.ParseValue(codecOf(d.datatype).Kind(), t.Text)
	switch {
	case t.Missing:
		return v, errors.New("a coordinate is never missing")
	case err == nil && d.low.Span != nil && (compare(v, d.low.Value) < 0 || compare(v, d.high.Value) > 0):
		err = fmt.Errorf("the domain is %s to %s", d.low.Value, d.high.Value)
	}
	return v, err
}

// typedCell is a cell of an attribute that is given as text, and the place of the attribute in the schema.
func (f *frag) typedCell(ctx context.Context, c column, t model.Typed) (v cellValue, i int, err error) {
	slot, _ := c.in(f)
	if slot < 0 || f.slots[slot].attr == nil {
		return v, 0, errors.New("the schema has no such attribute")
	}
	s := &f.slots[slot]
	for k := range f.meta.schema.attrs {
		if f.meta.schema.attrs[k].name.Text() == s.name {
			i = k
		}
	}
	switch {
	case t.Missing && !s.nullable:
		return v, i, errors.New("it cannot be null, and the file has no value for it")
	case t.Missing:
		v = fillValue(ctx, f.a, s.attr)
		v.valid = 0
		return v, i, nil
	}
	v.valid = 1
	v.data, err = f.typed(ctx, s, t.Text)
	return v, i, err
}
