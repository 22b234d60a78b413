package model

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
)

// disk is what saving does to the file system, so that a test can interrupt it at any step.
type disk interface {
	Create(dir, pattern string) (diskFile, error) // a new file with a unique name
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
	prune    bool                    // remove folders that become empty
	still    func(s Saved) error     // tells that another program changed a file since it was read; nil: that does not matter
	aside    func(name string) error // makes the document read a file from a copy before it is overwritten; nil: nothing reads it
}

// replace writes a new file beside the old one, reads it back, and renames it over the old one: at every moment either the
// old file or the new one exists.
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
	err = w.fs.Like(temp, w.likeness(s.Path)) // then the mode is synced too
	if err == nil {
		err = w.checked(f, f, c)
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

// backup renames a file to its backup. In another folder the backup is synced before the file's own name disappears; in the same folder one cannot
// be lost without the other.
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

// folders tells whether a folder is created or removed with a file.
func folders(s Saved) bool {
	dir := filepath.Dir(s.Path)
	if !s.Deleted {
		return !there(dir)
	}
	list, err := os.ReadDir(dir)
	return err == nil && len(list) == 1 && path.Dir(s.File) != "."
}
