package tiledb

import (
	"context"
	"maps"
	"slices"
	"sync"

	"spandrel/model"
)

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

// addFile notes a file of a schema, the next by age.
func (l *schemaSet) addFile(base string, s *model.Span) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.files[base], l.order = s, append(l.order, base)
}

// addEnumerationFile notes a file of an enumeration.
func (l *schemaSet) addEnumerationFile(base string, s *model.Span) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.enumFiles[base] = s
}

// keep remembers a schema that was read.
func (l *schemaSet) keep(s *schemaInfo) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.schemas[s.file] = s
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

const oldSchema = "__array_schema.tdb"
