package tiledb

import (
	"context"
	"path"
	"slices"
	"strconv"
	"strings"

	"spandrel/model"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/rule"
	"spandrel/parsers/tiledb/schema"
)

// When TileDB reads a place of an array determines the effect of damage there: it refuses the array, fails when cells or metadata are requested,
// or never notices.

// moment is when TileDB reads a place.
type moment uint8

const (
	toOpen  moment = iota
	onQuery        // cells, metadata or enumerations are requested
	never          // all cells are read without it
)

// at is the condition that TileDB reads the place of a finding at a moment.
func at(m moment) model.Condition {
	return func(ctx context.Context, t *model.Tree, f *model.Finding) bool { return momentOf(ctx, t, f) == m }
}

func momentOf(ctx context.Context, t *model.Tree, f *model.Finding) moment {
	d, file := model.StateOf[*doc](t), t.FileName(f.Where())
	base, in := path.Base(file), path.Base(path.Dir(file))
	switch {
	case d == nil || !strings.Contains(file, "/"), in == "__schema", in == "__fragment_meta":
		return toOpen
	case in == "__meta":
		return d.momentOfMetadata(file)
	case in == "__enumerations" && !d.named(ctx, file):
		return never
	case in == "__enumerations", path.Ext(base) == ".del", path.Ext(base) == ".upd":
		return onQuery
	}
	x := d.fragOf(path.Dir(file))
	switch {
	case x == nil:
		return toOpen
	case !x.live:
		return never
	case base == metaFileF.Name && f.Rule != rule.FileSizeWrong:
		return x.momentOfList(ctx, f)
	case x.hidden(ctx):
		return never
	}
	return onQuery
}

// momentOfMetadata is when a file of __meta is read: never, if a file that it was consolidated into replaces it.
func (d *doc) momentOfMetadata(file string) moment {
	list, _, _ := d.t.Snapshot.List(path.Dir(file))
	for _, e := range list {
		if path.Ext(e.Name) != ".vac" {
			continue
		}
		for _, line := range lines(fileBytes(d.t, e.Name, mostCommits), false) {
			if path.Base(string(line)) == path.Base(file) {
				return never
			}
		}
	}
	return onQuery
}

// named tells whether a schema names the file of an enumeration.
func (d *doc) named(ctx context.Context, file string) bool {
	a := d.array(strings.TrimSuffix(path.Dir(path.Dir(path.Dir(file))), "."))
	return slices.ContainsFunc(a.schemas.Order, func(name string) bool {
		s := a.schemas.Schema(ctx, name)
		return s != nil && slices.ContainsFunc(s.Enums, func(e schema.EnumerationEntry) bool { return e.File.Text() == path.Base(file) })
	})
}

// fragOf is the fragment of a folder, or nil.
func (d *doc) fragOf(dir string) *frag {
	if dir == "." {
		dir = ""
	}
	for _, a := range d.inOrder {
		if x := a.frags[dir]; x != nil {
			return x
		}
	}
	return nil
}

// hidden tells whether newer cells cover a whole dense fragment: TileDB does not read its tiles then.
func (f *frag) hidden(ctx context.Context) bool {
	if m := f.load(ctx); m == nil || !m.Dense || m.Null {
		return false
	}
	newer := false
	for _, x := range f.a.fragList {
		if newer && x.live && x.load(ctx) != nil && x.meta.Dense && !x.meta.Null && x.meta.Box().Over(f.meta.Box()) {
			return true
		}
		newer = newer || x == f
	}
	return false
}

// momentOfList is when TileDB reads a list of a fragment's metadata, or the footer. The path says what a finding is about, and for an offset
// that leads to a list, its place.
func (f *frag) momentOfList(ctx context.Context, x *model.Finding) moment {
	_, name, listed := strings.Cut(x.Path(), "/lists/")
	name, _, _ = strings.Cut(name, "/")
	name, index, _ := strings.Cut(strings.TrimSuffix(name, "]"), "[")
	slot, _ := strconv.Atoi(index)
	switch {
	case x.Rule == rule.OffsetLeadsNowhere:
		name, slot = path.Base(x.Path()), int(x.Where().Off-x.Span.Range.Off)/8
	case !listed && x.Rule == rule.TileCounts: // a list that is not at its place in the footer
		return onQuery
	case !listed && gathered(f.a, f.name):
		return never
	case !listed:
		return toOpen
	}
	part, ok := fragment.PartOf(name)
	switch {
	case strings.HasPrefix(name, "rtree"):
		return onQuery
	case !ok, f.load(ctx) != nil && slot < len(f.slots) && !f.field(slot).file(part).legal():
		return never
	}
	return onQuery
}

// gathered tells whether TileDB finds the footer of a fragment in a file of consolidated footers.
func gathered(a *array, fragment string) bool {
	list, _, _ := a.d.t.Snapshot.List(a.path("__fragment_meta"))
	of := stampOf(fragment)
	return slices.ContainsFunc(list, func(e model.Entry) bool {
		s := stampOf(strings.TrimSuffix(path.Base(e.Name), ".meta"))
		return s.ok && s.from <= of.from && of.to <= s.to
	})
}

// gatheredFooter tells whether a finding is about a missing fragment whose footer is available: the array opens.
func gatheredFooter(ctx context.Context, _ *model.Tree, f *model.Finding) bool {
	switch x := f.About.(type) {
	case lostFolder:
		return gathered(x.a, x.name)
	case lostMetadata:
		return gathered(x.f.a, x.f.name)
	}
	return false
}

// withinFile tells whether the stored size of a tile, which is too large for its room, still leads to a place in its file.
func withinFile(ctx context.Context, t *model.Tree, f *model.Finding) bool {
	if f.Span == nil || f.Span.Parent() == nil {
		return false
	}
	size, err := t.Value(ctx, f.Span)
	s := t.Space(f.Where().Space)
	return err == nil && s != nil && size.Uint() < 1<<40 && f.Span.Parent().Range.End()+size.Int() <= s.Root.Range.Len
}
