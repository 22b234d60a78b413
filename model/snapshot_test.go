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
	f.Companions = true
	d, err := Open(bg, filepath.Join(dir, "main.toy"), []*Format{&f}, &f)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	p, err := d.Plan(bg, "make", Edit{File: "a/b/new.txt", Create: Memory([]byte("hello"))})
	if err != nil {
		t.Fatal(err)
	}
	d.Apply(bg, p, nil)
	files, _ := d.Tree.Snapshot.Walk(".")
	if len(files) != 2 || files[0].Name != "a/b/new.txt" || files[1].Name != "main.toy" {
		t.Errorf("files %v", files)
	}
	if _, err := d.Save(bg, SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "a", "b", "new.txt")); string(b) != "hello" {
		t.Errorf("on disk %q, %v", b, err)
	}
}
