package samediff

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	flatbuffers "github.com/google/flatbuffers/go"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// graphActions are the edits of variables and operations.
var graphActions = []model.Action{
	{Name: "add-variable", Label: "Add variable", Doc: "Adds a variable: a placeholder without values, or a parameter or constant that is filled with one value.",
		Params: []model.Param{{Name: "name", Label: "Name"}, {Name: "kind", Label: "Kind", Default: "VARIABLE", Choices: []string{"VARIABLE", "CONSTANT", "PLACEHOLDER"}},
			{Name: "type", Label: "Type", Default: "FLOAT"}, {Name: "shape", Label: "Shape", Default: "[1]"}, {Name: "value", Label: "Value", Default: "0"}},
		On: onModel, Plan: addVariable},
	{Name: "drop-variable", Label: "Drop variable", Doc: "Removes a variable that no operation uses, from the graph and from all lists.",
		Params: []model.Param{{Name: "name", Label: "Name"}}, On: onModel, Plan: dropVariable},
	{Name: "drop-operation", Label: "Drop operation", Doc: "Removes an operation and the variables that it makes, if no other operation uses them.",
		Params: []model.Param{{Name: "name", Label: "Name"}}, On: onModel, Plan: dropOperation},
	{Name: "rename-operation", Label: "Rename operation", Doc: "Changes the name of an operation everywhere.",
		Params: []model.Param{{Name: "from", Label: "Name"}, {Name: "to", Label: "New name"}}, On: onModel, Plan: renameOperation},
	{Name: "convert-type", Label: "Convert type", Doc: "Converts the values of a variable inside the graph to another type; a value that does not fit is refused.",
		Params: []model.Param{{Name: "name", Label: "Name"}, {Name: "type", Label: "Type"}}, On: onModel, Plan: convertType},
}

// change rewrites the only graph of the document: setUp sets the copy up, given the graph's content.
func change(ctx context.Context, t *model.Tree, setUp func(v *modelView, c *flat.Copy) error) (edits []model.Edit, err error) {
	d := main(t)
	g, err := d.theGraph(ctx, t)
	if err != nil {
		return nil, err
	}
	err = g.view(ctx, t, func(b flat.Buffer) error {
		v := g.open(slices.Clone(b))
		if !v.Late() {
			return fmt.Errorf("graphs of generation %s are only edited in place", g.Gen)
		}
		c := &flat.Copy{Map: g.Map, B: v.b}
		if err := setUp(v, c); err != nil {
			return err
		}
		out, err := c.Build(v.b.Root(), g.Root)
		if err != nil {
			return err
		}
		if g.fixed() {
			return fmt.Errorf("the graph has no room to grow where it is")
		}
		if g.nb != nil { // arrays behind it stay where they are as far as there is room
			out = append(out, make([]byte, -len(out)&7)...)
		}
		edits = []model.Edit{model.Replace(g.span.Range, out)}
		return nil
	})
	return edits, err
}

// addVariable adds a variable with an id of its own.
func addVariable(ctx context.Context, t *model.Tree, _ *model.Span, args map[string]string) ([]model.Edit, error) {
	return change(ctx, t, func(v *modelView, c *flat.Copy) error {
		name := args["name"]
		if _, taken := v.byName[name]; name == "" || taken {
			return fmt.Errorf("a name is needed that no variable has yet")
		}
		typ, err := enumOf("DType", args["type"])
		if err != nil || types[typ] == nil {
			return fmt.Errorf("%q is no type that arrays can have", args["type"])
		}
		kind, err := enumOf("VarType", args["kind"])
		if err != nil {
			return err
		}
		dims, err := dimsOf(args["shape"])
		if err != nil {
			return err
		}
		id := int64(0)
		for _, x := range v.vars {
			id = max(id, x.id[0])
		}
		for _, n := range v.nodes {
			id = max(id, n.id)
		}
		fields := flat.Fields{flat.VarID: flat.Fields{0: int32(id + 1)}, flat.VarName: name, flat.VarType: int8(typ), flat.VarShape: dims, varDevice: int32(-1), flat.VarKind: int8(kind)}
		if kind != placeholder {
			delete(fields, flat.VarShape)
			array, err := filled(typ, dims, args["value"], v.dims)
			if err != nil {
				return err
			}
			fields[flat.VarArray] = array
		}
		c.Other = func(tab *flat.Table, at int64, slot int) (flatbuffers.UOffsetT, bool) {
			switch {
			case tab.Name == "FlatGraph" && slot == flat.GraphVariables:
				refs := c.Elements(c.B.Ref(at, slot), &tab.Slots[slot], 1)
				return flat.RefVector(c.Out, append(refs, fields.Put(c.Out))), true
			case tab.Name == "FlatGraph" && slot == flat.GraphPlaceholders && kind == placeholder:
				names, _ := c.B.Strs(at, slot)
				return flat.Put(c.Out, append(names, name)), true
			}
			return 0, false
		}
		return nil
	})
}

