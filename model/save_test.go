package model

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// fault is how a disk fails at a step: with an error, once or from then on, or for good, as when the process is killed (then writes may be
// half done, and nothing after it happens).
type fault struct {
	err  error
	ever bool // every step after it fails too, as on a disk that is read-only from then on
	kill bool
}

func (f fault) String() string { return fmt.Sprintf("%v, ever %v, kill %v", f.err, f.ever, f.kill) }

// faults are the ways in which disks fail.
var faults = []fault{
	{err: syscall.ENOSPC}, {err: syscall.ENOSPC, ever: true}, {err: syscall.EIO}, {err: syscall.EIO, ever: true}, {err: syscall.EDQUOT, ever: true},
	{err: syscall.EROFS, ever: true}, {kill: true},
}

// brokenDisk is the real file system up to a step, at which it fails.
type brokenDisk struct {
	osDisk
	step, at int
	fixed    error  // what a rename is refused with for good, as where nothing takes another's place
	slow     func() // how long each step takes
	opened   []diskFile
	fault
}

type killed struct{}

// next counts a step and tells whether it fails.
func (d *brokenDisk) next() bool {
	if d.slow != nil {
		d.slow()
	}
	d.step++
	return d.step == d.at || d.ever && d.at > 0 && d.step > d.at
}

// fail fails. The system closes the files of a program that died.
func (d *brokenDisk) fail() error {
	if d.kill {
		for _, f := range d.opened {
			f.Close()
		}
		panic(killed{})
	}
	return d.err
}

// file is a file of the disk, or none.
func (d *brokenDisk) file(f diskFile, err error) (diskFile, error) {
	if err != nil {
		return nil, err
	}
	d.opened = append(d.opened, f)
	return &brokenFile{f, d}, nil
}

func (d *brokenDisk) Create(dir, pattern string) (diskFile, error) {
	if d.next() {
		return nil, d.fail()
	}
	return d.file(d.osDisk.Create(dir, pattern))
}
func (d *brokenDisk) Make(path string) (diskFile, error) {
	if d.next() {
		return nil, d.fail()
	}
	return d.file(d.osDisk.Make(path))
}
func (d *brokenDisk) Mkdir(path string, mode os.FileMode) error {
	if d.next() {
		return d.fail()
	}
	return d.osDisk.Mkdir(path, mode)
}
func (d *brokenDisk) Open(path string) (diskFile, error) {
	if d.next() {
		return nil, d.fail()
	}
	return d.file(d.osDisk.Open(path))
}
func (d *brokenDisk) Like(a, b string) error {
	if d.next() {
		return d.fail()
	}
	return d.osDisk.Like(a, b)
}
func (d *brokenDisk) Link(a, b string) error {
	if d.next() {
		return d.fail()
	}
	return d.osDisk.Link(a, b)
}
func (d *brokenDisk) Rename(a, b string) error {
	if d.next() {
		return d.fail()
	}
	if d.fixed != nil {
		return &os.LinkError{Op: "rename", Old: a, New: b, Err: d.fixed}
	}
	return d.osDisk.Rename(a, b)
}
func (d *brokenDisk) Remove(a string) error {
	if d.next() {
		return d.fail()
	}
	return d.osDisk.Remove(a)
}
func (d *brokenDisk) SyncDir(a string) error {
	if d.next() {
		return d.fail()
	}
	return d.osDisk.SyncDir(a)
}

type brokenFile struct {
	diskFile
	d *brokenDisk
}

func (f *brokenFile) Write(b []byte) (int, error) {
	if f.d.next() {
		n, _ := f.diskFile.Write(b[:len(b)/2])
		return n, f.d.fail()
	}
	return f.diskFile.Write(b)
}
func (f *brokenFile) WriteAt(b []byte, off int64) (int, error) {
	if f.d.next() {
		n, _ := f.diskFile.WriteAt(b[:len(b)/2], off)
		return n, f.d.fail()
	}
	return f.diskFile.WriteAt(b, off)
}
func (f *brokenFile) Truncate(size int64) error {
	if f.d.next() {
		return f.d.fail()
	}
	return f.diskFile.Truncate(size)
}
func (f *brokenFile) Sync() error {
	if f.d.next() {
		return f.d.fail()
	}
	return f.diskFile.Sync()
}

