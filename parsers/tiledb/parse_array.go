package tiledb

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"sync"

	"spandrel/model"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// commitSet is the commits of an array: which fragments count.
type commitSet struct {
	named   map[string]string     // fragment by base name to the file that commits it
	vacuum  map[string]stamp      // fragments that a vacuum file lists: consolidated away, for readers of its time
	merged  map[string]merged     // the vacuum files, by the consolidated fragment that each belongs to
	lines   map[string]commitLine // of consolidated commits, by fragment
	deletes map[string]commitLine // delete commits by name; those of consolidated commits are after their lines
	readBad []string              // files that could not be read
}

// commitLine is a line of a list of files.
type commitLine struct {
	file, text string
	off        int64
}

// merged is a vacuum file.
type merged struct {
	file  string
	names []string // what it lists
}

// has tells whether a fragment counts now.
func (s *commitSet) has(f *frag) bool {
	return !s.vacuum[f.name].ok && s.committed(f)
}

// committed tells whether a commit names a fragment. Those of before version 5 need none.
func (s *commitSet) committed(f *frag) bool {
	if f.stamp.version == 0 {
		return true
	}
	return s.named[f.name] != "" || s.lines[f.name].file != ""
}

// of is the commits in one of the files. Those of others remain only as far as they explain that a fragment is gone.
func (s *commitSet) of(file string) *commitSet {
	maps.DeleteFunc(s.named, func(_, in string) bool { return in != file })
	maps.DeleteFunc(s.lines, func(_ string, in commitLine) bool { return in.file != file })
	s.readBad = nil
	return s
}

// member stores the folder of a member or a label, or the list of them, for deep checks.
func (d *doc) member(n model.Node) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.members = append(d.members, n.Span)
}

// findFragments returns the fragment folders ordered by time; more tells whether there are others.
func (a *array) findFragments() (frags []*frag, more bool) {
	for _, dir := range []string{a.dir, a.path("__fragments")} {
		list, others, _ := a.d.t.Snapshot.List(dot(dir))
		for _, e := range list {
			if e.Dir && fragmentName().MatchString(path.Base(e.Name)) {
				frags = append(frags, a.newFrag(e.Name))
			}
		}
		more = more || others
	}
	slices.SortStableFunc(frags, func(x, y *frag) int {
		return cmp.Or(cmp.Compare(x.stamp.from, y.stamp.from), cmp.Compare(x.dir, y.dir))
	})
	return frags, more
}

// key is the key as it was when the tree first asked; nil without one.
func (d *doc) key() []byte { return d.readKey() }

// writingKey is the key to write with, nil if nothing is encrypted.
func (d *doc) writingKey(crypt bool) ([]byte, error) {
	if !crypt {
		return nil, nil
	}
	if key := d.key(); key != nil {
		return key, nil
	}
	return nil, fmt.Errorf("the array is encrypted: give its key")
}

// doc is the state of a tree.
type doc struct {
	t       *model.Tree
	mu      sync.Mutex
	arrays  map[string]*array
	foreign map[string]bool // folders, whether they are arrays of TileDB 0.x
	inOrder []*array        // the arrays, as they were read
	members []*model.Span   // folders of members and labels, in the order found
	primary fileKind        // of a file that was opened alone
	loose   bool            // it is a file, or files, of an array that is not there
	readKey func() []byte
}

// kindOf is kindOf for files of the tree: one that was opened alone may have been identified by its content.
func (d *doc) kindOf(name string) (fileKind, string) {
	kind, dir := kindOf(name)
	if name == d.t.Snapshot.Primary {
		kind = d.primary
		if d.array(dir).schemas.Kept(path.Base(name)) != nil {
			kind = kindSchema
		}
	}
	return kind, dir
}

// array is an array of the tree: its schemas, and its fragments.
type array struct {
	schemas *schema.Set
	d       *doc
	dir     string // "" for the document's folder itself, otherwise without the last slash

	mu       sync.Mutex
	frags    map[string]*frag                      // by folder
	fragList []*frag                               // in the order of their times
	commits  *commitSet                            // of an array folder
	metas    *model.Span                           // the group of the metadata files
	placed   int                                   // fragments that tables made part of the tree
	footer   func(name string, f *fragment.Footer) // is told of consolidated footers that are read; nil: no one is

	gather   sync.Mutex
	gathered map[string]glance // the fragments by consolidated footers, by name; nil: not read yet

	cellsMu sync.Mutex
	cells   map[uint64]model.Table // by the time of the view

	lock storage.Lock
}

// whole tells whether all of an array or group was opened, not just a part of it.
func (d *doc) whole() bool { return d.t.Snapshot.Primary == "" && d.t.Snapshot.Part == "" }

// array returns the array of a folder.
func (d *doc) array(dir string) *array {
	d.mu.Lock()
	defer d.mu.Unlock()
	a := d.arrays[dir]
	if a == nil {
		a = &array{schemas: schema.NewSet(d.t, dir), d: d, dir: dir, frags: map[string]*frag{}, lock: storage.Lock{Key: d.key}}
		d.arrays[dir], d.inOrder = a, append(d.inOrder, a)
	}
	return a
}

func (a *array) path(names ...string) string {
	return path.Join(append([]string{a.dir}, names...)...)
}

// metadata reads the metadata of the array's fragments.
func (a *array) metadata() fragment.Reader {
	return fragment.Reader{Schemas: a.schemas, Lock: &a.lock, Alone: len(a.schemas.Order) == 0 && objectAt(a.d.t.Snapshot, dot(a.dir)) != 2}
}

// fileBytes are up to most bytes of a file of the folder; nil if they cannot be read.
func fileBytes(t *model.Tree, name string, most int64) []byte {
	c, err := t.Snapshot.Content(name)
	if err != nil || c.Len() > most {
		return nil
	}
	b := make([]byte, c.Len())
	if _, err := c.ReadAt(b, 0); err != nil && len(b) > 0 {
		return nil
	}
	return b
}
