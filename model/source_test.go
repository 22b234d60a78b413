package model

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestShrunkFile(t *testing.T) {
	b := append(toyFile("one"), make([]byte, 1<<20)...)
	d := openToy(t, b)
	if err := os.Truncate(filepath.Join(d.dir, "a.toy"), 4096); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Tree.Bytes(bg, Range{0, 1 << 19, 16}); !errors.Is(err, ErrShrunk) {
		t.Errorf("reading lost bytes: %v", err)
	}
	if _, err := d.Tree.Bytes(bg, Range{0, 0, 16}); err != nil {
		t.Errorf("reading bytes that are there: %v", err)
	}
	d.set(t, "rows[0]/a", U(3)) // parses again, over bytes that are gone
	if _, err := d.Save(bg, SaveOptions{Overwrite: true}); !errors.Is(err, ErrShrunk) {
		t.Errorf("saving lost bytes: %v", err)
	}
}

// Files beyond those that can be mapped are read, with the same results: also when they shrink, and when they are saved.
func TestUnmapped(t *testing.T) {
	mapped.Add(maxMapped)
	defer mapped.Add(-maxMapped)
	old := append(toyFile("one"), make([]byte, 1<<20)...)
	d := openToy(t, old)
	if d.file.pages == nil {
		t.Fatal("the file is mapped")
	}
	if b, err := d.Tree.Bytes(bg, Range{0, 0, int64(len(old))}); err != nil || !bytes.Equal(b, old) {
		t.Errorf("other bytes, or %v", err)
	}
	d.set(t, "names[0]/text", S("longer than it was"))
	want := d.bytes(t)
	if _, err := d.Save(bg, SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(d.DiskPath("a.toy")); !bytes.Equal(got, want) {
		t.Error("other bytes were saved")
	}
	if d.Undo(bg); !bytes.Equal(d.bytes(t), old) {
		t.Error("undo behind a save does not give the old bytes")
	}
	again := openToy(t, old)
	if err := os.Truncate(again.DiskPath("a.toy"), 4096); err != nil {
		t.Fatal(err)
	}
	if _, err := again.Tree.Bytes(bg, Range{0, 1 << 19, 16}); !errors.Is(err, ErrShrunk) {
		t.Errorf("reading lost bytes: %v", err)
	}
}

func TestFolderRefusesWayOut(t *testing.T) {
	dir := t.TempDir()
	inside := filepath.Join(dir, "in")
	os.Mkdir(inside, 0o700)
	os.WriteFile(filepath.Join(dir, "secret"), []byte("x"), 0o600)
	os.WriteFile(filepath.Join(inside, "ok"), []byte("x"), 0o600)
	symlink(t, "../secret", filepath.Join(inside, "link"))
	symlink(t, "ok", filepath.Join(inside, "good"))
	f, err := OpenFolder(inside)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, name := range []string{"../secret", "link", "/etc/passwd", ".", "missing"} {
		if _, err := f.File(name); err == nil {
			t.Errorf("%s was opened", name)
		}
	}
	if _, err := f.File("good"); err != nil {
		t.Error(err)
	}
	if list, _, _ := f.List("."); len(list) != 2 || !strings.HasPrefix(list[0].Name, "good") {
		t.Errorf("%v", list)
	}
}

// A file that is cut while it is open: what is behind the cut is an error and never zeros, also in the page that is still mapped, and
// also when the file has grown again.
func TestCutFileHasNoInventedBytes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.bin")
	if err := os.WriteFile(path, bytes.Repeat([]byte("spandrel"), 40), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := Open(bg, path, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, size := range []int64{100, 320} {
		if err := os.Truncate(path, size); err != nil {
			t.Fatal(err)
		}
		if names := d.ChangedOnDisk(); len(names) != 1 {
			t.Fatalf("cut to %d: %v", size, names)
		}
		if b, err := d.Tree.Bytes(bg, Range{0, 0, 100}); err != nil || string(b[92:]) != "drelspan" {
			t.Errorf("what is left: %q %v", b, err)
		}
		if b, err := d.Tree.Bytes(bg, Range{0, 96, 8}); !errors.Is(err, ErrShrunk) {
			t.Errorf("what is gone: %q %v", b, err)
		}
	}
}

// Where many files are mapped a small one is copied: what it held is there after another program cut it, and nothing of it is lost.
func TestSmallFileIsCopied(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(path, []byte("abcdef"), 0o600); err != nil {
		t.Fatal(err)
	}
	mapped.Add(manyMapped)
	f, err := OpenFile(path)
	mapped.Add(-manyMapped)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Truncate(path, 2); err != nil {
		t.Fatal(err)
	}
	now, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	f.notice(now)
	b := make([]byte, 6)
	if n, err := f.ReadAt(b, 0); n != 6 || err != nil || string(b) != "abcdef" || f.Left() != 6 || string(f.View(2, 4)) != "cdef" {
		t.Errorf("%d bytes of it are read, %q, %v, %d left", n, b, err, f.Left())
	}
}
