package model

import (
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Snapshot is the state of a document's files at one moment: those of the folder, with edits. It is immutable; an edit
// makes a new one that shares everything else.
type Snapshot struct {
	Version int
	Primary string // the file that was opened; "" for a folder without a main file
	Part    string // the sub-folder that was opened, when the folder is the dataset that it is part of; "" for all of it
	Remote  bool   // its files are in a store: reading takes requests, and may cost money
	folder  *Folder
	lists   *Listings           // of the folder; nil: the folder's own
	edited  map[string]*Content // nil content: deleted
	sorted  func() []string     // the names of edited files, in order; nil: sorted whenever they are asked for
	unread  *unread
	made    bool // a folder in memory: all of its files are in edited
}

// Content returns the bytes of a file by its name relative to the folder.
func (s *Snapshot) Content(name string) (*Content, error) {
	if c, ok := s.edited[name]; ok {
		if c == nil {
			return nil, fs.ErrNotExist
		}
		return c, nil
	}
	if s.folder == nil {
		return nil, fs.ErrNotExist
	}
	if err := Clean(name); err != nil {
		return nil, err
	}
	f, err := s.folder.File(name)
	if err != nil {
		s.unread.saw(name, err)
		return nil, err
	}
	return NewContent(f), nil
}

// Ends is Content for a look at one of very many files: it has the first and last n bytes, with zeros between them, and
// nothing stays open or mapped.
func (s *Snapshot) Ends(name string, n int64) (*Content, error) {
	if _, edited := s.edited[name]; edited || s.folder == nil {
		return s.Content(name)
	}
	if err := Clean(name); err != nil {
		return nil, err
	}
	c, err := s.folder.at.ends(name, n)
	s.unread.saw(name, err)
	return c, err
}

// Aside returns the same snapshot with separately opened files, for looking into a few of very many. close
// unmaps them; nothing may read them afterwards.
func (s *Snapshot) Aside() (aside *Snapshot, close func() error, err error) {
	n := *s
	if s.folder == nil {
		return &n, func() error { return nil }, nil
	}
	if n.folder, err = s.folder.again(); err != nil {
		s.unread.saw("the folder", err)
		return nil, nil, err
	}
	return &n, n.folder.Close, nil
}

// Folder tells whether other files of the folder can be read beside the main one.
func (s *Snapshot) Folder() bool { return s.folder != nil || s.made }

// Places are the absolute paths of the folder on disk, with slashes: as given, and with links resolved; none if there is no folder.
// Files may name others by such paths: they are only compared, and nothing else on the disk is read through them.
func (s *Snapshot) Places() (out []string) {
	if s.folder == nil || s.folder.Remote() {
		return nil
	}
	if abs, err := filepath.Abs(s.folder.Path); err == nil {
		out = append(out, filepath.ToSlash(abs))
	}
	if real, err := filepath.EvalSymlinks(s.folder.Path); err == nil {
		if abs, err := filepath.Abs(real); err == nil {
			out = append(out, filepath.ToSlash(abs))
		}
	}
	return out
}

// Listed returns the same snapshot, for states of a document that are only tried: they list each folder once, into lists.
func (s *Snapshot) Listed(lists *Listings) *Snapshot {
	n := *s
	n.lists = lists
	return &n
}

// List returns the entries of a sub-folder ("." for the folder itself) in name order, like Folder.List, including edits, without backups: they are no
// files of a document, unless one was opened.
func (s *Snapshot) List(dir string) (list []Entry, more bool, err error) {
	if s.folder != nil {
		list, more, err = s.folder.entries(dir, s.lists)
		s.unread.saw("the folder "+dir, err)
		if more && path.Dir(s.Primary) == path.Clean(dir) && !holds(list, s.Primary) {
			if e, ok, _ := s.folder.at.entry(s.Primary); ok {
				list = append(list, e)
			}
		}
	}
	known := map[string]bool{} // sub-folders; edits may bring more
	for _, e := range list {
		known[e.Name] = true
	}
	dir = path.Clean(dir)
	edits := s.below(dir)
	list = slices.DeleteFunc(list, func(e Entry) bool { return s.replaced(e, edits) })
	for _, name := range edits {
		c, at := s.edited[name], childOf(dir, name)
		switch {
		case c == nil:
		case at == name:
			list, err = append(list, Entry{Name: name, Size: c.Len(), Regular: true}), nil
		case !known[at]:
			known[at] = true
			list, err = append(list, Entry{Name: at, Dir: true}), nil
		}
	}
	sortEntries(list)
	return slices.DeleteFunc(list, func(e Entry) bool { return e.Regular && e.Name != s.Primary && IsBackup(e.Name) }), more, err
}

// childOf is the entry of a folder that a file below it is, or is in.
func childOf(dir, name string) string {
	start := 0
	if dir != "." {
		start = len(dir) + 1
	}
	if i := strings.IndexByte(name[start:], '/'); i >= 0 {
		return name[:start+i]
	}
	return name
}

// replaced tells whether edits say what an entry of the folder on disk is now: the file itself, or all files of a sub-folder are removed.
func (s *Snapshot) replaced(e Entry, edits []string) bool {
	if _, edited := s.edited[e.Name]; edited || !e.Dir {
		return edited
	}
	files := filesIn(edits, e.Name)
	if len(files) == 0 || slices.ContainsFunc(files, func(name string) bool { return s.edited[name] != nil }) {
		return false
	}
	list, more, err := s.List(e.Name)
	return err == nil && !more && len(list) == 0
}

// below returns the names of the edited files in a folder and its sub-folders, in order.
func (s *Snapshot) below(dir string) []string {
	switch {
	case len(s.edited) == 0:
		return nil
	case dir == ".":
		return s.Edited()
	}
	return filesIn(s.Edited(), dir)
}

// filesIn are those of some names in order that lie in a folder.
func filesIn(names []string, dir string) []string {
	from, _ := slices.BinarySearch(names, dir+"/")
	to, _ := slices.BinarySearch(names, dir+"0") // the character after the slash
	return names[from:to]
}

// With returns a snapshot in which a file has other content; nil deletes it.
func (s *Snapshot) With(name string, c *Content) *Snapshot {
	return s.WithAll(map[string]*Content{name: c})
}

// WithAll returns a snapshot in which files have other content; nil deletes one.
func (s *Snapshot) WithAll(files map[string]*Content) *Snapshot {
	n := *s
	n.Version++
	n.edited = maps.Clone(s.edited)
	if n.edited == nil {
		n.edited = map[string]*Content{}
	}
	maps.Copy(n.edited, files)
	n.sorted = sync.OnceValue(func() []string { return slices.Clip(slices.Sorted(maps.Keys(n.edited))) })
	return &n
}

// Edited returns the names of the files that differ from those on disk, in order. Callers must not change the list.
func (s *Snapshot) Edited() []string {
	if s.sorted != nil {
		return s.sorted()
	}
	return slices.Sorted(maps.Keys(s.edited))
}
