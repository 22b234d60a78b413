package samediff

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// fill gives an array of one or two dimensions other elements from one on: as many as whole rows have, or where it is stored column by column, whole
// columns. The shape of its variable follows.
func (a *data) fill(ctx context.Context, t *model.Tree, from, n int64, cell func(row int64, column int) model.Typed) ([]model.Edit, error) {
	typ, row, axis, rows := types[a.typ], int64(1), 0, "rows"
	if len(a.dims) == 2 && a.order == 'f' {
		axis, rows = 1, "columns"
	}
	if len(a.dims) == 2 {
		row = a.dims[1-axis]
	}
	switch count := from + n; {
	case from < 0 || n < 0 || from > a.count() || n > maxConverted/typ.width-from:
		return nil, fmt.Errorf("%s elements are too many to be written at once", model.Thousands(n))
	case row == 0 || count%row != 0:
		return nil, fmt.Errorf("%s has %s of %s, and %d do not make whole %s", a.name, rows, model.Count(row, "elements"), count, rows)
	case count == 0:
		return nil, fmt.Errorf("%s would have no %s, and ND4J has no values then", a.name, rows)
	}
	dims := slices.Clone(a.dims)
	dims[axis] = (from + n) / row
	return change(ctx, t, func(e *graphEdit) error {
		x, err := e.free(a, axis, dims[axis] < a.dims[axis])
		if err != nil {
			return err
		}
		raw, err := a.elements(ctx, t)
		if err != nil {
			return err
		}
		raw = raw[:from*typ.width]
		for i := range n {
			b, err := encodedCell(typ.le, cell(from+i, len(dims)))
			if err != nil {
				return fmt.Errorf("row %d of those that come, column %q: %w", i, "value", err)
			}
			raw = append(raw, b...)
		}
		return e.resize(x, a, dims, raw)
	})
}

// encodedCell is encoded of a cell that is not missing.
func encodedCell(f *model.Field, c model.Typed) ([]byte, error) {
	if c.Missing {
		return nil, errors.New("a value is never missing")
	}
	return encoded(f, c.Text)
}

// free is the variable of an array, or why its length along an axis is fixed. What gathers rows or columns of a table by their numbers takes a longer one.
func (e *graphEdit) free(a *data, axis int, shorter bool) (*variable, error) {
	i, ok := e.byName[a.name]
	if !ok || e.vars[i].kind != varVariable && e.vars[i].kind != varConstant {
		return nil, fmt.Errorf("%s is no variable and no constant of the graph", a.name)
	}
	x := &e.vars[i]
	_, stored := e.placed.doc.st.arrays(e.ctx, e.t)
	if s := stored[x.name]; s == nil || !slices.Equal(s.at, a.at) || a.bytes != (&arr{typ: a.typ}).sizeOf(a.count()) {
		return nil, fmt.Errorf("the values of %s are not all there: repair the file first", x.name)
	}
	if x.hasShape && !slices.Equal(x.shape, a.dims) {
		return nil, fmt.Errorf("%s says the shape %v of values of the shape %v: repair that first", x.name, x.shape, a.dims)
	}
	if err := e.resizable(i, axis, shorter); err != nil {
		return nil, err
	}
	var err error
	for _, at := range e.b.Tables(e.graph, flat.GraphUpdater) {
		if name, _ := e.b.Str(at, 0); name == x.name {
			err = fmt.Errorf("the state of the updater has the shape of %s: remove that first", x.name)
		}
	}
	return x, err
}

// resizable tells which operation needs a variable to have the length along an axis that it has.
func (e *graphEdit) resizable(variable, axis int, shorter bool) error {
	name := e.vars[variable].name
	for k := range e.nodes {
		n := &e.nodes[k]
		for at, in := range n.inputs {
			if v, ok := e.byID[in]; !ok || v != variable {
				continue
			}
			if !e.gathers(n, axis) || at != 0 {
				return fmt.Errorf("the operation %s uses %s, and needs the shape that it has", n.name, name)
			}
			if shorter {
				return fmt.Errorf("the operation %s takes %s of %s by their numbers, which may be those of %[2]s that go", n.name, [...]string{"rows", "columns"}[axis], name)
			}
		}
	}
	return nil
}

// gathers tells whether an operation takes rows, or what is along another axis, of its first input by their numbers.
func (e *graphEdit) gathers(n *node, axis int) bool {
	axes, _ := e.b.Longs(n.at, flat.NodeInts, 8, maxDims)
	return n.opName == "gather" && len(n.inputs) == 2 && (len(axes) == 0 && axis == 0 || len(axes) == 1 && axes[0] == int64(axis))
}

// resize writes other elements of a variable to where they are, in another shape.
func (e *graphEdit) resize(x *variable, a *data, dims []int64, raw []byte) error {
	other := *a
	other.dims, other.raw, other.bytes = dims, raw, int64(len(raw))
	err := e.store(x, a, &other, func(was *arr) []int64 {
		shape := slices.Clone(dims)
		if was.dialect == "SI" {
			shape = slices.Clone(was.shape)
			copy(shape[1:], dims)
		}
		return shape
	})
	if err != nil {
		return err
	}
	if x.hasShape {
		e.Set("FlatVariable", x.at, flat.VarShape, dims)
	}
	return nil
}
