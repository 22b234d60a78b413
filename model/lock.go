package model

import (
	"errors"
	"os"
	"path/filepath"
)

// ErrLocked means that another program uses the dataset and does not want it to change meanwhile.
var ErrLocked = errors.New("another program has locked it: save again when that program has finished")

// lock returns an error if the document's files may not be written: an earlier save was interrupted, or another program holds the lock of the folder. If the
// format has a lock and its file exists, it is held until back is called.
func (d *Document) lock() (back func() error, err error) {
	if d.dir != "" && begun(d.dir) {
		return nil, ErrInterrupted
	}
	if d.dir != "" {
		if path := lockIn(d.dir, d.Format); path != "" {
			return lockFile(path)
		}
	}
	return func() error { return nil }, nil
}

// lockIn is the lock file of a format in a folder; "" if there is none.
func lockIn(dir string, f *Format) string {
	if f.dataset().Lock == "" {
		return ""
	}
	path := filepath.Join(dir, f.Dataset.Lock)
	if st, err := os.Lstat(path); err != nil || !st.Mode().IsRegular() {
		return ""
	}
	return path
}

// lockAround takes the lock of the dataset that contains a path, or is it, if one of the formats has a lock.
func lockAround(path string, formats []*Format) (back func() error, err error) {
	dir, err := filepath.Abs(path)
	for ; err == nil; dir = filepath.Dir(dir) {
		for _, f := range formats {
			if path := lockIn(dir, f); path != "" {
				return lockFile(path)
			}
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return func() error { return nil }, err
}

// locked runs a function under the lock of the dataset that contains a path.
func locked(path string, formats []*Format, do func() error) error {
	back, err := lockAround(path, formats)
	if err != nil {
		return err
	}
	return errors.Join(do(), back())
}
