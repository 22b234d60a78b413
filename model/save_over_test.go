package model

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// Where no file takes the place of another, and where none is mapped, files are written over: they are the new ones, the backup holds the
// old bytes, and what the document and its history say of the old file they say afterwards too.
func TestSaveOnFixedDisk(t *testing.T) {
	old := bytes.Repeat([]byte("0123456789abcdef"), 3<<16) // long enough for the system to copy it
	for i, no := range []error{syscall.EXDEV, syscall.EPERM, syscall.EINVAL, errors.ErrUnsupported} {
		if i%2 == 1 { // none is mapped
			mapped.Add(maxMapped)
			defer mapped.Add(-maxMapped)
		}
		d := openFiles(t, map[string][]byte{"main": old})
		disk := &brokenDisk{fixed: no}
		save := func(want []byte, backup bool) {
			t.Helper()
			saved, err := d.save(bg, SaveOptions{NoBackup: !backup}, disk)
			if err != nil || len(saved) != 1 || !saved[0].InPlace {
				t.Fatalf("%v: %+v, %v", no, saved, err)
			}
			if got, err := os.ReadFile(d.DiskPath("main")); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%v: %d bytes instead of %d are saved, or others: %v", no, len(got), len(want), err)
			}
			if got := d.bytes(t); !bytes.Equal(got, want) || d.Dirty() {
				t.Errorf("%v: the document has %d bytes instead of %d, or others", no, len(got), len(want))
			}
			if !backup {
				return
			}
			if got, err := os.ReadFile(saved[0].Backup); err != nil || !bytes.Equal(got, old) {
				t.Errorf("%v: the backup has %d bytes: %v", no, len(got), err)
			}
		}
		p, err := d.Plan(bg, "first", Splice{Range: Range{}, With: Memory([]byte("new in front of all"))})
		if err != nil {
			t.Fatal(err)
		}
		d.Apply(bg, p, nil)
		longer := d.bytes(t)
		save(longer, true)
		d.Undo(bg)
		save(old, false)
		if p, err = d.Plan(bg, "shorter", Splice{Range: Range{Off: 7, Len: 2 << 20}}); err != nil {
			t.Fatal(err)
		}
		d.Apply(bg, p, nil)
		save(append(bytes.Clone(old[:7]), old[7+2<<20:]...), false)
		list, _ := filepath.Glob(filepath.Join(d.dir, ".*"))
		list = slices.DeleteFunc(list, func(name string) bool { // Windows keeps a name of a removed file until no one has it open
			return runtime.GOOS == "windows" && strings.Contains(name, ".bak.")
		})
		if len(list) > 0 || there(JournalName(d.DiskPath("main"))) {
			t.Errorf("left behind: %v", list)
		}
	}
}

// A file elsewhere, which is not there yet, is written where nothing can be renamed too.
func TestSaveElsewhereOnFixedDisk(t *testing.T) {
	d := openFiles(t, map[string][]byte{"main": []byte("old")})
	out := filepath.Join(t.TempDir(), "copy")
	if _, err := d.save(bg, SaveOptions{Out: out}, &brokenDisk{fixed: syscall.EXDEV}); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(out); err != nil || string(got) != "old" {
		t.Errorf("%q, %v", got, err)
	}
	d = edited(t, put(t, before))
	out = filepath.Join(t.TempDir(), "folder")
	n := int64(0)
	w := &saver{ctx: bg, fs: &brokenDisk{fixed: syscall.EXDEV}, progress: func(int64) {}}
	if err := d.saveAll(w, out, &n); err != nil {
		t.Fatal(err)
	}
	if got := files(t, out); !maps.Equal(got, after) {
		t.Errorf("the folder elsewhere has %v", got)
	}
}

