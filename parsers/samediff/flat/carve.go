package flat

import "unicode/utf8"

// maxCarved is how many bytes are looked through for tables that nothing leads to.
const maxCarved = 16 << 20

// Carve finds tables that look like variables and operations in a graph whose root is lost, by the slots of the root.
func (b Buffer) Carve() map[int][]int64 {
	lists := map[int][]int64{}
	for t := int64(8); t < min(b.Len()-4, maxCarved); t += 4 {
		_, slots := b.Vtable(t)
		if slots < 5 || slots > 24 || !b.Sound(t) {
			continue
		}
		name, ok := b.Str(t, VarName)
		if !ok || name == "" || len(name) > 1<<12 || !utf8.ValidString(name) {
			continue
		}
		switch _, isNode := b.Strs(t, NodeOutputs); {
		case slots > 15 && isNode:
			lists[GraphNodes] = append(lists[GraphNodes], t)
		case slots <= 10 && b.Sound(b.Ref(t, VarID)):
			lists[GraphVariables] = append(lists[GraphVariables], t)
		}
	}
	return lists
}
