package model

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

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
func copyFile(on disk, from, to string) error { return copyInto(on, on.Make, from, to) }

// copyInto opens a file and writes the content of another into it, which gives it its mode too. It may be an old one, or a copy that was not finished.
func copyInto(on disk, open func(path string) (diskFile, error), from, to string) error {
	in, err := openShared(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := open(to)
	if err != nil {
		return err
	}
	n := int64(0)
	if err = on.Like(to, from); err == nil { // what is synced then is the mode too
		n, err = io.Copy(out, in)
	}
	if err == nil {
		err = out.Truncate(n)
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
