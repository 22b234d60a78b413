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

// Documents whose folder is listed once do not see what is put into it meanwhile, others do; what is made of the names is made once, but for
// a document in which another file is edited.
func TestListings(t *testing.T) {
	dir := t.TempDir()
	put := func(name string) {
		if err := os.WriteFile(filepath.Join(dir, name), toyFile("one"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	put("a.toy")
	f := *toy
	f.Dataset = &Dataset{Beside: true}
	type names struct{ n int }
	made := 0
	count := func(s *Snapshot) int {
		t.Helper()
		list, _, err := s.List(".")
		if err != nil {
			t.Fatal(err)
		}
		x, err := Digest(s, ".", func(list []Entry, _ bool) *names { made++; return &names{len(list)} })
		if err != nil || x.n != len(list) {
			t.Fatalf("%d names are listed and %d digested, %v", len(list), x.n, err)
		}
		return x.n
	}
	lists := NewListings()
	for i, want := range []int{1, 1, 1} {
		d, err := lists.Open(bg, filepath.Join(dir, "a.toy"), []*Format{&f}, &f)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if got := count(d.Tree.Snapshot); got != want || made != 1 {
			t.Errorf("open %d: %d files, digested %d times", i, got, made)
		}
		if got := count(d.Tree.Snapshot.With("a.toy", BytesContent(nil))); got != want || made != 1 {
			t.Errorf("open %d, edited: %d files, digested %d times", i, got, made)
		}
		put("b.toy")
	}
	d, err := Open(bg, filepath.Join(dir, "a.toy"), []*Format{&f}, &f)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if got := count(d.Tree.Snapshot); got != 2 {
		t.Errorf("alone it sees %d files", got)
	}
	d, err = lists.Open(bg, filepath.Join(dir, "a.toy"), []*Format{&f}, &f)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if got := count(d.Tree.Snapshot.With("c.toy", BytesContent(nil))); got != 2 {
		t.Errorf("with a file that an edit makes it sees %d files", got)
	}
}
