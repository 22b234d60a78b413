package samediff

import (
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
	{Name: "add-variable", Label: "Add variable",
		Doc: "Adds a variable: a placeholder without values, or a parameter or constant filled with one value.",
		Params: []model.Param{{Name: "name", Label: "Name"}, {Name: "kind", Label: "Kind", Default: "VARIABLE",
			Choices: []string{"VARIABLE", "CONSTANT", "PLACEHOLDER"}},
			{Name: "type", Label: "Type", Default: "FLOAT"}, {Name: "shape", Label: "Shape", Default: "[1]"}, {Name: "value", Label: "Value",
				Default: "0"}},
		On: onModel, Plan: editing((*graphEdit).addVariable)},
	{Name: "drop-variable", Removes: true, Label: "Remove variable", Doc: "Removes a variable that no operation uses, from the graph and from all lists.",
		Params: []model.Param{{Name: "name", Label: "Name"}}, On: onModel, Plan: editing((*graphEdit).dropVariable)},
	{Name: "drop-operation", Removes: true, Label: "Remove operation",
		Doc:    "Removes an operation and its output variables, if no other operation uses them.",
		Params: []model.Param{{Name: "name", Label: "Name"}}, On: onModel, Plan: editing((*graphEdit).dropOperation)},
	{Name: "rename-operation", Label: "Rename operation", Doc: "Changes the name of an operation everywhere.",
		Params: []model.Param{{Name: "from", Label: "Name"}, {Name: "to", Label: "New name"}}, On: onModel, Plan: editing((*graphEdit).renameOperation)},
	{Name: "convert-type", Label: "Convert type",
		Doc:    "Converts the values of a variable to another type, wherever they are stored. Values that do not fit are rejected.",
		Params: []model.Param{{Name: "name", Label: "Name"}, {Name: "type", Label: "Type"}}, On: onModel, Plan: editing((*graphEdit).convertType)},
}

// addVariable adds a variable with an id of its own.
func (e *graphEdit) addVariable(args map[string]string) error {
	name := args["name"]
	if _, taken := e.byName[name]; name == "" || taken {
		return fmt.Errorf("a name is needed that no other variable has")
	}
	typ, err := enumOf("DType", args["type"])
	if err != nil || types[typ] == nil {
		return fmt.Errorf("%q is not a type that arrays can have", args["type"])
	}
	kind, err := enumOf("VarType", args["kind"])
	if err != nil {
		return err
	}
	dims, err := dimsOf(args["shape"])
	if err != nil {
		return err
	}
	id := e.freeID()
	fields := flat.Fields{flat.VarID: flat.Fields{0: int32(id)}, flat.VarName: name, flat.VarType: int8(typ),
		flat.VarDevice: int32(-1), flat.VarKind: int8(kind)}
	if kind == placeholder {
		names, _ := e.B.Strs(e.graph, flat.GraphPlaceholders)
		e.Set(e.graph, flat.GraphPlaceholders, append(names, name))
		fields[flat.VarShape] = dims
	} else if fields[flat.VarArray], err = filled(typ, dims, args["value"], e.placed.dims); err != nil {
		return err
	}
	e.append(fields)
	return nil
}

// filled is an array of one repeated value, in the dialect of the file.
func filled(typ int64, dims []int64, text string, plain bool) (flat.Fields, error) {
	n, ok := product(dims)
	e := types[typ]
	if size := sizeOf(typ, n); !ok || size > 64<<20 {
		return nil, fmt.Errorf("an array of shape %v is too large to add", dims)
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

// dropVariable removes a variable that no operation uses or produces.
func (e *graphEdit) dropVariable(args map[string]string) error {
	i, ok := e.byName[args["name"]]
	if !ok {
		return fmt.Errorf("there is no variable %s", args["name"])
	}
	if n := e.producers()[i]; n >= 0 {
		return fmt.Errorf("it is an output of operation %s: remove that instead", e.nodes[n].name)
	}
	return e.without(map[string]bool{args["name"]: true}, nil)
}

// dropOperation removes an operation and its outputs.
func (e *graphEdit) dropOperation(args map[string]string) error {
	k, ok := e.byNode[args["name"]]
	if !ok {
		return fmt.Errorf("there is no operation %s", args["name"])
	}
	gone := map[string]bool{}
	for i, n := range e.producers() {
		if n == k {
			gone[e.vars[i].name] = true
		}
	}
	return e.without(gone, &e.nodes[k])
}

// without removes variables and an operation from the graph, their names from all lists, and their values from where they are stored.
// It refuses if another operation or the training configuration needs them.
func (e *graphEdit) without(gone map[string]bool, operation *node) error {
	if err := e.unused(gone, operation); err != nil {
		return err
	}
	if err := e.withoutValues(gone); err != nil {
		return err
	}
	named := map[string]int{"FlatVariable": flat.VarName, "UpdaterState": 0}
	e.Drop = func(tab *flat.Table, at int64) bool {
		slot, ok := named[tab.Name]
		name, _ := e.B.Str(at, slot)
		return ok && gone[name] || operation != nil && at == operation.at
	}
	e.Other = func(tab *flat.Table, at int64, slot int) (flatbuffers.UOffsetT, bool) {
		s := &tab.Slots[slot]
		isName := nameSlots[tab.Name][s.Name] || operation != nil && operationSlots[tab.Name][s.Name]
		if !isName || !s.Vec || e.B.Slot(at, slot) == 0 {
			return 0, false
		}
		names, _ := e.B.Strs(at, slot)
		kept := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return gone[name] || operation != nil && name == operation.name })
		if len(kept) == len(names) {
			return 0, false
		}
		return flat.Put(e.Out, kept), true
	}
	return nil
}

