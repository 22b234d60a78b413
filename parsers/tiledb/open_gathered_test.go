package tiledb

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"spandrel/model"
)

// asked is a store of files in memory that notes which are opened.
type asked struct {
	model.Store
	files map[string][]byte

	mu     sync.Mutex
	opened map[string]bool
	soon   []string
	back   atomic.Int64 // how often reading a file went far back
}

type askedFile struct {
	*bytes.Reader
	back *atomic.Int64
	last *atomic.Int64
}

func (f askedFile) ReadAt(p []byte, off int64) (int, error) {
	if f.last.Swap(off)-off > 4<<20 {
		f.back.Add(1)
	}
	return f.Reader.ReadAt(p, off)
}

func (askedFile) Close() error { return nil }
func (f askedFile) ReadFew(p []byte, off int64) error {
	_, err := f.ReadAt(p, off)
	return err
}

func (s *asked) Open(name string) (model.Reader, model.Stamp, error) {
	b, ok := s.files[name]
	if !ok {
		return nil, model.Stamp{}, fs.ErrNotExist
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened[name] = true
	return askedFile{bytes.NewReader(b), &s.back, new(atomic.Int64)}, model.Stamp{Size: int64(len(b))}, nil
}

func (s *asked) Soon(names []string) { s.soon = append(s.soon, names...) }

func (s *asked) List(dir string) (list []model.Entry, more bool, err error) {
	prefix, seen := dir+"/", map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		rest, in := strings.CutPrefix(name, prefix)
		first, _, deeper := strings.Cut(rest, "/")
		if e := (model.Entry{Name: prefix + first, Dir: deeper, Regular: !deeper}); in && !seen[first] {
			seen[first] = true
			if !deeper {
				e.Size = int64(len(s.files[name]))
			}
			list = append(list, e)
		}
	}
	return list, false, nil
}

// footers are how many files with footers of fragments were opened.
func (s *asked) footers() (n int) {
	for name := range s.opened {
		if path.Base(name) == metaFileF.Name {
			n++
		}
	}
	return n
}

// storedArray is files as an array in a store.
func storedArray(t *testing.T, files map[string][]byte) (*asked, *model.Document) {
	s := &asked{files: map[string][]byte{}, opened: map[string]bool{}}
	for name, b := range files {
		s.files["lab/"+name] = b
	}
	d, err := model.OpenIn(t.Context(), s, "lab", "s3://b/lab", []*model.Format{Format}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s, d
}

// gather is a file with the footers of the fragments in some files, other in place of those of one.
func gather(files map[string][]byte, other string, footer []byte) []byte {
	var entries, footers, all byteWriter
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(files)), func(name string) bool { return path.Base(name) != metaFileF.Name })
	start := 4
	for _, name := range names {
		start += 8 + len(path.Dir(name)) + 8
	}
	for _, name := range names {
		b := files[name]
		f := b[len(b)-8-int(binary.LittleEndian.Uint64(b[len(b)-8:])) : len(b)-8]
		if strings.Contains(name, other) {
			f = footer
		}
		entries.put(uint64(len(path.Dir(name))), path.Dir(name), uint64(start+footers.Len()))
		footers.put(f)
	}
	return sampleTile(23, all.put(uint32(len(names)), entries.Bytes(), footers.Bytes()).Bytes())
}

// TestFewFooters: opening an array in a store reads the footers of its fragments if there are few, its tables those of all, which are announced, or if there is one the
// file that gathers them. A footer in that file which cannot be read is read from its fragment.
func TestFewFooters(t *testing.T) {
	const many = 40
	files := sampleMany(many, sampleSound)
	if s, _ := storedArray(t, sampleMany(mostAsked-1, sampleSound)); s.footers() != mostAsked {
		t.Errorf("%d footers are read to open an array of %d fragments", s.footers(), mostAsked)
	}
	s, d := storedArray(t, files)
	if n := s.footers(); n != 0 {
		t.Errorf("%d footers are read to open an array of %d fragments", n, many+1)
	}
	rows := func(d *model.Document) (n int64) {
		for _, g := range glances(t.Context(), d.Tree.State.(*doc).inOrder[0]) {
			n += g.rows
		}
		return n
	}
	want := rows(d)
	if s.footers() != many+1 || len(s.soon) < many+1 {
		t.Errorf("the tables read %d footers of %d, of which %d were announced", s.footers(), many+1, len(s.soon))
	}
	for _, x := range []struct {
		damaged string
		footers int
	}{{"none", 0}, {fmt.Sprintf("%032x", 20), 1}} {
		s, d = storedArray(t, addTo(files, "__fragment_meta/__1600000000000_1800000000000_0123456789abcdef0123456789abcdef_23.meta", gather(files, x.damaged, []byte("none"))))
		if n := rows(d); n != want || want != 10*(many+1) || s.footers() != x.footers {
			t.Errorf("damaged: %s: %d rows, not %d; %d footers read", x.damaged, n, want, s.footers())
		}
	}
}

func addTo(files map[string][]byte, name string, b []byte) map[string][]byte {
	files = maps.Clone(files)
	files[name] = b
	return files
}

// TestDeepStoredOnce: a deep check of an array in a store reads each byte once, though several things look at each tile, and then at everything.
func TestDeepStoredOnce(t *testing.T) {
	dir, files := t.TempDir(), map[string][]byte{}
	largeArray(t, dir, 48<<20, true)
	err := filepath.WalkDir(dir, func(at string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, _ := filepath.Rel(dir, at)
		files[filepath.ToSlash(name)], err = os.ReadFile(at)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	s, d := storedArray(t, files)
	if err := d.Deep(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if err := d.Tree.Walk(t.Context(), d.Tree.Root, math.MaxInt64); err != nil { // as the search for causes does
		t.Fatal(err)
	}
	if n := s.back.Load(); n > 0 {
		t.Errorf("reading goes back %d times", n)
	}
}

// TestStoredSizes: a check of an array in a store that does not read everything tells which data file of many fragments is truncated or missing, and opens no
// other data file.
func TestStoredSizes(t *testing.T) {
	for _, damage := range []string{"", "truncated", "missing"} {
		files := sampleMany(40, sampleSound)
		name := ""
		for file := range files {
			if path.Base(file) == "a0.tdb" && file > name {
				name = file
			}
		}
		switch damage {
		case "truncated":
			files[name] = files[name][:len(files[name])/2]
		case "missing":
			delete(files, name)
		}
		s, d := storedArray(t, files)
		if err := d.Tree.CheckSizes(t.Context()); err != nil {
			t.Fatal(err)
		}
		found, _ := d.Tree.Findings()
		var told []string
		for _, f := range found {
			if f.Grade() == model.Error {
				told = append(told, f.Text())
			}
		}
		if ok := len(told) == 1 && strings.Contains(told[0], "a0.tdb"); (damage != "") != ok || damage == "" && len(told) > 0 {
			t.Errorf("%s: %q", damage, told)
		}
		for file := range s.opened {
			if base := path.Base(file); strings.HasPrefix(base, "a") && path.Dir(file) != path.Dir("lab/"+name) {
				t.Errorf("%s: %s was opened", damage, file)
			}
		}
	}
}
