package model

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path"
	"path/filepath"
)

// disk is what saving does to the file system, so that a test can stop it at any step.
type disk interface {
	Create(dir, pattern string) (diskFile, error) // a new file that nobody else has
	Make(path string) (diskFile, error)           // a file that is not there yet
	Open(path string) (diskFile, error)           // for writing
	Mkdir(path string, mode os.FileMode) error    // a folder that is not there yet
	Like(path, model string) error                // mode and owner of another file, where that may be set
	Link(from, to string) error                   // a second name, where there are such
	Rename(from, to string) error
	Remove(path string) error  // a file, or an empty folder
	SyncDir(path string) error // the names in a folder
}

type diskFile interface {
	io.Writer
	io.WriterAt
	Truncate(size int64) error
	Name() string
	Sync() error
	Close() error
}

// saver writes files.
type saver struct {
	ctx      context.Context
	fs       disk
	progress func(n int64)
	dir      string                  // of the document
	like     string                  // what new files are like: the main file of the document, or its folder
	prune    bool                    // folders that are left empty go
	still    func(s Saved) error     // tells that another program changed a file since it was read; nil: that does not matter
	aside    func(name string) error // has the document read a file from a copy, before it is written over; nil: nobody reads it
}

// replace writes a new file beside the old one, compares it with what was meant, and lets it take its place: at every moment there is the
// old file or the new.
func (w *saver) replace(s *Saved, c *Content) error {
	dir := filepath.Dir(s.Path)
	if err := mkdirs(w.fs, dir, 0o777, w.fs.SyncDir); err != nil { // an edit may have made a file in a new folder
		return err
	}
	f, err := w.fs.Create(dir, "."+filepath.Base(s.Path)+".*.spandrel")
	if err != nil {
		return err
	}
	temp := f.Name()
	err = w.fs.Like(temp, w.likeness(s.Path)) // what is synced then is the mode too
	if err == nil {
		err = w.checked(f, c)
	}
	err = errors.Join(err, f.Close())
	if err == nil && w.still != nil {
		err = w.still(*s) // writing it may have taken minutes
	}
	if err == nil {
		err = w.backup(*s)
	}
	if err = cmp.Or(err, w.ctx.Err()); err == nil {
		err = w.fs.Rename(temp, s.Path)
	}
	if unmovable(err) {
		if err = w.over(temp, s, c); err == nil {
			return nil
		}
	}
	if err != nil {
		w.fs.Remove(temp)
		return err
	}
	return w.fs.SyncDir(dir)
}

func (w *saver) remove(s Saved) error {
	if err := w.backup(s); err != nil {
		return err
	}
	if err := w.fs.Remove(s.Path); err != nil {
		return err
	}
	return w.fs.SyncDir(filepath.Dir(s.Path))
}

// backup gives a file the name of its backup. In another folder that is on the disk before the file's own name goes; in its own the one cannot
// be there without the other.
func (w *saver) backup(s Saved) error {
	if s.Backup == "" {
		return nil
	}
	err := link(w.fs, s.Path, s.Backup)
	if dir := filepath.Dir(s.Backup); err == nil && dir != filepath.Dir(s.Path) {
		err = w.fs.SyncDir(dir)
	}
	return err
}

// folders tells whether a folder comes or goes with a file.
func folders(s Saved) bool {
	dir := filepath.Dir(s.Path)
	if !s.Deleted {
		return !there(dir)
	}
	list, err := os.ReadDir(dir)
	return err == nil && len(list) == 1 && path.Dir(s.File) != "."
}

// The rollback journal of a save in place: magic, the size of the file, the number of runs; for each run its offset, its
// length and the bytes that it held; and a CRC-32 of everything before. All numbers are 8 bytes, little-endian. A journal
// whose checksum fails was never finished, and then nothing has been overwritten yet.
const journalMagic = "SPANDREL-JOURNAL"

