package samediff

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

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
