package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A save of several files is one step. All new files are written and synced in a folder of ours inside the document's, and the old
// ones get a second name there; then a record says what belongs where. From then on the save can be finished or taken back, whatever
// happens: the new files take their places, backups are put away, and at last the record goes. Before the record is there, nothing has
// changed. Readers that list folders see one more, whose name is no format's.

// saveFolder is where a save of several files works, inside the folder of the document. recordFile is its record.
const (
	saveFolder = ".spandrel-save"
	recordFile = "record"
)

// ErrInterrupted says that an earlier save has to be finished or taken back first.
var ErrInterrupted = errors.New("an earlier save of several files was interrupted: finish it or take it back first")

// commit is the record of a save of several files.
type commit struct {
	When  time.Time
	Files []commitFile
	Made  []string // folders that were not there before
	Prune bool     // folders that are left empty go

	dir string // of the document
}

// commitFile is one file of a save: what it is to become, and what it was. Names are relative to the document's folder; New and Old
// are names in saveFolder.
type commitFile struct {
	Name   string
	New    string // the new content; "" when the file is removed
	Old    string // the old content; "" when there was none
	Backup string // where the old content goes at the end; "" when it goes away
	Patch  bool   // New and Old hold runs of bytes, as a journal does, for a file that is changed in place
	Size   int64  // of the new content
	Sum    uint32 // CRC-32 of the new content; not of a patch, which has its own
}

// own is the path of a file in the save folder.
func (r *commit) own(name string) string { return filepath.Join(r.dir, saveFolder, name) }

// at is the path of a file of the document, behind a symbolic link.
func (r *commit) at(name string) string { return realPath(r.dir, name) }

// together saves several files as one step.
func (w *saver) together(list []Saved, dir string, snap, saved *Snapshot, before *int64) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	r := &commit{When: time.Now(), Prune: w.prune, dir: dir}
	if _, err := readCommit(dir); err == nil {
		return ErrInterrupted
	}
	clearSave(w.fs, dir)
	if err := w.fs.Mkdir(filepath.Join(dir, saveFolder)); err != nil {
		return err
	}
	for _, s := range list {
		f, err := w.stage(r, s, snap, saved)
		if err != nil {
			clearSave(w.fs, dir)
			return fmt.Errorf("%s: %w", s.Path, err)
		}
		r.Files = append(r.Files, f)
		r.makes(f)
		*before += s.Bytes
	}
	if err = w.record(r); err == nil {
		if err = r.finish(w.fs); err == nil || !there(r.own(recordFile)) {
			return nil // or all is done but the sweeping
		}
	} else if !there(r.own(recordFile)) {
		clearSave(w.fs, dir)
		return err
	}
	if back := r.takeBack(w.fs); back != nil {
		return fmt.Errorf("%w; taking it back failed too (%v): recover it", err, back)
	}
	return err
}

// stage writes what a file is to become, and gives what it is a second name.
func (w *saver) stage(r *commit, s Saved, snap, saved *Snapshot) (f commitFile, err error) {
	f = commitFile{Name: s.File, Patch: s.InPlace}
	if s.Backup != "" {
		if f.Backup, err = filepath.Rel(r.dir, s.Backup); err != nil {
			return f, err
		}
		f.Backup = filepath.ToSlash(f.Backup)
	}
	base, baseErr := saved.Content(s.File)
	var c *Content
	if !s.Deleted {
		if c, err = snap.Content(s.File); err != nil {
			return f, err
		}
		f.Size = c.Len()
	}
	if s.InPlace {
		return f, w.stagePatch(r, &f, c, base)
	}
	if baseErr == nil {
		f.Old = fmt.Sprintf("%d.old", len(r.Files))
		if err := w.fs.Link(s.Path, r.own(f.Old)); err != nil {
			return f, err
		}
	}
	if s.Deleted {
		return f, nil
	}
	sum := crc32.NewIEEE()
	f.New, err = w.keep(r, "new", func(out diskFile) error { return w.copyTo(out, io.MultiWriter(out, sum), c) })
	if err != nil {
		return f, err
	}
	f.Sum = sum.Sum32()
	if err := w.fs.Like(r.own(f.New), s.Path); err != nil {
		return f, err
	}
	return f, verify(w.ctx, r.own(f.New), c, []Changed{{New: c.Len()}})
}

// makes notes the folders that a new file needs.
func (r *commit) makes(f commitFile) {
	if f.Old != "" {
		return
	}
	for dir := path.Dir(f.Name); dir != "." && !there(r.at(dir)) && !slices.Contains(r.Made, dir); dir = path.Dir(dir) {
		r.Made = append(r.Made, dir)
	}
}

