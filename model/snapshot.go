package model

import (
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Snapshot is the state of a document's files at one moment: those of the folder, with edits. It is immutable; an edit
// makes a new one that shares everything else.
type Snapshot struct {
	Version int
	Primary string // the file that was opened; "" for a folder without a main file
	Part    string // the sub-folder that was opened, when the folder is the dataset that it is part of; "" for all of it
	folder  *Folder
	edited  map[string]*Content // nil content: deleted
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

// List returns the entries of a sub-folder ("." for the folder itself) in name order, like Folder.List, including
// edits.
func (s *Snapshot) List(dir string) (list []Entry, more bool, err error) {
	if s.folder != nil {
		list, more, err = s.folder.List(dir)
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
	list = slices.DeleteFunc(list, s.replaced)
	for name, c := range s.edited {
		at := name
		for path.Dir(at) != path.Clean(dir) && at != "." {
			at = path.Dir(at)
		}
		switch {
		case c == nil || at == ".":
		case at == name:
			list, err = append(list, Entry{Name: name, Size: c.Len(), Regular: true}), nil
		case !known[at]:
			known[at] = true
			list, err = append(list, Entry{Name: at, Dir: true}), nil
		}
	}
	sortEntries(list)
	return list, more, err
}

// replaced tells whether edits say what an entry of the folder on disk is now.
func (s *Snapshot) replaced(e Entry) bool {
	_, edited := s.edited[e.Name]
	return edited || e.Dir && s.emptied(e.Name)
}

// emptied tells whether edits removed files of a folder, and left none.
func (s *Snapshot) emptied(dir string) bool {
	removed := false
	for name, c := range s.edited {
		if strings.HasPrefix(name, dir+"/") {
			if c != nil {
				return false
			}
			removed = true
		}
	}
	if !removed {
		return false
	}
	list, more, err := s.List(dir)
	return err == nil && !more && len(list) == 0
}

// With returns a snapshot in which a file has other content; nil deletes it.
func (s *Snapshot) With(name string, c *Content) *Snapshot {
	n := *s
	n.Version++
	n.edited = map[string]*Content{name: c}
	for k, v := range s.edited {
		if k != name {
			n.edited[k] = v
		}
	}
	return &n
}

// Edited returns the names of the files that differ from those on disk, in order.
func (s *Snapshot) Edited() []string {
	return slices.Sorted(maps.Keys(s.edited))
}
