package samediff

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/inflate"
	"spandrel/parsers/internal/suite"
	"spandrel/parsers/samediff/flat"
)

const samples = "../../testdata/samediff"

// good are the samples without a problem, by name.
func good(t testing.TB) map[string][]byte {
	nested, keyed := inline(), inline()
	nested[11] = []tableSpec{{0: "body", 1: fb(inline())}}
	keyed[7] = `{"lossVariables":[],"updater":{"@class":"Sgd"}}`
	keyed[9], keyed[10] = []string{"author", "license"}, []string{"Ada", "Apache-2.0"}
	z, err := inflate.Deflate(inflate.Zlib, 6, fb(inline()))
	if err != nil {
		t.Fatal(err)
	}
	packed := recordOf(2, z)
	packed[9] |= 1
	external := smallGraph(nil, nil)
	meta, arrays := fb(tableSpec{0: []tableSpec{{0: "name", 1: "tiny"}}}), arraysOf([]string{"w", "b"},
		[][]byte{floats(1, -2, 0.5, 3), floats(0.25, -1)})
	part := fb(tableSpec{0: []int64{2}, 1: floats(0.25, -1), 2: e(5)})
	list := append([]byte{0, 0, 0, 1, 0, 1, 'b'}, append(binary.BigEndian.AppendUint64(nil, uint64(len(part))), part...)...)
	return map[string][]byte{
		"inline.fb":    fb(inline()),
		"nested.fb":    fb(nested),
		"keys.fb":      fb(keyed),
		"blobs.sdnb":   nbSmall(),
		"stored.sdz":   zipOf(t, 0, nbSmall()),
		"deflated.sdz": zipOf(t, 8, nbSmall()),
		"plain.sdc":    box(headOf(3), metaOf("name", "tiny"), recordOf(2, fb(inline()))),
		"packed.sdc":   box(headOf(3), metaOf("name", "tiny"), packed),
		"arrays.sdc": box(headOf(3), recordOf(2, fb(external)), recordOf(3,
			arraysOf([]string{"w", "b"}, [][]byte{floats(1, -2, 0.5, 3), floats(0.25, -1)}))),
		"container.fb": fb(tableSpec{0: tableSpec{0: int32(1), 1: int32(1)}, 1: []tableSpec{{0: e(2), 1: int64(8), 3: int64(16)}}, 3: inline()}),
		"mu-r7.sdc": append([]byte("\x00\x0e"+containerMagic+"\x00\x00\x00\x01"), slices.Concat(rec7(0, fb(tableSpec{0: int32(1), 1: int32(3)})),
			rec7(1, meta), rec7(2, fb(inline())))...),
		"deflated-parts.sdc": box(headOf(4), packedOf(t, 1, meta), packedOf(t, 2, fb(external)), packedOf(t, 3, arrays)),
		"pairs32.sdc": box(headOf(3), recordOf(1, []byte("\x00\x00\x00\x01\x00\x00\x00\x04name\x00\x00\x00\x04tiny")),
			recordOf(2, fb(inline()))),
		"list.sdc": box(headOf(4), recordOf(2, fb(external)), recordOf(3, list),
			recordOf(3, fb(tableSpec{0: []tableSpec{{0: "w", 1: tableSpec{0: []int64{2, 2}, 1: floats(1, -2, 0.5, 3), 2: e(5)}}}}))),
		"in-sdnb.sdc": box(headOf(2), recordOf(2, nbSmall())),
		"private.sdc": box(headOf(3), recordOf(2, fb(inline())), recordOf(200, []byte("private"))),
		"set.shard0-of-2.sdc": box(headOf(3), recordOf(2, fb(smallGraph(nil, nil))),
			recordOf(4, fb(tableSpec{1: int32(2), 2: "graph", 3: "set"}))),
		"set.shard1-of-2.sdc": box(headOf(3), recordOf(3, arraysOf([]string{"w", "b"}, [][]byte{floats(1, -2, 0.5, 3), floats(0.25, -1)})),
			recordOf(4, fb(tableSpec{0: int32(1), 1: int32(2), 2: "weights", 3: "set"}))),
	}
}

