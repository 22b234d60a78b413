package parsers

import (
	"context"
	"maps"
	"path"
	"slices"
	"sort"
	"sync"

	"spandrel/model"
)

// tdbSchemas is the schemas and the enumerations of an array. Its fragments share them, also those that are read in a tree of
// their own.
type tdbSchemas struct {
	home *model.Tree // that they are spans of

	mu        sync.Mutex
	files     map[string]*model.Span // of schemas by base name
	schemas   map[string]*tdbSchema
	order     []string // schema files, the oldest first
	enums     map[string]*tdbEnumeration
	enumFiles map[string]*model.Span
}

func newTDBSchemas(t *model.Tree) *tdbSchemas {
	return &tdbSchemas{home: t, files: map[string]*model.Span{}, schemas: map[string]*tdbSchema{}, enums: map[string]*tdbEnumeration{}, enumFiles: map[string]*model.Span{}}
}

// readSchemas reads the schemas and their enumerations.
func (a *tdbArray) readSchemas(c *model.Cursor) {
	a.open(c, c.Group(tdbSchemasF, a.listSchemas))
	a.listEnumerations(c)
	for _, name := range a.order {
		a.schema(c.Context(), name)
	}
}

// listSchemas makes the schema files of the array children of the frame. They are read when something depends on them.
func (a *tdbArray) listSchemas(c *model.Cursor) {
	add := func(e model.Entry, field string) {
		base := path.Base(e.Name)
		n := c.Companion(&model.Field{Name: field, Doc: "a schema of the array"}, e, func(c *model.Cursor) { a.readFile(c, tdbKindSchema, e.Name) })
		a.tdbSchemas.mu.Lock()
		defer a.tdbSchemas.mu.Unlock()
		a.files[base], a.order = n.Span, append(a.order, base)
	}
	snap := a.d.t.Snapshot
	root, _, _ := snap.List(tdbDot(a.dir))
	for _, e := range root {
		if base := path.Base(e.Name); e.Regular && base == tdbOldSchema {
			add(e, base)
		}
	}
	list, _, _ := snap.List(a.path("__schema"))
	sort.SliceStable(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	for _, e := range list {
		base := path.Base(e.Name)
		stamp := tdbStampOf(base)
		switch {
		case e.Regular && stamp.ok && stamp.version == 0 && path.Ext(base) == "":
			add(e, base)
		case e.Regular:
			n := c.Companion(tdbFolderFile.Named("%s", base), e, func(c *model.Cursor) { a.readFile(c, tdbKindOther, e.Name) })
			if path.Ext(base) != ".tmp" { // opening one says that it is left over
				c.Report(model.Finding{Rule: tdb(1), Span: n.Span, Found: base, Expected: "__<t1>_<t2>_<32 hexadecimal digits>"})
			}
		}
	}
}

// listEnumerations makes a child of each enumeration file. They are read when something depends on them.
func (a *tdbArray) listEnumerations(c *model.Cursor) {
	list, _, err := a.d.t.Snapshot.List(a.path("__schema", "__enumerations"))
	if err != nil || len(list) == 0 {
		return
	}
	a.open(c, c.Group(tdbEnumsF, func(c *model.Cursor) {
		for _, e := range list {
			if !e.Regular {
				continue
			}
			base := path.Base(e.Name)
			n := c.Companion(tdbFolderFile.Named("%s", base), e, func(c *model.Cursor) { a.readFile(c, tdbKindEnumeration, e.Name) })
			a.tdbSchemas.mu.Lock()
			a.enumFiles[base] = n.Span
			a.tdbSchemas.mu.Unlock()
		}
	}))
}

// keep remembers a schema that was read, and checks it.
func (l *tdbSchemas) keep(c *model.Cursor, s *tdbSchema, base string) {
	s.file = base
	if s.layout > 0 {
		tdbCheckSchema(c, s)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.schemas[base] = s
}

// keepEnumeration remembers an enumeration that was read.
func (l *tdbSchemas) keepEnumeration(e *tdbEnumeration, base string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.enums[base] = e
}

// kept is a schema that was read, by the name of its file, or nil.
func (l *tdbSchemas) kept(name string) *tdbSchema {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.schemas[name]
}

// all lists the schemas that were read, by the names of their files.
func (l *tdbSchemas) all() (out []*tdbSchema) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(l.schemas)) {
		out = append(out, l.schemas[name])
	}
	return out
}

// hasSchema tells whether the array has a schema file of a name, readable or not.
func (l *tdbSchemas) hasSchema(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.files[name] != nil
}

// schema returns a schema by the name of its file, reading it when nobody did; nil when it is not there or not readable.
func (l *tdbSchemas) schema(ctx context.Context, name string) *tdbSchema {
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
func (l *tdbSchemas) current() *tdbSchema {
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
func (l *tdbSchemas) enumeration(ctx context.Context, s *tdbSchema, name string) *tdbEnumeration {
	for _, e := range s.enums {
		if e.name.Text() == name {
			return l.enumerationFile(ctx, e.file.Text())
		}
	}
	return nil
}

// newestEnumeration is an enumeration as the current schema has it: it may have grown since a fragment was written.
func (l *tdbSchemas) newestEnumeration(ctx context.Context, name string) *tdbEnumeration {
	if s := l.current(); s != nil {
		return l.enumeration(ctx, s, name)
	}
	return nil
}

// enumerationFile returns an enumeration by the name of its file, reading it when nobody did; nil when it is not there or not
// readable.
func (l *tdbSchemas) enumerationFile(ctx context.Context, file string) *tdbEnumeration {
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
