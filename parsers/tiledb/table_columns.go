package tiledb

import (
	"context"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// cellRun is n cells of a tile of a fragment, from a cell on, at a constant distance.
type cellRun struct {
	in                  *frag
	tile, from, n, step int64
}

// span is how many cells there are from the first to the last, inclusive.
func (f cellRun) span() int64 { return (f.n-1)*f.step + 1 }

// cells reads the cells of a field: from the first of the run to the last, whose values begin at a place.
func (f cellRun) cells(ctx context.Context, slot int) (t fragment.Cells, at model.Range, err error) {
	x := f.in.tile(slot, f.tile)
	if x.Nullable {
		r, err := x.space(ctx, fragment.Validity)
		if err != nil {
			return t, at, err
		}
		if t.Valid, err = f.in.cut(ctx, r, f.from, f.span()); err != nil {
			return t, at, err
		}
	}
	if x.Variable() {
		return f.variable(ctx, x, t)
	}
	n, stride := x.Cell(), f.in.meta.Stride(x.Slot)
	if at, err = x.space(ctx, fragment.Fixed); err == nil {
		t.Data, err = f.in.cut(ctx, at, f.from*stride, (f.span()-1)*stride+n)
	}
	if all := t.Data; n < stride {
		for t.Data = nil; len(all) > 0; all = all[min(stride, int64(len(all))):] {
			t.Data = append(t.Data, all[:n]...)
		}
	}
	at.Off += f.from * stride
	return t, at, err
}

// appended appends the bytes of fixed-size cells that follow one another.
func (f cellRun) appended(ctx context.Context, to []byte, slot int) ([]byte, error) {
	x := f.in.tile(slot, f.tile)
	at, err := x.space(ctx, fragment.Fixed)
	if err == nil {
		at, err = within(at, f.from*x.Cell(), f.n*x.Cell())
	}
	if err != nil {
		return to, err
	}
	err = f.in.a.d.t.Stream(ctx, at, at.Len, func(_ int64, b []byte) error {
		to = append(to, b...)
		return nil
	})
	return to, err
}

// variable is cells for variable-size ones.
func (f cellRun) variable(ctx context.Context, x tile, t fragment.Cells) (_ fragment.Cells, at model.Range, err error) {
	starts, err := x.starts(ctx)
	if err != nil {
		return t, at, err
	}
	if at, err = x.space(ctx, fragment.Var); err != nil && len(starts) > 0 && starts[len(starts)-1] > 0 {
		return t, at, err
	}
	last := f.from + f.span()
	if last > int64(len(starts))-1 {
		return t, at, fmt.Errorf("the tile has offsets of %d cells, not of %d", len(starts)-1, last)
	}
	starts[len(starts)-1] = max(at.Len, starts[max(0, len(starts)-2)])
	begin := starts[f.from]
	if t.Data, err = f.in.cut(ctx, at, begin, starts[last]-begin); err != nil {
		return t, at, err
	}
	for _, s := range starts[f.from:last] {
		t.Starts = append(t.Starts, s-begin)
	}
	at.Off += begin
	return t, at, nil
}

// read decodes the cells of a field. names are the values that the cells index, or nil.
func (f cellRun) read(ctx context.Context, slot int, names *schema.Enumeration, set func(i int64, c model.Cell)) error {
	s := &f.in.slots[slot]
	t, at, err := f.cells(ctx, slot)
	if err != nil {
		return err
	}
	for i := range f.n {
		k := int(i * f.step)
		b, off := t.At(s, k), int64(k)*f.in.meta.Stride(s)
		c := storage.Cell(s.Datatype, s.Num, b)
		if s.Variable() {
			off = t.Starts[k]
		} else {
			c = labelled(ctx, f.in.a.d.t, names, c)
		}
		if c.Range = (model.Range{Space: at.Space, Off: at.Off + off, Len: int64(len(b))}); t.Null(k) {
			c.Value, c.Label, c.Items, c.Vector = model.Value{}, "", nil, false
		}
		set(i, c)
	}
	return nil
}

// labelled adds the enumeration value that a cell indexes.
func labelled(ctx context.Context, t *model.Tree, e *schema.Enumeration, c model.Cell) model.Cell {
	if e != nil && !c.Vector && c.Value.Kind != model.None {
		if i := c.Value.Int(); i >= 0 && i < e.Count() {
			c.Label = e.Text(ctx, t, i)
		}
	}
	return c
}

// fieldsOf are the dimensions and the attributes of a schema.
func fieldsOf(s *schema.Schema) (out []column) {
	for i := range s.Dims {
		d := &s.Dims[i]
		out = append(out, column{d.Name.Text(), d.Datatype, d.Values(), i, nil})
	}
	for i := range s.Attrs {
		at := &s.Attrs[i]
		out = append(out, column{at.Name.Text(), at.Datatype, at.Values(), -1, at})
	}
	return out
}

// dimensionNames are the columns that identify a cell; none if an array has several cells in one place.
func dimensionNames(s *schema.Schema) (out []string) {
	if s == nil || s.Dups.Uint() != 0 {
		return nil
	}
	for i := range s.Dims {
		out = append(out, s.Dims[i].Name.Text())
	}
	return out
}

// cells is the type of the cells of a column.
func (c column) cells() (typ string, kind model.Kind) {
	codec := storage.CodecOf(c.typ)
	if typ = codec.Type(); storage.IsNumber(c.typ) && c.num != 1 {
		typ += "[]"
	}
	return typ, codec.Kind()
}

// columns are the columns of the table; readOnly says why no cell can be changed.
func (x *cellTable) columns(readOnly string) (out []model.Column) {
	for _, c := range x.cols {
		typ, kind := c.cells()
		fixed := readOnly
		if c.dim >= 0 {
			fixed = coordF.Fixed
		}
		out = append(out, model.Column{Name: c.name, Doc: storage.TypeName(c.typ), Type: typ, Kind: kind, Fixed: fixed})
	}
	return append(out, model.Column{Name: "fragment", Type: "utf8", Kind: model.Text, Fixed: fixedFragment})
}
