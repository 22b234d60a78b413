package tiledb

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// commitAgain writes the empty commit files that a copy lost. It is safe if the fragment is whole and no other one repeats its
// cells, because an interrupted vacuum also leaves fragments without commits; and if there are others of another time, because an interrupted write
// leaves one fragment without a commit, with or without an empty folder for it. If no fragment has one, all get theirs at once: with one of them
// TileDB would read an array of a part of the cells.
func commitAgain(ctx context.Context, t *model.Tree, f *model.Finding) []model.Fix {
	x, ok := f.About.(*frag)
	if !ok {
		return buildMetadata(ctx, t, f)
	}
	if m := x.load(ctx); m == nil || !m.Complete { // TileDB could not open an array with this fragment
		return append(x.remove(), buildMetadata(ctx, t, f)...)
	}
	fix := model.Fix{Label: "write the empty commit file", Safe: len(x.a.fragList) > 1 && !outdated(x) && x.whole(ctx)}
	lost := []*frag{x}
	if f.Grade() == model.Error {
		lost = slices.DeleteFunc(slices.Clone(x.a.fragList), func(y *frag) bool { return y != x && (outdated(y) || !y.whole(ctx)) })
		fix.Safe = fix.Safe && slices.ContainsFunc(lost, func(y *frag) bool { return y.stamp.from != x.stamp.from })
		fix.Says = model.Words("The commits of the fragments are missing, so TileDB reads the array as empty. %s of %s fragments are complete.",
			model.Thousands(int64(len(lost))), model.Thousands(int64(len(x.a.fragList))))
	}
	if len(lost) > 1 {
		fix.Label = model.Words("write the empty commit files of %s fragments", model.Thousands(int64(len(lost))))
	}
	for _, y := range lost {
		fix.Edits = append(fix.Edits, model.FileEdit{File: commitFile(y), Create: model.Memory(nil)})
	}
	return []model.Fix{fix}
}

// commitFile is the name of the file that commits a fragment.
func commitFile(f *frag) string {
	if f.stamp.version < 12 {
		return f.a.path(f.name + ".ok")
	}
	return f.a.path("__commits", f.name+".wrt")
}

// outdated tells whether another fragment was consolidated from the time of this one, and perhaps from it.
func outdated(f *frag) bool {
	return slices.ContainsFunc(f.a.fragList, func(y *frag) bool { return outdates(y, f) })
}

// remove removes an unfinished fragment from the array.
func (f *frag) remove() []model.Fix {
	return offer(true, model.Fix{Label: "remove the unfinished fragment", Loses: "the cells of the write that was interrupted", Edits: deleted(f)})
}

// deleted are the edits that delete the files of a fragment; none if something else than files is in its folder.
func deleted(f *frag) (out []model.Edit) {
	list, more, err := f.a.d.t.Snapshot.List(dot(f.dir))
	if err != nil || more || f.dir == "" {
		return nil
	}
	for _, e := range list {
		if !e.Regular {
			return nil
		}
		out = append(out, model.FileEdit{File: e.Name, Delete: true})
	}
	return out
}

// dropMerged removes a consolidated fragment, so that the fragments it replaced count again, or what is left of one that it replaced.
var dropMerged = model.Knowing(func(ctx context.Context, _ *model.Tree, _ *model.Finding, r replaced) []model.Fix {
	s := r.f.a.commits
	fix := model.Fix{Label: "remove the consolidated fragment, its commit and its vacuum file", Once: true, Says: "The " + r.says(ctx) + ".", Edits: deleted(r.f)}
	if fix.Edits == nil || s.named[r.f.name] == "" {
		return nil // a list commits it
	}
	files := []string{s.named[r.f.name], s.merged[r.f.name].file}
	fix.Safe = r.f.load(ctx) != nil
	if r.original { // it may have been written later, with a time of its own
		fix.Safe, fix.Label, files = false, "remove the rest of the fragment, and its commit", files[:1]
	}
	if !r.hold(ctx) {
		fix.Safe, fix.Loses = false, "the cells of the fragment that are in none of the others, if there are any"
	}
	for _, file := range files {
		fix.Edits = append(fix.Edits, model.FileEdit{File: file, Delete: true})
	}
	return []model.Fix{fix}
})

