package tiledb

import (
	"context"
	"errors"
	"slices"

	"spandrel/model"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// fillCells appends cells to the table of an array, as a new fragment, or for a dense array one per tile.
func fillCells(ctx context.Context, x readAs, given model.GivenRows) ([]model.Edit, error) {
	a := x.table().a
	if why := a.unwritable(); why != "" {
		return nil, errors.New(why)
	}
	if given.From != x.rows() {
		return nil, errors.New("cells of an array are deleted by a condition, not by their rows: use the structural edit “Delete cells…” (convert PATH delete-cells)")
	}
	if given.N == 0 {
		return nil, nil
	}
	add := a.adding()
	n, err := add.draft()
	if err != nil {
		return nil, err
	}
	fields, err := n.columnsOf(ctx, x.table(), given)
	if err != nil {
		return nil, err
	}
	if !a.schemas.Current().Dense() {
		return add.columns(ctx, fields)
	}
	box, order := n.boxOf(fields, int(given.N))
	if order == nil {
		return add.dense(ctx, n.singly(fields, int(given.N)))
	}
	return add.box(ctx, box, func(_ context.Context, s *fragment.Slot, part fragment.Box, fill fragment.Value) (fragment.Cells, error) {
		slot := slices.IndexFunc(n.Slots, func(x fragment.Slot) bool { return x.File == s.File })
		return n.lined(s, part, fill, func(at []model.Value, cells int64) (fragment.Cells, error) {
			row := box.Place(at)
			return fields[slot].Pick(s, order[row:row+int(cells)]), nil
		})
	})
}

// boxOf is the box of new cells of a dense array, and which cell has each place of it; nil unless there is one in each.
func (n *newFragment) boxOf(fields []fragment.Cells, count int) (box fragment.Box, order []int) {
	volume := uint64(1)
	for slot := range n.Slots {
		if s := &n.Slots[slot]; s.Dim != nil {
			r, fits := fields[slot].Ends(s), false
			box = append(box, r)
			if volume, fits = model.Times(volume, storage.Spread(r[0], r[1])+1, uint64(count)); !fits {
				return box, nil
			}
		}
	}
	if volume != uint64(count) {
		return box, nil
	}
	order = slices.Repeat([]int{-1}, count)
	for i := range count {
		k := box.Place(n.coordinates(fields, i))
		if order[k] >= 0 {
			return box, nil
		}
		order[k] = i
	}
	return box, order
}

// coordinates are those of new cell i.
func (n *newFragment) coordinates(fields []fragment.Cells, i int) (at []model.Value) {
	for slot := range n.Slots {
		if s := &n.Slots[slot]; s.Dim != nil {
			at = append(at, s.Dim.Coordinate(fields[slot].At(s, i)))
		}
	}
	return at
}

// singly are new cells of a dense array as changes of it.
func (n *newFragment) singly(fields []fragment.Cells, count int) (out []changedCell) {
	for i := range count {
		at := n.coordinates(fields, i)
		for slot := range n.Slots {
			if s := &n.Slots[slot]; s.Attr != nil {
				v := fields[slot].Value(s, i)
				out = append(out, changedCell{at, &cellEdit{slot: -1, added: s, with: v.Data, whole: true, valid: &v.Valid}})
			}
		}
	}
	return out
}

// typedCoordinate is a coordinate given as text.
func typedCoordinate(d *schema.Dimension, t model.Typed) (model.Value, error) {
	if d.Variable() {
		return model.S(t.Text), nil
	}
	v, err := model.ParseValue(storage.CodecOf(d.Datatype).Kind(), t.Text)
	switch {
	case t.Missing:
		return v, errors.New("coordinates cannot be missing")
	case err == nil && !d.Holds(v, v):
		err = outOfDomain(d)
	}
	return v, err
}