const varDevice = 5

// filled is an array of one value, in the dialect of the file.
func filled(typ int64, dims []int64, text string, plain bool) (flat.Fields, error) {
	n, ok := product(dims)
	e := types[typ]
	if size := (&arr{typ: typ}).sizeOf(n); !ok || size > 64<<20 {
		return nil, fmt.Errorf("an array of shape %v is too large to be added", dims)
	}
	f := e.be
	if plain {
		f = e.le
	}
	v, err := f.Parse(text)
	if err != nil {
		return nil, err
	}
	one, err := f.Codec.Encode(v)
	if err != nil {
		return nil, err
	}
	raw := []byte(strings.Repeat(string(one), int(n)))
	if plain {
		return flat.Fields{flat.ArrShape: dims, flat.ArrBuffer: raw, flat.ArrType: int8(typ)}, nil
	}
	info := append(append([]int64{int64(len(dims))}, dims...), denseStrides(dims, 'c')...)
	return flat.Fields{flat.ArrShape: append(info, e.bit, 1, 99), flat.ArrBuffer: raw, flat.ArrType: int8(typ), flat.ArrOrder: int8(1)}, nil
}

// dropVariable removes a variable that no operation uses or makes.
func dropVariable(ctx context.Context, t *model.Tree, _ *model.Span, args map[string]string) ([]model.Edit, error) {
	return change(ctx, t, func(v *modelView, c *flat.Copy) error {
		i, ok := v.byName[args["name"]]
		if !ok {
			return fmt.Errorf("there is no variable %s", args["name"])
		}
		if n := v.producers()[i]; n >= 0 {
			return fmt.Errorf("the operation %s makes it: drop that", v.nodes[n].name)
		}
		return v.without(c, map[string]bool{args["name"]: true}, nil)
	})
}

// dropOperation removes an operation and what it makes.
func dropOperation(ctx context.Context, t *model.Tree, _ *model.Span, args map[string]string) ([]model.Edit, error) {
	return change(ctx, t, func(v *modelView, c *flat.Copy) error {
		k, ok := v.byNode[args["name"]]
		if !ok {
			return fmt.Errorf("there is no operation %s", args["name"])
		}
		gone := map[string]bool{}
		for i, n := range v.producers() {
			if n == k {
				gone[v.vars[i].name] = true
			}
		}
		return v.without(c, gone, &v.nodes[k])
	})
}

// without leaves variables and an operation out of a copy, and their names out of all lists. It refuses where another operation, an
// array outside the graph or the training configuration needs them.
func (v *modelView) without(c *flat.Copy, gone map[string]bool, operation *node) error {
	for i := range v.nodes {
		n := &v.nodes[i]
		if operation != nil && n.at == operation.at {
			continue
		}
		for _, in := range n.inputs {
			if k, ok := v.byID[in]; ok && gone[v.vars[k].name] {
				return fmt.Errorf("the operation %s uses %s", n.name, v.vars[k].name)
			}
		}
	}
	named := v.nb.byName()
	training, _ := v.b.Str(v.graph, flat.GraphTraining)
	for name := range gone {
		if named[name] != nil || v.con != nil && v.array(v.b, v.vars[v.byName[name]].array).stub {
			return fmt.Errorf("the values of %s are stored outside the graph", name)
		}
		if quoted, _ := json.Marshal(name); strings.Contains(training, string(quoted)) {
			return fmt.Errorf("the training configuration names %s: change that first", name)
		}
	}
	c.Drop = func(tab *flat.Table, at int64) bool {
		name, _ := c.B.Str(at, flat.VarName)
		first, _ := c.B.Str(at, 0)
		return tab.Name == "FlatVariable" && gone[name] || operation != nil && tab.Name == "FlatNode" && at == operation.at || tab.Name == "UpdaterState" && gone[first]
	}
	c.Other = func(tab *flat.Table, at int64, slot int) (flatbuffers.UOffsetT, bool) {
		s := &tab.Slots[slot]
		isName := nameSlots[tab.Name][s.Name] || operation != nil && operationSlots[tab.Name][s.Name]
		if !isName || !s.Vec || c.B.Slot(at, slot) == 0 {
			return 0, false
		}
		names, _ := c.B.Strs(at, slot)
		kept := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return gone[name] || operation != nil && name == operation.name })
		if len(kept) == len(names) {
			return 0, false
		}
		return flat.Put(c.Out, kept), true
	}
	return nil
}

