package taridx

import (
	"archive/tar"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spandrel/model"
)

// act runs an action on a row and saves.
func act(t *testing.T, d *model.Document, name string, row int64, args map[string]string) error {
	t.Helper()
	for _, a := range actions {
		if a.Name != name {
			continue
		}
		edits, err := a.Plan(t.Context(), d.Tree, stateOf(d.Tree).rows.Child(row), args)
		if err != nil {
			return err
		}
		p, err := d.Plan(t.Context(), a.Label, edits...)
		if err != nil {
			return err
		}
		d.Apply(t.Context(), p, nil)
		_, err = d.Save(t.Context(), model.SaveOptions{NoBackup: true})
		return err
	}
	t.Fatalf("no action %s", name)
	return nil
}

// membersOf reads all shards of a document with the standard library.
func membersOf(t *testing.T, d *model.Document) map[string]string {
	t.Helper()
	out := map[string]string{}
	shards, _ := filepath.Glob(filepath.Join(filepath.Dir(d.Path), "*.tar"))
	for _, path := range shards {
		b, _ := os.ReadFile(path)
		for r := tar.NewReader(bytes.NewReader(b)); ; {
			h, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			payload, _ := io.ReadAll(r)
			out[h.Name] = string(payload)
		}
	}
	return out
}

// Content of any length takes the place of a member's: all other members stay as they are, and every row fits its member.
func TestReplacePayload(t *testing.T) {
	for _, text := range []string{"new", strings.Repeat("longer ", 300), ""} {
		d := goodSamples(t)["three-shards"].open(t)
		want := membersOf(t, d)
		before := len(findings(t, d))
		want["s0000.jpg"] = text
		if err := act(t, d, "replace-payload", 0, map[string]string{"text": text}); err != nil {
			t.Fatal(err)
		}
		got := membersOf(t, d)
		for name, payload := range want {
			if got[name] != payload {
				t.Errorf("%d bytes: %s has %d bytes, want %d", len(text), name, len(got[name]), len(payload))
			}
		}
		if len(got) != len(want) {
			t.Errorf("%d members became %d", len(want), len(got))
		}
		if found := findings(t, d); len(found) > before {
			t.Errorf("%d bytes: %v", len(text), found)
		}
		if b, _ := os.ReadFile(d.Path); accepts(b) != nil {
			t.Error(accepts(b))
		}
	}
	d := goodSamples(t)["one-shard"].open(t)
	for _, args := range []map[string]string{{"text": "a", "hex": "00"}, {"from": "../up"}, {"from": "none"}, {"hex": "0g"}} {
		if err := act(t, d, "replace-payload", 0, args); err == nil {
			t.Errorf("%v was taken", args)
		}
	}
	if err := act(t, d, "replace-payload", 1, map[string]string{"from": "train.taridx"}); err != nil {
		t.Error(err)
	}
}

// The table of payloads replaces many at once, and the files are those that one change after the other makes.
func TestPayloadsTable(t *testing.T) {
	with := map[int64]string{6: strings.Repeat("longer ", 300), 1: "", 2: "x", 5: strings.Repeat("y", 512), 9: "last"}
	one, all := goodSamples(t)["three-shards"].open(t), goodSamples(t)["three-shards"].open(t)
	var runs []model.Run
	for row, text := range with {
		r := model.Run{Column: payloadBytes, First: row}
		r.Append("bytes", model.S(text))
		runs = append(runs, r)
		if err := act(t, one, "replace-payload", row, map[string]string{"text": text}); err != nil {
			t.Fatal(err)
		}
	}
	payloads := func(d *model.Document) *model.Table {
		tables := d.Tree.Tables(t.Context())
		return &tables[model.TableIndex(tables, "payloads")]
	}
	edits, err := payloads(all).Edits(t.Context(), all.Tree, nil, runs...)
	if err != nil {
		t.Fatal(err)
	}
	p, err := all.Plan(t.Context(), "import", edits...)
	if err != nil {
		t.Fatal(err)
	}
	all.Apply(t.Context(), p, nil)
	if _, err := all.Save(t.Context(), model.SaveOptions{NoBackup: true}); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(filepath.Dir(one.Path), "*"))
	for _, path := range files {
		want, _ := os.ReadFile(path)
		if got, _ := os.ReadFile(filepath.Join(filepath.Dir(all.Path), filepath.Base(path))); !bytes.Equal(got, want) {
			t.Errorf("%s differs", filepath.Base(path))
		}
	}
	tab, members := payloads(all), membersOf(t, all)
	rows, err := tab.Read(t.Context(), 0, tab.Rows)
	if err != nil || int64(len(rows)) != tab.Rows {
		t.Fatal(len(rows), err)
	}
	for i, r := range rows {
		if text, set := with[int64(i)]; members[r[0].Value.Text()] != r[payloadBytes].Value.Text() || set && r[payloadBytes].Value.Text() != text {
			t.Errorf("row %d: %s", i, r[payloadBytes])
		}
	}
	for _, c := range []struct {
		cell model.Typed
		says string
	}{{model.Typed{Row: 1, Column: payloadBytes, Missing: true}, "row 1: the payload is missing"}, {model.Typed{Row: 1, Column: payloadBytes, Text: "0g"}, "hexadecimal"},
		{model.Typed{Row: 3, Column: 0, Text: "x"}, "rename the member"}} {
		if _, err := tab.Edits(t.Context(), all.Tree, []model.Typed{c.cell}); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: %v", c.cell, err)
		}
	}
	if _, err := tab.Put(t.Context(), nil, append(runs, runs[0])); err == nil || !strings.Contains(err.Error(), "same member") {
		t.Errorf("twice: %v", err)
	}
}