// saveInPlace makes the document save in place whatever its size, by doing what save does for large files.
func (d *Document) saveInPlace(fs disk) error {
	c, err := d.Tree.Snapshot.Content("a.toy")
	if err != nil {
		return err
	}
	s := Saved{File: "a.toy", Path: filepath.Join(d.dir, "a.toy"), InPlace: true}
	d.shelter("a.toy", c)
	w := &saver{ctx: bg, fs: fs, progress: func(int64) {}, still: d.still}
	return w.patch(s, c, d.saved)
}

// TestSaveStopsAnywhere stops a save at each of its steps in each way, both ways of
// saving: afterwards the file is the old one or the new one, or a journal is there that leads back to the old one.
func TestSaveStopsAnywhere(t *testing.T) {
	old, survived := toyFile("one", "two"), 0
	defer func() { t.Logf("faults of one file: %d injected and survived", survived) }()
	for i := range 4 {
		inPlace, fixed := i%2 == 1, error(nil)
		if i > 1 {
			fixed = syscall.EXDEV
		}
		for _, fault := range faults {
			steps := 0
			for at := 1; ; at++ {
				d := openToy(t, old)
				d.set(t, "rows[1]/b", I(-5))
				d.set(t, "rows[8]/b", I(77))
				p, err := d.Plan(bg, "add", Splice{Range: Range{Off: int64(len(old))}, With: Memory([]byte("behind the end")), Loose: true})
				if err != nil {
					t.Fatal(err)
				}
				d.Apply(bg, p, nil)
				want := d.bytes(t)
				fs := &brokenDisk{at: at, fault: fault, fixed: fixed}
				err = func() (err error) {
					defer func() {
						if r := recover(); r != nil {
							if _, ok := r.(killed); !ok {
								panic(r)
							}
							err = errors.New("killed")
						}
					}()
					if inPlace {
						return d.saveInPlace(fs)
					}
					_, err = d.save(bg, SaveOptions{}, fs)
					return err
				}()
				path := filepath.Join(d.dir, "a.toy")
				if Interrupted(path) {
					if err := RollBack(path); err != nil {
						t.Fatal(err)
					}
				}
				got, readErr := os.ReadFile(path)
				if readErr != nil {
					t.Fatalf("step %d: %v", at, readErr)
				}
				switch isOld, isNew := bytes.Equal(got, old), bytes.Equal(got, want); {
				case !isOld && !isNew:
					t.Fatalf("in place %v, %v, step %d: neither old nor new", inPlace, fault, at)
				case err == nil && !isNew:
					t.Fatalf("in place %v, step %d: said to be saved and is not", inPlace, at)
				case !bytes.Equal(d.bytes(t), want):
					t.Fatalf("in place %v, step %d: the document lost its edits", inPlace, at)
				}
				d.Undo(bg)
				d.Undo(bg)
				if d.Undo(bg); !bytes.Equal(d.bytes(t), old) {
					t.Fatalf("in place %v, step %d: undo does not give the old bytes", inPlace, at)
				}
				if fs.step < at {
					break
				}
				steps = at
				survived++
			}
			if steps < 6 {
				t.Errorf("in place %v, %v: only %d steps were tried", inPlace, fault, steps)
			}
		}
	}
}

