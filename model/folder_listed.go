package model

import (
	"context"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Listings has folders be listed once for documents that lie beside each other and are opened one after the other, such as those of one
// command, and has what a format makes of the names be made once. What is put into the folders meanwhile is not seen. Nil keeps nothing.
type Listings struct {
	most int // folders that are kept; 0 is all
	mu   sync.Mutex
	kept []*listedFolder
}

// mostListed is how many folders are kept for documents that are opened one after the other: those of few are open at a time.
const mostListed = 4

// NewListings is for documents that are opened one after the other.
func NewListings() *Listings { return &Listings{most: mostListed} }

// Open is Open that lists the folder of a file once for all files in it.
func (l *Listings) Open(ctx context.Context, path string, formats []*Format, force *Format) (*Document, error) {
	return open(ctx, path, formats, force, l)
}

// listedFolder is what a folder holds.
type listedFolder struct {
	at   string
	mu   sync.Mutex
	read bool
	list []Entry
	more bool
	made map[reflect.Type]any // of the list, by formats
}

// of returns the listing of a folder, which may not have been read yet.
func (l *Listings) of(at string) *listedFolder {
	if l == nil {
		return &listedFolder{}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.IndexFunc(l.kept, func(x *listedFolder) bool { return x.at == at }); i >= 0 {
		return l.kept[i]
	}
	if l.most > 0 && len(l.kept) >= l.most {
		l.kept = slices.Delete(l.kept, 0, 1)
	}
	l.kept = append(l.kept, &listedFolder{at: at, made: map[reflect.Type]any{}})
	return l.kept[len(l.kept)-1]
}

// listed returns the listing of a sub-folder, which is locked until unlock is called.
func (d *Folder) listed(dir string) (x *listedFolder, unlock func(), err error) {
	d.mu.Lock()
	lists := d.lists
	d.mu.Unlock()
	x = lists.of(filepath.Join(d.Path, filepath.FromSlash(dir)))
	x.mu.Lock()
	if !x.read {
		x.list, x.more, err = d.at.list(dir)
		x.read = err == nil
	}
	return x, x.mu.Unlock, err
}

// List returns the entries of a sub-folder ("." for the folder itself) in name order, at most MaxEntries that end alike; more tells that
// there are others. Symbolic links that lead out of the folder are left out.
func (d *Folder) List(dir string) ([]Entry, bool, error) {
	x, unlock, err := d.listed(dir)
	defer unlock()
	return slices.Clone(x.list), x.more, err
}

// remember has each sub-folder be listed once until what it returns is called: while formats are asked about the folder, one by one.
func (d *Folder) remember() (forget func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	was := d.lists
	d.lists = &Listings{}
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.lists = was
	}
}

// Digest returns what make makes of the entries of a sub-folder, as Snapshot.List returns them. Where the folder is listed once for many documents
// it is made once for all of them, if no file but the main one is edited: it must be made of nothing else, and not of the size of that file, and
// no one may change it.
func Digest[T any](s *Snapshot, dir string, make func(list []Entry, more bool) *T) (*T, error) {
	if s.folder != nil && s.onlyMain() {
		if made, err := digested(s, dir, make); made != nil || err != nil {
			return made, err
		}
	}
	list, more, err := s.List(dir)
	if err != nil {
		return nil, err
	}
	return make(list, more), nil
}

// digested is Digest of a folder of which nothing but the main file is edited; nil where that is not in the listing.
func digested[T any](s *Snapshot, dir string, make func(list []Entry, more bool) *T) (*T, error) {
	x, unlock, err := s.folder.listed(dir)
	defer unlock()
	s.unread.saw("the folder "+dir, err)
	if err != nil || path.Dir(s.Primary) == path.Clean(dir) && !holds(x.list, s.Primary) {
		return nil, err
	}
	made, ok := x.made[reflect.TypeFor[T]()].(*T)
	if !ok {
		made = make(x.list, x.more)
	}
	if x.made != nil {
		x.made[reflect.TypeFor[T]()] = made
	}
	return made, nil
}

// onlyMain tells whether no file but the main one is edited, and that is there.
func (s *Snapshot) onlyMain() bool {
	for name, c := range s.edited {
		if name != s.Primary || c == nil {
			return false
		}
	}
	return true
}

// holds tells whether a name is in a listing.
func holds(list []Entry, name string) bool {
	_, ok := slices.BinarySearchFunc(list, name, func(e Entry, name string) int { return strings.Compare(e.Name, name) })
	return ok
}
