package tiledb

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// commitAgain writes the empty commit file that a copy left behind. It is safe where the fragment is whole and no other one repeats its
// cells: a vacuum that was interrupted leaves fragments without commits too.
func commitAgain(ctx context.Context, t *model.Tree, f *model.Finding) []model.Fix {
	x, ok := f.About.(*frag)
	if !ok {
		return buildMetadata(ctx, t, f)
	}
	at := x.a.path("__commits", x.name+".wrt")
	if x.stamp.version < 12 {
		at = x.a.path(x.name + ".ok")
	}
	if m := x.load(ctx); m == nil || !m.complete { // TileDB could not open an array that counts it
		return x.remove()
	}
	fix := model.Fix{Label: "write the empty commit file", Edits: []model.Edit{model.FileEdit{File: at, Create: model.Memory(nil)}}}
	repeated := slices.ContainsFunc(x.a.fragList, func(y *frag) bool {
		return y != x && y.stamp.from < y.stamp.to && y.stamp.from <= x.stamp.from && x.stamp.to <= y.stamp.to
	})
	fix.Safe = !repeated && x.whole(ctx)
	return []model.Fix{fix}
}

// remove takes a fragment that was not finished out of the array.
func (f *frag) remove() []model.Fix {
	list, more, err := f.a.d.t.Snapshot.List(dot(f.dir))
	if err != nil || more || f.dir == "" || len(list) == 0 {
		return nil
	}
	fix := model.Fix{Label: "remove the unfinished fragment", Loses: "the cells of the write that was interrupted"}
	for _, e := range list {
		if !e.Regular {
			return nil
		}
		fix.Edits = append(fix.Edits, model.FileEdit{File: e.Name, Delete: true})
	}
	return []model.Fix{fix}
}

// whole tells whether the footer can be read and every data file is there, as long as it says.
func (f *frag) whole(ctx context.Context) bool {
	m := f.load(ctx)
	if m == nil || !m.complete {
		return false
	}
	for slot := range f.slots {
		for part, suffix := range partNames {
			if slot >= len(m.size[part]) || m.size[part][slot] == 0 {
				continue
			}
			if s := f.files[f.slots[slot].file+suffix]; s == nil || uint64(s.Range.Len) != m.size[part][slot] {
				return false
			}
		}
	}
	return true
}

// renameSchema gives a schema file the name that fragments know it by, where there is one that no fragment names.
func renameSchema(ctx context.Context, t *model.Tree, f *model.Finding) []model.Fix {
	schemas, ok := f.About.(*schemaSet)
	d := model.StateOf[*doc](t)
	if !ok || d == nil {
		return nil
	}
	a := d.array(schemas.dir)
	named := map[string]bool{}
	for _, x := range a.fragList {
		if m := x.load(ctx); m != nil {
			named[m.schemaName] = true
		}
	}
	list, _, _ := t.Snapshot.List(a.path("__schema"))
	var found []model.Entry
	for _, e := range list {
		base := path.Base(e.Name)
		if !e.Regular || named[base] || strings.HasSuffix(base, ".tmp") {
			continue
		}
		if b := fileBytes(t, e.Name, mostSchema); tileSure(b[:min(len(b), eager)], int64(len(b))) >= 80 {
			found = append(found, e)
		}
	}
	var out []model.Fix
	for _, e := range found {
		to := a.path("__schema", f.Found)
		out = append(out, model.Fix{Label: "rename " + path.Base(e.Name) + " to " + f.Found, Safe: len(list) == 1, Copies: true,
			Edits: []model.Edit{model.FileEdit{File: to, Create: model.Memory(fileBytes(t, e.Name, mostSchema))}, model.FileEdit{File: e.Name, Delete: true}}})
	}
	return out
}

// fileBytes are up to most bytes of a file of the folder; nil when they cannot be read.
func fileBytes(t *model.Tree, name string, most int64) []byte {
	c, err := t.Snapshot.Content(name)
	if err != nil || c.Len() > most {
		return nil
	}
	b := make([]byte, c.Len())
	if _, err := c.ReadAt(b, 0); err != nil && len(b) > 0 {
		return nil
	}
	return b
}

// buildMetadata makes the metadata of a fragment anew from its tiles.
func buildMetadata(ctx context.Context, t *model.Tree, f *model.Finding) []model.Fix {
	x := fragAt(t, f)
	if x == nil {
		return nil
	}
	n, w, err := x.rebuilt(ctx)
	if err != nil {
		return nil
	}
	b, err := w.metadata(ctx)
	if err != nil {
		return nil
	}
	return []model.Fix{{Label: model.Words("build the metadata again from the tiles (%s cells)", model.Thousands(int64(n.cells()))),
		Loses: "which deletions its cells have gone through, if there were any",
		Edits: []model.Edit{model.FileEdit{File: path.Join(x.dir, metaFileF.Name), Create: model.Memory(b)}}}}
}

