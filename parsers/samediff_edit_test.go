package parsers

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
)

// sdBytes returns a file of a document as it stands.
func sdBytes(t testing.TB, d *model.Document, name string) []byte {
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

// sdErrors returns the findings of severity error, deep checks included.
func sdErrors(t testing.TB, d *model.Document) (out []string) {
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

// sdApply makes edits and fails where they cannot be made.
func sdApply(t testing.TB, d *model.Document, edits ...model.Edit) {
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

// sdAct runs an action.
func sdAct(t testing.TB, d *model.Document, name, path string, args ...string) {
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
	i := slices.IndexFunc(sdActions, func(a model.Action) bool { return a.Name == name })
	if !sdActions[i].On(d.Tree, s) {
		t.Fatalf("%s does not apply to %q", name, path)
	}
	edits, err := sdActions[i].Plan(ctx, d.Tree, s, m)
	if err != nil {
		t.Fatal(name, err)
	}
	sdApply(t, d, edits...)
}

// sdRead reads a graph with the FlatBuffers library: names of variables with their data, names of nodes with inputs and outputs, and
// the metadata.
func sdRead(b []byte) (out []string) {
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
	nested := sdInline()
	nested[11] = []sdT{{0: "body", 1: sdFB(sdInline())}}
	for name, file := range map[string][]byte{
		"g.fb": sdFB(sdInline()), "n.fb": sdFB(nested), "g.sdnb": sdNBSmall(),
		"g.sdc": sdBox(sdHead(3), sdMetaOf("name", "tiny"), sdRec(2, sdFB(sdInline()))),
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
				d := sdOpen(t, name, file)
				before := len(sdErrors(t, d))
				if text == "" && strings.Contains(path, "variables") {
					continue // a variable needs a name
				}
				sdApply(t, d, model.Edit{Path: path, Value: model.S(text)})
				s, err := d.Tree.Find(context.Background(), path)
				if err != nil {
					t.Fatal(name, path, err)
				}
				if v, err := d.Tree.Value(context.Background(), s); err != nil || v.Text() != text {
					t.Fatalf("%s %s: %q, want %q: %v", name, path, v.Text(), text, err)
				}
				again := sdOpen(t, name, sdBytes(t, d, name))
				errs := slices.DeleteFunc(sdErrors(t, again), func(s string) bool { return strings.HasPrefix(s, "SDF-148") })
				if len(errs) > before {
					t.Errorf("%s %s=%q: %v", name, path, text, errs)
				}
				p := again.Tree.State.(*sdState).docs[0].graphs[0]
				b, err := again.Tree.Bytes(context.Background(), p.span.Range)
				if err != nil {
					t.Fatal(err)
				}
				if got := sdRead(b); len(got) != len(sdRead(sdFB(sdInline()))) && name != "g.sdnb" {
					t.Errorf("%s: the library reads %q", name, got)
				}
			}
		}
	}
}

// TestSameDiffMetadata sets, changes and drops keys in every family, and reads the graph again with the library.
func TestSameDiffMetadata(t *testing.T) {
	plain := sdRead(sdFB(sdInline()))
	var padded []byte
	{
		g := sdSmallGraph(sdStub(5, []int64{2, 2}, 0, 16), sdStub(5, []int64{2}, 16, 8))
		padded = sdNBOf(append(sdFB(g), make([]byte, 512)...), []string{"w", "b"}, [][]byte{sdFloats(1, -2, 0.5, 3), sdFloats(0.25, -1)})
	}
	z, err := sdDeflate("zlib", 9, sdFB(sdInline()))
	if err != nil {
		t.Fatal(err)
	}
	packed := sdRec(2, z)
	packed[9] |= 1
	for name, file := range map[string][]byte{
		"g.fb": sdFB(sdInline()), "g.sdnb": sdNBSmall(), "room.sdnb": padded,
		"g.sdc": sdBox(sdHead(3), sdMetaOf("name", "tiny"), sdRec(2, sdFB(sdInline()))),
		"m.sdc": sdBox(sdHead(2), sdRec(2, sdFB(sdInline()))),
		"j.sdc": sdBox(sdHead(3), sdRec(1, []byte(`{"name":"tiny"}`)), sdRec(2, sdFB(sdInline()))),
		"z.sdc": sdBox(sdHead(3), sdMetaOf("name", "tiny"), packed),
		"g.sdz": sdZipOf(t, 0, sdNBSmall()), "d.sdz": sdZipOf(t, 8, sdNBSmall()),
	} {
		d := sdOpen(t, name, file)
		if errs := sdErrors(t, d); len(errs) > 0 {
			t.Fatalf("%s: %v", name, errs)
		}
		get := func() map[string]string {
			d = sdOpen(t, name, sdBytes(t, d, name))
			if errs := sdErrors(t, d); len(errs) > 0 {
				t.Fatalf("%s: %v", name, errs)
			}
			m := map[string]string{}
			for _, tab := range d.Tables() {
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
		sdAct(t, d, "set-metadata", "", "key", "author", "value", "Ada")
		if m := get(); m["author"] != "Ada" {
			t.Fatalf("%s: %v", name, m)
		}
		if got := len(sdBytes(t, d, name)); name == "room.sdnb" && got != size {
			t.Errorf("%s grew from %d to %d although there was room", name, size, got)
		}
		sdAct(t, d, "set-metadata", "", "key", "author", "value", "Ada Lovelace, Countess")
		if m := get(); m["author"] != "Ada Lovelace, Countess" {
			t.Fatalf("%s: %v", name, m)
		}
		sdAct(t, d, "drop-metadata", "", "key", "author")
		if m := get(); m["author"] != "" {
			t.Fatalf("%s: %v", name, m)
		}
		if g := d.Tree.State.(*sdState).docs[0].graphs[0]; g.nb == nil {
			b, err := d.Tree.Bytes(context.Background(), g.span.Range)
			if err != nil {
				t.Fatal(err)
			}
			if got := sdRead(b); !slices.Equal(got[:5], plain[:5]) {
				t.Errorf("%s: the library reads %q, not %q", name, got, plain)
			}
		}
	}
}

// TestSameDiffSections compresses, stores, sorts and seals sections.
func TestSameDiffSections(t *testing.T) {
	file := sdBox(sdHead(3), sdMetaOf("name", "tiny"), sdRec(2, sdFB(sdInline())))
	d := sdOpen(t, "g.sdc", file)
	for _, step := range []struct{ action, path, key, value string }{
		{"compress", "records[2]", "level", "9"}, {"drop-crc", "records[2]", "", ""}, {"add-crc", "records[2]", "", ""},
		{"compress", "records[1]", "level", "1"}, {"store", "records[1]", "", ""}, {"store", "records[2]", "", ""},
	} {
		sdAct(t, d, step.action, step.path, step.key, step.value)
		d = sdOpen(t, "g.sdc", sdBytes(t, d, "g.sdc"))
		if errs := sdErrors(t, d); len(errs) > 0 {
			t.Fatalf("%s %s: %v", step.action, step.path, errs)
		}
	}
	if !bytes.Equal(sdBytes(t, d, "g.sdc"), file) {
		t.Error("sections do not come back as they were")
	}
	d = sdOpen(t, "g.sdc", sdBox(sdRec(2, sdFB(sdInline())), sdMetaOf("name", "tiny"), sdHead(3)))
	sdAct(t, d, "sort-sections", "")
	if !bytes.Equal(sdBytes(t, d, "g.sdc"), file) {
		t.Error("the sections are not in order")
	}
}

// TestSameDiffRename renames a variable in the graph and the manifest.
func TestSameDiffRename(t *testing.T) {
	for _, to := range []string{"v", "weights/of/the/first/layer"} {
		d := sdOpen(t, "g.sdnb", sdNBSmall())
		sdAct(t, d, "rename-variable", "", "from", "w", "to", to)
		d = sdOpen(t, "g.sdnb", sdBytes(t, d, "g.sdnb"))
		if errs := sdErrors(t, d); len(errs) > 0 {
			t.Fatalf("%s: %v", to, errs)
		}
		entries := d.Tree.State.(*sdState).docs[0].nbs[0].manifest.entries
		if i := slices.IndexFunc(entries, func(e sdManifestEntry) bool { return e.name == to && e.length == 16 }); i < 0 {
			t.Errorf("%s: the manifest has no such entry", to)
		}
	}
}
