package samediff

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// nameLists are the members of a training configuration that list names of variables.
var nameLists = []string{"dataSetFeatureMapping", "dataSetLabelMapping", "dataSetFeatureMaskMapping", "dataSetLabelMaskMapping",
	"lossVariables", "trainableParams"}

// training checks the training configuration (SDF-158, 159; section 3.8).
func (k *graphChecker) training() {
	text, ok := k.b.Str(k.graph, flat.GraphTraining)
	if !ok {
		return
	}
	at := k.b.Ref(k.graph, flat.GraphTraining)
	var j map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &j) != nil || j == nil {
		k.report(trainingBroken, part{at, 4}, jsonFault(text), "a JSON object", model.About(rootEdit{p: k.placed,
			label: "remove the training configuration", loses: "the training configuration", fields: map[int]any{flat.GraphTraining: nil}}))
		return
	}
	for _, member := range nameLists {
		for _, name := range names(j[member]) {
			if _, ok := k.byName[name]; !ok {
				k.report(trainingNames, part{at, 4}, name, "a variable", saying("%s of trainingConfig refers to %q, which is not a variable", member, name))
			}
		}
	}
	if raw, ok := j["lossVariables"]; ok && string(raw) != "null" {
		there := names(raw)
		here, _ := k.b.Strs(k.graph, flat.GraphLoss)
		slices.Sort(there)
		slices.Sort(here)
		if !slices.Equal(there, here) {
			k.report(trainingNames, part{at, 4}, list(there), list(here), saying("lossVariables of trainingConfig differ from the graph"))
		}
	}
}

