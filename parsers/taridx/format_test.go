package taridx

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
)

func (d indexDoc) open(t testing.TB) *model.Document {
	t.Helper()
	dir := t.TempDir()
	for name, b := range d {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	m, err := model.Open(context.Background(), filepath.Join(dir, "train.taridx"), formats, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

// TestTaridxActions runs every structural edit and has the reference reader judge what is saved.
func TestTaridxActions(t *testing.T) {
	ctx := context.Background()
	good, bad := goodSamples(t), badSamples(t)
	for _, c := range []struct {
		action, path string
		doc          indexDoc
		args         map[string]string
		check        string // a field that has this value afterwards
		value        string
	}{
		{"drop-rows", "", good["one-shard"], map[string]string{"from": "2", "to": "3"}, "header/n_stems", "2"},
		{"make-contiguous", "", good["interleaved"], nil, "header/flags", "1"},
		{"sort-rows", "", bad["033-order"], nil, "rows[0]/offset", "0"},
		{"renumber-fid", "", bad["040-fid"], map[string]string{"from": "1", "to": "0"}, "rows[5]/fid", "0"},
		{"drop-helpers", "", bad["050-helper"], nil, "header/n_rows", "2"},
		{"drop-helpers", "", bad["051-folder"], nil, "header/n_rows", "1"},
		{"drop-extension", "ext[2]", bad["031-unused-ext"], nil, "header/n_ext", "2"},
		{"reindex", "", bad["054-no-row"], nil, "header/n_rows", "6"},
		{"reindex", "", bad["043-no-header"], nil, "rows[0]/offset", "0"},
		{"add-row", "", bad["037-ragged"], map[string]string{"shard": "0", "offset": "0x1a00"}, "header/n_rows", "6"},
	} {
		d := c.doc.open(t)
		s, err := d.Tree.Find(ctx, c.path)
		if err != nil {
			t.Fatal(err)
		}
		done := false
		for _, a := range d.Format.Actions {
			if a.Name != c.action {
				continue
			}
			if !a.On(d.Tree, s) {
				t.Errorf("%s is not offered on %q", c.action, c.path)
			}
			edits, err := a.Plan(ctx, d.Tree, s, c.args)
			if err != nil {
				t.Fatalf("%s: %v", c.action, err)
			}
			p, err := d.Plan(ctx, a.Label, edits...)
			if err != nil {
				t.Fatalf("%s: %v", c.action, err)
			}
			d.Apply(ctx, p, nil)
			done = true
		}
		if !done {
			t.Fatalf("no action %s", c.action)
		}
		if _, err := d.Save(ctx, model.SaveOptions{NoBackup: true}); err != nil {
			t.Fatal(err)
		}
		b, _ := os.ReadFile(d.Path)
		if err := accepts(b); err != nil {
			t.Errorf("%s: the reference reader refuses what was saved: %v", c.action, err)
		}
		f, err := d.Tree.Find(ctx, c.check)
		if err != nil {
			t.Fatal(err)
		}
		if v, _ := d.Tree.Value(ctx, f); v.String() != c.value {
			t.Errorf("%s: %s is %s, want %s", c.action, c.check, v, c.value)
		}
	}
}

// TestRenameSample renames a sample in shard and index together: nothing else is found than before, and tar reads the new names.
func TestRenameSample(t *testing.T) {
	ctx := t.Context()
	for name, doc := range map[string]indexDoc{"ustar": goodSamples(t)["three-shards"],
		"pax": indexed(t, tarBytes(t, file{name: "dir/plain.jpg", size: 600, format: tar.FormatPAX,
			pax: map[string]string{"path": "dir/plain.jpg"}}))} {
		d := doc.open(t)
		row := d.Tree.State.(*index).rows.Child(d.Tree.State.(*index).n - 1)
		edits, err := renameSample(ctx, d.Tree, row, map[string]string{"name": "fresh"})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		p, err := d.Plan(ctx, "rename", edits...)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		before := len(findings(t, d))
		d.Apply(ctx, p, nil)
		if _, err := d.Save(ctx, model.SaveOptions{NoBackup: true}); err != nil {
			t.Fatal(err)
		}
		if after := findings(t, d); len(after) > before {
			t.Errorf("%s: %d findings became %d: %v", name, before, len(after), after)
		}
		found := false
		shards, _ := filepath.Glob(filepath.Join(filepath.Dir(d.Path), "*.tar"))
		for _, path := range shards {
			b, _ := os.ReadFile(path)
			for r := tar.NewReader(bytes.NewReader(b)); ; {
				h, err := r.Next()
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				found = found || strings.Contains(h.Name, "fresh.")
			}
		}
		if !found {
			t.Errorf("%s: no member has the new name", name)
		}
		first := stateOf(d.Tree).rows.Child(0)
		if _, err := renameSample(ctx, d.Tree, first, map[string]string{"name": "fresh"}); err == nil && name == "ustar" {
			t.Errorf("%s: a name was given twice", name)
		}
	}
}

// TestTaridxRename renames an extension to a longer one: both offsets follow, the rows stay as they are.
func TestTaridxRename(t *testing.T) {
	ctx := context.Background()
	d := goodSamples(t)["one-shard"].open(t)
	old, _ := os.ReadFile(d.Path)
	p, err := d.Plan(ctx, "rename", model.Set{Path: "ext[0]/name", Value: model.S("jpeg")})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Patches) != 3 || len(p.Warnings) != 1 {
		t.Errorf("%d patches and %d warnings", len(p.Patches), len(p.Warnings))
	}
	d.Apply(ctx, p, nil)
	if _, err := d.Save(ctx, model.SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	b, _ := os.ReadFile(d.Path)
	if err := accepts(b); err != nil {
		t.Error(err)
	}
	if !bytes.Equal(b[len(b)-6*32:], old[len(old)-6*32:]) || binary.LittleEndian.Uint64(b[48:]) != 72 {
		t.Error("the rows are not where they belong")
	}
	for _, name := range []string{"", "two words", "cls"} {
		if _, err := d.Plan(ctx, "rename", model.Set{Path: "ext[0]/name", Value: model.S(name)}); err == nil {
			t.Errorf("the extension %q was taken", name)
		}
	}
}

// TestTaridxHostile opens what no writer makes: there is always a tree or an error of one line, and never a crash.
func TestTaridxHostile(t *testing.T) {
	t.Parallel()
	base := goodSamples(t)["one-shard"]
	index := base["train.taridx"]
	with := func(f func(d indexDoc)) indexDoc {
		d := indexDoc{}
		for n, b := range base {
			d[n] = bytes.Clone(b)
		}
		f(d)
		return d
	}
	number := func(at int, n uint64) indexDoc {
		return with(func(d indexDoc) { binary.LittleEndian.PutUint64(d["train.taridx"][at:], n) })
	}
	docs := map[string]indexDoc{
		"empty":       with(func(d indexDoc) { d["train.taridx"] = nil }),
		"one byte":    with(func(d indexDoc) { d["train.taridx"] = index[:1] }),
		"header only": with(func(d indexDoc) { d["train.taridx"] = index[:64] }),
		"all FF":      with(func(d indexDoc) { d["train.taridx"] = bytes.Repeat([]byte{0xff}, 64) }),
		"gzip":        with(func(d indexDoc) { copy(d["train_0000.tar"], "\x1f\x8b\x08") }),
		"no shard":    with(func(d indexDoc) { delete(d, "train_0000.tar") }),
		"cut shard":   with(func(d indexDoc) { d["train_0000.tar"] = d["train_0000.tar"][:700] }),
		"renamed":     with(func(d indexDoc) { d["other_0.tar"] = d["train_0000.tar"]; delete(d, "train_0000.tar") }),
		"not UTF-8":   with(func(d indexDoc) { copy(d["train.taridx"][64:], "\xff\xfe\x80") }),
	}
	docs["many names"] = with(func(d indexDoc) {
		names := strings.Repeat("\nx", 70_000)
		d["train.taridx"] = shift(d["train.taridx"], 71, names)
	})
	for _, at := range []int{16, 24, 32, 40, 48, 72, 74, 82, 95} {
		for _, n := range []uint64{0, 1, 1 << 31, 1 << 32, 1 << 62, 1<<63 - 1, 1 << 63, math.MaxUint64} {
			docs["number"] = number(at, n)
			survive(t, docs["number"])
		}
	}
	for name, d := range docs {
		if found := survive(t, d); found == 0 && name != "no shard" && name != "renamed" && name != "number" {
			t.Errorf("%s: nothing is reported", name)
		}
	}
	for n := range index {
		survive(t, with(func(d indexDoc) { d["train.taridx"] = index[:n] }))
	}
	dir := filepath.Join(t.TempDir(), "x.taridx")
	os.Mkdir(dir, 0o755)
	if d, err := model.Open(context.Background(), dir, formats, nil); err == nil {
		d.Close()
		t.Error("a folder called x.taridx was opened")
	}
}

func survive(t *testing.T, doc indexDoc) int {
	t.Helper()
	d := doc.open(t)
	suite.Tiles(t, d.Tree)
	if err := d.Deep(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	for _, tab := range d.Tree.Tables(context.Background()) {
		if _, err := tab.Read(context.Background(), 0, 5); err != nil {
			t.Errorf("table %s: %v", tab.Name, err)
		}
	}
	suite.NoDefect(t, d.Tree)
	found, _ := d.Tree.Findings()
	return len(found)
}

// Names that change together are judged together: a swap is fine, two of one name are not.
func TestRenameTogether(t *testing.T) {
	d := goodSamples(t)["one-shard"].open(t)
	swap := []model.Edit{model.Set{Path: "ext[0]/name", Value: model.S("cls")}, model.Set{Path: "ext[1]/name", Value: model.S("jpg")}}
	if p, err := d.Plan(t.Context(), "swap", swap...); err != nil || len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], "rename three times") {
		t.Error(err, p)
	}
	if p, err := d.Plan(t.Context(), "rename", swap[0], model.Set{Path: "ext[1]/name", Value: model.S("q")}); err != nil || len(p.Warnings) != 1 || strings.Contains(p.Warnings[0], "change places") {
		t.Error(err, p)
	}
	twice := []model.Edit{model.Set{Path: "ext[0]/name", Value: model.S("q")}, model.Set{Path: "ext[1]/name", Value: model.S("q")}}
	if _, err := d.Plan(t.Context(), "twice", twice...); err == nil {
		t.Error("two extensions of one name were taken")
	}
}

// Readers refuse a folder with an index that has no shards, or with shards of another fold that have no index.
func TestFoldRefused(t *testing.T) {
	for name, change := range map[string]func(d indexDoc){
		"no shard": func(d indexDoc) { delete(d, "train_0000.tar") }, "no index": func(d indexDoc) { d["val_0000.tar"] = tarBytes(t) },
	} {
		for _, sample := range []string{"one-shard", "empty"} {
			doc := goodSamples(t)[sample]
			change(doc)
			found := findings(t, doc.open(t))
			if !slices.ContainsFunc(found, func(f model.Finding) bool { return f.Grade() == model.Error }) {
				t.Errorf("%s of %s is no error", name, sample)
			}
		}
	}
}
