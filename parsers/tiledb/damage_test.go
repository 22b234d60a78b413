package tiledb

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/parsers/internal/suite"
	"spandrel/parsers/tiledb/rule"
)

// hurt opens a copy of an array that TileDB wrote after something happened to its files.
func hurt(t *testing.T, name string, do func(find func(part string) string)) (*model.Document, string) {
	t.Helper()
	_, dir := written(t, name)
	do(func(part string) string {
		for file := range contents(t, dir) {
			if strings.Contains(file, part) {
				return filepath.Join(dir, filepath.FromSlash(file))
			}
		}
		t.Fatal(part)
		return ""
	})
	d := open(t, dir)
	if err := d.Deep(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return d, dir
}

// firstFix is the first repair of the first finding that offers one, which a person would press.
func firstFix(t *testing.T, d *model.Document) (*model.Finding, *model.Fix) {
	t.Helper()
	found, _ := d.Tree.Findings()
	for i := range found {
		if fixes := d.Tree.Fixes(t.Context(), &found[i]); len(fixes) > 0 {
			return &found[i], &fixes[0]
		}
	}
	t.Fatalf("nothing is offered for %v", found)
	return nil, nil
}

func try(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// What a copy loses and what a person renames comes back: commits, names of schemas, metadata of fragments.
func TestLostFilesComeBack(t *testing.T) {
	for what, x := range map[string]struct {
		array string
		do    func(t *testing.T, find func(string) string)
		safe  bool
		label string
	}{
		"commit":          {"sparse-v22", func(t *testing.T, find func(string) string) { try(t, os.Remove(find(".wrt"))) }, false, "commit"}, // the only write may have been interrupted
		"commit of dense": {"dense-v22", func(t *testing.T, find func(string) string) { try(t, os.Remove(find(".wrt"))) }, false, "commit"},
		"commits folder":  {"sparse-v22", func(t *testing.T, find func(string) string) { try(t, os.RemoveAll(filepath.Dir(find(".wrt")))) }, false, "commit"},
		"schema renamed": {"sparse-v22", func(t *testing.T, find func(string) string) {
			old := find("__schema/")
			try(t, os.Rename(old, filepath.Join(filepath.Dir(old), "schema (1)")))
		}, true, "rename"},
		"metadata gone": {"sparse-v22", func(t *testing.T, find func(string) string) { try(t, os.Remove(find(metaFileF.Name))) }, false, "build"},
		"metadata cut":  {"sparse-v22", func(t *testing.T, find func(string) string) { try(t, os.Truncate(find(metaFileF.Name), 3000)) }, false, "build"},
		"metadata empty": {"sparse-v22", func(t *testing.T, find func(string) string) {
			try(t, os.Truncate(find(metaFileF.Name), 0))
		}, false, "build"},
	} {
		d, _ := hurt(t, x.array, func(find func(string) string) { x.do(t, find) })
		f, fix := firstFix(t, d)
		if fix.Safe != x.safe || !strings.Contains(fix.Label, x.label) || f.Grade() != model.Error && x.safe {
			t.Errorf("%s: %s %q offers %q, safe %v", what, f.Grade(), f.Text(), fix.Label, fix.Safe)
			continue
		}
		edits, err := fix.Make(t.Context(), d.Tree)
		try(t, err)
		p, err := d.Plan(t.Context(), fix.Label, edits...)
		try(t, err)
		d.Apply(t.Context(), p, nil)
		try(t, d.Deep(t.Context(), nil))
		if found, _ := d.Tree.Findings(); len(found) > 0 {
			t.Errorf("%s: afterwards %s: %s", what, found[0].Path(), found[0].Text())
		}
		if rows := readTable(t, d, "cells").Rows; rows != 20 {
			t.Errorf("%s: %d rows", what, rows)
		}
	}
}

// A list of a fragment whose header is damaged begins as a footer without a length would: the file is not too long for that.
func TestBrokenListIsNoFooter(t *testing.T) {
	for name, at := range map[string]int64{"sparse-v4": 143, "dense-v9": 142} {
		d, _ := hurt(t, name, func(find func(string) string) {
			path := find("__fragment_metadata.tdb")
			b, err := os.ReadFile(path)
			try(t, err)
			copy(b[at:], "\x2a\x00\x17\x01")
			try(t, os.WriteFile(path, b, 0o600))
		})
		for _, e := range extents(t.Context(), d.Tree) {
			if c, err := d.Tree.Snapshot.Content(e.File); err == nil && e.Size < c.Len() {
				t.Errorf("%s should be %d bytes long, and has %d", e.File, e.Size, c.Len())
			}
		}
	}
}

// A commit is not written by itself where a consolidated fragment may hold the same cells, or where a file of the fragment is missing.
func TestCommitInDoubt(t *testing.T) {
	d, _ := hurt(t, "sparse-v22", func(find func(string) string) {
		try(t, os.Remove(find("a0.tdb")))
		try(t, os.Remove(find(".wrt")))
	})
	found, _ := d.Tree.Findings()
	i := slices.IndexFunc(found, func(f model.Finding) bool { return f.Rule == rule.Uncommitted })
	if i < 0 {
		t.Fatal("the missing commit is not reported")
	}
	for _, fix := range d.Tree.Fixes(t.Context(), &found[i]) {
		if fix.Safe {
			t.Errorf("%q is called safe", fix.Label)
		}
	}
}

// A schema of which only the beginning was written, and that no fragment has, is left out: TileDB does not open an array with it.
func TestSalvageWithoutBrokenSchema(t *testing.T) {
	newest := "__1900000000000_1900000000000_" + strings.Repeat("0a", 16)
	d, _ := hurt(t, "sparse-v22", func(find func(string) string) {
		b, err := os.ReadFile(find("__schema/__1"))
		try(t, err)
		try(t, os.WriteFile(filepath.Join(filepath.Dir(find("__schema/__1")), newest), b[:64], 0o600))
	})
	got, err := model.Salvage(t.Context(), d.Tree)
	try(t, err)
	if last := got.Parts[len(got.Parts)-1]; !got.Valid() || last.Saved != 1 || last.Of != 2 || last.Lost != newest {
		t.Errorf("%+v", got.Parts)
	}
}

// A fragment whose schema is missing is read with the schema of the array: that its cells are the array's is in doubt.
func TestSalvageForeignFragment(t *testing.T) {
	d, _ := hurt(t, "sparse-v22", func(find func(string) string) {
		name := find(metaFileF.Name)
		b, err := os.ReadFile(name)
		try(t, err)
		at := bytes.LastIndex(b, []byte(filepath.Base(find("__schema/__"))))
		copy(b[at:], "__1699999999999_1699999999999_"+strings.Repeat("ab", 16))
		try(t, os.WriteFile(name, b, 0o600))
	})
	got, err := model.Salvage(t.Context(), d.Tree)
	try(t, err)
	if got.Valid() || len(got.Doubts) != 1 || !strings.Contains(got.Doubts[0], "another schema") {
		t.Errorf("%+v, %q", got.Parts, got.Doubts)
	}
}

// What is left of damaged data files is saved as an array without findings, and what is lost is said: of tiles that are lost in the file of one
// attribute the values of that attribute alone.
func TestSalvage(t *testing.T) {
	for what, x := range map[string]struct {
		array, file string
		left        int64  // bytes of the file; -1: it is missing
		lost        string // the attribute
		values      int64  // that are left of it
	}{
		"sparse cut":   {"sparse-v22", "a0.tdb", 190, "n", 16},
		"dense cut":    {"dense-v22", "a2.tdb", 200, "part", 15},
		"validity cut": {"dense-v22", "a2_validity.tdb", 60, "part", 5},
		"texts cut":    {"dense-v22", "a1_var.tdb", 1, "word", 0},
		"footer gone":  {"sparse-v22", metaFileF.Name, 5000, "", 0},
		"nothing":      {"dense-v22", "a0.tdb", 1 << 20, "", 0},
		"commits gone": {"dense-v22", ".wrt", -1, "", 0},
	} {
		sound, _ := written(t, x.array)
		d, _ := hurt(t, x.array, func(find func(string) string) {
			name := find(x.file)
			st, err := os.Stat(name)
			if try(t, err); x.left < 0 {
				try(t, os.Remove(name))
			} else {
				try(t, os.Truncate(name, min(x.left, st.Size())))
			}
		})
		got, err := Format.Salvage(t.Context(), d.Tree)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		files := map[string][]byte{}
		for name, src := range got.Files {
			b := make([]byte, src.Len())
			src.ReadAt(b, 0)
			files[name] = b
		}
		fresh := open(t, writeFiles(t, t.TempDir(), files))
		try(t, fresh.Deep(t.Context(), nil))
		if found, _ := fresh.Tree.Findings(); len(found) > 0 {
			t.Errorf("%s: the new array says %s: %s", what, found[0].Path(), found[0].Text())
		}
		if part := got.Parts[1]; part.Saved != 20 || part.Lost != "" {
			t.Errorf("%s: %s", what, part)
		}
		want := 3
		if x.values == 0 { // the attribute is lost as a whole
			want = 4
		}
		if x.lost != "" && (len(got.Parts) != want || got.Parts[2].Saved != x.values || got.Parts[2].Of != 20 || !strings.Contains(got.Parts[2].Lost, x.lost)) ||
			x.lost == "" && len(got.Parts) != 2 {
			t.Errorf("%s: %v", what, got.Parts)
		}
		was, is := columnsOf(t, sound), columnsOf(t, fresh)
		for name := range was {
			same := 0
			for i := range was[name] {
				if slices.Contains(is[name], was[name][i]) {
					same++
				}
			}
			if name != "fragment" && (name != x.lost && same != 20 || same < int(x.values)) {
				t.Errorf("%s: of %s only %d values are the same", what, name, same)
			}
		}
	}
}

// columnsOf prints the cells of an array, by column.
func columnsOf(t *testing.T, d *model.Document) map[string][]string {
	t.Helper()
	table := readTable(t, d, "cells")
	rows, err := table.Read(t.Context(), 0, table.Rows)
	try(t, err)
	out := map[string][]string{}
	for _, r := range rows {
		for i, c := range table.Columns {
			out[c.Name] = append(out[c.Name], r[i].String())
		}
	}
	return out
}

// A file of one attribute costs that attribute and not the array, in a version too that is not written any more; an array of which nothing else
// can be read is refused.
func TestSalvageColumn(t *testing.T) {
	penguins := filepath.Join(suite.Corpus(t, "tiledb"), "real", "r_v9_penguins")
	for _, left := range []int64{-1, 40} {
		dir := filepath.Join(t.TempDir(), "a")
		try(t, os.CopyFS(dir, os.DirFS(penguins)))
		files, err := filepath.Glob(filepath.Join(dir, "*", "a2.tdb"))
		if try(t, err); len(files) != 1 {
			t.Fatal(files)
		}
		try(t, os.Chmod(files[0], 0o600))
		if left < 0 {
			try(t, os.Remove(files[0]))
		} else {
			try(t, os.Truncate(files[0], left))
		}
		d, sound := open(t, dir), open(t, penguins)
		s, err := model.Salvage(t.Context(), d.Tree)
		if try(t, err); !s.Valid() || !strings.HasPrefix(s.Contents(), "1 of 1 fragments, 344 of 344 cells") || !strings.HasSuffix(s.Contents(), "7 of 8 attributes") {
			t.Fatalf("%s, %s", s.Contents(), s.Verdict())
		}
		was, is := columnsOf(t, sound), columnsOf(t, &model.Document{Format: Format, Tree: s.Tree(t.Context(), d.Tree)})
		for name := range was {
			if same := slices.Equal(was[name], is[name]); same == (name == "bill_length_mm") && name != "fragment" {
				t.Errorf("%s: the same is %v", name, same)
			}
		}
	}
}

func TestSalvageNoColumn(t *testing.T) {
	d, _ := hurt(t, "dense-v9", func(find func(string) string) {
		try(t, os.Remove(find("a0.tdb")))
		try(t, os.Remove(find("a1.tdb")))
	})
	if s, err := model.Salvage(t.Context(), d.Tree); err == nil {
		t.Error(s.Contents())
	}
}

// TestSalvageOtherValues damages a byte that the filters do not notice: the values that come of it are kept, and not called intact.
func TestSalvageOtherValues(t *testing.T) {
	tried := 0
	for at := 0; at < 200 && tried < 3; at++ {
		d, _ := hurt(t, "sparse-v22", func(find func(string) string) {
			b, err := os.ReadFile(find("a0.tdb"))
			try(t, err)
			b[at] ^= 0x10
			try(t, os.WriteFile(find("a0.tdb"), b, 0o600))
		})
		found, _ := d.Tree.Findings()
		if !slices.ContainsFunc(found, func(f model.Finding) bool { return f.Rule == rule.StatisticsDiffer }) ||
			slices.ContainsFunc(found, func(f model.Finding) bool {
				return f.Grade() == model.Error && f.Rule != rule.StatisticsDiffer
			}) {
			continue
		}
		tried++
		s, err := model.Salvage(t.Context(), d.Tree)
		if try(t, err); strings.Contains(s.Contents(), "20 of 20 cells") || s.Valid() {
			t.Errorf("byte %d: %s, %s", at, s.Contents(), s.Verdict())
		}
	}
	if tried == 0 {
		t.Error("no byte makes other values")
	}
}

// A deletion that cannot be read is left out, and said to be lost: with it no one could read the array.
func TestSalvageDeletion(t *testing.T) {
	files := sampleArray(22, true)
	survive := append([]byte{1, 3}, binary.LittleEndian.AppendUint32(nil, 1)...) // a >= 5
	survive = append(binary.LittleEndian.AppendUint64(append(survive, 'a'), 4), 5, 0, 0, 0)
	tile := sampleTile(22, survive)
	files[fmt.Sprintf("__commits/__%d_%d_%032x_22.del", sampleTime+20, sampleTime+20, 9)] = tile
	for _, whole := range []bool{true, false} {
		if !whole {
			tile[len(tile)-9] ^= 0x55
		}
		d := open(t, writeFiles(t, t.TempDir(), files))
		s, err := model.Salvage(t.Context(), d.Tree)
		if try(t, err); len(s.Problems) > 0 || strings.Contains(s.Contents(), "0 of 1 deletions") == whole {
			t.Errorf("%v: %s, %s", whole, s.Contents(), s.Verdict())
		}
	}
}

// TestRemovalInterrupted: what is left of a fragment that a vacuum file names is no interrupted write.
func TestRemovalInterrupted(t *testing.T) {
	const old = "__1600000000000_1600000000000_0123456789abcdef0123456789abcdef_22"
	d, _ := hurt(t, "consolidated-v22", func(find func(string) string) {
		root := filepath.Dir(filepath.Dir(find("__commits")))
		for name, text := range map[string]string{"__commits/" + old + ".wrt": "", "__fragments/" + old + "/a0.tdb": "", "__commits/__1700000000000_1700000001000_7906992daeb4bbd244b21ec1f094d7de_22.vac": "/__fragments/" + old + "\n"} {
			at := filepath.Join(root, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(at), 0o750); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	})
	found, _ := d.Tree.Findings()
	if len(found) != 1 || found[0].Grade() != model.Warning || !strings.Contains(found[0].Text(), "was consolidated, and its removal was interrupted") {
		t.Errorf("%v", found)
	}
}
