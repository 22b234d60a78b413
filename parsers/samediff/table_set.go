package samediff

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// set replaces elements of an array: the bytes of numbers in place, and texts of any length by rewriting the graph.
func (a *data) set(ctx context.Context, t *model.Tree, cells []model.Typed) (edits []model.Edit, err error) {
	typ := types[a.typ]
	f := &model.Field{Name: "value", Codec: model.UTF8}
	if typ != nil {
		if f = typ.le; a.big {
			f = typ.be
		}
	}
	texts := map[int64]string{}
	for _, c := range cells {
		if c.Column != len(a.dims) || c.Missing {
			return nil, fmt.Errorf("element %d: only the value can be changed, and it cannot be missing", c.Row)
		}
		if typ == nil {
			texts[c.Row] = c.Text
			continue
		}
		b, err := f.Typed(c)
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", c.Row, err)
		}
		r, ok := a.piece(c.Row*typ.width, typ.width)
		if !ok || r.Len != typ.width {
			return nil, fmt.Errorf("element %d does not exist", c.Row)
		}
		edits = append(edits, model.Replace(r, b))
	}
	if typ == nil {
		return a.retext(ctx, t, texts)
	}
	return edits, nil
}

// put adds the edits for a run of elements, in each piece of the array.
func (a *data) put(edits []model.Edit, r *model.Run) ([]model.Edit, error) {
	width, data := types[a.typ].width, r.Data
	switch {
	case r.Column != len(a.dims) || slices.Contains(r.Null, true):
		return nil, fmt.Errorf("elements from %d: only the value can be changed, and it cannot be missing", r.First)
	case a.big:
		data = bytes.Clone(data)
		model.Swap(data, int(width))
	}
	for off := r.First * width; len(data) > 0; {
		at, ok := a.piece(off, int64(len(data)))
		if !ok {
			return nil, fmt.Errorf("element %d does not exist", off/width)
		}
		edits = append(edits, model.Replace(at, data[:at.Len]))
		data, off = data[at.Len:], off+at.Len
	}
	return edits, nil
}

// retext rewrites the graph with other texts in an array.
func (a *data) retext(ctx context.Context, t *model.Tree, texts map[int64]string) ([]model.Edit, error) {
	if len(a.at) != 1 || a.record == 0 {
		return nil, fmt.Errorf("the strings are not contiguous inside a graph")
	}
	b, err := t.Bytes(ctx, a.at[0])
	if err != nil {
		return nil, err
	}
	s := readStrings(b, a.count())
	if s == nil {
		return nil, fmt.Errorf("the strings cannot be separated: repair the array first")
	}
	out, all := slices.Clone(b[:s.front]), []byte(nil)
	out = s.order.AppendUint64(out, 0)
	for i := range s.n {
		from, to := s.at(i)
		text := b[from:to]
		if v, ok := texts[i]; ok {
			text = []byte(v)
		}
		all = append(all, text...)
		out = s.order.AppendUint64(out, uint64(len(all)))
	}
	out = append(out, all...)
	p := a.graph
	return p.rewrite(ctx, t, p.nb != nil, func(c *flat.Copy) { c.Set(a.record, flat.ArrBuffer, out) })
}

// errOldVariables says why a cell of a variable of an old graph cannot be edited.
var errOldVariables = errors.New("in graphs this old, variables have no type and shape apart from their values")

// one changes a cell of one variable or operation: what identifies its list.
func (v *views) one(ctx context.Context, slot int, what string, cells []model.Typed,
	set func(m *modelView, at int64, c model.Typed) ([]model.Edit, error)) (edits []model.Edit, err error) {
	if len(cells) != 1 {
		return nil, fmt.Errorf("%ss can only be changed one at a time", what)
	}
	c := cells[0]
	var refused error
	rows, err := v.rows(ctx, slot, c.Row, 1, func(m *modelView, at int64) model.Row {
		edits, refused = set(m, at, c)
		return model.Row{}
	})
	if err == nil && len(rows) == 0 {
		err = fmt.Errorf("there is no %s %d", what, c.Row)
	}
	return edits, errors.Join(err, refused)
}

// setVariables changes the name, the type or the shape of a variable.
func (v *views) setVariables(ctx context.Context, cells []model.Typed) ([]model.Edit, error) {
	return v.one(ctx, flat.GraphVariables, "variable", cells, func(m *modelView, at int64, c model.Typed) ([]model.Edit, error) {
		x := m.variable(at)
		return v.setVariable(ctx, m, &x, c)
	})
}

func (v *views) setVariable(ctx context.Context, m *modelView, x *variable, c model.Typed) ([]model.Edit, error) {
	switch c.Column {
	case 0:
		return rename(ctx, v.t, nil, map[string]string{"from": x.name, "to": c.Text})
	case 1:
		kind, err := enumOf("VarType", c.Text)
		if err != nil {
			return nil, err
		}
		if !m.placed.NewVariables() {
			return nil, errOldVariables
		}
		leaf := m.placed.leaf(x.at, flat.VarKind)
		if leaf == nil {
			return nil, fmt.Errorf("the file omits the type of %s, which means VARIABLE, and has no room for another", x.name)
		}
		return []model.Edit{model.SetValue(leaf, model.I(kind))}, nil
	case 2:
		return change(ctx, v.t, func(e *graphEdit) error { return e.convertType(map[string]string{"name": x.name, "type": c.Text}) })
	}
	if x.array != 0 {
		return nil, fmt.Errorf("%s has values, whose number is determined by its shape", x.name)
	}
	dims, err := dimsOf(c.Text)
	if err != nil {
		return nil, err
	}
	if !m.placed.NewVariables() {
		return nil, errOldVariables
	}
	return m.placed.rewrite(ctx, v.t, m.placed.nb != nil, func(c *flat.Copy) { c.Set(x.at, flat.VarShape, dims) })
}

