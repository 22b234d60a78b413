package model

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/windows"
)

// A save in a folder of a name, with the document open, and again after undo.
func saveIn(t *testing.T, dir string) {
	t.Helper()
	old := toyFile("one", "two")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "a b — größer 数.toy")
	if err := os.WriteFile(path, old, 0o666); err != nil {
		t.Fatal(err)
	}
	d, err := Open(bg, path, nil, toy)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	d.set(t, "names[0]/text", S("longer than it was"))
	if _, err := d.Save(bg, SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); !bytes.Equal(got, d.bytes(t)) || bytes.Equal(got, old) {
		t.Errorf("%s: not saved", path)
	}
	d.Undo(bg)
	if !bytes.Equal(d.bytes(t), old) {
		t.Errorf("%s: undo behind a save does not give the old bytes", path)
	}
}

func TestSaveAtAnyPath(t *testing.T) {
	dir := t.TempDir()
	if vol := filepath.VolumeName(dir); len(vol) != 2 || vol[1] != ':' {
		t.Fatalf("%s has no drive letter", dir)
	}
	deep := dir
	for len(deep) < 300 {
		deep = filepath.Join(deep, strings.Repeat("deep ", 8)+"x")
	}
	for _, dir := range []string{filepath.Join(dir, "with spaces"), filepath.Join(dir, "größer 数"), strings.ReplaceAll(dir, `\`, "/"), deep} {
		saveIn(t, dir)
	}
}

// Names that mean something else here, or that other programs could not open, are refused before anything is written.
func TestForbiddenNames(t *testing.T) {
	for _, name := range []string{"nul", "con", "a/COM1", "lpt9.txt", "a:b", "x?", "dot.", "space ", `a\b`, "a\x01"} {
		d := openFiles(t, map[string][]byte{"main": []byte("m")})
		if systemName(name) == nil {
			t.Errorf("%q may be the name of a file", name)
		}
		if _, err := d.folder.File(name); err == nil {
			t.Errorf("%q was opened", name)
		}
		p, err := d.Plan(bg, "", FileEdit{File: name, Create: Memory([]byte("x"))})
		if err != nil {
			continue
		}
		d.Apply(bg, p, nil)
		if _, err := d.Save(bg, SaveOptions{}); err == nil {
			t.Errorf("%q was written", name)
		}
	}
	for _, name := range []string{"main", "a/b.tar", ".spandrel-save/record", "größer", "console"} {
		if err := systemName(name); err != nil {
			t.Error(err)
		}
	}
}

// A file that another program keeps for itself is left alone, and the error says so; write-protected files are replaced and stay so.
func TestLockedAndProtected(t *testing.T) {
	old := toyFile("one")
	d := openToy(t, old)
	path := d.DiskPath("a.toy")
	d.set(t, "rows[0]/a", U(3))
	name, _ := windows.UTF16PtrFromString(path)
	h, err := windows.CreateFile(name, windows.GENERIC_READ, windows.FILE_SHARE_READ, nil, windows.OPEN_EXISTING, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.Save(bg, SaveOptions{NoBackup: true})
	windows.CloseHandle(h)
	if err == nil || !strings.Contains(err.Error(), "another program has the file open") {
		t.Errorf("saved over a locked file: %v", err)
	}
	if got, _ := os.ReadFile(path); !bytes.Equal(got, old) {
		t.Fatal("the locked file changed")
	}
	if err := os.Chmod(path, 0o444); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Save(bg, SaveOptions{NoBackup: true}); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(path); err != nil || st.Mode().Perm()&0o222 != 0 {
		t.Errorf("the write-protection went: %v", err)
	}
}
