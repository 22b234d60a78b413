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

// readAll reads every graph of a document with the FlatBuffers library.
func readAll(t testing.TB, d *model.Document) (out []string) {
	t.Helper()
	ctx := context.Background()
	st := d.Tree.State.(*state)
	if err := st.openAll(ctx, d.Tree); err != nil {
		t.Fatal(err)
	}
	for _, doc := range st.docs {
		for _, p := range doc.flats {
			if p.Root.Name != "FlatGraph" {
				continue
			}
			b, err := d.Tree.Bytes(ctx, p.span.Range)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, read(b)...)
		}
	}
	return out
}

// kinds are documents of every kind that holds a graph.
func kinds(t testing.TB) map[string][]byte {
	nested := inline()
	nested[11] = []tableSpec{{0: "body", 1: fb(inline())}}
	roomy := smallGraph(stub(5, []int64{2, 2}, 0, 16), stub(5, []int64{2}, 16, 8))
	roomy[9], roomy[10] = []string{"nd4j.format.type"}, []string{"APPENDED_BLOB"}
	return map[string][]byte{
		"g.fb": fb(inline()), "n.fb": fb(nested), "g.sdnb": nbSmall(),
		"room.sdnb": nbOf(append(fb(roomy), make([]byte, 512)...), []string{"w", "b"}, [][]byte{floats(1, -2, 0.5, 3), floats(0.25, -1)}),
		"g.sdc":     box(headOf(3), metaOf("name", "tiny"), recordOf(2, fb(inline()))),
		"z.sdc":     box(headOf(3), metaOf("name", "tiny"), packedOf(t, 2, fb(inline()))),
		"in.sdc":    box(headOf(2), recordOf(2, nbSmall())),
		"a.sdc": box(headOf(3), recordOf(2, fb(smallGraph(nil, nil))),
			recordOf(3, arraysOf([]string{"w", "b"}, [][]byte{floats(1, -2, 0.5, 3), floats(0.25, -1)}))),
		"s.sdz": zipOf(t, 0, nbSmall()), "d.sdz": zipOf(t, 8, nbSmall()),
	}
}

// TestSameDiffLibrary makes every kind of edit in every kind of document, and reads the graphs again with the FlatBuffers library: they
// are what they were but for what was edited.
func TestSameDiffLibrary(t *testing.T) {
	type edit struct {
		name   string
		change func(d *model.Document) bool // false when it does not apply
		// old and now are what the library read of a line before and reads after.
		old, now string
	}
	value := func(path string, v model.Value) func(d *model.Document) bool {
		return func(d *model.Document) bool {
			main(d.Tree).st.openAll(context.Background(), d.Tree)
			p := main(d.Tree).graphs[0].span.Path() + "/" + path
			s, err := d.Tree.Find(context.Background(), p)
			if err != nil {
				t.Fatal(p, err)
			}
			apply(t, d, model.SetValue(s, v))
			return true
		}
	}
	act := func(name, path string, args ...string) func(d *model.Document) bool {
		return func(d *model.Document) bool {
			s, err := d.Tree.Find(context.Background(), path)
			i := slices.IndexFunc(actions, func(a model.Action) bool { return a.Name == name })
			if err != nil || !actions[i].On(d.Tree, s) {
				return false
			}
			actOn(t, d, name, path, args...)
			return true
		}
	}
	fields := func(changes map[int]any) func(d *model.Document) bool {
		return func(d *model.Document) bool {
			main(d.Tree).st.openAll(context.Background(), d.Tree)
			e, err := main(d.Tree).graphs[0].setFields(context.Background(), d.Tree, changes)
			if err != nil {
				t.Fatal(err)
			}
			apply(t, d, e...)
			return true
		}
	}
	long := strings.Repeat("long", 30)
	for _, e := range []edit{
		{"rename a variable, shorter", act("rename-variable", "", "from", "w", "to", "v"), "variable w", "variable v"},
		{"rename a variable, longer", act("rename-variable", "", "from", "w", "to", long), "variable w", "variable " + long},
		{"rename a node, longer", value("nodes[0]/name/text", model.S(long)), "node affine", "node " + long},
		{"rename a node, shorter", value("nodes[0]/name/text", model.S("a")), "node affine", "node a"},
		{"an operation", value("nodes[0]/opName/text", model.S("mmul")), "xw_plus_b", "mmul"},
		{"the type of a variable", value("variables[2]/table/variabletype", model.U(0)), "", ""},
		{"a number of a node", value("nodes[0]/table/opNum", model.I(12345)), "", ""},
		{"placeholders", fields(map[int]any{flat.GraphPlaceholders: []string{"x"}}), "", ""},
		{"training", fields(map[int]any{flat.GraphTraining: "{}"}), "training ", "training {}"},
		{"compress", act("compress", "records[2]", "level", "9"), "", ""},
		{"store", act("store", "records[2]"), "", ""},
		{"drop a CRC", act("drop-crc", "records[2]"), "", ""},
		{"normalise", act("convert-normal", ""), "", ""},
		{"metadata", act("set-metadata", "", "key", "author", "value", long), "", ""},
	} {
		for name, file := range kinds(t) {
			d := openModel(t, name, file)
			before := readAll(t, d)
			if !e.change(d) {
				continue
			}
			d = openModel(t, name, bytesOf(t, d, name))
			after := readAll(t, d)
			if errs := errorsOf(t, d); len(errs) > 0 && !strings.HasPrefix(errs[0], "SDF-146") {
				t.Errorf("%s in %s: %v", e.name, name, errs)
			}
			if e.name == "metadata" {
				after = slices.DeleteFunc(after, func(s string) bool { return s == "author="+long })
			}
			changed := 0
			for i, l := range before {
				if i < len(after) && l != after[i] {
					changed++
					if !strings.Contains(l, e.old) || !strings.Contains(after[i], e.now) || e.old == "" {
						t.Errorf("%s in %s: %q became %q", e.name, name, l, after[i])
					}
				}
			}
			if len(after) != len(before) || changed != 1 && e.old != "" {
				t.Errorf("%s in %s: %d changes, %d lines were %d", e.name, name, changed, len(after), len(before))
			}
			if n := len(bytesOf(t, d, name)); name == "room.sdnb" && strings.Contains(e.name, "metadata") && n != len(file) {
				t.Errorf("%s in %s: the file has %d bytes, not %d, although there is room", e.name, name, n, len(file))
			}
		}
	}
}

