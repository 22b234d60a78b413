package samediff

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

const (
	maxTablesOf = 10_000   // arrays that get a table of their own
	maxEager    = 64 << 20 // stored bytes of a section that is inflated to list its tables
	maxOutside  = 1000     // other files opened for it
)

// tables lists the tables of a document (section 7): variables, nodes, metadata, and one for each array.
func tables(ctx context.Context, t *model.Tree) []model.Table {
	st, ok := t.State.(*state)
	if !ok {
		return nil
	}
	st.openNear(ctx, t)
	var graphs []*placed
	for _, d := range st.own() {
		graphs = append(graphs, d.graphs...)
	}
	list, by := st.arrays(ctx, t)
	v := &views{t: t, graphs: graphs, by: by}
	tables := []model.Table{v.variables(ctx), v.nodes(ctx), metadataTable(ctx, t, st)}
	tables[0].Stored("where", "id")
	tables[1].Stored("id")
	tables[2].Stored("source")
	used := map[string]int{"variables": 1, "nodes": 1, "metadata": 1}
	for _, a := range list[:min(len(list), maxTablesOf)] {
		name := a.name
		if used[name]++; used[name] > 1 {
			name = fmt.Sprintf("%s#%d", name, used[name])
		}
		tables = append(tables, a.table(t, name))
	}
	return tables
}

// views reads rows of variables and nodes. Graphs follow each other in one table.
type views struct {
	t      *model.Tree
	graphs []*placed
	by     map[string]*data
	once   sync.Once
	maker  map[string]string           // variable to node
	names  map[*placed]map[pair]string // of variables, by their ids
}

// rows reads n rows from first of the vectors in a slot of all graphs.
func (v *views) rows(ctx context.Context, slot int, first, n int64, row func(m *modelView, t int64) model.Row) (out []model.Row,
	err error) {
	for _, g := range v.graphs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		err = g.whole(ctx, v.t, func(b flat.Buffer) error {
			m := &modelView{placed: g, b: b, graph: g.GraphAt(b)}
			count, at := m.list(slot)
			for i := first; i < count && int64(len(out)) < n; i++ {
				out = append(out, row(m, at(i)))
			}
			first = max(0, first-count)
			return nil
		})
		if err != nil || int64(len(out)) >= n {
			return out, err
		}
	}
	return out, nil
}

func (v *views) count(ctx context.Context, slot int) (n int64) {
	for _, g := range v.graphs {
		g.whole(ctx, v.t, func(b flat.Buffer) error {
			m := &modelView{placed: g, b: b, graph: g.GraphAt(b)}
			k, _ := m.list(slot)
			n += k
			return nil
		})
	}
	return n
}

// makers finds which node makes each variable, and the names by which rows refer to variables, once.
func (v *views) makers(ctx context.Context) {
	v.once.Do(func() {
		v.maker, v.names = map[string]string{}, map[*placed]map[pair]string{}
		for _, g := range v.graphs {
			v.names[g] = map[pair]string{}
			g.whole(ctx, v.t, func(b flat.Buffer) error {
				m := g.open(b)
				for id, i := range m.byID {
					v.names[g][id] = m.vars[i].name
				}
				for i, n := range m.producers() {
					if n >= 0 {
						v.maker[m.vars[i].name] = m.nodes[n].name
					}
				}
				return nil
			})
		}
	})
}

// cell makes a cell of a field in a table.
func (m *modelView) cell(t int64, slot int, width int64, v model.Value) model.Cell {
	c := model.Cell{Value: v}
	if p := m.b.Slot(t, slot); p != 0 {
		c.Range = model.Range{Space: m.placed.span.Range.Space, Off: m.placed.span.Range.Off + p, Len: width}
	}
	return c
}

func (m *modelView) textCell(t int64, slot int) model.Cell {
	s, ok := m.b.Str(t, slot)
	if !ok {
		return model.Cell{}
	}
	return model.Cell{Value: model.S(s), Range: m.placed.text(m.b.Ref(t, slot), len(s))}
}

