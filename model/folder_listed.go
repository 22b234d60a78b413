package model

import (
	"cmp"
	"context"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Listings caches listings of folders for documents in the same folders that are opened one after the other, as by one
// command, and what formats compute from the names. It does not notice files that are added meanwhile. Nil caches nothing.
type Listings struct {
	most int // folders that are kept; 0 is all
	mu   sync.Mutex
	kept []*listedFolder
}

// mostListed is how many folders are cached for documents that are opened one after the other.
const mostListed = 4

// NewListings is for documents that are opened one after the other.
func NewListings() *Listings { return &Listings{most: mostListed} }

// Open is the function Open with a cached listing of the file's folder.
func (l *Listings) Open(ctx context.Context, path string, formats []*Format, force *Format) (*Document, error) {
	return open(ctx, path, formats, force, l)
}

// listedFolder is the listing of a folder.
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

// listed returns the listing of a sub-folder, locked until unlock is called. The folder's own cache goes before lists.
func (d *Folder) listed(dir string, lists *Listings) (x *listedFolder, unlock func(), err error) {
	d.mu.Lock()
	lists = cmp.Or(d.lists, lists)
	d.mu.Unlock()
	x = lists.of(filepath.Join(d.Path, filepath.FromSlash(dir)))
	x.mu.Lock()
	if !x.read {
		x.list, x.more, err = d.at.list(dir)
		x.read = err == nil
	}
	return x, x.mu.Unlock, err
}

// List returns the entries of a sub-folder ("." for the folder itself) in name order, at most MaxEntries of one extension; more tells
// whether there are others. Symbolic links that lead out of the folder are left out.
func (d *Folder) List(dir string) ([]Entry, bool, error) { return d.entries(dir, nil) }

// entries is List with a cache for folders that have none of their own.
func (d *Folder) entries(dir string, lists *Listings) ([]Entry, bool, error) {
	x, unlock, err := d.listed(dir, lists)
	defer unlock()
	return slices.Clone(x.list), x.more, err
}

// remember caches listings of sub-folders until the returned function is called: while formats are asked about the folder one by one.
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

// Digest returns what make computes from the entries of a sub-folder, as returned by Snapshot.List. If listings are cached
// and only the main file is edited, the result is cached too: it must depend on nothing else, and not on the size of that file, and
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

// digested is Digest for a folder in which only the main file is edited; nil if that is not in the listing.
func digested[T any](s *Snapshot, dir string, make func(list []Entry, more bool) *T) (*T, error) {
	x, unlock, err := s.folder.listed(dir, s.lists)
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

// onlyMain tells whether no file but the main one is edited, and the main one exists.
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
