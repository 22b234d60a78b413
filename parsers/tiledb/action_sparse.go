package tiledb

import (
	"context"
	"fmt"
	"slices"

	"spandrel/model"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// cellRow is a cell of a sparse array: its coordinates, and the values of the current schema's attributes.
type cellRow struct {
	at     []model.Value
	values []fragment.Value
}

// sparseCells writes changed cells of a sparse array as new fragments.
func sparseCells(ctx context.Context, a *array, edits []cellEdit) ([]model.Edit, error) {
	s := a.schemas.Current()
	rows := map[string]*cellRow{}
	var order []string
	for _, x := range edits {
		at, err := x.coordinates(ctx)
		if err != nil {
			return nil, err
		}
		key := fmt.Sprintf("%q", at)
		if rows[key] == nil {
			if rows[key], err = x.row(ctx, s, at); err != nil {
				return nil, err
			}
			order = append(order, key)
		}
		i, err := attributeAt(s, &x)
		if err != nil {
			return nil, err
		}
		if rows[key].values[i], err = x.apply(x.field(), rows[key].values[i]); err != nil {
			return nil, err
		}
	}
	var list []cellRow
	for _, key := range order {
		list = append(list, *rows[key])
	}
	return a.adding().rows(ctx, list)
}

// row is the present cell, for the attributes of the current schema.
func (p cellPlace) row(ctx context.Context, s *schema.Schema, at []model.Value) (*cellRow, error) {
	if err := p.newest(ctx, at); err != nil {
		return nil, err
	}
	row := &cellRow{at: at, values: make([]fragment.Value, len(s.Attrs))}
	for i := range s.Attrs {
		var err error
		if row.values[i], err = p.current(ctx, &s.Attrs[i]); err != nil {
			return nil, err
		}
	}
	return row, nil
}

// attributeAt is the index of an edited field in the current schema.
func attributeAt(s *schema.Schema, x *cellEdit) (int, error) {
	slot := x.field()
	i := slices.IndexFunc(s.Attrs, func(at schema.Attribute) bool { return at.Name.Text() == slot.Name })
	switch {
	case i < 0:
		return 0, fmt.Errorf("%s was dropped from the schema: its cells are no longer read", slot.Name)
	case s.Attrs[i].Datatype != slot.Datatype || s.Attrs[i].Values() != slot.Num:
		return 0, fmt.Errorf("%s has another type in the current schema", slot.Name)
	}
	return i, nil
}

// current is the value of an attribute of the current schema in the cell.
func (p cellPlace) current(ctx context.Context, at *schema.Attribute) (fragment.Value, error) {
	if slot := slotOf(p.f.slots, at); slot >= 0 {
		return p.value(ctx, slot)
	}
	return fillValue(ctx, p.f.a, at), nil
}

// slotOf is where a fragment of these slots has an attribute of the current schema; -1: it was written without.
func slotOf(slots []fragment.Slot, at *schema.Attribute) int {
	return slices.IndexFunc(slots, func(x fragment.Slot) bool {
		return x.Attr != nil && x.Name == at.Name.Text() && x.Datatype == at.Datatype && x.Num == at.Values()
	})
}

// mostLooked is how many cells of later fragments are searched for the same coordinates.
const mostLooked = 4 << 20

// newest is an error if a later fragment has a cell of the same coordinates: then the edited cell is not what readers see.
func (p cellPlace) newest(ctx context.Context, at []model.Value) error {
	frags := p.f.a.fragList
	if !p.f.live {
		return fmt.Errorf("fragment %s is ignored: no commit names it, or it was consolidated", p.f.name)
	}
	looked := int64(0)
	for _, f := range frags[slices.Index(frags, p.f)+1:] {
		if !f.live || f.load(ctx) == nil || !f.meta.Covers(at) {
			continue
		}
		tiles, cells := f.meta.Count()
		if looked += cells; looked > mostLooked {
			return fmt.Errorf("too many later cells to look for one with the same coordinates: consolidate the array first")
		}
		for k := range tiles {
			if again, err := tileHas(ctx, f, k, at); err != nil {
				return err
			} else if again {
				return fmt.Errorf("the cell was overwritten later, in fragment %s: edit it there", f.name)
			}
		}
	}
	return nil
}

// tileHas tells whether a tile of a sparse fragment has a cell of these coordinates.
func tileHas(ctx context.Context, f *frag, k int64, at []model.Value) (bool, error) {
	for c := range f.meta.CellsPerTile(k) {
		if other, err := (cellPlace{f, k, c}).coordinates(ctx); err != nil || slices.EqualFunc(at, other, model.Value.Equal) {
			return err == nil, err
		}
	}
	return false, nil
}

// rows writes cells as fragments.
func (x addition) rows(ctx context.Context, rows []cellRow) (out []model.Edit, err error) {
	n, err := x.draft()
	if err != nil {
		return nil, err
	}
	return x.columns(ctx, n.rowTile(rows).Fields)
}

// columns writes the cells of fields, by slot, as fragments: as one, or for arrays in Hilbert order one per cell, which needs no position on the
// curve.
func (x addition) columns(ctx context.Context, fields []fragment.Cells) (out []model.Edit, err error) {
	n, err := x.draft()
	if err != nil {
		return nil, err
	}
	s := x.s
	twice := n.Arrange(fields, int(min(max(s.Capacity.Uint(), 1), 1<<30)))
	if twice >= 0 && s.Dups.Uint() == 0 {
		return nil, fmt.Errorf("row %d of the new rows has the coordinates of another one", twice)
	}
	if s.CellOrder.Uint() != schema.Hilbert {
		return n.files(ctx)
	}
	for _, t := range n.Apart() {
		one, err := x.draft()
		if err != nil {
			return nil, err
		}
		one.Tiles = []fragment.Tile{t}
		edits, err := one.files(ctx)
		if err != nil {
			return nil, err
		}
		out = append(out, edits...)
		x.now++
	}
	return out, nil
}

// rowTile is a tile of cells.
func (n *newFragment) rowTile(rows []cellRow) fragment.Tile {
	t := fragment.Tile{Fields: make([]fragment.Cells, len(n.Slots))}
	for slot := range n.Slots {
		s := &n.Slots[slot]
		for _, row := range rows {
			switch {
			case s.Attr != nil:
				t.Fields[slot].Add(s, row.values[s.At])
			case s.Dim != nil:
				b, _ := storage.CodecOf(s.Datatype).Encode(row.at[s.At])
				t.Fields[slot].Add(s, fragment.Value{Data: b, Valid: 1})
			}
		}
	}
	for _, row := range rows {
		t.Box = t.Box.With(fragment.Point(row.at))
	}
	return t
}
