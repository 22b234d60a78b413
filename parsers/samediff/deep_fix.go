package samediff

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// patch overwrites bytes at an offset of the buffer. Lengths and offsets stay; checksums over the buffer are updated.
func (k *checker) patch(label string, safe bool, at int64, b []byte) model.Fix {
	_, r := k.placed.at(at, int64(len(b)))
	return model.Fix{Label: label, Safe: safe, Edits: []model.Edit{model.Replace(r, b)}}
}

// orderChoices are the possible byte orders of an array: that of all others, if they have the same, because one machine wrote them.
func (k *arrayChecker) orderChoices(t int64) (out []model.Fix) {
	own, said := k.b.Slot(t, flat.ArrOrder), map[byte]int{}
	for at := range k.all("FlatArray") {
		if p := k.b.Slot(at, flat.ArrOrder); p != 0 && at != t && k.b[p] < 2 {
			said[k.b[p]]++
		} else if p == 0 {
			said[0]++
		}
	}
	for _, v := range []byte{0, 1} {
		switch {
		case len(said) != 1:
			out = append(out, k.patch(fmt.Sprintf("set it to %d", v), false, own, []byte{v}))
		case said[v] > 0:
			out = append(out, k.patch(fmt.Sprintf("set it to %d, as everywhere else", v), true, own, []byte{v}))
		}
	}
	return out
}

// letters are the orders that an array can have, to be written at an offset.
func (k *arrayChecker) letters(a *arr, at int64) (out []model.Fix) {
	for _, v := range a.orders() {
		out = append(out, k.patch(fmt.Sprintf("set it to %d, the letter %c", v, v), false, at, appendInt(nil, int64(v), a.width)))
	}
	return out
}

// sortChunks sorts the offsets to the pieces of an array by number, if every number exists.
func (k *arrayChecker) sortChunks(a *arr) []model.Fix {
	at, n, _ := k.b.Vec(a.at, flat.ArrChunks, 4)
	targets := make([]int64, n)
	for i := range n {
		t := k.b.Follow(at + 4*i)
		j := k.b.Num(t, 0, 8)
		if t == 0 || j < 0 || j >= n || targets[j] != 0 {
			return nil
		}
		targets[j] = t
	}
	out := make([]byte, 0, 4*n)
	for i, t := range targets {
		out = appendInt(out, t-at-4*int64(i), 4)
	}
	return []model.Fix{k.patch("put the pieces in order", true, at, out)}
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

// withoutCommas removes commas before a closing bracket; ok means that the result is JSON.
func withoutCommas(text string) (string, bool) {
	var out strings.Builder
	inText, escaped := false, false
	for i, c := range text {
		switch {
		case escaped:
			escaped = false
		case inText && c == '\\':
			escaped = true
		case c == '"':
			inText = !inText
		case c == ',' && !inText:
			if rest := strings.TrimLeft(text[i+1:], " \t\r\n"); rest != "" && (rest[0] == '}' || rest[0] == ']') {
				continue
			}
		}
		out.WriteRune(c)
	}
	var v map[string]json.RawMessage
	return out.String(), out.Len() < len(text) && json.Unmarshal([]byte(out.String()), &v) == nil
}

// dims are the dimensions that, if one of them changes, give an array of the existing size. If strides agree, or there is
// only one, nothing else can be wrong.
func (k *arrayChecker) dims(a *arr, have int64) (out []model.Fix) {
	t := types[a.typ]
	if t == nil || have <= 0 || have%t.width != 0 || a.shapeAt == 0 {
		return nil
	}
	first := a.shapeAt + 4
	if a.dialect == "SI" {
		first += a.width
	}
	for i := range a.dims {
		others := slices.Clone(a.dims)
		others[i] = 1
		n, ok := product(others)
		if !ok || n == 0 || have/t.width%n != 0 {
			continue
		}
		others[i] = have / t.width / n
		sure := len(a.strides) > 0 && slices.Equal(a.strides, denseStrides(others, a.order))
		p := k.patch(fmt.Sprintf("set dimension %d to %d", i, others[i]), sure, first+a.width*int64(i), appendInt(nil, others[i], a.width))
		if sure {
			return []model.Fix{p}
		}
		out = append(out, p)
	}
	return out
}

// orders are the orders that the strides of an array allow.
func (a *arr) orders() []byte {
	for _, o := range []byte("cf") {
		if slices.Equal(a.strides, denseStrides(a.dims, o)) {
			return []byte{o}
		}
	}
	return []byte("cf")
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
