package samediff

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	flatbuffers "github.com/google/flatbuffers/go"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// graphEdit is the only graph of a document while it is rewritten.
type graphEdit struct {
	*modelView
	*flat.Copy
	ctx   context.Context
	t     *model.Tree
	moved map[string]*data // other elements for arrays outside the graph, by name; nil takes one out
	more  []model.Edit     // of other places than the graph
}

// editing plans an action that edits the only graph of the document.
func editing(edit func(e *graphEdit, args map[string]string) error) func(context.Context, *model.Tree, *model.Span, map[string]string) ([]model.Edit, error) {
	return func(ctx context.Context, t *model.Tree, _ *model.Span, args map[string]string) ([]model.Edit, error) {
		return change(ctx, t, func(e *graphEdit) error { return edit(e, args) })
	}
}

// change rewrites the only graph of the document: setUp says with which changes. Arrays outside the graph follow.
func change(ctx context.Context, t *model.Tree, setUp func(e *graphEdit) error) (edits []model.Edit, err error) {
	d := main(t)
	g, err := d.theGraph(ctx, t)
	if err != nil {
		return nil, err
	}
	err = g.view(ctx, t, func(b flat.Buffer) error {
		v := g.open(slices.Clone(b))
		if !v.placed.Late() {
			return fmt.Errorf("graphs of generation %s are only edited in place", g.Gen)
		}
		if g.fixed() {
			return fmt.Errorf("the graph has no room to grow where it is")
		}
		e := &graphEdit{modelView: v, Copy: &flat.Copy{Map: g.Map, B: v.b}, ctx: ctx, t: t, moved: map[string]*data{}}
		if err := setUp(e); err != nil {
			return err
		}
		after, err := e.outside()
		if err != nil {
			return err
		}
		out, err := e.Build(v.b.Root(), g.Root)
		if err != nil {
			return err
		}
		if g.nb != nil { // arrays behind it stay where they are as far as there is room
			out = append(out, make([]byte, -len(out)&7)...)
		}
		edits = append(after(int64(len(out))-g.Size), model.Replace(g.span.Range, out))
		return nil
	})
	return edits, err
}

// freeID is a number that no variable and no operation has.
func (e *graphEdit) freeID() (id int64) {
	for _, x := range e.vars {
		id = max(id, x.id[0])
	}
	for _, n := range e.nodes {
		id = max(id, n.id)
	}
	return id + 1
}

// add puts tables behind those of a vector of the graph.
func (e *graphEdit) add(slot int, tables ...flat.Fields) {
	e.Instead(func(tab *flat.Table, at int64, s int) (flatbuffers.UOffsetT, bool) {
		if tab.Name != "FlatGraph" || s != slot {
			return 0, false
		}
		var refs []flatbuffers.UOffsetT
		if v := e.B.Ref(at, slot); v != 0 {
			refs = e.Elements(v, &tab.Slots[slot], 1)
		}
		for _, t := range tables {
			refs = append(refs, t.Put(e.Out))
		}
		return flat.RefVector(e.Out, refs), true
	})
}

// operationName is what names of ND4J's operations are made of.
var operationName = model.Pattern(`^[A-Za-z][A-Za-z0-9_]*$`)

// addOperation adds an operation and the variables that it makes.
func (e *graphEdit) addOperation(args map[string]string) error {
	name, op := args["name"], args["operation"]
	if _, taken := e.byNode[name]; taken || name == "" {
		return fmt.Errorf("a name is needed that no operation has yet")
	}
	if !operationName().MatchString(op) {
		return fmt.Errorf("%q is no name of an operation", op)
	}
	typ, err := enumOf("DType", args["type"])
	if err != nil {
		return err
	}
	id := e.freeID()
	node := flat.Fields{flat.NodeID: int32(id), flat.NodeName: name, flat.NodeOpType: int8(custom), flat.NodeOpNum: operationHash(op),
		flat.NodeOpName: op}
	var inputs []flat.Fields
	for _, in := range commas(args["inputs"]) {
		i, ok := e.byName[in]
		if !ok {
			return fmt.Errorf("there is no variable %s to take in", in)
		}
		inputs = append(inputs, flat.Fields{0: int32(e.vars[i].id[0]), 1: int32(e.vars[i].id[1])})
	}
	outputs := commas(args["outputs"])
	if len(outputs) == 0 {
		return fmt.Errorf("names are needed for what the operation makes")
	}
	var made []flat.Fields
	for i, out := range outputs {
		if _, taken := e.byName[out]; taken || slices.Contains(outputs[:i], out) {
			return fmt.Errorf("there is a variable %s already", out)
		}
		made = append(made, flat.Fields{flat.VarID: flat.Fields{0: int32(id), 1: int32(i)}, flat.VarName: out, flat.VarType: int8(typ),
			flat.VarDevice: int32(-1), flat.VarKind: int8(varArrayKind)})
	}
	node[flat.NodePaired], node[flat.NodeOutputs] = inputs, outputs
	node[flat.NodeOutputTypes] = slices.Repeat([]byte{byte(typ)}, len(outputs))
	if err := numbers(node, args["integers"], args["floats"]); err != nil {
		return err
	}
	e.add(flat.GraphNodes, node)
	e.add(flat.GraphVariables, made...)
	return nil
}

// numbers adds the numbers that an operation is given.
func numbers(node flat.Fields, integers, floats string) error {
	var whole []int64
	var other []float64
	for _, s := range commas(integers) {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return fmt.Errorf("%q is no whole number", s)
		}
		whole = append(whole, n)
	}
	for _, s := range commas(floats) {
		n, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return fmt.Errorf("%q is no number", s)
		}
		other = append(other, n)
	}
	if whole != nil {
		node[flat.NodeInts] = whole
	}
	if other != nil {
		node[flat.NodeFloats] = other
	}
	return nil
}

// commas divides a list by commas.
func commas(text string) (out []string) {
	for _, s := range strings.Split(text, ",") {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}
