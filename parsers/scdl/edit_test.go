package scdl

import (
	"bytes"
	"context"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spandrel/model"
)

// act runs an action and returns the document's header afterwards.
func act(t *testing.T, d *model.Document, name, at string, args ...string) {
	t.Helper()
	ctx := context.Background()
	s, err := d.Tree.Find(ctx, at)
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]string{}
	for i := 0; i < len(args); i += 2 {
		m[args[i]] = args[i+1]
	}
	for _, a := range d.Format.Actions {
		if a.Name != name {
			continue
		}
		for _, p := range a.Params {
			if _, ok := m[p.Name]; !ok {
				m[p.Name] = p.Default
			}
		}
		if !a.On(d.Tree, s) {
			t.Fatalf("%s is not offered on %q", name, at)
		}
		edits, err := a.Plan(ctx, d.Tree, s, m)
		if err != nil {
			t.Fatal(err)
		}
		p, err := d.Plan(ctx, a.Label, edits...)
		if err != nil {
			t.Fatal(err)
		}
		d.Apply(ctx, p, nil)
		return
	}
	t.Fatalf("no action %s", name)
}

func bytesOf(t *testing.T, d *model.Document, name string) []byte {
	t.Helper()
	c, err := d.Tree.Snapshot.Content(name)
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, c.Len())
	c.ReadAt(b, 0)
	return b
}

// Structural edits give the header that the samples' writer makes, and undo gives the old bytes.
func TestScdlActions(t *testing.T) {
	f := good()
	shaped := append([]item(nil), sampleArrays...)
	shaped[1].shape = []uint32{5, 1}
	added := append(append([]item(nil), sampleArrays...), item{name: "NEIGHBOR_VALUES", length: 3, dtype: 6})
	for name, c := range map[string]struct {
		action, at string
		args       []string
		want       []byte
	}{
		"add array":    {"add-array", "", []string{"name", "NEIGHBOR_VALUES", "length", "3"}, head(f, added, sampleFolders)},
		"remove array": {"remove", "arrays[1]", nil, head(f, []item{sampleArrays[0], sampleArrays[2]}, sampleFolders)},
		"shape":        {"set-shape", "arrays[1]", []string{"shape", "5 × 1"}, head(f, shaped, sampleFolders)},
		"remove index": {"remove", "feature_indices[0]", nil, head(f, sampleArrays, sampleFolders[1:])},
		"add index": {"add-feature-index", "", []string{"name", "none", "length", "9"}, head(f, sampleArrays, append(sampleFolders[:2:2],
			item{name: "none", length: 9}))},
		"remove a path": {"remove", "feature_indices[1]/index_files[2]", nil, head(without(f, "obs_features/version.npy"), sampleArrays,
			sampleFolders)},
		"add a path": {"add-path", "feature_indices[1]/index_files", []string{"path", "obs_features/z.parquet"}, head(with(f,
			"obs_features/z.parquet"), sampleArrays, sampleFolders)},
	} {
		t.Run(name, func(t *testing.T) {
			d := f.open(t)
			act(t, d, c.action, c.at, c.args...)
			if got := bytesOf(t, d, "header.sch"); !bytes.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
			d.Undo(context.Background())
			if got := bytesOf(t, d, "header.sch"); !bytes.Equal(got, f["header.sch"]) {
				t.Errorf("undo gave %q", got)
			}
		})
	}
}

func without(f fileset, name string) fileset {
	g := f.clone()
	delete(g, name)
	return g
}

func with(f fileset, name string) fileset {
	g := f.clone()
	g[name] = nil
	return g
}

// A shape that is dropped again leaves the bytes as they were.
func TestScdlShapeDropped(t *testing.T) {
	for _, none := range []string{"", "none"} {
		d := good().open(t)
		act(t, d, "set-shape", "arrays[0]", "shape", "7")
		act(t, d, "set-shape", "arrays[0]", "shape", none)
		if !bytes.Equal(bytesOf(t, d, "header.sch"), good()["header.sch"]) {
			t.Errorf("%q: not the same header", none)
		}
	}
}

// A feature index takes its folder and its paths along.
func TestScdlRenameFolder(t *testing.T) {
	d := good().open(t)
	act(t, d, "rename", "feature_indices[1]", "name", "cells")
	if n := len(d.Tree.State.(*archiveState).archives[0].below("cells")); n != 4 {
		t.Errorf("%d files in the new folder", n)
	}
	if b := bytesOf(t, d, "header.sch"); bytes.Contains(b, []byte("obs_features")) || bytes.Count(b, []byte("cells/")) != 4 {
		t.Errorf("header %q", b)
	}
	if _, err := d.Save(context.Background(), model.SaveOptions{NoBackup: true}); err != nil {
		t.Fatal(err)
	}
	again := open(t, d.Path)
	if again.Tree.Root.Get("obs_features") != nil || again.Tree.Root.Get("cells") == nil {
		t.Error("the folder on disk has the old name")
	}
	dir := again.Path
	if filepath.Base(dir) == "header.sch" {
		dir = filepath.Dir(dir)
	}
	if _, err := os.Stat(filepath.Join(dir, "obs_features")); err == nil {
		t.Error("the old folder is still there, and readers open it")
	}
}