// JournalName returns the name of a file's rollback journal.
func JournalName(path string) string { return path + ".spandrel-journal" }

// journal is the bytes that a content has at runs, and its size.
func journal(c *Content, size int64, runs []Changed, at func(Changed) (off, n int64)) ([]byte, error) {
	j := []byte(journalMagic)
	j = binary.LittleEndian.AppendUint64(j, uint64(size))
	j = binary.LittleEndian.AppendUint64(j, uint64(len(runs)))
	for _, r := range runs {
		off, n := at(r)
		b := make([]byte, n)
		if _, err := c.ReadAt(b, off); err != nil && err != io.EOF {
			return nil, err
		}
		j = binary.LittleEndian.AppendUint64(j, uint64(off))
		j = append(binary.LittleEndian.AppendUint64(j, uint64(n)), b...)
	}
	return binary.LittleEndian.AppendUint32(j, crc32.ChecksumIEEE(j)), nil
}

// patch overwrites the changed runs of a file, after their old bytes have been made safe in a journal.
func (w *saver) patch(s Saved, c *Content, saved *Snapshot) error {
	base, err := saved.Content(s.File)
	if err != nil {
		return err
	}
	runs := c.Diff(base)
	j, err := journal(base, base.Len(), runs, func(r Changed) (int64, int64) { return r.OldOff, r.Old })
	if err != nil {
		return err
	}
	if err := w.journaled(s, j); err != nil {
		return err
	}
	if err = w.overwrite(s.Path, c, runs); err != nil {
		if back := rollBack(w.fs, s.Path, j); back != nil {
			return fmt.Errorf("%w; undoing it failed too (%v): open the file again to roll back", err, back)
		}
		return err
	}
	if err := w.fs.Remove(JournalName(s.Path)); err != nil {
		return err
	}
	return w.fs.SyncDir(filepath.Dir(s.Path))
}

// journaled makes the old bytes of a file safe, which may be overwritten from then on: nobody else has changed it until now.
func (w *saver) journaled(s Saved, old []byte) error {
	if err := w.publish(old, JournalName(s.Path)); err != nil || w.still == nil {
		return err
	}
	err := w.still(s)
	if err != nil {
		err = errors.Join(err, w.fs.Remove(JournalName(s.Path)), w.fs.SyncDir(filepath.Dir(s.Path)))
	}
	return err
}

func (w *saver) overwrite(path string, c *Content, runs []Changed) error {
	f, err := w.fs.Open(path)
	if err != nil {
		return err
	}
	var done int64
	for i := len(runs) - 1; i >= 0; i-- { // the last first: what is added behind the end is safe before anything points at it
		r := runs[i]
		if err == nil && i < len(runs)-1 && runs[i+1].New > runs[i+1].Old {
			err = f.Sync()
		}
		if err != nil {
			break
		}
		for off := r.Off; off < r.Off+r.New && err == nil; off += saveStep {
			b := make([]byte, min(saveStep, r.Off+r.New-off))
			if _, err = c.ReadAt(b, off); err == nil || err == io.EOF {
				_, err = f.WriteAt(b, off)
			}
			done += int64(len(b))
			w.progress(done)
		}
	}
	return errors.Join(err, f.Sync(), f.Close())
}

// run is a run of old bytes in a journal.
type run struct {
	off int64
	old []byte
}

// parseJournal returns the runs of a finished journal for a file of a size, which the save may have made longer, and the size
// that the file had before.
func parseJournal(j []byte, size int64) (runs []run, before int64, ok bool) {
	const head = len(journalMagic) + 16
	if len(j) < head+4 || string(j[:len(journalMagic)]) != journalMagic {
		return nil, 0, false
	}
	before = int64(binary.LittleEndian.Uint64(j[len(journalMagic):]))
	body, sum := j[:len(j)-4], binary.LittleEndian.Uint32(j[len(j)-4:])
	if crc32.ChecksumIEEE(body) != sum {
		return nil, 0, false
	}
	for b := body[head:]; len(b) >= 16; {
		off, n := int64(binary.LittleEndian.Uint64(b)), binary.LittleEndian.Uint64(b[8:])
		if n > uint64(len(b)-16) || off < 0 || off > before-int64(n) {
			return nil, 0, false
		}
		runs = append(runs, run{off, b[16 : 16+n]})
		b = b[16+n:]
	}
	whole := len(runs) == 1 && int64(len(runs[0].old)) == before // then it does not matter what is left of the file
	return runs, before, whole || before <= size
}

