package tiledb

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"spandrel/model"
)

// salvageArray makes a new array of what can still be read: intact files unchanged, fragments with damaged tiles without the damaged parts, fragments
// without readable metadata from their tiles, and a commit for each.
func salvageArray(ctx context.Context, t *model.Tree) (*model.Salvaged, error) {
	d, ok := t.State.(*doc)
	if !ok || !d.whole() || objectAt(t.Snapshot, ".") != 2 {
		return nil, fmt.Errorf("open the folder of an array: salvaging it needs its schema")
	}
	a := d.array("")
	if s := a.schemas.Current(); s == nil {
		return nil, fmt.Errorf("no schema of the array can be read: without it no one can tell what the bytes of its fragments are")
	} else if !s.Evolves() {
		return nil, fmt.Errorf("the schema of the array is not one that this program writes")
	}
	out := &salvager{a: a, files: map[string]model.Source{}, blank: map[string]int{}, restored: map[string]bool{}, cells: model.SalvagedPart{What: "cells"}, values: model.SalvagedPart{What: "values of damaged attributes"}, deletes: model.SalvagedPart{What: "deletions"},
		frags: model.SalvagedPart{What: "fragments", Of: int64(len(a.fragList))}}
	if err := out.copyFolders(ctx, t, ".", 0); err != nil {
		return nil, err
	}
	out.restore(ctx)
	for _, f := range a.fragList {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out.fragment(ctx, f)
	}
	if out.frags.Saved == 0 && out.frags.Of > 0 {
		return nil, fmt.Errorf("no fragment of the array can be read: %s", cutList(out.lost))
	}
	out.asRead(ctx, t)
	out.frags.Lost, out.cells.Lost = cutList(out.lost), cutList(out.tiles)
	parts := []model.SalvagedPart{out.frags, out.cells}
	if p := out.schemas(ctx); p.Lost != "" {
		parts = append(parts, p)
	}
	if len(out.undone) > 0 {
		out.deletes.Lost = cutList(out.undone) + ": cells that they deleted are there again"
		parts = append(parts, out.deletes)
	}
	if len(out.filled) > 0 {
		out.values.Lost = cutList(out.filled)
		parts = append(parts, out.values)
	}
	return &model.Salvaged{Files: out.files, Parts: append(parts, out.attributes()...), Doubts: out.guessed}, nil
}

// salvager is a new array under construction.
type salvager struct {
	a                   *array
	files               map[string]model.Source
	frags, cells        model.SalvagedPart // cells as they are stored, until asRead counts them
	doubts              int64              // saved cells that do not contain what was written
	values              model.SalvagedPart // values of attributes that are lost in some tiles
	deletes             model.SalvagedPart
	blank               map[string]int // attributes without a value in so many fragments
	lost, tiles, filled []string
	undone              []string // deletions that cannot be read
	guessed             []string // fragments that are read with another schema than the one that they name
	// restored are the fragments that are saved instead of a consolidated one that cannot be read, and, as false, that one.
	restored map[string]bool
}

// restore finds what was consolidated and is still there, and leaves out what cannot be read instead.
func (s *salvager) restore(ctx context.Context) {
	sound := func(f *frag) bool { return f.load(ctx) != nil && f.whole(ctx) && everyTile(ctx, f, tile.agrees) }
	for _, f := range s.a.fragList {
		if s.a.commits == nil || s.a.commits.merged[f.name].file == "" || sound(f) {
			continue
		}
		for _, x := range replacedBy(s.a, f, sound) {
			s.restored[x.name], s.restored[f.name] = true, false
			delete(s.files, s.a.commits.merged[f.name].file)
		}
	}
}

// schemas leaves out the schemas that cannot be read and that no fragment was written with: a change of the schema was interrupted, and TileDB does
// not open an array that has one.
func (s *salvager) schemas(ctx context.Context) model.SalvagedPart {
	p, named, dir := model.SalvagedPart{What: "schemas"}, schemasNamed(ctx, s.a.fragList), s.a.path("__schema")
	var lost []string
	for name := range s.files {
		if base := path.Base(name); path.Dir(name) != dir {
			continue
		} else if p.Of++; s.a.schemas.Schema(ctx, base) == nil && !named[base] {
			delete(s.files, name)
			lost = append(lost, base)
		}
	}
	slices.Sort(lost)
	p.Saved, p.Lost = p.Of-int64(len(lost)), cutList(lost)
	return p
}

// attributes says which attributes are lost in all fragments.
func (s *salvager) attributes() (out []model.SalvagedPart) {
	p := model.SalvagedPart{What: "attributes", Of: int64(len(s.a.schemas.Current().Attrs))}
	var lost []string
	for name, n := range s.blank {
		if int64(n) == s.frags.Of {
			lost = append(lost, name)
		}
	}
	if p.Saved = p.Of - int64(len(lost)); len(lost) > 0 {
		slices.Sort(lost)
		p.Lost = "the values of " + cutList(lost)
		out = append(out, p)
	}
	return out
}

// cutList names the first of many.
func cutList(list []string) string {
	const most = 8
	if len(list) > most {
		return strings.Join(list[:most], "; ") + fmt.Sprintf("; and %d more", len(list)-most)
	}
	return strings.Join(list, "; ")
}

