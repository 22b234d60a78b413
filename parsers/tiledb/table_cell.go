package tiledb

import (
	"context"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// cellPlace is a cell of a fragment.
type cellPlace struct {
	f    *frag
	tile int64
	cell int64
}

// coordinates are those of the cell.
func (p cellPlace) coordinates(ctx context.Context) ([]model.Value, error) {
	f := p.f
	dims := f.meta.Schema.Dims
	out := make([]model.Value, len(dims))
	if f.meta.Dense {
		g, ok := f.meta.Grid()
		if !ok {
			return nil, fmt.Errorf("fragment %s: its bounding box contains no tiles", f.name)
		}
		g.At(uint64(p.tile), uint64(p.cell), out)
		return out, nil
	}
	for slot := range f.slots {
		x := &f.slots[slot]
		if x.Dim == nil {
			continue
		}
		cell, _, err := cellRun{f, p.tile, p.cell, 1, 1}.cells(ctx, slot)
		if err != nil {
			return nil, err
		}
		out[x.At] = x.Dim.Coordinate(cell.At(x, 0))
	}
	return out, nil
}

// fillValue is the value of an attribute's unwritten cell.
func fillValue(ctx context.Context, a *array, at *schema.Attribute) fragment.Value {
	v := fragment.Value{Valid: 1}
	if v.Data = storage.FillOf(at.Datatype, at.Values()); at.Fill.Span != nil {
		if b, err := a.schemas.Home.Bytes(ctx, at.Fill.Range); err == nil && len(b) > 0 {
			v.Data = b
		}
	}
	if at.Nullable() {
		v.Valid = byte(at.FillOK.Uint())
	}
	return v
}

// whole reads the cells of the tile, all of them.
func (x tile) whole(ctx context.Context) (t fragment.Cells, err error) {
	r, size, err := x.stored(ctx)
	if err != nil {
		return t, err
	}
	want, valid := x.f.meta.CellsPerTile(x.k), model.Range{}
	if x.Nullable {
		if valid, err = x.space(ctx, fragment.Validity); err != nil {
			return t, err
		}
	}
	if got := r.Len / size; got != want || x.Nullable && valid.Len != want {
		return t, fmt.Errorf("tile %d of %s has %d cells of %d", x.k, x.Name, got, want)
	}
	if t, _, err = (cellRun{x.f, x.k, 0, want, 1}).cells(ctx, x.slot); err != nil {
		return t, err
	}
	if sizes := x.list(ctx, fragment.VarSizes); x.Variable() && (x.k >= int64(len(sizes)) || uint64(len(t.Data)) != sizes[x.k]) {
		return t, fmt.Errorf("tile %d of %s has %d bytes, which does not match the fragment", x.k, x.Name, len(t.Data))
	}
	return t, nil
}