func rollBack(fs disk, path string, journal []byte) error {
	st, err := os.Stat(path)
	if err != nil {
		return err
	}
	runs, before, ok := parseJournal(journal, st.Size())
	if !ok {
		return errors.New("the journal does not fit the file")
	}
	f, err := fs.Open(path)
	if err != nil {
		return err
	}
	for _, r := range runs {
		if _, err = f.WriteAt(r.old, r.off); err != nil {
			break
		}
	}
	if err == nil && st.Size() > before {
		err = f.Truncate(before)
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := fs.Remove(JournalName(path)); err != nil {
		return err
	}
	return fs.SyncDir(filepath.Dir(path))
}

// maxJournal is the size of the largest journal that patch writes: InPlacePatch runs of one byte.
const maxJournal = InPlacePatch*(16+1) + int64(len(journalMagic)) + 16 + 4

// readJournal returns a file's journal. Whatever else has its name may be of any size, or a pipe that blocks.
func readJournal(path string) ([]byte, error) {
	st, err := os.Stat(JournalName(path))
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() || st.Size() > maxJournal {
		return nil, fmt.Errorf("%s is not a journal", JournalName(path))
	}
	return os.ReadFile(JournalName(path))
}

// Interrupted tells whether a save of a file in place was interrupted: its journal is there and finished.
func Interrupted(path string) bool {
	j, err := readJournal(path)
	if err != nil {
		return false
	}
	st, err := os.Stat(path)
	if err != nil {
		return false
	}
	_, _, ok := parseJournal(j, st.Size())
	return ok
}

// RollBack puts a file back to the state before an interrupted save in place. Close all documents of it first. The lock of its dataset is taken,
// where one of the formats has one.
func RollBack(path string, formats ...*Format) error {
	return locked(path, formats, func() error {
		j, err := readJournal(path)
		if err != nil {
			return err
		}
		return rollBack(osDisk{}, path, j)
	})
}

// osDisk is the real file system.
type osDisk struct{}

func (osDisk) Create(dir, pattern string) (diskFile, error) {
	return opened(os.CreateTemp(dir, pattern))
}
func (osDisk) Make(path string) (diskFile, error) {
	return opened(os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600))
}
func (osDisk) Open(path string) (diskFile, error)        { return opened(os.OpenFile(path, os.O_WRONLY, 0)) }
func (osDisk) Mkdir(path string, mode os.FileMode) error { return os.Mkdir(path, mode) }
func (osDisk) Link(from, to string) error                { return os.Link(from, to) }
func (osDisk) Rename(from, to string) error              { return replaceFile(from, to) }
func (osDisk) Remove(path string) error                  { return removeFile(path) }

