// Package testdata is the samples of the tests. One of each format is part of the program, for its start page.
package testdata

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// Sample is a small file or folder of a format, with what lies beside it.
type Sample struct {
	Format string
	from   string // file or folder in files
	open   string // inside the folder: what is opened; "" for the whole
}

// SampleOf returns the sample of a format.
func SampleOf(format string) (Sample, bool) {
	for _, s := range Samples {
		if s.Format == format {
			return s, true
		}
	}
	return Sample{}, false
}

// Name is what the sample's copy is called.
func (s Sample) Name() string { return path.Base(path.Join(s.from, s.open)) }

// Copy puts the sample into a folder of its own below dir, where it may be edited, and returns the path to open. A copy that is
// there already is used again as long as nobody changed it.
func (s Sample) Copy(dir string) (string, error) {
	for i := 1; ; i++ {
		home := filepath.Join(dir, s.Format)
		if i > 1 {
			home = fmt.Sprintf("%s-%d", home, i)
		}
		to := filepath.Join(home, path.Base(s.from))
		if _, err := os.Stat(to); err != nil {
			if err := s.write(to); err != nil {
				return "", err
			}
		} else if !s.same(to) {
			continue
		}
		return filepath.Join(to, filepath.FromSlash(s.open)), nil
	}
}

// walk calls f for each file of the sample with its bytes and its path below to.
func (s Sample) walk(to string, f func(path string, b []byte) error) error {
	return fs.WalkDir(files, s.from, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		return f(filepath.Join(to, filepath.FromSlash(name[len(s.from):])), b)
	})
}

func (s Sample) write(to string) error {
	return s.walk(to, func(path string, b []byte) error {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		return os.WriteFile(path, b, 0o644)
	})
}

// same tells whether to holds the sample's files and no others.
func (s Sample) same(to string) bool {
	left := 0
	filepath.WalkDir(to, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			left++
		}
		return nil
	})
	return s.walk(to, func(path string, b []byte) error {
		left--
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, b) {
			return fs.ErrInvalid
		}
		return nil
	}) == nil && left == 0
}
