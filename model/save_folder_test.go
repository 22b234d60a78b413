package model

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// dirFormat takes folders with a main file.
var dirFormat = &Format{Name: "dir", Parse: folderFormat.Parse, Dataset: &Dataset{Detect: func(s *Snapshot) (string, Confidence) {
	if _, err := s.Content("main"); err != nil {
		return "", 0
	}
	return "main", 100
}}}

// editedFolder opens a folder as a whole, and makes of before what after is.
func editedFolder(t *testing.T, dir string) *Document {
	t.Helper()
	d, err := Open(bg, dir, []*Format{dirFormat}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	p, err := d.Plan(bg, "all", FileEdit{File: "main", Create: Memory([]byte(after["main"]))}, FileEdit{File: "a/one", Create: Memory(nil)},
		FileEdit{File: "a/two", Create: Memory([]byte(after["a/two"]))}, FileEdit{File: "new/deep/file", Create: Memory([]byte("made"))}, FileEdit{File: "gone/only", Delete: true})
	if err != nil {
		t.Fatal(err)
	}
	d.Apply(bg, p, nil)
	return d
}

// A folder that is saved elsewhere is there as a whole, edits of every file in it, and what was opened stays.
func TestSaveFolderElsewhere(t *testing.T) {
	dir := put(t, before)
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	d := editedFolder(t, dir)
	out := filepath.Join(t.TempDir(), "copy")
	list, err := d.Save(bg, SaveOptions{Out: out})
	if err != nil || len(list) != 5 {
		t.Fatalf("%v, %v", list, err)
	}
	want, was := maps.Clone(after), maps.Clone(before)
	want["empty/"], was["empty/"] = "", ""
	if got := files(t, out); !maps.Equal(got, want) {
		t.Errorf("written %v", got)
	}
	if got := files(t, dir); !maps.Equal(got, was) || !d.Dirty() {
		t.Errorf("what was opened became %v", got)
	}
	if _, err := d.Save(bg, SaveOptions{Out: out}); err == nil {
		t.Error("written over a folder that is there")
	}
	if err := d.WriteTo(bg, new(bytes.Buffer)); err == nil {
		t.Error("a folder went into a pipe")
	}
}

// One file elsewhere is refused where it would not hold all edits.
func TestSaveElsewhereLosesNothing(t *testing.T) {
	d := edited(t, put(t, before))
	out := filepath.Join(t.TempDir(), "copy")
	if list, err := d.Save(bg, SaveOptions{Out: out}); err == nil || there(out) {
		t.Errorf("written %v", list)
	}
	d.Undo(bg)
	p, err := d.Plan(bg, "main alone", Splice{Range: Range{0, 0, 1}, With: Memory([]byte("T"))})
	if err != nil {
		t.Fatal(err)
	}
	d.Apply(bg, p, nil)
	if _, err := d.Save(bg, SaveOptions{Out: out}); err != nil {
		t.Error(err)
	}
	var pipe bytes.Buffer
	if err := d.WriteTo(bg, &pipe); err != nil || pipe.String() != after["main"] {
		t.Errorf("%q, %v", pipe.String(), err)
	}
}

// TestSaveElsewhereStopsAnywhere stops a save to another place at each of its steps in each way: what is edited stays as it is, and at the
// other place there is all or what was there before. An error leaves nothing half made beside it.
func TestSaveElsewhereStopsAnywhere(t *testing.T) {
	survived := 0
	for _, folder := range []bool{true, false} {
		for _, fault := range faults {
			for at := 1; ; at++ {
				dir, out := put(t, before), filepath.Join(t.TempDir(), "out")
				d, old, renewed := editedFolder(t, dir), map[string]string{}, map[string]string{}
				if !folder {
					d.Close()
					d = openFiles(t, map[string][]byte{"main": []byte("what is edited")})
					p, err := d.Plan(bg, "main", Splice{Range: Range{0, 0, 1}, With: Memory([]byte("W"))})
					if err != nil {
						t.Fatal(err)
					}
					d.Apply(bg, p, nil)
					if err := os.WriteFile(out, []byte("old"), 0o600); err != nil {
						t.Fatal(err)
					}
					dir, old, renewed = d.dir, map[string]string{"out": "old"}, map[string]string{"out": "What is edited"}
				} else {
					for name, text := range after {
						renewed["out/"+name] = text
					}
				}
				was := files(t, dir)
				disk := &brokenDisk{at: at, fault: fault}
				err, died := func() (err error, died bool) {
					defer func() {
						if r := recover(); r != nil {
							died = r == killed{}
						}
					}()
					_, err = d.save(bg, SaveOptions{Out: out}, disk)
					return err, false
				}()
				beside := filepath.Dir(out)
				if disk.step < at {
					if got := files(t, beside); err != nil || !maps.Equal(got, renewed) {
						t.Fatalf("without a fault: %v, %v", got, err)
					}
					break
				}
				if now := files(t, dir); !maps.Equal(now, was) {
					t.Fatalf("step %d, %v: what is edited changed: %v", at, fault, now)
				}
				switch got := files(t, beside); {
				case !maps.Equal(got, old) && !maps.Equal(got, renewed):
					t.Fatalf("step %d, %v, died %v: %v", at, fault, died, got)
				case !died && err == nil && !maps.Equal(got, renewed):
					t.Errorf("step %d, %v: said to be saved and is not: %v", at, fault, got)
				}
				if list, _ := os.ReadDir(beside); !died && !fault.ever && len(list) > 1 {
					t.Errorf("step %d, %v: left behind: %v", at, fault, list)
				}
				d.Close()
				survived++
			}
		}
	}
	if survived < 30 {
		t.Errorf("only %d faults were tried", survived)
	}
	t.Logf("faults of saves elsewhere: %d injected and survived", survived)
}

// TestSpreadStopsAnywhere stops a save of a folder to another place, on a disk that renames nothing, at each of its steps in each way: there is all of
// it or nothing, or a record tells; what a record tells of is finished or taken back, as is asked for.
func TestSpreadStopsAnywhere(t *testing.T) {
	told := 0
	for _, fault := range faults {
		if testing.Short() && !fault.kill && fault.ever {
			continue
		}
		for at := 1; ; at++ {
			d, out := editedFolder(t, put(t, before)), filepath.Join(t.TempDir(), "out")
			disk := &brokenDisk{at: at, fault: fault, fixed: syscall.EXDEV}
			err, died := func() (err error, died bool) {
				defer func() {
					if r := recover(); r != nil {
						died = r == killed{}
					}
				}()
				_, err = d.save(bg, SaveOptions{Out: out}, disk)
				return err, false
			}()
			d.Close()
			if disk.step < at {
				if got := files(t, out); err != nil || !maps.Equal(got, after) || there(filepath.Join(out, saveFolder)) {
					t.Fatalf("without a fault: %v, %v", got, err)
				}
				break
			}
			got := map[string]string{}
			if there(out) {
				got = files(t, out)
			}
			switch x := InterruptedSave(out); {
			case x != nil:
				told++
				if again, err := Open(bg, out, []*Format{dirFormat}, nil); err == nil {
					if found, _ := again.Tree.Findings(); !slices.ContainsFunc(found, func(f Finding) bool { return f.Rule == RuleInterrupted }) {
						t.Errorf("step %d, %v: opened as if it were whole", at, fault)
					}
					again.Close()
				} else if !errors.Is(err, ErrInterrupted) {
					t.Errorf("step %d, %v: %v", at, fault, err)
				}
				want, redo := after, x.Finish
				if at%2 == 0 || !x.Finishable() {
					want, redo = map[string]string{}, x.TakeBack
				}
				if err := redo(bg); err != nil || !maps.Equal(files(t, out), want) {
					t.Errorf("step %d, %v: recovered %v, %v", at, fault, files(t, out), err)
				}
			case len(got) > 0 && !maps.Equal(got, after):
				t.Errorf("step %d, %v, died %v: nothing tells that this is a part: %v", at, fault, died, got)
			case !died && err == nil && !maps.Equal(got, after):
				t.Errorf("step %d, %v: said to be saved and is not: %v", at, fault, got)
			}
		}
	}
	if told < 10 {
		t.Errorf("only %d faults left a record", told)
	}
	t.Logf("faults of folders saved elsewhere where nothing is renamed: %d left a record", told)
}

// TestSalvageStopsAnywhere stops the writing of what was salvaged at each of its steps in each way: there is all of it or nothing, or the file
// that was there before; what is said to be written is.
func TestSalvageStopsAnywhere(t *testing.T) {
	survived := 0
	for _, want := range []map[string]string{{"out": "a file"}, {"out/main": "more", "out/a/two": "files", "out/a/b/three": ""}} {
		folder := len(want) > 1
		for _, fault := range faults {
			for at := 1; ; at++ {
				beside, s, old := t.TempDir(), &Salvaged{Files: map[string]Source{}}, map[string]string{}
				out := filepath.Join(beside, "out")
				for name, text := range want {
					name = strings.TrimPrefix(name, "out/")
					s.Files[name] = Memory([]byte(text))
				}
				if !folder && at%2 == 0 {
					if err := os.WriteFile(out, []byte("old"), 0o600); err != nil {
						t.Fatal(err)
					}
					old["out"] = "old"
				}
				disk := &brokenDisk{at: at, fault: fault}
				err, died := func() (err error, died bool) {
					defer func() {
						if r := recover(); r != nil {
							died = r == killed{}
						}
					}()
					return s.write(&saver{ctx: bg, fs: disk, progress: func(int64) {}}, out, folder), false
				}()
				if disk.step < at {
					if got := files(t, beside); err != nil || !maps.Equal(got, want) {
						t.Fatalf("without a fault: %v, %v", got, err)
					}
					break
				}
				switch got := files(t, beside); {
				case !maps.Equal(got, old) && !maps.Equal(got, want):
					t.Fatalf("step %d, %v, died %v: %v", at, fault, died, got)
				case !died && err == nil && !maps.Equal(got, want):
					t.Errorf("step %d, %v: said to be written and is not: %v", at, fault, got)
				}
				if list, _ := os.ReadDir(beside); !died && !fault.ever && len(list) > 1 {
					t.Errorf("step %d, %v: left behind: %v", at, fault, list)
				}
				survived++
			}
		}
	}
	if survived < 30 {
		t.Errorf("only %d faults were tried", survived)
	}
	t.Logf("faults of what is salvaged: %d injected and survived", survived)
}