// vectorCell is a cell of what a field of a table of a type leads to: the elements of a vector, or a table of numbers.
func (m *modelView) vectorCell(t int64, of, field string, items []model.Value) model.Cell {
	x := m.placed.Types[of].Slots // in a generation without the field, there is no place for it
	slot := slices.IndexFunc(x, func(s flat.Slot) bool { return s.Name == field })
	c := model.Cell{Vector: true, Items: items, Len: int64(len(items))}
	if slot >= 0 && !x[slot].IsOffset() {
		c.Range = m.cell(t, slot, 4, model.Value{}).Range
	} else if slot >= 0 {
		to := m.b.Ref(t, slot)
		if at, n, ok := m.b.Vector(to, x[slot].Width); x[slot].Vec && ok {
			c.Range = m.placed.text(at-4, int(n*x[slot].Width))
		} else if v, slots := m.b.Vtable(to); slots > 0 {
			c.Range = m.placed.text(to-4, int(min(m.b.U16(v+2), m.placed.Size-to)))
		}
	}
	return c
}

func ints(v []int64) (out []model.Value) {
	for _, x := range v {
		out = append(out, model.I(x))
	}
	return out
}

func texts(v []string) (out []model.Value) {
	for _, x := range v {
		out = append(out, model.S(x))
	}
	return out
}

// variables is the table of variables.
func (v *views) variables(ctx context.Context) model.Table {
	return model.Table{Name: "variables", Title: "Variables", Key: []string{"name"}, Doc: "The data of the graph: parameters, inputs, results.",
		Rows: v.count(ctx, flat.GraphVariables),
		Columns: fixedFrom(4, "it is computed from the graph and the location of the values",
			model.Columns("name utf8, type utf8, dtype utf8, shape i64[], where utf8, bytes i64, node utf8, id i32[]")),
		Set: v.setVariables,
		Read: func(ctx context.Context, first, n int64) ([]model.Row, error) {
			v.makers(ctx)
			return v.rows(ctx, flat.GraphVariables, first, n, v.variableRow)
		}}
}

// variableRow is the row of the variable with a table.
func (v *views) variableRow(m *modelView, t int64) model.Row {
	x := m.variable(t)
	a, dims := v.by[x.name], x.shape
	row := model.Row{m.textCell(t, flat.VarName), {}, {}, {}, {Value: model.S("none")}, {}, {}, m.vectorCell(t, "FlatVariable", "id", ints(x.id[:]))}
	typ := x.typ
	if a != nil {
		row[4] = model.Cell{Value: model.S(a.where)}
		if len(a.at) > 0 {
			row[4].Range = a.at[0]
		}
		row[5] = model.Cell{Value: model.I(a.bytes)}
		dims = a.dims
		if !m.placed.Late() {
			typ = a.typ
		}
	} else if len(dims) == 0 && x.array != 0 {
		dims = m.placed.array(m.b, x.array).dims // its values are missing
	}
	if m.placed.Late() {
		row[1] = m.cell(t, flat.VarKind, 1, model.S(flat.Enums["VarType"][uint64(x.kind)]))
	}
	row[2] = m.cell(t, flat.VarType, 1, model.S(typeName(typ)))
	row[3] = m.vectorCell(t, "FlatVariable", "shape", ints(dims))
	if x.array != 0 && len(x.shape) == 0 {
		row[3] = m.vectorCell(x.array, "FlatArray", "shape", ints(dims))
	}
	if maker, ok := v.maker[x.name]; ok {
		row[6] = model.Cell{Value: model.S(maker)}
	}
	return row
}

