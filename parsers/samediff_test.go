package parsers

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
)

const sdSamples = "../testdata/samediff"

// sdGood are the samples without a problem, by name.
func sdGood(t testing.TB) map[string][]byte {
	nested, keyed := sdInline(), sdInline()
	nested[11] = []sdT{{0: "body", 1: sdFB(sdInline())}}
	keyed[7] = `{"lossVariables":[],"updater":{"@class":"Sgd"}}`
	keyed[9], keyed[10] = []string{"author", "license"}, []string{"Ada", "Apache-2.0"}
	z, err := sdDeflate("zlib", 6, sdFB(sdInline()))
	if err != nil {
		t.Fatal(err)
	}
	packed := sdRec(2, z)
	packed[9] |= 1
	external := sdSmallGraph(nil, nil)
	meta, arrays := sdFB(sdT{0: []sdT{{0: "name", 1: "tiny"}}}), sdArraysOf([]string{"w", "b"}, [][]byte{sdFloats(1, -2, 0.5, 3), sdFloats(0.25, -1)})
	part := sdFB(sdT{0: []int64{2}, 1: sdFloats(0.25, -1), 2: sdE(5)})
	list := append([]byte{0, 0, 0, 1, 0, 1, 'b'}, append(binary.BigEndian.AppendUint64(nil, uint64(len(part))), part...)...)
	return map[string][]byte{
		"inline.fb":    sdFB(sdInline()),
		"nested.fb":    sdFB(nested),
		"keys.fb":      sdFB(keyed),
		"blobs.sdnb":   sdNBSmall(),
		"stored.sdz":   sdZipOf(t, 0, sdNBSmall()),
		"deflated.sdz": sdZipOf(t, 8, sdNBSmall()),
		"plain.sdc":    sdBox(sdHead(3), sdMetaOf("name", "tiny"), sdRec(2, sdFB(sdInline()))),
		"packed.sdc":   sdBox(sdHead(3), sdMetaOf("name", "tiny"), packed),
		"arrays.sdc":   sdBox(sdHead(3), sdRec(2, sdFB(external)), sdRec(3, sdArraysOf([]string{"w", "b"}, [][]byte{sdFloats(1, -2, 0.5, 3), sdFloats(0.25, -1)}))),
		"container.fb": sdFB(sdT{0: sdT{0: int32(1), 1: int32(1)}, 1: []sdT{{0: sdE(2), 1: int64(8), 3: int64(16)}}, 3: sdInline()}),
		"mu-r7.sdc": append([]byte("\x00\x0e"+sdMagic+"\x00\x00\x00\x01"), slices.Concat(sdRec7(0, sdFB(sdT{0: int32(1), 1: int32(3)})),
			sdRec7(1, meta), sdRec7(2, sdFB(sdInline())))...),
		"deflated-parts.sdc":  sdBox(sdHead(4), sdPacked(t, 1, meta), sdPacked(t, 2, sdFB(external)), sdPacked(t, 3, arrays)),
		"pairs32.sdc":         sdBox(sdHead(3), sdRec(1, []byte("\x00\x00\x00\x01\x00\x00\x00\x04name\x00\x00\x00\x04tiny")), sdRec(2, sdFB(sdInline()))),
		"list.sdc":            sdBox(sdHead(4), sdRec(2, sdFB(external)), sdRec(3, list), sdRec(3, sdFB(sdT{0: []sdT{{0: "w", 1: sdT{0: []int64{2, 2}, 1: sdFloats(1, -2, 0.5, 3), 2: sdE(5)}}}}))),
		"in-sdnb.sdc":         sdBox(sdHead(2), sdRec(2, sdNBSmall())),
		"private.sdc":         sdBox(sdHead(3), sdRec(2, sdFB(sdInline())), sdRec(200, []byte("private"))),
		"set.shard0-of-2.sdc": sdBox(sdHead(3), sdRec(2, sdFB(sdSmallGraph(nil, nil))), sdRec(4, sdFB(sdT{1: int32(2), 2: "graph", 3: "set"}))),
		"set.shard1-of-2.sdc": sdBox(sdHead(3), sdRec(3, sdArraysOf([]string{"w", "b"}, [][]byte{sdFloats(1, -2, 0.5, 3), sdFloats(0.25, -1)})),
			sdRec(4, sdFB(sdT{0: int32(1), 1: int32(2), 2: "weights", 3: "set"}))),
	}
}

