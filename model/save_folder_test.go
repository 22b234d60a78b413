package model

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"testing"
)

// dirFormat takes folders with a main file.
var dirFormat = &Format{Name: "dir", Parse: folderFormat.Parse, Dataset: &Dataset{Detect: func(s *Snapshot) (string, Confidence) {
	if _, err := s.Content("main"); err != nil {
		return "", 0
	}
	return "main", 100
}}}

// A folder that is saved elsewhere is there as a whole, edits of every file in it, and what was opened stays.
func TestSaveFolderElsewhere(t *testing.T) {
	dir := put(t, before)
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	d, err := Open(bg, dir, []*Format{dirFormat}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	p, err := d.Plan(bg, "all", FileEdit{File: "main", Create: Memory([]byte(after["main"]))}, FileEdit{File: "a/one", Create: Memory(nil)},
		FileEdit{File: "a/two", Create: Memory([]byte(after["a/two"]))}, FileEdit{File: "new/deep/file", Create: Memory([]byte("made"))}, FileEdit{File: "gone/only", Delete: true})
	if err != nil {
		t.Fatal(err)
	}
	d.Apply(bg, p, nil)
	out := filepath.Join(t.TempDir(), "copy")
	list, err := d.Save(bg, SaveOptions{Out: out})
	if err != nil || len(list) != 5 {
		t.Fatalf("%v, %v", list, err)
	}
	want, was := maps.Clone(after), maps.Clone(before)
	want["empty/"], was["empty/"] = "", ""
	if got := files(t, out); !maps.Equal(got, want) {
		t.Errorf("written %v", got)
	}
	if got := files(t, dir); !maps.Equal(got, was) || !d.Dirty() {
		t.Errorf("what was opened became %v", got)
	}
	if _, err := d.Save(bg, SaveOptions{Out: out}); err == nil {
		t.Error("written over a folder that is there")
	}
	if err := d.WriteTo(bg, new(bytes.Buffer)); err == nil {
		t.Error("a folder went into a pipe")
	}
}

// One file elsewhere is refused where it would not hold all edits.
func TestSaveElsewhereLosesNothing(t *testing.T) {
	d := edited(t, put(t, before))
	out := filepath.Join(t.TempDir(), "copy")
	if list, err := d.Save(bg, SaveOptions{Out: out}); err == nil || there(out) {
		t.Errorf("written %v", list)
	}
	d.Undo(bg)
	p, err := d.Plan(bg, "main alone", Splice{Range: Range{0, 0, 1}, With: Memory([]byte("T"))})
	if err != nil {
		t.Fatal(err)
	}
	d.Apply(bg, p, nil)
	if _, err := d.Save(bg, SaveOptions{Out: out}); err != nil {
		t.Error(err)
	}
	var pipe bytes.Buffer
	if err := d.WriteTo(bg, &pipe); err != nil || pipe.String() != after["main"] {
		t.Errorf("%q, %v", pipe.String(), err)
	}
}
