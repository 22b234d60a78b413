package tiledb

import (
	"context"
	"encoding/binary"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
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

// columnCells are the cells of a column in a run, and their type; nil if there are none. Every step-th of them is one of the run.
type columnCells struct {
	fragment.Cells
	*fragment.Slot
	step   int
	at     model.Range // where the first is
	stride int64       // between those of fixed size; 0 if they are not stored
}

// cells reads the cells of column j in a run. What its fragment does not have is the fill value, as readers see it; in storage order it is missing.
func (x *cellTable) cells(ctx context.Context, run runOfRows, j int) (c columnCells, err error) {
	col := &x.cols[j]
	c.Slot, c.step = &col.Slot, 1
	if col.Dim != nil && (run.in == nil || run.in.meta.Dense) {
		c.Data = run.coordinates(&col.Slot)
		return c, nil
	}
	if run.in != nil {
		if slot := col.in(run.in); slot >= 0 {
			c.Slot, c.step = &run.in.slots[slot], int(run.step)
			if c.Cells, c.at, err = run.cellRun.cells(ctx, slot); run.in == x.frags[run.index] { // otherwise they are not in the document's tree
				c.stride = run.in.meta.Stride(c.Slot)
			}
			return c, err
		}
	}
	if col.Attr == nil {
		return columnCells{}, nil
	}
	v := fillValue(ctx, x.a, col.Attr)
	for range run.n {
		c.Add(c.Slot, v)
	}
	return c, nil
}

// coordinates are those of the cells of a dense array in a dimension. In a box the last one increases from the first cell on.
func (r runOfRows) coordinates(d *fragment.Slot) (b []byte) {
	size, step := filter.SizeOf(d.Datatype), uint64(0)
	if r.where != nil {
		if d.At == len(r.where)-1 {
			step = 1
		}
		for v := r.where[d.At].Uint(); len(b) < int(r.n)*size; v += step {
			b = binary.LittleEndian.AppendUint64(b, v)[:len(b)+size]
		}
		return b
	}
	g, _ := r.in.meta.Grid()
	at := make([]model.Value, len(g.Dims))
	for i := range r.n {
		g.At(uint64(r.tile), uint64(r.from+i*r.step), at)
		b = binary.LittleEndian.AppendUint64(b, at[d.At].Uint())[:len(b)+size]
	}
	return b
}

// cell is row i of the run; names are the values that the cells index, or nil.
func (c *columnCells) cell(ctx context.Context, t *model.Tree, i int, names *schema.Enumeration) (out model.Cell) {
	k := i * c.step
	b, off := c.Cells.At(c.Slot, k), int64(k)*c.stride
	if out = storage.Cell(c.Datatype, c.Num, b); c.Variable() {
		off = c.Starts[k]
	} else {
		out = labelled(ctx, t, names, out)
	}
	if c.stride > 0 {
		out.Range = model.Range{Space: c.at.Space, Off: c.at.Off + off, Len: int64(len(b))}
	}
	if c.Null(k) {
		out.Value, out.Label, out.Items, out.Vector = model.Value{}, "", nil, false
	}
	return out
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
		out = append(out, column{fragment.Slot{Name: d.Name.Text(), Datatype: d.Datatype, Num: d.Values(), Dim: d, At: i}})
	}
	for i := range s.Attrs {
		at := &s.Attrs[i]
		out = append(out, column{fragment.Slot{Name: at.Name.Text(), Datatype: at.Datatype, Num: at.Values(), Nullable: at.Nullable(), Attr: at, At: i}})
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
	codec := storage.CodecOf(c.Datatype)
	if typ = codec.Type(); storage.IsNumber(c.Datatype) && c.Num != 1 {
		typ += "[]"
	}
	return typ, codec.Kind()
}

// columns are the columns of the table; readOnly says why no cell can be changed.
func (x *cellTable) columns(readOnly string) (out []model.Column) {
	for _, c := range x.cols {
		typ, kind := c.cells()
		fixed := readOnly
		if c.Dim != nil {
			fixed = coordF.Fixed
		}
		out = append(out, model.Column{Name: c.Name, Doc: storage.TypeName(c.Datatype), Type: typ, Kind: kind, Fixed: fixed})
	}
	return append(out, model.Column{Name: "fragment", Type: "utf8", Kind: model.Text, Fixed: fixedFragment})
}
