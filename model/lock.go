package model

import (
	"errors"
	"os"
	"path/filepath"
)

// ErrLocked says that another program reads or writes the dataset, and wants nobody to change it meanwhile.
var ErrLocked = errors.New("another program holds its lock: save again when that has ended")

// lock tells why the document's files may not be written: an earlier save stopped half way, or another program has the lock of the folder. Where its
// format has one and the folder too, it is taken until it is given back.
func (d *Document) lock() (back func() error, err error) {
	if d.dir != "" && begun(d.dir) {
		return nil, ErrInterrupted
	}
	if d.dir != "" && d.Format != nil && d.Format.Dataset != nil && d.Format.Dataset.Lock != "" {
		path := filepath.Join(d.dir, d.Format.Dataset.Lock)
		if st, err := os.Lstat(path); err == nil && st.Mode().IsRegular() {
			return lockFile(path)
		}
	}
	return func() error { return nil }, nil
}