// nodes is the table of nodes.
func (v *views) nodes(ctx context.Context) model.Table {
	return model.Table{Name: "nodes", Title: "Nodes", Key: []string{"name"}, Doc: "The operations of the graph.", Rows: v.count(ctx, flat.GraphNodes),
		Columns: nodeColumns(),
		Set:     v.setNodes,
		Read: func(ctx context.Context, first, n int64) ([]model.Row, error) {
			v.makers(ctx)
			return v.rows(ctx, flat.GraphNodes, first, n, func(m *modelView, t int64) model.Row { return m.nodeRow(t, v.names[m.placed]) })
		}}
}

// nodeRow is the row of the operation with a table; names are those of variables.
func (m *modelView) nodeRow(t int64, names map[pair]string) model.Row {
	x := m.node(t)
	op := cmp.Or(m.operation(&x), m.opType(x.op))
	var inputs []string
	for _, in := range x.inputs {
		name, ok := names[in]
		if !ok {
			name = fmt.Sprintf("%d:%d", in[0], in[1])
		}
		inputs = append(inputs, name)
	}
	row := model.Row{m.cell(t, flat.NodeID, 4, model.I(x.id)), m.textCell(t, flat.NodeName), m.cell(t, flat.NodeOpType, 1, model.S(op)),
		m.cell(t, flat.NodeOpNum, 8, model.I(x.num)), m.vectorCell(t, "FlatNode", "inputPaired", texts(inputs)),
		m.vectorCell(t, "FlatNode", "outputNames", texts(x.outputs)), {}}
	if m.placed.Late() {
		deps, _ := m.b.Strs(t, flat.NodeDeps)
		row[6] = m.vectorCell(t, "FlatNode", "controlDeps", texts(deps))
	}
	return row
}

// opType names the type of an operation.
func (m *modelView) opType(op int64) string {
	if name, ok := m.placed.Types["FlatNode"].Slots[flat.NodeOpType].Enum[uint64(op)]; ok {
		return name
	}
	return fmt.Sprint(op)
}

// fixedFrom says why the columns from one on cannot be edited.
func fixedFrom(first int, why string, list []model.Column) []model.Column {
	for i := first; i < len(list); i++ {
		list[i].Fixed = why
	}
	return list
}

func nodeColumns() []model.Column {
	list := fixedFrom(2, "an operation is defined by its type, inputs and outputs: remove it and add another in the software",
		model.Columns("id i32, name utf8, op utf8, opNum i64, inputs utf8[], outputs utf8[], controlDeps utf8[]"))
	list[0].Fixed = "other operations refer to it by this id"
	return list
}

// openNear opens what may contain arrays: compressed sections and members that are not too large, the other shards, and external files.
func (s *state) openNear(ctx context.Context, t *model.Tree) {
	for i, files := 0, 0; ; i++ {
		next := s.frame(i)
		if next == nil {
			return
		}
		if sp := t.Space(next.Range.Space); sp != nil && sp.Derived() && sp.Raw.Range.Len <= maxEager {
			t.Open(ctx, next)
		}
		group := func(s *model.Span) bool { return s != nil && (s.Field == fieldExternal || s.Field == fieldShards) }
		if group(next) || group(next.Parent()) && files < maxOutside {
			files++
			t.Open(ctx, next)
		}
	}
}

// operation names the operation of a node: by its name (from 2019 on), or by its number. Lists of numbers are known for graphs before
// October 2018. In those of S0 an operation on two arrays is a TRANSFORM with a number of PAIRWISE; in those of S1 every operation on
// loops has LOGIC 0, and every one on lists LOGIC 40. Empty if unknown.
func (m *modelView) operation(n *node) string {
	kind := m.opType(n.op)
	switch {
	case n.opName != "":
		return n.opName
	case kind == "CUSTOM" || kind == "LOGIC":
		if kind == "LOGIC" && m.placed.Gen == "S1" && (n.num == 0 || n.num == 40) {
			return ""
		}
	case m.placed.Late():
		return ""
	case m.placed.Gen == "S0" && kind == "TRANSFORM" && len(n.inputs) == 2:
		kind = "PAIRWISE"
	}
	return operations()[kind][n.num]
}
