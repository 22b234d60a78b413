package parsers

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
)

// sdReadAll reads every graph of a document with the FlatBuffers library.
func sdReadAll(t testing.TB, d *model.Document) (out []string) {
	t.Helper()
	ctx := context.Background()
	st := d.Tree.State.(*sdState)
	if err := st.openAll(ctx, d.Tree); err != nil {
		t.Fatal(err)
	}
	for _, doc := range st.docs {
		for _, p := range doc.flats {
			if p.root.name != "FlatGraph" {
				continue
			}
			b, err := d.Tree.Bytes(ctx, p.span.Range)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, sdRead(b)...)
		}
	}
	return out
}

// sdKinds are documents of every kind that holds a graph.
func sdKinds(t testing.TB) map[string][]byte {
	nested := sdInline()
	nested[11] = []sdT{{0: "body", 1: sdFB(sdInline())}}
	roomy := sdSmallGraph(sdStub(5, []int64{2, 2}, 0, 16), sdStub(5, []int64{2}, 16, 8))
	roomy[9], roomy[10] = []string{"nd4j.format.type"}, []string{"APPENDED_BLOB"}
	return map[string][]byte{
		"g.fb": sdFB(sdInline()), "n.fb": sdFB(nested), "g.sdnb": sdNBSmall(),
		"room.sdnb": sdNBOf(append(sdFB(roomy), make([]byte, 512)...), []string{"w", "b"}, [][]byte{sdFloats(1, -2, 0.5, 3), sdFloats(0.25, -1)}),
		"g.sdc":     sdBox(sdHead(3), sdMetaOf("name", "tiny"), sdRec(2, sdFB(sdInline()))),
		"z.sdc":     sdBox(sdHead(3), sdMetaOf("name", "tiny"), sdPacked(t, 2, sdFB(sdInline()))),
		"in.sdc":    sdBox(sdHead(2), sdRec(2, sdNBSmall())),
		"a.sdc":     sdBox(sdHead(3), sdRec(2, sdFB(sdSmallGraph(nil, nil))), sdRec(3, sdArraysOf([]string{"w", "b"}, [][]byte{sdFloats(1, -2, 0.5, 3), sdFloats(0.25, -1)}))),
		"s.sdz":     sdZipOf(t, 0, sdNBSmall()), "d.sdz": sdZipOf(t, 8, sdNBSmall()),
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
			sdMain(d.Tree).st.openAll(context.Background(), d.Tree)
			p := sdMain(d.Tree).graphs[0].span.Path() + "/" + path
			s, err := d.Tree.Find(context.Background(), p)
			if err != nil {
				t.Fatal(p, err)
			}
			sdApply(t, d, model.SetValue(s, v))
			return true
		}
	}
	act := func(name, path string, args ...string) func(d *model.Document) bool {
		return func(d *model.Document) bool {
			s, err := d.Tree.Find(context.Background(), path)
			i := slices.IndexFunc(sdActions, func(a model.Action) bool { return a.Name == name })
			if err != nil || !sdActions[i].On(d.Tree, s) {
				return false
			}
			sdAct(t, d, name, path, args...)
			return true
		}
	}
	fields := func(changes map[int]any) func(d *model.Document) bool {
		return func(d *model.Document) bool {
			sdMain(d.Tree).st.openAll(context.Background(), d.Tree)
			e, err := sdMain(d.Tree).graphs[0].setFields(context.Background(), d.Tree, changes)
			if err != nil {
				t.Fatal(err)
			}
			sdApply(t, d, e...)
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
		{"placeholders", fields(map[int]any{sdGraphPlaceholders: []string{"x"}}), "", ""},
		{"training", fields(map[int]any{sdGraphTraining: "{}"}), "training ", "training {}"},
		{"compress", act("compress", "records[2]", "level", "9"), "", ""},
		{"store", act("store", "records[2]"), "", ""},
		{"drop a CRC", act("drop-crc", "records[2]"), "", ""},
		{"normalise", act("convert-normal", ""), "", ""},
		{"metadata", act("set-metadata", "", "key", "author", "value", long), "", ""},
	} {
		for name, file := range sdKinds(t) {
			d := sdOpen(t, name, file)
			before := sdReadAll(t, d)
			if !e.change(d) {
				continue
			}
			d = sdOpen(t, name, sdBytes(t, d, name))
			after := sdReadAll(t, d)
			if errs := sdErrors(t, d); len(errs) > 0 && !strings.HasPrefix(errs[0], "SDF-146") {
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
			if n := len(sdBytes(t, d, name)); name == "room.sdnb" && strings.Contains(e.name, "metadata") && n != len(file) {
				t.Errorf("%s in %s: the file has %d bytes, not %d, although there is room", e.name, name, n, len(file))
			}
		}
	}
}

// TestSameDiffCompact edits graphs, which leaves old root tables behind, and writes them anew: as small as they were, and the same to
// the library.
func TestSameDiffCompact(t *testing.T) {
	for name, file := range sdKinds(t) {
		d := sdOpen(t, name, file)
		g := func() *sdPlaced {
			if err := sdMain(d.Tree).st.openAll(context.Background(), d.Tree); err != nil {
				t.Fatal(err)
			}
			return sdMain(d.Tree).graphs[0]
		}
		for _, loss := range []string{"b", "w"} {
			e, err := g().setFields(context.Background(), d.Tree, map[int]any{sdGraphLoss: []string{loss}})
			if err != nil {
				t.Fatal(name, err)
			}
			sdApply(t, d, e...)
		}
		before, grown := sdReadAll(t, d), g().size
		for _, f := range sdFindings(d, "SDF-135") {
			if f.Grade() != model.Note {
				t.Errorf("%s: %s is more than a note", name, f.Text())
			}
		}
		sdAct(t, d, "compact", "")
		again := sdOpen(t, name, sdBytes(t, d, name))
		if errs := sdErrors(t, again); len(errs) > 0 {
			t.Errorf("%s: %v", name, errs)
		}
		if n := len(sdFindings(again, "SDF-135")); n > 0 {
			t.Errorf("%s: %d orphans are left", name, n)
		}
		if after := sdReadAll(t, again); !slices.Equal(before, after) {
			t.Errorf("%s: the library reads %q, not %q", name, after, before)
		}
		if n := g().size; n >= grown {
			t.Errorf("%s: the graph has %d bytes, and had %d", name, n, grown)
		}
		if d.Undo(context.Background()) == nil || g().size != grown {
			t.Errorf("%s: undo does not lead back", name)
		}
	}
}

// sdFolder writes files to a folder and returns what opens one of them.
func sdFolder(t testing.TB, files map[string][]byte) (open func(name string) *model.Document) {
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
		d, err := model.Open(context.Background(), filepath.Join(dir, name), All(), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(d.Close)
		return d
	}
}

// sdSame fails unless the arrays of the small graph are those that they were.
func sdSame(t testing.TB, name string, d *model.Document) {
	t.Helper()
	if errs := sdErrors(t, d); len(errs) > 0 {
		t.Errorf("%s: %v", name, errs)
	}
	for array, values := range map[string]string{"w": "[1 -2 0.5 3]", "b": "[0.25 -1]"} {
		if got := fmt.Sprint(sdElements(t, d, array)); got != values {
			t.Errorf("%s: %s = %s, want %s", name, array, got, values)
		}
	}
}
