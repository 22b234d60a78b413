package model

import (
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A save of several files is one transaction. All new files are written and synced in a working folder inside the document's, and the old
// ones get a second name there; then a record says what belongs where. From then on the save can be finished or undone, whatever
// happens: the new files are moved into place, backups are kept, and finally the record is removed. Before the record exists nothing has
// changed. Readers that list folders see one more, with a name that belongs to no format.

// saveFolder is the working folder of a save of several files, inside the folder of the document. recordFile is its record.
const (
	saveFolder = ".spandrel-save"
	recordFile = "record"
)

// ErrInterrupted means that an earlier save must be finished or undone first.
var ErrInterrupted = errors.New("an earlier save of several files was interrupted: finish it or undo it first")

// commit is the record of a save of several files.
type commit struct {
	When  time.Time
	Files []commitFile
	Made  []string // new folders
	Prune bool     // remove folders that become empty
	Fixed bool     `json:",omitempty"` // the disk cannot rename: contents are copied

	dir   string                  // of the document
	aside func(name string) error // as of the saver
}

// commitFile is one file of a save: its new content and its old one. Names are relative to the document's folder; New and Old
// are names in saveFolder.
type commitFile struct {
	Name   string
	New    string // the new content; "" when the file is removed
	Old    string // the old content; "" when there was none
	Backup string // backup of the old content; "" for none
	Patch  bool   // New and Old hold runs of bytes, as a journal does, for a file that is changed in place
	Size   int64  // of the new content
	Sum    uint32 // CRC-32 of the new content; not of a patch, which has its own
}

// own is the path of a file in the save folder.
func (r *commit) own(name string) string { return filepath.Join(r.dir, saveFolder, name) }

// at is the path of a file of the document, after resolving symbolic links.
func (r *commit) at(name string) string { return realPath(r.dir, name) }

// together saves several files as one transaction.
func (w *saver) together(list []Saved, dir string, snap, saved *Snapshot, before *int64) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	r := &commit{When: time.Now(), Prune: w.prune || len(list) == 1, dir: dir, aside: w.putAside}
	if _, err := readCommit(dir); err == nil {
		return ErrInterrupted
	}
	clearSave(w.fs, dir)
	if err = w.prepare(r, list, snap, saved, before); err == nil {
		if err := w.unchanged(list); err != nil { // writing the record may have taken long, and nothing has been moved yet
			return errors.Join(err, r.sweep(w.fs))
		}
		if err = r.finish(w.fs); err == nil || !there(r.own(recordFile)) {
			return nil // or only the cleanup is left
		}
	} else if !begun(dir) {
		clearSave(w.fs, dir)
		return err
	}
	if back := r.takeBack(w.fs); back != nil {
		return fmt.Errorf("%w; undoing it failed too (%v): recover it", err, back)
	}
	return err
}

// prepare writes the new contents beside the old ones, and then the record. Until that is there, nothing has changed.
func (w *saver) prepare(r *commit, list []Saved, snap, saved *Snapshot, before *int64) error {
	if err := mkdirs(w.fs, filepath.Join(r.dir, saveFolder), 0o777, later); err != nil {
		return err
	}
	for _, s := range list {
		f, err := w.stage(r, s, snap, saved)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Path, err)
		}
		r.Files = append(r.Files, f)
		if f.Old == "" {
			r.makes(path.Dir(f.Name))
		}
		*before += s.Bytes
	}
	if err := cmp.Or(w.ctx.Err(), w.unchanged(list)); err != nil { // from here on it cannot be cancelled
		return err
	}
	return w.record(r)
}

// unchanged is an error if another program has changed one of the files.
func (w *saver) unchanged(list []Saved) error {
	for _, s := range list {
		if w.still == nil {
			break
		}
		if err := w.still(s); err != nil {
			return err
		}
	}
	return nil
}

// stage writes the new content of a file, and gives the old one a second name.
func (w *saver) stage(r *commit, s Saved, snap, saved *Snapshot) (f commitFile, err error) {
	f = commitFile{Name: s.File, Patch: s.InPlace}
	if s.Backup != "" {
		backup, err := filepath.Abs(s.Backup)
		if err == nil {
			f.Backup, err = filepath.Rel(r.dir, backup)
		}
		if err != nil {
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
		if err := link(w.fs, s.Path, r.own(f.Old)); err != nil {
			return f, err
		}
	}
	if s.Deleted {
		return f, nil
	}
	sum := crc32.NewIEEE()
	f.New, err = w.keep(r, "new", func(out diskFile) error {
		return cmp.Or(w.fs.Like(out.Name(), w.likeness(s.Path)), w.checked(out, io.MultiWriter(out, sum), c))
	})
	f.Sum = sum.Sum32()
	return f, err
}

// makes notes the folders that a file needs, the innermost first.
func (r *commit) makes(dir string) {
	for ; dir != "." && !there(r.at(dir)) && !slices.Contains(r.Made, dir); dir = path.Dir(dir) {
		r.Made = append(r.Made, dir)
	}
}

// stagePatch writes the new and the old bytes of the changed runs of a file that is saved in place.
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

// keep creates a file in the save folder and returns its name there.
func (w *saver) keep(r *commit, kind string, write func(diskFile) error) (string, error) {
	f, err := w.fs.Create(filepath.Join(r.dir, saveFolder), "*."+kind)
	if err != nil {
		return "", err
	}
	err = write(f)
	return filepath.Base(f.Name()), errors.Join(err, f.Close())
}

// names are those that are created or removed.
func (r *commit) names() (names []string) {
	for _, f := range r.Files {
		names = append(names, f.Name)
		if f.Backup != "" {
			names = append(names, f.Backup)
		}
	}
	return names
}

// sync syncs the folders of names to disk; if a folder is gone, the one that contained it.
func (r *commit) sync(fs disk, names []string) error {
	dirs := map[string]bool{}
	for _, name := range names {
		dir := filepath.Dir(r.at(name))
		for !there(dir) {
			dir = filepath.Dir(dir)
		}
		dirs[dir] = true
	}
	for _, dir := range slices.Sorted(maps.Keys(dirs)) { // a folder before its content
		if err := fs.SyncDir(dir); err != nil {
			return err
		}
	}
	return nil
}

// sweep removes the record, and then everything else of the save.
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

// clearSave removes what is left of a save that never had a record, or that is complete. Leftovers do no harm.
func clearSave(fs disk, dir string) {
	folder := filepath.Join(dir, saveFolder)
	list, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, e := range list {
		if name := e.Name(); e.Type().IsRegular() && (strings.HasSuffix(name, ".new") || strings.HasSuffix(name, ".old") || strings.HasSuffix(name, ".temp") ||
			name == recordFile && !begun(dir)) {
			fs.Remove(filepath.Join(folder, name))
		}
	}
	fs.Remove(folder)
}