// A member is written to a file of its own, and nothing else changes.
func TestExtract(t *testing.T) {
	d := goodSamples(t)["one-shard"].open(t)
	want := membersOf(t, d)
	if err := act(t, d, "extract", 2, map[string]string{"file": ""}); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(filepath.Dir(d.Path), "s0001.jpg"))
	if err != nil || string(b) != want["s0001.jpg"] {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	for _, name := range []string{"s0001.jpg", "../out", "train_0009.tar", "val.taridx"} {
		if err := act(t, d, "extract", 2, map[string]string{"file": name}); err == nil {
			t.Errorf("%s was written", name)
		}
	}
}

// A member gets another name in shard and index: a new extension joins the table, and it may change its sample.
func TestRenameMember(t *testing.T) {
	d := goodSamples(t)["one-shard"].open(t)
	want := membersOf(t, d)
	for row, name := range map[int64]string{1: "s0000.json", 3: "s0009.cls"} {
		if err := act(t, d, "rename-member", row, map[string]string{"name": name}); err != nil {
			t.Fatal(err)
		}
	}
	got := membersOf(t, d)
	if got["s0000.json"] != want["s0000.cls"] || got["s0009.cls"] != want["s0001.cls"] || len(got) != len(want) {
		t.Errorf("%d members", len(got))
	}
	for _, f := range findings(t, d) {
		if f.Grade() == model.Error {
			t.Errorf("%s: %s; found %s, expected %s", f.Rule.ID, f.Text(), f.Found, f.Expected)
		}
	}
	if b, _ := os.ReadFile(d.Path); accepts(b) != nil {
		t.Error(accepts(b))
	}
	for _, name := range []string{"", "noext", ".x", "a b.c", "d/a.jpg", "s0002.jpg"} {
		if err := act(t, d, "rename-member", 0, map[string]string{"name": name}); err == nil {
			t.Errorf("%q was taken", name)
		}
	}
}

// A member behind a PAX header gets other content and another name too, in both headers.
func TestMemberBehindPax(t *testing.T) {
	doc := indexed(t, tarBytes(t, file{name: "dir/plain.jpg", size: 600, format: tar.FormatPAX, pax: map[string]string{"path": "dir/plain.jpg"}},
		file{name: "dir/plain.cls", size: 1}))
	d := doc.open(t)
	if err := act(t, d, "replace-payload", 1, map[string]string{"hex": "00 ff 10"}); err != nil {
		t.Fatal(err)
	}
	if err := act(t, d, "rename-member", 1, map[string]string{"name": "other.jpg"}); err != nil {
		t.Fatal(err)
	}
	got := membersOf(t, d)
	if got["dir/other.jpg"] != "\x00\xff\x10" || got["dir/plain.cls"] != "p" || len(got) != 2 {
		t.Errorf("%q", got)
	}
	b, _ := os.ReadFile(d.Path)
	w := &writer{}
	shard, _ := os.ReadFile(filepath.Join(filepath.Dir(d.Path), "train_0000.tar"))
	if w.shard(0, shard); !bytes.Equal(b[len(b)-96:], w.bytes()[len(w.bytes())-96:]) {
		t.Errorf("the rows are not those that the indexer makes of the shard")
	}
}

// An extension is renamed with all its members, also where their names stand in PAX headers; no other extension takes its place.
func TestRenameExtension(t *testing.T) {
	for name, doc := range map[string]indexDoc{"ustar": goodSamples(t)["three-shards"],
		"pax": indexed(t, tarBytes(t, file{name: "dir/plain.jpg", size: 600, format: tar.FormatPAX, pax: map[string]string{"path": "dir/plain.jpg"}}))} {
		d := doc.open(t)
		if name == "pax" { // its header has a row, as older indexers wrote them
			if _, err := renameExtension(t.Context(), d.Tree, stateOf(d.Tree).extSpan.Child(0), map[string]string{"name": "new.png"}); err != errHelperRow {
				t.Error(err)
			}
			if err := act(t, d, "drop-helpers", 0, nil); err != nil {
				t.Fatal(err)
			}
		}
		x, before, was := stateOf(d.Tree), len(findings(t, d)), membersOf(t, d)
		for _, wrong := range []string{"", "a b", "JPG", x.exts[len(x.exts)-1]} {
			if _, err := renameExtension(t.Context(), d.Tree, x.extSpan.Child(0), map[string]string{"name": wrong}); err == nil {
				t.Errorf("%s: %q is taken", name, wrong)
			}
		}
		last := len(x.exts) - 1
		ext := x.exts[last]
		edits, err := renameExtension(t.Context(), d.Tree, x.extSpan.Child(int64(last)), map[string]string{"name": "new.png"})
		if err != nil {
			t.Fatal(err)
		}
		p, err := d.Plan(t.Context(), "rename", edits...)
		if err != nil {
			t.Fatal(err)
		}
		d.Apply(t.Context(), p, nil)
		if _, err := d.Save(t.Context(), model.SaveOptions{NoBackup: true}); err != nil {
			t.Fatal(err)
		}
		is := membersOf(t, d)
		for member, payload := range was {
			stem, old := nameParts(member)
			if old == ext {
				member = strings.TrimSuffix(member, stem+"."+old) + stem + ".new.png"
			}
			if got, ok := is[member]; !ok || got != payload {
				t.Errorf("%s: %s is not there or has other content", name, member)
			}
		}
		if after := findings(t, d); len(after) > before || len(is) != len(was) || stateOf(d.Tree).exts[last] != "new.png" {
			t.Errorf("%s: %d findings became %d: %v", name, before, len(after), after)
		}
	}
}
