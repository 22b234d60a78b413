package samediff

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// set gives elements of an array other values: the bytes of numbers in place, and texts of any length by rewriting the graph.
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
		b, err := encoded(f, c.Text)
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", c.Row, err)
		}
		r, ok := a.piece(c.Row*typ.width, typ.width)
		if !ok || r.Len != typ.width {
			return nil, fmt.Errorf("element %d is not there", c.Row)
		}
		edits = append(edits, model.Replace(r, b))
	}
	if typ == nil {
		return a.retext(ctx, t, texts)
	}
	return edits, nil
}

// encoded is what someone typed as the bytes of a field.
func encoded(f *model.Field, text string) ([]byte, error) {
	v, err := f.Parse(text)
	if err != nil {
		return nil, err
	}
	return f.Codec.Encode(v)
}

// retext rewrites the graph with other texts in an array.
func (a *data) retext(ctx context.Context, t *model.Tree, texts map[int64]string) ([]model.Edit, error) {
	if len(a.at) != 1 || a.record == 0 {
		return nil, fmt.Errorf("the texts are not in one piece inside a graph")
	}
	b, err := t.Bytes(ctx, a.at[0])
	if err != nil {
		return nil, err
	}
	s := readStrings(b, a.count())
	if s == nil {
		return nil, fmt.Errorf("the texts cannot be told apart: repair the array first")
	}
	var order binary.AppendByteOrder = binary.LittleEndian
	if s.big {
		order = binary.BigEndian
	}
	out, all := slices.Clone(b[:s.front]), []byte(nil)
	out = order.AppendUint64(out, 0)
	for i := range s.n {
		from, to := s.at(i)
		text := b[from:to]
		if v, ok := texts[i]; ok {
			text = []byte(v)
		}
		all = append(all, text...)
		out = order.AppendUint64(out, uint64(len(all)))
	}
	out = append(out, all...)
	p := a.graph
	return p.rewrite(ctx, t, p.nb != nil, func(c *flat.Copy) { c.Set("FlatArray", a.record, flat.ArrBuffer, out) })
}

// errOldVariables says why a cell of a variable of an old graph is not edited.
var errOldVariables = errors.New("variables of graphs of this age have no type and no shape apart from their values")

// one changes a cell of one variable or operation: what says which of them a slot lists.
func (v *views) one(ctx context.Context, slot int, what string, cells []model.Typed,
	set func(m *modelView, at int64, c model.Typed) ([]model.Edit, error)) (edits []model.Edit, err error) {
	if len(cells) != 1 {
		return nil, fmt.Errorf("%ss are changed one at a time", what)
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
			return nil, fmt.Errorf("the file leaves the type of %s out: it is VARIABLE, and there is no place for another", x.name)
		}
		return []model.Edit{model.SetValue(leaf, model.I(kind))}, nil
	case 2:
		return change(ctx, v.t, func(e *graphEdit) error { return e.convertType(map[string]string{"name": x.name, "type": c.Text}) })
	}
	if x.array != 0 {
		return nil, fmt.Errorf("%s has values: their number follows from its shape", x.name)
	}
	dims, err := dimsOf(c.Text)
	if err != nil {
		return nil, err
	}
	if !m.placed.NewVariables() {
		return nil, errOldVariables
	}
	return m.placed.rewrite(ctx, v.t, m.placed.nb != nil, func(c *flat.Copy) { c.Set("FlatVariable", x.at, flat.VarShape, dims) })
}

// enumOf reads the name or the number of an enumeration's value.
func enumOf(enum, text string) (int64, error) {
	for n, name := range flat.Enums[enum] {
		if strings.EqualFold(name, strings.TrimSpace(text)) || strconv.FormatUint(n, 10) == text {
			return int64(n), nil
		}
	}
	return 0, fmt.Errorf("%q is none of the values that it can have", text)
}

// dimsOf reads a shape: [2, 3], 2,3 or 2 3; [] for a scalar.
func dimsOf(text string) (dims []int64, err error) {
	dims = []int64{}
	for _, s := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("[], x×", r) }) {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil || n < -1 || len(dims) == 32 {
			return nil, fmt.Errorf("%q is no shape: at most 32 numbers, -1 for one that is not known", text)
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