// copyFolders copies all files except those of fragments and their commits, in folders up to some depth. A deletion that cannot be read would make
// the whole array unreadable.
func (s *salvager) copyFolders(ctx context.Context, t *model.Tree, dir string, depth int) error {
	list, more, err := t.Snapshot.List(dir)
	if err != nil || more || depth > 4 {
		return fmt.Errorf("%s cannot be listed completely", dir)
	}
	for _, e := range list {
		base := path.Base(e.Name)
		switch {
		case fragmentName().MatchString(base) && e.Dir, path.Ext(base) == ".tmp", path.Ext(base) == ".wrt", path.Ext(base) == ".ok", path.Base(path.Dir(e.Name)) == "__fragment_meta":
		case e.Dir:
			if err := s.copyFolders(ctx, t, e.Name, depth+1); err != nil {
				return err
			}
		case path.Ext(base) == ".del" && s.deletion(ctx, e.Name):
		case e.Regular:
			if c, err := t.Snapshot.Content(e.Name); err == nil {
				s.files[e.Name] = c
			}
		}
	}
	return nil
}

// deletion counts a delete commit, and tells whether it is lost.
func (s *salvager) deletion(ctx context.Context, name string) (lost bool) {
	s.deletes.Of++
	if lost = conditionOf(ctx, s.a.lock.Key, fileBytes(s.a.d.t, name, mostCommits)) == nil; lost {
		s.undone = append(s.undone, path.Base(name))
	} else {
		s.deletes.Saved++
	}
	return lost
}

// fragment saves what can be read of a fragment that is committed, or may be.
func (s *salvager) fragment(ctx context.Context, f *frag) {
	if restored, ok := s.restored[f.name]; ok && !restored || !ok && s.a.commits != nil && s.a.commits.vacuum[f.name].ok {
		s.frags.Of--
		return
	}
	if err := s.saved(ctx, f); err != nil {
		s.lost = append(s.lost, fmt.Sprintf("fragment %s (%v)", f.name, err))
		return
	}
	s.frags.Saved++
}

// saved copies a fragment, or what can be read of it.
func (s *salvager) saved(ctx context.Context, f *frag) error {
	if f.load(ctx) == nil {
		if f.stamp.version > againTo {
			s.copyUnchanged(f) // a newer version than is read here, which may be intact
			return nil
		}
		return s.rebuild(ctx, f)
	}
	rows := f.meta.Rows()
	s.cells.Of += rows
	if f.whole(ctx) && everyTile(ctx, f, tile.reads) {
		s.copyUnchanged(f)
		s.cells.Saved, s.doubts = s.cells.Saved+rows, s.doubts+s.doubtful(ctx, f)
		return nil
	}
	return s.tilesOf(ctx, f)
}

// rebuild saves a fragment with new metadata, by the schema of the array.
func (s *salvager) rebuild(ctx context.Context, f *frag) error {
	n, w, err := f.rebuilt(ctx)
	if err != nil {
		return err
	}
	b, err := w.Metadata(ctx)
	if err != nil {
		return err
	}
	s.copyUnchanged(f)
	s.files[path.Join(f.dir, metaFileF.Name)] = model.Memory(b)
	cells := int64(n.Cells())
	s.cells.Saved, s.cells.Of = s.cells.Saved+cells, s.cells.Of+cells
	if name := namesSchema(ctx, f, s.a.d.t); name != "" && name != s.a.schemas.Current().File {
		s.guessed = append(s.guessed, model.Words("the %s cells of fragment %s are read with another schema than the one that they were written with, or belong to another array",
			model.Thousands(cells), f.name))
	}
	return nil
}

// copyUnchanged copies the files of a fragment, and commits it.
func (s *salvager) copyUnchanged(f *frag) {
	list, _, _ := s.a.d.t.Snapshot.List(dot(f.dir))
	for _, e := range list {
		if c, err := s.a.d.t.Snapshot.Content(e.Name); err == nil && e.Regular {
			s.files[e.Name] = c
		}
	}
	s.commit(f.name, f.stamp.version)
}

func (s *salvager) commit(name string, version uint32) {
	switch { // a fragment rewritten in a newer version needs a commit of that version
	case s.a.commits != nil && s.a.commits.lines[name].file != "" || version < 5:
	case version < 12:
		s.files[s.a.path(name+".ok")] = model.Memory(nil)
	default:
		s.files[s.a.path("__commits", name+".wrt")] = model.Memory(nil)
	}
}

// write adds a fragment and its commit.
func (s *salvager) write(ctx context.Context, n *newFragment) error {
	edits, err := n.content(ctx)
	if err != nil {
		return err
	}
	for _, e := range edits {
		x := e.(model.FileEdit)
		s.files[x.File] = x.Create
	}
	s.commit(n.f.name, n.Meta.Version)
	return nil
}

// replacement starts a fragment with the same times as a damaged one. If its version is no longer written, it gets the oldest that is.
func (s *salvager) replacement(f *frag) (*frag, error) {
	foot, dir := *f.meta.Footer, path.Dir(f.dir)
	if foot.Domain = nil; foot.Version < writesFrom {
		if why := s.a.unwritable(); why != "" {
			return nil, errors.New(why)
		}
		foot.Version, foot.SchemaName, dir = writesFrom, foot.Schema.File, s.a.path("__fragments")
	}
	x := s.a.fragmentOf(path.Join(dir, fmt.Sprintf("__%d_%d_%s_%d", f.stamp.from, f.stamp.to, randomHex(), foot.Version)), foot)
	if len(x.slots) != len(f.slots) {
		return nil, fmt.Errorf("its fields do not match version %d", foot.Version)
	}
	return x, nil
}
