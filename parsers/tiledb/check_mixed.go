package tiledb

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/parsers/tiledb/rule"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// fixedForLife is what evolution never changes, so that all schemas of an array agree in it: its type and orders, and its dimensions.
func fixedForLife(s *schema.Schema) (out []string) {
	said := func(n model.Node) string {
		if n.Span == nil {
			return ""
		}
		return n.Span.Field.Said(n.Value)
	}
	out = []string{"array type " + said(s.Array), "cell order " + said(s.CellOrder), "tile order " + said(s.TileOrder)}
	for i := range s.Dims {
		d := &s.Dims[i]
		says := "dimension " + d.Name.Text() + " " + storage.TypeName(d.Datatype)
		if d.Low.Span != nil {
			says += " " + d.Low.Value.String() + " to " + d.High.Value.String()
		}
		if d.Extent.Span != nil {
			says += " in tiles of " + d.Extent.Value.String()
		}
		out = append(out, says)
	}
	return out
}

// mixed is the files of two arrays in one folder: of that which a finding is about, and of that with the newest schema.
type mixed struct {
	a             *array
	other, newest family
}

// family is the schemas of one array, and what they have that those of the other do not.
type family struct {
	names []string
	says  string
}

// checkMixed reports the newest schema of each array whose files are in the folder beside those of the array of the newest schema of all.
func checkMixed(c *model.Cursor, a *array) {
	now := a.schemas.Current()
	if now == nil || !now.Complete {
		return
	}
	kept, mine := fixedForLife(now), []string(nil)
	others := map[string][]string{}
	for _, name := range a.schemas.Order {
		s := a.schemas.Kept(name)
		switch {
		case s == nil || !s.Complete:
		case slices.Equal(fixedForLife(s), kept):
			mine = append(mine, name)
		default:
			key := strings.Join(fixedForLife(s), "; ")
			others[key] = append(others[key], name)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(others)) {
		names := others[key]
		last, grade, used := names[len(names)-1], model.Warning, schemasNamed(c.Context(), a.fragList)
		if slices.ContainsFunc(names, func(name string) bool { return used[name] }) {
			grade = model.Error // its cells are not found
		}
		x := mixed{a, family{names, less(fixedForLife(a.schemas.Kept(last)), kept)}, family{mine, less(kept, fixedForLife(a.schemas.Kept(last)))}}
		c.Wrong(rule.TwoArrays, a.schemas.Files[last], x.other.says, x.newest.says+" as in "+now.File, model.About(x), model.Graded(grade))
	}
}

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

// less is what one list has that the other does not.
func less(list, other []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(other, s) }), ", ")
}

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
	for _, name := range m.gone {
		m.file(m.a.path("__schema", name), false)
	}
	for _, name := range files("__schema", "__enumerations") {
		if m.names(m.gone, path.Base(name)) {
			m.file(name, m.names(m.stay, path.Base(name)))
		}
	}
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
