package samediff

import (
	"bytes"
	"encoding/binary"
	"maps"
	"testing"

	"spandrel/parsers/internal/inflate"
	"spandrel/parsers/samediff/flat"
)

// changedGraph is the graph of inline with a change.
func changedGraph(change func(g tableSpec)) []byte {
	g := inline()
	change(g)
	return fb(g)
}

// changedVariable changes a variable of it, changedNode its operation.
func changedVariable(i int, change func(v tableSpec)) []byte {
	return changedGraph(func(g tableSpec) { change(g[1].([]tableSpec)[i]) })
}

func changedNode(change func(n tableSpec)) []byte {
	return changedGraph(func(g tableSpec) { change(g[2].([]tableSpec)[0]) })
}

// bad are samples that break a rule each: the first part of the name is its number.
func bad(t testing.TB) map[string][]byte {
	plain := box(headOf(3), metaOf("name", "tiny"), recordOf(2, fb(inline())))
	patch := func(b []byte, at int, with ...byte) []byte {
		c := bytes.Clone(b)
		copy(c[at:], with)
		return c
	}
	graph, variable, node := changedGraph, changedVariable, changedNode
	array := func(change func(a tableSpec)) []byte {
		return variable(1, func(v tableSpec) { change(v[4].(tableSpec)) })
	}
	stream := bytes.Index(nbSmall(), []byte{0xac, 0xed, 0, 5})
	foreign := bytes.Replace(nbSmall(), []byte("java.util.HashMap"), []byte("java.evil.HashMap"), 1)
	z, err := inflate.Deflate(inflate.Zlib, 6, fb(inline()))
	if err != nil {
		t.Fatal(err)
	}
	bomb, err := inflate.Deflate(inflate.Zlib, 9, make([]byte, 4<<20))
	if err != nil {
		t.Fatal(err)
	}
	deflated := func(b []byte) []byte {
		r := recordOf(2, b)
		r[9] |= 1
		return box(headOf(2), r)
	}
	raw, err := inflate.Deflate(inflate.Raw, 6, fb(inline()))
	if err != nil {
		t.Fatal(err)
	}
	huge := bytes.Clone(fb(inline()))
	at, _, _ := flat.Buffer(huge).Vec(flat.Buffer(huge).Root(), flat.GraphNodes, 4)
	binary.LittleEndian.PutUint32(huge[flat.Buffer(huge).Ref(flat.Buffer(huge).Follow(at), flat.NodeOutputs):], 0xffffffff)
	loop := bytes.Clone(fb(inline()))
	binary.LittleEndian.PutUint32(loop[flat.Buffer(loop).Slot(flat.Buffer(loop).Follow(at), flat.NodeName):], 0)
	wrapped, err := inflate.Deflate(inflate.Gzip, 6, plain)
	if err != nil {
		t.Fatal(err)
	}
	patched := func(at int64, with ...byte) []byte { // the name of the node
		b := fb(inline())
		nodes, _, _ := flat.Buffer(b).Vec(flat.Buffer(b).Root(), flat.GraphNodes, 4)
		return patch(b, int(at+flat.Buffer(b).Ref(flat.Buffer(b).Follow(nodes), flat.NodeName)), with...)
	}
	meta, err := inflate.Deflate(inflate.Zlib, 6, fb(tableSpec{0: []tableSpec{{0: "name", 1: "tiny"}}}))
	if err != nil {
		t.Fatal(err)
	}
	shard0, shard1 := nbShards()
	twice := fb(inline()) // the name of the node is a table as well: that of its first input
	nodes, _, _ := flat.Buffer(twice).Vec(flat.Buffer(twice).Root(), flat.GraphNodes, 4)
	first := flat.Buffer(twice).Follow(nodes)
	inputs, _, _ := flat.Buffer(twice).Vec(first, flat.NodePaired, 4)
	binary.LittleEndian.PutUint32(twice[inputs:], uint32(flat.Buffer(twice).Ref(first, flat.NodeName)-inputs))
	return map[string][]byte{
		"003-version.sdc":   patch(plain, 14, 9, 9, 9, 9),
		"010-head.sdc":      append(bytes.Clone(box(headOf(3), metaOf("name", "tiny"))), 2, 0, 0),
		"011-length.sdc":    patch(plain, len(plain)-len(recordOf(2, fb(inline())))+1, 0x80),
		"012-tail.sdc":      append(bytes.Clone(plain), "tail"...),
		"015-twice.sdc":     box(headOf(3), recordOf(2, fb(inline())), recordOf(2, fb(inline()))),
		"016-no-graph.sdc":  box(headOf(2), metaOf("name", "tiny")),
		"017-no-header.sdc": box(metaOf("name", "tiny"), recordOf(2, fb(inline()))),
		"018-order.sdc":     box(headOf(3), recordOf(2, fb(inline())), metaOf("name", "tiny")),
		"021-corrupt.sdc":   deflated(patch(z, len(z)/2, 0xff, 0xff, 0xff, 0xff)),
		"022-raw.sdc":       deflated(raw),
		"023-bomb.sdc":      deflated(bomb),
		"024-leftover.sdc":  deflated(append(bytes.Clone(z), 1, 2, 3)),
		"028-crc.sdc":       patch(plain, len(plain)-4, 1, 2, 3, 4),
		"034-count.sdc":     box(headOf(7), metaOf("name", "tiny"), recordOf(2, fb(inline()))),
		"037-key.sdc":       box(headOf(3), metaOf("name", "tiny", "name", "twice"), recordOf(2, fb(inline()))),
		"048-no-data.fb":    variable(1, func(v tableSpec) { delete(v, 4) }),
		"026-header.sdc":    box(packedOf(t, 0, fb(tableSpec{0: int32(1), 1: int32(2)})), recordOf(2, fb(inline()))),
		"027-arrays.sdc": box(headOf(3), recordOf(2, fb(smallGraph(nil, nil))),
			packedOf(t, 3, arraysOf([]string{"w", "b"}, [][]byte{floats(1, -2, 0.5, 3), floats(0.25, -1)}))),
		"029-no-crc.sdc":   box(headOf(2), unsealed(recordOf(2, fb(inline())))),
		"038-sorted.sdc":   box(headOf(3), metaOf("name", "tiny", "author", "Ada"), recordOf(2, fb(inline()))),
		"005-layout.sdc":   box(recR2(0, fb(tableSpec{0: int32(1), 1: int32(2)})), recR2(2, fb(inline()))),
		"086-deflated.sdz": zipPlain(t, nbSmall()),
		"110-alone.sdc": box(headOf(3), recordOf(2, fb(inline())),
			recordOf(4, fb(tableSpec{1: int32(1), 2: "graph", 3: "110-alone"}))),
		"157-sorted.fb":    graph(func(g tableSpec) { g[9], g[10] = []string{"name", "author"}, []string{"tiny", "Ada"} }),
		"032-header.sdc":   box(recordOf(0, []byte("garbage, not a header")), recordOf(2, fb(inline()))),
		"033-format.sdc":   box(recordOf(0, fb(tableSpec{0: int32(5), 1: int32(2)})), recordOf(2, fb(inline()))),
		"036-metadata.sdc": box(headOf(3), recordOf(1, []byte{1, 2, 0xff, 0xfe, 9, 9, 9, 9, 7}), recordOf(2, fb(inline()))),
		"042-twice.sdc": box(headOf(3), recordOf(2, fb(smallGraph(nil, nil))),
			recordOf(3, arraysOf([]string{"w", "w"}, [][]byte{floats(1, 2, 3, 4), floats(0.25, -1)}))),
		"046-both.sdc":     box(headOf(3), recordOf(2, fb(inline())), recordOf(3, arraysOf([]string{"w"}, [][]byte{floats(1, 2, 3, 4)}))),
		"051-offset.sdnb":  patch(nbSmall(), 31, 33),
		"054-tail.sdnb":    append(bytes.Clone(nbSmall()), 1, 2, 3),
		"057-count.sdnb":   patch(nbSmall(), stream+132, 9),
		"058-handle.sdnb":  bytes.Replace(nbSmall(), []byte{0x71, 0, 0x7e, 0, 4}, []byte{0x71, 0, 0x7e, 1, 4}, 1),
		"081-no-model.sdz": zipOf(t, 0, []byte("this is no SDNB file, for sure it is not")),
		"087-local.sdz":    patch(zipOf(t, 0, nbSmall()), 30, 'M'),
		"092-after.sdz":    append(zipOf(t, 0, nbSmall()), "behind"...),
		"100-index.sdc": box(headOf(3), recordOf(2, fb(inline())),
			recordOf(4, fb(tableSpec{0: int32(5), 1: int32(2), 2: "weights", 3: "x"}))),
		"101-name.shard1-of-2.sdc": box(headOf(2), recordOf(4, fb(tableSpec{1: int32(2), 2: "graph", 3: "101-name"}))),
		"105-name.shard1-of-N.sdc": box(headOf(2), recordOf(4, fb(tableSpec{0: int32(1), 1: int32(2), 2: "weights", 3: "105-name"}))),
		"111-external.fb":          array(func(a tableSpec) { delete(a, 1); a[6] = []string{"w.bin"}; a[7] = e(1) }),
		"128-text.fb":              patched(0, 0xff, 0xff, 0, 0),
		"130-utf8.fb":              patched(4, 0xff),
		"133-nest.fb":              nest(70),
		"134-slot.fb":              variable(0, func(v tableSpec) { v[11] = int32(7) }),
		"152-op.fb":                node(func(n tableSpec) { delete(n, 16) }),
		"155-logic.fb":             node(func(n tableSpec) { n[2] = e(119); n[3] = int64(5) }),
		"160-updater.fb": graph(func(g tableSpec) {
			g[8] = []tableSpec{{0: "w", 1: []string{"M", "V"}, 2: []tableSpec{shapeInfoOf([]int64{2, 2}, 0, 0, 0, 0)}}}
		}),
		"025-flag.sdc": box(headOf(3), recordOf(1, meta), recordOf(2, fb(inline()))),
		"040-differs.sdc": box(headOf(3), metaOf("author", "Bob"), recordOf(2,
			graph(func(g tableSpec) { g[9], g[10] = []string{"author"}, []string{"Ada"} }))),
		"090-both.sdz":   zipMany(t, map[string][]byte{"model": nbSmall(), "model.shard0-of-2.sdnb": shard0, "model.shard1-of-2.sdnb": shard1}),
		"131-aligned.fb": shifted(fb(inline())),
		"132-twice.fb":   twice,
		"152-list.fb": graph(func(g tableSpec) {
			n := g[2].([]tableSpec)[0]
			other := maps.Clone(n)
			n[2], other[0], other[1], other[15], other[17] = e(17), int32(11), "other", []string{}, []byte{}
			g[2] = []tableSpec{n, other}
		}),
		"183-text.fb": array(func(a tableSpec) {
			a[0], a[1], a[2] = []int64{1, 1, 1, 1048576, 1, 99}, []byte("\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\xff"), e(50)
		}),
		"164-property.fb": node(func(n tableSpec) { n[4] = []tableSpec{{0: "p", 1: []int32{1, 2}, 2: []int64{1}}} }),
		"166-sequence.fb": variable(3, func(v tableSpec) { v[6] = e(4) }),
		"170-shape.fb":    array(func(a tableSpec) { a[0] = []int64{3, 5} }),
		"170-rank.fb":     array(func(a tableSpec) { a[0].([]int64)[0] = 1<<40 | 2 }),
		"180-type.fb":     variable(1, func(v tableSpec) { v[2] = e(6) }),
		"187-total.sdnb": nbOf(fb(smallGraph(tableSpec{0: []int64{2, 2}, 2: e(5), 5: int64(99), 9: int64(16)}, stub(5, []int64{2}, 16, 8))),
			[]string{"w", "b"}, [][]byte{floats(1, -2, 0.5, 3), floats(0.25, -1)}),
		"009-gzip.sdc":         wrapped,
		"050-version.sdnb":     patch(nbSmall(), 7, 2),
		"052-interrupted.sdnb": patch(nbSmall(), 8, bytes.Repeat([]byte{0xff}, 16)...),
		"053-manifest.sdnb":    patch(nbSmall(), 14, 0xff),
		"055-stream.sdnb":      patch(nbSmall(), stream, 0),
		"056-class.sdnb":       foreign,
		"082-escape.sdz":       bytes.ReplaceAll(zipOf(t, 0, nbSmall()), []byte("model"), []byte("../up")),
		"084-encrypted.sdz":    zipFlag(zipOf(t, 0, nbSmall())),
		"126-loop.fb":          loop,
		"127-count.fb":         huge,
		"140-name.fb":          variable(1, func(v tableSpec) { v[1] = "x" }),
		"141-id.fb":            variable(1, func(v tableSpec) { delete(v, 0) }),
		"143-input.fb":         node(func(n tableSpec) { n[6] = []tableSpec{{0: int32(99)}} }),
		"145-output.fb":        node(func(n tableSpec) { n[15] = []string{"nothing"} }),
		"148-list.fb":          graph(func(g tableSpec) { g[5] = []string{} }),
		"149-loss.fb":          graph(func(g tableSpec) { g[6] = []string{"nothing"} }),
		"151-kind.fb":          variable(1, func(v tableSpec) { v[6] = e(77) }),
		"154-circle.fb":        node(func(n tableSpec) { n[6] = []tableSpec{{0: int32(10)}} }),
		"158-training.fb":      graph(func(g tableSpec) { g[7] = "not JSON" }),
		"163-instance.fb":      graph(func(g tableSpec) { g[11] = []tableSpec{{0: "body", 1: []byte("no graph at all")}} }),
		"171-overflow.fb":      array(func(a tableSpec) { a[0] = []int64{2, 1 << 40, 1 << 40, 1 << 40, 1, 8192, 1, 99} }),
		"172-length.fb":        array(func(a tableSpec) { a[1] = []byte{1, 2, 3, 4} }),
		"173-strides.fb":       array(func(a tableSpec) { a[0] = []int64{2, 2, 2, 7, 1, 8192, 1, 99} }),
		"175-bit.fb":           array(func(a tableSpec) { a[0] = []int64{2, 2, 2, 2, 1, 16384, 1, 99} }),
		"178-order.fb":         array(func(a tableSpec) { a[3] = e(7) }),
		"185-nan.fb":           array(func(a tableSpec) { a[1] = bytes.Repeat([]byte{0x7f, 0xc0, 0, 0}, 4) }),
	}
}