// whole tells whether the footer can be read and every data file exists with the length in it.
func (f *frag) whole(ctx context.Context) bool {
	m := f.load(ctx)
	if m == nil || !m.Complete {
		return false
	}
	for x := range f.dataFiles() {
		if s := x.span(); x.size() > 0 && (s == nil || uint64(s.Range.Len) != x.size()) {
			return false
		}
	}
	return true
}

// renameSchema gives a schema file that no fragment names the name that fragments use.
var renameSchema = model.Knowing(func(ctx context.Context, t *model.Tree, f *model.Finding, schemas *schema.Set) (out []model.Fix) {
	a := model.StateOf[*doc](t).array(schemas.Dir)
	named := schemasNamed(ctx, a.fragList)
	list, _, _ := t.Snapshot.List(a.path("__schema"))
	for _, e := range list {
		base := path.Base(e.Name)
		if !e.Regular || named[base] || strings.HasSuffix(base, ".tmp") {
			continue
		}
		if b := fileBytes(t, e.Name, mostSchema); storage.TileSure(b[:min(len(b), storage.Eager)], int64(len(b))) >= 80 {
			out = append(out, model.Fix{Label: "rename " + base + " to " + f.Found, Safe: len(list) == 1, Copies: true,
				Edits: []model.Edit{model.FileEdit{File: a.path("__schema", f.Found), Create: model.Memory(b)}, model.FileEdit{File: e.Name, Delete: true}}})
		}
	}
	return append(out, takeOut(t, f)...)
})

// takeOut removes a fragment whose schema is missing from an array that has others: it may have been copied there from another array.
func takeOut(t *model.Tree, f *model.Finding) []model.Fix {
	x := fragAt(t, f)
	if x == nil || len(x.a.schemas.Order) == 0 || len(x.a.fragList) < 2 {
		return nil
	}
	fix := model.Fix{Label: "take the fragment out of the array", Loses: "its cells, in case the schema is found again", Edits: deleted(x)}
	if _, err := t.Snapshot.Content(commitFile(x)); err == nil {
		fix.Edits = append(fix.Edits, model.FileEdit{File: commitFile(x), Delete: true})
	}
	return offer(true, fix)
}

// buildMetadata rebuilds the metadata of a fragment from its tiles.
func buildMetadata(ctx context.Context, t *model.Tree, f *model.Finding) []model.Fix {
	x := fragAt(t, f)
	if x == nil {
		return nil
	}
	n, w, err := x.rebuilt(ctx)
	if err != nil {
		return nil
	}
	b, err := w.Metadata(ctx)
	if err != nil {
		return nil
	}
	return []model.Fix{{Label: model.Words("rebuild the metadata from the tiles (%s cells)", model.Thousands(int64(n.Cells()))),
		Loses: "which deletions were applied to its cells, if any",
		Edits: []model.Edit{model.FileEdit{File: path.Join(x.dir, metaFileF.Name), Create: model.Memory(b)}}}}
}

// fragAt is the fragment whose metadata a finding is about, or whose metadata are missing.
func fragAt(t *model.Tree, f *model.Finding) *frag {
	if x, lost := f.About.(lostMetadata); lost {
		return x.f
	} else if x, ok := f.About.(*frag); ok && x.metaAt == nil {
		return x
	}
	d, name := model.StateOf[*doc](t), t.FileName(f.Where())
	if d == nil || f.Span == nil || path.Base(name) != metaFileF.Name {
		return nil
	}
	if x := d.fragOf(path.Dir(name)); x != nil && x.group != nil {
		return x
	}
	return nil
}

