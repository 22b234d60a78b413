package samediff

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"spandrel/parsers/samediff/flat"
)

// nbShards are a model as SDNB writes it in two shards: the graph without arrays, and arrays, appended and inline, with the state of
// an updater.
func nbShards() (graph, weights []byte) {
	g := smallGraph(nil, nil)
	g[9], g[10] = []string{"nd4j.format.type", "shard.index", "shard.type"}, []string{"APPENDED_BLOB", "0", "graph"}
	state := func(v ...float32) tableSpec { return tableSpec{0: []int64{2, 2}, 1: floats(v...), 2: e(5)} }
	w := tableSpec{
		1: []tableSpec{varOf(2, "w", varVariable, tableSpec{4: stub(5, []int64{2, 2}, 0, 16)}),
			varOf(3, "b", varConstant, tableSpec{4: tableSpec{0: []int64{2}, 1: floats(0.25, -1), 2: e(5)}})},
		8: []tableSpec{{0: "w", 1: []string{"M", "V"}, 2: []tableSpec{state(1, 2, 3, 4), state(5, 6, 7, 8)}}},
		9: []string{"nd4j.format.type", "shard.index", "shard.type"}, 10: []string{"APPENDED_BLOB", "1", "weights"},
	}
	return nbOf(fb(g), nil, nil), nbOf(fb(w), []string{"w"}, [][]byte{floats(1, -2, 0.5, 3)})
}