// A disk that is full or broken is not one that cannot rename: nothing is written over then.
func TestUnmovable(t *testing.T) {
	for _, err := range []error{syscall.ENOSPC, syscall.EIO, syscall.EROFS, syscall.EDQUOT, syscall.EACCES, os.ErrNotExist, nil} {
		if unmovable(err) {
			t.Errorf("%v is taken for a disk that does not rename", err)
		}
	}
}

// On a slow disk a save can be cancelled until it takes effect, and then has changed nothing; meanwhile the document can be read.
func TestSlowSaveIsCancelled(t *testing.T) {
	for _, fixed := range []error{nil, syscall.EXDEV} {
		for _, several := range []bool{false, true} {
			cancelled, saved := 0, 0
			for at := 1; saved == 0 || cancelled == 0 || at < 12; at++ {
				dir, want := put(t, before), maps.Clone(before)
				d := edited(t, dir)
				all := after
				if !several {
					for range 4 {
						d.Undo(bg)
					}
					p, err := d.Plan(bg, "main", Splice{Range: Range{0, 0, 1}, With: Memory([]byte("T"))})
					if err != nil {
						t.Fatal(err)
					}
					d.Apply(bg, p, nil)
					all = maps.Clone(before)
					all["main"] = after["main"]
				}
				ctx, cancel := context.WithCancel(bg)
				disk := &brokenDisk{fixed: fixed}
				now := d.bytes(t)
				disk.slow = func() {
					if disk.step+1 == at {
						cancel()
					}
					if !bytes.Equal(d.bytes(t), now) {
						t.Error("the document says something else while it is saved")
					}
				}
				_, err := d.save(ctx, SaveOptions{NoBackup: true}, disk)
				cancel()
				if err == nil {
					saved++
					want = all
				} else if cancelled++; !errors.Is(err, context.Canceled) {
					t.Errorf("cancelled at step %d: %v", at, err)
				}
				if got := files(t, dir); !maps.Equal(got, want) || InterruptedSave(dir) != nil {
					t.Fatalf("cancelled at step %d: %v, and the files are %v", at, err, got)
				}
				if disk.step < at {
					break
				}
			}
			if cancelled < 3 {
				t.Errorf("cancelled %d times", cancelled)
			}
		}
	}
}

// What another program does to a file while it is being saved is not lost: the save is not made, and the edits stay.
func TestChangedWhileSaving(t *testing.T) {
	other := []byte("of another program")
	for what, meanwhile := range map[string]func(path string) error{
		"replaced": func(path string) error {
			return errors.Join(os.WriteFile(path+".other", other, 0o600), os.Rename(path+".other", path))
		},
		"deleted": os.Remove,
		"cut":     func(path string) error { return os.Truncate(path, 3) },
		"longer": func(path string) error {
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				return err
			}
			_, err = f.Write(other)
			return errors.Join(err, f.Close())
		},
	} {
		for at := 2; at < 5; at++ { // steps at which the new file is made and written
			one := openToy(t, toyFile("one", "two"))
			one.set(t, "names[0]/text", S("longer than it was"))
			several := edited(t, put(t, before))
			for name, d := range map[string]*Document{"one": one, "several": several} {
				path, step := d.DiskPath("a.toy"), 0
				if d == several {
					path = d.DiskPath("a/two")
				}
				disk := &brokenDisk{slow: func() {
					if step++; step == at {
						if err := meanwhile(path); err != nil {
							t.Fatal(err)
						}
					}
				}}
				err, _ := saveOn(d, disk, false)
				left, _ := os.ReadFile(path)
				if err == nil || !d.Dirty() {
					t.Errorf("%s, %s at step %d: saved over it: %v", name, what, at, err)
				}
				if cut := what == "cut" && len(left) == 3; !cut && (what == "deleted") != (left == nil) || what != "deleted" && what != "cut" && !bytes.HasSuffix(left, other) {
					t.Errorf("%s, %s at step %d: %q is left", name, what, at, left)
				}
				if there(filepath.Join(d.dir, saveFolder, recordFile)) {
					t.Errorf("%s, %s at step %d: something is to be recovered", name, what, at)
				}
			}
		}
	}
}

