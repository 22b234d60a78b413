package tiledb

import (
	"context"
	"path"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/parsers/tiledb/schema"
)

// keepApart moves the files of either array into a folder of their own. What belongs to neither stays, so nothing is lost. Which of them the folder is for,
// files do not tell.
var keepApart = model.Knowing(func(ctx context.Context, _ *model.Tree, _ *model.Finding, x mixed) (out []model.Fix) {
	for _, of := range [][2]family{{x.newest, x.other}, {x.other, x.newest}} {
		m := mover{a: x.a, gone: of[0].names, stay: of[1].names, times: map[bool][]stamp{}}
		frags, ok := m.move(ctx)
		if !ok {
			return nil
		}
		out = append(out, model.Fix{Copies: true, Once: true, Edits: m.edits,
			Label: model.Words("move the files of the array with %s (%s) into the folder %s", of[0].says, model.Count(int64(frags), "fragments"), apartDir),
			Says: model.Words("Files of two arrays are in this folder: one has %s, the other %s. TileDB uses the newest schema, that of the first, and does not find the cells of the other.",
				x.newest.says, x.other.says)})
	}
	return out
})

// apartDir is the folder for an array whose files were among those of another one.
const apartDir = "other_array"

// mover moves the files of the schemas that go, and of the fragments and enumerations that these alone have.
type mover struct {
	a          *array
	gone, stay []string
	edits      []model.Edit
	times      map[bool][]stamp // of the fragments that go, and of those that stay
}

// move returns how many fragments go, and whether it is clear of each file which array it belongs to. Metadata have only a time: unless that is in the time of
// one of the arrays alone, they are copied.
func (m *mover) move(ctx context.Context) (frags int, ok bool) {
	snap := m.a.d.t.Snapshot
	files := func(names ...string) (out []string) {
		for _, e := range filesBelow(snap, dot(m.a.path(names...)), nil) {
			out = append(out, e.Name)
		}
		return out
	}
	if len(files(apartDir))+len(files("__labels"))+len(files("__fragment_meta")) > 0 {
		return 0, false
	}
	m.schemas(files("__schema", "__enumerations"))
	commits := map[string]bool{}
	for _, f := range m.a.fragList {
		meta := f.load(ctx)
		if commits[commitFile(f)] = true; meta == nil || !slices.Contains(append(m.gone, m.stay...), meta.SchemaName) {
			return 0, false
		}
		goes := slices.Contains(m.gone, meta.SchemaName)
		if m.times[goes] = append(m.times[goes], f.stamp); !goes {
			continue
		}
		frags++
		for _, name := range append(files("__fragments", f.name), commitFile(f)) {
			m.file(name, false)
		}
	}
	for _, name := range files("__meta") {
		s := stampOf(path.Base(name))
		if goes, stays := within(m.times[true], s), within(m.times[false], s); goes || !stays {
			m.file(name, goes == stays)
		}
	}
	return frags, !slices.ContainsFunc(files("__commits"), func(name string) bool { return !commits[name] })
}

// schemas moves the schemas that go, and of some enumerations those that they name; those that others name too are copied.
func (m *mover) schemas(enumerations []string) {
	for _, name := range m.gone {
		m.file(m.a.path("__schema", name), false)
	}
	for _, name := range enumerations {
		if m.names(m.gone, path.Base(name)) {
			m.file(name, m.names(m.stay, path.Base(name)))
		}
	}
}

// file moves a file, or copies it.
func (m *mover) file(name string, copied bool) {
	if content, err := m.a.d.t.Snapshot.Content(name); err == nil {
		m.edits = append(m.edits, model.FileEdit{File: m.a.path(apartDir, strings.TrimPrefix(name, m.a.path()+"/")), Create: content})
		if !copied {
			m.edits = append(m.edits, model.FileEdit{File: name, Delete: true})
		}
	}
}

// names tells whether one of the schemas names the file of an enumeration.
func (m *mover) names(schemas []string, file string) bool {
	return slices.ContainsFunc(schemas, func(name string) bool {
		return slices.ContainsFunc(m.a.schemas.Kept(name).Enums, func(e schema.EnumerationEntry) bool { return e.File.Text() == file })
	})
}

// within tells whether a time is between the first and the last of others.
func within(times []stamp, s stamp) bool {
	before := func(x stamp) bool { return x.from <= s.from }
	after := func(x stamp) bool { return x.to >= s.to }
	return slices.ContainsFunc(times, before) && slices.ContainsFunc(times, after)
}