// TestSameDiffMergeNB merges the shards of SDNB, beside each other and in an archive: arrays and updater state are in one container.
func TestSameDiffMergeNB(t *testing.T) {
	graph, weights := nbShards()
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for i, b := range [][]byte{weights, graph} {
		w, err := z.CreateHeader(&zip.FileHeader{Name: fmt.Sprintf("model.shard%d-of-2.sdnb", 1-i)})
		if err == nil {
			_, err = w.Write(b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	open := folder(t, map[string][]byte{"m.shard0-of-2.sdnb": graph, "m.shard1-of-2.sdnb": weights, "set.sdz": archive.Bytes(),
		"alone.shard0-of-2.sdnb": graph})
	for _, name := range []string{"m.shard0-of-2.sdnb", "set.sdz"} {
		d := open(name)
		if errs := errorsOf(t, d); len(errs) > 0 {
			t.Errorf("%s: %v", name, errs)
		}
		actOn(t, d, "convert-merge", "", "name", name+".sdc")
		save(t, d)
		d = open(name + ".sdc")
		same(t, name+".sdc", d)
		p := main(d.Tree).graphs[0]
		b, err := d.Tree.Bytes(context.Background(), p.span.Range)
		if err != nil {
			t.Fatal(err)
		}
		keys := 0
		for _, at := range flat.Buffer(b).Tables(flat.Buffer(b).Root(), flat.GraphUpdater) {
			list, _ := flat.Buffer(b).Strs(at, 1)
			keys += len(list)
		}
		if keys != 2 {
			t.Errorf("%s: the updater state has %d keys, not 2", name, keys)
		}
		for _, e := range main(d.Tree).con.meta.entries {
			if strings.HasPrefix(e.key, "shard.") {
				t.Errorf("%s: %s is left", name, e.key)
			}
		}
	}
	d := open("alone.shard0-of-2.sdnb")
	if _, err := readWhole(context.Background(), d.Tree); err == nil {
		t.Error("a set with a shard missing is merged")
	}
}

// TestSameDiffSplit splits models of every family into sets, and merges these.
func TestSameDiffSplit(t *testing.T) {
	text := inline()
	text[1] = append(text[1].([]tableSpec), varOf(4, "names", varConstant,
		tableSpec{2: e(50), 4: tableSpec{0: []int64{1, 1, 1, 1048576, 1, 99},
			1: slices.Concat(make([]byte, 8), []byte{2, 0, 0, 0, 0, 0, 0, 0}, []byte("ab")), 2: e(50), 3: e(1)}}))
	open := folder(t, map[string][]byte{"a.fb": fb(inline()), "b.sdnb": nbSmall(), "c.sdz": zipOf(t, 0, nbSmall()), "d.fb": fb(text)})
	for _, name := range []string{"a.fb", "b.sdnb", "c.sdz", "d.fb"} {
		d := open(name)
		actOn(t, d, "convert-shards", "", "count", "9") // more than there are arrays
		save(t, d)
		for i := range 3 {
			shard := open(fmt.Sprintf("%s.shard%d-of-3.sdc", name[:1], i))
			if errs := errorsOf(t, shard); len(errs) > 0 {
				t.Errorf("%s shard %d: %v", name, i, errs)
			}
		}
		set := open(name[:1] + ".shard0-of-3.sdc")
		same(t, name+" split", set)
		actOn(t, set, "convert-merge", "", "name", name+".sdc")
		save(t, set)
		same(t, name+" merged", open(name+".sdc"))
	}
}

// TestSameDiffOutside reads arrays in files of their own, checks these, and takes them into containers.
func TestSameDiffOutside(t *testing.T) {
	outside := func(file string) tableSpec { return tableSpec{0: []int64{2, 2}, 2: e(5), 6: []string{file}, 7: e(1)} }
	named := tableSpec{0: []int64{1, 2, 1, 8192, 1, 99}, 2: e(5), 7: e(1)} // its file is named after it
	graph := func(w, b tableSpec) []byte { return fb(smallGraph(w, b)) }
	flat := fb(tableSpec{0: []int64{2}, 1: floats(0.25, -1), 2: e(5)})
	w := floats(1, -2, 0.5, 3)
	for name, c := range map[string]struct {
		files map[string][]byte
		rule  string
	}{
		"both": {map[string][]byte{"m.fb": graph(outside("w.bin"), named), "m_external/w.bin": w, "m_external/b.fb": flat}, ""},
		"sdnb": {map[string][]byte{"m.sdnb": nbOf(graph(stub(5, []int64{2, 2}, 0, 16), tableSpec{0: []int64{2}, 2: e(5), 7: e(1)}),
			[]string{"w"}, [][]byte{w}), "m_external/b.bin": floats(0.25, -1)}, ""},
		"short": {map[string][]byte{"m.fb": graph(outside("w.bin"), named), "m_external/w.bin": w[:12], "m_external/b.fb": flat},
			"SDF-112"},
		"short array": {map[string][]byte{"m.fb": graph(outside("w.bin"), named), "m_external/w.bin": w,
			"m_external/b.fb": fb(tableSpec{0: []int64{3}, 1: floats(0.25, -1), 2: e(5)})}, "SDF-112"},
		"empty":    {map[string][]byte{"m.fb": graph(outside("w.bin"), named), "m_external/w.bin": {}, "m_external/b.fb": flat}, "SDF-112"},
		"missing":  {map[string][]byte{"m.fb": graph(outside("w.bin"), named), "m_external/b.fb": flat}, "SDF-111"},
		"escaping": {map[string][]byte{"m.fb": graph(outside("../w.bin"), named), "w.bin": w, "m_external/b.fb": flat}, "SDF-113"},
	} {
		open := folder(t, c.files)
		main := "m.fb"
		if name == "sdnb" {
			main = "m.sdnb"
		}
		d := open(main)
		if c.rule != "" {
			errorsOf(t, d)
			if len(findings(d, c.rule)) != 1 {
				all, _ := d.Tree.Findings()
				t.Errorf("%s: no %s among %v", name, c.rule, all)
			}
			if _, err := readWhole(context.Background(), d.Tree); err == nil {
				t.Errorf("%s: it is converted", name)
			}
			continue
		}
		same(t, name, d)
		actOn(t, d, "convert-container", "", "name", "out.sdc")
		save(t, d)
		same(t, name+" wrapped", open("out.sdc"))
		d = open(main)
		actOn(t, d, "convert-shards", "", "count", "3")
		save(t, d)
		same(t, name+" split", open("m.shard0-of-3.sdc"))
	}
}

// TestSameDiffMergeMixed merges the shards of an archive of which some are stored and others deflated.
func TestSameDiffMergeMixed(t *testing.T) {
	graph, weights := nbShards()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, m := range []struct {
		name    string
		method  uint16
		content []byte
	}{{"model.shard0-of-2.sdnb", zip.Deflate, graph}, {"model.shard1-of-2.sdnb", zip.Store, weights}} {
		f, err := w.CreateHeader(&zip.FileHeader{Name: m.name, Method: m.method})
		if err == nil {
			_, err = f.Write(m.content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	d := openModel(t, "m.sdz", out.Bytes())
	actOn(t, d, "convert-merge", "", "name", "m.sdc")
	c := openModel(t, "m.sdc", bytesOf(t, d, "m.sdc"))
	if bad := errorsOf(t, c); len(bad) > 0 {
		t.Error(bad)
	}
	if len(elements(t, c, "w")) == 0 {
		t.Error("w is gone")
	}
}