// rebuilt reads a fragment without its metadata: tiles are consecutive chains of chunks, and the schema gives their meaning.
// The place of a dense fragment's cells is only in the footer, so that only one that fills the domain can be rebuilt.
func (f *frag) rebuilt(ctx context.Context) (*newFragment, *fragment.Writer, error) {
	a := f.a
	s := a.schemas.Current()
	if s == nil || !s.Evolves() || f.stamp.version < writesFrom || f.stamp.version > againTo {
		return nil, nil, fmt.Errorf("fragments of version %d cannot be rebuilt", f.stamp.version)
	}
	x := a.fragmentOf(f.dir, fragment.Footer{Schema: s, SchemaName: s.File, Version: f.stamp.version, Dense: s.Dense(), Times: f.files["t"] != nil, Deletes: f.files["dt"] != nil})
	x.files = f.files
	n := x.writing()
	key, err := a.d.writingKey(s.Crypt)
	if err != nil {
		return nil, nil, err
	}
	w := rebuilding{x, fragment.NewWriter(n.Draft, key)}
	for slot, s := range n.Files() {
		if err := w.walkField(ctx, slot); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	if len(n.Tiles) == 0 {
		return nil, nil, fmt.Errorf("there is no tile")
	}
	return n, w.Writer, w.Place()
}

// storedTile is a stored tile: its values, and their starts, if the filters keep those.
type storedTile struct{ data, offsets []byte }

// rebuilding is a fragment without its metadata, and the writer that reconstructs them from its files.
type rebuilding struct {
	f *frag
	*fragment.Writer
}

// walkFile reads the tiles of a file of a field, and notes where each begins.
func (w rebuilding) walkFile(ctx context.Context, slot, part int) (tiles []storedTile, err error) {
	name := w.Slots[slot].File + fragment.PartNames[part]
	span := w.f.files[name]
	if span == nil {
		return nil, fmt.Errorf("%s.tdb is missing", name)
	}
	b := fileBytes(w.f.a.d.t, w.f.a.d.t.FileName(span.Range), mostRewritten)
	how := w.Coding(slot, part)
	w.Size[part][slot] = uint64(len(b))
	for at := 0; at < len(b); {
		_, end, err := filter.Chunks(b[at:])
		if err != nil {
			return nil, err
		}
		data, offsets, err := how.Unfilter(ctx, b[at:at+int(end)], mostRewritten)
		if err != nil {
			return nil, err
		}
		w.Starts[part][slot] = append(w.Starts[part][slot], uint64(at))
		tiles = append(tiles, storedTile{data, offsets})
		at += int(end)
	}
	return tiles, nil
}

// walkField reads the tiles of the files of a field.
func (w rebuilding) walkField(ctx context.Context, slot int) error {
	s := &w.Slots[slot]
	var parts [3][]storedTile
	for part := range fragment.PartNames {
		if !s.Has(part) {
			continue
		}
		var err error
		if parts[part], err = w.walkFile(ctx, slot, part); err != nil {
			return err
		}
		if n := len(parts[part]); w.Tiles == nil {
			w.begin(n)
		} else if n != len(w.Tiles) {
			return fmt.Errorf("%d tiles, other files have %d", n, len(w.Tiles))
		}
	}
	for k := range w.Tiles {
		t := &w.Tiles[k].Fields[slot]
		if s.Nullable {
			t.Valid = parts[fragment.Validity][k].data
		}
		if t.Data = parts[fragment.Fixed][k].data; s.Variable() {
			t.Starts, t.Data = parts[fragment.Var][k].texts(t.Data)
			w.VarSizes[slot] = append(w.VarSizes[slot], uint64(len(t.Data)))
		}
	}
	return nil
}

// begin makes as many tiles as the first file has.
func (w rebuilding) begin(tiles int) {
	w.Tiles = make([]fragment.Tile, tiles)
	for k := range w.Tiles {
		w.Tiles[k].Fields = make([]fragment.Cells, len(w.Slots))
	}
}

// texts is where the cells of a tile of variable cells start, and their values; offsets are those of the file of their own.
func (v storedTile) texts(offsets []byte) (starts []int64, values []byte) {
	if v.offsets != nil {
		offsets = v.offsets
	}
	starts = storage.StartsOf(offsets, int64(len(v.data)))
	return starts[:len(starts)-1], v.data
}
