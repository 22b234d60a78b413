package model

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// folderFormat lays one span over the main file, and one over each file beside it.
var folderFormat = &Format{
	Name: "folder", Dataset: &Dataset{Beside: true, Prune: true},
	Detect: func(string, []byte, []byte, int64) (Confidence, string) { return 100, "" },
	Parse: func(c *Cursor) {
		c.Rest(fieldGap.Named("main"))
		list, _, _ := c.Tree().Snapshot.List(".")
		for _, e := range list {
			if e.Name != c.Tree().Snapshot.Primary {
				c.Companion(fieldGap.Named("%s", e.Name), e, func(c *Cursor) { c.Rest(fieldGap.Named("all")) })
			}
		}
	},
}

func openFiles(t *testing.T, files map[string][]byte) *Document {
	t.Helper()
	dir := t.TempDir()
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d, err := Open(bg, filepath.Join(dir, "main"), []*Format{folderFormat}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

// An interrupted save of a file beside the main one is said where that file is shown.
func TestCompanionJournal(t *testing.T) {
	d := openFiles(t, map[string][]byte{"main": []byte("m"), "other": []byte("old")})
	w := &saver{ctx: bg, fs: &brokenDisk{at: 8, fault: fault{kill: true}}, progress: func(int64) {}}
	base, err := d.saved.Content("other")
	if err != nil {
		t.Fatal(err)
	}
	func() {
		defer func() { recover() }()
		w.patch(Saved{File: "other", Path: d.DiskPath("other")}, base.Splice(0, 3, Memory([]byte("new"))), d.saved)
	}()
	if !Interrupted(d.DiskPath("other")) {
		t.Fatal("no journal was left")
	}
	if _, err := d.Tree.Find(bg, "other/all"); err != nil {
		t.Fatal(err)
	}
	found, _ := d.Tree.Findings()
	if len(found) != 1 || found[0].Rule != RuleJournal || found[0].Path() != "other" {
		t.Errorf("findings %v", found)
	}
}

// Unsaved edits may move bytes from one file to another: they are recovered as they were.
func TestRecoverFromOtherFile(t *testing.T) {
	d := openFiles(t, map[string][]byte{"main": []byte("0123456789"), "other": []byte("abcdefghij")})
	snap := d.Tree.Snapshot
	main, _ := snap.Content("main")
	other, err := snap.Content("other")
	if err != nil {
		t.Fatal(err)
	}
	moved := snap.With("main", join(append(main.part(nil, 0, 2), other.part(nil, 3, 6)...)))
	d.Apply(bg, &Plan{From: snap, To: moved, Patches: []Patch{{File: "main"}}}, nil)
	records := t.TempDir()
	if err := d.Record(records); err != nil {
		t.Fatal(err)
	}
	again, err := Open(bg, d.Path, []*Format{folderFormat}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	list := Recoveries(records)
	if len(list) != 1 {
		t.Fatalf("%d records", len(list))
	}
	if err := again.Recover(bg, &list[0]); err != nil {
		t.Fatal(err)
	}
	if got := again.bytes(t); !bytes.Equal(got, []byte("01def")) {
		t.Errorf("recovered %q", got)
	}
}