// sdBad are samples that break a rule each: the first part of the name is its number.
func sdBad(t testing.TB) map[string][]byte {
	plain := sdBox(sdHead(3), sdMetaOf("name", "tiny"), sdRec(2, sdFB(sdInline())))
	patch := func(b []byte, at int, with ...byte) []byte {
		c := bytes.Clone(b)
		copy(c[at:], with)
		return c
	}
	graph := func(change func(g sdT)) []byte {
		g := sdInline()
		change(g)
		return sdFB(g)
	}
	variable := func(i int, change func(v sdT)) []byte { return graph(func(g sdT) { change(g[1].([]sdT)[i]) }) }
	node := func(change func(v sdT)) []byte { return graph(func(g sdT) { change(g[2].([]sdT)[0]) }) }
	array := func(change func(a sdT)) []byte { return variable(1, func(v sdT) { change(v[4].(sdT)) }) }
	stream := bytes.Index(sdNBSmall(), []byte{0xac, 0xed, 0, 5})
	foreign := bytes.Replace(sdNBSmall(), []byte("java.util.HashMap"), []byte("java.evil.HashMap"), 1)
	z, err := sdDeflate("zlib", 6, sdFB(sdInline()))
	if err != nil {
		t.Fatal(err)
	}
	bomb, err := sdDeflate("zlib", 9, make([]byte, 4<<20))
	if err != nil {
		t.Fatal(err)
	}
	deflated := func(b []byte) []byte {
		r := sdRec(2, b)
		r[9] |= 1
		return sdBox(sdHead(2), r)
	}
	raw, err := sdDeflate("raw", 6, sdFB(sdInline()))
	if err != nil {
		t.Fatal(err)
	}
	huge := bytes.Clone(sdFB(sdInline()))
	at, _, _ := sdBuf(huge).vec(sdBuf(huge).root(), sdGraphNodes, 4)
	binary.LittleEndian.PutUint32(huge[sdBuf(huge).ref(sdBuf(huge).follow(at), sdNodeOutputs):], 0xffffffff)
	loop := bytes.Clone(sdFB(sdInline()))
	binary.LittleEndian.PutUint32(loop[sdBuf(loop).slot(sdBuf(loop).follow(at), sdNodeName):], 0)
	wrapped, err := sdDeflate("gzip", 6, plain)
	if err != nil {
		t.Fatal(err)
	}
	patched := func(at int64, with ...byte) []byte { // the name of the node
		b := sdFB(sdInline())
		nodes, _, _ := sdBuf(b).vec(sdBuf(b).root(), sdGraphNodes, 4)
		return patch(b, int(at+sdBuf(b).ref(sdBuf(b).follow(nodes), sdNodeName)), with...)
	}
	meta, err := sdDeflate("zlib", 6, sdFB(sdT{0: []sdT{{0: "name", 1: "tiny"}}}))
	if err != nil {
		t.Fatal(err)
	}
	shard0, shard1 := sdNBShards()
	twice := sdFB(sdInline()) // the name of the node is a table as well: that of its first input
	nodes, _, _ := sdBuf(twice).vec(sdBuf(twice).root(), sdGraphNodes, 4)
	first := sdBuf(twice).follow(nodes)
	inputs, _, _ := sdBuf(twice).vec(first, sdNodePaired, 4)
	binary.LittleEndian.PutUint32(twice[inputs:], uint32(sdBuf(twice).ref(first, sdNodeName)-inputs))
	return map[string][]byte{
		"003-version.sdc":          patch(plain, 14, 9, 9, 9, 9),
		"010-head.sdc":             append(bytes.Clone(sdBox(sdHead(3), sdMetaOf("name", "tiny"))), 2, 0, 0),
		"011-length.sdc":           patch(plain, len(plain)-len(sdRec(2, sdFB(sdInline())))+1, 0x80),
		"012-tail.sdc":             append(bytes.Clone(plain), "tail"...),
		"015-twice.sdc":            sdBox(sdHead(3), sdRec(2, sdFB(sdInline())), sdRec(2, sdFB(sdInline()))),
		"016-no-graph.sdc":         sdBox(sdHead(2), sdMetaOf("name", "tiny")),
		"017-no-header.sdc":        sdBox(sdMetaOf("name", "tiny"), sdRec(2, sdFB(sdInline()))),
		"018-order.sdc":            sdBox(sdHead(3), sdRec(2, sdFB(sdInline())), sdMetaOf("name", "tiny")),
		"021-corrupt.sdc":          deflated(patch(z, len(z)/2, 0xff, 0xff, 0xff, 0xff)),
		"022-raw.sdc":              deflated(raw),
		"023-bomb.sdc":             deflated(bomb),
		"024-leftover.sdc":         deflated(append(bytes.Clone(z), 1, 2, 3)),
		"028-crc.sdc":              patch(plain, len(plain)-4, 1, 2, 3, 4),
		"034-count.sdc":            sdBox(sdHead(7), sdMetaOf("name", "tiny"), sdRec(2, sdFB(sdInline()))),
		"037-key.sdc":              sdBox(sdHead(3), sdMetaOf("name", "tiny", "name", "twice"), sdRec(2, sdFB(sdInline()))),
		"048-no-data.fb":           variable(1, func(v sdT) { delete(v, 4) }),
		"026-header.sdc":           sdBox(sdPacked(t, 0, sdFB(sdT{0: int32(1), 1: int32(2)})), sdRec(2, sdFB(sdInline()))),
		"027-arrays.sdc":           sdBox(sdHead(3), sdRec(2, sdFB(sdSmallGraph(nil, nil))), sdPacked(t, 3, sdArraysOf([]string{"w", "b"}, [][]byte{sdFloats(1, -2, 0.5, 3), sdFloats(0.25, -1)}))),
		"029-no-crc.sdc":           sdBox(sdHead(2), sdUnsealed(sdRec(2, sdFB(sdInline())))),
		"038-sorted.sdc":           sdBox(sdHead(3), sdMetaOf("name", "tiny", "author", "Ada"), sdRec(2, sdFB(sdInline()))),
		"005-layout.sdc":           sdBox(sdRecR2(0, sdFB(sdT{0: int32(1), 1: int32(2)})), sdRecR2(2, sdFB(sdInline()))),
		"086-deflated.sdz":         sdZipPlain(t, sdNBSmall()),
		"110-alone.sdc":            sdBox(sdHead(3), sdRec(2, sdFB(sdInline())), sdRec(4, sdFB(sdT{1: int32(1), 2: "graph", 3: "110-alone"}))),
		"157-sorted.fb":            graph(func(g sdT) { g[9], g[10] = []string{"name", "author"}, []string{"tiny", "Ada"} }),
		"032-header.sdc":           sdBox(sdRec(0, []byte("garbage, not a header")), sdRec(2, sdFB(sdInline()))),
		"033-format.sdc":           sdBox(sdRec(0, sdFB(sdT{0: int32(5), 1: int32(2)})), sdRec(2, sdFB(sdInline()))),
		"036-metadata.sdc":         sdBox(sdHead(3), sdRec(1, []byte{1, 2, 0xff, 0xfe, 9, 9, 9, 9, 7}), sdRec(2, sdFB(sdInline()))),
		"042-twice.sdc":            sdBox(sdHead(3), sdRec(2, sdFB(sdSmallGraph(nil, nil))), sdRec(3, sdArraysOf([]string{"w", "w"}, [][]byte{sdFloats(1, 2, 3, 4), sdFloats(0.25, -1)}))),
		"046-both.sdc":             sdBox(sdHead(3), sdRec(2, sdFB(sdInline())), sdRec(3, sdArraysOf([]string{"w"}, [][]byte{sdFloats(1, 2, 3, 4)}))),
		"051-offset.sdnb":          patch(sdNBSmall(), 31, 33),
		"054-tail.sdnb":            append(bytes.Clone(sdNBSmall()), 1, 2, 3),
		"057-count.sdnb":           patch(sdNBSmall(), stream+132, 9),
		"058-handle.sdnb":          bytes.Replace(sdNBSmall(), []byte{0x71, 0, 0x7e, 0, 4}, []byte{0x71, 0, 0x7e, 1, 4}, 1),
		"081-no-model.sdz":         sdZipOf(t, 0, []byte("this is no SDNB file, for sure it is not")),
		"087-local.sdz":            patch(sdZipOf(t, 0, sdNBSmall()), 30, 'M'),
		"092-after.sdz":            append(sdZipOf(t, 0, sdNBSmall()), "behind"...),
		"100-index.sdc":            sdBox(sdHead(3), sdRec(2, sdFB(sdInline())), sdRec(4, sdFB(sdT{0: int32(5), 1: int32(2), 2: "weights", 3: "x"}))),
		"101-name.shard1-of-2.sdc": sdBox(sdHead(2), sdRec(4, sdFB(sdT{1: int32(2), 2: "graph", 3: "101-name"}))),
		"105-name.shard1-of-N.sdc": sdBox(sdHead(2), sdRec(4, sdFB(sdT{0: int32(1), 1: int32(2), 2: "weights", 3: "105-name"}))),
		"111-external.fb":          array(func(a sdT) { delete(a, 1); a[6] = []string{"w.bin"}; a[7] = sdE(1) }),
		"128-text.fb":              patched(0, 0xff, 0xff, 0, 0),
		"130-utf8.fb":              patched(4, 0xff),
		"133-nest.fb":              sdNest(70),
		"134-slot.fb":              variable(0, func(v sdT) { v[11] = int32(7) }),
		"152-op.fb":                node(func(n sdT) { delete(n, 16) }),
		"155-logic.fb":             node(func(n sdT) { n[2] = sdE(119); n[3] = int64(5) }),
		"160-updater.fb": graph(func(g sdT) {
			g[8] = []sdT{{0: "w", 1: []string{"M", "V"}, 2: []sdT{sdInfo([]int64{2, 2}, 0, 0, 0, 0)}}}
		}),
		"025-flag.sdc":    sdBox(sdHead(3), sdRec(1, meta), sdRec(2, sdFB(sdInline()))),
		"040-differs.sdc": sdBox(sdHead(3), sdMetaOf("author", "Bob"), sdRec(2, graph(func(g sdT) { g[9], g[10] = []string{"author"}, []string{"Ada"} }))),
		"090-both.sdz":    sdZipMany(t, map[string][]byte{"model": sdNBSmall(), "model.shard0-of-2.sdnb": shard0, "model.shard1-of-2.sdnb": shard1}),
		"131-aligned.fb":  sdShifted(sdFB(sdInline())),
		"132-twice.fb":    twice,
		"152-list.fb": graph(func(g sdT) {
			n := g[2].([]sdT)[0]
			other := maps.Clone(n)
			n[2], other[0], other[1], other[15], other[17] = sdE(17), int32(11), "other", []string{}, []byte{}
			g[2] = []sdT{n, other}
		}),
		"183-text.fb": array(func(a sdT) {
			a[0], a[1], a[2] = []int64{1, 1, 1, 1048576, 1, 99}, []byte("\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\xff"), sdE(50)
		}),
		"164-property.fb":      node(func(n sdT) { n[4] = []sdT{{0: "p", 1: []int32{1, 2}, 2: []int64{1}}} }),
		"166-sequence.fb":      variable(3, func(v sdT) { v[6] = sdE(4) }),
		"170-shape.fb":         array(func(a sdT) { a[0] = []int64{3, 5} }),
		"180-type.fb":          variable(1, func(v sdT) { v[2] = sdE(6) }),
		"187-total.sdnb":       sdNBOf(sdFB(sdSmallGraph(sdT{0: []int64{2, 2}, 2: sdE(5), 5: int64(99), 9: int64(16)}, sdStub(5, []int64{2}, 16, 8))), []string{"w", "b"}, [][]byte{sdFloats(1, -2, 0.5, 3), sdFloats(0.25, -1)}),
		"009-gzip.sdc":         wrapped,
		"050-version.sdnb":     patch(sdNBSmall(), 7, 2),
		"052-interrupted.sdnb": patch(sdNBSmall(), 8, bytes.Repeat([]byte{0xff}, 16)...),
		"053-manifest.sdnb":    patch(sdNBSmall(), 14, 0xff),
		"055-stream.sdnb":      patch(sdNBSmall(), stream, 0),
		"056-class.sdnb":       foreign,
		"082-escape.sdz":       bytes.ReplaceAll(sdZipOf(t, 0, sdNBSmall()), []byte("model"), []byte("../up")),
		"084-encrypted.sdz":    sdZipFlag(sdZipOf(t, 0, sdNBSmall())),
		"126-loop.fb":          loop,
		"127-count.fb":         huge,
		"140-name.fb":          variable(1, func(v sdT) { v[1] = "x" }),
		"141-id.fb":            variable(1, func(v sdT) { delete(v, 0) }),
		"143-input.fb":         node(func(n sdT) { n[6] = []sdT{{0: int32(99)}} }),
		"145-output.fb":        node(func(n sdT) { n[15] = []string{"nothing"} }),
		"148-list.fb":          graph(func(g sdT) { g[5] = []string{} }),
		"149-loss.fb":          graph(func(g sdT) { g[6] = []string{"nothing"} }),
		"151-kind.fb":          variable(1, func(v sdT) { v[6] = sdE(77) }),
		"154-circle.fb":        node(func(n sdT) { n[6] = []sdT{{0: int32(10)}} }),
		"158-training.fb":      graph(func(g sdT) { g[7] = "not JSON" }),
		"163-instance.fb":      graph(func(g sdT) { g[11] = []sdT{{0: "body", 1: []byte("no graph at all")}} }),
		"171-overflow.fb":      array(func(a sdT) { a[0] = []int64{2, 1 << 40, 1 << 40, 1 << 40, 1, 8192, 1, 99} }),
		"172-length.fb":        array(func(a sdT) { a[1] = []byte{1, 2, 3, 4} }),
		"173-strides.fb":       array(func(a sdT) { a[0] = []int64{2, 2, 2, 7, 1, 8192, 1, 99} }),
		"175-bit.fb":           array(func(a sdT) { a[0] = []int64{2, 2, 2, 2, 1, 16384, 1, 99} }),
		"178-order.fb":         array(func(a sdT) { a[3] = sdE(7) }),
		"185-nan.fb":           array(func(a sdT) { a[1] = bytes.Repeat([]byte{0x7f, 0xc0, 0, 0}, 4) }),
	}
}

