package tiledb

import (
	"context"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// cellRun is n cells of a tile of a fragment, from a cell on.
type cellRun struct {
	*frag
	tile, from, n int64
}

// read decodes the cells of a field. coord is the dimension of a __coords cell.
func (f cellRun) read(ctx context.Context, slot, coord int, set func(i int64, c model.Cell)) error {
	s := &f.slots[slot]
	var valid []byte
	if s.nullable {
		r, err := f.space(ctx, placeOf{slot: slot, part: fileValid, tile: f.tile})
		if err != nil {
			return err
		}
		if valid, err = f.cut(ctx, r, f.from, f.n); err != nil {
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
		return f.variable(ctx, slot, put)
	}
	r, err := f.space(ctx, placeOf{slot: slot, part: fileFixed, tile: f.tile})
	if err != nil {
		return err
	}
	size := s.cell()
	if s.coords {
		return f.coords(ctx, s, r, coord, put)
	}
	b, err := f.cut(ctx, r, f.from*size, f.n*size)
	if err != nil {
		return err
	}
	for i := range f.n {
		c := cell(s.datatype, s.num, b[i*size:(i+1)*size])
		c.Range = model.Range{Space: r.Space, Off: r.Off + (f.from+i)*size, Len: size}
		put(i, withName(f.frag, ctx, s, c))
	}
	return nil
}

// coords decodes one dimension of __coords cells: each dimension for itself, but interleaved in version 1 without filters.
func (f cellRun) coords(ctx context.Context, s *fileSlot, r model.Range, dim int, put func(i int64, c model.Cell)) error {
	size := int64(filter.SizeOf(s.datatype))
	cells := r.Len / (size * int64(s.num))
	step, at := size, int64(dim)*cells*size
	if f.meta.version <= 1 && len(s.filters) == 0 {
		step, at = size*int64(s.num), int64(dim)*size
	}
	for i := range f.n {
		b, err := f.cut(ctx, r, at+(f.from+i)*step, size)
		if err != nil {
			return err
		}
		c := cell(s.datatype, 1, b)
		c.Range = model.Range{Space: r.Space, Off: r.Off + at + (f.from+i)*step, Len: size}
		put(i, c)
	}
	return nil
}

// variable decodes cells of varying size.
func (f cellRun) variable(ctx context.Context, slot int, put func(i int64, c model.Cell)) error {
	s := &f.slots[slot]
	starts, err := f.starts(ctx, slot, f.tile)
	if err != nil {
		return err
	}
	r, err := f.space(ctx, placeOf{slot: slot, part: fileVar, tile: f.tile})
	if err != nil && len(starts) > 0 && starts[len(starts)-1] > 0 {
		return err
	}
	if f.from+f.n > int64(len(starts))-1 {
		return fmt.Errorf("the tile has offsets of %d cells, not of %d", len(starts)-1, f.from+f.n)
	}
	starts[len(starts)-1] = max(r.Len, starts[max(0, len(starts)-2)])
	b, err := f.cut(ctx, r, starts[f.from], starts[f.from+f.n]-starts[f.from])
	if err != nil {
		return err
	}
	for i := range f.n {
		lo, hi := starts[f.from+i], starts[f.from+i+1]
		c := cell(s.datatype, variableCells, b[lo-starts[f.from]:hi-starts[f.from]])
		c.Range = model.Range{Space: r.Space, Off: lo, Len: hi - lo}
		put(i, c)
	}
	return nil
}

// named adds the value of the enumeration that a cell is an index of.
func withName(f *frag, ctx context.Context, s *fileSlot, c model.Cell) model.Cell {
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
