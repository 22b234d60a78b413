//go:build unix

package model

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// private is a document that no one but its owner may read: someone else, where the test may give files away.
func private(t *testing.T, path string) (owner uint32) {
	t.Helper()
	owner = uint32(os.Geteuid())
	if owner == 0 {
		owner = 65534
	} else {
		t.Log("only root gives files away: the owner is not tested")
	}
	if err := os.Chown(path, int(owner), -1); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return owner
}

// alone reports files below a folder that others than an owner may read.
func alone(t *testing.T, dir string, owner uint32) {
	t.Helper()
	n := 0
	if err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		st, err := e.Info()
		if err != nil {
			return err
		}
		n++
		if of := st.Sys().(*syscall.Stat_t).Uid; st.Mode().Perm() != 0o600 || of != owner {
			t.Errorf("%s: mode %v, owner %d instead of %d", path, st.Mode(), of, owner)
		}
		return nil
	}); err != nil || n == 0 {
		t.Errorf("%d files, %v", n, err)
	}
}

// A document that is its owner's alone stays so: what is written in its place, its backup, and what is written elsewhere, also on disks that know
// no second names and on those that rename nothing.
func TestSaveKeepsOwner(t *testing.T) {
	for name, on := range map[string]disk{"a disk": osDisk{}, "no links": unlinked{osDisk{}}, "no renames": &brokenDisk{fixed: syscall.EXDEV}} {
		d := openToy(t, toyFile("one", "two"))
		owner := private(t, d.DiskPath("a.toy"))
		d.set(t, "names[0]/text", S("longer than it was"))
		if _, err := d.save(bg, SaveOptions{}, on); err != nil {
			t.Fatal(name, err)
		}
		if list, _ := filepath.Glob(filepath.Join(d.dir, "*.bak")); len(list) != 1 {
			t.Errorf("%s: backups %v", name, list)
		}
		out := t.TempDir()
		if _, err := d.save(bg, SaveOptions{Out: filepath.Join(out, "copy")}, on); err != nil {
			t.Fatal(name, err)
		}
		alone(t, d.dir, owner)
		alone(t, out, owner)
	}
}

// unlinked is a disk that knows no second names of files.
type unlinked struct{ disk }

func (d unlinked) Link(from, to string) error { return syscall.EPERM }

// New files of a document that is its owner's alone are so too.
func TestNewFilesAreTheOwners(t *testing.T) {
	dir := put(t, before)
	var owner uint32
	for name := range files(t, dir) {
		owner = private(t, filepath.Join(dir, name))
	}
	d := edited(t, dir)
	if err, _ := saveOn(d, &brokenDisk{}, true); err != nil {
		t.Fatal(err)
	}
	alone(t, dir, owner)
}

// New folders of a document that is its owner's alone are so too, also where the document is saved elsewhere.
func TestNewFoldersAreTheOwners(t *testing.T) {
	for name, on := range map[string]disk{"a disk": osDisk{}, "no renames": &brokenDisk{fixed: syscall.EXDEV}} {
		dir := put(t, before)
		owner := private(t, dir)
		for _, sub := range []string{"a", "gone"} {
			private(t, filepath.Join(dir, sub))
		}
		for _, path := range []string{dir, filepath.Join(dir, "a"), filepath.Join(dir, "gone")} {
			if err := os.Chmod(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		d := editedFolder(t, dir)
		out := filepath.Join(t.TempDir(), "out")
		if _, err := d.save(bg, SaveOptions{Out: out}, on); err != nil {
			t.Fatal(err)
		}
		if _, err := d.save(bg, SaveOptions{}, on); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{filepath.Join(dir, "new"), filepath.Join(dir, "new", "deep"), out, filepath.Join(out, "a"), filepath.Join(out, "new", "deep")} {
			if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o700 || st.Sys().(*syscall.Stat_t).Uid != owner {
				t.Errorf("%s, %s: %v, %v", name, path, st.Mode(), err)
			}
		}
	}
}

// A folder for everybody, as that for temporary files, makes no folder in it everybody's.
func TestNewFoldersAreNotEverybodys(t *testing.T) {
	dir := put(t, before)
	if err := os.Chmod(dir, 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	if err, _ := saveOn(edited(t, dir), &brokenDisk{}, false); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(filepath.Join(dir, "new", "deep")); err != nil || st.Mode().Perm() != 0o755 {
		t.Errorf("%v, %v", st.Mode(), err)
	}
}

// What is salvaged of a document that is its owner's alone is so too.
func TestSalvagedIsTheOwners(t *testing.T) {
	d := openToy(t, toyFile("one", "two"))
	path := d.DiskPath("a.toy")
	owner := private(t, path)
	for _, files := range []map[string]Source{{"out": Memory([]byte("a file"))}, {"main": Memory([]byte("more")), "a/two": Memory([]byte("files"))}} {
		dir := t.TempDir()
		if err := (&Salvaged{Files: files}).Write(bg, filepath.Join(dir, "out"), len(files) > 1, path); err != nil {
			t.Fatal(err)
		}
		alone(t, dir, owner)
		if st, err := os.Stat(filepath.Join(dir, "out")); err != nil || st.Mode().Perm()&0o077 != 0 {
			t.Errorf("%v, %v", st.Mode(), err)
		}
	}
}

// The unsaved edits are their owner's alone, also in a folder that others could look into.
func TestRecordsAreTheOwners(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	d := openToy(t, toyFile("one", "two"))
	d.set(t, "names[0]/text", S("not saved"))
	for _, there := range []bool{false, true} {
		dir := filepath.Join(t.TempDir(), "unsaved")
		if there {
			if err := os.Mkdir(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(recordName(dir, d.abs())+".new", nil, 0o666); err != nil { // left by one that was killed
				t.Fatal(err)
			}
		}
		if err := d.Record(dir); err != nil {
			t.Fatal(err)
		}
		if st, err := os.Stat(dir); err != nil || st.Mode().Perm() != 0o700 {
			t.Errorf("the folder: %v, %v", st.Mode(), err)
		}
		alone(t, dir, uint32(os.Geteuid()))
	}
}

// New files that are like no other have what the user lets others have.
func TestNewFilesKeepTheUmask(t *testing.T) {
	defer func(was os.FileMode) { umask = was }(umask)
	for mask, want := range map[os.FileMode]os.FileMode{0: 0o644, 0o027: 0o640, 0o077: 0o600} {
		umask = mask
		for _, folder := range []bool{false, true} {
			out := filepath.Join(t.TempDir(), "out")
			if err := (&Salvaged{Files: map[string]Source{"a": Memory([]byte("a"))}}).Write(bg, out, folder, ""); err != nil {
				t.Fatal(err)
			}
			path, dir := out, want|want>>2&0o111
			if folder {
				path = filepath.Join(out, "a")
				if st, err := os.Stat(out); err != nil || st.Mode().Perm() != dir {
					t.Errorf("umask %o: a folder of mode %v instead of %v, %v", mask, st.Mode(), dir, err)
				}
			}
			if st, err := os.Stat(path); err != nil || st.Mode().Perm() != want {
				t.Errorf("umask %o: mode %v instead of %v, %v", mask, st.Mode(), want, err)
			}
		}
	}
}