// sdShifted puts four bytes between the root offset and the rest of a buffer.
func sdShifted(b []byte) []byte {
	out := append(slices.Clone(b[:4]), 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(out, binary.LittleEndian.Uint32(b)+4)
	return append(out, b[4:]...)
}

// sdZipMany is an archive of stored members, in the order of their names.
func sdZipMany(t testing.TB, files map[string][]byte) []byte {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := z.CreateRaw(&zip.FileHeader{Name: name, CRC32: crc32.ChecksumIEEE(files[name]), CompressedSize64: uint64(len(files[name])), UncompressedSize64: uint64(len(files[name]))})
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

// sdRec7 is a record whose length counts flag, data and CRC.
func sdRec7(typ byte, data []byte) []byte {
	r := sdRec(typ, data)
	binary.BigEndian.PutUint64(r[1:], uint64(len(data)+5))
	return r
}

// sdUnsealed takes flag and CRC from a record.
func sdUnsealed(r []byte) []byte {
	r[9] &^= 0x80
	return r[:len(r)-4]
}

// sdRecR2 is a record of type, length and data only.
func sdRecR2(typ byte, data []byte) []byte {
	return append(binary.BigEndian.AppendUint64([]byte{typ}, uint64(len(data))), data...)
}

// sdZipPlain is an archive with one deflated model whose sizes stand in front of it.
func sdZipPlain(t testing.TB, nb []byte) []byte {
	z, err := sdDeflate("raw", 6, nb)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	raw, err := w.CreateRaw(&zip.FileHeader{Name: "model", Method: 8, CRC32: crc32.ChecksumIEEE(nb), CompressedSize64: uint64(len(z)), UncompressedSize64: uint64(len(nb))})
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

// sdPacked is a deflated record.
func sdPacked(t testing.TB, typ byte, data []byte) []byte {
	z, err := sdDeflate("zlib", 6, data)
	if err != nil {
		t.Fatal(err)
	}
	r := sdRec(typ, z)
	r[9] |= 1
	return r
}

// sdNest is graphs inside graphs.
func sdNest(n int) []byte {
	b := sdFB(sdInline())
	for range n {
		g := sdT{1: []sdT{}, 2: []sdT{}, 11: []sdT{{0: "body", 1: b}}}
		b = sdFB(g)
	}
	return b
}

// sdZipFlag marks the member as encrypted in both headers.
func sdZipFlag(b []byte) []byte {
	b[6] |= 1
	b[bytes.Index(b, []byte("PK\x01\x02"))+8] |= 1
	return b
}

// TestSameDiffSamples compares the samples with what this code makes, or writes them.
func TestSameDiffSamples(t *testing.T) {
	for dir, files := range map[string]map[string][]byte{"good": sdGood(t), "bad": sdBad(t)} {
		for name, b := range files {
			file := filepath.Join(sdSamples, dir, name)
			if *update {
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
	for name := range sdGood(t) {
		d := sdOpenSample(t, "good", name)
		if errs := sdErrors(t, d); len(errs) > 0 {
			t.Errorf("%s: %v", name, errs)
		}
	}
	for name := range sdBad(t) {
		rule := "SDF-" + name[:3]
		d := sdOpenSample(t, "bad", name)
		sdErrors(t, d)
		if len(sdFindings(d, rule)) == 0 {
			all, _ := d.Tree.Findings()
			t.Errorf("%s: no %s among %v", name, rule, all)
		}
	}
}

func sdOpenSample(t *testing.T, dir, name string) *model.Document {
	t.Helper()
	d, err := model.Open(context.Background(), filepath.Join(sdSamples, dir, name), All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

func sdFindings(d *model.Document, rule string) []model.Finding {
	found, _ := d.Tree.Findings()
	return slices.DeleteFunc(found, func(f model.Finding) bool { return f.Rule.ID != rule })
}

// TestSameDiffCorpus opens files in the wild and looks at every byte of them: sound ones have no errors.
func TestSameDiffCorpus(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(corpus(t, "samediff"), "*.*"))
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		name := filepath.Base(file)
		d, err := model.OpenBytes(context.Background(), name, b, All(), sdFormat)
		if err != nil {
			t.Fatal(err)
		}
		errs := sdErrors(t, d)
		for _, e := range errs {
			if strings.HasPrefix(e, "model.") && !strings.HasPrefix(name, "bad-") {
				t.Errorf("%s: %s", name, e)
			}
		}
	}
}
