package samediff

import (
	"context"
	"fmt"
	"slices"

	flatbuffers "github.com/google/flatbuffers/go"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
	"spandrel/parsers/samediff/manifest"
)

// Fixes of graphs, and of the arrays that belong to them.

// withoutArray is the fix that takes the bytes of a variable's array out of the graph; a stub of it stays when stub says so.
func (k *checker) withoutArray(label string, x *variable, stub *data) []model.Fix {
	if k.Copyable() != nil || k.fixed() {
		return nil
	}
	p, at := k.placed, x.at
	return []model.Fix{fix(label, false, func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		return p.rewrite(background, t, p.nb != nil, func(c *flat.Copy) {
			c.Other = func(tab *flat.Table, table int64, slot int) (flatbuffers.UOffsetT, bool) {
				if tab.Name != "FlatVariable" || table != at || slot != flat.VarArray {
					return 0, false
				}
				if stub == nil {
					return 0, true
				}
				return stub.stub(stub.offset).Put(c.Out), true
			}
		})
	})}
}

// sortChunks is the fix of chunks that are out of order: the offsets to them are written in the order of their indices. It is there when
// every index is.
func (k *checker) sortChunks(a *arr) []model.Fix {
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
	return k.patch("put the chunks in order", true, at, out)
}

// patch is the fix that writes bytes over those at an offset of the buffer. Lengths and offsets stay; checksums of what holds the
// buffer are links and follow.
func (k *checker) patch(label string, safe bool, at int64, b []byte) []model.Fix {
	r := k.span.Range
	r.Off, r.Len = r.Off+at, int64(len(b))
	return []model.Fix{{Label: label, Safe: safe, Edits: []model.Edit{model.Replace(r, b)}}}
}

// number is the fix that writes a number into a field of a table; nothing when the table has no such field.
func (k *checker) number(label string, safe bool, t int64, slot int, width, v int64) []model.Fix {
	at := k.b.Slot(t, slot)
	if at == 0 {
		return nil
	}
	b := []byte{byte(v)}
	if width > 1 {
		b = appendInt(nil, v, width)
	}
	return k.patch(label, safe, at, b)
}

// otherOrder is the fix of elements in an unusual byte order: byteOrder is set where the values contradict it, and the elements are
// swapped where it is their order that is unusual.
func (k *checker) otherOrder(a *arr, width int64, odd bool) []model.Fix {
	bare := k.doc.family == familyBare && k.Late()
	switch {
	case a.byteOrder&^1 != 0:
		return nil
	case odd && (!bare || a.byteOrder == 0):
		return k.number(fmt.Sprintf("set byteOrder to %d", 1-a.byteOrder), false, a.at, flat.ArrOrder, 1, 1-a.byteOrder)
	case !a.inline || a.byteOrder == 0 && k.b.Slot(a.at, flat.ArrOrder) == 0:
		return nil
	}
	_, r := k.at(a.buffer[0], a.buffer[1])
	order := k.number("", false, a.at, flat.ArrOrder, 1, 1)
	return []model.Fix{fix("write the elements big-endian", false, func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		b, err := t.Bytes(background, r)
		if err != nil {
			return nil, err
		}
		swap(b, width)
		return append([]model.Edit{model.Replace(r, b)}, order[0].Edits...), nil
	})}
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

// pairKeys is the fix of metadata whose keys are there twice, or do not pair with values: each key keeps its first value.
func (k *checker) pairKeys(keys, values []string) []model.Fix {
	m := map[string]string{}
	for i, key := range keys {
		if _, twice := m[key]; !twice && i < len(values) {
			m[key] = values[i]
		} else if !twice {
			m[key] = ""
		}
	}
	keys, values = merge(m, nil)
	return k.fields("keep each key once, with a value", false, map[int]any{flat.GraphKeys: keys, flat.GraphValues: values})
}

// reserved is the fix of a reserved key: the value that it must have, or none.
func (k *checker) reserved(key, want string) []model.Fix {
	if want == "1" {
		return k.key(key, want, false)
	}
	return k.metadataFix("drop the key", false, map[string]*string{key: nil})
}

// key is the fix that gives a key of the graph another value.
func (k *checker) key(key, value string, safe bool) []model.Fix {
	return k.metadataFix("set "+key+" to "+value, safe, map[string]*string{key: &value})
}

