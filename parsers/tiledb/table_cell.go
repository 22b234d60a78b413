package tiledb

import (
	"bytes"
	"cmp"
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

// value reads a cell of a field.
func (f *frag) value(ctx context.Context, slot int, p cellPlace) (v fragment.Value, err error) {
	s, v := &f.slots[slot], fragment.Value{Valid: 1}
	t := f.a.d.t
	if s.Nullable {
		r, err := f.space(ctx, placeOf{slot: slot, part: fragment.Validity, tile: p.tile})
		if err != nil {
			return v, err
		}
		b, err := f.cut(ctx, r, p.cell, 1)
		if err != nil {
			return v, err
		}
		v.Valid = b[0]
	}
	if !s.Variable() {
		r, err := f.space(ctx, placeOf{slot: slot, part: fragment.Fixed, tile: p.tile})
		if err != nil {
			return v, err
		}
		b, err := f.cut(ctx, r, p.cell*s.Cell(), s.Cell())
		v.Data = bytes.Clone(b)
		return v, err
	}
	starts, err := f.starts(ctx, slot, p.tile)
	if err != nil || p.cell+1 >= int64(len(starts)) {
		return v, cmp.Or(err, fmt.Errorf("%s has no cell %d in tile %d", s.Name, p.cell, p.tile))
	}
	if n := starts[p.cell+1] - starts[p.cell]; n > 0 {
		r, err := f.space(ctx, placeOf{slot: slot, part: fragment.Var, tile: p.tile})
		if err != nil {
			return v, err
		}
		b, err := t.Bytes(ctx, model.Range{Space: r.Space, Off: r.Off + starts[p.cell], Len: n})
		v.Data = bytes.Clone(b)
		return v, err
	}
	v.Data = []byte{}
	return v, nil
}

// coordinates are those of a cell.
func (f *frag) coordinates(ctx context.Context, p cellPlace) ([]model.Value, error) {
	dims := f.meta.Schema.Dims
	out := make([]model.Value, len(dims))
	if f.meta.Dense {
		g, ok := f.meta.Grid()
		if !ok {
			return nil, fmt.Errorf("fragment %s: its box makes no tiles", f.name)
		}
		g.At(uint64(p.tile), uint64(p.cell), out)
		return out, nil
	}
	for slot := range f.slots {
		s := &f.slots[slot]
		if s.Dim == nil {
			continue
		}
		v, err := f.value(ctx, slot, p)
		if err != nil {
			return nil, err
		}
		out[s.At] = s.Dim.Coordinate(v.Data)
	}
	return out, nil
}

// fillValue is what a cell of an attribute says that was never written.
func fillValue(ctx context.Context, a *array, at *schema.Attribute) fragment.Value {
	v := fragment.Value{Valid: 1}
	if v.Data = storage.FillOf(at.Datatype, at.Values()); at.Fill.Span != nil {
		if b, err := a.schemas.Home.Bytes(ctx, at.Fill.Range); err == nil && len(b) > 0 {
			v.Data = bytes.Clone(b)
		}
	}
	if at.Nullable() {
		v.Valid = byte(at.FillOK.Uint())
	}
	return v
}

// readField reads what there is of a tile of a field.
func (f *frag) readField(ctx context.Context, slot int, k int64) (t fragment.Cells, err error) {
	s := &f.slots[slot]
	read := func(part int) ([]byte, error) {
		r, err := f.space(ctx, placeOf{slot: slot, part: part, tile: k})
		if err != nil {
			return nil, err
		}
		b, err := f.a.d.t.Bytes(ctx, r)
		return bytes.Clone(b), err
	}
	if s.Nullable {
		if t.Valid, err = read(fragment.Validity); err != nil {
			return t, err
		}
	}
	if !s.Variable() {
		t.Data, err = read(fragment.Fixed)
		return t, err
	}
	starts, err := f.starts(ctx, slot, k)
	if err != nil {
		return t, err
	}
	if t.Starts = starts[:len(starts)-1]; starts[len(starts)-1] > 0 {
		t.Data, err = read(fragment.Var)
	}
	return t, err
}

// tileField reads a tile of a field, all of it.
func (f *frag) tileField(ctx context.Context, slot int, k int64) (fragment.Cells, error) {
	s := &f.slots[slot]
	t, err := f.readField(ctx, slot, k)
	if err != nil {
		return t, err
	}
	if got, want := int64(t.Cells(s)), f.meta.CellsPerTile(k); got != want || s.Nullable && int64(len(t.Valid)) != want {
		return t, fmt.Errorf("tile %d of %s has %d cells of %d", k, s.Name, got, want)
	}
	if sizes := f.list(ctx, fragment.VarSizes, slot); s.Variable() && (k >= int64(len(sizes)) || uint64(len(t.Data)) != sizes[k]) {
		return t, fmt.Errorf("tile %d of %s has %d bytes, which is not what the fragment says", k, s.Name, len(t.Data))
	}
	return t, nil
}
