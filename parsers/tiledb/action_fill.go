package tiledb

import (
	"context"
	"errors"
	"fmt"
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
		edits, err := n.givenCells(ctx, x.table(), given)
		if err != nil {
			return nil, err
		}
		return denseCells(ctx, a, edits)
	}
	return add.box(ctx, box, unchanged, func(_ context.Context, s *fragment.Slot, part fragment.Box, fill fragment.Value) (*fragment.Cells, error) {
		slot := slices.IndexFunc(n.Slots, func(x fragment.Slot) bool { return x.File == s.File })
		return n.lined(s, part, fill, func(at []model.Value, cells int64) (fragment.Cells, error) {
			row := box.Place(at)
			return fields[slot].Pick(s, order[row:row+int(cells)]), nil
		})
	})
}

// boxOf is the box of new cells of a dense array, and which cell has each place of it; nil unless there is one in each.
func (n *newFragment) boxOf(fields []fragment.Cells, count int) (box fragment.Box, order []int) {
	slots, volume := make([]int, len(n.Meta.Schema.Dims)), uint64(1)
	for slot := range n.Slots {
		if s := &n.Slots[slot]; s.Dim != nil {
			slots[s.At] = slot
		}
	}
	for _, slot := range slots {
		r, fits := fields[slot].Ends(&n.Slots[slot]), false
		box = append(box, r)
		if volume, fits = model.Times(volume, storage.Spread(r[0], r[1])+1, uint64(count)); !fits {
			return box, nil
		}
	}
	if volume != uint64(count) {
		return box, nil
	}
	order = slices.Repeat([]int{-1}, count)
	at := make([]model.Value, len(slots))
	for i := range count {
		for d, slot := range slots {
			s := &n.Slots[slot]
			at[d] = s.Dim.Coordinate(fields[slot].At(s, i))
		}
		k := box.Place(at)
		if order[k] >= 0 {
			return box, nil
		}
		order[k] = i
	}
	return box, order
}

// givenCells are new cells of a dense array, given as texts.
func (n *newFragment) givenCells(ctx context.Context, x *cellTable, given model.GivenRows) (edits []cellEdit, err error) {
	s := n.Meta.Schema
	at := make([]model.Value, len(s.Dims))
	for row := range given.N {
		var place cellPlace
		for j, c := range x.cols {
			typed := given.Cell(given.From+row, j)
			if c.dim >= 0 {
				if at[c.dim], err = typedCoordinate(&s.Dims[c.dim], typed); err == nil && c.dim == len(s.Dims)-1 {
					place = n.f.a.unwritten(s, slices.Clone(at))
				}
			} else {
				slot, _ := c.in(place.f)
				var v fragment.Value
				v, err = typedValue(ctx, n.f.a, &place.f.slots[slot], typed)
				edits = append(edits, cellEdit{cellPlace: place, slot: slot, with: v.Data, whole: true, valid: &v.Valid})
			}
			if err != nil {
				return nil, fmt.Errorf("row %d of the new rows, %s: %w", row, c.name, err)
			}
		}
	}
	return edits, nil
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
