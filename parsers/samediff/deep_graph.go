package samediff

import (
	"fmt"
	"slices"
	"strings"
)

// content checks the content of a graph (section 4.7).
func (k *checker) content() {
	if !k.b.sound(k.graph) {
		return
	}
	if n, ok := k.b.tables(k.graph, graphNodes, func(int64, int64) {}); !ok || n == 0 {
		at, w := k.where(k.graph, graphNodes, 4)
		k.report(123, at, w, "", "", "the graph has no nodes")
	}
	if !k.late() {
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

// enums checks every value that must be of a list (SDF-151).
func (k *checker) enums() {
	if k.gen == "S2b" {
		return // its operations have numbers of their own
	}
	for i := range k.objs {
		o := &k.objs[i]
		switch {
		case o.kind == objTable && o.layout >= 0:
			for _, f := range k.layouts[o.layout].fields {
				if f.slot != nil && f.slot.enum != nil && !f.slot.vec && f.slot.name != "byteOrder" {
					k.enum(int64(o.off)+f.start, f.slot)
				}
			}
		case o.kind == objVector && k.slotOf(*o).enum != nil:
			for at := int64(o.off) + 4; at < int64(o.off)+int64(o.len); at++ {
				k.enum(at, k.slotOf(*o))
			}
		}
	}
}

func (k *checker) enum(at int64, s *tableSlot) {
	v := k.b[at]
	if _, ok := s.enum[uint64(v)]; !ok {
		k.report(151, at, 1, fmt.Sprint(v), "", "%s is %d, which has no meaning", s.name, v)
	}
}

// known tells whether a name is that of a variable or a node.
func (k *checker) known(name string) bool {
	_, v := k.byName[name]
	_, n := k.byNode[name]
	return v || n
}

// variables checks the variables by themselves.
func (k *checker) variables() {
	producer := k.producers()
	for i := range k.vars {
		x := &k.vars[i]
		nameAt, nameLen := k.where(x.at, varName, 4)
		if first, ok := k.byName[x.name]; x.name == "" {
			k.report(140, nameAt, nameLen, "", "a name", "a variable without a name")
		} else if ok && first != i {
			k.report(140, nameAt, nameLen, x.name, "", "a second variable %s", x.name)
		}
		idAt, idLen := k.where(x.at, varID, 4)
		if first := k.byID[x.id]; !x.hasID {
			k.report(141, idAt, idLen, "", "an id", "%s has no id", x.name)
		} else if first != i {
			k.report(141, idAt, idLen, fmt.Sprint(x.id), "", "%s has the id of %s", x.name, k.vars[first].name)
		}
		switch {
		case x.kind == varArrayKind && producer[i] < 0:
			k.report(146, x.at, 4, x.name, "", "no node makes %s", x.name)
		case x.kind != varArrayKind && x.kind != sequence && producer[i] >= 0:
			k.report(146, x.at, 4, x.name, "", "a node makes %s, which is not an ARRAY", x.name)
		}
		if x.kind == placeholder && (x.array != 0 || !x.hasShape) {
			what := "the placeholder %s has no shape"
			if x.array != 0 {
				what = "the placeholder %s carries an array"
			}
			k.report(165, x.at, 4, x.name, "", what, x.name)
		}
		if x.kind == sequence || x.typ == 0 && x.kind != varArrayKind {
			k.report(166, x.at, 4, x.name, "", "%s is dropped when Java saves the model", x.name)
		}
		if base, ok := strings.CutSuffix(x.name, "-grad"); ok {
			if _, ok := k.byName[base]; !ok {
				k.report(167, nameAt, nameLen, x.name, base, "%s is left over: there is no %s", x.name, base)
			}
		}
		for _, slot := range []int{varDeps, varDepForOp, varDepsForVar} {
			k.names(x.at, slot, 150, k.known)
		}
	}
}

// names checks that the texts of a vector are known.
func (k *checker) names(t int64, slot, rule int, known func(string) bool) {
	at, n, _ := k.b.vec(t, slot, 4)
	for i := range n {
		if s, ok := k.b.text(k.b.follow(at + 4*i)); ok && !known(s) {
			k.report(rule, at+4*i, 4, s, "", "%q is not known", s)
		}
	}
}

// nodesOf checks the nodes.
func (k *checker) nodesOf() {
	maker := map[string]int{}
	for i := range k.nodes {
		n := &k.nodes[i]
		if first := k.nodeIDs[n.id]; first != i {
			at, w := k.where(n.at, nodeID, 4)
			k.report(142, at, w, fmt.Sprint(n.id), "", "%s has the id of %s", n.name, k.nodes[first].name)
		}
		at, count, _ := k.b.vec(n.at, nodePaired, 4)
		for j, in := range n.inputs {
			if _, ok := k.byID[in]; !ok {
				k.report(143, at+4*int64(j), 4, fmt.Sprint(in), "", "%s: input %d is no variable", n.name, j)
			}
		}
		if at, old, _ := k.b.vec(n.at, nodeInput, 4); old > 0 && count > 0 && old != count {
			k.report(144, at-4, 4, fmt.Sprint(old), fmt.Sprint(count), "%s: input and inputPaired have different lengths", n.name)
		}
		out, outs, _ := k.b.vec(n.at, nodeOutputs, 4)
		for j, name := range n.outputs {
			if _, ok := k.byName[name]; !ok {
				k.report(145, out+4*int64(j), 4, name, "", "%s: output %q is no variable", n.name, name)
			} else if other, twice := maker[name]; twice && other != i {
				k.report(145, out+4*int64(j), 4, name, "", "%s is made by %s as well", name, k.nodes[other].name)
			}
			maker[name] = i
		}
		if n.op == custom && n.opName == "" {
			k.report(152, n.at, 4, "", "an opName", "%s: an operation without a name", n.name)
		} else if hash := n.num > 1<<31 || n.num < -1<<31; hash && n.opName != "" && (n.op == 10 || n.op == 11 || n.op == 17) && k.gen != "S2b" {
			k.report(152, n.at, 4, fmt.Sprint(n.op), fmt.Sprint(custom), "%s: opType is CUSTOM of an older list", n.name)
		}
		if at, types, ok := k.b.vec(n.at, nodeOutputTypes, 1); ok && types != outs {
			k.report(153, at-4, 4, fmt.Sprint(types), fmt.Sprint(outs), "%s: outputTypes and outputNames have different lengths", n.name)
		}
		scope, _ := k.b.str(n.at, nodeScope)
		if k.b.num(n.at, nodeScopeID, 4) != 0 && scope == "" {
			k.report(155, n.at, 4, "", "a scopeName", "%s: a scope without a name", n.name)
		}
		if n.op == logic && !slices.Contains([]int64{0, 10, 30, 40, 60, 70, 80, 90, 100}, n.num) {
			k.report(155, n.at, 4, fmt.Sprint(n.num), "", "%s: no logic operation has that number", n.name)
		}
		for _, slot := range []int{nodeDeps, nodeVarDeps, nodeDepFor} {
			k.names(n.at, slot, 150, k.known)
		}
	}
}

// lists checks the vectors of the graph itself: outputs, placeholders, losses.
func (k *checker) lists() {
	at, _, _ := k.b.vec(k.graph, graphOutputs, 4)
	k.b.tables(k.graph, graphOutputs, func(i, t int64) {
		if id, ok := k.pair(t); ok {
			if _, known := k.byID[id]; !known {
				k.report(147, at+4*i, 4, fmt.Sprint(id), "", "output %d is no variable", i)
			}
		}
	})
	k.losses()
	listed, has := k.b.strs(k.graph, graphPlaceholders)
	want := map[string]bool{}
	var names []string
	for _, x := range k.vars {
		if x.kind == placeholder {
			want[x.name] = true
			names = append(names, x.name)
		}
	}
	same := len(listed) == len(want)
	for _, s := range listed {
		same = same && want[s]
	}
	if !same && (has || len(want) > 0) {
		at, w := k.where(k.graph, graphPlaceholders, 4)
		k.offer(148, at, w, list(listed), list(names), k.fields("write the list of the variables", true, map[int]any{graphPlaceholders: names}),
			"the list of placeholders is not that of the variables")
	}
}

// losses checks the names of the loss variables (SDF-149).
func (k *checker) losses() {
	at, _, _ := k.b.vec(k.graph, graphLoss, 4)
	names, _ := k.b.strs(k.graph, graphLoss)
	unknown := func(s string) bool { _, ok := k.byName[s]; return !ok }
	kept := slices.DeleteFunc(slices.Clone(names), unknown)
	for i, s := range names {
		if unknown(s) {
			k.offer(149, at+4*int64(i), 4, s, "", k.fields("remove what is no variable", false, map[int]any{graphLoss: kept}), "the loss %q is no variable", s)
		}
	}
}

// loops are operations through which loops may go.
var loops = map[string]bool{"enter": true, "exit": true, "merge": true, "switch": true, "next_iteration": true, "nextiteration": true, "loop_cond": true}

// cycles looks for operations that depend on themselves (SDF-154): what is left when those without open inputs are taken away.
func (k *checker) cycles() {
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
	var ready []int32
	done := 0
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
	if done == len(k.nodes) {
		return
	}
	for i, n := range open {
		if n > 0 {
			k.report(154, k.nodes[i].at, 4, k.nodes[i].name, "", "%s is in, or behind, a circle of %d operations", k.nodes[i].name, len(k.nodes)-done)
			return
		}
	}
}

// metadataOf checks the keys of the graph (SDF-156, 157, 039, 071).
func (k *checker) metadataOf() {
	keys, values := k.metadata(k.b)
	at, w := k.where(k.graph, graphKeys, 4)
	paired := k.pairKeys(keys, values)
	if len(keys) != len(values) {
		k.offer(156, at, w, fmt.Sprintf("%d keys, %d values", len(keys), len(values)), "", paired, "metadataKeys and metadataValues have different lengths")
	}
	seen := map[string]bool{}
	for i, key := range keys {
		if seen[key] {
			k.offer(156, at, w, key, "", paired, "the key %s is there twice", key)
		}
		seen[key] = true
		if i > 0 && key < keys[i-1] {
			k.offer(157, at, w, key, "", k.metadataFix("sort the keys", true, nil), "the key %s is not in order", key)
		}
		if i < len(values) && key != "nd4j.format.type" {
			if want := reserved(key, values[i], ""); want != "" {
				k.offer(39, at, w, values[i], want, k.reserved(key, want), "%s is not %s", key, want)
			}
		}
	}
	if k.nb == nil || k.depth > 0 {
		return
	}
	kind := ""
	for i, key := range keys[:min(len(keys), len(values))] {
		if key == "nd4j.format.type" {
			kind = values[i]
		}
	}
	if kind != "APPENDED_BLOB" {
		k.offer(71, at, w, kind, "APPENDED_BLOB", k.key("nd4j.format.type", "APPENDED_BLOB", true), "")
	}
}
