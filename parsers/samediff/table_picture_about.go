package samediff

import (
	"fmt"
	"math"
	"strings"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// What is said of a node has at most so many values in a line, and so many lines.
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

// say adds a fact, with the object that says so or that it is about; 0: none.
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

// aboutNode says what a node does, to what, and with which attributes (section 3.3).
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
	before := m.waits(n)
	a.say("waits for", "first", listed(int64(len(before)), func(k int64) string { return before[k] }), n.at)
	a.attributes(n.at)
	return a.list
}

// input names what a node takes in: the text for it, and the object that it is.
func (a *about) input(in pair) (string, int64) {
	if k, ok := a.m.byID[in]; ok {
		x := &a.m.vars[k]
		return x.name + "  " + a.m.shapeText(x), x.at
	}
	if k, ok := a.m.nodeIDs[in[0]]; ok {
		n := &a.m.nodes[k]
		return fmt.Sprintf("output %d of %s", in[1], n.name), n.at
	}
	return fmt.Sprintf("(%d, %d), which is nowhere", in[0], in[1]), 0
}

// attributes says what else the table of a node holds.
func (a *about) attributes(t int64) {
	b, slots := a.m.b, a.m.placed.Types["FlatNode"].Slots
	for i := range slots {
		s := &slots[i]
		switch s.Name {
		case "extraParams":
			at, n, _ := b.Vec(t, i, s.Width)
			a.say("attributes", "numbers", listed(n, func(k int64) string {
				if s.Width == 4 {
					return fmt.Sprint(math.Float32frombits(uint32(b.U32(at + 4*k))))
				}
				return fmt.Sprint(math.Float64frombits(uint64(b.I64(at + 8*k))))
			}), at)
		case "extraInteger", "dimensions":
			list, _ := b.Longs(t, i, s.Width, maxAboutValues+1)
			label := map[string]string{"extraInteger": "integers", "dimensions": "dimensions"}[s.Name]
			a.say("attributes", label, listed(int64(len(list)), func(k int64) string { return fmt.Sprint(list[k]) }), b.Ref(t, i))
		case "extraBools":
			at, n, _ := b.Vec(t, i, 1)
			a.say("attributes", "booleans", listed(n, func(k int64) string { return fmt.Sprint(b[at+k] != 0) }), at)
		case "extraStrings":
			a.say("attributes", "texts", a.quoted(t, i), b.Ref(t, i))
		case "outputTypes", "extraTypes":
			at, n, _ := b.Vec(t, i, 1)
			label := map[string]string{"outputTypes": "output types", "extraTypes": "types"}[s.Name]
			a.say("attributes", label, listed(n, func(k int64) string { return typeName(int64(int8(b[at+k]))) }), at)
		case "scopeName", "scope_name":
			scope, _ := b.Str(t, i)
			a.say("attributes", "scope", scope, b.Ref(t, i))
		case "properties":
			at, n, _ := b.Vec(t, i, 4)
			for k := range min(n, maxAboutLines) {
				a.property(b.Follow(at + 4*k))
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
	b, name := a.m.b, ""
	var values []string
	for i := range table.Slots {
		text := ""
		switch s := &table.Slots[i]; s.Name {
		case "name":
			name, _ = b.Str(t, i)
		case "i", "l", "shape":
			list, _ := b.Longs(t, i, s.Width, maxAboutValues+1)
			text = listed(int64(len(list)), func(k int64) string { return fmt.Sprint(list[k]) })
		case "d":
			at, n, _ := b.Vec(t, i, 8)
			text = listed(n, func(k int64) string { return fmt.Sprint(math.Float64frombits(uint64(b.I64(at + 8*k)))) })
		case "b":
			at, n, _ := b.Vec(t, i, 1)
			text = listed(n, func(k int64) string { return fmt.Sprint(b[at+k] != 0) })
		case "s":
			text = a.quoted(t, i)
		case "a":
			if _, n, _ := b.Vec(t, i, 4); n > 0 {
				text = model.Words("%d arrays", n)
			}
		}
		if text != "" {
			values = append(values, text)
		}
	}
	a.say("attributes", name, strings.Join(values, "  "), t)
}

// quoted prints the first strings of a vector.
func (a *about) quoted(t int64, slot int) string {
	at, n, _ := a.m.b.Vec(t, slot, 4)
	return listed(n, func(k int64) string {
		s, _ := a.m.b.Text(a.m.b.Follow(at + 4*k))
		return fmt.Sprintf("%q", s[:min(len(s), maxAboutText)])
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

// aboutVariable says what a variable is.
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
