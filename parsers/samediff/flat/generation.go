package flat

// looks is how many variables and nodes the generation is guessed from.
const looks = 4096

// generation guesses which generation of the schema wrote a graph (section 3.7): its name, and the tables to walk it with. No
// version is stored; what tells is which fields there are.
func generation(b Buffer, graph int64) (string, map[string]*Table) {
	late := generations[""]
	if _, n := b.Vtable(graph); n > 9 {
		return "S4", late
	}
	e := evidence{b: b}
	b.Tables(graph, GraphVariables, func(k, t int64) {
		if k < looks {
			e.variable(t)
		}
	})
	e.nodes(graph)
	minus := ""
	if e.nodeSlots <= 15 {
		minus = "-"
	}
	switch {
	case e.newest:
		return "S4", late
	case e.device && e.custom17 && !e.custom21:
		return "S2b", late
	case e.device || e.vars == 0 || e.varSlots > 5:
		return "S3", late
	case e.pair && e.narrow && !e.wide:
		return "S1", generations["S1"+minus]
	case e.pair:
		return "S2", generations["S2"+minus]
	case e.inline && e.varSlots == 5:
		return "S0", generations["S0"]
	}
	return "S3", late
}

// evidence is what the fields of a graph say.
type evidence struct {
	b                  Buffer
	vars, varSlots     int
	nodeSlots          int
	newest             bool // fields that only S4 has
	device             bool // a variable has slot 5
	pair, inline       bool // what slot 0 of the variables is
	narrow, wide       bool // what the shapes are made of
	custom17, custom21 bool
}

func (e *evidence) variable(t int64) {
	if t == 0 {
		return
	}
	_, n := e.b.Vtable(t)
	e.vars++
	e.varSlots = max(e.varSlots, n)
	e.device = e.device || e.b.Slot(t, varDevice) != 0
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

// width tests whether a shape is made of i64 or of i32: the first is the rank, 2·rank + 4 numbers, the last is an order.
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

func (e *evidence) nodes(graph int64) {
	e.b.Tables(graph, GraphNodes, func(k, t int64) {
		if k >= looks || t == 0 {
			return
		}
		_, n := e.b.Vtable(t)
		e.nodeSlots = max(e.nodeSlots, n)
		switch e.b.Num(t, NodeOpType, 1) {
		case 17:
			op := e.b.Num(t, NodeOpNum, 8)
			e.custom17 = e.custom17 || op > 1<<20 || op < 0
		case 21:
			e.custom21 = true
		case 120:
			e.newest = true
		}
		if n > 18 {
			if scalar := e.b.Ref(t, nodeScalar); e.b.Sound(scalar) {
				e.array(scalar)
			}
		}
	})
}
