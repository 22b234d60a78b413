package samediff

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
	"spandrel/parsers/samediff/flat"
)

// TestRulesOfSameDiff writes down what every rule says of a document that breaks it.
func TestRulesOfSameDiff(t *testing.T) {
	docs := suite.BadSamples(t, Format)
	for name, files := range damaged(t) {
		docs[name] = inFolder(name, files)
	}
	if suite.Quick() {
		suite.Transcript(t, Format, docs)
		return
	}
	docs["137-large.fb"] = func(t testing.TB) *model.Document {
		file := filepath.Join(t.TempDir(), "137-large.fb")
		if err := os.WriteFile(file, fb(inline()), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(file, 1<<31+64); err != nil {
			t.Fatal(err)
		}
		return openFile(t, file)
	}
	suite.Transcript(t, Format, docs)
}

// TestRepairsOfSameDiff tries every repair of every finding.
func TestRepairsOfSameDiff(t *testing.T) {
	docs := suite.Damaged{}
	for name, files := range damaged(t) {
		docs[name] = inFolder(name, files)
	}
	suite.Repairs(t, docs)
}

// inFolder opens a file of a folder that is rewritten.
func inFolder(name string, files map[string][]byte) func(t testing.TB) *model.Document {
	return func(t testing.TB) *model.Document {
		dir := t.TempDir()
		for file, b := range files {
			path := filepath.Join(dir, file)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return openFile(t, filepath.Join(dir, name))
	}
}

func openFile(t testing.TB, file string) *model.Document {
	t.Helper()
	d, err := model.Open(context.Background(), file, formats, Format)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

// damaged are the documents that no sample breaks a rule for: the files of each by their names, the first is opened.
func damaged(t testing.TB) map[string]map[string][]byte {
	out := map[string]map[string][]byte{}
	for _, list := range []map[string][]byte{damagedFiles(t), damagedNatives(), damagedContainers(t), damagedBuffers(), damagedGraphs(),
		damagedArrays()} {
		for name, b := range list {
			out[name] = map[string][]byte{name: b}
		}
	}
	set := func(name string, more map[string][]byte) {
		all := map[string][]byte{}
		for file, b := range more {
			all[file] = b
		}
		out[name] = all
	}
	shard := func(i, n int32, kind, base string) []byte {
		if i == 0 {
			return box(headOf(3), recordOf(2, fb(smallGraph(nil, nil))), recordOf(4, fb(tableSpec{1: n, 2: kind, 3: base})))
		}
		return box(headOf(3), recordOf(3, arraysOf([]string{"w", "b"}, [][]byte{floats(1, -2, 0.5, 3), floats(0.25, -1)})),
			recordOf(4, fb(tableSpec{0: i, 1: n, 2: kind, 3: base})))
	}
	set("102-m.shard0-of-2.sdc", map[string][]byte{"102-m.shard0-of-2.sdc": shard(0, 2, "graph", "102-m"),
		"102-m.shard1-of-3.sdc": shard(1, 3, "weights", "102-m")})
	set("104-m.shard0-of-2.sdc", map[string][]byte{"104-m.shard0-of-2.sdc": shard(0, 2, "graph", "104-m")})
	set("106-m.sdc", map[string][]byte{"106-m.sdc": box(headOf(2), recordOf(2, fb(inline()))),
		"106-m.shard0-of-2.sdc": shard(0, 2, "graph", "106-m")})
	set("107-m.shard0-of-2.sdc", map[string][]byte{"107-m.shard0-of-2.sdc": shard(0, 2, "weights", "107-m"),
		"107-m.shard1-of-2.sdc": shard(1, 2, "weights", "107-m")})
	set("109-m.shard0-of-2.sdc", map[string][]byte{"109-m.shard0-of-2.sdc": shard(0, 2, "graph", "other"),
		"109-m.shard1-of-2.sdc": shard(1, 2, "weights", "109-m")})
	external := func(name string) []byte {
		g := inline()
		a := g[1].([]tableSpec)[1][4].(tableSpec)
		delete(a, 1)
		a[6], a[7] = []string{name}, e(1)
		return fb(g)
	}
	set("112-size.fb", map[string][]byte{"112-size.fb": external("w.bin"), "112-size_external/w.bin": floats(1, 2)})
	set("113-name.fb", map[string][]byte{"113-name.fb": external("../w.bin")})
	return out
}

// damagedFiles are files of another kind, and archives.
func damagedFiles(t testing.TB) map[string][]byte {
	nb := nbSmall()
	archive := zipOf(t, 0, nb)
	lost := archive[:bytes.Index(archive, []byte("PK\x01\x02"))]
	wrong := bytes.Clone(archive)
	wrong[bytes.Index(wrong, []byte("SDNB"))+40] ^= 1
	many := map[string][]byte{"model": nb}
	for i := range maxMembers {
		many[fmt.Sprintf("m%d", i)] = nil
	}
	return map[string][]byte{
		"001-noise.sdc":  bytes.Repeat([]byte("noise, not a model. "), 20),
		"006-name.sdnb":  fb(inline()),
		"007-pointer.fb": []byte("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 498658664\n"),
		"008-empty.sdc":  {},
		"049-model.fb": fb(tableSpec{0: tableSpec{0: int32(1), 1: int32(1)}, 1: []tableSpec{{0: e(2), 1: int64(8), 3: int64(16)}},
			3: inline()}),
		"080-lost.sdz": lost,
		"083-twice.sdz": bytes.ReplaceAll(zipMany(t, map[string][]byte{"model": nb, "modem": []byte("notes")}), []byte("modem"),
			[]byte("model")),
		"085-checksum.sdz": wrong,
		"088-many.sdz":     zipMany(t, many),
	}
}

// damagedNatives are SDNB files.
func damagedNatives() map[string][]byte {
	w, b := floats(1, -2, 0.5, 3), floats(0.25, -1)
	small := func(change func(g tableSpec)) []byte {
		g := smallGraph(stub(5, []int64{2, 2}, 0, 16), stub(5, []int64{2}, 16, 8))
		g[9], g[10] = []string{"nd4j.format.type", "nd4j.format.version"}, []string{"APPENDED_BLOB", "1"}
		if change != nil {
			change(g)
		}
		return fb(g)
	}
	variable := func(g tableSpec, i int) tableSpec { return g[1].([]tableSpec)[i] }
	entry := func(find, put int64) []byte { // a number of the manifest
		file := nbSmall()
		m := file[binary.BigEndian.Uint64(file[8:]):]
		at := bytes.Index(m, binary.BigEndian.AppendUint64(nil, uint64(find)))
		binary.BigEndian.PutUint64(m[at:], uint64(put))
		return file
	}
	whole := nbSmall()
	first := int64(binary.BigEndian.Uint64(whole[8:])) - 24
	return map[string][]byte{
		"059-outside.sdnb": entry(first, 1<<30),
		"060-overlap.sdnb": entry(first+16, first+8),
		"061-gap.sdnb":     nbOf(small(nil), []string{"w", "", "b"}, [][]byte{w, floats(7, 7), b}),
		"062-unknown.sdnb": nbOf(small(nil), []string{"w", "b", "nothing"}, [][]byte{w, b, floats(5)}),
		"063-both.sdnb": nbOf(small(func(g tableSpec) { variable(g, 1)[4] = tableSpec{0: []int64{2, 2}, 1: w, 2: e(5)} }), []string{"w", "b"},
			[][]byte{w, b}),
		"064-length.sdnb": nbOf(small(nil), []string{"w", "b"}, [][]byte{w[:12], b}),
		"065-stub.sdnb":   nbOf(small(func(g tableSpec) { variable(g, 2)[4] = stub(5, []int64{2}, 8, 8) }), []string{"w", "b"}, [][]byte{w, b}),
		"066-no-stub.sdnb": nbOf(small(func(g tableSpec) { variable(g, 1)[4] = tableSpec(nil); delete(variable(g, 1), 4) }), []string{"w", "b"},
			[][]byte{w, b}),
		"068-empty.sdnb":  nbOf(small(nil), []string{"w", "b", "x"}, [][]byte{w, b, nil}),
		"069-beyond.sdnb": nbOf(append(small(nil), make([]byte, 64)...), []string{"w", "b"}, [][]byte{w, b}),
		"070-order.sdnb":  nbOf(small(func(g tableSpec) { variable(g, 1)[4].(tableSpec)[3] = e(1) }), []string{"w", "b"}, [][]byte{w, b}),
		"135-key-name.sdnb": nbOf(small(func(g tableSpec) { g[9] = []string{"nd4j.format.type", "nd4j.fo\x01mat.version"} }), []string{"w", "b"},
			[][]byte{w, b}),
	}
}

// damagedContainers are containers.
func damagedContainers(t testing.TB) map[string][]byte {
	graph := recordOf(2, fb(inline()))
	flags := recordOf(2, fb(inline()))
	flags[9] = 0xa0
	zstd := recordOf(2, append([]byte{0x28, 0xb5, 0x2f, 0xfd}, make([]byte, 40)...))
	zstd[9] |= 2
	stubs := smallGraph(nil, nil)
	arrays := func(change func(payload []byte) []byte) []byte {
		return recordOf(3, change(arraysOf([]string{"w", "b"}, [][]byte{floats(1, -2, 0.5, 3), floats(0.25, -1)})))
	}
	index := func(entries ...tableSpec) func([]byte) []byte {
		return func([]byte) []byte {
			x := fb(tableSpec{0: entries})
			out := append(binary.BigEndian.AppendUint64(nil, uint64(len(x))), x...)
			for len(out)%64 != 0 {
				out = append(out, 0)
			}
			return append(out, make([]byte, 128)...)
		}
	}
	of := func(name string, off, n int64) tableSpec {
		return tableSpec{0: name, 1: stub(5, []int64{n / 4}, off, n)}
	}
	sum := crc32.ChecksumIEEE(fb(inline()))
	return map[string][]byte{
		"002-magic.sdc": append([]byte("SAMEDIFF_MOD\x00\x00\x00\x01"), slices.Concat(headOf(2), graph)...),
		"004-little.sdc": append([]byte(containerMagic+"\x01\x00\x00\x00"),
			slices.Concat(foreignRec(layouts[0], binary.LittleEndian, 0, 0, fb(tableSpec{0: int32(1), 1: int32(2)})),
				foreignRec(layouts[0], binary.LittleEndian, 2, 0, fb(inline())))...),
		"013-unknown.sdc":   box(headOf(3), graph, recordOf(77, []byte("something new"))),
		"014-private.sdc":   box(headOf(3), graph, recordOf(200, []byte("private"))),
		"014-type.sdc":      box(headOf(2), recordOf(200, fb(inline()))),
		"019-flags.sdc":     box(headOf(2), flags),
		"020-zstd.sdc":      box(headOf(2), zstd),
		"030-empty.sdc":     box(headOf(2), recordOf(2, nil)),
		"031-many.sdc":      box(headOf(3), bytes.Repeat(recordOf(200, nil), maxRecords+10)),
		"035-checksum.sdc":  box(recordOf(0, fb(tableSpec{0: int32(1), 1: int32(2), 2: int64(sum ^ 0xffff00)})), graph),
		"039-reserved.sdc":  box(headOf(3), metaOf("creation.time", "yesterday"), graph),
		"041-index.sdc":     box(headOf(3), recordOf(2, fb(stubs)), arrays(func(b []byte) []byte { b[0] = 1; return b })),
		"043-outside.sdc":   box(headOf(3), recordOf(2, fb(stubs)), arrays(index(of("w", 0, 16), of("b", 4096, 8)))),
		"044-overlap.sdc":   box(headOf(3), recordOf(2, fb(stubs)), arrays(index(of("w", 0, 16), of("b", 0, 8)))),
		"045-gap.sdc":       box(headOf(3), recordOf(2, fb(stubs)), arrays(func(b []byte) []byte { b[len(b)-8-20] = 1; return b })),
		"047-unknown.sdc":   box(headOf(3), recordOf(2, fb(inline())), arrays(index(of("nothing", 0, 16)))),
		"107-keys.sdnb":     nbSmall(),
		"159-container.sdc": box(headOf(3), metaOf("nd4j.format.version", "2"), graph),
	}
}

// damagedBuffers are graphs whose structure is damaged.
func damagedBuffers() map[string][]byte {
	b := func() flat.Buffer { return fb(inline()) }
	node := func(b flat.Buffer) int64 {
		at, _, _ := b.Vec(b.Root(), flat.GraphNodes, 4)
		return b.Follow(at)
	}
	change := func(f func(b flat.Buffer)) []byte {
		c := b()
		f(c)
		return c
	}
	put := binary.LittleEndian.PutUint16
	return map[string][]byte{
		"120-root.fb":   change(func(b flat.Buffer) { binary.LittleEndian.PutUint32(b, uint32(b.Root()+2)) }),
		"121-vtable.fb": change(func(b flat.Buffer) { binary.LittleEndian.PutUint32(b[node(b):], 0x7fffffff) }),
		"122-size.fb":   change(func(b flat.Buffer) { v, _ := b.Vtable(node(b)); put(b[v+2:], 0xfff0) }),
		"124-slot.fb":   change(func(b flat.Buffer) { v, _ := b.Vtable(node(b)); put(b[v+4+2*flat.NodeName:], 0x7ff0) }),
		"125-overlap.fb": change(func(b flat.Buffer) {
			v, _ := b.Vtable(node(b))
			put(b[v+4+2*flat.NodeName:], uint16(b.U16(v+4+2*flat.NodeOutputs)))
		}),
		"129-zero.fb": change(func(b flat.Buffer) {
			at := b.Ref(node(b), flat.NodeName)
			b[at+4+b.U32(at)] = 'x'
		}),
		"126-cut.fb": b()[:len(b())*2/3],
	}
}

// damagedGraphs are graphs whose content is.
func damagedGraphs() map[string][]byte {
	graph, variable, node := changedGraph, changedVariable, changedNode
	old := tableSpec{1: []tableSpec{{0: tableSpec{0: int32(1)}, 1: "w", 2: []int32{2, 1, 2, 2, 1, 0, 1, 99},
		3: tableSpec{0: []int32{2, 1, 2, 2, 1, 0, 1, 99}, 1: floats(1, 2), 2: e(5)}, 4: int32(-1)}}, 2: []tableSpec{}}
	return map[string][]byte{
		"142-id.fb": graph(func(g tableSpec) {
			n := g[2].([]tableSpec)[0]
			g[2] = []tableSpec{n, {0: int32(10), 1: "other", 2: e(21), 3: int64(1), 16: "relu"}}
		}),
		"144-inputs.fb":      node(func(n tableSpec) { n[5] = []int32{1} }),
		"146-maker.fb":       variable(3, func(v tableSpec) { v[6] = e(varVariable) }),
		"147-output.fb":      graph(func(g tableSpec) { g[3] = []tableSpec{{0: int32(77)}} }),
		"148-type.fb":        variable(0, func(v tableSpec) { v[6] = e(varVariable) }),
		"150-dependency.fb":  node(func(n tableSpec) { n[19] = []string{"nothing"} }),
		"151-truth.fb":       graph(func(g tableSpec) { g[4].(tableSpec)[4] = e(7) }),
		"153-types.fb":       node(func(n tableSpec) { n[17] = []byte{5, 5} }),
		"156-keys.fb":        graph(func(g tableSpec) { g[9], g[10] = []string{"author", "name"}, []string{"Ada"} }),
		"157-damaged-key.fb": graph(func(g tableSpec) { g[9], g[10] = []string{"author", "\x11d4j.format.version"}, []string{"Ada", "1"} }),
		"158-comma.fb":       graph(func(g tableSpec) { g[7] = `{"minimize": true,}` }),
		"159-names.fb":       graph(func(g tableSpec) { g[7] = `{"dataSetFeatureMapping": ["nothing"]}` }),
		"161-updater.fb":     graph(func(g tableSpec) { g[8] = []tableSpec{{0: "nothing", 1: []string{}, 2: []tableSpec{}}} }),
		"162-shape.fb": graph(func(g tableSpec) {
			g[8] = []tableSpec{{0: "w", 1: []string{"M"}, 2: []tableSpec{shapeInfoOf([]int64{2}, 0, 0)}}}
		}),
		"165-placeholder.fb": variable(0, func(v tableSpec) { delete(v, 3) }),
		"167-gradient.fb":    variable(2, func(v tableSpec) { v[1] = "v-grad" }),
		"188-narrow.fb":      fb(old),
		"138-unset.fb":       graphOf2017(1),
	}
}

// damagedArrays are graphs with an array that is damaged.
func damagedArrays() map[string][]byte {
	array := func(change func(a tableSpec)) []byte {
		g := inline()
		change(g[1].([]tableSpec)[1][4].(tableSpec))
		return fb(g)
	}
	typed := func(typ e, bit int64, raw []byte, dims ...int64) []byte {
		g := inline()
		info := append(append([]int64{int64(len(dims))}, dims...), denseStrides(dims, 'c')...)
		g[1].([]tableSpec)[1][2] = typ
		g[1].([]tableSpec)[1][4] = tableSpec{0: append(info, bit, 1, 99), 1: raw, 2: typ, 3: e(1)}
		return fb(g)
	}
	axis := func(n int64) []byte {
		g := inline()
		g[1].([]tableSpec)[0][3] = []int64{n, 2}
		return fb(g)
	}
	be := binary.BigEndian
	return map[string][]byte{
		"171-axis.fb":   axis(1<<32 + 3),
		"174-letter.fb": array(func(a tableSpec) { a[0] = []int64{2, 2, 2, 2, 1, 8192, 1, 77} }),
		"175-type.fb":   array(func(a tableSpec) { a[2] = e(9) }),
		"176-empty.fb":  array(func(a tableSpec) { a[0] = []int64{2, 2, 2, 2, 1, 8192 | 8, 1, 99} }),
		"177-type.fb":   array(func(a tableSpec) { a[2] = e(2) }),
		"181-texts.fb":  typed(50, 1048576, append(be.AppendUint64(be.AppendUint64(nil, 0), 99), "ab"...), 1),
		"184-bool.fb":   typed(1, 524288, []byte{0, 1, 7}, 3),
		"186-chunks.fb": array(func(a tableSpec) {
			a[4], a[5] = []tableSpec{{0: int64(1), 1: a[1].([]byte)[8:]}, {1: a[1].([]byte)[:8]}}, int64(16)
			delete(a, 1)
		}),
		"172-texts.fb":   typed(50, 1048576, append(be.AppendUint64(be.AppendUint64(nil, 0), 2), "ab"...), 1<<33, 0),
		"172-shape.fb":   array(func(a tableSpec) { a[0] = []int64{2, 3, 2, 2, 1, 8192, 1, 99} }),
		"179-swapped.fb": array(func(a tableSpec) { a[1], a[3] = floats(1, -2, 0.5, 3), e(1) }),
	}
}

// Strides that lead outside of the values are an error with a repair that is safe, those of axes in another order are only odd: readers have
// the values in that order.
func TestStrides(t *testing.T) {
	for _, c := range []struct {
		strides [2]int64
		grade   model.Severity
		safe    bool
	}{{[2]int64{7, 1}, model.Error, true}, {[2]int64{1 << 62, 1}, model.Error, true}, {[2]int64{-2, 1}, model.Error, true},
		{[2]int64{1, 2}, model.Warning, false}, {[2]int64{0, 1}, model.Warning, true}} {
		g := inline()
		g[1].([]tableSpec)[1][4].(tableSpec)[0] = []int64{2, 2, 2, c.strides[0], c.strides[1], 8192, 1, 99}
		d := openModel(t, "strides.fb", fb(g))
		errorsOf(t, d)
		found := findings(d, "SDF-173")
		if len(found) != 1 || found[0].Grade() != c.grade {
			t.Errorf("%v: %v", c.strides, found)
			continue
		}
		if fixes := d.Tree.Fixes(t.Context(), &found[0]); len(fixes) != 1 || fixes[0].Safe != c.safe {
			t.Errorf("%v: %v", c.strides, fixes)
		}
	}
}

// Nothing can be fed to a placeholder that is longer than Java counts.
func TestPlaceholderAxis(t *testing.T) {
	for axis, labels := range map[int64]string{1<<32 + 3: "set it to 3, set it to -1: any length", 1 << 32: "set it to -1: any length", 1<<31 - 1: "", -1: "",
		-2: "set it to -1: any length"} {
		g := inline()
		g[1].([]tableSpec)[0][3] = []int64{axis, 2}
		d := openModel(t, "axis.fb", fb(g))
		errorsOf(t, d)
		var got []string
		for _, f := range findings(d, "SDF-171") {
			for _, fix := range d.Tree.Fixes(t.Context(), &f) {
				got = append(got, fix.Label)
			}
		}
		if strings.Join(got, ", ") != labels {
			t.Errorf("%d: %q", axis, got)
		}
	}
}
