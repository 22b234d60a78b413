package model

import (
	"os"
	"path/filepath"
	"testing"
)

// A file that an edit makes in a new folder is listed with its folder, and saving makes the folder on disk.
func TestFileInNewFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.toy"), toyFile("one"), 0o666); err != nil {
		t.Fatal(err)
	}
	f := *toy
	f.Dataset = &Dataset{Beside: true}
	d, err := Open(bg, filepath.Join(dir, "main.toy"), []*Format{&f}, &f)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	p, err := d.Plan(bg, "make", FileEdit{File: "a/b/new.txt", Create: Memory([]byte("hello"))})
	if err != nil {
		t.Fatal(err)
	}
	d.Apply(bg, p, nil)
	top, _, _ := d.Tree.Snapshot.List(".")
	if len(top) != 2 || top[0].Name != "a" || !top[0].Dir || top[1].Name != "main.toy" {
		t.Errorf("files %v", top)
	}
	if below, _, err := d.Tree.Snapshot.List("a/b"); err != nil || len(below) != 1 || below[0].Name != "a/b/new.txt" {
		t.Errorf("files %v, %v", below, err)
	}
	if _, err := d.Save(bg, SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "a", "b", "new.txt")); string(b) != "hello" {
		t.Errorf("on disk %q, %v", b, err)
	}
}

// The ends of a file are its bytes, with zeros between them; an edited file is there as a whole.
func TestSnapshotEnds(t *testing.T) {
	dir := t.TempDir()
	want := "0123456789abcdef"
	if err := os.WriteFile(filepath.Join(dir, "f"), []byte(want), 0o666); err != nil {
		t.Fatal(err)
	}
	folder, err := OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	s := &Snapshot{folder: folder}
	for n, want := range map[int64]string{0: "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", 3: "012\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00def", 8: want, 99: want} {
		c, err := s.Ends("f", n)
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, c.Len())
		if _, err := c.ReadAt(b, 0); err != nil || string(b) != want {
			t.Errorf("%d: %q %v", n, b, err)
		}
	}
	c, err := s.With("f", BytesContent([]byte("new"))).Ends("f", 1)
	if err != nil || c.Len() != 3 {
		t.Errorf("edited: %v", err)
	}
	for _, bad := range []string{"../f", "none", "."} {
		if _, err := s.Ends(bad, 1); err == nil {
			t.Errorf("%s opened", bad)
		}
	}
}
