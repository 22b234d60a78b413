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

// picture adds the boxes and edges of one graph.
func (m *modelView) picture(g *model.Graph) {
	add := func(n model.GraphNode, table int64, slot int) int {
		if len(g.Nodes) >= maxPicture {
			g.Omitted++
			return -1
		}
		n.Span = m.near(table)
		if name := m.b.Ref(table, slot); name != 0 {
			n.Also = []model.Range{m.text(name, len(n.Label))}
		}
		g.Nodes = append(g.Nodes, n)
		return len(g.Nodes) - 1
	}
	edge := func(from, to int, control bool) {
		switch {
		case from < 0 || to < 0:
		case len(g.Edges) >= maxEdges:
			g.Omitted++
		default:
			g.Edges = append(g.Edges, model.GraphEdge{From: from, To: to, Control: control})
		}
	}
	maker := m.producers()
	box := make([]int, len(m.vars)) // of a variable, or of the node that makes it
	ops := make([]int, len(m.nodes))
	for i, n := range m.nodes {
		op := n.opName
		if op == "" {
			op = strings.ToLower(m.opType(n.op))
		}
		ops[i] = add(model.GraphNode{Label: n.name, Detail: op, Kind: model.Operation}, n.at, flat.NodeName)
	}
	for i := range m.vars {
		x := &m.vars[i]
		if maker[i] >= 0 {
			box[i] = ops[maker[i]]
			continue
		}
		kind, what := model.Stored, strings.ToLower(flat.Enums["VarType"][uint64(x.kind)])
		if x.kind == placeholder && m.Late() {
			kind = model.Input
		}
		if !m.Late() {
			what = "variable"
		}
		box[i] = add(model.GraphNode{Label: x.name, Detail: what + " " + m.shapeText(x), Kind: kind}, x.at, flat.VarName)
	}
	taken := make([]bool, len(m.vars))
	for i, n := range m.nodes {
		seen := map[int]bool{}
		for _, in := range n.inputs {
			from := -1
			if k, ok := m.byID[in]; ok {
				taken[k], from = true, box[k]
			} else if k, ok := m.nodeIDs[in[0]]; ok { // results of old graphs have no variables
				from = ops[k]
			}
			if !seen[from] {
				seen[from] = true
				edge(from, ops[i], false)
			}
		}
		for _, before := range m.waits(&n) {
			from := -1
			if k, ok := m.byName[before]; ok {
				from = box[k]
			} else if k, ok := m.byNode[before]; ok {
				from = ops[k]
			}
			if !seen[from] {
				seen[from] = true
				edge(from, ops[i], true)
			}
		}
	}
	for i := range m.vars {
		if maker[i] >= 0 && !taken[i] {
			x := &m.vars[i]
			edge(box[i], add(model.GraphNode{Label: x.name, Detail: "output " + m.shapeText(x), Kind: model.Output}, x.at, flat.VarName), false)
		}
	}
}

// waits names what a node waits for without taking it in.
func (m *modelView) waits(n *node) []string {
	if !m.Late() {
		return nil
	}
	ops, _ := m.b.Strs(n.at, flat.NodeDeps)
	vars, _ := m.b.Strs(n.at, flat.NodeVarDeps)
	return append(ops, vars...)
}

// shapeText prints the type and shape of a variable: FLOAT[2,3].
func (m *modelView) shapeText(x *variable) string {
	s := ""
	if m.Late() {
		s = typeName(x.typ)
	}
	if !x.hasShape {
		return s
	}
	return s + strings.ReplaceAll(fmt.Sprint(x.shape[:min(len(x.shape), 8)]), " ", ",")
}
