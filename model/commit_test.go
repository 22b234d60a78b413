package model

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// before and after are the files of a folder around a save of several of them.
var (
	before = map[string]string{"main": "the main file", "a/one": "first", "a/two": "second", "gone/only": "third", "same": "untouched"}
	after  = map[string]string{"main": "The main file", "a/one": "", "new/deep/file": "made", "a/two": "second, longer", "same": "untouched"}
)

// put writes files into a new folder.
func put(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// files reads a folder, without what saving works with; folders without files are listed too.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		switch list, _ := os.ReadDir(path); {
		case err != nil:
		case ours(e.Name()) && e.IsDir():
			return filepath.SkipDir
		case ours(e.Name()):
		case e.IsDir() && len(list) == 0 && path != dir:
			out[name+"/"] = ""
		case !e.IsDir() && filepath.Ext(name) != ".bak":
			var b []byte
			b, err = os.ReadFile(path)
			out[filepath.ToSlash(name)] = string(b)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// lingers tells whether a removed file keeps its name until it is closed, as where Windows has another file system than NTFS.
func lingers(t *testing.T) bool {
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := openShared(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return os.Remove(path) != nil || there(path)
}

// symlink makes a symbolic link, or skips the test where there are none.
func symlink(t *testing.T, to, path string) {
	t.Helper()
	err := os.Symlink(to, path)
	if _, unread := os.Readlink(path); err != nil || unread != nil {
		t.Skipf("no symbolic links here: %v", errors.Join(err, unread))
	}
}

// edited opens the folder of before and edits it into after.
func edited(t *testing.T, dir string) *Document {
	t.Helper()
	d, err := Open(bg, filepath.Join(dir, "main"), []*Format{folderFormat}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	p, err := d.Plan(bg, "all", Splice{Range: Range{0, 0, 1}, With: Memory([]byte("T"))},
		FileEdit{File: "a/one", Create: Memory(nil)}, FileEdit{File: "a/two", Create: Memory([]byte(after["a/two"]))},
		FileEdit{File: "new/deep/file", Create: Memory([]byte("made"))}, FileEdit{File: "gone/only", Delete: true})
	if err != nil {
		t.Fatal(err)
	}
	d.Apply(bg, p, nil)
	return d
}

// saveOn saves on a disk that may die.
func saveOn(d *Document, disk *brokenDisk, backup bool) (err error, died bool) {
	defer func() {
		if r := recover(); r != nil {
			died = r == killed{}
		}
	}()
	_, err = d.save(bg, SaveOptions{NoBackup: !backup}, disk)
	return err, false
}

// saveMainInPlace saves on a disk that may die, and changes the main file in place as if it were large.
func saveMainInPlace(d *Document, disk *brokenDisk, _ bool) (err error, died bool) {
	defer func() {
		if r := recover(); r != nil {
			died = r == killed{}
		}
	}()
	return d.saveMain(disk), false
}

// saveMain changes the main file in place as if it were large.
func (d *Document) saveMain(on disk) error {
	list, err := d.SavePlan(SaveOptions{NoBackup: true})
	if err != nil {
		return err
	}
	for i := range list {
		list[i].InPlace = list[i].File == "main"
	}
	n := int64(0)
	w := &saver{ctx: bg, fs: on, dir: d.dir, prune: true, progress: func(int64) {}, still: d.still}
	return d.saveTogether(w, list, &n)
}

// A save of several files makes all of them new, in one step, and leaves nothing behind; so does the save of its undoing.
func TestSaveTogether(t *testing.T) {
	for _, backup := range []bool{true, false} {
		dir := put(t, before)
		was, err := os.Stat(filepath.Join(dir, "a", "two"))
		if err != nil {
			t.Fatal(err)
		}
		d := edited(t, dir)
		if err, _ := saveOn(d, &brokenDisk{}, backup); err != nil {
			t.Fatal(err)
		}
		if got := files(t, dir); !maps.Equal(got, after) {
			t.Errorf("saved %v", got)
		}
		if there(filepath.Join(dir, saveFolder)) && !lingers(t) || d.Dirty() {
			t.Error("something of the save is left")
		}
		backups, _ := filepath.Glob(filepath.Join(dir, "*", "*.bak"))
		if (len(backups) == 3 || !backup) && (len(backups) == 0 || backup) != true {
			t.Errorf("backups %v", backups)
		}
		if st, err := os.Stat(filepath.Join(dir, "a", "two")); err != nil || st.Mode() != was.Mode() {
			t.Errorf("the mode became %v, %v", st.Mode(), err)
		}
		d.Undo(bg)
		if err, _ := saveOn(d, &brokenDisk{}, false); err != nil {
			t.Fatal(err)
		}
		if got := files(t, dir); !maps.Equal(got, before) {
			t.Errorf("undone %v", got)
		}
	}
}

// At every step of the save the disk fails or the program dies: all files are old or all are new, or the record tells, and then both
// ways lead out of it.
func TestSaveTogetherStopsAnywhere(t *testing.T) {
	told, survived := 0, 0
	for i, save := range []func(*Document, *brokenDisk, bool) (error, bool){saveOn, saveMainInPlace, saveOn, saveMainInPlace} {
		var fixed error
		if i > 1 {
			fixed = syscall.ENOTSUP
		}
		for k, fault := range faults {
			if i > 1 && testing.Short() && !fault.kill {
				continue
			}
			if i > 0 && k > 1 && !fault.kill {
				continue // an error is an error
			}
			for at := 1; ; at++ {
				dir := put(t, before)
				disk := &brokenDisk{at: at, fault: fault, fixed: fixed}
				err, died := save(edited(t, dir), disk, at%2 == 0)
				if disk.step < at {
					break // it was over before
				}
				got, x := files(t, dir), InterruptedSave(dir)
				switch old, renewed := maps.Equal(got, before), maps.Equal(got, after); {
				case x != nil:
					if told++; fault.kill && i == 0 || told%8 == 0 { // what the record says is the same for every fault
						leads(t, dir, x, told, fixed)
					}
				case old == renewed:
					t.Fatalf("step %d, %v, died %v: %v", at, fault, died, got)
				case !died && (err == nil) != renewed:
					t.Errorf("step %d, %v: %v, and the files are %v", at, fault, err, got)
				}
				survived++
			}
		}
	}
	if told < 5 {
		t.Errorf("the record told %d times", told)
	}
	t.Logf("faults of several files: %d injected and survived, %d of them told by the record", survived, told)
}

// leads checks that an interrupted save is told where the folder is opened, and refused to be saved over, and that finishing it and
// taking it back end well, however often they are interrupted themselves.
func leads(t *testing.T, dir string, x *Interruption, from int, fixed error) {
	t.Helper()
	d, err := Open(bg, filepath.Join(dir, "main"), []*Format{folderFormat}, nil)
	if err != nil {
		t.Fatal(err)
	}
	found, _ := d.Tree.Findings()
	if !slices.ContainsFunc(found, func(f Finding) bool { return f.Rule == RuleInterrupted }) {
		t.Error("opening the folder says nothing")
	}
	if list, _, _ := d.Tree.Snapshot.List("."); slices.ContainsFunc(list, func(e Entry) bool { return e.Name == saveFolder }) {
		t.Error("the folder of the save is listed")
	}
	d.Tree.Snapshot = d.Tree.Snapshot.With("same", BytesContent([]byte("x")))
	if _, err := d.Save(bg, SaveOptions{}); !errors.Is(err, ErrInterrupted) {
		t.Errorf("saved over it: %v", err)
	}
	d.Close()
	for _, way := range []struct {
		do   func(*commit, disk) error
		want map[string]string
	}{{(*commit).finish, after}, {(*commit).takeBack, before}} {
		for at := 1 + from%5; ; at += 5 {
			copied := t.TempDir()
			if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			broken := &brokenDisk{at: at, fault: fault{kill: true}, fixed: fixed}
			c, err := readCommit(copied)
			if err != nil {
				t.Fatal(err)
			}
			func() {
				defer func() { recover() }()
				err = way.do(c, broken)
			}()
			if again := InterruptedSave(copied); again != nil {
				err = way.do(again.c, &brokenDisk{fixed: fixed})
			}
			if got := files(t, copied); err != nil || !maps.Equal(got, way.want) || InterruptedSave(copied) != nil {
				t.Fatalf("recovery at step %d: %v, %v", at, got, err)
			}
			if broken.step < at {
				break
			}
		}
	}
}

// A record that someone made up does nothing outside the folder.
func TestCommitStaysInside(t *testing.T) {
	for _, f := range []commitFile{{Name: "../x", New: "0.new"}, {Name: "main", New: "../main"}, {Name: "main", Backup: "/etc/x"}, {}, {Name: "link/x", New: "0.new"}} {
		dir := put(t, before)
		outside := t.TempDir()
		if strings.HasPrefix(f.Name, "link") {
			symlink(t, outside, filepath.Join(dir, "link"))
		}
		if err := os.Mkdir(filepath.Join(dir, saveFolder), 0o755); err != nil {
			t.Fatal(err)
		}
		w := &saver{ctx: bg, fs: osDisk{}}
		if err := w.record(&commit{dir: dir, Files: []commitFile{f}}); err != nil {
			t.Fatal(err)
		}
		if c, err := readCommit(dir); err == nil {
			t.Errorf("%+v is taken: %+v", f, c)
		}
	}
}

// A folder that is given by its path from where the program was started is saved with backups as any other.
func TestSaveTogetherRelative(t *testing.T) {
	dir := put(t, before)
	t.Chdir(filepath.Dir(dir))
	if _, err := edited(t, filepath.Base(dir)).Save(bg, SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	if old, _ := filepath.Glob(filepath.Join(dir, "main.*.bak")); len(old) != 1 {
		t.Errorf("%d backups of the main file", len(old))
	}
}
