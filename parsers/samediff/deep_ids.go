package samediff

import (
	"fmt"
	"slices"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// Numbers that identify parts of a graph: the others, or their order, tell which one is wrong.

// devices checks device numbers: -1 means none.
func (k *graphChecker) devices() {
	said := map[int64]int{}
	var wrong []field
	for t := range k.placed.Tables() {
		slot := slices.IndexFunc(t.Type.Slots, func(s flat.Slot) bool { return s.Name == "device" })
		if v, ok := k.b.Opt(t.At, slot, 4); slot >= 0 && ok && (v < -1 || v > maxDevice) {
			wrong = append(wrong, field{t.At, slot, 4})
		} else if slot >= 0 {
			said[v]++
		}
	}
	for _, f := range wrong {
		v := k.b.Num(f.table, f.slot, 4)
		text := []model.Detail{saying("device is %d, which does not exist", v), model.Graded(model.Warning)}
		if len(said) == 1 {
			for all := range said {
				k.set(badEnum, f, fmt.Sprint(v), model.I(all), text...)
			}
			continue
		}
		k.report(badEnum, k.where(f.table, f.slot, 4), fmt.Sprint(v), "-1, or the number of a device", text...)
	}
}

// maxDevice is more devices than any machine has.
const maxDevice = 1 << 16

// renumbered reports the variable behind an unknown input id of an operation, if nothing uses that variable's own id and
// the neighbouring ids in the list imply it; false if there is none.
func (k *graphChecker) renumbered(n *node, in pair) bool {
	if done, ok := k.ids[in]; ok || len(k.ids) >= maxRenumbered {
		return done
	}
	if k.ids == nil {
		k.ids = map[pair]bool{}
	}
	i, slot := k.misnumbered(n, in)
	if k.ids[in] = i >= 0; i < 0 {
		return false
	}
	x := &k.vars[i]
	k.set(inputUnknown, field{k.b.Ref(x.at, flat.VarID), slot, 4}, fmt.Sprint(x.id), model.I(in[slot]),
		saying("nothing uses the id of %s, and an operation uses an id that no variable has", x.name))
	return true
}

// maxRenumbered is how many unknown ids are examined: if there are more, a wrong number is not the reason.
const maxRenumbered = 8

// misnumbered finds the one variable that should have an unknown input id of an operation, and which of the two numbers is wrong; -1 for none.
func (k *graphChecker) misnumbered(n *node, in pair) (found, slot int) {
	used := map[pair]bool{}
	for i := range k.nodes {
		for _, id := range k.nodes[i].inputs {
			used[id] = true
		}
	}
	beside := func(i int, id int64) bool { return i >= 0 && i < len(k.vars) && k.vars[i].id[0] == id }
	found = -1
	for i := range k.vars {
		x := &k.vars[i]
		first, second := x.id[0] != in[0], x.id[1] != in[1]
		if !x.hasID || used[x.id] || slices.Contains(n.outputs, x.name) || first == second || first && !beside(i-1, in[0]-1) && !beside(i+1, in[0]+1) {
			continue
		}
		if found >= 0 {
			return -1, 0
		}
		if found = i; second {
			slot = 1
		}
	}
	return found, slot
}
