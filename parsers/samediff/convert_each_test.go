package samediff

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// content is what a model holds, however it is stored: its variables, operations, values, metadata, training and updater state.
func content(t testing.TB, d *model.Document) map[string]string {
	t.Helper()
	ctx, out := context.Background(), map[string]string{}
	w, err := readWhole(ctx, d.Tree)
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range w.meta {
		out["metadata "+k] = v
	}
	for _, a := range w.arrays {
		src := a.source(ctx, d.Tree, false)
		b := make([]byte, src.Len())
		src.ReadAt(b, 0)
		out["array "+a.name] = fmt.Sprintf("%d %v %c %x", a.typ, a.dims, a.order, b)
	}
	view(t, w, func(r *rewriting) {
		for _, x := range r.p.open(r.B).vars {
			out["variable "+x.name] = fmt.Sprintf("%d %d %v", x.kind, x.typ, x.id)
		}
		for _, n := range r.p.open(r.B).nodes {
			out["node "+n.name] = fmt.Sprintf("%d %d %d %s %v %v", n.id, n.op, n.num, n.opName, n.inputs, n.outputs)
		}
		out["training"], _ = r.B.Str(r.root, 7)
		for slot := 5; slot <= 6; slot++ {
			list, _ := r.B.Strs(r.root, slot)
			out[fmt.Sprint("names ", slot)] = fmt.Sprint(list)
		}
	})
	for _, p := range append([]*placed{w.g}, w.more...) {
		viewOf(t, w, p, func(r *rewriting) {
			for _, at := range r.B.Tables(r.p.GraphAt(r.B), 8) {
				name, _ := r.B.Str(at, 0)
				keys, _ := r.B.Strs(at, 1)
				for k, x := range r.B.Tables(at, 2) {
					a := r.p.array(r.B, x)
					raw := slices.Clone([]byte(r.B[a.buffer[0] : a.buffer[0]+a.buffer[1]]))
					if typ := types[a.typ]; typ != nil && a.big() {
						model.Swap(raw, int(typ.width))
					}
					out[fmt.Sprint("state ", name, " ", keys[k])] = fmt.Sprintf("%d %v %x", a.typ, a.dims, raw)
				}
			}
		})
	}
	return out
}

func view(t testing.TB, w *whole, f func(r *rewriting)) { viewOf(t, w, w.g, f) }

