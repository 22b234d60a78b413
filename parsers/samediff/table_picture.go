package samediff

import (
	"context"
	"fmt"
	"strings"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// A picture of more boxes or edges is a wall.
const (
	maxPicture = 5000
	maxEdges   = 4 * maxPicture
)

// graphPicture reads the graphs of a document as one picture: placeholders, stored values and operations, and the variables
// that nothing takes in as what comes out (section 3.3).
func graphPicture(ctx context.Context, t *model.Tree) (*model.Graph, error) {
	st, ok := t.State.(*state)
	if !ok {
		return nil, nil
	}
	st.openNear(ctx, t)
	g := &model.Graph{}
	for _, d := range st.snapshot() {
		for _, p := range d.graphs {
			err := p.view(ctx, t, func(b flat.Buffer) error {
				p.open(b).picture(g)
				return ctx.Err()
			})
			if err != nil {
				return nil, err
			}
		}
	}
	if len(g.Nodes) == 0 {
		return nil, nil
	}
	return g, nil
}

// drawing is a picture of one graph that is being made.
type drawing struct {
	*modelView
	*model.Graph
	box []int // of each variable, or of the node that makes it; -1 for left out
	ops []int // of each node
}

// add adds a box for a table; its name is the text in a slot.
func (d *drawing) add(n model.GraphNode, table int64, slot int) int {
	if len(d.Nodes) >= maxPicture {
		d.Omitted++
		return -1
	}
	n.Span = d.placed.near(table)
	if name := d.b.Ref(table, slot); name != 0 {
		n.Also = []model.Range{d.placed.text(name, len(n.Label))}
	}
	d.Nodes = append(d.Nodes, n)
	return len(d.Nodes) - 1
}

func (d *drawing) edge(from, to int, control bool) {
	switch {
	case from < 0 || to < 0:
	case len(d.Edges) >= maxEdges:
		d.Omitted++
	default:
		d.Edges = append(d.Edges, model.GraphEdge{From: from, To: to, Control: control})
	}
}

// picture adds the boxes and edges of one graph.
func (m *modelView) picture(g *model.Graph) {
	d := &drawing{m, g, make([]int, len(m.vars)), make([]int, len(m.nodes))}
	for i, n := range m.nodes {
		op := m.operation(&n)
		if op == "" {
			op = fmt.Sprintf("%s %d", strings.ToLower(m.opType(n.op)), n.num)
		}
		d.ops[i] = d.add(model.GraphNode{Label: n.name, Detail: op, Kind: model.Operation, Facts: m.aboutNode(&n)}, n.at, flat.NodeName)
	}
	maker := m.producers()
	for i := range m.vars {
		if maker[i] >= 0 {
			d.box[i] = d.ops[maker[i]]
			continue
		}
		d.box[i] = d.variable(&m.vars[i])
	}
	taken := make([]bool, len(m.vars))
	for i := range m.nodes {
		d.inputs(i, taken)
	}
	for i := range m.vars {
		if maker[i] >= 0 && !taken[i] {
			d.edge(d.box[i], d.addVariable(&m.vars[i], model.Output, "output"), false)
		}
	}
}

// variable adds the box of a variable that no operation makes.
func (d *drawing) variable(x *variable) int {
	switch {
	case !d.placed.Late():
		return d.addVariable(x, model.Stored, "variable")
	case x.kind == placeholder:
		return d.addVariable(x, model.Input, "placeholder")
	}
	return d.addVariable(x, model.Stored, strings.ToLower(flat.Enums["VarType"][uint64(x.kind)]))
}

func (d *drawing) addVariable(x *variable, kind model.GraphKind, what string) int {
	return d.add(model.GraphNode{Label: x.name, Detail: what + " " + d.shapeText(x), Kind: kind, Facts: d.aboutVariable(x)}, x.at, flat.VarName)
}

// inputs draws what node i takes in and waits for, and notes the variables that it takes.
func (d *drawing) inputs(i int, taken []bool) {
	n, seen := &d.nodes[i], map[int]bool{}
	draw := func(from int, control bool) {
		if !seen[from] {
			seen[from] = true
			d.edge(from, d.ops[i], control)
		}
	}
	for _, in := range n.inputs {
		if k, ok := d.byID[in]; ok {
			taken[k] = true
			draw(d.box[k], false)
		} else if k, ok := d.nodeIDs[in[0]]; ok { // results of old graphs have no variables
			draw(d.ops[k], false)
		}
	}
	for _, before := range d.waits(n) {
		if k, ok := d.byName[before]; ok {
			draw(d.box[k], true)
		} else if k, ok := d.byNode[before]; ok {
			draw(d.ops[k], true)
		}
	}
}

// waits names what a node waits for without taking it in.
func (m *modelView) waits(n *node) []string {
	if !m.placed.Late() {
		return nil
	}
	ops, _ := m.b.Strs(n.at, flat.NodeDeps)
	vars, _ := m.b.Strs(n.at, flat.NodeVarDeps)
	return append(ops, vars...)
}

// shapeText prints the type and shape of a variable: FLOAT[2,3].
func (m *modelView) shapeText(x *variable) string {
	s := ""
	if m.placed.Late() {
		s = typeName(x.typ)
	}
	shape, ok := x.shape, x.hasShape
	if !ok {
		shape, ok = m.dimsOf(x)
	}
	if !ok {
		return s
	}
	return s + strings.ReplaceAll(fmt.Sprint(shape[:min(len(shape), 8)]), " ", ",")
}
