package model

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestSaveOrder checks that a file is written before what refers to it, and that nothing is deleted before that.
func TestSaveOrder(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"main.x": "main", "old": "old", "a/b": "b"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f := &Format{Name: "x", Dataset: &Dataset{Beside: true}, Detect: func(string, []byte, []byte, int64) (Confidence, string) { return 100, "" }, Parse: func(c *Cursor) { c.Skip(c.Left()) }}
	d, err := Open(context.Background(), filepath.Join(dir, "main.x"), []*Format{f}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	p, err := d.Plan(context.Background(), "files",
		Splice{Range: Range{Space: d.Tree.Root.Range.Space, Off: 0, Len: 1}, With: Memory([]byte("M"))},
		FileEdit{File: "old", Delete: true}, FileEdit{File: "new", Create: Memory([]byte("1"))}, FileEdit{File: "a/z/deep", Create: Memory([]byte("2"))}, FileEdit{File: "a/b", Create: Memory([]byte("3"))})
	if err != nil {
		t.Fatal(err)
	}
	d.Apply(context.Background(), p, nil)
	list, err := d.Save(context.Background(), SaveOptions{NoBackup: true})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range list {
		got = append(got, s.File)
		if s.New != (s.File == "new" || s.File == "a/z/deep") {
			t.Errorf("%s is said to be new: %v", s.File, s.New)
		}
	}
	if want := []string{"a/z/deep", "a/b", "new", "main.x", "old"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "main.x")); err != nil || string(b) != "Main" {
		t.Errorf("%q %v", b, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "old")); !os.IsNotExist(err) {
		t.Error(err)
	}
}