// names returns the texts of a JSON list, also if it is wrapped as Jackson does with types.
func names(raw json.RawMessage) (out []string) {
	var list []any
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	if len(list) == 2 {
		if inner, ok := list[1].([]any); ok {
			list = inner
		}
	}
	for _, v := range list {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// updaters checks the updater state (SDF-160 to SDF-162).
func (k *graphChecker) updaters() {
	seen := map[string]bool{}
	for _, t := range k.b.Tables(k.graph, flat.GraphUpdater) {
		if t == 0 {
			continue
		}
		name, _ := k.b.Str(t, 0)
		at := k.where(t, 0, 4)
		i, known := k.byName[name]
		if !known || seen[name] {
			k.report(updaterUnknown, at, name, "a variable of its own", saying("updater state of %q, which is unknown or already has some", name))
		} else if k.vars[i].kind != varVariable {
			k.report(updaterUnknown, at, name, "a variable of type VARIABLE", model.Graded(model.Warning))
		}
		seen[name] = true
		k.updaterPairs(t, name)
		if known {
			k.updaterShapes(t, &k.vars[i])
		}
	}
}

// updaterPairs checks that an updater state has a value for each key, and no repeated key.
func (k *graphChecker) updaterPairs(t int64, name string) {
	keys, _ := k.b.Strs(t, 1)
	_, values, _ := k.b.Vec(t, 2, 4)
	sorted := slices.Sorted(slices.Values(keys))
	if int64(len(keys)) != values || len(slices.Compact(sorted)) != len(keys) {
		k.report(updaterPairs, k.where(t, 1, 4), model.Words("%s, %d values", list(keys), values), nil,
			saying("keys and values of the updater state of %s do not pair up", name))
	}
}

// updaterShapes checks that the values of an updater state have the shapes of their variables.
func (k *graphChecker) updaterShapes(t int64, x *variable) {
	want, ok := k.dimsOf(x)
	for j, a := range k.b.Tables(t, 2) {
		if a == 0 || !ok {
			continue
		}
		if got := k.placed.array(k.b, a); got.dialect != "" && !slices.Equal(got.dims, want) {
			k.report(updaterShape, part{a, 4}, fmt.Sprint(got.dims), fmt.Sprint(want),
				saying("updater state %d does not match the shape of %s", j, x.name))
		}
	}
}

// properties checks the properties of nodes (SDF-164).
func (k *graphChecker) properties() {
	for t := range k.all("FlatProperties") {
		kinds, count := k.valuesOf(t)
		if kinds > 1 {
			k.report(propertyMixed, part{t, 4}, fmt.Sprintf("%d kinds", kinds), "one", saying("a property with values of several kinds"))
			continue
		}
		dims, ok := k.b.Longs(t, 7, 4, maxDims)
		if n, fits := product(dims); ok && kinds == 1 && (!fits || n != count) {
			k.report(propertyMixed, k.where(t, 7, 4), fmt.Sprint(dims), model.Words("%d values", count),
				saying("the shape of the property does not match its values"))
		}
	}
}

// valuesOf returns how many kinds of values a property has, and the number of values of the last kind.
func (k *graphChecker) valuesOf(property int64) (kinds int, count int64) {
	for i, s := range k.placed.Types["FlatProperties"].Slots {
		if i == 0 || s.Name == "shape" {
			continue
		}
		if _, n, ok := k.b.Vec(property, i, s.Width); ok && n > 0 {
			kinds++
			count = n
		}
	}
	return kinds, count
}

// jsonFault says where a text is not valid JSON.
func jsonFault(text string) string {
	var v any
	err := json.Unmarshal([]byte(text), &v)
	if at, ok := err.(*json.SyntaxError); ok {
		before := text[:min(int(at.Offset), len(text))]
		line := strings.Count(before, "\n") + 1
		return fmt.Sprintf("%v, at line %d, column %d", err, line, len(before)-strings.LastIndexByte(before, '\n')-1)
	}
	return "a value of another kind"
}

// metadataOf checks the keys of the graph (SDF-156, 157, 039, 071).
func (k *graphChecker) metadataOf() {
	keys, values := k.placed.metadata(k.b)
	at := k.where(k.graph, flat.GraphKeys, 4)
	paired := model.About(k.pairKeys(keys, values))
	if len(keys) != len(values) {
		k.report(keysUnpaired, at, model.Words("%d keys, %d values", len(keys), len(values)), nil, paired)
	}
	seen := map[string]bool{}
	for i, key := range keys {
		if seen[key] {
			k.report(keysUnpaired, at, key, nil, paired, saying("the metadata key %s occurs twice", key))
		}
		seen[key] = true
		if i > 0 && key < keys[i-1] {
			k.keyOrder(at, keys, i)
		}
		if i >= len(values) || key == "nd4j.format.type" {
			continue
		}
		if want := reserved(key, values[i], ""); want != "" {
			k.report(reservedKey, at, values[i], want, saying("the metadata key %s cannot have this value", key),
				model.About(k.reserved(key, want)))
		}
	}
	if k.placed.nb == nil || k.placed.depth > 0 {
		return
	}
	if kind := valueOf(keys, values, "nd4j.format.type"); kind != "APPENDED_BLOB" {
		k.report(formatType, at, kind, "APPENDED_BLOB", model.About(k.key("nd4j.format.type", "APPENDED_BLOB", true)))
	}
}

// valueOf is the value of a key, the last one if it is repeated.
func valueOf(keys, values []string, key string) (value string) {
	for i := range min(len(keys), len(values)) {
		if keys[i] == key {
			value = values[i]
		}
	}
	return value
}

// reservedKeys are the keys that the software writes (section 1.4.5).
var reservedKeys = []string{"creation.time", "framework.version", "nd4j.format.type", "nd4j.format.version", "optimization_timestamp",
	"optimized", "optimized_ops",
	"optimized_variables", "original_ops", "original_variables", "required_outputs", "shard.index", "shard.type"}

// keyOrder reports a key that is out of order: damaged if it differs in one letter from a missing key that the software
// writes, otherwise in the wrong place.
func (k *graphChecker) keyOrder(at part, keys []string, i int) {
	for _, j := range []int{i, i - 1} {
		for _, want := range reservedKeys {
			if model.Differ(keys[j], want) == 1 && !slices.Contains(keys, want) {
				k.report(graphKeyOrder, at, keys[j], want, saying("the metadata key %s is damaged: it should be %s", keys[j], want),
					model.About(k.renameKey(keys, j, want)))
				return
			}
		}
	}
	k.report(graphKeyOrder, at, keys[i], "a key after "+brief(keys[i-1]),
		model.About(rootEdit{p: k.placed, label: "sort the keys", keys: map[string]*string{}}))
}