// operationSlots are the fields in which names of operations stand, by table.
var operationSlots = map[string]map[string]bool{
	"FlatVariable": {"controlDepForOp": true},
	"FlatNode":     {"name": true, "controlDeps": true, "controlDepFor": true},
}

// renameOperation changes the name of an operation wherever it stands. Names of variables stay.
func renameOperation(ctx context.Context, t *model.Tree, _ *model.Span, args map[string]string) ([]model.Edit, error) {
	from, to := args["from"], args["to"]
	return change(ctx, t, func(v *modelView, c *flat.Copy) error {
		_, there := v.byNode[from]
		if _, taken := v.byNode[to]; !there || taken || to == "" {
			return fmt.Errorf("the name of an operation is needed, and a new one that no other has")
		}
		c.Other = func(tab *flat.Table, at int64, slot int) (flatbuffers.UOffsetT, bool) {
			s := &tab.Slots[slot]
			if !operationSlots[tab.Name][s.Name] {
				return 0, false
			}
			if !s.Vec {
				name, _ := c.B.Str(at, slot)
				return c.Out.CreateString(to), name == from
			}
			names, _ := c.B.Strs(at, slot)
			if i := slices.Index(names, from); i >= 0 {
				names[i] = to
				return flat.Put(c.Out, names), true
			}
			return 0, false
		}
		return nil
	})
}

// convertType converts the values of a variable to another type.
func convertType(ctx context.Context, t *model.Tree, _ *model.Span, args map[string]string) ([]model.Edit, error) {
	return change(ctx, t, func(v *modelView, c *flat.Copy) error {
		i, ok := v.byName[args["name"]]
		typ, err := enumOf("DType", args["type"])
		if !ok || err != nil || types[typ] == nil {
			return fmt.Errorf("the name of a variable is needed, and a type that arrays can have")
		}
		x := &v.vars[i]
		slot := v.b.Slot(x.at, flat.VarType)
		if slot == 0 {
			return fmt.Errorf("the file leaves the type of %s out", x.name)
		}
		v.b[slot] = byte(typ)
		if x.array == 0 {
			return nil
		}
		a := v.placed.array(v.b, x.array)
		if !a.inline || types[a.typ] == nil || a.total != a.sizeOf(a.count) {
			return fmt.Errorf("the values of %s are not numbers inside the graph", x.name)
		}
		raw, err := converted(v.b[a.buffer[0]:a.buffer[0]+a.buffer[1]], a.typ, typ, a.big())
		if err != nil {
			return err
		}
		fields := flat.Fields{flat.ArrShape: slices.Clone(a.shape), flat.ArrBuffer: raw, flat.ArrType: int8(typ), flat.ArrOrder: int8(a.byteOrder)}
		if a.dialect == "SI" {
			shape := fields[flat.ArrShape].([]int64)
			shape[1+2*len(a.dims)] = a.extras&^typeBits | types[typ].bit
		}
		c.Other = func(tab *flat.Table, at int64, slot int) (flatbuffers.UOffsetT, bool) {
			if tab.Name != "FlatVariable" || at != x.at || slot != flat.VarArray {
				return 0, false
			}
			return fields.Put(c.Out), true
		}
		return nil
	})
}

// converted are elements of one type as another; one that would change its value by more than rounding is refused.
func converted(b []byte, from, to int64, big bool) (out []byte, err error) {
	f, g := types[from].le, types[to].le
	if big {
		f, g = types[from].be, types[to].be
	}
	w := int(types[from].width)
	for i := 0; i+w <= len(b); i += w {
		v, _, err := f.Codec.Decode(b[i:])
		if err != nil {
			return nil, err
		}
		text := v.String()
		if whole, ok := strings.CutSuffix(text, ".0"); ok && !types[to].float {
			text = whole
		}
		n, err := g.Parse(text)
		if err == nil {
			var e []byte
			if e, err = g.Codec.Encode(n); err == nil {
				out = append(out, e...)
				continue
			}
		}
		return nil, fmt.Errorf("element %d, %s, does not fit %s", i/w, v, types[to].name)
	}
	return out, nil
}
