package samediff

import (
	"context"
	"sync"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// scopeOf is where a buffer is, which decides how its arrays are read (section 3.6).
type scopeOf struct {
	dims    bool // SDNB and ARRAYS: shapes are dims, byteOrder is the ordering
	depth   int  // inside a sub-instance
	nb      *native
	con     *container
	section *section              // the ARRAYS section whose index this is
	limit   func(end int64) int64 // where the buffer ends, if something else follows: see walk
}

// located is a walked buffer with its place.
type located struct {
	*flat.Map
	span *model.Span
}

// placed is a walked buffer in the tree.
type placed struct {
	located
	scopeOf
	doc       *doc
	owner     string   // name of the array, if the buffer is a single FlatArray
	corrected sync.Map // corrections of issues found so far
}

// near returns the span of the object at an offset of the buffer, or that of the buffer.
func (p *located) near(off int64) *model.Span {
	if i := p.Find(off); i >= 0 {
		return p.span.Child(i)
	}
	return p.span
}

// at returns the object at an offset and its bytes, for findings.
func (p *located) at(off, n int64) (*model.Span, model.Range) {
	r := p.span.Range
	return p.near(off), model.Range{Space: r.Space, Off: r.Off + off, Len: n}
}

// text returns the range of the text of a string.
func (p *located) text(at int64, n int) model.Range {
	if at == 0 {
		return model.Range{}
	}
	return model.Range{Space: p.span.Range.Space, Off: p.span.Range.Off + at + 4, Len: int64(n)}
}

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

// pair identifies an output: its node, and its index.
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
	paired  int64 // where the offsets to them are
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

// modelView is the content of a graph.
type modelView struct {
	placed  *placed
	b       flat.Buffer
	graph   int64 // the FlatGraph
	vars    []variable
	nodes   []node
	byName  map[string]int
	byID    map[pair]int
	byNode  map[string]int
	nodeIDs map[int64]int
}

// view passes the bytes of a buffer to f, without a copy.
func (p *located) view(ctx context.Context, t *model.Tree, f func(b flat.Buffer) error) error {
	r := p.span.Range
	if r.Len == 0 || p.Tangled {
		return f(nil)
	}
	return t.Stream(ctx, r, r.Len, func(_ int64, b []byte) error { return f(b) })
}

// whole is view for displaying and saving: tables with a lost vtable are read with a restored one.
func (p *located) whole(ctx context.Context, t *model.Tree, f func(b flat.Buffer) error) error {
	return p.view(ctx, t, func(b flat.Buffer) error { return f(p.Restored(b)) })
}

// open reads the variables and nodes of a graph.
func (p *placed) open(b flat.Buffer) *modelView {
	v := &modelView{placed: p, b: b, graph: p.GraphAt(b), byName: map[string]int{}, byID: map[pair]int{}, byNode: map[string]int{},
		nodeIDs: map[int64]int{}}
	vars, nodes := v.tables(flat.GraphVariables), v.tables(flat.GraphNodes)
	v.vars, v.nodes = make([]variable, 0, len(vars)), make([]node, 0, len(nodes))
	for i, t := range vars {
		x := v.variable(t)
		v.vars = append(v.vars, x)
		if x.name != "" {
			first(v.byName, x.name, i)
		}
		if x.hasID {
			first(v.byID, x.id, i)
		}
	}
	for i, t := range nodes {
		n := v.node(t)
		v.nodes = append(v.nodes, n)
		first(v.nodeIDs, n.id, i)
		v.byNode[n.name] = i
	}
	return v
}

// first notes the place of an object with a key, unless an earlier one has that key.
func first[K comparable](places map[K]int, key K, i int) {
	if _, twice := places[key]; !twice {
		places[key] = i
	}
}

// list returns how many variables or operations a graph lists, by the slot of its root, and the place of each table, 0 if invalid.
// If the root is lost these are the tables that look like one.
func (v *modelView) list(slot int) (n int64, at func(i int64) int64) {
	if v.rootless() {
		list := v.b.Carve()[slot]
		return int64(len(list)), func(i int64) int64 { return list[i] }
	}
	from, n, _ := v.b.Vec(v.graph, slot, 4) // within the limit of the walk, or b would be nil
	return n, func(i int64) int64 { return v.b.Follow(from + 4*i) }
}

// tables are those of the variables or the operations.
func (v *modelView) tables(slot int) []int64 {
	n, at := v.list(slot)
	list := make([]int64, 0, n)
	for i := range n {
		if t := at(i); t != 0 {
			list = append(list, t)
		}
	}
	return list
}

// rootless tells whether the root of a graph is lost.
func (v *modelView) rootless() bool {
	return v.b != nil && v.placed.Root.Name == "FlatGraph" && v.placed.RootAt() < 0
}

// maxDims is how many numbers of a shape are read; legal ones have at most 2·32 + 4.
const maxDims = 128

func (v *modelView) variable(t int64) (x variable) {
	b := v.b
	x.at = t
	x.name, _ = b.Str(t, flat.VarName)
	if !v.placed.NewVariables() {
		x.array = b.Ref(t, 3)
		x.shape, x.hasShape = b.Longs(t, 2, v.placed.ShapeWidth(), maxDims)
		if v.placed.Gen == "S0" {
			x.array = 0
			x.id[0], x.hasID = b.Num(t, flat.VarID, 4), true
			return x
		}
		x.id, x.hasID = v.pair(b.Ref(t, flat.VarID))
		return x
	}
	x.id, x.hasID = v.pair(b.Ref(t, flat.VarID))
	x.typ, x.kind = b.Num(t, flat.VarType, 1), b.Num(t, flat.VarKind, 1)
	x.shape, x.hasShape = b.Longs(t, flat.VarShape, 8, maxDims)
	x.array = b.Ref(t, flat.VarArray)
	return x
}

func (v *modelView) pair(t int64) (pair, bool) {
	return pair{v.b.Num(t, 0, 4), v.b.Num(t, 1, 4)}, v.b.Sound(t)
}

func (v *modelView) node(t int64) (n node) {
	b := v.b
	n.at, n.id = t, b.Num(t, flat.NodeID, 4)
	n.name, _ = b.Str(t, flat.NodeName)
	n.op, n.num = b.Num(t, flat.NodeOpType, 1), b.Num(t, flat.NodeOpNum, 8)
	slots := v.placed.Types["FlatNode"].Slots
	for i := range slots {
		switch slots[i].Name {
		case "opName":
			n.opName, _ = b.Str(t, i)
		case "outputNames":
			n.outputs, _ = b.Strs(t, i)
		case "inputPaired":
			n.paired, _, _ = b.Vec(t, i, 4)
			for _, p := range b.Tables(t, i) {
				pair, _ := v.pair(p)
				n.inputs = append(n.inputs, pair)
			}
		}
	}
	return n
}

// producers returns the node that produces each variable, by the names of outputs and by ids; -1 for none.
func (v *modelView) producers() []int {
	out := make([]int, len(v.vars))
	for i, x := range v.vars {
		out[i] = -1
		if n, ok := v.nodeIDs[x.id[0]]; ok && x.hasID && (x.kind == varArrayKind || !v.placed.Late()) {
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
func (p *placed) metadata(b flat.Buffer) (keys, values []string) {
	if p.Late() {
		keys, _ = b.Strs(p.GraphAt(b), flat.GraphKeys)
		values, _ = b.Strs(p.GraphAt(b), flat.GraphValues)
	}
	return keys, values
}

// field returns the leaf of a field of the root table, or nil if it is absent.
func (p *located) field(slot int) *model.Span {
	_, i := p.At(p.RootAt())
	if i < 0 {
		return nil
	}
	return p.span.Child(i).Get(p.Root.Slots[slot].Name)
}

// dimsOf returns the dims of a variable: those of its array, or its own.
func (k *modelView) dimsOf(x *variable) ([]int64, bool) {
	if x.array != 0 {
		if a := k.placed.array(k.b, x.array); a.dialect != "" {
			return a.dims, true
		}
	}
	return x.shape, x.hasShape
}

// fixed tells whether the buffer cannot change its size on its own: a sub-instance, whose length is in the graph around it, or an
// index followed by arrays.
func (p *placed) fixed() bool { return p.depth > 0 || p.inFront() }

// inFront tells whether the buffer is an index followed by arrays.
func (p *placed) inFront() bool { return p.section != nil && p.section.arrays.region >= 0 }

// leaf returns the leaf of a field of a table, or nil if it is absent.
func (p *located) leaf(t int64, slot int) *model.Span {
	i, pos := p.At(t)
	if i < 0 {
		return nil
	}
	return p.span.Child(pos).Get(p.TableOf(p.Objs[i]).Slots[slot].Name)
}

// issueRules are the rules for the issues of a walk.
var issueRules = [flat.IssueKinds]*model.Rule{flat.NoRoot: rootLost, flat.NoVtable: tableNoShape, flat.BadVtable: tableBadShape,
	flat.SlotOutside: slotOutside,
	flat.SlotOverlap: fieldOverlap, flat.OffsetOutside: offsetOutside,
	flat.LongVector: vectorTooLong, flat.LongText: textTooLong, flat.NoZero: textNoZero,
	flat.NotUTF8: textNotUTF8, flat.Unaligned: unaligned, flat.Conflict: claimedTwice,
	flat.TooDeep: nestsTooDeep, flat.UnknownSlot: unknownField,
	flat.Unreached: unreached, flat.NeverSet: neverSet}
