package schema

import (
	"context"
	"maps"
	"slices"
	"sync"

	"spandrel/model"
)

// Set is the schemas and the enumerations of an array. Its fragments share them, including those read in a tree of
// their own.
type Set struct {
	Home *model.Tree // that they are spans of
	Dir  string      // of the array

	mu        sync.Mutex
	Files     map[string]*model.Span // of schemas by base name
	schemas   map[string]*Schema
	Order     []string // schema files, the oldest first
	enums     map[string]*Enumeration
	EnumFiles map[string]*model.Span
}

func NewSet(t *model.Tree, dir string) *Set {
	return &Set{Home: t, Dir: dir, Files: map[string]*model.Span{}, schemas: map[string]*Schema{}, enums: map[string]*Enumeration{},
		EnumFiles: map[string]*model.Span{}}
}

// AddFile notes a schema file, in order of age.
func (l *Set) AddFile(base string, s *model.Span) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Files[base], l.Order = s, append(l.Order, base)
}

// AddEnumerationFile notes a file of an enumeration.
func (l *Set) AddEnumerationFile(base string, s *model.Span) { put(l, l.EnumFiles, base, s) }

// Keep stores a schema that was read, and KeepEnumeration an enumeration.
func (l *Set) Keep(s *Schema)                              { put(l, l.schemas, s.File, s) }
func (l *Set) KeepEnumeration(e *Enumeration, base string) { put(l, l.enums, base, e) }

// Kept is a schema that has been read, by the name of its file, or nil.
func (l *Set) Kept(name string) *Schema { return get(l, l.schemas, name) }

// HasSchema tells whether the array has a schema file of a name, readable or not.
func (l *Set) HasSchema(name string) bool { return get(l, l.Files, name) != nil }

// get and put are for one of the maps of a set.
func get[V any](l *Set, m map[string]V, name string) V {
	l.mu.Lock()
	defer l.mu.Unlock()
	return m[name]
}

func put[V any](l *Set, m map[string]V, name string, v V) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m[name] = v
}

// All lists the schemas that have been read, by the names of their files.
func (l *Set) All() (out []*Schema) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(l.schemas)) {
		out = append(out, l.schemas[name])
	}
	return out
}

// fileName is the name of a schema's file since version 10: the time when it was written, twice, and a random number.
var fileName = model.Pattern(`^__(\d+)_(\d+)_[0-9a-f]{32}$`)

// Named tells whether TileDB may have given a schema's file this name: the name shows no damage.
func Named(name string) bool {
	m := fileName().FindStringSubmatch(name)
	return m != nil && m[1] == m[2]
}

// Misspelt is the one schema file whose name differs from a name in a byte or two; "" if there is none, or the name exists.
func (l *Set) Misspelt(name string) (near string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for file := range l.Files {
		switch differ := model.Differ(file, name); {
		case differ > 2:
			continue
		case differ == 0 || near != "":
			return ""
		}
		near = file
	}
	return near
}

// Schema returns a schema by the name of its file, reading it if necessary; nil if it is missing or unreadable.
func (l *Set) Schema(ctx context.Context, name string) *Schema {
	s := l.Kept(name)
	if span := get(l, l.Files, name); s == nil && span != nil && l.Home.Open(ctx, span) == nil {
		s = l.Kept(name)
	}
	if s == nil || len(s.Dims) == 0 || !s.Complete {
		return nil
	}
	return s
}

// Current returns the newest readable schema, or nil.
func (l *Set) Current() *Schema {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := len(l.Order) - 1; i >= 0; i-- {
		if s := l.schemas[l.Order[i]]; s != nil {
			return s
		}
	}
	for _, s := range l.schemas { // of a file opened alone
		return s
	}
	return nil
}

// Enumeration returns an enumeration by its name in a schema, or nil.
func (l *Set) Enumeration(ctx context.Context, s *Schema, name string) *Enumeration {
	for _, e := range s.Enums {
		if e.Name.Text() == name {
			return l.EnumerationFile(ctx, e.File.Text())
		}
	}
	return nil
}

// NewestEnumeration is an enumeration in the current schema: it may have grown since a fragment was written.
func (l *Set) NewestEnumeration(ctx context.Context, name string) *Enumeration {
	if s := l.Current(); s != nil {
		return l.Enumeration(ctx, s, name)
	}
	return nil
}

// EnumerationFile returns an enumeration by the name of its file, reading it if necessary; nil if it is missing or
// unreadable.
func (l *Set) EnumerationFile(ctx context.Context, file string) *Enumeration {
	e := get(l, l.enums, file)
	if span := get(l, l.EnumFiles, file); e == nil && span != nil && l.Home.Open(ctx, span) == nil {
		e = get(l, l.enums, file)
	}
	return e
}

const OldSchema = "__array_schema.tdb"
