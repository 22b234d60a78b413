package tiledb

import (
	"path"
	"sort"
	"strings"

	"spandrel/model"
	"spandrel/parsers/tiledb/rule"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// readSchemas reads the schemas and their enumerations.
func (a *array) readSchemas(c *model.Cursor) {
	storage.OpenNow(c, c.Group(schemasF, a.listSchemas))
	a.listEnumerations(c)
	for _, name := range a.schemas.Order {
		a.schemas.Schema(c.Context(), name)
	}
}

// listSchemas makes the schema files of the array children of the frame. They are read when something depends on them.
func (a *array) listSchemas(c *model.Cursor) {
	add := func(e model.Entry, field string) {
		base := path.Base(e.Name)
		n := c.Companion(&model.Field{Name: field, Doc: "a schema of the array"}, e,
			file{a, kindSchema, e.Name}.read)
		a.schemas.AddFile(base, n.Span)
	}
	snap := a.d.t.Snapshot
	root, _, _ := snap.List(dot(a.dir))
	for _, e := range root {
		if base := path.Base(e.Name); e.Regular && base == schema.OldSchema {
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
			at := file{a, kindOther, e.Name}.child(c, e)
			if path.Ext(base) != ".tmp" { // opening one reports that it is left over
				oddName(c, at, e)
			}
		}
	}
}

// isNamed tells whether TileDB accepts a name in __schema or __meta: it does not open an array with another one there.
func isNamed(base string) bool {
	name, _, _ := strings.Cut(base, ".")
	return strings.Contains(name, "_")
}

// oddName reports a file of __schema or __meta with a name that TileDB does not use.
func oddName(c *model.Cursor, at *model.Span, e model.Entry) {
	base, grade, says := path.Base(e.Name), model.Warning, rule.OddFileName.Title
	if !isNamed(base) || e.Size < storage.HeaderBytes { // it is read like a schema
		grade, says = model.Error, "TileDB does not open the array because of the file "+e.Name+": remove it"
	}
	c.Wrong(rule.OddFileName, at, base, "__<t1>_<t2>_<32 hexadecimal digits>", model.Graded(grade), model.Saying("%s", says))
}

// listEnumerations makes a child of each enumeration file. They are read when something depends on them.
func (a *array) listEnumerations(c *model.Cursor) {
	list, _, err := a.d.t.Snapshot.List(a.path("__schema", "__enumerations"))
	if err != nil || len(list) == 0 {
		return
	}
	storage.OpenNow(c, c.Group(enumsF, func(c *model.Cursor) {
		for _, e := range list {
			if e.Regular {
				a.schemas.AddEnumerationFile(path.Base(e.Name), file{a, kindEnumeration, e.Name}.child(c, e))
			}
		}
	}))
}