// TestSameDiffCompact edits graphs, which leaves old root tables behind, and rewrites them: as small as they were, and the same to
// the library.
func TestSameDiffCompact(t *testing.T) {
	for name, file := range kinds(t) {
		d := openModel(t, name, file)
		g := func() *placed {
			if err := main(d.Tree).st.openAll(context.Background(), d.Tree); err != nil {
				t.Fatal(err)
			}
			return main(d.Tree).graphs[0]
		}
		for _, loss := range []string{"b", "w"} {
			e, err := g().setFields(context.Background(), d.Tree, map[int]any{flat.GraphLoss: []string{loss}})
			if err != nil {
				t.Fatal(name, err)
			}
			apply(t, d, e...)
		}
		before, grown := readAll(t, d), g().Size
		for _, f := range findings(d, "SDF-135") {
			if f.Grade() != model.Note {
				t.Errorf("%s: %s is more than a note", name, f.Text())
			}
		}
		actOn(t, d, "compact", "")
		again := openModel(t, name, bytesOf(t, d, name))
		if errs := errorsOf(t, again); len(errs) > 0 {
			t.Errorf("%s: %v", name, errs)
		}
		if n := len(findings(again, "SDF-135")); n > 0 {
			t.Errorf("%s: %d orphans are left", name, n)
		}
		if after := readAll(t, again); !slices.Equal(before, after) {
			t.Errorf("%s: the library reads %q, not %q", name, after, before)
		}
		if n := g().Size; n >= grown {
			t.Errorf("%s: the graph has %d bytes, and had %d", name, n, grown)
		}
		if d.Undo(context.Background()) == nil || g().Size != grown {
			t.Errorf("%s: undo does not lead back", name)
		}
	}
}

// folder writes files to a folder and returns what opens one of them.
func folder(t testing.TB, files map[string][]byte) (open func(name string) *model.Document) {
	t.Helper()
	dir := t.TempDir()
	for name, b := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return func(name string) *model.Document {
		t.Helper()
		d, err := model.Open(context.Background(), filepath.Join(dir, name), formats, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(d.Close)
		return d
	}
}

// same fails unless the arrays of the small graph are those that they were.
func same(t testing.TB, name string, d *model.Document) {
	t.Helper()
	if errs := errorsOf(t, d); len(errs) > 0 {
		t.Errorf("%s: %v", name, errs)
	}
	for array, values := range map[string]string{"w": "[1 -2 0.5 3]", "b": "[0.25 -1]"} {
		if got := fmt.Sprint(elements(t, d, array)); got != values {
			t.Errorf("%s: %s = %s, want %s", name, array, got, values)
		}
	}
}
