package samediff

import (
	"context"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// patch overwrites bytes at an offset of the buffer. Lengths and offsets stay; checksums over the buffer are updated.
func (k *checker) patch(label string, safe bool, at int64, b []byte) model.Fix {
	_, r := k.placed.at(at, int64(len(b)))
	return model.Fix{Label: label, Safe: safe, Edits: []model.Edit{model.Replace(r, b)}}
}

// pairKeys gives each key of the metadata its first value.
func (k *graphChecker) pairKeys(keys, values []string) rootEdit {
	m := map[string]string{}
	for i, key := range keys {
		if _, twice := m[key]; !twice && i < len(values) {
			m[key] = values[i]
		} else if !twice {
			m[key] = ""
		}
	}
	keys, values = merge(m, nil)
	return rootEdit{p: k.placed, label: "keep each key once, with a value", loses: "values without a unique key",
		fields: map[int]any{flat.GraphKeys: keys, flat.GraphValues: values}}
}

// reserved sets a reserved key to its required value, or removes it.
func (k *graphChecker) reserved(key, want string) rootEdit {
	if want == "1" {
		return k.key(key, want, false)
	}
	return rootEdit{p: k.placed, label: "remove the key", loses: "its value", keys: map[string]*string{key: nil}}
}

// key gives a key of the graph another value.
func (k *checker) key(key, value string, safe bool) rootEdit {
	return rootEdit{p: k.placed, label: "set " + key + " to " + value, safe: safe, keys: map[string]*string{key: &value}}
}

// renameKey gives a key of the graph's metadata another name of the same length.
func (k *graphChecker) renameKey(keys []string, i int, to string) []model.Fix {
	at, _, _ := k.b.Vec(k.graph, flat.GraphKeys, 4)
	if text := k.b.Follow(at + 4*int64(i)); text != 0 && len(keys[i]) == len(to) {
		return []model.Fix{k.patch("name it "+to, true, text+4, []byte(to))}
	}
	return nil
}

// orderFixes sets the byte order if the values contradict it, according to odd, and swaps the elements if it is their order that is
// unusual.
func (k *arrayChecker) orderFixes(a *arr, width int64, odd bool) []model.Fix {
	bare := k.placed.doc.family == familyBare && k.placed.Late()
	leaf := k.placed.leaf(a.at, flat.ArrOrder)
	switch {
	case a.byteOrder&^1 != 0 || leaf == nil:
		return nil
	case odd && (!bare || a.byteOrder == 0):
		f := model.SetTo(leaf, model.I(1-a.byteOrder))
		f.Safe = false
		return []model.Fix{f}
	case !a.inline:
		return nil
	}
	_, r := k.placed.at(a.buffer[0], a.buffer[1])
	return []model.Fix{{Label: "write the elements big-endian", Build: func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		b, err := t.Bytes(ctx, r)
		model.Swap(b, int(width))
		return []model.Edit{model.Replace(r, b), model.SetValue(leaf, model.I(1))}, err
	}}}
}
