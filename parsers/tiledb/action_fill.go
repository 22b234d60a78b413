package tiledb

import (
	"context"
	"errors"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// fillCells appends n cells to the table of an array, as a new fragment, or for a dense array one per tile.
func fillCells(ctx context.Context, x readAs, from, n int64, cell func(row int64, column int) model.Typed) ([]model.Edit, error) {
	a := x.table().a
	if why := a.unwritable(); why != "" {
		return nil, errors.New(why)
	}
	if from != x.rows() {
		return nil, errors.New("cells of an array cannot be removed by importing a table: delete them (convert PATH delete-cells), and append others")
	}
	s := a.schemas.Current()
	g := givenCells{x: x, s: s, f: a.fragmentOf("", fragment.Footer{Schema: s, Version: storage.VersionNewest, Dense: s.Dense()}), cell: cell}
	for row := range n {
		if err := g.take(ctx, from+row); err != nil {
			return nil, fmt.Errorf("row %d of the new rows, %w", row, err)
		}
	}
	if s.Dense() {
		return denseCells(ctx, a, g.edits)
	}
	return a.adding().rows(ctx, g.rows)
}

// givenCells are cells given as texts, for the columns of a table.
type givenCells struct {
	x     readAs
	s     *schema.Schema
	f     *frag // fragment that would contain them
	cell  func(row int64, column int) model.Typed
	rows  []cellRow
	edits []cellEdit // of a dense array
}

// take parses the cell of a row; an error begins with the name of the column.
func (g *givenCells) take(ctx context.Context, row int64) error {
	r := cellRow{make([]model.Value, len(g.s.Dims)), make([]fragment.Value, len(g.s.Attrs))}
	var place cellPlace
	for j, c := range g.x.table().cols {
		typed := g.cell(row, j)
		if c.dim >= 0 {
			v, err := typedCoordinate(&g.s.Dims[c.dim], typed)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			if r.at[c.dim] = v; c.dim == len(g.s.Dims)-1 && g.s.Dense() {
				place = g.f.a.unwritten(g.s, r.at)
			}
			continue
		}
		v, i, err := g.attribute(ctx, c, typed)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		if r.values[i] = v; g.s.Dense() {
			slot, _ := c.in(place.f)
			g.edits = append(g.edits, cellEdit{cellPlace: place, slot: slot, with: v.Data, whole: true, valid: &v.Valid})
		}
	}
	g.rows = append(g.rows, r)
	return nil
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
		err = fmt.Errorf("the domain is %s to %s", d.Low.Value, d.High.Value)
	}
	return v, err
}

// attribute is a cell of an attribute given as text, and the index of the attribute in the schema.
func (g *givenCells) attribute(ctx context.Context, c column, t model.Typed) (v fragment.Value, i int, err error) {
	f := g.f
	slot, _ := c.in(f)
	if slot < 0 || f.slots[slot].Attr == nil {
		return v, 0, errors.New("the schema has no such attribute")
	}
	v, err = typedValue(ctx, f.a, &f.slots[slot], t)
	return v, f.slots[slot].At, err
}
