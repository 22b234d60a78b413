package samediff

import (
	"fmt"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// graphChecker checks the content of a graph.
type graphChecker struct {
	*checker
	ids map[pair]bool // names looked up among the variables, and whether they were found
}

// content checks the content of a graph (section 4.7).
func (k *graphChecker) content() {
	if !k.b.Sound(k.graph) {
		return
	}
	if _, n, _ := k.b.Vec(k.graph, flat.GraphNodes, 4); n == 0 {
		k.report(noOperations, k.where(k.graph, flat.GraphNodes, 4), nil, nil, saying("the graph has no nodes"))
	}
	k.devices()
	if !k.placed.Late() {
		for i := range k.nodes {
			if k.placed.NewVariables() { // in older graphs the result of an operation is not a variable
				k.inputs(&k.nodes[i])
			}
		}
		return
	}
	k.enums()
	k.variables()
	k.nodesOf()
	k.lists()
	k.cycles()
	k.metadataOf()
	k.training()
	k.updaters()
	k.properties()
}

// enums checks every enumerated value (SDF-151).
func (k *graphChecker) enums() {
	if k.placed.Gen == "S2b" {
		return // its operations are numbered separately
	}
	for t := range k.placed.Tables() {
		fieldEnums(k, t)
	}
	for _, o := range k.placed.Objs {
		if o.Kind == flat.VectorObject && k.placed.SlotOf(o).Enum != nil {
			for at := o.Off + 4; at < o.Off+o.Len; at++ {
				k.enum(int64(at), k.placed.SlotOf(o))
			}
		}
	}
}

// fieldEnums checks the truth values and enumerated fields of a table.
func fieldEnums(k *graphChecker, t flat.Laid) {
	for _, f := range t.Fields {
		at := t.At + f.Start
		switch s := f.Slot; {
		case s == nil:
		case s.Bool && k.b[at] > 1:
			k.report(badEnum, part{at, 1}, fmt.Sprint(k.b[at]), "0 or 1", saying("%s is neither 0 nor 1", s.Name), model.Graded(model.Warning),
				model.About([]model.Fix{k.patch("set it to 1", false, at, []byte{1}), k.patch("set it to 0", false, at, []byte{0})}))
		case s.Enum != nil && !s.Vec && s.Name != "byteOrder":
			k.enum(at, s)
		}
	}
}

func (k *graphChecker) enum(at int64, s *flat.Slot) {
	v := k.b[at]
	if _, ok := s.Enum[uint64(v)]; !ok {
		k.report(badEnum, part{at, 1}, fmt.Sprint(v), nil, saying("%s is %d, which is undefined", s.Name, v))
	}
}

// known tells whether a name is that of a variable or a node.
func (k *graphChecker) known(name string) bool {
	_, v := k.byName[name]
	_, n := k.byNode[name]
	return v || n
}

// variables checks the variables by themselves.
func (k *graphChecker) variables() {
	producer := k.producers()
	for i := range k.vars {
		x := &k.vars[i]
		k.variableName(i)
		switch {
		case x.kind == varArrayKind && producer[i] < 0:
			k.report(makerDiffers, part{x.at, 4}, x.name, nil, saying("no node outputs %s", x.name))
		case x.kind != varArrayKind && x.kind != sequence && producer[i] >= 0:
			k.report(makerDiffers, part{x.at, 4}, x.name, nil, saying("a node outputs %s, which is not an ARRAY", x.name))
		}
		checkVariable(k, x)
		for _, slot := range []int{flat.VarDeps, flat.VarDepForOp, flat.VarDepsForVar} {
			k.names(x.at, slot, dependencyUnknown, k.known)
		}
	}
}

// variableName checks that a variable has a unique name and id.
func (k *graphChecker) variableName(i int) {
	x := &k.vars[i]
	at := k.where(x.at, flat.VarName, 4)
	if first, ok := k.byName[x.name]; x.name == "" {
		k.report(variableName, at, nil, "a name", saying("a variable without a name"))
	} else if ok && first != i {
		k.report(variableName, at, x.name, nil, saying("a second variable %s", x.name))
	}
	at = k.where(x.at, flat.VarID, 4)
	if first := k.byID[x.id]; !x.hasID {
		k.report(variableID, at, nil, "an id", saying("%s has no id", x.name))
	} else if first != i {
		k.report(variableID, at, fmt.Sprint(x.id), nil, saying("%s has the id of %s", x.name, k.vars[first].name))
	}
	base, ok := strings.CutSuffix(x.name, "-grad")
	if _, there := k.byName[base]; ok && !there {
		k.report(gradientLeft, k.where(x.at, flat.VarName, 4), x.name, base, saying("%s is left over: there is no %s", x.name, base))
	}
}

// checkVariable checks that the kind, type, shape and array of a variable agree.
func checkVariable(k *graphChecker, x *variable) {
	if x.kind == placeholder && (x.array != 0 || !x.hasShape) {
		what := "the placeholder %s has no shape"
		if x.array != 0 {
			what = "the placeholder %s has an array"
		}
		k.report(placeholderArray, part{x.at, 4}, x.name, nil, saying(what, x.name))
	}
	k.dimsOfVariable(x)
	if x.typ != 0 && types[x.typ] == nil && x.typ != dtypeUTF8 && flat.Enums["DType"][uint64(x.typ)] != "" {
		k.report(typeUndecodable, k.where(x.at, flat.VarType, 1), typeName(x.typ), nil, saying("%s has a type whose elements cannot be read: Java rejects the whole graph", x.name))
	}
	if x.kind == sequence || x.typ == 0 && x.kind != varArrayKind {
		k.report(typeless, part{x.at, 4}, x.name, nil, saying("%s is dropped when Java saves the model", x.name))
	}
}

// maxFed is the longest axis of data fed to a placeholder: Java counts it in 32 bits.
const maxFed = 1<<31 - 1

// dimsOfVariable checks the shape that a variable has besides its array: an axis of -1 is not known yet.
func (k *graphChecker) dimsOfVariable(x *variable) {
	at, n, _ := k.b.Vec(x.at, flat.VarShape, 8)
	for i, d := range x.shape[:min(int64(len(x.shape)), n)] {
		axis, text := at+8*int64(i), "%s: axis %d of the shape cannot be %d"
		if x.kind == placeholder && d > maxFed {
			text = "%s: axis %d of the shape is %d: no input has that length, and shorter ones are rejected"
		} else if d >= -1 && d <= maxDim {
			continue
		}
		var choices []model.Fix
		if low := d & maxFed; x.kind == placeholder && d > maxFed && low > 0 {
			choices = append(choices, k.patch(fmt.Sprintf("set it to %d", low), false, axis, appendInt(nil, low, 8)))
		}
		if x.kind == placeholder {
			choices = append(choices, k.patch("set it to -1: any length", false, axis, appendInt(nil, -1, 8)))
		}
		k.report(shapeImpossible, part{axis, 8}, fmt.Sprint(x.shape), nil, saying(text, x.name, i, d), model.About(choices))
	}
}

// names checks that the texts of a vector are known.
func (k *graphChecker) names(t int64, slot int, rule *model.Rule, known func(string) bool) {
	at, n, _ := k.b.Vec(t, slot, 4)
	for i := range n {
		if s, ok := k.b.Text(k.b.Follow(at + 4*i)); ok && !known(s) {
			k.report(rule, part{at + 4*i, 4}, s, nil, saying("%q is unknown", s))
		}
	}
}

// inputs checks the inputs of an operation: each is the id of a variable.
func (k *graphChecker) inputs(n *node) {
	for j, in := range n.inputs {
		if _, ok := k.byID[in]; !ok && !k.renumbered(n, in) {
			k.report(inputUnknown, part{n.paired + 4*int64(j), 4}, fmt.Sprint(in), nil, saying("%s: input %d is not a variable", n.name, j))
		}
	}
	_, count, _ := k.b.Vec(n.at, flat.NodePaired, 4)
	if at, old, _ := k.b.Vec(n.at, flat.NodeInput, 4); old > 0 && count > 0 && old != count {
		k.report(inputsDiffer, part{at - 4, 4}, fmt.Sprint(old), fmt.Sprint(count),
			saying("%s: input and inputPaired have different lengths", n.name))
	}
}

// nodesOf checks the nodes.
func (k *graphChecker) nodesOf() {
	maker := map[string]int{}
	for i := range k.nodes {
		n := &k.nodes[i]
		if first := k.nodeIDs[n.id]; first != i {
			k.report(sameNodeID, k.where(n.at, flat.NodeID, 4), fmt.Sprint(n.id), nil, saying("%s has the id of %s", n.name, k.nodes[first].name))
		}
		k.inputs(n)
		checkOutputs(k, i, maker)
		checkOperation(k, n)
		for _, slot := range []int{flat.NodeDeps, flat.NodeVarDeps, flat.NodeDepFor} {
			k.names(n.at, slot, dependencyUnknown, k.known)
		}
	}
}

// checkOutputs checks the outputs of a node: variables that no other node produces; maker notes who does.
func checkOutputs(k *graphChecker, i int, maker map[string]int) {
	n := &k.nodes[i]
	out, outs, _ := k.b.Vec(n.at, flat.NodeOutputs, 4)
	for j, name := range n.outputs {
		if _, ok := k.byName[name]; !ok {
			k.report(outputUnknown, part{out + 4*int64(j), 4}, name, nil, saying("%s: output %q is not a variable", n.name, name))
		} else if other, twice := maker[name]; twice && other != i {
			k.report(outputUnknown, part{out + 4*int64(j), 4}, name, nil, saying("%s is also an output of %s", name, k.nodes[other].name))
		}
		maker[name] = i
	}
	if at, types, ok := k.b.Vec(n.at, flat.NodeOutputTypes, 1); ok && types != outs {
		k.report(outputTypes, part{at - 4, 4}, fmt.Sprint(types), fmt.Sprint(outs),
			saying("%s: outputTypes and outputNames have different lengths", n.name))
	}
}

// checkOperation checks what a node does.
func checkOperation(k *graphChecker, n *node) {
	if n.op == custom && n.opName == "" {
		k.report(oddOperation, part{n.at, 4}, nil, "an opName", saying("%s: an operation without a name", n.name))
	} else if hash := n.num > 1<<31 || n.num < -1<<31; hash && n.opName != "" && (n.op == 10 || n.op == 11 || n.op == 17) &&
		k.placed.Gen != "S2b" {
		k.report(oddOperation, part{n.at, 4}, fmt.Sprint(n.op), fmt.Sprint(custom), saying("%s: opType is CUSTOM of an older list", n.name))
	}
	scope, _ := k.b.Str(n.at, flat.NodeScope)
	if k.b.Num(n.at, flat.NodeScopeID, 4) != 0 && scope == "" {
		k.report(oddLogic, part{n.at, 4}, nil, "a scopeName", saying("%s: a scope without a name", n.name))
	}
	if n.op == logic && !slices.Contains([]int64{0, 10, 30, 40, 60, 70, 80, 90, 100}, n.num) {
		k.report(oddLogic, part{n.at, 4}, fmt.Sprint(n.num), nil, saying("%s: no logic operation has that number", n.name))
	}
}

// lists checks the vectors of the graph itself: outputs, placeholders, losses.
func (k *graphChecker) lists() {
	at, _, _ := k.b.Vec(k.graph, flat.GraphOutputs, 4)
	for i, t := range k.b.Tables(k.graph, flat.GraphOutputs) {
		if id, ok := k.pair(t); ok {
			if _, known := k.byID[id]; !known {
				k.report(graphOutput, part{at + 4*i, 4}, fmt.Sprint(id), nil, saying("output %d is not a variable", i))
			}
		}
	}
	k.losses()
	k.placeholders()
}

// placeholders checks the list of the variables that are placeholders.
func (k *graphChecker) placeholders() {
	listed, has := k.b.Strs(k.graph, flat.GraphPlaceholders)
	want := map[string]bool{}
	var names []string
	for _, x := range k.vars {
		if x.kind == placeholder {
			want[x.name] = true
			names = append(names, x.name)
		}
	}
	for _, name := range listed {
		if i, ok := k.byName[name]; ok && k.vars[i].kind != placeholder && k.vars[i].array == 0 && k.producers()[i] < 0 {
			k.set(placeholderList, field{k.vars[i].at, flat.VarKind, 1}, nil, model.I(placeholder),
				saying("%s is listed as a placeholder, but has another type", name))
			return
		}
	}
	same := len(listed) == len(want)
	for _, s := range listed {
		same = same && want[s]
	}
	if !same && (has || len(want) > 0) {
		k.report(placeholderList, k.where(k.graph, flat.GraphPlaceholders, 4), list(listed), list(names),
			model.About(rootEdit{p: k.placed, label: "rebuild the list from the variables", safe: true,
				fields: map[int]any{flat.GraphPlaceholders: names}}))
	}
}

// losses checks the names of the loss variables (SDF-149).
func (k *graphChecker) losses() {
	at, _, _ := k.b.Vec(k.graph, flat.GraphLoss, 4)
	names, _ := k.b.Strs(k.graph, flat.GraphLoss)
	unknown := func(s string) bool { _, ok := k.byName[s]; return !ok }
	kept := slices.DeleteFunc(slices.Clone(names), unknown)
	for i, s := range names {
		if unknown(s) {
			k.report(lossUnknown, part{at + 4*int64(i), 4}, s, "a variable",
				model.About(rootEdit{p: k.placed, label: "remove entries that are not variables", loses: "the names of losses that do not exist",
					fields: map[int]any{flat.GraphLoss: kept}}))
		}
	}
}

// loops are operations that may be part of a loop.
var loops = map[string]bool{"enter": true, "exit": true, "merge": true, "switch": true, "next_iteration": true, "nextiteration": true,
	"loop_cond": true}

// cycles looks for operations that depend on themselves (SDF-154): what remains after repeatedly removing those without open inputs.
func (k *graphChecker) cycles() {
	producer := k.producers()
	next := make([][]int32, len(k.nodes))
	open := make([]int32, len(k.nodes))
	plain := func(n *node) bool { return n.op != logic && !loops[strings.ToLower(n.opName)] }
	for i := range k.nodes {
		if !plain(&k.nodes[i]) {
			continue
		}
		for _, in := range k.nodes[i].inputs {
			x, ok := k.byID[in]
			if !ok || producer[x] < 0 || !plain(&k.nodes[producer[x]]) {
				continue
			}
			next[producer[x]] = append(next[producer[x]], int32(i))
			open[i]++
		}
	}
	done := released(next, open)
	if done == len(k.nodes) {
		return
	}
	for i, n := range open {
		if n > 0 {
			k.report(circle, part{k.nodes[i].at, 4}, k.nodes[i].name, nil, saying("%s is in, or depends on, a cycle of %d operations", k.nodes[i].name,
				len(k.nodes)-done))
			return
		}
	}
}

// released removes what has no open inputs, repeatedly, and returns how much that is.
func released(next [][]int32, open []int32) (done int) {
	var ready []int32
	for i, n := range open {
		if n == 0 {
			ready = append(ready, int32(i))
		}
	}
	for ; len(ready) > 0; done++ {
		i := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		for _, j := range next[i] {
			if open[j]--; open[j] == 0 {
				ready = append(ready, j)
			}
		}
	}
	return done
}