// withoutValues removes the values of variables stored outside the graph.
func (e *graphEdit) withoutValues(gone map[string]bool) error {
	_, stored := e.placed.doc.st.arrays(e.ctx, e.t)
	for name := range gone {
		a := stored[name]
		if a == nil || a.where != "blob" && a.where != "section" {
			continue
		}
		if a.in != e.placed.doc {
			return fmt.Errorf("the values of %s are in %s, another file of the set: merge the set first", name, a.in.file)
		}
		e.moved[name] = nil
	}
	return nil
}

// unused is an error if something still needs removed variables: another operation, or the training configuration.
func (e *graphEdit) unused(gone map[string]bool, operation *node) error {
	for i := range e.nodes {
		n := &e.nodes[i]
		if operation != nil && n.at == operation.at {
			continue
		}
		for _, in := range n.inputs {
			if k, ok := e.byID[in]; ok && gone[e.vars[k].name] {
				return fmt.Errorf("operation %s uses %s", n.name, e.vars[k].name)
			}
		}
	}
	training, _ := e.b.Str(e.graph, flat.GraphTraining)
	for name := range gone {
		if quoted, _ := json.Marshal(name); strings.Contains(training, string(quoted)) {
			return fmt.Errorf("the training configuration refers to %s: change that first", name)
		}
	}
	return nil
}

// operationSlots are the fields with names of operations, by table.
var operationSlots = map[string]map[string]bool{
	"FlatVariable": {"controlDepForOp": true},
	"FlatNode":     {"name": true, "controlDeps": true, "controlDepFor": true},
}

// renameOperation changes the name of an operation everywhere. Names of variables stay.
func (e *graphEdit) renameOperation(args map[string]string) error {
	from, to := args["from"], args["to"]
	_, there := e.byNode[from]
	if _, taken := e.byNode[to]; !there || taken || to == "" {
		return fmt.Errorf("give the name of an operation, and an unused new name")
	}
	e.Other = otherName(e.Copy, func(table, field string) bool { return operationSlots[table][field] }, from, to)
	return nil
}

// convertType converts the values of a variable to another type, wherever they are stored.
func (e *graphEdit) convertType(args map[string]string) error {
	i, ok := e.byName[args["name"]]
	typ, err := enumOf("DType", args["type"])
	if !ok || err != nil || types[typ] == nil {
		return fmt.Errorf("give the name of a variable, and a type that arrays can have")
	}
	x := &e.vars[i]
	slot := e.b.Slot(x.at, flat.VarType)
	if slot == 0 {
		return fmt.Errorf("the file omits the type of %s", x.name)
	}
	_, stored := e.placed.doc.st.arrays(e.ctx, e.t)
	a := stored[x.name]
	e.b[slot] = byte(typ)
	if a == nil && x.array == 0 {
		return nil
	}
	if a == nil || types[a.typ] == nil || a.bytes != sizeOf(a.typ, a.count()) {
		return fmt.Errorf("the values of %s are not readable numbers", x.name)
	}
	return e.convert(x, a, typ)
}

// convert writes the values of a variable in another type, in place.
func (e *graphEdit) convert(x *variable, a *data, typ int64) error {
	raw, err := a.elements(e.ctx, e.t)
	if err != nil {
		return err
	}
	if raw, err = converted(raw, a.typ, typ); err != nil {
		return err
	}
	other := *a
	other.typ, other.raw, other.bytes = typ, raw, int64(len(raw))
	if a.where == "external" && a.record == 0 && len(a.at) == 1 { // bare elements in a file of their own
		e.more = append(e.more, model.Replace(a.at[0], raw))
		if p := e.b.Slot(x.array, flat.ArrType); p != 0 {
			e.b[p] = byte(typ)
		}
		return nil
	}
	return e.store(x, a, &other, func(was *arr) []int64 {
		shape := slices.Clone(was.shape)
		if was.dialect == "SI" {
			shape[1+2*len(was.dims)] = was.extras&^typeBits | types[typ].bit
		}
		return shape
	})
}

// store replaces the elements of a variable where they are stored; shape is that of an array in the graph.
func (e *graphEdit) store(x *variable, a, other *data, shape func(was *arr) []int64) error {
	switch {
	case a.where == "inline":
		was := e.placed.array(e.b, x.array)
		if was.big() {
			model.Swap(other.raw, int(types[other.typ].width))
		}
		e.Set(x.at, flat.VarArray, flat.Fields{flat.ArrShape: shape(was), flat.ArrBuffer: other.raw, flat.ArrType: int8(other.typ), flat.ArrOrder: int8(was.byteOrder)})
	case a.where == "external":
		return fmt.Errorf("the values of %s are an array in a separate file", x.name)
	case a.in != e.placed.doc:
		return fmt.Errorf("the values of %s are in %s, another file of the set: merge the set first", x.name, a.in.file)
	default:
		e.moved[x.name] = other
	}
	return nil
}

// converted converts elements to another type; a change of value beyond rounding is an error.
func converted(b []byte, from, to int64) (out []byte, err error) {
	f, g := types[from].le, types[to].le
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
