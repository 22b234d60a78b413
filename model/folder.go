package model

import (
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// MaxEntries is how many entries of a folder with the same extension are listed, and half of the total: a million files of one kind do not
// hide those of another, such as their index. The tree says if there are more. mostNames is how many names are read.
const (
	MaxEntries = 200_000
	mostNames  = 50 * MaxEntries
)

// mostAlike is MaxEntries, except in tests.
var mostAlike = MaxEntries

// Entry is a file or folder inside a Folder. Name is relative to it, with slashes. A folder has no size or stamp, an
// edited file no time, because it is newer than the file on disk.
type Entry struct {
	Name    string
	Size    int64
	Dir     bool
	Regular bool
	Stamp   Stamp
	Tag     string // names the state of an object in a store, which can be read only in that state; "" if the list does not say
}

// Folder gives access to the files of one folder and nothing outside it: a name that leads out, by "..", an absolute path or a symbolic link, is rejected,
// as is anything that is not a regular file. It is safe for concurrent use.
type Folder struct {
	Path  string // of the disk, or the address
	at    place
	mu    sync.Mutex
	open  map[string]*File
	lists *Listings // nil: list the folder again each time
}

// A place is where the files of a folder are stored: on disk, or in an object store.
type place interface {
	file(name string) (*File, error)
	ends(name string, n int64) (*Content, error)
	list(dir string) (list []Entry, more bool, err error)
	entry(name string) (e Entry, ok bool, err error)
	again() (place, error)
	io.Closer
}

// OpenFolder opens a folder on disk.
func OpenFolder(path string) (*Folder, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &Folder{Path: path, at: &onDisk{path, root}, open: map[string]*File{}}, nil
}

// again opens the folder a second time, with files of its own.
func (d *Folder) again() (*Folder, error) {
	at, err := d.at.again()
	if err != nil {
		return nil, err
	}
	return &Folder{Path: d.Path, at: at, open: map[string]*File{}, lists: d.lists}, nil
}

// Close unmaps all files. Nothing may read them afterwards.
func (d *Folder) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, f := range d.open {
		f.Close()
	}
	d.open = nil
	return d.at.Close()
}

// File opens a file of the folder; the same name returns the same File until it is dropped.
func (d *Folder) File(name string) (*File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f := d.open[name]; f != nil {
		return f, nil
	}
	f, err := d.at.file(name)
	if err != nil {
		return nil, err
	}
	if d.open == nil {
		f.Close()
		return nil, fs.ErrClosed
	}
	d.open[name] = f
	return f, nil
}

// onDisk is a folder on disk.
type onDisk struct {
	path string
	root *os.Root
}

func (d *onDisk) Close() error { return d.root.Close() }

func (d *onDisk) again() (place, error) {
	root, err := d.root.OpenRoot(".")
	return &onDisk{d.path, root}, err
}

// file maps a file.
func (d *onDisk) file(name string) (*File, error) {
	h, _, err := d.handle(name)
	if err != nil {
		return nil, err
	}
	return mapFile(h, filepath.Join(d.path, filepath.FromSlash(name)))
}

// handle opens a regular file of the folder.
func (d *onDisk) handle(name string) (*os.File, fs.FileInfo, error) {
	if err := systemName(name); err != nil {
		return nil, nil, err
	}
	st, err := d.root.Stat(name) // before opening: opening a pipe would block
	if err != nil {
		return nil, nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%s: not a regular file", name)
	}
	h, err := d.root.Open(name)
	return h, st, err
}

// ends copies the first and last n bytes of a file, without keeping it open.
func (d *onDisk) ends(name string, n int64) (*Content, error) {
	h, st, err := d.handle(name)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	size, gap := st.Size(), int64(0)
	if size > 2*n {
		gap = size - 2*n
	}
	b := make([]byte, size-gap)
	front := b[:min(n, int64(len(b)))]
	if _, err := io.ReadFull(h, front); err != nil {
		return nil, err
	}
	if _, err := h.ReadAt(b[len(front):], int64(len(front))+gap); err != nil {
		return nil, err
	}
	return join([]piece{{Memory(front), 0, int64(len(front))}, {Fill(0, gap), 0, gap}, {Memory(b[len(front):]), 0, int64(len(b) - len(front))}}), nil
}

// ours tells whether a name belongs to a working file of a save, which no format may recognise.
func ours(name string) bool {
	return name == saveFolder || strings.HasSuffix(name, ".spandrel-journal") || strings.HasPrefix(name, ".") && strings.HasSuffix(name, ".spandrel")
}

// list reads the names of a sub-folder, and asks the disk only about those that are kept.
func (d *onDisk) list(dir string) (list []Entry, more bool, err error) {
	at, err := d.root.OpenRoot(dir)
	if err != nil {
		return nil, false, err
	}
	defer at.Close()
	h, err := at.Open(".")
	if err != nil {
		return nil, false, err
	}
	defer h.Close()
	alike, seen := map[string]int{}, 0
	for name, err := range namesIn(h) {
		if err != nil {
			return nil, false, err
		}
		if seen++; seen > mostNames || len(list) >= 2*mostAlike {
			more = true
			break
		}
		if alike[path.Ext(name)] >= mostAlike {
			more = true
			continue
		}
		e, ok, err := d.stat(at, path.Join(dir, name))
		if err != nil {
			return nil, false, err
		}
		if ok {
			alike[path.Ext(name)]++
			list = append(list, e)
		}
	}
	sortEntries(list)
	return list, more, nil
}

// namesIn yields the names in a folder that are not ours, in no order, or an error after which there are none.
func namesIn(folder *os.File) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for {
			names, err := folder.Readdirnames(1024)
			for _, name := range names {
				if !ours(name) && !yield(name, nil) {
					return
				}
			}
			switch err {
			case nil:
			case io.EOF:
				return
			default:
				yield("", err)
				return
			}
		}
	}
}

func sortEntries(list []Entry) {
	slices.SortFunc(list, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
}

// entry is stat for a name outside a listing.
func (d *onDisk) entry(name string) (e Entry, ok bool, err error) {
	at, err := d.root.OpenRoot(path.Dir(name))
	if err != nil {
		return Entry{}, false, err
	}
	defer at.Close()
	return d.stat(at, name)
}

// stat is what the disk says about a name in a sub-folder; not ok for what is hidden, an error if the disk does not answer.
func (d *onDisk) stat(at *os.Root, name string) (e Entry, ok bool, err error) {
	st, err := at.Lstat(path.Base(name))
	if err == nil && st.Mode()&fs.ModeSymlink != 0 {
		st, err = d.root.Stat(name)
	}
	switch {
	case faulty(err):
		return Entry{}, false, err
	case err != nil:
		return Entry{}, false, nil
	case st.IsDir():
		return Entry{Name: name, Dir: true}, true, nil
	}
	return Entry{Name: name, Size: st.Size(), Regular: st.Mode().IsRegular(), Stamp: Stamp{st.Size(), st.ModTime()}}, true, nil
}

// Clean returns an error unless a name from a file may be used as a path inside a folder.
func Clean(name string) error {
	switch {
	case name == "" || name == ".":
		return fmt.Errorf("empty name")
	case strings.ContainsAny(name, "\x00\\") || strings.HasPrefix(name, "/") || len(name) > 1 && name[1] == ':':
		return fmt.Errorf("%q is not a relative path", name)
	case !fs.ValidPath(name):
		return fmt.Errorf("%q leads out of the folder or is not a clean path", name)
	}
	return nil
}
