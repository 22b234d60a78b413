package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"sync/atomic"
)

// A Store has files that are not on a local disk, such as the objects of a bucket. Names have slashes, and none at either end.
type Store interface {
	// Stat returns the length of a file and its present state. The error is fs.ErrNotExist if there is none.
	Stat(name string) (Stamp, error)
	// Open opens a file in its present state. Reads fail once the state has changed.
	Open(name string) (Reader, Stamp, error)
	// Soon announces files that are opened next, so that they are requested together.
	Soon(names []string)
	// List returns the entries of a folder, "." for all, in name order; more means that there are others, or that this is unknown.
	List(dir string) (list []Entry, more bool, err error)
	// Writable tells whether it accepts files.
	Writable() bool
	// Put writes a file: a new one if there is none, otherwise a replacement if it is still in the state that was opened.
	Put(ctx context.Context, name string, u Upload) error
	// Now opens a file in its present state, and returns its length.
	Now(name string) (Reader, int64, error)
}

// Upload is the new content of a file in a store.
type Upload struct {
	*Content
	Kept  []Kept // what of it the file has that was opened, in order: a store may copy that instead of being sent it
	Fresh bool   // there is no such file
}

// Kept is N bytes from Off on that are at Was in the opened file.
type Kept struct{ Off, Was, N int64 }

// Reader is an open file in a store.
type Reader interface {
	io.ReaderAt // which may read much around what it is asked for
	io.Closer
	// ReadFew reads a few bytes and nothing around them.
	ReadFew(p []byte, off int64) error
}

// ErrUnreachable means that a store did not answer, or refused: nothing is known about its content.
var ErrUnreachable = errors.New("the store cannot be read")

// inStore is a folder of a store.
type inStore struct {
	Store
	dir string // "." for all of it
}

func (d inStore) Close() error          { return nil }
func (d inStore) again() (place, error) { return d, nil }

func (d inStore) file(name string) (*File, error) {
	if !fs.ValidPath(name) {
		return nil, fs.ErrNotExist
	}
	name = path.Join(d.dir, name)
	r, stamp, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	return fileOf(name, stamp, r), nil
}

// fileOf is a file of a store.
func fileOf(name string, stamp Stamp, r Reader) *File {
	f := &File{Path: name, Stamp: stamp}
	f.left.Store(stamp.Size)
	f.pages = &pages{file: &watched{Reader: r}, size: stamp.Size, have: map[int64][]byte{}, sectors: map[int64][]byte{}}
	return f
}

func (d inStore) ends(name string, n int64) (*Content, error) {
	f, err := d.file(name)
	if err != nil {
		return nil, err
	}
	return NewContent(f), nil // of which only what is looked at is read
}

func (d inStore) list(dir string) ([]Entry, bool, error) {
	list, more, err := d.List(path.Join(d.dir, dir))
	for i := range list {
		list[i].Name = path.Join(dir, path.Base(list[i].Name))
	}
	return list, more, err
}

func (d inStore) entry(name string) (Entry, bool, error) {
	stamp, err := d.Stat(path.Join(d.dir, name))
	if err != nil {
		return Entry{}, false, err
	}
	return Entry{Name: name, Size: stamp.Size, Regular: true, Stamp: stamp}, true, nil
}

// watched keeps the first error of a remote file: its bytes exist, and could not be read.
type watched struct {
	Reader
	first atomic.Pointer[error]
}

func (w *watched) ReadAt(p []byte, off int64) (int, error) {
	n, err := w.Reader.ReadAt(p, off)
	if err != nil && !errors.Is(err, io.EOF) {
		w.first.CompareAndSwap(nil, &err)
	}
	return n, err
}

// fault is why a remote file could not be read, or nil.
func (f *File) fault() error {
	if f.pages == nil {
		return nil
	}
	if w, ok := f.pages.file.(*watched); ok && w.first.Load() != nil {
		return fmt.Errorf("%s: %w", f.Path, *w.first.Load())
	}
	return nil
}

// Asks tells whether reading a file takes a request: it is in a store, and not edited.
func (s *Snapshot) Asks(name string) bool {
	_, edited := s.edited[name]
	return !edited && s.Remote
}

// CheckSizes compares lengths of files of a document in a store, as far as that is not done on opening.
func (t *Tree) CheckSizes(ctx context.Context) error {
	if !t.Snapshot.Remote || t.Format == nil || t.Format.Sizes == nil {
		return nil
	}
	return Contain(func() error { return t.Format.Sizes(ctx, t) })
}

