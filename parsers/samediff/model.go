package samediff

import (
	"context"

	"spandrel/model"
)

// variable is a variable of a graph of generation S3 or later.
type variable struct {
	at       int64 // its table
	name     string
	id       pair
	hasID    bool
	kind     int64
	typ      int64
	shape    []int64
	hasShape bool
	array    int64 // its FlatArray, or 0
}

// pair names an output: of which node, and which of its outputs.
type pair [2]int64

// node is a node of a graph.
type node struct {
	at      int64
	id      int64
	name    string
	op, num int64
	opName  string
	outputs []string
	inputs  []pair
}

// VarType (section 3.4).
const (
	varVariable = iota
	varConstant
	varArrayKind
	placeholder
	sequence
)

const logic, custom = 119, 21

// modelView is a graph in terms of its content.
type modelView struct {
	*placed
	b       buf
	graph   int64 // the FlatGraph
	vars    []variable
	nodes   []node
	byName  map[string]int
	byID    map[pair]int
	byNode  map[string]int
	nodeIDs map[int64]int
}

// late tells whether the rules about content apply: generation S3 and later (section 4.7).
func (p *placed) late() bool { return p.gen == "S3" || p.gen == "S4" || p.gen == "S2b" }

// view hands the bytes of a buffer to f, without a copy.
func (p *placed) view(ctx context.Context, t *model.Tree, f func(b buf) error) error {
	r := p.span.Range
	if r.Len == 0 || p.tangled {
		return f(nil)
	}
	return t.Stream(ctx, r, r.Len, func(_ int64, b []byte) error { return f(b) })
}

// graphAt returns where the FlatGraph of a buffer is.
func (p *placed) graphAt(b buf) int64 {
	switch p.root.name {
	case "FlatGraph":
		return b.root()
	case "ModelContainer":
		return b.ref(b.root(), 3)
	}
	return 0
}

// open reads the variables and nodes of a graph.
func (p *placed) open(b buf) *modelView {
	v := &modelView{placed: p, b: b, graph: p.graphAt(b), byName: map[string]int{}, byID: map[pair]int{}, byNode: map[string]int{}, nodeIDs: map[int64]int{}}
	_, n, _ := b.vec(v.graph, graphVariables, 4) // no more than the walk allows, or b would be nil
	v.vars = make([]variable, 0, n)
	b.tables(v.graph, graphVariables, func(_, t int64) {
		if t != 0 {
			v.vars = append(v.vars, v.variable(t))
		}
	})
	for i := range v.vars {
		x := &v.vars[i]
		if _, twice := v.byName[x.name]; x.name != "" && !twice {
			v.byName[x.name] = i
		}
		if _, twice := v.byID[x.id]; x.hasID && !twice {
			v.byID[x.id] = i
		}
	}
	b.tables(v.graph, graphNodes, func(_, t int64) {
		if t != 0 {
			v.nodes = append(v.nodes, v.node(t))
		}
	})
	for i := range v.nodes {
		n := &v.nodes[i]
		if _, twice := v.nodeIDs[n.id]; !twice {
			v.nodeIDs[n.id] = i
		}
		v.byNode[n.name] = i
	}
	return v
}

// maxDims is how many numbers of a shape are read; legal ones have at most 2·32 + 4.
const maxDims = 128

func (v *modelView) variable(t int64) (x variable) {
	b := v.b
	x.at = t
	x.name, _ = b.str(t, varName)
	if !v.late() {
		x.array = b.ref(t, 3)
		x.shape, x.hasShape = b.longs(t, 2, v.shapeWidth(), maxDims)
		if v.gen == "S0" {
			x.array = 0
			x.id[0], x.hasID = b.num(t, varID, 4), true
			return x
		}
		x.id, x.hasID = v.pair(b.ref(t, varID))
		return x
	}
	x.id, x.hasID = v.pair(b.ref(t, varID))
	x.typ, x.kind = b.num(t, varType, 1), b.num(t, varKind, 1)
	x.shape, x.hasShape = b.longs(t, varShape, 8, maxDims)
	x.array = b.ref(t, varArray)
	return x
}

// shapeWidth is how wide the numbers of shapes are.
func (p *placed) shapeWidth() int64 {
	if p.gen == "S0" || p.gen == "S1" {
		return 4
	}
	return 8
}

func (v *modelView) pair(t int64) (pair, bool) {
	return pair{v.b.num(t, 0, 4), v.b.num(t, 1, 4)}, v.b.sound(t)
}

func (v *modelView) node(t int64) (n node) {
	b := v.b
	n.at, n.id = t, b.num(t, nodeID, 4)
	n.name, _ = b.str(t, nodeName)
	n.op, n.num = b.num(t, nodeOpType, 1), b.num(t, nodeOpNum, 8)
	slots := v.tables["FlatNode"].slots
	for i := range slots {
		switch slots[i].name {
		case "opName":
			n.opName, _ = b.str(t, i)
		case "outputNames":
			n.outputs, _ = b.strs(t, i)
		case "inputPaired":
			b.tables(t, i, func(_, p int64) {
				pair, _ := v.pair(p)
				n.inputs = append(n.inputs, pair)
			})
		}
	}
	return n
}

// producers returns the node that makes each variable, by the names of outputs and by ids; -1 for none.
func (v *modelView) producers() []int {
	out := make([]int, len(v.vars))
	for i, x := range v.vars {
		out[i] = -1
		if n, ok := v.nodeIDs[x.id[0]]; ok && x.hasID && (x.kind == varArrayKind || !v.late()) {
			out[i] = n
		}
	}
	for k, n := range v.nodes {
		for _, name := range n.outputs {
			if i, ok := v.byName[name]; ok {
				out[i] = k
			}
		}
	}
	return out
}

// metadata returns the keys and values of ids 9 and 10 (section 1.4.5).
func (p *placed) metadata(b buf) (keys, values []string) {
	if p.late() {
		keys, _ = b.strs(p.graphAt(b), graphKeys)
		values, _ = b.strs(p.graphAt(b), graphValues)
	}
	return keys, values
}