// metadataFix is a fix that changes keys of the graph.
func (k *checker) metadataFix(label string, safe bool, change map[string]*string) []model.Fix {
	if k.Damaged() {
		return nil
	}
	p := k.placed
	return []model.Fix{fix(label, safe, func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		return p.setMetadata(background, t, change)
	})}
}

// fields is the fix that gives fields of the graph other values.
func (k *checker) fields(label string, safe bool, changes map[int]any) []model.Fix {
	if k.Damaged() {
		return nil
	}
	p := k.placed
	return []model.Fix{fix(label, safe, func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		return p.setFields(background, t, changes)
	})}
}

// dropBlob is the fix that takes an entry out of a manifest, and its bytes: what lies behind them moves, and stubs follow.
func (nb *native) dropBlob(label string, gone *appended) []model.Fix {
	m := nb.manifest
	if nb.doubt || nb.graph == nil || nb.graph.Tangled || m.Err != nil {
		return nil
	}
	return []model.Fix{fix(label, false, func(ctx context.Context, t *model.Tree) (edits []model.Edit, err error) {
		var list []manifest.Entry
		first := int64(-1)
		for i := range m.Entries {
			e := m.Entries[i]
			if e.Name == gone.Name {
				continue
			}
			if e.Offset >= gone.Offset+gone.Length {
				e.Offset -= gone.Length
			}
			if e.Length > 0 && (first < 0 || e.Offset < first) {
				first = e.Offset
			}
			list = append(list, e)
		}
		edits = append(edits, model.Replace(nb.mspan.Range, manifest.Write(list)))
		if gone.Length > 0 {
			edits = append(edits, model.Replace(gone.blob.span.Range, nil))
		}
		stubs, err := nb.restub(t, list, first)
		return append(edits, stubs...), err
	})}
}

// restub writes the offsets that the graph gives of the arrays in a list.
func (nb *native) restub(t *model.Tree, list []manifest.Entry, first int64) (edits []model.Edit, err error) {
	g := nb.graph
	return edits, g.view(background, t, func(b flat.Buffer) error {
		v := g.open(b)
		for _, e := range list {
			i, ok := v.byName[e.Name]
			if !ok || e.Length == 0 {
				continue
			}
			a := g.array(b, v.vars[i].array)
			at := b.Slot(a.at, flat.ArrAppendedOffset)
			if !a.stub || at == 0 || a.offset == e.Offset-first {
				continue
			}
			_, r := g.at(at, 8)
			edits = append(edits, model.Replace(r, appendInt(nil, e.Offset-first, 8)))
		}
		return nil
	})
}

// MapSizes is the fix of a map whose capacity and threshold are not those of its size.
func (nb *native) mapSizes() []model.Fix {
	m, span := nb.manifest, nb.mspan
	capacity, threshold := manifest.MapSizes(len(m.Entries))
	f := model.Fix{Label: fmt.Sprintf("write capacity %d and threshold %d", capacity, threshold), Safe: true}
	for _, tok := range m.Tokens[:m.Bounds[1]] {
		v, ok := map[string]int64{"capacity": capacity, "threshold": threshold}[tok.Field.Name]
		if !ok {
			continue
		}
		r := span.Range
		r.Off, r.Len = r.Off+tok.At, tok.N
		b := make([]byte, 4)
		for i := range b {
			b[i] = byte(v >> (24 - 8*i))
		}
		f.Edits = append(f.Edits, model.Replace(r, b))
	}
	return []model.Fix{f}
}

// rebuilding is the fix that writes the buffer anew: objects that nothing refers to go, all others get their alignment and their
// zero bytes.
func (p *placed) rebuilding(label string) []model.Fix {
	if p.Copyable() != nil || p.Damaged() {
		return nil
	}
	return []model.Fix{{Label: label, Build: func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		return p.rewrite(background, t, p.nb != nil, nil)
	}}}
}

// latin is the fix of a text that is not UTF-8: its bytes are taken for the characters of Latin-1, as every byte is one.
func (p *placed) latin(s *model.Span, at model.Range) []model.Fix {
	if p.Gen != "" && !p.Late() {
		return nil
	}
	return []model.Fix{fix("read it as Latin-1, write it as UTF-8", false, func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
		b, err := t.Bytes(background, at)
		if err != nil {
			return nil, err
		}
		text := make([]rune, len(b))
		for i, c := range b {
			text[i] = rune(c)
		}
		return []model.Edit{model.Set{Path: s.Path() + "/text", Value: model.S(string(text))}}, nil
	})}
}