// Fields and JSON members take new values; what depends on them follows.
func TestScdlFieldEdits(t *testing.T) {
	ctx := context.Background()
	f := good()
	d := f.open(t)
	for path, v := range map[string]model.Value{"arrays[0]/name": model.S("NEIGHBOR_VALUES"), "metadata.json/num_rows": model.I(12345),
		"feature_indices[0]/index_files[1]/path": model.S("x/y"),
		"data.npy/values[1]":                     model.U(65535), "var_features/cumulative_sum_index.npy/data[1]": model.I(-7),
		"version.json/value": model.S(`9 "quoted"`)} {
		if _, err := d.Tree.Find(ctx, strings.Split(path, "/")[0]); err != nil {
			t.Fatal(err)
		}
		p, err := d.Plan(ctx, "edit", model.Set{Path: path, Value: v})
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		d.Apply(ctx, p, nil)
		s, err := d.Tree.Find(ctx, path)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := d.Tree.Value(ctx, s); err != nil || !got.Equal(v) {
			t.Errorf("%s is %v, %v", path, got, err)
		}
	}
	if b := bytesOf(t, d, "header.sch"); len(b) != len(f["header.sch"])+11-21 {
		t.Errorf("the header has %d bytes", len(b))
	}
	if p, err := d.Plan(ctx, "edit", model.Set{Path: "version_major", Value: model.U(1)}); err == nil {
		t.Errorf("a major version of 1 is planned: %v", p)
	}
	if p, _ := d.Plan(ctx, "edit", model.Set{Path: "arrays[1]/dtype", Value: model.U(3)}); p == nil || len(p.Warnings) != 1 {
		t.Errorf("no warning about a new dtype: %v", p)
	}
}

// Arrays of a big-endian machine become readable by one action, and the archive is sound then.
func TestScdlByteOrder(t *testing.T) {
	f := good()
	bigEndian(f)
	drop(f, "obs_features/")
	d := f.open(t)
	act(t, d, "byte-order", "")
	for _, rule := range []string{"080", "081", "082", "054"} {
		if hits := findings(t, d, rule); len(hits) > 0 {
			t.Errorf("%s: %s", rule, hits[0].Text())
		}
	}
}

// Every cut and many changes of a header and of an archive's members end without a defect, and spans tile what is there.
func TestScdlHostile(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	rnd := rand.New(rand.NewSource(1))
	check := func(b []byte) {
		d, err := model.OpenBytes(ctx, "header.sch", b, formats, Format)
		if err != nil {
			t.Fatal(err)
		}
		found, _ := d.Tree.Findings()
		for _, f := range found {
			if f.Rule == model.RuleInternal || f.Rule == model.RuleOverlap {
				t.Fatalf("%q: %s %s", b, f.Message, f.Found)
			}
		}
		at := int64(0)
		d.Tree.Cover(d.Tree.Root.Range, func(s *model.Span) bool {
			if s.Range.Off != at {
				t.Fatalf("%q: %s starts at %d, not %d", b, s.Path(), s.Range.Off, at)
			}
			at = s.Range.End()
			return true
		})
		if at != int64(len(b)) {
			t.Fatalf("%q: spans end at %d of %d", b, at, len(b))
		}
	}
	rounds := 2000
	if testing.Short() {
		rounds = 200
	}
	for _, head := range [][]byte{good()["header.sch"], chunks()["header.sch"], headOf(one, item{name: "x", dtype: 7, shape: []uint32{3}})} {
		for n := range head {
			check(head[:n])
		}
		for range rounds {
			b := bytes.Clone(head)
			for range 1 + rnd.Intn(4) {
				b[rnd.Intn(len(b))] = byte(rnd.Intn(256))
			}
			check(b)
		}
	}
	for name := range neighbors() {
		for range 12 {
			f := neighbors()
			if b := bytes.Clone(f[name]); rnd.Intn(3) == 0 {
				f[name] = b[:rnd.Intn(len(b)+1)]
			} else {
				for range 1 + rnd.Intn(8) {
					b[rnd.Intn(len(b))] = byte(rnd.Intn(256))
				}
				f[name] = b
			}
			d := f.open(t)
			findings(t, d, "")
			if err := d.Tree.Dump(ctx, &bytes.Buffer{}, d.Tree.Root, model.DumpOptions{JSON: true, Depth: -1, Elements: -1, All: true}); err != nil {
				t.Fatal(err)
			}
			for _, tab := range d.Tree.Tables(context.Background()) {
				tab.Read(ctx, 0, min(tab.Rows, 10))
			}
		}
	}
}

// A backup does not become a file of a feature folder.
func TestScdlBackup(t *testing.T) {
	ctx := context.Background()
	d := good().open(t)
	p, err := d.Plan(ctx, "edit", model.Set{Path: "var_features/labels.json/value[0]", Value: model.S("b")})
	if err != nil {
		t.Fatal(err)
	}
	d.Apply(ctx, p, nil)
	if _, err := d.Save(ctx, model.SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	again := open(t, d.Path)
	if n := len(again.Tree.State.(*archiveState).archives[0].order); n != len(good()) {
		t.Errorf("%d files: the backup is one of them", n)
	}
	if hits := findings(t, again, "069"); len(hits) > 0 {
		t.Error(hits[0].Text())
	}
}
