package model

import "strings"

// The tensors of a model have the same names in each of its layers, but for the number of the layer.

// leastLayers is how many layers show how their tensors are named.
const leastLayers = 3

var layerNumber = Pattern(`(?:^|[._/])(\d+)[._/]`)

// layered is a name in a layer: what precedes the number, the number, and what follows it.
type layered struct{ before, number, after string }

func (n layered) String() string { return n.before + n.number + n.after }

// layeredName takes a name apart; false if it has no number of a layer.
func layeredName(name string) (layered, bool) {
	at := layerNumber().FindStringSubmatchIndex(name)
	if at == nil {
		return layered{}, false
	}
	return layered{name[:at[2]], name[at[2]:at[3]], name[at[3]:]}, true
}

// Misnamed returns the right names of tensors that differ in one letter from the name that only their layer lacks, by their indices. A name that has
// a sister in another layer is right.
func Misnamed(names []string) map[int]string {
	layers, tensors, there := map[[2]string]int{}, map[[2]string][]string{}, map[string]bool{}
	for _, name := range names {
		there[name] = true
		if n, ok := layeredName(name); ok {
			layers[[2]string{n.before, n.number}]++
			tensors[[2]string{n.before, n.after}] = append(tensors[[2]string{n.before, n.after}], n.number)
		}
	}
	right, taken := map[int]string{}, map[string]int{}
	for _, name := range lacking(layers, tensors) {
		for i, is := range names {
			n, ok := layeredName(is)
			alone := !ok || len(tensors[[2]string{n.before, n.after}]) == 1 || layers[[2]string{n.before, n.number}] == 1
			if alone && len(is) == len(name) && Differences(is, name) == 1 {
				right[i] = name
				taken[name]++
			}
		}
	}
	for i, name := range right {
		if there[name] || taken[name] > 1 {
			delete(right, i)
		}
	}
	return right
}

// lacking are the names that all layers but one have. What a single tensor is in is no layer, but a wrong number.
func lacking(layers map[[2]string]int, tensors map[[2]string][]string) (out []string) {
	count := map[string][]string{}
	for of, n := range layers {
		if n > 1 {
			count[of[0]] = append(count[of[0]], of[1])
		}
	}
	for of, in := range tensors {
		all := count[of[0]]
		if len(all) < leastLayers || len(in) < len(all)-1 {
			continue
		}
		have := " " + strings.Join(in, " ") + " "
		var missing []string
		for _, n := range all {
			if !strings.Contains(have, " "+n+" ") {
				missing = append(missing, n)
			}
		}
		if len(missing) == 1 {
			out = append(out, layered{of[0], missing[0], of[1]}.String())
		}
	}
	return out
}
