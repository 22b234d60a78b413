package tiledb

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"spandrel/model"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/schema"
)

// sparseCells writes changed cells of a sparse array as new fragments.
func sparseCells(ctx context.Context, a *array, edits []cellEdit) ([]model.Edit, error) {
	v := &view{a, asOfNow, a.schemas.Current()}
	x := v.cells()
	x.take(v.glances(ctx))
	c, err := a.adding().change(ctx, x, nil, nil, nil)
	if err != nil {
		return nil, err
	}
	rows := map[cellPlace]int64{}
	for i := range edits {
		e := &edits[i]
		row, known := rows[e.cellPlace]
		if !known {
			if row, err = x.newestRow(ctx, e.cellPlace); err != nil {
				return nil, err
			}
			rows[e.cellPlace] = row
		}
		if err := c.edit(ctx, row, e); err != nil {
			return nil, err
		}
	}
	c.sort()
	return c.sparse(ctx)
}

// newestRow is the row of a stored cell, or an error if readers see another one in its place.
func (x *cellTable) newestRow(ctx context.Context, p cellPlace) (int64, error) {
	at, err := p.coordinates(ctx)
	if err == nil {
		err = p.newest(ctx, at)
	}
	i := slices.Index(x.frags, p.f)
	if err != nil || i < 0 {
		return 0, cmp.Or(err, fmt.Errorf("fragment %s cannot be read", p.f.name))
	}
	row := p.tile*p.f.meta.CellsPerTile(0) + p.cell
	if i > 0 {
		row += x.ends[i-1]
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
