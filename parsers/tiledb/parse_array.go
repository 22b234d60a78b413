package tiledb

import (
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"slices"
	"sort"
	"sync"

	"spandrel/model"
)

// commitSet is what the commits of an array say: which fragments count.
type commitSet struct {
	named   map[string]string     // fragment by base name to the file that commits it
	vacuum  map[string]stamp      // fragments that a vacuum file lists: consolidated away, for readers of its time
	lines   map[string]commitLine // of consolidated commits, by fragment
	readBad []string              // files that could not be read
}

// commitLine is a line of a list of files.
type commitLine struct {
	file, text string
	off        int64
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

// of is what one of the files says. What others say is left only as far as it explains that a fragment is gone.
func (s *commitSet) of(file string) *commitSet {
	maps.DeleteFunc(s.named, func(_, in string) bool { return in != file })
	maps.DeleteFunc(s.lines, func(_ string, in commitLine) bool { return in.file != file })
	s.readBad = nil
	return s
}

// member remembers the folder of a member or a label, or the list of them, for deep checks.
func (d *doc) member(n model.Node) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.members = append(d.members, n.Span)
}

// findFragments returns the fragment folders in the order of their times; more tells that there are others.
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
	sort.SliceStable(frags, func(i, j int) bool {
		if x, y := frags[i].stamp.from, frags[j].stamp.from; x != y {
			return x < y
		}
		return frags[i].dir < frags[j].dir
	})
	return frags, more
}

// secret is the key of encrypted arrays (2.6, AES_256_GCM). TileDB takes 32 bytes as they are, without any derivation.
var secret = &model.Secret{
	Name:  "TILEDB_KEY",
	Label: "Give the key of the array…",
	Doc:   "The AES-256 key of encrypted arrays: 32 characters, or 64 hexadecimal digits.",
	Check: func(text string) error {
		if keyOf(text) == nil {
			return fmt.Errorf("a key is 32 characters or 64 hexadecimal digits, not %d characters", len(text))
		}
		return nil
	},
}

// keyOf is the key that a text stands for, nil when it is none.
func keyOf(text string) []byte {
	if b, err := hex.DecodeString(text); err == nil && len(b) == 32 {
		return b
	}
	if len(text) != 32 {
		return nil
	}
	return []byte(text)
}

// key is the key as the user had given it when the tree asked first; nil without.
func (d *doc) key() []byte { return d.readKey() }

// writingKey is the key to write with, nil for what is not encrypted.
func (d *doc) writingKey(crypt bool) ([]byte, error) {
	if !crypt {
		return nil, nil
	}
	if key := d.key(); key != nil {
		return key, nil
	}
	return nil, fmt.Errorf("the array is encrypted: give its key")
}

// schemaSet is the schemas and the enumerations of an array. Its fragments share them, also those that are read in a tree of
// their own.
type schemaSet struct {
	home *model.Tree // that they are spans of
	dir  string      // of the array

	mu        sync.Mutex
	files     map[string]*model.Span // of schemas by base name
	schemas   map[string]*schemaInfo
	parts     map[string]*schemaInfo // also those that were not read to their end
	order     []string               // schema files, the oldest first
	enums     map[string]*enumeration
	enumFiles map[string]*model.Span
}

func newSchemaSet(t *model.Tree, dir string) *schemaSet {
	return &schemaSet{home: t, dir: dir, files: map[string]*model.Span{}, schemas: map[string]*schemaInfo{}, parts: map[string]*schemaInfo{}, enums: map[string]*enumeration{},
		enumFiles: map[string]*model.Span{}}
}

// keepEnumeration remembers an enumeration that was read.
func (l *schemaSet) keepEnumeration(e *enumeration, base string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.enums[base] = e
}

// kept is a schema that was read, by the name of its file, or nil.
func (l *schemaSet) kept(name string) *schemaInfo {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.schemas[name]
}

// begun is a schema of which nothing was read yet; what cannot be read to its end stays as far as it was.
func (l *schemaSet) begun(name string) *schemaInfo {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := &schemaInfo{}
	l.parts[name] = s
	return s
}

// part is as much of a schema as can be read, or nil.
func (l *schemaSet) part(name string) *schemaInfo {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.parts[name]
}

// all lists the schemas that were read, by the names of their files.
func (l *schemaSet) all() (out []*schemaInfo) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(l.schemas)) {
		out = append(out, l.schemas[name])
	}
	return out
}

// hasSchema tells whether the array has a schema file of a name, readable or not.
func (l *schemaSet) hasSchema(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.files[name] != nil
}

// alone tells that nothing is here of the array that the schemas are of.
func (l *schemaSet) alone() bool {
	return len(l.order) == 0 && objectAt(l.home.Snapshot, dot(l.dir)) != 2
}

