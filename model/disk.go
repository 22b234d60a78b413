package model

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// osDisk is the real file system.
type osDisk struct{}

func (osDisk) Create(dir, pattern string) (diskFile, error) {
	return opened(createIn(dir, pattern))
}
func (osDisk) Make(path string) (diskFile, error) {
	return opened(os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600))
}
func (osDisk) Open(path string) (diskFile, error)        { return opened(os.OpenFile(path, os.O_WRONLY, 0)) }
func (osDisk) Mkdir(path string, mode os.FileMode) error { return os.Mkdir(path, mode) }
func (osDisk) Link(from, to string) error                { return os.Link(from, to) }
func (osDisk) Rename(from, to string) error              { return replaceFile(from, to) }
func (osDisk) Remove(path string) error                  { return removeFile(path) }

// createIn creates a file as os.CreateTemp does. An error names the folder: the name of the file means nothing to the user.
func createIn(dir, pattern string) (*os.File, error) {
	f, err := os.CreateTemp(dir, pattern)
	if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
		err = fmt.Errorf("no file can be created in %s: %w", dir, failed.Err)
	}
	return f, err
}

// CreateBeside creates a file with a temporary name in the folder of a path.
func CreateBeside(path string) (*os.File, error) {
	return createIn(filepath.Dir(path), "."+filepath.Base(path)+".*.spandrel")
}

// opened is a file, or nil with an error.
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
		mode |= mode & 0o444 >> 2 // who may read the file may list the folder
	case st.Mode()&os.ModeSticky != 0: // everybody's
		mode &= 0o755
	}
	sameOwner(path, model, st) // only root may give files away; the mode is what matters
	if own.Mode().Perm() == mode {
		return nil
	}
	return os.Chmod(path, mode)
}

// newMode is the mode of a new file or folder without a model: most, less what the user's umask excludes.
func newMode(most os.FileMode) os.FileMode { return most &^ umask }

// likeness is the file whose mode and owner new files of the document get; "" if it is not on a disk.
func (d *Document) likeness() string {
	if d.dir == "" {
		return ""
	}
	return d.DiskPath(d.Tree.Snapshot.Primary)
}

// likeness is the file whose mode and owner a saved file gets: the one it replaces.
func (w *saver) likeness(place string) string {
	if there(place) {
		return place
	}
	return w.like
}

// link gives a file a second name. On a file system without hard links it is copied, and the copy gets its name when complete.
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

// tempName creates a file or folder under a temporary name beside a path.
func tempName(path string, make func(temp string) error) (string, error) {
	for i := 0; ; i++ {
		temp := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%d.spandrel", filepath.Base(path), i))
		if err := make(temp); !errors.Is(err, os.ErrExist) {
			return temp, err
		}
	}
}

// copyFile copies a file to a new name.
func copyFile(on disk, from, to string) error { return copyInto(on, on.Make, from, to) }

// copyInto opens a file and writes the content and mode of another into it. It may be an old one, or an unfinished copy.
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
	if err = on.Like(to, from); err == nil { // then the mode is synced too
		n, err = io.Copy(out, in)
	}
	if err == nil {
		err = out.Truncate(n)
	}
	return errors.Join(err, out.Sync(), out.Close())
}

// mkdirs creates a folder and its missing parents. sync syncs their names to disk, by the folder that contains them: syncing a folder
// includes its content.
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

// later is for folders whose names are synced together with all others.
func later(string) error { return nil }

// syncAll syncs the names in a folder and its sub-folders to disk.
func syncAll(on disk, path string) error {
	list, err := os.ReadDir(path)
	for _, e := range list {
		if err == nil && e.IsDir() {
			err = syncAll(on, filepath.Join(path, e.Name()))
		}
	}
	return cmp.Or(err, on.SyncDir(path))
}

// removeAll removes a folder with its content.
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

// Like gives a file the mode and owner of another, as far as the user may; the defaults if that does not exist.
func Like(path, model string) error { return osDisk{}.Like(path, model) }

// SyncDir syncs the names in a folder to disk.
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