// bad are samples that break a rule each: the first part of the name is its number.
func bad(t testing.TB) map[string][]byte {
	plain := box(headOf(3), metaOf("name", "tiny"), recordOf(2, fb(inline())))
	patch := func(b []byte, at int, with ...byte) []byte {
		c := bytes.Clone(b)
		copy(c[at:], with)
		return c
	}
	graph := func(change func(g tableSpec)) []byte {
		g := inline()
		change(g)
		return fb(g)
	}
	variable := func(i int, change func(v tableSpec)) []byte {
		return graph(func(g tableSpec) { change(g[1].([]tableSpec)[i]) })
	}
	node := func(change func(v tableSpec)) []byte {
		return graph(func(g tableSpec) { change(g[2].([]tableSpec)[0]) })
	}
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

// shifted puts four bytes between the root offset and the rest of a buffer.
func shifted(b []byte) []byte {
	out := append(slices.Clone(b[:4]), 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(out, binary.LittleEndian.Uint32(b)+4)
	return append(out, b[4:]...)
}

// zipMany is an archive of stored members, in the order of their names.
func zipMany(t testing.TB, files map[string][]byte) []byte {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := z.CreateRaw(&zip.FileHeader{Name: name, CRC32: crc32.ChecksumIEEE(files[name]), CompressedSize64: uint64(len(files[name])),
			UncompressedSize64: uint64(len(files[name]))})
		if err == nil {
			_, err = w.Write(files[name])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// rec7 is a record whose length counts flag, data and CRC.
func rec7(typ byte, data []byte) []byte {
	r := recordOf(typ, data)
	binary.BigEndian.PutUint64(r[1:], uint64(len(data)+5))
	return r
}

// unsealed takes flag and CRC from a record.
func unsealed(r []byte) []byte {
	r[9] &^= 0x80
	return r[:len(r)-4]
}

// recR2 is a record of type, length and data only.
func recR2(typ byte, data []byte) []byte {
	return append(binary.BigEndian.AppendUint64([]byte{typ}, uint64(len(data))), data...)
}

// zipPlain is an archive with one deflated model whose sizes stand in front of it.
func zipPlain(t testing.TB, nb []byte) []byte {
	z, err := inflate.Deflate(inflate.Raw, 6, nb)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	raw, err := w.CreateRaw(&zip.FileHeader{Name: "model", Method: 8, CRC32: crc32.ChecksumIEEE(nb), CompressedSize64: uint64(len(z)),
		UncompressedSize64: uint64(len(nb))})
	if err == nil {
		_, err = raw.Write(z)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// packedOf is a deflated record.
func packedOf(t testing.TB, typ byte, data []byte) []byte {
	z, err := inflate.Deflate(inflate.Zlib, 6, data)
	if err != nil {
		t.Fatal(err)
	}
	r := recordOf(typ, z)
	r[9] |= 1
	return r
}

// nest is graphs inside graphs.
func nest(n int) []byte {
	b := fb(inline())
	for range n {
		g := tableSpec{1: []tableSpec{}, 2: []tableSpec{}, 11: []tableSpec{{0: "body", 1: b}}}
		b = fb(g)
	}
	return b
}

// zipFlag marks the member as encrypted in both headers.
func zipFlag(b []byte) []byte {
	b[6] |= 1
	b[bytes.Index(b, []byte("PK\x01\x02"))+8] |= 1
	return b
}

// TestSameDiffSamples compares the samples with what this code makes, or writes them.
func TestSameDiffSamples(t *testing.T) {
	for dir, files := range map[string]map[string][]byte{"good": good(t), "bad": bad(t)} {
		for name, b := range files {
			file := filepath.Join(samples, dir, name)
			if *suite.Update {
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, b, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, b) {
				t.Errorf("%s is not what the test makes: %v", file, err)
			}
		}
	}
}

// TestSameDiffRules checks that good samples have no errors, and that bad ones break their rule.
func TestSameDiffRules(t *testing.T) {
	for name := range good(t) {
		d := openSample(t, "good", name)
		if errs := errorsOf(t, d); len(errs) > 0 {
			t.Errorf("%s: %v", name, errs)
		}
	}
	for name := range bad(t) {
		rule := "SDF-" + name[:3]
		d := openSample(t, "bad", name)
		errorsOf(t, d)
		if len(findings(d, rule)) == 0 {
			all, _ := d.Tree.Findings()
			t.Errorf("%s: no %s among %v", name, rule, all)
		}
	}
}

func openSample(t *testing.T, dir, name string) *model.Document {
	t.Helper()
	d, err := model.Open(context.Background(), filepath.Join(samples, dir, name), formats, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

func findings(d *model.Document, rule string) []model.Finding {
	found, _ := d.Tree.Findings()
	return slices.DeleteFunc(found, func(f model.Finding) bool { return f.Rule.ID != rule })
}

// TestSameDiffCorpus opens files in the wild and looks at every byte of them: sound ones have no errors.
func TestSameDiffCorpus(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(suite.Corpus(t, "samediff"), "*.*"))
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		name := filepath.Base(file)
		d, err := model.OpenBytes(context.Background(), name, b, formats, Format)
		if err != nil {
			t.Fatal(err)
		}
		errs := errorsOf(t, d)
		for _, e := range errs {
			if strings.HasPrefix(e, "model.") && !strings.HasPrefix(name, "bad-") {
				t.Errorf("%s: %s", name, e)
			}
		}
	}
}
