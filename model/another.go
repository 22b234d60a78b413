package model

import (
	"errors"
	"os"
	"path/filepath"
)

// OpenCopy opens a file or folder as bytes, without a format. It is for another copy of a document, which may be damaged too. Nothing
// may read the snapshot after close.
func OpenCopy(path string) (s *Snapshot, close func() error, err error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if st.IsDir() {
		folder, err := OpenFolder(path)
		if err != nil {
			return nil, nil, err
		}
		return &Snapshot{folder: folder, unread: &unread{}}, folder.Close, nil
	}
	file, err := OpenFile(path)
	if err != nil {
		return nil, nil, err
	}
	name := filepath.Base(path)
	return &Snapshot{Primary: name, edited: map[string]*Content{name: NewContent(file)}, unread: &unread{}}, file.Close, nil
}

// ErrTooMany means that a folder has more files than are examined.
var ErrTooMany = errors.New("the folder has too many files")

// Files lists the regular files in the folder and its sub-folders, as List does.
func (s *Snapshot) Files() (names []string, err error) {
	err = s.walk(".", func(e Entry) error {
		if e.Regular {
			names = append(names, e.Name)
		}
		if len(names) > MaxEntries {
			return ErrTooMany
		}
		return nil
	})
	return names, err
}

// walk passes what is below a sub-folder to see, a folder before what it contains. It fails if there is more than is listed.
func (s *Snapshot) walk(dir string, see func(Entry) error) error {
	list, more, err := s.List(dir)
	for _, e := range list {
		if err == nil {
			err = see(e)
		}
		if err == nil && e.Dir {
			err = s.walk(e.Name, see)
		}
	}
	if err == nil && more {
		err = ErrTooMany
	}
	return err
}

// Whole tells whether a document of the format is a whole folder, rather than one file with others beside it.
func (f *Format) Whole() bool { return f.folders() }