// misspelt is the one schema file whose name differs from a name in a byte or two; "" where there is none, or the name is one itself.
func (l *schemaSet) misspelt(name string) (near string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for file := range l.files {
		differ := 0
		for i := range min(len(file), len(name)) {
			if file[i] != name[i] {
				differ++
			}
		}
		if len(file) != len(name) || differ > 2 {
			continue
		}
		if differ == 0 || near != "" {
			return ""
		}
		near = file
	}
	return near
}

// schema returns a schema by the name of its file, reading it when nobody did; nil when it is not there or not readable.
func (l *schemaSet) schema(ctx context.Context, name string) *schemaInfo {
	l.mu.Lock()
	span, s := l.files[name], l.schemas[name]
	l.mu.Unlock()
	if s == nil && span != nil && l.home.Open(ctx, span) == nil {
		s = l.kept(name)
	}
	if s == nil || len(s.dims) == 0 || !s.complete {
		return nil
	}
	return s
}

// current returns the newest schema that can be read, or nil.
func (l *schemaSet) current() *schemaInfo {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := len(l.order) - 1; i >= 0; i-- {
		if s := l.schemas[l.order[i]]; s != nil {
			return s
		}
	}
	for _, s := range l.schemas { // of a file opened alone
		return s
	}
	return nil
}

// enumeration returns an enumeration by the name that a schema gives it, or nil.
func (l *schemaSet) enumeration(ctx context.Context, s *schemaInfo, name string) *enumeration {
	for _, e := range s.enums {
		if e.name.Text() == name {
			return l.enumerationFile(ctx, e.file.Text())
		}
	}
	return nil
}

// newestEnumeration is an enumeration as the current schema has it: it may have grown since a fragment was written.
func (l *schemaSet) newestEnumeration(ctx context.Context, name string) *enumeration {
	if s := l.current(); s != nil {
		return l.enumeration(ctx, s, name)
	}
	return nil
}

// enumerationFile returns an enumeration by the name of its file, reading it when nobody did; nil when it is not there or not
// readable.
func (l *schemaSet) enumerationFile(ctx context.Context, file string) *enumeration {
	l.mu.Lock()
	e, span := l.enums[file], l.enumFiles[file]
	l.mu.Unlock()
	if e == nil && span != nil && l.home.Open(ctx, span) == nil {
		l.mu.Lock()
		e = l.enums[file]
		l.mu.Unlock()
	}
	return e
}

// doc is the state of a tree.
type doc struct {
	t       *model.Tree
	mu      sync.Mutex
	arrays  map[string]*array
	foreign map[string]bool // folders, whether they are arrays of TileDB 0.x
	inOrder []*array        // the arrays, as they were read
	members []*model.Span   // folders of members and labels, as they were found
	primary fileKind        // of a file that was opened alone
	readKey func() []byte
}

// kindOf is kindOf for files of the tree: one that was opened alone may have been known by its content.
func (d *doc) kindOf(name string) (fileKind, string) {
	kind, dir := kindOf(name)
	if name == d.t.Snapshot.Primary {
		kind = d.primary
		if d.array(dir).kept(path.Base(name)) != nil {
			kind = kindSchema
		}
	}
	return kind, dir
}

// array is an array of the tree: its schemas, and its fragments.
type array struct {
	*schemaSet
	d   *doc
	dir string // "" for the document's folder itself, otherwise without the last slash

	mu       sync.Mutex
	frags    map[string]*frag // by folder
	fragList []*frag          // in the order of their times
	commits  *commitSet       // of an array folder
	metas    *model.Span      // the group of the metadata files
	placed   int              // fragments that tables made part of the tree

	viewMu sync.Mutex
	views  map[uint64]readAs // the cells, by the time of their reader

	impliedMu   sync.Mutex
	impliedTree *model.Tree // the array with a schema that its fragments imply
	impliedDone bool        // they were asked

	lock lock
}

// whole tells whether all of an array or group was opened, not a part of it.
func (d *doc) whole() bool { return d.t.Snapshot.Primary == "" && d.t.Snapshot.Part == "" }

// array returns the array of a folder.
func (d *doc) array(dir string) *array {
	d.mu.Lock()
	defer d.mu.Unlock()
	a := d.arrays[dir]
	if a == nil {
		a = &array{schemaSet: newSchemaSet(d.t, dir), d: d, dir: dir, frags: map[string]*frag{}, lock: lock{key: d.key}}
		d.arrays[dir], d.inOrder = a, append(d.inOrder, a)
	}
	return a
}

func (a *array) path(names ...string) string {
	return path.Join(append([]string{a.dir}, names...)...)
}

// metadata reads the metadata of the array's fragments.
func (a *array) metadata() metadataReader { return metadataReader{a.schemaSet, &a.lock} }