// stagePatch writes the runs of a file that is changed in place, as they are to be and as they are.
func (w *saver) stagePatch(r *commit, f *commitFile, c, base *Content) (err error) {
	runs := c.Diff(base)
	redo, err := journal(c, c.Len(), runs, func(x Changed) (int64, int64) { return x.Off, x.New })
	if err != nil {
		return err
	}
	undo, err := journal(base, base.Len(), runs, func(x Changed) (int64, int64) { return x.OldOff, x.Old })
	if err != nil {
		return err
	}
	if f.New, err = w.keep(r, "new", func(out diskFile) error { return writeAll(out, redo) }); err != nil {
		return err
	}
	f.Old, err = w.keep(r, "old", func(out diskFile) error { return writeAll(out, undo) })
	return err
}

// writeAll writes bytes and syncs them.
func writeAll(f diskFile, b []byte) error {
	_, err := f.Write(b)
	return errors.Join(err, f.Sync())
}

// keep makes a file in the save folder and returns its name there.
func (w *saver) keep(r *commit, kind string, write func(diskFile) error) (string, error) {
	f, err := w.fs.Create(filepath.Join(r.dir, saveFolder), "*."+kind)
	if err != nil {
		return "", err
	}
	err = write(f)
	return filepath.Base(f.Name()), errors.Join(err, f.Close())
}

// record makes the record durable: from here on the save is going to be finished, or taken back as a whole.
func (w *saver) record(r *commit) error {
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	b = fmt.Appendf(b, "\n%08x\n", crc32.ChecksumIEEE(b))
	temp, err := w.keep(r, "temp", func(f diskFile) error { return writeAll(f, b) })
	if err != nil {
		return err
	}
	if err := w.fs.SyncDir(filepath.Join(r.dir, saveFolder)); err != nil {
		return err
	}
	if err := w.fs.Rename(r.own(temp), r.own(recordFile)); err != nil {
		return err
	}
	return errors.Join(w.fs.SyncDir(filepath.Join(r.dir, saveFolder)), w.fs.SyncDir(r.dir))
}

// maxCommit is the size of the largest record that is read.
const maxCommit = 64 << 20

// readCommit reads the record of an interrupted save of a folder. Names in it may have been made up: none leads out of the folder.
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
	for _, name := range r.Made {
		if Clean(name) != nil || !inside(dir, name) {
			return nil, fmt.Errorf("%s names what is not in the folder", at)
		}
	}
	for _, f := range r.Files {
		for _, name := range []string{f.Name, f.New, f.Old, f.Backup} {
			if name != "" && Clean(name) != nil || f.Name == "" || strings.ContainsRune(f.New+f.Old, '/') || !inside(dir, name) {
				return nil, fmt.Errorf("%s names what is not in the folder", at)
			}
		}
	}
	return r, nil
}

// inside tells whether the path of a name stays in the folder, behind symbolic links too.
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

