package remote

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"spandrel/model"
)

// At most mostListed entries of a folder are read; everything in and below it at once if that is at most mostDeep files, which is two requests.
const (
	mostListed = model.MaxEntries
	mostDeep   = 1999
)

// folder is the entries of a folder; more means that there are others, or that this is unknown.
type folder struct {
	list []model.Entry
	more bool
}

// tree is the files in a folder and its sub-folders: of a large folder those that come first.
type tree struct {
	prefix string
	more   bool // there are others, after the last one
	last   string
	names  []string
	files  map[string]model.Entry
	dirs   map[string][]model.Entry // by prefix
	alike  map[string][]string      // the names of files of a kind, in order
}

// holds tells whether it has everything in a folder.
func (t *tree) holds(prefix string) bool {
	return strings.HasPrefix(prefix, t.prefix) && (!t.more || prefix < t.last && !strings.HasPrefix(t.last, prefix))
}

// large tells whether a folder has too much in it to be read at once, as far as the tree knows.
func (t *tree) large(prefix string) bool {
	first, _ := slices.BinarySearch(t.names, prefix)
	return t.more && (t.prefix == prefix || strings.HasPrefix(t.last, prefix) && len(t.names)-first > mostDeep/2)
}

func prefixOf(dir string) string {
	if dir == "." {
		return ""
	}
	return dir + "/"
}

func (s *store) List(dir string) ([]model.Entry, bool, error) {
	prefix := prefixOf(dir)
	l, known := s.known(prefix)
	if known {
		return slices.Clone(l.list), l.more, nil
	}
	t, err := s.tree(prefix, true)
	if err != nil {
		return nil, false, unreachable(err)
	}
	if t != nil {
		return slices.Clone(t.dirs[prefix]), false, nil
	}
	list, more, err := s.list(prefix, false, mostListed)
	if err == nil {
		s.mu.Lock()
		s.folders[prefix] = folder{slices.Clone(list), more}
		s.mu.Unlock()
	}
	return list, more, unreachable(err)
}

// known is what was listed of a folder; nothing, if the folder that it would be in has no such entry.
func (s *store) known(prefix string) (l folder, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l, known = s.folders[prefix]; known || prefix == "" {
		return l, known
	}
	dir := strings.TrimSuffix(prefix, "/")
	up, known := s.folders[prefixOf(path.Dir(dir))]
	return folder{}, known && !up.more && !slices.ContainsFunc(up.list, func(e model.Entry) bool { return e.Name == dir && e.Dir })
}

// list requests entries, and orders them by name; entries without a name of their own are dropped.
func (s *store) list(prefix string, deep bool, most int) (list []model.Entry, more bool, err error) {
	err = persist(s.ctx, func() (err error) { list, more, err = s.bucket.list(s.ctx, prefix, deep, most); return err })
	list = slices.DeleteFunc(list, func(e model.Entry) bool { return !strings.HasPrefix(e.Name, prefix) || !fs.ValidPath(e.Name) })
	if deep && more && !slices.IsSortedFunc(list, byName) {
		list = nil // nothing says which are missing
	}
	slices.SortFunc(list, byName)
	return list, more, err
}

func byName(a, b model.Entry) int { return strings.Compare(a.Name, b.Name) }

// tree returns everything known about a folder; nil if there is too much in it, or it is not known and may not be requested.
func (s *store) tree(prefix string, ask bool) (*tree, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.trees {
		if t.holds(prefix) {
			return t, nil
		}
		ask = ask && !t.large(prefix)
	}
	if !ask {
		return nil, nil
	}
	list, more, err := s.list(prefix, true, mostDeep)
	if err != nil {
		return nil, err
	}
	t := &tree{prefix: prefix, more: more}
	if t.fill(list); len(list) > 0 {
		t.last = list[len(list)-1].Name
	}
	s.trees = append(s.trees, t)
	if more {
		return nil, nil
	}
	return t, nil
}

// fill sorts files into their folders, and those into theirs.
func (t *tree) fill(list []model.Entry) {
	t.files, t.dirs, t.alike = map[string]model.Entry{}, map[string][]model.Entry{}, map[string][]string{}
	seen := map[string]bool{}
	for _, e := range list {
		t.names = append(t.names, e.Name)
		t.files[e.Name] = e
		t.alike[kind(e.Name)] = append(t.alike[kind(e.Name)], e.Name)
		for e := e; len(e.Name) > len(t.prefix); {
			dir := path.Dir(e.Name)
			t.dirs[prefixOf(dir)] = append(t.dirs[prefixOf(dir)], e)
			if seen[dir] || dir == "." {
				break
			}
			seen[dir] = true
			e = model.Entry{Name: dir, Dir: true}
		}
	}
	for _, list := range t.dirs {
		slices.SortFunc(list, byName)
	}
}

// listed is what a listing says about a file; known tells whether one says anything.
func (s *store) listed(name string) (e model.Entry, is, known bool) {
	t, _ := s.tree(prefixOf(path.Dir(name)), false)
	if t == nil {
		return model.Entry{}, false, false
	}
	e, is = t.files[name]
	return e, is, true
}