// viewOf hands a graph to f.
func viewOf(t testing.TB, w *whole, p *placed, f func(r *rewriting)) {
	t.Helper()
	if err := p.view(w.ctx, w.t, func(b flat.Buffer) error {
		f(&rewriting{whole: w, p: p, root: p.GraphAt(b), Copy: &flat.Copy{Map: p.Map, B: b}})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

func compare(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for k, v := range want {
		if got[k] != v {
			t.Errorf("%s: %s is %.200s, was %.200s", what, k, got[k], v)
		}
	}
	for k := range got {
		if _, ok := want[k]; !ok {
			t.Errorf("%s: %s is new", what, k)
		}
	}
}

// TestSameDiffConvertEach converts every sound sample to every kind, and the result to every other: the content stays, and check finds no error.
func TestSameDiffConvertEach(t *testing.T) {
	graph, weights := nbShards()
	dir := t.TempDir()
	for name, b := range map[string][]byte{"set.shard0-of-2.sdnb": graph, "set.shard1-of-2.sdnb": weights} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	paths := []string{filepath.Join(dir, "set.shard0-of-2.sdnb"), filepath.Join(dir, "set.shard1-of-2.sdnb")}
	good, _ := filepath.Glob("../../testdata/samediff/good/*")
	paths = append(paths, good...)
	if corpus := os.Getenv("SPANDREL_CORPUS"); corpus != "" {
		more, _ := filepath.Glob(filepath.Join(corpus, "samediff", "*"))
		paths = append(paths, more...)
	}
	tried := 0
	for _, path := range paths {
		ext := filepath.Ext(path)
		if !familyOfExt(ext) || strings.HasPrefix(filepath.Base(path), "bad-") {
			continue
		}
		d, err := model.Open(context.Background(), path, formats, nil)
		if err != nil {
			t.Fatal(err)
		}
		tried += convertEach(t, filepath.Base(path), d, 2, nil)
		d.Close()
	}
	t.Logf("%d conversions", tried)
	if tried < 100 {
		t.Errorf("only %d conversions were tried", tried)
	}
}

// convertEach converts a document to every kind that applies, and the results again.
func convertEach(t *testing.T, what string, d *model.Document, depth int, want map[string]string) (tried int) {
	t.Helper()
	if d.Format != Format || depth == 0 {
		return 0
	}
	if errs := errorsOf(t, d); len(errs) > 0 {
		if want != nil {
			t.Errorf("%s: %v", what, errs)
		}
		return 0
	}
	if want == nil {
		if _, err := readWhole(context.Background(), d.Tree); err != nil {
			t.Logf("%s: %v", what, err)
			return 0
		}
		want = content(t, d)
	}
	for _, a := range actions {
		ext := map[string]string{"convert-fb": ".fb", "convert-container": ".sdc", "convert-sdnb": ".sdnb", "convert-sdz": ".sdz"}[a.Name]
		if ext == "" || !a.On(d.Tree, d.Tree.Root) {
			continue
		}
		edits, err := a.Plan(context.Background(), d.Tree, d.Tree.Root, map[string]string{"name": "out" + ext})
		if err != nil {
			if g := main(d.Tree).graphs; len(g) == 0 || g[0].Late() && g[0].Gen != "S2b" {
				t.Errorf("%s %s: %v", what, a.Name, err)
			}
			continue
		}
		f := edits[0].(model.FileEdit)
		b := make([]byte, f.Create.Len())
		if _, err := f.Create.ReadAt(b, 0); err != nil && int64(len(b)) != f.Create.Len() {
			t.Fatal(err)
		}
		next, to := openModel(t, "out"+ext, b), what+" → "+ext
		if errs := errorsOf(t, next); len(errs) > 0 {
			t.Errorf("%s: %v", to, errs)
			continue
		}
		if len(f.Warnings) == 0 || strings.Contains(f.Warnings[0], "ND4J reads no texts") {
			compare(t, to, content(t, next), want)
			tried += convertEach(t, to, next, depth-1, want)
		}
		tried++
	}
	return tried
}

// TestSameDiffConvertAmbiguous: ND4J reads an array by its strides, and what it reads must not depend on a conversion.
func TestSameDiffConvertAmbiguous(t *testing.T) {
	d, err := model.Open(context.Background(), "../../testdata/samediff/bad/173-strides.fb", formats, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	i := slices.IndexFunc(actions, func(a model.Action) bool { return a.Name == "convert-sdnb" })
	_, err = actions[i].Plan(context.Background(), d.Tree, d.Tree.Root, map[string]string{"name": "x.sdnb"})
	if err == nil || !strings.Contains(err.Error(), "repair it first") {
		t.Error(err)
	}
}

// TestSameDiffConvertKeys: a file that stores metadata once keeps the keys of METADATA and those that only the graph has; other values in the graph are
// named as lost.
func TestSameDiffConvertKeys(t *testing.T) {
	graph := inline()
	graph[9], graph[10] = []string{"author", "name"}, []string{"Ada", "other"}
	d := openModel(t, "a.sdc", box(headOf(3), metaOf("name", "tiny"), recordOf(2, fb(graph))))
	for name, ext := range map[string]string{"convert-fb": ".fb", "convert-sdnb": ".sdnb", "convert-sdz": ".sdz"} {
		i := slices.IndexFunc(actions, func(a model.Action) bool { return a.Name == name })
		edits, err := actions[i].Plan(t.Context(), d.Tree, d.Tree.Root, map[string]string{"name": "out" + ext})
		if err != nil {
			t.Fatal(err)
		}
		f := edits[0].(model.FileEdit)
		b := make([]byte, f.Create.Len())
		f.Create.ReadAt(b, 0)
		is := content(t, openModel(t, "out"+ext, b))
		if is["metadata name"] != "tiny" || is["metadata author"] != "Ada" || !strings.Contains(strings.Join(f.Warnings, "\n"), "name=other") {
			t.Errorf("%s: %q, %q, %q", name, is["metadata name"], is["metadata author"], f.Warnings)
		}
	}
}
