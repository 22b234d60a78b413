package tiledb

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/rule"
)

// A fix that would need a field which the version of the schema does not have is not offered.
func TestTDBNoEmptyFix(t *testing.T) {
	s := sampleOf(18)
	s.attrType = 2
	s.filters = func(w *byteWriter) { w.put(uint32(65536), uint32(1), byte(6), uint32(5), byte(6), int32(-1)) }
	tree := bytesOf(t, sampleName, sampleFile(s)).Tree
	found, _ := tree.Findings()
	seen := false
	for _, f := range found {
		for _, fix := range tree.Fixes(t.Context(), &f) {
			if fix.Label == "" {
				t.Errorf("%s has a fix that does nothing", f.Rule.ID)
			}
		}
		seen = seen || f.Rule == rule.FloatDeltas
	}
	if !seen {
		t.Error("differences of floating-point values are not found")
	}
}

// Cells of three bytes that claim to be indexes of an enumeration are what is wrong, not a defect of the program.
func TestTDBOddIndexes(t *testing.T) {
	const file = "__0123456789abcdef0123456789abcdef_0"
	files := sampleArray(23, true)
	s := sampleOf(23)
	s.sparse, s.capacity, s.attrType, s.attrNum, s.fill = true, 5, 5, 3, []byte{1, 2, 3}
	s.coords = func(w *byteWriter) { w.pipe() }
	s.enum, s.enums = "e", [][2]string{{"e", file}}
	for name := range files {
		if strings.HasPrefix(name, "__schema/") {
			files[name] = sampleFile(s)
		}
	}
	files["__schema/__enumerations/"+file] = sampleEnum(file, "redgreen", []uint64{0, 3}, 0)
	rules := rulesOf(t, open(t, writeFiles(t, t.TempDir(), files)))
	if rules[model.RuleInternal.ID] || !rules[rule.EnumType.ID] {
		t.Error(rules)
	}
}

// A member of a group that comes twice is told once, in a short list and in one that is read on demand, and looking at it again
// says nothing new.
func TestTDBGroupTwice(t *testing.T) {
	ctx := context.Background()
	for _, n := range []int{3, 20_000} {
		w := new(byteWriter).put(uint32(2), uint64(n))
		for i := range n {
			uri := "m" + filter.Text(i)
			if i == n-1 {
				uri = "m0"
			}
			w.put(uint32(2), byte(2), byte(1), uint64(len(uri)), uri, byte(0), byte(0))
		}
		d := bytesOf(t, sampleName+"_2", sampleTile(1, w.Bytes()))
		for range 2 {
			if err := d.Tree.Walk(ctx, d.Tree.Root, 1<<20); err != nil {
				t.Fatal(err)
			}
		}
		found, _ := d.Tree.Findings()
		if len(found) != 1 || found[0].Rule != rule.OddMember || !strings.HasSuffix(found[0].Path(), "members["+filter.Text(n-1)+"]/uri") {
			for _, f := range found {
				t.Errorf("%d members: %s %s %s", n, f.Rule.ID, f.Path(), f.Found)
			}
			t.Errorf("%d members, %d findings", n, len(found))
		}
	}
}

// Conditions, R-trees and consolidated metadata that claim more than anybody writes end there, and cost little.
func TestTDBHostileCounts(t *testing.T) {
	const many = 3 << 20
	wide := new(byteWriter).put(byte(0), byte(0), uint64(many), make([]byte, 10*many)).Bytes()
	deep := new(byteWriter)
	for range 1 << 11 { // one list in the next
		deep.put(byte(0), byte(0), uint64(1))
	}
	entries := new(byteWriter).put(uint32(many), make([]byte, 16*many)).Bytes()
	for name, payload := range map[string][]byte{"wide.del": wide, "deep.del": deep.Bytes(), "entries.meta": entries} {
		base, ext, _ := strings.Cut(name, ".")
		d := bytesOf(t, sampleName+"_23."+ext, sampleTile(23, payload))
		if err := d.Tree.Walk(context.Background(), d.Tree.Root, 1<<20); err != nil {
			t.Fatal(err)
		}
		found, _ := d.Tree.Findings()
		if len(found) == 0 || len(found) > 2 || found[0].Rule != model.RuleCap {
			t.Errorf("%s: %d findings, %v", base, len(found), found)
		}
		if n := len(d.Tree.Links()); n > 100_000 {
			t.Errorf("%s: %d links", base, n)
		}
	}
}

// A chunk that says that it unpacks to more than is ever read is an error where its tile cannot hold that much, in each kind of file.
func TestTDBHostileChunkSize(t *testing.T) {
	for _, file := range []string{"a0.tdb", "a1_var.tdb", "a2_validity.tdb"} {
		dir := filepath.Join(t.TempDir(), "array")
		if err := os.CopyFS(dir, os.DirFS("../../testdata/tiledb/good/dense-v22")); err != nil {
			t.Fatal(err)
		}
		paths, _ := filepath.Glob(filepath.Join(dir, "__fragments", "*", file))
		b, err := os.ReadFile(paths[0])
		if err != nil {
			t.Fatal(err)
		}
		b[11] = 0x80 // the length of the first chunk, behind the number of chunks
		if err := os.WriteFile(paths[0], b, 0o600); err != nil {
			t.Fatal(err)
		}
		d := open(t, dir)
		if err := d.Deep(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		found, _ := d.Tree.Findings()
		if !slices.ContainsFunc(found, func(f model.Finding) bool { return f.Rule == rule.PartUndecoded }) {
			t.Errorf("%s: %v", file, found)
		}
	}
}

// A file of an array that is a text of another program is a problem of the file: no check of the others counts on what it should hold.
func TestTDBFileOfAnotherProgram(t *testing.T) {
	from := "../../testdata/tiledb/good/dense-v22"
	if err := filepath.WalkDir(from, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		dir := filepath.Join(t.TempDir(), "array")
		if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, strings.TrimPrefix(name, from)), []byte("of another program"), 0o600); err != nil {
			return err
		}
		d := open(t, dir)
		if d.Format == nil {
			return nil
		}
		if err := d.Deep(context.Background(), nil); err != nil {
			return err
		}
		found, _ := d.Tree.Findings()
		for _, f := range found {
			if f.Rule == model.RuleInternal {
				t.Errorf("%s: %s\n%s", filepath.Base(name), f.Message, f.Found)
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
