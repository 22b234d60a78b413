package samediff

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

//go:embed operations.txt
var operationsText string

// operations are the names of operations by the name of their type and their number.
var operations = sync.OnceValue(func() map[string]map[int64]string {
	out, kind, next := map[string]map[int64]string{}, "", int64(0)
	for line := range strings.Lines(operationsText) {
		if line[0] == '#' {
			continue
		}
		words := strings.Fields(line)
		if line[0] != ' ' {
			kind, words = words[0], words[1:]
			out[kind] = map[int64]string{}
		}
		for _, word := range words {
			if n, err := strconv.ParseInt(word, 10, 64); err == nil {
				next = n
				continue
			}
			if kind == "CUSTOM" {
				next = operationHash(word)
			}
			out[kind][next] = word
			next++
		}
	}
	return out
})

// operation names what a node does: by the name that it has (from 2019 on), or by its number. Lists of numbers are known of graphs before
// October 2018. In those of S0 an operation on two arrays is a TRANSFORM, with a number of PAIRWISE; in those of S1 every operation on
// loops has LOGIC 0, and every one on lists LOGIC 40. Empty where nothing tells.
func (m *modelView) operation(n *node) string {
	kind := m.opType(n.op)
	switch {
	case n.opName != "":
		return n.opName
	case kind == "CUSTOM" || kind == "LOGIC":
		if kind == "LOGIC" && m.placed.Gen == "S1" && (n.num == 0 || n.num == 40) {
			return ""
		}
	case m.placed.Late():
		return ""
	case m.placed.Gen == "S0" && kind == "TRANSFORM" && len(n.inputs) == 2:
		kind = "PAIRWISE"
	}
	return operations()[kind][n.num]
}