// Soon announces files of the folder that are read next.
func (s *Snapshot) Soon(names []string) {
	if s.folder == nil {
		return
	}
	if in, ok := s.folder.at.(inStore); ok {
		var list []string
		for _, name := range names {
			if s.Asks(name) {
				list = append(list, path.Join(in.dir, name))
			}
		}
		in.Store.Soon(list)
	}
}

// Remote tells whether the folder is in a store.
func (d *Folder) Remote() bool {
	_, ok := d.at.(inStore)
	return ok
}

// OpenIn is Open for a file or folder in a store. address is the name of the document; name may be "." for the whole store.
func OpenIn(ctx context.Context, s Store, name, address string, formats []*Format, force *Format) (*Document, error) {
	d := &Document{Path: address, store: s, disk: map[string]Stamp{}}
	r, stamp, err := s.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return d, d.openStored(ctx, s, name, formats, force)
	}
	if err != nil {
		return nil, err
	}
	d.file = fileOf(name, stamp, r)
	content := NewContent(d.file)
	if err := d.choose(path.Base(name), content, formats, force); err != nil {
		return nil, errors.Join(err, d.file.fault())
	}
	snap, alone := d.stored(s, name, content)
	d.start(ctx, snap, nil)
	if alone {
		d.Tree.Report(Finding{Rule: RuleCap, Span: d.Tree.Root, Message: "the server does not list files, so related files were not checked"})
	}
	return d, nil
}

// stored is the state of a file in a store, with the folder that its format wants; without it if the store cannot list it.
func (d *Document) stored(s Store, name string, content *Content) (snap *Snapshot, alone bool) {
	snap, dir := &Snapshot{Primary: path.Base(name), Remote: true}, path.Dir(name)
	if d.Format.dataset().Beside {
		if home := d.Format.Dataset.Home; home != nil {
			for range home("/" + name) {
				snap.Primary, dir = path.Join(path.Base(dir), snap.Primary), path.Dir(dir)
			}
		}
		folder := &Folder{Path: d.Path, at: inStore{s, dir}, open: map[string]*File{snap.Primary: d.file}, lists: &Listings{}}
		list, more, err := folder.List(path.Dir(snap.Primary))
		if alone = len(list) == 0 && more && err == nil; !alone {
			d.folder, snap.folder, d.storeDir = folder, folder, dir
			return snap, false
		}
		snap.Primary = path.Base(name)
	}
	snap.edited, d.storeDir = map[string]*Content{snap.Primary: content}, path.Dir(name)
	return snap, alone
}

// openStored opens a folder in a store.
func (d *Document) openStored(ctx context.Context, s Store, name string, formats []*Format, force *Format) error {
	d.storeDir = name
	d.folder = &Folder{Path: d.Path, at: inStore{s, name}, open: map[string]*File{}, lists: &Listings{}}
	list, _, err := d.folder.List(".")
	if err == nil && len(list) == 0 {
		err = fs.ErrNotExist
	}
	if err != nil {
		return fmt.Errorf("%s: %w", d.Path, err)
	}
	snap := &Snapshot{Remote: true, folder: d.folder, unread: &unread{}}
	if !d.claim(snap, formats, force) {
		return fmt.Errorf("%s: a folder of %w: name one of its files", d.Path, ErrNoFormat)
	}
	d.start(ctx, snap, nil)
	return nil
}

// OpenCopyIn is OpenCopy for a file or folder in a store.
func OpenCopyIn(s Store, name string) (*Snapshot, func() error, error) {
	r, stamp, err := s.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		folder := &Folder{Path: name, at: inStore{s, name}, open: map[string]*File{}, lists: &Listings{}}
		return &Snapshot{folder: folder, unread: &unread{}}, folder.Close, nil
	}
	if err != nil {
		return nil, nil, err
	}
	f := fileOf(name, stamp, r)
	base := path.Base(name)
	return &Snapshot{Primary: base, edited: map[string]*Content{base: NewContent(f)}, unread: &unread{}}, f.Close, nil
}

// Remote tells whether the document's files are in a store: reading them takes time, and may cost money.
func (d *Document) Remote() bool { return d.store != nil }

// Writable tells whether the store of the document accepts files.
func (d *Document) Writable() bool { return d.store != nil && d.store.Writable() }