func TestSaveKeepsModeAndBackup(t *testing.T) {
	old := toyFile("one", "two")
	d := openToy(t, old)
	was, _ := os.Stat(d.DiskPath("a.toy"))
	d.set(t, "names[0]/text", S("longer than it was"))
	saved, err := d.Save(bg, SaveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	st, _ := os.Stat(saved[0].Path)
	back, _ := os.ReadFile(saved[0].Backup)
	if st.Mode() != was.Mode() || !bytes.Equal(back, old) || d.Dirty() {
		t.Errorf("mode %v, backup of %d bytes, dirty %v", st.Mode(), len(back), d.Dirty())
	}
	if saved[0].Protected {
		t.Error("a file that may be written is called protected")
	}
	// History survives: undo goes behind the save, and saving again brings the old bytes back.
	d.Undo(bg)
	if !bytes.Equal(d.bytes(t), old) || !d.Dirty() {
		t.Fatal("undo behind a save does not give the old bytes")
	}
	if err := os.Chmod(saved[0].Path, 0o440); err != nil {
		t.Fatal(err)
	}
	if list, err := d.SavePlan(SaveOptions{}); err != nil || !list[0].Protected {
		t.Errorf("the plan does not say that the file is write-protected: %+v, %v", list, err)
	}
	if _, err := d.Save(bg, SaveOptions{NoBackup: true}); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(saved[0].Path); !bytes.Equal(got, old) {
		t.Error("saving the undone state does not write the old bytes")
	}
	if list, _ := filepath.Glob(filepath.Join(d.dir, ".*")); len(list) > 0 && !lingers(t) {
		t.Errorf("left behind: %v", list)
	}
}

func TestSaveUnedited(t *testing.T) {
	d := openToy(t, toyFile("one"))
	if list, err := d.Save(bg, SaveOptions{}); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
	out := filepath.Join(t.TempDir(), "copy")
	if _, err := d.Save(bg, SaveOptions{Out: out}); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(out); !bytes.Equal(got, toyFile("one")) {
		t.Error("the copy differs")
	}
}

func TestSaveRefusesForeignChange(t *testing.T) {
	d := openToy(t, toyFile("one"))
	d.set(t, "rows[0]/a", U(9))
	path := filepath.Join(d.dir, "a.toy")
	other := []byte("another program was here")
	if err := os.WriteFile(path+".new", other, 0o600); err != nil {
		t.Fatal(err)
	}
	os.Rename(path+".new", path)
	os.Chtimes(path, time.Now(), time.Now().Add(time.Hour))
	if _, err := d.Save(bg, SaveOptions{}); !errors.Is(err, ErrChanged) {
		t.Fatalf("saved over a foreign change: %v", err)
	}
	if names := d.ChangedOnDisk(); len(names) != 1 {
		t.Errorf("changed: %v", names)
	}
	if _, err := d.Save(bg, SaveOptions{Overwrite: true}); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); !bytes.Equal(got, d.bytes(t)) {
		t.Error("not overwritten")
	}
}

// A save of a file that is a symbolic link keeps the link.
func TestSaveThroughLink(t *testing.T) {
	d := openFiles(t, map[string][]byte{"main": []byte("m"), "real": []byte("old")})
	symlink(t, "real", d.DiskPath("link"))
	p, err := d.Plan(bg, "", FileEdit{File: "link", Create: Memory([]byte("new"))})
	if err != nil {
		t.Fatal(err)
	}
	d.Apply(bg, p, nil)
	saved, err := d.Save(bg, SaveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	link, err := os.Readlink(d.DiskPath("link"))
	now, _ := os.ReadFile(d.DiskPath("real"))
	back, _ := os.ReadFile(saved[0].Backup)
	if err != nil || link != "real" || string(now) != "new" || string(back) != "old" {
		t.Errorf("link to %q (%v), now %q, backup %q", link, err, now, back)
	}
}

// Saves within one second make a backup each.
func TestSaveBackupsDiffer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	now := time.Now()
	seen := map[string]bool{}
	for range 3 {
		name := backupName(path, now)
		if !IsBackup(name) || IsBackup(path) || seen[name] || os.WriteFile(name, nil, 0o666) != nil {
			t.Fatal(name)
		}
		seen[name] = true
	}
}

// What only has the name of a journal is neither read nor waited for.
func TestNoJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	os.WriteFile(path, []byte("x"), 0o600)
	os.WriteFile(JournalName(path), nil, 0o600)
	os.Truncate(JournalName(path), 1<<40)
	if Interrupted(path) || RollBack(path) == nil {
		t.Error("a terabyte of zeros was taken for a journal")
	}
	os.Remove(JournalName(path))
	if err := exec.Command("mkfifo", JournalName(path)).Run(); err != nil {
		t.Skip("no pipes with names here: ", err)
	}
	if Interrupted(path) || RollBack(path) == nil {
		t.Error("a pipe was taken for a journal")
	}
	if _, err := Open(bg, JournalName(path), nil, nil); err == nil {
		t.Error("a pipe was opened")
	}
}
