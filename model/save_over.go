package model

import (
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// On some file systems no file can be renamed over another: network shares, folders mounted from outside into a virtual machine, and file systems
// in FUSE. There a new file is completed beside the old one first; then the old bytes are saved in a journal, and the old file
// is overwritten. A save that is interrupted is rolled back with the journal, like one in place.

// unmovable tells whether an error means that a file system cannot rename, at all or between these places; not that it is full or broken.
func unmovable(err error) bool {
	for _, no := range []error{errors.ErrUnsupported, syscall.EXDEV, syscall.EPERM, syscall.EINVAL} {
		if errors.Is(err, no) {
			return true
		}
	}
	return false
}

// over overwrites a file with a complete new one beside it that could not be renamed, and removes the new one.
func (w *saver) over(temp string, s *Saved, c *Content) error {
	if !there(s.Path) { // it is created empty, so that there is something to roll back to
		if err := w.empty(s.Path, temp); err != nil {
			return err
		}
	}
	if err := w.apart(s.Path, s.Backup); err != nil {
		return err
	}
	old, err := wholeJournal(s.Path)
	if err != nil {
		return err
	}
	if err := w.putAside(s.File); err != nil {
		return err
	}
	runs := []Changed{{New: c.Len()}}
	if err := w.overwritten(*s, c, runs, old, func() error { return copyInto(w.fs, w.fs.Open, temp, s.Path) }); err != nil {
		return err
	}
	s.InPlace = true
	w.fs.Remove(temp)
	return w.fs.SyncDir(filepath.Dir(s.Path))
}

// empty creates an empty file with the mode of a new one.
func (w *saver) empty(path, like string) error {
	f, err := w.fs.Make(path)
	if err != nil {
		return err
	}
	return errors.Join(w.fs.Like(path, like), f.Sync(), f.Close())
}

// apart turns a second name of a file into a copy, which overwriting the file does not affect.
func (w *saver) apart(path, second string) error {
	if second == "" {
		return nil
	}
	if same, err := sameFile(path, second); err != nil || !same {
		return nil // it is a copy, or there is none
	}
	if err := w.fs.Remove(second); err != nil {
		return err
	}
	return cmp.Or(copyFile(w.fs, path, second), w.fs.SyncDir(filepath.Dir(second)))
}

// putAside makes the document read a file that is about to be overwritten from a copy.
func (w *saver) putAside(name string) error {
	if w.aside == nil {
		return nil
	}
	return w.aside(name)
}

// wholeJournal is a journal of all bytes of a file.
func wholeJournal(path string) ([]byte, error) {
	f, err := OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if f.Len() > maxJournal-1<<10 {
		return nil, fmt.Errorf("the disk does not allow replacing files, and this one is too large to overwrite safely: " +
			"save it elsewhere")
	}
	return journal(NewContent(f), f.Len(), []Changed{{Old: f.Len()}}, func(r Changed) (int64, int64) { return r.OldOff, r.Old })
}

// publish writes bytes to a file atomically: by a rename, or by a copy if that is not possible. In an incomplete copy the
// checksum at the end of the bytes is missing.
func (w *saver) publish(b []byte, path string) error {
	dir := filepath.Dir(path)
	f, err := w.fs.Create(dir, "."+strings.TrimPrefix(filepath.Base(path), ".")+".*.spandrel")
	if err != nil {
		return err
	}
	err = errors.Join(writeAll(f, b), f.Close())
	if err == nil {
		err = w.fs.Rename(f.Name(), path)
	}
	if unmovable(err) {
		if err = nil; there(path) { // an earlier unfinished save
			err = w.fs.Remove(path)
		}
		if err == nil {
			err = copyFile(w.fs, f.Name(), path)
		}
		if err == nil {
			w.fs.Remove(f.Name())
		}
	}
	if err == nil {
		return w.fs.SyncDir(dir)
	}
	w.fs.Remove(f.Name())
	return err
}

// takePlace renames a file over another. If the file system refuses, the content is copied: an incomplete copy
// can be repeated as long as the original exists.
func takePlace(on disk, from, to string) error {
	err := on.Rename(from, to)
	if !unmovable(err) {
		return err
	}
	if err := pour(on, from, to); err != nil {
		return err
	}
	return on.Remove(from)
}

// pour overwrites or creates a file with the content of another.
func pour(on disk, from, to string) error {
	if there(to) {
		return copyInto(on, on.Open, from, to)
	}
	return copyFile(on, from, to)
}

// shelterFile makes everything that was derived from a file read a copy of it from now on, because the file is about to be overwritten. The copy is
// removed when the document is closed.
func (d *Document) shelterFile(name string) error {
	_, f, _ := d.opened(name)
	if f == nil || f.aside.Load() != nil {
		return nil
	}
	if now, err := os.Stat(d.DiskPath(name)); err != nil || !os.SameFile(f.info, now) {
		return nil // another one has its name
	}
	return f.putAside()
}

// putAside copies the file into the folder for temporary files, and reads the copy from now on.
func (f *File) putAside() error {
	if f.Len() == 0 {
		return nil
	}
	out, err := os.CreateTemp("", "spandrel-*.aside")
	if err != nil {
		return err
	}
	_, err = io.Copy(out, io.NewSectionReader(f, 0, f.Len()))
	if err = errors.Join(err, out.Close()); err == nil {
		var copied *File
		if copied, err = OpenFile(out.Name()); err == nil {
			removeFile(out.Name()) // if an open file cannot be removed, it is removed when it is closed
			f.aside.Store(copied)
			f.left.Store(0) // readers look at the copy
			return nil
		}
	}
	removeFile(out.Name())
	return err
}

// InterruptedInPlace lists the files whose save in place was interrupted: the file itself, or those in a folder and its sub-folders.
func InterruptedInPlace(path string) (list []string) {
	if Interrupted(path) {
		return []string{path}
	}
	seen := 0
	filepath.WalkDir(path, func(at string, e fs.DirEntry, err error) error {
		if seen++; err != nil || seen > MaxEntries {
			return fs.SkipAll
		}
		if name, is := strings.CutSuffix(at, JournalName("")); is && Interrupted(name) {
			list = append(list, name)
		}
		return nil
	})
	return list
}

// sumOf returns the CRC-32 and length of a file.
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
