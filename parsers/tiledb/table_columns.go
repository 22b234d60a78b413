package tiledb

import (
	"context"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// readColumn decodes n cells of a field from tile k. coord is the dimension of a __coords cell.
func (f *frag) readColumn(ctx context.Context, slot, coord int, k, from, n int64, set func(i int64, c model.Cell)) error {
	s := &f.slots[slot]
	var valid []byte
	if s.nullable {
		r, err := f.space(ctx, placeOf{slot: slot, part: fileValid, tile: k})
		if err != nil {
			return err
		}
		if valid, err = f.cut(ctx, r, from, n); err != nil {
			return err
		}
	}
	put := func(i int64, c model.Cell) {
		if valid != nil && valid[i] == 0 {
			c.Value, c.Items, c.Vector = model.Value{}, nil, false
		}
		set(i, c)
	}
	if s.variable() {
		return f.readVarColumn(ctx, slot, k, from, n, put)
	}
	r, err := f.space(ctx, placeOf{slot: slot, part: fileFixed, tile: k})
	if err != nil {
		return err
	}
	size := s.cell()
	if s.coords {
		return f.readCoords(ctx, s, r, coord, from, n, put)
	}
	b, err := f.cut(ctx, r, from*size, n*size)
	if err != nil {
		return err
	}
	for i := range n {
		c := cell(s.datatype, s.num, b[i*size:(i+1)*size])
		c.Range = model.Range{Space: r.Space, Off: r.Off + (from+i)*size, Len: size}
		put(i, f.named(ctx, s, c))
	}
	return nil
}

// readCoords decodes one dimension of __coords cells: each dimension for itself, but interleaved in version 1 without filters.
func (f *frag) readCoords(ctx context.Context, s *fileSlot, r model.Range, dim int, from, n int64, put func(i int64, c model.Cell)) error {
	size := int64(filter.SizeOf(s.datatype))
	cells := r.Len / (size * int64(s.num))
	step, at := size, int64(dim)*cells*size
	if f.meta.version <= 1 && len(s.filters) == 0 {
		step, at = size*int64(s.num), int64(dim)*size
	}
	for i := range n {
		b, err := f.cut(ctx, r, at+(from+i)*step, size)
		if err != nil {
			return err
		}
		c := cell(s.datatype, 1, b)
		c.Range = model.Range{Space: r.Space, Off: r.Off + at + (from+i)*step, Len: size}
		put(i, c)
	}
	return nil
}

// readVarColumn decodes cells of varying size.
func (f *frag) readVarColumn(ctx context.Context, slot int, k, from, n int64, put func(i int64, c model.Cell)) error {
	s := &f.slots[slot]
	starts, err := f.starts(ctx, slot, k)
	if err != nil {
		return err
	}
	r, err := f.space(ctx, placeOf{slot: slot, part: fileVar, tile: k})
	if err != nil && len(starts) > 0 && starts[len(starts)-1] > 0 {
		return err
	}
	if from+n > int64(len(starts))-1 {
		return fmt.Errorf("the tile has offsets of %d cells, not of %d", len(starts)-1, from+n)
	}
	starts[len(starts)-1] = max(r.Len, starts[max(0, len(starts)-2)])
	b, err := f.cut(ctx, r, starts[from], starts[from+n]-starts[from])
	if err != nil {
		return err
	}
	for i := range n {
		lo, hi := starts[from+i], starts[from+i+1]
		c := cell(s.datatype, variableCells, b[lo-starts[from]:hi-starts[from]])
		c.Range = model.Range{Space: r.Space, Off: lo, Len: hi - lo}
		put(i, c)
	}
	return nil
}

// named adds the value of the enumeration that a cell is an index of.
func (f *frag) named(ctx context.Context, s *fileSlot, c model.Cell) model.Cell {
	if s.attr == nil || s.attr.enum.Text() == "" || c.Vector {
		return c
	}
	if e := f.a.enumeration(ctx, f.meta.schema, s.attr.enum.Text()); e != nil {
		if i := c.Value.Int(); i >= 0 && i < e.count() {
			c.Label = e.text(f.a.d.t, ctx, i)
		}
	}
	return c
}
