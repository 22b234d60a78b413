package tiledb

import (
	"context"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// cellRun is n cells of a tile of a fragment, from a cell on, each some steps after the last.
type cellRun struct {
	in                  *frag
	tile, from, n, step int64
}

// span is how many cells lie between the first and the last, with both.
func (f cellRun) span() int64 { return (f.n-1)*f.step + 1 }

// read decodes the cells of a field. coord is the dimension of a __coords cell; names are the values that the cells are indices of, or nil.
func (f cellRun) read(ctx context.Context, slot, coord int, names *schema.Enumeration, set func(i int64, c model.Cell)) error {
	s := &f.in.slots[slot]
	var valid []byte
	if s.Nullable {
		r, err := f.in.space(ctx, placeOf{slot: slot, part: fragment.Validity, tile: f.tile})
		if err != nil {
			return err
		}
		if valid, err = f.in.cut(ctx, r, f.from, f.span()); err != nil {
			return err
		}
	}
	put := func(i int64, c model.Cell) {
		if valid != nil && valid[i*f.step] == 0 {
			c.Value, c.Label, c.Items, c.Vector = model.Value{}, "", nil, false
		}
		set(i, c)
	}
	if s.Variable() {
		return f.variable(ctx, slot, put)
	}
	r, err := f.in.space(ctx, placeOf{slot: slot, part: fragment.Fixed, tile: f.tile})
	if err != nil {
		return err
	}
	size := s.Cell()
	if s.Coords {
		return f.coords(ctx, s, r, coord, put)
	}
	b, err := f.in.cut(ctx, r, f.from*size, f.span()*size)
	if err != nil {
		return err
	}
	for i := range f.n {
		at := i * f.step * size
		c := storage.Cell(s.Datatype, s.Num, b[at:at+size])
		c.Range = model.Range{Space: r.Space, Off: r.Off + f.from*size + at, Len: size}
		put(i, labelled(ctx, f.in.a.d.t, names, c))
	}
	return nil
}

// coords decodes one dimension of __coords cells: each dimension for itself, but interleaved in version 1 without filters.
func (f cellRun) coords(ctx context.Context, s *fragment.Slot, r model.Range, dim int, put func(i int64, c model.Cell)) error {
	size := int64(filter.SizeOf(s.Datatype))
	cells := r.Len / (size * int64(s.Num))
	step, at := size, int64(dim)*cells*size
	if f.in.interleaved(s) {
		step, at = size*int64(s.Num), int64(dim)*size
	}
	for i := range f.n {
		b, err := f.in.cut(ctx, r, at+(f.from+i)*step, size)
		if err != nil {
			return err
		}
		c := storage.Cell(s.Datatype, 1, b)
		c.Range = model.Range{Space: r.Space, Off: r.Off + at + (f.from+i)*step, Len: size}
		put(i, c)
	}
	return nil
}

// variable decodes cells of varying size.
func (f cellRun) variable(ctx context.Context, slot int, put func(i int64, c model.Cell)) error {
	s := &f.in.slots[slot]
	starts, err := f.in.starts(ctx, slot, f.tile)
	if err != nil {
		return err
	}
	r, err := f.in.space(ctx, placeOf{slot: slot, part: fragment.Var, tile: f.tile})
	if err != nil && len(starts) > 0 && starts[len(starts)-1] > 0 {
		return err
	}
	last := f.from + f.span()
	if last > int64(len(starts))-1 {
		return fmt.Errorf("the tile has offsets of %d cells, not of %d", len(starts)-1, last)
	}
	starts[len(starts)-1] = max(r.Len, starts[max(0, len(starts)-2)])
	b, err := f.in.cut(ctx, r, starts[f.from], starts[last]-starts[f.from])
	if err != nil {
		return err
	}
	for i := range f.n {
		lo, hi := starts[f.from+i*f.step], starts[f.from+i*f.step+1]
		c := storage.Cell(s.Datatype, storage.VariableCells, b[lo-starts[f.from]:hi-starts[f.from]])
		c.Range = model.Range{Space: r.Space, Off: lo, Len: hi - lo}
		put(i, c)
	}
	return nil
}

// labelled adds the value of an enumeration that a cell is an index of.
func labelled(ctx context.Context, t *model.Tree, e *schema.Enumeration, c model.Cell) model.Cell {
	if e != nil && !c.Vector && c.Value.Kind != model.None {
		if i := c.Value.Int(); i >= 0 && i < e.Count() {
			c.Label = e.Text(t, ctx, i)
		}
	}
	return c
}

// fieldsOf are the dimensions and the attributes of a schema.
func fieldsOf(s *schema.Schema) (out []column) {
	for i := range s.Dims {
		num := uint32(1)
		if s.Dims[i].Variable() {
			num = storage.VariableCells
		}
		out = append(out, column{s.Dims[i].Name.Text(), s.Dims[i].Datatype, num, i, nil})
	}
	for i := range s.Attrs {
		at := &s.Attrs[i]
		out = append(out, column{at.Name.Text(), at.Datatype, at.Values(), -1, at})
	}
	return out
}

// dimensionNames are the columns by which a cell is known; none where an array has several cells in one place.
func dimensionNames(s *schema.Schema) (out []string) {
	if s == nil || s.Dups.Uint() != 0 {
		return nil
	}
	for i := range s.Dims {
		out = append(out, s.Dims[i].Name.Text())
	}
	return out
}

// columns are the columns of the table; readOnly says why no cell can be changed.
func (x *cellTable) columns(readOnly string) (out []model.Column) {
	for _, c := range x.cols {
		codec := storage.CodecOf(c.typ)
		typ := codec.Type()
		if storage.IsNumber(c.typ) && c.num != 1 {
			typ += "[]"
		}
		fixed := readOnly
		if c.dim >= 0 {
			fixed = coordF.Fixed
		}
		out = append(out, model.Column{Name: c.name, Doc: storage.TypeName(c.typ), Type: typ, Kind: codec.Kind(), Fixed: fixed})
	}
	return append(out, model.Column{Name: "fragment", Type: "utf8", Kind: model.Text, Fixed: fixedFragment})
}