// opened is a file, or none where there is an error.
func opened(f *os.File, err error) (diskFile, error) {
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (osDisk) Like(path, model string) error {
	own, err := os.Stat(path)
	if err != nil {
		return err
	}
	st, err := os.Stat(model)
	switch {
	case err == nil:
	case own.IsDir():
		return os.Chmod(path, newMode(0o755))
	default:
		return os.Chmod(path, newMode(0o644))
	}
	mode := st.Mode().Perm()
	switch {
	case st.IsDir() && !own.IsDir():
		mode &= 0o644
	case !st.IsDir() && own.IsDir():
		mode |= mode & 0o444 >> 2 // who may read the one may look into the other
	case st.Mode()&os.ModeSticky != 0: // everybody's
		mode &= 0o755
	}
	sameOwner(path, model, st) // only root may give files away; the mode is what matters
	if own.Mode().Perm() == mode {
		return nil
	}
	return os.Chmod(path, mode)
}

// newMode is the mode of a new file or folder that is like no other, where most is what it may be: the user may keep more from others.
func newMode(most os.FileMode) os.FileMode { return most &^ umask }

// likeness is what new files of the document are like; "" where it is none on a disk.
func (d *Document) likeness() string {
	if d.dir == "" {
		return ""
	}
	return d.DiskPath(d.Tree.Snapshot.Primary)
}

// likeness is what a file is to have mode and owner of: the one whose place it takes.
func (w *saver) likeness(place string) string {
	if there(place) {
		return place
	}
	return w.like
}

// link gives a file a second name. Where there are no such it is copied, and the copy gets its name when it is complete.
func link(on disk, from, to string) error {
	if on.Link(from, to) == nil {
		return nil
	}
	if there(to) {
		return &os.PathError{Op: "link", Path: to, Err: os.ErrExist}
	}
	temp, err := tempName(to, func(temp string) error { return copyFile(on, from, temp) })
	if err == nil {
		err = on.Rename(temp, to)
	}
	if err != nil {
		on.Remove(temp)
	}
	if unmovable(err) {
		return copyFile(on, from, to)
	}
	return err
}

// tempName has a file or a folder made under a name of ours beside a path.
func tempName(path string, make func(temp string) error) (string, error) {
	for i := 0; ; i++ {
		temp := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%d.spandrel", filepath.Base(path), i))
		if err := make(temp); !errors.Is(err, os.ErrExist) {
			return temp, err
		}
	}
}

// copyFile makes a copy of a file under a name that nothing has yet.
func copyFile(on disk, from, to string) error {
	in, err := openShared(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := on.Make(to)
	if err != nil {
		return err
	}
	err = on.Like(to, from) // what is synced then is the mode too
	if err == nil {
		_, err = io.Copy(out, in)
	}
	return errors.Join(err, out.Sync(), out.Close())
}

// mkdirs makes a folder, with those around it that are not there. sync has their names on the disk, by the folder that they are in: with a folder
// goes what is in it.
func mkdirs(on disk, path string, mode os.FileMode, sync func(dir string) error) error {
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		return nil
	}
	if err := mkdirs(on, filepath.Dir(path), mode, sync); err != nil {
		return err
	}
	if err := on.Mkdir(path, mode); err != nil {
		if errors.Is(err, os.ErrExist) {
			return nil
		}
		return err
	}
	return sync(filepath.Dir(path))
}

// later is for folders whose names are synced with all others.
func later(string) error { return nil }

// syncAll has the names in a folder, and in those in it, on the disk.
func syncAll(on disk, path string) error {
	list, err := os.ReadDir(path)
	for _, e := range list {
		if err == nil && e.IsDir() {
			err = syncAll(on, filepath.Join(path, e.Name()))
		}
	}
	return cmp.Or(err, on.SyncDir(path))
}

// removeAll removes a folder with all that is in it.
func removeAll(on disk, path string) error {
	list, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, e := range list {
		if at := filepath.Join(path, e.Name()); e.IsDir() {
			err = errors.Join(err, removeAll(on, at))
		} else {
			err = errors.Join(err, on.Remove(at))
		}
	}
	return errors.Join(err, on.Remove(path))
}

// Like gives a file mode and owner of another, as far as the user may; those of a new one where that is not there.
func Like(path, model string) error { return osDisk{}.Like(path, model) }

// SyncDir has the names in a folder on the disk.
func SyncDir(path string) error { return osDisk{}.SyncDir(path) }

func (osDisk) SyncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return nil // not every system can open a folder
	}
	defer d.Close()
	if err := syncDir(d); err != nil && !errors.Is(err, os.ErrInvalid) {
		return err
	}
	return nil
}
