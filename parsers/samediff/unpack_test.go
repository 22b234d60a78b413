package samediff

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"slices"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/inflate"
	"spandrel/parsers/samediff/flat"
)

// fixed applies the fix of a rule, and opens the result.
func fixed(t *testing.T, d *model.Document, rule, name string) *model.Document {
	t.Helper()
	errorsOf(t, d)
	found := findings(d, rule)
	if len(found) == 0 {
		t.Fatalf("%s: no %s", name, rule)
	}
	fixes := d.Tree.Fixes(context.Background(), &found[0])
	if len(fixes) == 0 {
		t.Fatalf("%s: no fix of %s", name, rule)
	}
	edits, err := fixes[0].Make(context.Background(), d.Tree)
	if err != nil {
		t.Fatal(name, err)
	}
	apply(t, d, edits...)
	d = openModel(t, name, bytesOf(t, d, name))
	if bad := errorsOf(t, d); len(bad) > 0 {
		t.Errorf("%s: %v", name, bad)
	}
	return d
}

// TestSameDiffUnpack stores sections and members that inflate far beyond the limit.
func TestSameDiffUnpack(t *testing.T) {
	t.Parallel()
	graph := fb(inline())
	z, err := inflate.Deflate(inflate.Zlib, 1, append(slices.Clone(graph), make([]byte, 65<<20)...))
	if err != nil {
		t.Fatal(err)
	}
	rec := recordOf(2, z)
	rec[9] |= 1
	d := fixed(t, openModel(t, "bomb.sdc", box(headOf(2), rec)), "SDF-023", "bomb.sdc")
	if s := main(d.Tree).con.sections[1]; s.rec.size != int64(len(graph))+65<<20 || s.rec.code() != 0 {
		t.Errorf("%+v", s.rec)
	}
	zeros := make([]byte, 3<<20)
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for name, content := range map[string][]byte{"model": nbSmall(), "zeros": zeros} {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write(content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	d = fixed(t, openModel(t, "m.sdz", out.Bytes()), "SDF-088", "m.sdz")
	b := bytesOf(t, d, "m.sdz")
	r, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.File {
		c, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(c)
		if err != nil || f.Name == "zeros" && (f.Method != zip.Store || !bytes.Equal(got, zeros)) {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}

// TestSameDiffLatin repairs a text that is not UTF-8.
func TestSameDiffLatin(t *testing.T) {
	g := inline()
	g[7] = "{\"a\":\"gr\xf6\xdfe\"}"
	d := fixed(t, openModel(t, "l.fb", fb(g)), "SDF-130", "l.fb")
	b := flat.Buffer(bytesOf(t, d, "l.fb"))
	if s, _ := b.Str(b.Root(), flat.GraphTraining); s != `{"a":"größe"}` {
		t.Errorf("%q", s)
	}
}

// TestSameDiffRenameIndex renames an array of a container: its index grows, and the arrays behind it keep their alignment.
func TestSameDiffRenameIndex(t *testing.T) {
	g := smallGraph(nil, nil)
	for _, v := range g[1].([]tableSpec) {
		delete(v, 4)
	}
	g[7] = `{"note":"w","lossVariables":[],"dataSetFeatureMapping":["\u0077"]}`
	file := box(headOf(3), recordOf(2, fb(g)), recordOf(3, arraysOf([]string{"w", "b"}, [][]byte{floats(1, -2, 0.5, 3), floats(0.25, -1)})))
	d := openModel(t, "r.sdc", file)
	want := elements(t, d, "w")
	for i, to := range []string{"weights of the first layer", "z"} {
		from := []string{"w", "weights of the first layer"}[i]
		actOn(t, d, "rename-variable", "", "from", from, "to", to)
		d = openModel(t, "r.sdc", bytesOf(t, d, "r.sdc"))
		if bad := errorsOf(t, d); len(bad) > 0 {
			t.Error(bad)
		}
		if got := elements(t, d, to); !slices.Equal(got, want) {
			t.Errorf("%s: %v, not %v", to, got, want)
		}
		b := bytesOf(t, d, "r.sdc")
		if !bytes.Contains(b, []byte(`{"note":"w","lossVariables":[],"dataSetFeatureMapping":["`+to+`"]}`)) {
			t.Errorf("%s: the training configuration is not right", to)
		}
	}
}

// TestSameDiffRenameShared renames a variable whose name is one text with that of an operation, which stays.
func TestSameDiffRenameShared(t *testing.T) {
	g := inline()
	g[2] = []tableSpec{testNode(7, "op", nil)}
	g[7] = `{"lossVariables":["w"]}`
	b := flat.Buffer(fb(g))
	name := int64(0)
	for _, v := range b.Tables(b.Root(), flat.GraphVariables) {
		if s, _ := b.Str(v, flat.VarName); s == "w" {
			name = b.Ref(v, flat.VarName)
		}
	}
	for _, n := range b.Tables(b.Root(), flat.GraphNodes) {
		at := b.Slot(n, flat.NodeName)
		binary.LittleEndian.PutUint32(b[at:], uint32(name-at))
	}
	for file, content := range map[string][]byte{"s.fb": b, "s.sdc": box(headOf(2), recordOf(2, b)), "s.sdnb": nbOf(b, nil, nil)} {
		for _, to := range []string{"v", "a name that is longer than the other one"} {
			d := openModel(t, file, content)
			actOn(t, d, "rename-variable", "", "from", "w", "to", to)
			d = openModel(t, file, bytesOf(t, d, file))
			p := d.Tree.State.(*state).docs[0].graphs[0]
			p.view(context.Background(), d.Tree, func(b flat.Buffer) error {
				v := p.open(b)
				training, _ := b.Str(v.graph, flat.GraphTraining)
				if _, ok := v.byName[to]; !ok || v.nodes[0].name != "w" || training != `{"lossVariables":["`+to+`"]}` {
					t.Errorf("%s: %v, node %s, training %s", file, v.byName, v.nodes[0].name, training)
				}
				return nil
			})
		}
	}
}

// zip64 moves the sizes of the only member of an archive into ZIP64 extra fields.
func zip64(b []byte, stored, n int) []byte {
	le := binary.LittleEndian
	extra := binary.LittleEndian.AppendUint64(le.AppendUint64([]byte{1, 0, 16, 0}, uint64(n)), uint64(stored))
	widen := func(head []byte, sizes, lengths int) {
		copy(head[sizes:], bytes.Repeat([]byte{0xff}, 8))
		le.PutUint16(head[lengths:], uint16(len(extra)))
	}
	dir := bytes.Index(b, []byte("PK\x01\x02"))
	end := bytes.LastIndex(b, []byte("PK\x05\x06"))
	widen(b, 18, 28)
	widen(b[dir:], 20, 30)
	le.PutUint32(b[end+12:], le.Uint32(b[end+12:])+uint32(len(extra)))
	le.PutUint32(b[end+16:], le.Uint32(b[end+16:])+uint32(len(extra)))
	name := int(le.Uint16(b[26:]))
	return slices.Concat(b[:30+name], extra, b[30+name:dir+46+name], extra, b[dir+46+name:])
}

// TestSameDiffZip64 edits a member whose sizes are in ZIP64 extra fields.
func TestSameDiffZip64(t *testing.T) {
	nb := nbSmall()
	file := zipPlain(t, nb)
	d := openModel(t, "z.sdz", zip64(file, int(binary.LittleEndian.Uint32(file[18:])), len(nb)))
	if bad := errorsOf(t, d); len(bad) > 0 {
		t.Fatal(bad)
	}
	actOn(t, d, "set-metadata", "", "key", "author", "value", "someone")
	b := bytesOf(t, d, "z.sdz")
	if bad := errorsOf(t, openModel(t, "z.sdz", b)); len(bad) > 0 {
		t.Error(bad)
	}
	r, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	c, err := r.File[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(c); err != nil || !bytes.Contains(got, []byte("someone")) {
		t.Error(len(got), err)
	}
}
