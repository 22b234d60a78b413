package samediff

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	flatbuffers "github.com/google/flatbuffers/go"

	"spandrel/model"
	"spandrel/parsers/internal/inflate"
	"spandrel/parsers/samediff/manifest"
)

// bytesOf returns a file of a document as it stands.
func bytesOf(t testing.TB, d *model.Document, name string) []byte {
	t.Helper()
	c, err := d.Tree.Snapshot.Content(name)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(io.NewSectionReader(c, 0, c.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// errorsOf returns the findings of severity error, deep checks included.
func errorsOf(t testing.TB, d *model.Document) (out []string) {
	t.Helper()
	if err := d.Deep(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	found, _ := d.Tree.Findings()
	for _, f := range found {
		if f.Grade() == model.Error {
			out = append(out, f.Rule.ID+" at "+f.Path()+": "+f.Text())
		}
	}
	return out
}

// apply makes edits and fails where they cannot be made.
func apply(t testing.TB, d *model.Document, edits ...model.Edit) {
	t.Helper()
	p, err := d.Plan(context.Background(), "test", edits...)
	if err != nil {
		t.Fatal(err)
	}
	if p.Empty() {
		t.Fatal("the plan changes nothing")
	}
	d.Apply(context.Background(), p, nil)
}

// actOn runs an action.
func actOn(t testing.TB, d *model.Document, name, path string, args ...string) {
	t.Helper()
	ctx := context.Background()
	s, err := d.Tree.Find(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]string{}
	for i := 0; i < len(args); i += 2 {
		m[args[i]] = args[i+1]
	}
	i := slices.IndexFunc(actions, func(a model.Action) bool { return a.Name == name })
	if !actions[i].On(d.Tree, s) {
		t.Fatalf("%s does not apply to %q", name, path)
	}
	edits, err := actions[i].Plan(ctx, d.Tree, s, m)
	if err != nil {
		t.Fatal(name, err)
	}
	apply(t, d, edits...)
}

// read reads a graph with the FlatBuffers library: names of variables with their data, names of nodes with inputs and outputs, and
// the metadata.
func read(b []byte) (out []string) {
	tab := func(b []byte, pos flatbuffers.UOffsetT) flatbuffers.Table {
		return flatbuffers.Table{Bytes: b, Pos: pos}
	}
	root := tab(b, flatbuffers.GetUOffsetT(b))
	field := func(t flatbuffers.Table, slot int) flatbuffers.UOffsetT {
		return flatbuffers.UOffsetT(t.Offset(flatbuffers.VOffsetT(4 + 2*slot)))
	}
	text := func(t flatbuffers.Table, slot int) string {
		if o := field(t, slot); o != 0 {
			return string(t.ByteVector(t.Pos + o))
		}
		return ""
	}
	each := func(t flatbuffers.Table, slot int, f func(pos flatbuffers.UOffsetT)) {
		if o := field(t, slot); o != 0 {
			at := t.Vector(o)
			for i := range t.VectorLen(o) {
				f(t.Indirect(at + flatbuffers.UOffsetT(4*i)))
			}
		}
	}
	texts := func(t flatbuffers.Table, slot int) (out []string) {
		if o := field(t, slot); o != 0 {
			at := t.Vector(o)
			for i := range t.VectorLen(o) {
				out = append(out, string(t.ByteVector(at+flatbuffers.UOffsetT(4*i))))
			}
		}
		return out
	}
	each(root, 1, func(pos flatbuffers.UOffsetT) {
		v := tab(b, pos)
		line := "variable " + text(v, 1)
		if o := field(v, 4); o != 0 {
			a := tab(b, v.Indirect(v.Pos+o))
			if o := field(a, 1); o != 0 {
				line += fmt.Sprintf(" %x", a.ByteVector(a.Pos+o))
			}
		}
		out = append(out, line)
	})
	each(root, 2, func(pos flatbuffers.UOffsetT) {
		n := tab(b, pos)
		out = append(out, fmt.Sprintf("node %s %s %v", text(n, 1), text(n, 16), texts(n, 15)))
	})
	keys, values := texts(root, 9), texts(root, 10)
	for i := range keys {
		out = append(out, keys[i]+"="+values[i])
	}
	return append(out, "training "+text(root, 7), fmt.Sprint("placeholders ", texts(root, 5)))
}

// TestSameDiffTexts gives texts of a graph other lengths: shorter, into the padding, and beyond it.
func TestSameDiffTexts(t *testing.T) {
	nested := inline()
	nested[11] = []tableSpec{{0: "body", 1: fb(inline())}}
	for name, file := range map[string][]byte{
		"g.fb": fb(inline()), "n.fb": fb(nested), "g.sdnb": nbSmall(),
		"g.sdc": box(headOf(3), metaOf("name", "tiny"), recordOf(2, fb(inline()))),
	} {
		graph := map[string]string{"g.sdc": "records[2]/data"}[name]
		if graph == "" {
			graph = "graph"
		}
		for _, path := range []string{graph + "/nodes[0]/name/text", graph + "/variables[0]/name/text", "instance[0]/graph/nodes[0]/name/text"} {
			if strings.HasPrefix(path, "instance") != (name == "n.fb") && strings.HasPrefix(path, "instance") {
				continue
			}
			for _, text := range []string{"a", "", "affine2", "a much longer name than there was, beyond all padding"} {
				d := openModel(t, name, file)
				before := len(errorsOf(t, d))
				if text == "" && strings.Contains(path, "variables") {
					continue // a variable needs a name
				}
				apply(t, d, model.Set{Path: path, Value: model.S(text)})
				s, err := d.Tree.Find(context.Background(), path)
				if err != nil {
					t.Fatal(name, path, err)
				}
				if v, err := d.Tree.Value(context.Background(), s); err != nil || v.Text() != text {
					t.Fatalf("%s %s: %q, want %q: %v", name, path, v.Text(), text, err)
				}
				again := openModel(t, name, bytesOf(t, d, name))
				errs := slices.DeleteFunc(errorsOf(t, again), func(s string) bool { return strings.HasPrefix(s, "SDF-148") })
				if len(errs) > before {
					t.Errorf("%s %s=%q: %v", name, path, text, errs)
				}
				p := again.Tree.State.(*state).docs[0].graphs[0]
				b, err := again.Tree.Bytes(context.Background(), p.span.Range)
				if err != nil {
					t.Fatal(err)
				}
				if got := read(b); len(got) != len(read(fb(inline()))) && name != "g.sdnb" {
					t.Errorf("%s: the library reads %q", name, got)
				}
			}
		}
	}
}

// TestSameDiffMetadata sets, changes and drops keys in every family, and reads the graph again with the library.
func TestSameDiffMetadata(t *testing.T) {
	plain := read(fb(inline()))
	var padded []byte
	{
		g := smallGraph(stub(5, []int64{2, 2}, 0, 16), stub(5, []int64{2}, 16, 8))
		padded = nbOf(append(fb(g), make([]byte, 512)...), []string{"w", "b"}, [][]byte{floats(1, -2, 0.5, 3), floats(0.25, -1)})
	}
	z, err := inflate.Deflate(inflate.Zlib, 9, fb(inline()))
	if err != nil {
		t.Fatal(err)
	}
	packed := recordOf(2, z)
	packed[9] |= 1
	for name, file := range map[string][]byte{
		"g.fb": fb(inline()), "g.sdnb": nbSmall(), "room.sdnb": padded,
		"g.sdc": box(headOf(3), metaOf("name", "tiny"), recordOf(2, fb(inline()))),
		"m.sdc": box(headOf(2), recordOf(2, fb(inline()))),
		"j.sdc": box(headOf(3), recordOf(1, []byte(`{"name":"tiny"}`)), recordOf(2, fb(inline()))),
		"z.sdc": box(headOf(3), metaOf("name", "tiny"), packed),
		"g.sdz": zipOf(t, 0, nbSmall()), "d.sdz": zipOf(t, 8, nbSmall()),
	} {
		d := openModel(t, name, file)
		if errs := errorsOf(t, d); len(errs) > 0 {
			t.Fatalf("%s: %v", name, errs)
		}
		get := func() map[string]string {
			d = openModel(t, name, bytesOf(t, d, name))
			if errs := errorsOf(t, d); len(errs) > 0 {
				t.Fatalf("%s: %v", name, errs)
			}
			m := map[string]string{}
			for _, tab := range d.Tree.Tables(context.Background()) {
				if tab.Name != "metadata" {
					continue
				}
				rows, err := tab.Read(context.Background(), 0, tab.Rows)
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range rows {
					m[r[0].Value.Text()] = r[1].Value.Text()
				}
			}
			return m
		}
		size := len(file)
		actOn(t, d, "set-metadata", "", "key", "author", "value", "Ada")
		if m := get(); m["author"] != "Ada" {
			t.Fatalf("%s: %v", name, m)
		}
		if got := len(bytesOf(t, d, name)); name == "room.sdnb" && got != size {
			t.Errorf("%s grew from %d to %d although there was room", name, size, got)
		}
		actOn(t, d, "set-metadata", "", "key", "author", "value", "Ada Lovelace, Countess")
		if m := get(); m["author"] != "Ada Lovelace, Countess" {
			t.Fatalf("%s: %v", name, m)
		}
		actOn(t, d, "drop-metadata", "", "key", "author")
		if m := get(); m["author"] != "" {
			t.Fatalf("%s: %v", name, m)
		}
		if g := d.Tree.State.(*state).docs[0].graphs[0]; g.nb == nil {
			b, err := d.Tree.Bytes(context.Background(), g.span.Range)
			if err != nil {
				t.Fatal(err)
			}
			if got := read(b); !slices.Equal(got[:5], plain[:5]) {
				t.Errorf("%s: the library reads %q, not %q", name, got, plain)
			}
		}
	}
}

// TestSameDiffSections compresses, stores, sorts and seals sections.
func TestSameDiffSections(t *testing.T) {
	file := box(headOf(3), metaOf("name", "tiny"), recordOf(2, fb(inline())))
	d := openModel(t, "g.sdc", file)
	for _, step := range []struct{ action, path, key, value string }{
		{"compress", "records[2]", "level", "9"}, {"drop-crc", "records[2]", "", ""}, {"add-crc", "records[2]", "", ""},
		{"compress", "records[1]", "level", "1"}, {"store", "records[1]", "", ""}, {"store", "records[2]", "", ""},
	} {
		actOn(t, d, step.action, step.path, step.key, step.value)
		d = openModel(t, "g.sdc", bytesOf(t, d, "g.sdc"))
		if errs := errorsOf(t, d); len(errs) > 0 {
			t.Fatalf("%s %s: %v", step.action, step.path, errs)
		}
	}
	if !bytes.Equal(bytesOf(t, d, "g.sdc"), file) {
		t.Error("sections do not come back as they were")
	}
	d = openModel(t, "g.sdc", box(recordOf(2, fb(inline())), metaOf("name", "tiny"), headOf(3)))
	actOn(t, d, "sort-sections", "")
	if !bytes.Equal(bytesOf(t, d, "g.sdc"), file) {
		t.Error("the sections are not in order")
	}
}

// TestSameDiffRename renames a variable in the graph and the manifest.
func TestSameDiffRename(t *testing.T) {
	for _, to := range []string{"v", "weights/of/the/first/layer"} {
		d := openModel(t, "g.sdnb", nbSmall())
		actOn(t, d, "rename-variable", "", "from", "w", "to", to)
		d = openModel(t, "g.sdnb", bytesOf(t, d, "g.sdnb"))
		if errs := errorsOf(t, d); len(errs) > 0 {
			t.Fatalf("%s: %v", to, errs)
		}
		entries := d.Tree.State.(*state).docs[0].nbs[0].manifest.Entries
		if i := slices.IndexFunc(entries, func(e manifest.Entry) bool { return e.Name == to && e.Length == 16 }); i < 0 {
			t.Errorf("%s: the manifest has no such entry", to)
		}
	}
}

// A window that has no size or does not move is refused, as ND4J divides by it; other numbers of the operation are anybody's.
func TestWindow(t *testing.T) {
	g := inline()
	n := g[2].([]tableSpec)[0]
	n[9], n[16] = []int64{3, 3, 1, 1, 0, 0, 1, 1}, "conv2d"
	d := openModel(t, "conv.fb", fb(g))
	for i, refused := range []bool{true, true, true, true, false, false, false} {
		edit := model.Set{Path: fmt.Sprintf("graph/nodes[0]/extraInteger/elem[%d]", i), Value: model.I(0)}
		if _, err := d.Plan(t.Context(), "test", edit); (err != nil) != refused && i != 4 && i != 5 { // these are 0 already
			t.Errorf("number %d: %v", i, err)
		}
		if _, _, err := prepare(t.Context(), d.Tree, []model.Edit{edit}); (err != nil) != refused {
			t.Errorf("number %d: %v", i, err)
		}
	}
}
