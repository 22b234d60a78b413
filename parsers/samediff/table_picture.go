package samediff

import (
	"context"
	"fmt"
	"math"
	"strings"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// A picture with more boxes or edges cannot be read.
const (
	maxPicture = 5000
	maxEdges   = 4 * maxPicture
)

// graphPicture reads the graphs of a document as one picture: placeholders, stored values and operations, and as outputs the variables
// that no operation uses (section 3.3).
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
	box []int // box of each variable, or of the node that produces it; -1: none
	ops []int // box of each node
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

// inputs draws the inputs and control dependencies of node i, and notes the variables that it uses.
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
	for _, before := range d.controlDependencies(n) {
		if k, ok := d.byName[before]; ok {
			draw(d.box[k], true)
		} else if k, ok := d.byNode[before]; ok {
			draw(d.ops[k], true)
		}
	}
}

// controlDependencies names the control dependencies of a node.
func (m *modelView) controlDependencies(n *node) []string {
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

// The most values in a line about a node, and the most lines.
const (
	maxAboutValues = 64
	maxAboutLines  = 128
	maxAboutText   = 1000
)

// about is what is said of a node or a variable, part by part.
type about struct {
	m    *modelView
	list []model.GraphFact
}

// say adds a fact, with the object that states it or that it is about; 0 for none.
func (a *about) say(part, label, text string, object int64) {
	if text == "" || len(a.list) >= maxAboutLines {
		return
	}
	f := model.GraphFact{Part: part, Label: label, Text: strings.ToValidUTF8(text[:min(len(text), maxAboutText)], "")}
	if object != 0 {
		f.At = a.m.placed.near(object).Range
	}
	a.list = append(a.list, f)
}

// aboutNode describes a node: its operation, inputs and attributes (section 3.3).
func (m *modelView) aboutNode(n *node) []model.GraphFact {
	a := &about{m: m}
	if kind, op := strings.ToLower(m.opType(n.op)), m.operation(n); op != "" {
		a.say("operation", "operation", op, n.at)
		a.say("operation", "kind", fmt.Sprintf("%s, number %d", kind, n.num), n.at)
	} else {
		a.say("operation", "operation", fmt.Sprintf("%s, number %d", kind, n.num), n.at)
	}
	a.say("operation", "id", fmt.Sprint(n.id), n.at)
	for i, in := range n.inputs {
		if len(a.list) >= maxAboutLines {
			break
		}
		text, object := a.input(in)
		a.say("inputs", fmt.Sprint(i), text, object)
	}
	for i, name := range n.outputs {
		if k, ok := m.byName[name]; ok {
			a.say("outputs", fmt.Sprint(i), name+"  "+m.shapeText(&m.vars[k]), m.vars[k].at)
		} else {
			a.say("outputs", fmt.Sprint(i), name, 0)
		}
	}
	before := m.controlDependencies(n)
	a.say("waits for", "first", listed(int64(len(before)), func(k int64) string { return before[k] }), n.at)
	a.attributes(n.at)
	return a.list
}

// input names an input of a node: its text, and its object.
func (a *about) input(in pair) (string, int64) {
	if k, ok := a.m.byID[in]; ok {
		x := &a.m.vars[k]
		return x.name + "  " + a.m.shapeText(x), x.at
	}
	if k, ok := a.m.nodeIDs[in[0]]; ok {
		n := &a.m.nodes[k]
		return fmt.Sprintf("output %d of %s", in[1], n.name), n.at
	}
	return fmt.Sprintf("(%d, %d), which does not exist", in[0], in[1]), 0
}

// attributeLabels are the lists of values in a node, with their labels.
var attributeLabels = map[string]string{"extraParams": "numbers", "extraInteger": "integers", "dimensions": "dimensions", "extraBools": "booleans",
	"extraStrings": "texts", "outputTypes": "output types", "extraTypes": "types"}

// attributes lists the other fields of a node's table.
func (a *about) attributes(t int64) {
	b, slots := a.m.b, a.m.placed.Types["FlatNode"].Slots
	for i := range slots {
		s := &slots[i]
		if label, ok := attributeLabels[s.Name]; ok {
			a.say("attributes", label, a.values(t, i, s), b.Ref(t, i))
			continue
		}
		switch s.Name {
		case "scopeName", "scope_name":
			scope, _ := b.Str(t, i)
			a.say("attributes", "scope", scope, b.Ref(t, i))
		case "properties":
			for k, property := range b.Tables(t, i) {
				if k < maxAboutLines {
					a.property(property)
				}
			}
		}
	}
}

// property says one of the named attributes of a node.
func (a *about) property(t int64) {
	table := a.m.placed.Types["FlatProperties"]
	if t == 0 || table == nil {
		return
	}
	name := ""
	var values []string
	for i := range table.Slots {
		s := &table.Slots[i]
		if s.Name == "name" {
			name, _ = a.m.b.Str(t, i)
		} else if text := a.values(t, i, s); text != "" {
			values = append(values, text)
		}
	}
	a.say("attributes", name, strings.Join(values, "  "), t)
}

// values prints the first elements of a list in a node or in a property of one.
func (a *about) values(t int64, slot int, s *flat.Slot) string {
	b := a.m.b
	at, n, _ := b.Vec(t, slot, s.Width)
	if s.Name == "a" && n > 0 {
		return model.Words("%d arrays", n)
	}
	return listed(n, func(k int64) string {
		p := at + k*s.Width
		switch s.Name {
		case "extraBools", "b":
			return fmt.Sprint(b[p] != 0)
		case "outputTypes", "extraTypes":
			return typeName(int64(int8(b[p])))
		case "extraStrings", "s":
			text, _ := b.Text(b.Follow(p))
			return fmt.Sprintf("%q", text[:min(len(text), maxAboutText)])
		case "extraParams", "d":
			if s.Width == 8 {
				return fmt.Sprint(math.Float64frombits(uint64(b.I64(p))))
			}
			return fmt.Sprint(math.Float32frombits(uint32(b.U32(p))))
		}
		if s.Width == 8 {
			return fmt.Sprint(b.I64(p))
		}
		return fmt.Sprint(b.I32(p))
	})
}

// listed prints the first of n values.
func listed(n int64, value func(k int64) string) string {
	var out []string
	for k := range min(n, maxAboutValues) {
		out = append(out, value(k))
	}
	if n > maxAboutValues {
		out = append(out, fmt.Sprintf("… %d in all", n))
	}
	return strings.Join(out, ", ")
}

// aboutVariable describes a variable.
func (m *modelView) aboutVariable(x *variable) []model.GraphFact {
	a := &about{m: m}
	if m.placed.Late() {
		a.say("variable", "kind", strings.ToLower(flat.Enums["VarType"][uint64(x.kind)]), x.at)
		a.say("variable", "type", typeName(x.typ), x.at)
	}
	if x.hasShape {
		a.say("variable", "shape", "["+listed(int64(len(x.shape)), func(k int64) string { return fmt.Sprint(x.shape[k]) })+"]", x.at)
	}
	if x.array != 0 {
		a.say("variable", "value", "an array in the file", x.array)
	}
	return a.list
}
