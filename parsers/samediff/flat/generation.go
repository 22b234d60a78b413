package flat

import (
	"bytes"
	"strings"
)

// looks is how many variables and nodes are examined to guess the generation.
const looks = 4096

// generation guesses which generation of the schema wrote a graph (section 3.7): its name, and the tables to walk it with. No
// version is stored; the existing fields tell.
func generation(b Buffer, graph int64) (string, map[string]*Table) {
	name, s := evidenceOf(b, graph).schema()
	return name, s.tables()
}

// schema returns the schema that the evidence points to.
func (e *evidence) schema() (name string, s schema) {
	node, ops := "S2", e.operations()
	switch {
	case e.names16 && e.output7:
		node = "D"
	case e.nodeSlots <= 15:
		node = "S2-"
	}
	newer := e.varSlots > 5
	switch {
	case e.newest:
		return "S4", schema{}
	case newer && !e.types17 && (e.names16 || e.nodeSlots == 16 && !e.names15):
		return "S2c", schema{node: node, ops: ops}
	case newer && (e.hashed[17] || e.hashed[20]) && !e.hashed[21]:
		return "S2b", schema{ops: ops}
	case newer: // S3
	case e.vars == 0 && e.hashed[11] && !e.hashed[21]: // its variables are truncated
		return "S2", schema{node, "S2", ops}
	case e.pair && e.narrow && !e.wide:
		return "S1", schema{strings.Replace(node, "S2", "S1", 1), "S1", ops}
	case e.pair:
		return "S2", schema{node, "S2", ops}
	case e.inline && e.varSlots == 5, e.short:
		if node = "S1-"; e.nodeSlots > 0 && e.nodeSlots <= 12 {
			node = "S0-"
		}
		return "S0", schema{node, "S0", ops}
	}
	return "S3", schema{}
}

// operations is the list that numbers the types of operations.
func (e *evidence) operations() string {
	ops := "B" // for graphs before October 2018; newer ones are identified by the number of CUSTOM
	if e.hashed[10] && !e.hashed[11] && e.nodeSlots <= 15 {
		ops = "B-"
	}
	for number, list := range map[int64]string{17: "C", 20: "D", 21: ""} {
		if e.hashed[number] && !e.hashed[11] {
			ops = list
		}
	}
	if e.names16 && e.output7 && !e.hashed[17] {
		return "D"
	}
	return ops
}

// evidence is what the fields of a graph say.
type evidence struct {
	b              Buffer
	vars, varSlots int
	nodeSlots      int
	newest         bool           // fields that only S4 has
	short          bool           // the graph has few fields, and its id is a short number
	pair, inline   bool           // what slot 0 of the variables is
	narrow, wide   bool           // what the shapes are made of
	hashed         map[int64]bool // types of the operations whose number is a hash: CUSTOM, in the list of the time
	names16        bool           // slot 16 of a node is a vector of strings: the names of outputs, which later are in slot 15
	names15        bool           // slot 15 is one too; nodes of 16 slots without them are of September 2018
	types17        bool           // slot 17 of a node is not the name of the operation: later it has types
	output7        bool           // slot 7 of a node is a vector
}

// evidenceOf collects evidence from a graph and its first variables and nodes.
func evidenceOf(b Buffer, graph int64) *evidence {
	_, slots := b.Vtable(graph)
	e := &evidence{b: b, hashed: map[int64]bool{}, newest: slots > 9,
		short: slots <= 5 && b.Slot(graph, graphID) != 0 && b.isShort(graph, graphID)}
	for slot, look := range map[int]func(t int64){GraphVariables: e.variable, GraphNodes: e.node} {
		for k, t := range b.Tables(graph, slot) {
			if k == looks {
				break
			}
			if t != 0 {
				look(t)
			}
		}
	}
	return e
}

func (e *evidence) variable(t int64) {
	_, n := e.b.Vtable(t)
	e.vars++
	e.varSlots = max(e.varSlots, n)
	if id := e.b.Ref(t, VarID); id != 0 && e.b.Sound(id) {
		e.pair = true
	} else if e.b.Slot(t, VarID) != 0 {
		e.inline = true
	}
	array := e.b.Ref(t, VarArray)
	if n <= 5 {
		array = e.b.Ref(t, 3)
		e.width(e.b.Ref(t, 2))
	}
	if array == 0 {
		return
	}
	if n > 5 {
		e.array(array)
	} else if e.b.Sound(array) {
		e.width(e.b.Ref(array, 0))
	}
}

func (e *evidence) array(t int64) {
	for i := ArrChunks; i <= ArrAppendedLength; i++ {
		e.newest = e.newest || e.b.Slot(t, i) != 0
	}
}

// width tests whether a shape consists of i64 or of i32: the first is the rank, 2·rank + 4 numbers, the last is an order.
func (e *evidence) width(p int64) {
	info := func(width int64) bool {
		at, n, ok := e.b.Vector(p, width)
		if !ok || n < 4 {
			return false
		}
		get := e.b.I64
		if width == 4 {
			get = e.b.I32
		}
		last := get(at + (n-1)*width)
		return n == 2*get(at)+4 && (last == 99 || last == 102)
	}
	e.wide = e.wide || info(8)
	e.narrow = e.narrow || info(4)
}

func (e *evidence) node(t int64) {
	_, n := e.b.Vtable(t)
	e.nodeSlots = max(e.nodeSlots, n)
	op, number := e.b.Num(t, NodeOpType, 1), e.b.Num(t, NodeOpNum, 8)
	e.newest = e.newest || op == 120
	if number > 1<<31 || number < -1<<31 {
		e.hashed[op] = e.hashed[op] || !e.b.isShort(t, NodeOpNum)
	}
	e.names15 = e.names15 || e.texts(t, 15)
	e.names16 = e.names16 || e.texts(t, 16) && !e.texts(t, 15)
	if name, ok := e.b.raw(e.b.Ref(t, 17)); ok || e.b.Slot(t, 17) != 0 {
		e.types17 = e.types17 || len(name) == 0 || bytes.ContainsFunc(name[:min(len(name), 256)], func(c rune) bool { return c < ' ' })
	}
	if n > 8 {
		_, count, ok := e.b.Vec(t, 7, 4)
		e.output7 = e.output7 || ok && count < 1<<12
	}
	if scalar := e.b.Ref(t, nodeScalar); n > 18 && e.b.Sound(scalar) {
		e.array(scalar)
	}
}

// texts tells whether a field is a vector of texts, each with its zero byte.
func (e *evidence) texts(t int64, slot int) bool {
	at, n, ok := e.b.Vec(t, slot, 4)
	for k := range min(n, 16) {
		p := e.b.Follow(at + 4*k)
		s, text := e.b.raw(p)
		end := p + 4 + int64(len(s))
		if !text || end >= e.b.Len() || e.b[end] != 0 {
			return false
		}
	}
	return ok && n > 0
}
