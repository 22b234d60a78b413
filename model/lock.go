package model

import (
	"errors"
	"os"
	"path/filepath"
)

// ErrLocked says that another program reads or writes the dataset, and wants no one to change it meanwhile.
var ErrLocked = errors.New("another program has locked it: save again when that program has finished")

// lock tells why the document's files may not be written: an earlier save stopped half way, or another program has the lock of the folder. Where its
// format has one and the folder too, it is taken until it is given back.
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

// lockIn is the file in a folder whose lock a format has; "": there is none.
func lockIn(dir string, f *Format) string {
	if f == nil || f.Dataset == nil || f.Dataset.Lock == "" {
		return ""
	}
	path := filepath.Join(dir, f.Dataset.Lock)
	if st, err := os.Lstat(path); err != nil || !st.Mode().IsRegular() {
		return ""
	}
	return path
}

// lockAround takes the lock of the dataset that a path is in, or is, where one of the formats has one.
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

// locked does something under the lock of the dataset that a path is in.
func locked(path string, formats []*Format, do func() error) error {
	back, err := lockAround(path, formats)
	if err != nil {
		return err
	}
	return errors.Join(do(), back())
}
