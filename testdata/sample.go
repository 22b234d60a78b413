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

// Damaged is a sample that something has happened to, for who wants to see it put right.
type Damaged struct {
	Title  string // what happened
	Doc    string // what there is to see, one sentence
	sample Sample
	as     string                             // the folder of its copies
	damage func(name string, b []byte) []byte // makes the bytes of a file what they are in the copy
}

// Copy is Copy of the sample, damaged.
func (d Damaged) Copy(dir string) (string, error) { return d.sample.copy(dir, d.as, d.damage) }

// Name is what the copy is called.
func (d Damaged) Name() string { return d.sample.Name() }

// Broken are damaged samples, one of each kind of repair that there is: from other files, from what a program did, from names.
var Broken = []Damaged{
	{"A truncated index", "40 % of it was lost in an interrupted copy. The missing rows are restored from the tar files.",
		Sample{"taridx", "taridx/good/three-shards", "train.taridx"}, "truncated-index", func(name string, b []byte) []byte {
			if name == "train.taridx" {
				return b[:len(b)*6/10]
			}
			return b
		}},
	{"A file transferred as text", "A program changed each line feed into two bytes, so nothing could be read. Every byte is restored.",
		Sample{"idv", "idv/good/deflated.idv", ""}, "text-transfer", func(_ string, b []byte) []byte {
			return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n"))
		}},
	{"Two swapped shards", "Each has the other's name, so every offset of the index is wrong. They are swapped back.",
		Sample{"taridx", "taridx/good/three-shards", "train.taridx"}, "swapped-shards", func(name string, b []byte) []byte {
			other := map[string]string{"train_0000.tar": "train_0001.tar", "train_0001.tar": "train_0000.tar"}[name]
			if x, err := files.ReadFile("taridx/good/three-shards/" + other); other != "" && err == nil {
				return x
			}
			return b
		}},
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
// there already is used again as long as no one changed it.
func (s Sample) Copy(dir string) (string, error) {
	return s.copy(dir, s.Format, func(_ string, b []byte) []byte { return b })
}

func (s Sample) copy(dir, as string, change func(name string, b []byte) []byte) (string, error) {
	for i := 1; ; i++ {
		home := filepath.Join(dir, as)
		if i > 1 {
			home = fmt.Sprintf("%s-%d", home, i)
		}
		to := filepath.Join(home, path.Base(s.from))
		if _, err := os.Stat(to); err != nil {
			if err := s.write(to, change); err != nil {
				return "", err
			}
		} else if !s.same(to, change) {
			continue
		}
		return filepath.Join(to, filepath.FromSlash(s.open)), nil
	}
}

// walk calls f for each file of the sample with its bytes, as they are changed, and its path below to.
func (s Sample) walk(to string, change func(name string, b []byte) []byte, f func(path string, b []byte) error) error {
	return fs.WalkDir(files, s.from, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		return f(filepath.Join(to, filepath.FromSlash(name[len(s.from):])), change(path.Base(name), b))
	})
}

func (s Sample) write(to string, change func(string, []byte) []byte) error {
	return s.walk(to, change, func(path string, b []byte) error {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		return os.WriteFile(path, b, 0o644)
	})
}

// same tells whether to holds the sample's files and no others.
func (s Sample) same(to string, change func(string, []byte) []byte) bool {
	left := 0
	filepath.WalkDir(to, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			left++
		}
		return nil
	})
	return s.walk(to, change, func(path string, b []byte) error {
		left--
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, b) {
			return fs.ErrInvalid
		}
		return nil
	}) == nil && left == 0
}
