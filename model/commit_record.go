package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// record makes the record durable: from here on the save will be finished, or undone as a whole.
func (w *saver) record(r *commit) error {
	temp, err := w.draft(r)
	if err != nil {
		return err
	}
	err = w.fs.Rename(r.own(temp), r.own(recordFile))
	if unmovable(err) { // then the files will be overwritten
		err = w.copyRecord(r)
	}
	if err != nil {
		return err
	}
	return errors.Join(w.fs.SyncDir(filepath.Join(r.dir, saveFolder)), w.fs.SyncDir(r.dir))
}

// draft writes the record under a temporary name.
func (w *saver) draft(r *commit) (string, error) {
	b, err := json.Marshal(r)
	if err != nil {
		return "", err
	}
	b = fmt.Appendf(b, "\n%08x\n", crc32.ChecksumIEEE(b))
	if len(b) > maxCommit {
		return "", fmt.Errorf("%d files are too many for one save", len(r.Files))
	}
	temp, err := w.keep(r, "temp", func(f diskFile) error { return writeAll(f, b) })
	if err != nil {
		return "", err
	}
	return temp, w.fs.SyncDir(filepath.Join(r.dir, saveFolder))
}

// copyRecord makes the record where files cannot be renamed. The old contents are copied, so that overwriting the files does not affect them.
func (w *saver) copyRecord(r *commit) error {
	r.Fixed = true
	for i := range r.Files {
		f := &r.Files[i]
		if f.Old == "" || f.Patch {
			continue
		}
		if same, err := sameFile(r.own(f.Old), r.at(f.Name)); err != nil || !same {
			continue
		}
		copied := fmt.Sprintf("%d.copy.old", i)
		if err := copyFile(w.fs, r.own(f.Old), r.own(copied)); err != nil {
			return err
		}
		f.Old = copied
	}
	temp, err := w.draft(r)
	if err == nil && there(r.own(recordFile)) { // one that was not finished
		err = w.fs.Remove(r.own(recordFile))
	}
	if err != nil {
		return err
	}
	return copyFile(w.fs, r.own(temp), r.own(recordFile))
}

// begun tells whether there is a record of a save of several files, or something that counts as one. An incomplete record
// does not: nothing had been changed then.
func begun(dir string) bool {
	path := filepath.Join(dir, saveFolder, recordFile)
	st, err := os.Lstat(path)
	if err != nil {
		return false
	}
	if !st.Mode().IsRegular() || st.Size() > maxCommit {
		return true
	}
	b, err := os.ReadFile(path)
	return err != nil || recordEnd.Match(b)
}

// recordEnd is how a complete record ends.
var recordEnd = regexp.MustCompile(`\n[0-9a-f]{8}\n$`)

// maxCommit is the size of the largest record that is read.
const maxCommit = 64 << 20

// readCommit reads the record of an interrupted save of a folder. Its names may be forged: none may lead out of the folder.
func readCommit(dir string) (*commit, error) {
	at := filepath.Join(dir, saveFolder, recordFile)
	st, err := os.Lstat(at)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() || st.Size() > maxCommit {
		return nil, fmt.Errorf("%s is not a record", at)
	}
	b, err := os.ReadFile(at)
	if err != nil {
		return nil, err
	}
	body, sum, _ := bytes.Cut(b, []byte("\n"))
	if string(sum) != fmt.Sprintf("%08x\n", crc32.ChecksumIEEE(body)) {
		return nil, fmt.Errorf("%s is damaged", at)
	}
	r := &commit{dir: dir}
	if err := json.Unmarshal(body, r); err != nil {
		return nil, err
	}
	outside := func(name string) bool { return Clean(name) != nil || !inside(dir, name) }
	forged := slices.ContainsFunc(r.Made, outside)
	for _, f := range r.Files {
		names := slices.DeleteFunc([]string{f.New, f.Old, f.Backup}, func(name string) bool { return name == "" })
		forged = forged || outside(f.Name) || strings.ContainsRune(f.New+f.Old, '/') || slices.ContainsFunc(names, outside)
	}
	if forged {
		return nil, fmt.Errorf("%s names a file that is not in the folder", at)
	}
	return r, nil
}

// inside tells whether the path of a name stays in the folder, also after resolving symbolic links.
func inside(dir, name string) bool {
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	for path := filepath.Join(dir, filepath.FromSlash(name)); ; path = filepath.Dir(path) {
		real, err := filepath.EvalSymlinks(path)
		if err == nil {
			rel, err := filepath.Rel(root, real)
			return err == nil && filepath.IsLocal(rel)
		}
		if path == dir || path == filepath.Dir(path) {
			return false
		}
	}
}

// overlay writes the runs of a patch into a file, sets its size, and reads it back.
func overlay(fs disk, path, patch string) error {
	runs, size, err := readPatch(patch)
	if err != nil {
		return err
	}
	return writeRuns(fs, path, runs, size)
}

// readPatch returns the runs of a patch, and the size of the file with them.
func readPatch(patch string) (runs []run, size int64, err error) {
	st, err := os.Stat(patch)
	if err != nil || !st.Mode().IsRegular() || st.Size() > maxJournal {
		return nil, 0, fmt.Errorf("%s is not a patch", patch)
	}
	b, err := os.ReadFile(patch)
	if err != nil {
		return nil, 0, err
	}
	runs, size, ok := parseJournal(b, math.MaxInt64)
	if !ok {
		return nil, 0, fmt.Errorf("%s is damaged", patch)
	}
	return runs, size, nil
}

// Interruption is an interrupted save of several files: some are new, some are old. It can be finished or undone.
type Interruption struct {
	When  time.Time
	Files []string // files of the folder, by name
	Dir   string
	c     *commit
}

// InterruptedSave looks for an interrupted save of several files, in a folder or in those above a file; nil if there is none.
func InterruptedSave(path string) *Interruption {
	dir, err := filepath.Abs(path)
	if err != nil {
		return nil
	}
	for range 16 {
		if c, err := readCommit(dir); err == nil {
			x := &Interruption{When: c.When, Dir: dir, c: c}
			for _, f := range c.Files {
				x.Files = append(x.Files, f.Name)
			}
			return x
		}
		if dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	return nil
}

// Finishable tells whether the save can still be finished. Once undoing it has begun, that is the only way out.
func (x *Interruption) Finishable() bool { return !slices.ContainsFunc(x.c.Files, x.c.lost) }

// Finish makes all files new, TakeBack makes all of them old. Close the documents of the folder first. Either may be tried if the
// other fails, as long as the content that it needs still exists. Both refuse to overwrite a file that another program has changed since. The lock of the
// dataset is taken, if one of the formats has one.
func (x *Interruption) Finish(_ context.Context, formats ...*Format) error {
	return x.recover(x.c.finish, formats)
}
func (x *Interruption) TakeBack(_ context.Context, formats ...*Format) error {
	return x.recover(x.c.takeBack, formats)
}

func (x *Interruption) recover(how func(disk) error, formats []*Format) error {
	return locked(x.Dir, formats, func() error {
		if err := x.c.changedSince(); err != nil {
			return err
		}
		return how(osDisk{})
	})
}
