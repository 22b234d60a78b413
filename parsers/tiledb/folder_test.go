package tiledb

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
	"spandrel/parsers/tiledb/rule"
	"spandrel/parsers/tiledb/storage"
)

// arrayFolder writes an array of one schema and n fragments without files.
func arrayFolder(t testing.TB, n int) string {
	t.Helper()
	dir := t.TempDir()
	put := func(name string, b []byte) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const enum = "__0123456789abcdef0123456789abcdef_0"
	s := sampleOf(23)
	s.enum, s.enums = "e", [][2]string{{"e", enum}}
	put("__schema/"+sampleName, sampleFile(s))
	put("__schema/__enumerations/"+enum, sampleEnum(enum, "redgreen", []uint64{0, 3}, 0))
	for i := range n {
		name := fmt.Sprintf("__%d_%d_%032x_23", 1700000000001+i, 1700000000001+i, i)
		put("__fragments/"+name+"/a0.tdb", nil)
		put("__commits/"+name+".wrt", nil)
	}
	return dir
}

func planAction(t *testing.T, d *model.Document, name, path string, args map[string]string) {
	t.Helper()
	ctx := context.Background()
	span, err := d.Tree.Find(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range d.Format.Actions {
		if a.Name == name {
			if !a.On(d.Tree, span) {
				t.Fatalf("%s does not apply to %s", name, path)
			}
			edits, err := a.Plan(ctx, d.Tree, span, args)
			if err != nil {
				t.Fatal(err)
			}
			plan, err := d.Plan(ctx, a.Label, edits...)
			if err != nil {
				t.Fatal(err)
			}
			d.Apply(ctx, plan, nil)
			return
		}
	}
	t.Fatalf("no action %s", name)
}

// A schema evolves into a new file that is current; the old one and its bytes stay.
func TestTDBEvolve(t *testing.T) {
	dir := arrayFolder(t, 2)
	d := open(t, dir)
	planAction(t, d, "evolve-schema", "schemas/"+sampleName+"/schema",
		map[string]string{"add": "new:FLOAT64:nullable, text:STRING_UTF8:var", "drop": "a"})
	if _, err := d.Save(context.Background(), model.SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	d = open(t, dir)
	rows, err := readTable(t, d, "attributes").Read(context.Background(), 0, 10)
	if err != nil || len(rows) != 3 || rows[1][0].String() != "new" || rows[1][3].Value.Uint() != 1 ||
		rows[2][1].String() != "STRING_UTF8" {
		t.Fatalf("%v %v", rows, err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "__schema", sampleName)); err != nil || bytes.Contains(b, []byte("new")) {
		t.Errorf("the old schema changed: %v", err)
	}
}

// An enumeration grows in a new file that a new schema names.
func TestTDBExtendEnumeration(t *testing.T) {
	d := open(t, arrayFolder(t, 0))
	planAction(t, d, "extend-enumeration", "enumerations/__0123456789abcdef0123456789abcdef_0/enumeration",
		map[string]string{"values": "blue, white"})
	rows, err := readTable(t, d, "enumerations").Read(context.Background(), 0, 10)
	var said []string
	for _, r := range rows {
		said = append(said, r[2].String())
	}
	if got := strings.Join(said, " "); err != nil || got != "red green blue white" {
		t.Error(got, err)
	}
	found, _ := d.Tree.Findings()
	for _, f := range found {
		if f.Grade() == model.Error {
			t.Errorf("%s: %s", f.Rule.ID, f.Text())
		}
	}
}

// An enumeration is added, an attribute uses it, and another that is not used is dropped; the current domain grows around the
// cells that there are, and what TileDB forbids is refused.
func TestTDBEvolveMore(t *testing.T) {
	ctx := context.Background()
	dir := writeFiles(t, t.TempDir(), sampleArray(23, true))
	d := open(t, dir)
	planAction(t, d, "add-enumeration", "", map[string]string{"name": "size", "type": "INT16", "values": "1, 2, 300", "ordered": "yes"})
	planAction(t, d, "add-enumeration", "", map[string]string{"name": "spare", "type": "STRING_ASCII", "values": "x"})
	planAction(t, d, "evolve-schema", "", map[string]string{"add": "s:UINT8:enum=size", "drop-enumerations": "spare", "grow": "x=1:10"})
	if _, err := d.Save(ctx, model.SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	d = open(t, dir)
	rows, err := readTable(t, d, "enumerations").Read(ctx, 0, 10)
	if err != nil || len(rows) != 3 || rows[2][2].String() != "300" {
		t.Fatalf("%v %v", rows, err)
	}
	if rows, _ = readTable(t, d, "attributes").Read(ctx, 2, 1); rows[0][6].String() != "size" {
		t.Errorf("%v", rows)
	}
	for id := range rulesOf(t, d) {
		if r := rule.EnumUnused; id != r.ID { // the schemas in between have the enumerations without attributes
			t.Errorf("says %s", id)
		}
	}
	for _, args := range []map[string]string{
		{"drop-enumerations": "size"}, {"drop-enumerations": "none"}, {"drop": "none"}, {"add": "a:INT32"}, {"add": "z"}, {"add": "z:NONE"}, {"add": "z:FLOAT32:enum=size"},
		{"add": "z:INT8:enum=none"}, {"add": "__z:INT8"}, {"add": "z:ANY"}, {"grow": "x=2:10"}, {"grow": "x=0:11"}, {"grow": "x=5:1"}, {"grow": "none=1:2"}, {"grow": "x"},
	} {
		if _, err := evolve(ctx, d.Tree, d.Tree.Root, args); err == nil {
			t.Errorf("%v is not refused", args)
		}
	}
	d = open(t, writeFiles(t, t.TempDir(), sampleArray(23, true)))
	if _, err := evolve(ctx, d.Tree, d.Tree.Root, map[string]string{"grow": "x=1:9"}); err == nil {
		t.Error("a current domain without some of the cells is not refused")
	}
}

// An encrypted schema is edited in place: what is written opens with the key, and says the new value.
func TestTDBEditEncrypted(t *testing.T) {
	ctx := context.Background()
	tile, err := storage.WriteTile(t.Context(), 23, sampleOf(23).payload(), []byte(suite.CorpusKey))
	if err != nil {
		t.Fatal(err)
	}
	dir := writeFiles(t, t.TempDir(), map[string][]byte{"__schema/" + sampleName: tile})
	d := open(t, dir)
	plan, err := d.Plan(ctx, "rename", model.Set{Path: "schemas/" + sampleName + "/schema/attributes[0]/name", Value: model.S("renamed")})
	if err != nil {
		t.Fatal(err)
	}
	d.Apply(ctx, plan, nil)
	if _, err := d.Save(ctx, model.SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, "__schema", sampleName))
	if err != nil {
		t.Fatal(err)
	}
	s := sampleOf(23)
	s.names[0] = "renamed"
	if payload, err := genericPayload(b, []byte(suite.CorpusKey)); err != nil || !bytes.Equal(payload, s.payload()) {
		t.Errorf("%v: %q", err, payload)
	}
}

// A fragment whose metadata are something else is passed over by the tables.
func TestTDBGlanceDamaged(t *testing.T) {
	files := sampleArray(23, true)
	d := open(t, writeFiles(t, t.TempDir(), files))
	for name := range files {
		if !strings.HasSuffix(name, "__fragment_metadata.tdb") {
			continue
		}
		for _, other := range files {
			d.Tree = model.Parse(context.Background(), d.Tree.Snapshot.With(name, model.BytesContent(other)), d.Format)
			readTable(t, d, "cells")
		}
	}
}

// A deep check enters the members of a group, and the members of members, and ends when it is cancelled.
func TestTDBDeepGroup(t *testing.T) {
	files := map[string][]byte{"__tiledb_group.tdb": nil, "inner/__tiledb_group.tdb": nil}
	for i, name := range []string{"one", "inner/two", "inner/three"} {
		for file, b := range sampleText(func(_ [][]uint64, valid [][]byte) { valid[0][i] = 2 }) {
			files[name+"/"+file] = b
		}
	}
	d := open(t, writeFiles(t, t.TempDir(), files))
	ctx, cancel := context.WithCancel(context.Background())
	tree := model.Parse(ctx, d.Tree.Snapshot, d.Format)
	cancel()
	if err := d.DeepOn(ctx, tree, nil); err == nil {
		t.Error("a cancelled check ends without an error")
	}
	if err := d.Deep(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, f := range damageIn(d.Tree) {
		said = append(said, f.Rule.ID+" "+strings.Join(strings.Split(f.Path(), "/")[:2], "/"))
	}
	if got := strings.Join(said, ", "); got != "TDB-175 members/one, TDB-175 members/inner, TDB-175 members/inner" {
		t.Error(got)
	}
}

// Without the key of an encrypted array a note says what is needed, once; nothing is wrong. A wrong key is an error. The key
// may come from the environment or from a window, which parses the snapshot again.
func TestTDBEncrypted(t *testing.T) {
	key := []byte("0123456789abcdefghijklmnopqrstuv")
	b, err := storage.WriteTile(t.Context(), 23, sampleOf(23).payload(), key)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { storage.Secret.Give("") })
	files := sampleArray(23, false)
	for name := range files {
		if strings.HasPrefix(name, "__schema/") {
			files[name] = b
		}
	}
	files["__meta/"+sampleName] = b
	d := open(t, writeFiles(t, t.TempDir(), files))
	t.Setenv("SPANDREL_TILEDB_KEY", "")
	d.Tree = model.Parse(context.Background(), d.Tree.Snapshot, d.Format)
	rulesOf(t, d) // opens everything
	found, _ := d.Tree.Findings()
	if len(found) != 1 || found[0].Rule.ID != "TDB-023" || found[0].Grade() != model.Note || found[0].Needs != storage.Secret {
		t.Errorf("%+v", found)
	}
	storage.Secret.Give("x123456789abcdefghijklmnopqrstuv")
	d.Tree = model.Parse(context.Background(), d.Tree.Snapshot, d.Format)
	if found, _ := d.Tree.Findings(); len(found) == 0 || found[0].Rule.ID != "TDB-023" || found[0].Grade() != model.Error ||
		found[0].Needs != storage.Secret {
		t.Errorf("a wrong key: %+v", found)
	}
	storage.Secret.Give(string(key))
	d.Tree = model.Parse(context.Background(), d.Tree.Snapshot, d.Format)
	if n := readTable(t, d, "attributes").Rows; n != 2 {
		t.Errorf("%d attributes with the key", n)
	}
	storage.Secret.Give("")
	t.Setenv("SPANDREL_TILEDB_KEY", fmt.Sprintf("%x", key))
	if rules := rulesOf(t, bytesOf(t, sampleName, b)); len(rules) > 0 {
		t.Errorf("with the key in hexadecimal: %v", rules)
	}
	if storage.Secret.Check("short") == nil || storage.Secret.Check(string(key)) != nil {
		t.Error("what can be a key")
	}
}

func BenchmarkTDBManyAttributes(b *testing.B) {
	s := sampleOf(23)
	s.attrs, s.filters = 10_000, func(w *byteWriter) { w.pipe() }
	file := sampleFile(s)
	for b.Loop() {
		d := bytesOf(b, sampleName, file)
		if n := readTable(b, d, "attributes").Rows; n != 10_000 {
			b.Fatal(n)
		}
	}
}

// TileDB compares whole lines of the lists of files: one that ends with a carriage return commits nothing, and vacuums nothing.
func TestTDBListsOfCarriageReturns(t *testing.T) {
	files := sampleArray(23, true)
	for name := range files {
		if strings.HasSuffix(name, ".wrt") {
			files[strings.TrimSuffix(name, ".wrt")+".con"] = []byte(name + "\r\n")
			delete(files, name)
		}
	}
	d := open(t, writeFiles(t, t.TempDir(), files))
	empty := slices.ContainsFunc(damageIn(d.Tree), func(f model.Finding) bool { return f.Rule == rule.Uncommitted && f.Grade() == model.Error })
	if !empty || rulesOf(t, d)["TDB-179"] == false {
		t.Errorf("a commit: %v", rulesOf(t, d))
	}
	files = sampleArray(23, true)
	files["__commits/"+sampleName+"_23.vac"] = []byte("/__fragments/" + sampleName + "_23\r\n")
	d = open(t, writeFiles(t, t.TempDir(), files))
	if got := rulesOf(t, d); !maps.Equal(got, map[string]bool{"TDB-179": true}) {
		t.Errorf("a vacuum file: %v", got)
	}
}

// A consolidated commit holds delete commits between its lines: their sizes are checked against their tiles, and the lines behind
// them are still found.
func TestTDBCommitBlocks(t *testing.T) {
	ctx := context.Background()
	condition := sampleTile(23, new(byteWriter).put(byte(1), byte(4)).text("a").put(uint64(4), int32(10)).Bytes()) // 10 is a newline
	for _, off := range []uint64{0, 1, 1 << 62} {
		files := sampleArray(23, true)
		name := "__commits/" + sampleName + "_23.con"
		marker := ""
		for file := range files {
			if strings.HasSuffix(file, ".wrt") {
				marker = file
			}
		}
		delete(files, marker)
		files[name] = new(byteWriter).put("__commits/"+sampleName+"_23.del\n", uint64(len(condition))+off, condition, marker+"\n").Bytes()
		d := open(t, writeFiles(t, t.TempDir(), files))
		want := map[string]bool{"TDB-179": true}
		if off == 0 {
			want = map[string]bool{}
		}
		if got := rulesOf(t, d); !maps.Equal(got, want) {
			t.Errorf("size off by %d: %v", off, got)
		}
		found := damageIn(d.Tree)
		if off == 0 {
			continue
		}
		if len(found) != 1 || len(d.Tree.Fixes(t.Context(), &found[0])) != 1 {
			t.Fatalf("%+v", found)
		}
		plan, err := d.Plan(ctx, "fix", d.Tree.Fixes(ctx, &found[0])[0].Edits...)
		if err != nil {
			t.Fatal(err)
		}
		d.Apply(ctx, plan, nil)
		if got := rulesOf(t, d); len(got) > 0 {
			t.Errorf("after the repair: %v", got)
		}
	}
}

// An array of TileDB 0.x, in its workspace, is named as what it is: nothing is wrong with its files.
func TestTDBForeign(t *testing.T) {
	schema := append([]byte{0xfd, 0xff, 0xff, 0xff, 0, 0, 0, 0, 9, 0, 0, 0}, "/home/a/b and more of it"...)
	frag := "__4006A3C2-AA4A-47D5-A836-18A2F8C0F17E4555318720_1586969354458"
	d := open(t, writeFiles(t, t.TempDir(), map[string][]byte{"__tiledb_workspace.tdb": nil, "__tiledb_group.tdb": nil,
		"a/__array_schema.tdb": schema, "a/" + frag + "/a1.tdb": bytes.Repeat([]byte("\x78\x9c\x63"), 20),
		"a/" + frag + "/__tiledb_fragment.tdb": nil, "a/" + frag + "/__book_keeping.tdb.gz": {0x1f, 0x8b, 8}}))
	if err := d.Deep(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	found, _ := d.Tree.Findings()
	if len(found) != 1 || !strings.Contains(found[0].Text(), "TileDB 0.x") || found[0].Grade() != model.Note {
		t.Errorf("%v", found)
	}
}