// enumOf parses the name or the number of an enumeration's value.
func enumOf(enum, text string) (int64, error) {
	for n, name := range flat.Enums[enum] {
		if strings.EqualFold(name, strings.TrimSpace(text)) || strconv.FormatUint(n, 10) == text {
			return int64(n), nil
		}
	}
	return 0, fmt.Errorf("%q is not one of the allowed values", text)
}

// dimsOf parses a shape: [2, 3], 2,3 or 2 3; [] for a scalar.
func dimsOf(text string) (dims []int64, err error) {
	dims = []int64{}
	for _, s := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("[], x×", r) }) {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil || n < -1 || len(dims) == 32 {
			return nil, fmt.Errorf("%q is not a shape: use at most 32 numbers, -1 for an unknown one", text)
		}
		dims = append(dims, n)
	}
	return dims, nil
}

// setNodes changes the name of an operation.
func (v *views) setNodes(ctx context.Context, cells []model.Typed) ([]model.Edit, error) {
	return v.one(ctx, flat.GraphNodes, "operation", cells, func(m *modelView, at int64, c model.Typed) ([]model.Edit, error) {
		return change(ctx, v.t, func(e *graphEdit) error {
			return e.renameOperation(map[string]string{"from": m.node(at).name, "to": c.Text})
		})
	})
}

// fill replaces the elements of an array of one or two dimensions from one on: in whole rows, or if it is stored column by column, whole
// columns. The shape of its variable is updated.
func (a *data) fill(ctx context.Context, t *model.Tree, given model.GivenRows) ([]model.Edit, error) {
	from, n := given.From, given.N
	typ, row, axis, rows := types[a.typ], int64(1), 0, "rows"
	if len(a.dims) == 2 && a.order == 'f' {
		axis, rows = 1, "columns"
	}
	if len(a.dims) == 2 {
		row = a.dims[1-axis]
	}
	switch count := from + n; {
	case from < 0 || n < 0 || from > a.count() || n > maxConverted/typ.width-from:
		return nil, fmt.Errorf("%s elements are too many to write at once", model.Thousands(n))
	case row == 0 || count%row != 0:
		return nil, fmt.Errorf("%s has %s of %s, and %d do not make whole %s", a.name, rows, model.Count(row, "elements"), count, rows)
	case count == 0:
		return nil, fmt.Errorf("%s would have no %s, which ND4J does not support", a.name, rows)
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
		more, err := given.Bytes(ctx, len(dims), typ.le)
		if err != nil {
			return err
		}
		return e.resize(x, a, dims, append(raw, more...))
	})
}

// free is the variable of an array, or why its length along an axis is fixed. An operation that gathers rows or columns by number accepts a longer table.
func (e *graphEdit) free(a *data, axis int, shorter bool) (*variable, error) {
	i, ok := e.byName[a.name]
	if !ok || e.vars[i].kind != varVariable && e.vars[i].kind != varConstant {
		return nil, fmt.Errorf("%s is neither a variable nor a constant of the graph", a.name)
	}
	x := &e.vars[i]
	_, stored := e.placed.doc.st.arrays(e.ctx, e.t)
	if s := stored[x.name]; s == nil || !slices.Equal(s.at, a.at) || a.bytes != sizeOf(a.typ, a.count()) {
		return nil, fmt.Errorf("some values of %s are missing: repair the file first", x.name)
	}
	if x.hasShape && !slices.Equal(x.shape, a.dims) {
		return nil, fmt.Errorf("%s gives the shape %v for values of shape %v: repair that first", x.name, x.shape, a.dims)
	}
	if err := e.resizable(i, axis, shorter); err != nil {
		return nil, err
	}
	var err error
	for _, at := range e.b.Tables(e.graph, flat.GraphUpdater) {
		if name, _ := e.b.Str(at, 0); name == x.name {
			err = fmt.Errorf("the updater state has the shape of %s: remove it first", x.name)
		}
	}
	return x, err
}

// resizable is an error if an operation requires the variable's present length along an axis.
func (e *graphEdit) resizable(variable, axis int, shorter bool) error {
	name := e.vars[variable].name
	for k := range e.nodes {
		n := &e.nodes[k]
		for at, in := range n.inputs {
			if v, ok := e.byID[in]; !ok || v != variable {
				continue
			}
			if !e.gathers(n, axis) || at != 0 {
				return fmt.Errorf("operation %s uses %s, and needs its current shape", n.name, name)
			}
			if shorter {
				return fmt.Errorf("operation %s refers to %s of %s by number, which may include removed %[2]s", n.name, [...]string{"rows", "columns"}[axis], name)
			}
		}
	}
	return nil
}

// gathers tells whether an operation takes rows, or slices along another axis, of its first input by number.
func (e *graphEdit) gathers(n *node, axis int) bool {
	axes, _ := e.b.Longs(n.at, flat.NodeInts, 8, maxDims)
	return n.opName == "gather" && len(n.inputs) == 2 && (len(axes) == 0 && axis == 0 || len(axes) == 1 && axes[0] == int64(axis))
}

// resize replaces the elements of a variable, in another shape.
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
		e.Set(x.at, flat.VarShape, dims)
	}
	return nil
}