// finish puts everything in its place. It may be called again after it was interrupted.
func (r *commit) finish(fs disk) error {
	for _, f := range r.Files {
		if err := r.place(fs, f); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	if err := r.sync(fs); err != nil {
		return err
	}
	for _, f := range r.Files {
		if f.Backup == "" || f.Patch || !there(r.own(f.Old)) {
			continue
		}
		if err := fs.Rename(r.own(f.Old), r.at(f.Backup)); err != nil {
			return err
		}
	}
	for _, f := range r.Files {
		if f.New == "" && r.Prune {
			prune(fs, r.dir, r.at(f.Name))
		}
	}
	return r.sweep(fs)
}

// place makes one file what it is to become.
func (r *commit) place(fs disk, f commitFile) error {
	path := r.at(f.Name)
	switch {
	case f.Patch:
		return overlay(fs, path, r.own(f.New))
	case f.New == "":
		if !there(path) {
			return nil
		}
		return fs.Remove(path)
	case !there(r.own(f.New)):
		if sum, n, err := sumOf(path); err != nil || n != f.Size || sum != f.Sum {
			return fmt.Errorf("the new content is lost")
		}
		return nil
	}
	if err := fs.Mkdir(filepath.Dir(path)); err != nil {
		return err
	}
	return fs.Rename(r.own(f.New), path)
}

// prune removes the folders that a removed file has left empty: readers look into them.
func prune(fs disk, root, path string) {
	for dir := filepath.Dir(path); below(root, dir); dir = filepath.Dir(dir) {
		list, err := os.ReadDir(dir)
		if err != nil || len(list) > 0 || fs.Remove(dir) != nil {
			return
		}
	}
}

// below tells whether a folder lies inside another.
func below(root, dir string) bool {
	rel, err := filepath.Rel(root, dir)
	return err == nil && rel != "." && filepath.IsLocal(rel)
}

// takeBack makes everything what it was before the save.
func (r *commit) takeBack(fs disk) error {
	for _, f := range r.Files {
		if f.Backup != "" && !f.Patch && !there(r.own(f.Old)) && there(r.at(f.Backup)) {
			if err := fs.Rename(r.at(f.Backup), r.own(f.Old)); err != nil {
				return err
			}
		}
	}
	for _, f := range slices.Backward(r.Files) {
		if err := r.restore(fs, f); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	for _, dir := range r.Made { // the inner ones come first
		if list, err := os.ReadDir(r.at(dir)); err == nil && len(list) == 0 {
			fs.Remove(r.at(dir))
		}
	}
	if err := r.sync(fs); err != nil {
		return err
	}
	return r.sweep(fs)
}

// restore makes one file what it was.
func (r *commit) restore(fs disk, f commitFile) error {
	path := r.at(f.Name)
	switch {
	case f.Patch:
		return overlay(fs, path, r.own(f.Old))
	case f.Old == "": // it was not there
		if !there(path) || f.New != "" && there(r.own(f.New)) {
			return nil
		}
		return fs.Remove(path)
	}
	old, again := r.own(f.Old), r.own(strings.TrimSuffix(f.Old, ".old")+".again.old")
	switch same, err := sameFile(old, path); {
	case !there(old):
		return fmt.Errorf("the old content is lost")
	case err == nil && same:
		return nil // it is still in its place, or there again
	}
	if there(again) {
		if err := fs.Remove(again); err != nil {
			return err
		}
	}
	if err := fs.Link(old, again); err != nil { // the old one stays where it is until all are back
		return err
	}
	if err := fs.Mkdir(filepath.Dir(path)); err != nil {
		return err
	}
	return fs.Rename(again, path)
}

// sync makes the places of all files durable.
func (r *commit) sync(fs disk) error {
	done := map[string]bool{}
	for _, f := range r.Files {
		for dir := filepath.Dir(r.at(f.Name)); !done[dir] && (dir == r.dir || below(r.dir, dir)); dir = filepath.Dir(dir) {
			if done[dir] = true; !there(dir) {
				continue
			}
			if err := fs.SyncDir(dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// sweep removes the record, and then all that is left of the save.
func (r *commit) sweep(fs disk) error {
	if err := fs.Remove(r.own(recordFile)); err != nil {
		return err
	}
	if err := fs.SyncDir(filepath.Join(r.dir, saveFolder)); err != nil {
		return err
	}
	clearSave(fs, r.dir)
	return nil
}

// clearSave removes what a save left that never came to its record, or that is done. What stays does no harm.
func clearSave(fs disk, dir string) {
	folder := filepath.Join(dir, saveFolder)
	list, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, e := range list {
		if name := e.Name(); e.Type().IsRegular() && (strings.HasSuffix(name, ".new") || strings.HasSuffix(name, ".old") || strings.HasSuffix(name, ".temp")) {
			fs.Remove(filepath.Join(folder, name))
		}
	}
	fs.Remove(folder)
}

// overlay writes the runs of a patch into a file and gives it the size that the patch says.
func overlay(fs disk, path, patch string) error {
	st, err := os.Stat(patch)
	if err != nil || !st.Mode().IsRegular() || st.Size() > maxJournal {
		return fmt.Errorf("%s is not a patch", patch)
	}
	b, err := os.ReadFile(patch)
	if err != nil {
		return err
	}
	runs, size, ok := parseJournal(b, math.MaxInt64)
	if !ok {
		return fmt.Errorf("%s is damaged", patch)
	}
	f, err := fs.Open(path)
	if err != nil {
		return err
	}
	for _, x := range runs {
		if err == nil {
			_, err = f.WriteAt(x.old, x.off)
		}
	}
	if err == nil {
		err = f.Truncate(size)
	}
	return errors.Join(err, f.Sync(), f.Close())
}

// there tells whether a path exists.
func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// sameFile tells whether two paths are names of one file.
func sameFile(a, b string) (bool, error) {
	x, err := os.Stat(a)
	if err != nil {
		return false, err
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y), err
}

// sumOf reads a file for its CRC-32 and its length.
func sumOf(path string) (sum uint32, n int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	h := crc32.NewIEEE()
	n, err = io.Copy(h, f)
	return h.Sum32(), n, err
}

// Interruption is a save of several files that was interrupted: some are new, some are old. It can be finished or taken back.
type Interruption struct {
	When  time.Time
	Files []string // of the folder, by their names in it
	Dir   string
	c     *commit
}

// InterruptedSave looks for a save of several files that was interrupted, in a folder, or in those above a file. Nil: there is none.
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

// Finish makes all files new, TakeBack makes all of them old. Close the documents of the folder first. Either may be tried when the
// other fails, as long as the content that it needs is still there.
func (x *Interruption) Finish(context.Context) error   { return x.c.finish(osDisk{}) }
func (x *Interruption) TakeBack(context.Context) error { return x.c.takeBack(osDisk{}) }