// fragAt is the fragment whose metadata a finding is about, or whose metadata are gone.
func fragAt(t *model.Tree, f *model.Finding) *frag {
	d, ok := t.State.(*doc)
	if x, lost := f.About.(lostMetadata); lost {
		return x.f
	}
	if !ok || f.Span == nil {
		return nil
	}
	name := t.FileName(f.Where())
	if path.Base(name) != metaFileF.Name {
		return nil
	}
	_, dir := d.kindOf(name)
	a := d.array(dir)
	i := slices.IndexFunc(a.fragList, func(x *frag) bool { return x.dir == path.Dir(name) })
	if i < 0 || a.fragList[i].group == nil {
		return nil
	}
	return a.fragList[i]
}

// rebuilt reads a fragment without its metadata: tiles are chains of chunks, one behind the other, and the schema says what is in them.
// Where cells of a dense fragment lie is written in the footer alone, so that only one that fills the domain can be built.
func (f *frag) rebuilt(ctx context.Context) (*newFragment, *metaWriter, error) {
	a := f.a
	s := a.schemas.current()
	if s == nil || !s.evolves() || f.stamp.version < writesFrom || f.stamp.version > againTo {
		return nil, nil, fmt.Errorf("fragments of version %d are not built again", f.stamp.version)
	}
	x := a.newFrag(f.dir)
	x.files = f.files
	foot := &footer{schema: s, schemaName: s.file, version: f.stamp.version, dense: s.dense(), times: f.files["t"] != nil, deletes: f.files["dt"] != nil}
	x.meta = &fragmentMeta{footer: foot}
	x.slots = x.meta.slotList()
	n := x.writing()
	key, err := a.d.writingKey(s.crypt)
	if err != nil {
		return nil, nil, err
	}
	w := newMetaWriter(n.draft, key)
	for slot := range x.slots {
		if !n.stored(slot) {
			continue
		}
		if err := x.walkField(ctx, w, slot); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", x.slots[slot].name, err)
		}
	}
	if len(n.tiles) == 0 {
		return nil, nil, fmt.Errorf("there is no tile")
	}
	return n, w, w.place()
}

// walkField reads the tiles of the files of a field.
func (x *frag) walkField(ctx context.Context, w *metaWriter, slot int) error {
	s := &w.slots[slot]
	var parts [3][][2][]byte // values and offsets of each tile
	for part, suffix := range partNames {
		if part == fileVar && !s.variable() || part == fileValid && !s.nullable {
			continue
		}
		span := x.files[s.file+suffix]
		if span == nil {
			return fmt.Errorf("%s%s.tdb is missing", s.file, suffix)
		}
		b := fileBytes(x.a.d.t, x.a.d.t.FileName(span.Range), mostRewritten)
		filters, tile := w.meta.pipeline(&w.slots[slot], part)
		w.size[part][slot] = uint64(len(b))
		for at := 0; at < len(b); {
			_, end, err := filter.Chunks(b[at:])
			if err != nil {
				return err
			}
			data, offsets, err := filter.UnfilterTile(ctx, filters, tile, w.key, b[at:at+int(end)], mostRewritten)
			if err != nil {
				return err
			}
			w.starts[part][slot] = append(w.starts[part][slot], uint64(at))
			parts[part] = append(parts[part], [2][]byte{data, offsets})
			at += int(end)
		}
	}
	if len(w.tiles) == 0 {
		w.tiles = make([]newTile, len(parts[fileFixed]))
		for k := range w.tiles {
			w.tiles[k].fields = make([]tileField, len(w.slots))
		}
	}
	for part := range parts {
		if n := len(parts[part]); parts[part] != nil && n != len(w.tiles) {
			return fmt.Errorf("%d tiles, other files have %d", n, len(w.tiles))
		}
	}
	for k := range w.tiles {
		t := &w.tiles[k].fields[slot]
		t.data = parts[fileFixed][k][0]
		if s.nullable {
			t.valid = parts[fileValid][k][0]
		}
		if s.variable() {
			raw := t.data
			if t.data = parts[fileVar][k][0]; parts[fileVar][k][1] != nil {
				raw = parts[fileVar][k][1]
			}
			starts := startsOf(raw, int64(len(t.data)))
			t.starts = starts[:len(starts)-1]
			w.varSizes[slot] = append(w.varSizes[slot], uint64(len(t.data)))
		}
	}
	return nil
}
