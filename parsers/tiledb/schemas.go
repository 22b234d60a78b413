package tiledb

import (
	"context"
	"maps"
	"path"
	"slices"
	"sort"
	"sync"

	"spandrel/model"
)

// schemaSet is the schemas and the enumerations of an array. Its fragments share them, also those that are read in a tree of
// their own.
type schemaSet struct {
	home *model.Tree // that they are spans of

	mu        sync.Mutex
	files     map[string]*model.Span // of schemas by base name
	schemas   map[string]*schemaInfo
	order     []string // schema files, the oldest first
	enums     map[string]*enumeration
	enumFiles map[string]*model.Span
}

func newSchemaSet(t *model.Tree) *schemaSet {
	return &schemaSet{home: t, files: map[string]*model.Span{}, schemas: map[string]*schemaInfo{}, enums: map[string]*enumeration{},
		enumFiles: map[string]*model.Span{}}
}

// readSchemas reads the schemas and their enumerations.
func (a *array) readSchemas(c *model.Cursor) {
	a.open(c, c.Group(schemasF, a.listSchemas))
	a.listEnumerations(c)
	for _, name := range a.order {
		a.schema(c.Context(), name)
	}
}

// listSchemas makes the schema files of the array children of the frame. They are read when something depends on them.
func (a *array) listSchemas(c *model.Cursor) {
	add := func(e model.Entry, field string) {
		base := path.Base(e.Name)
		n := c.Companion(&model.Field{Name: field, Doc: "a schema of the array"}, e,
			func(c *model.Cursor) { a.readFile(c, kindSchema, e.Name) })
		a.schemaSet.mu.Lock()
		defer a.schemaSet.mu.Unlock()
		a.files[base], a.order = n.Span, append(a.order, base)
	}
	snap := a.d.t.Snapshot
	root, _, _ := snap.List(dot(a.dir))
	for _, e := range root {
		if base := path.Base(e.Name); e.Regular && base == oldSchema {
			add(e, base)
		}
	}
	list, _, _ := snap.List(a.path("__schema"))
	sort.SliceStable(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	for _, e := range list {
		base := path.Base(e.Name)
		stamp := stampOf(base)
		switch {
		case e.Regular && stamp.ok && stamp.version == 0 && path.Ext(base) == "":
			add(e, base)
		case e.Regular:
			n := c.Companion(folderFile.Named("%s", base), e, func(c *model.Cursor) { a.readFile(c, kindOther, e.Name) })
			if path.Ext(base) != ".tmp" { // opening one says that it is left over
				c.Wrong(oddFileName, n.Span, base, "__<t1>_<t2>_<32 hexadecimal digits>")
			}
		}
	}
}

// listEnumerations makes a child of each enumeration file. They are read when something depends on them.
func (a *array) listEnumerations(c *model.Cursor) {
	list, _, err := a.d.t.Snapshot.List(a.path("__schema", "__enumerations"))
	if err != nil || len(list) == 0 {
		return
	}
	a.open(c, c.Group(enumsF, func(c *model.Cursor) {
		for _, e := range list {
			if !e.Regular {
				continue
			}
			base := path.Base(e.Name)
			n := c.Companion(folderFile.Named("%s", base), e, func(c *model.Cursor) { a.readFile(c, kindEnumeration, e.Name) })
			a.schemaSet.mu.Lock()
			a.enumFiles[base] = n.Span
			a.schemaSet.mu.Unlock()
		}
	}))
}

// keep remembers a schema that was read, and checks it.
func (l *schemaSet) keep(c *model.Cursor, s *schemaInfo, base string) {
	s.file = base
	if s.layout > 0 {
		checkSchema(c, s)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.schemas[base] = s
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