// A file whose save in place was interrupted is not saved over: its journal would lead back to what is not there any more.
func TestInterruptedInPlaceIsNotSavedOver(t *testing.T) {
	old := toyFile("one", "two")
	d := openToy(t, old)
	d.set(t, "rows[1]/b", I(-5))
	func() {
		defer func() { recover() }()
		d.saveInPlace(&brokenDisk{at: 8, fault: fault{kill: true}})
	}()
	path := d.DiskPath("a.toy")
	again, err := Open(bg, path, nil, toy)
	if err != nil || !Interrupted(path) {
		t.Fatalf("interrupted %v, %v", Interrupted(path), err)
	}
	again.set(t, "rows[8]/b", I(77))
	if _, err := again.Save(bg, SaveOptions{Overwrite: true}); !errors.Is(err, errJournal) {
		t.Errorf("saved over it: %v", err)
	}
	again.Close()
	if err := RollBack(path); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); !bytes.Equal(got, old) {
		t.Error("it cannot be taken back any more")
	}
}

// What another program does to a file until its first byte is written over in place is not lost, whether it is saved alone, with others, or on a
// disk that renames nothing: it stays as that program left it, nothing is to be recovered, and the edits stay.
func TestChangedBeforeOverwriting(t *testing.T) {
	for name, save := range map[string]func(*Document, disk) error{
		"alone": (*Document).saveInPlace, "with others": (*Document).saveMain,
		"nothing renamed": func(d *Document, on disk) error { _, err := d.save(bg, SaveOptions{NoBackup: true}, on); return err },
	} {
		refused := 0
		for at := 1; ; at++ {
			d, file := openToy(t, toyFile("one", "two")), "a.toy"
			if name == "with others" {
				d, file = edited(t, put(t, before)), "main"
			} else {
				d.set(t, "rows[1]/b", I(-5))
			}
			path, other := d.DiskPath(file), []byte("of another program, and longer than what was there before it came: "+strings.Repeat("x", 200))
			disk := &brokenDisk{}
			if name == "nothing renamed" {
				disk.fixed = syscall.EXDEV
			}
			disk.slow = func() {
				if disk.step+1 == at {
					if err := os.WriteFile(path, other, 0o600); err != nil {
						t.Fatal(err)
					}
				}
			}
			err := save(d, disk)
			if err == nil || name == "alone" && strings.Contains(err.Error(), "the written file") {
				break // it was written over already; at best the comparison tells
			}
			got, _ := os.ReadFile(path)
			refused++
			if !bytes.Equal(got, other) || !d.Dirty() || InterruptedSave(d.dir) != nil || there(JournalName(path)) {
				t.Errorf("%s, changed at step %d: %v, and %.40q is left", name, at, err, got)
			}
		}
		if refused < 5 {
			t.Errorf("%s: refused %d times", name, refused)
		}
		t.Logf("%s: refused at %d steps", name, refused)
	}
}

// What is written elsewhere of a document that another program changes meanwhile may be of two times: it is not, unless that is asked for.
func TestChangedWhileSavingElsewhere(t *testing.T) {
	for _, agreed := range []bool{false, true} {
		d := openToy(t, toyFile("one", "two"))
		d.set(t, "names[0]/text", S("longer than it was"))
		path, out, step := d.DiskPath("a.toy"), filepath.Join(t.TempDir(), "out"), 0
		disk := &brokenDisk{slow: func() {
			if step++; step == 2 {
				if err := os.WriteFile(path, append(toyFile("one", "two"), "more"...), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}}
		_, err := d.save(bg, SaveOptions{Out: out, Overwrite: agreed}, disk)
		if errors.Is(err, ErrChanged) == agreed || there(out) != agreed {
			t.Errorf("agreed %v: %v, written %v", agreed, err, there(out))
		}
	}
}
