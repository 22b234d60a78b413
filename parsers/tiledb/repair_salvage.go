package tiledb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"spandrel/model"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/storage"
)

// salvageArray makes a new array of what can still be read: sound files as they are, fragments with damaged tiles without what is damaged, fragments
// without readable metadata from their tiles, and a commit for each.
func salvageArray(ctx context.Context, t *model.Tree) (*model.Salvaged, error) {
	d, ok := t.State.(*doc)
	if !ok || !d.whole() || objectAt(t.Snapshot, ".") != 2 {
		return nil, fmt.Errorf("open the folder of an array: what can be saved of it needs its schema")
	}
	a := d.array("")
	if s := a.schemas.Current(); s == nil {
		other := impliedOf(ctx, a)
		if other == nil {
			return nil, fmt.Errorf("no schema of the array can be read, and its fragments do not tell what their bytes are")
		}
		out, err := salvageArray(ctx, other)
		if err == nil {
			out.Parts = append(out.Parts, model.SalvagedPart{What: "schemas", Of: 1,
				Lost: "the names of dimensions and attributes: types are those with which the stored sums agree, or what values look like"})
		}
		return out, err
	} else if !s.Evolves() {
		return nil, fmt.Errorf("the schema of the array is not one that this program writes")
	}
	out := &rescue{a: a, files: map[string]model.Source{}, blank: map[string]int{}, cells: model.SalvagedPart{What: "cells"}, values: model.SalvagedPart{What: "values of damaged attributes"},
		frags: model.SalvagedPart{What: "fragments", Of: int64(len(a.fragList))}}
	if err := out.copyFolders(t, ".", 0); err != nil {
		return nil, err
	}
	for _, f := range a.fragList {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out.fragment(ctx, f)
	}
	if out.frags.Saved == 0 && out.frags.Of > 0 {
		return nil, fmt.Errorf("no fragment of the array can be read: %s", cutList(out.lost))
	}
	out.frags.Lost, out.cells.Lost = cutList(out.lost), cutList(out.tiles)
	parts := []model.SalvagedPart{out.frags, out.cells}
	if len(out.filled) > 0 {
		out.values.Lost = cutList(out.filled)
		parts = append(parts, out.values)
	}
	return &model.Salvaged{Files: out.files, Parts: append(parts, out.attributes()...)}, nil
}

// rescue is a new array in the making.
type rescue struct {
	a                   *array
	files               map[string]model.Source
	frags, cells        model.SalvagedPart
	values              model.SalvagedPart // of attributes that are lost in some tiles
	blank               map[string]int     // attributes without a value in so many fragments
	lost, tiles, filled []string
}

// attributes says which of them are lost in all fragments.
func (s *rescue) attributes() (out []model.SalvagedPart) {
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

// copyFolders takes over all files but those of fragments and their commits, in folders up to some depth.
func (s *rescue) copyFolders(t *model.Tree, dir string, depth int) error {
	list, more, err := t.Snapshot.List(dir)
	if err != nil || more || depth > 4 {
		return fmt.Errorf("%s cannot be listed as a whole", dir)
	}
	for _, e := range list {
		base := path.Base(e.Name)
		switch {
		case fragmentName().MatchString(base) && e.Dir, path.Ext(base) == ".tmp", path.Ext(base) == ".wrt", path.Ext(base) == ".ok", path.Base(path.Dir(e.Name)) == "__fragment_meta":
		case e.Dir:
			if err := s.copyFolders(t, e.Name, depth+1); err != nil {
				return err
			}
		case e.Regular:
			if c, err := t.Snapshot.Content(e.Name); err == nil {
				s.files[e.Name] = c
			}
		}
	}
	return nil
}

// fragment saves what can be read of a fragment that counts, or that nothing says does not.
func (s *rescue) fragment(ctx context.Context, f *frag) {
	if s.a.commits != nil && s.a.commits.vacuum[f.name].ok {
		s.frags.Of--
		return
	}
	if f.load(ctx) == nil {
		if f.stamp.version > againTo {
			s.asItIs(f) // it is newer than what is read here, and nothing says that it is damaged
			return
		}
		n, w, err := f.rebuilt(ctx)
		if err == nil {
			var b []byte
			if b, err = w.Metadata(ctx); err == nil {
				s.asItIs(f)
				s.files[path.Join(f.dir, metaFileF.Name)] = model.Memory(b)
				s.cells.Saved, s.cells.Of = s.cells.Saved+int64(n.Cells()), s.cells.Of+int64(n.Cells())
				return
			}
		}
		s.lost = append(s.lost, fmt.Sprintf("fragment %s (%v)", f.name, err))
		return
	}
	rows := f.meta.Rows()
	s.cells.Of += rows
	if f.whole(ctx) && everyTile(f, ctx) {
		s.asItIs(f)
		s.cells.Saved += rows - s.doubtful(ctx, f)
		return
	}
	if err := s.tilesOf(ctx, f); err != nil {
		s.lost = append(s.lost, fmt.Sprintf("fragment %s (%v)", f.name, err))
	}
}

// asItIs takes over the files of a fragment, and commits it.
func (s *rescue) asItIs(f *frag) {
	list, _, _ := s.a.d.t.Snapshot.List(dot(f.dir))
	for _, e := range list {
		if c, err := s.a.d.t.Snapshot.Content(e.Name); err == nil && e.Regular {
			s.files[e.Name] = c
		}
	}
	s.commit(f.name, f.stamp.version)
}

func (s *rescue) commit(name string, version uint32) {
	s.frags.Saved++
	switch { // what is written again in a newer version than the array has needs the commit of that
	case s.a.commits != nil && s.a.commits.lines[name].file != "" || version < 5:
	case version < 12:
		s.files[s.a.path(name+".ok")] = model.Memory(nil)
	default:
		s.files[s.a.path("__commits", name+".wrt")] = model.Memory(nil)
	}
}

// everyTile tells whether every tile of the fragment can be read.
func everyTile(f *frag, ctx context.Context) bool {
	tiles, _ := f.meta.Count()
	for k := range tiles {
		for x := range f.fields() {
			if x.stored() {
				if _, err := x.tile(k).whole(ctx); err != nil {
					return false
				}
			}
		}
	}
	return true
}

// doubtful counts the cells of tiles that can be read and do not hold what was written, and notes them. A fragment keeps them as they are: which of
// the values are wrong no one knows.
func (s *rescue) doubtful(ctx context.Context, f *frag) (n int64) {
	tiles, _ := f.meta.Count()
	for k := range tiles {
		wrong := ""
		for x := range f.fields() {
			if at := x.tile(k); x.stored() && at.contradicted(ctx) {
				wrong = x.Name
			}
		}
		if wrong != "" {
			n += f.meta.CellsPerTile(k)
			s.tiles = append(s.tiles, fmt.Sprintf("values of %s in tile %d of fragment %s are not all those that were written, and kept as they are read", wrong, k, f.name))
		}
	}
	return min(n, f.meta.Rows())
}

// contradicted tells whether the cells of the tile are others than were written, as far as the metadata tell: damage that a filter without a checksum
// does not notice makes other values of them.
func (x tile) contradicted(ctx context.Context) bool {
	t, err := x.whole(ctx)
	if err != nil {
		return false
	}
	if n := len(t.Starts); n > 0 && (t.Starts[0] != 0 || !slices.IsSorted(t.Starts) || t.Starts[n-1] > int64(len(t.Data))) {
		return true
	}
	if !x.summed() {
		return false
	}
	what, _, _ := x.repeated(ctx).differs(x.Slot, t.Measure(x.Slot, x.counted()))
	return what != ""
}

// tilesOf saves the tiles of a fragment of which the coordinates and a field can be read: of a sparse one in a fragment of the same name, of a
// dense one each in a fragment of its own, since a fragment fills its box. What cannot be read of the other fields is missing, or the fill value.
func (s *rescue) tilesOf(ctx context.Context, f *frag) error {
	n := f.writing()
	kept, err := n.keep(ctx, f)
	if err != nil {
		return err
	}
	if len(kept.gone) > 0 {
		tiles, _ := f.meta.Count()
		s.tiles = append(s.tiles, fmt.Sprintf("tiles %s of %d of fragment %s", cutList(kept.gone), tiles, f.name))
	}
	for slot, list := range kept.filled {
		if s.blanks(f, slot, list, kept); len(list) == len(kept.tiles) {
			s.blank[f.slots[slot].Name]++
		}
	}
	n.Done, _ = f.conditions(ctx)
	if f.meta.Dense {
		for i, t := range kept.tiles {
			if err := s.denseTile(ctx, f, t, kept.places[i]); err != nil {
				return err
			}
		}
		s.frags.Saved++
		return nil
	}
	if n.Tiles = kept.tiles; f.stamp.version < writesFrom {
		x, err := s.fresh(f)
		if err != nil {
			return err
		}
		n.f, n.Meta, n.Slots = x, x.meta, x.slots
	}
	s.cells.Saved += int64(n.Cells())
	return s.write(ctx, n)
}

// keptTiles are the tiles of a fragment that can be read.
type keptTiles struct {
	tiles  []fragment.Tile
	places []int64    // their numbers
	gone   []string   // those of the others
	filled [][]string // by slot, those of which the values are lost
}

// keep reads what can be read of the tiles of a fragment that is written again.
func (n *newFragment) keep(ctx context.Context, f *frag) (kept keptTiles, err error) {
	kept.filled = make([][]string, len(f.slots))
	tiles, _ := f.meta.Count()
	for k := range tiles {
		t, lost, read := n.readable(ctx, f, k)
		if !read || ctx.Err() != nil {
			kept.gone = append(kept.gone, fmt.Sprint(k))
			continue
		}
		for _, slot := range lost {
			if t.Fields[slot], err = unknown(ctx, f, slot, f.meta.CellsPerTile(k)); err != nil {
				return kept, err
			}
			kept.filled[slot] = append(kept.filled[slot], fmt.Sprint(k))
		}
		n.FindBox(&t, k)
		kept.tiles, kept.places = append(kept.tiles, t), append(kept.places, k)
	}
	if len(kept.tiles) == 0 {
		err = fmt.Errorf("no tile of it can be read")
	}
	return kept, err
}

// readable reads what can be read of a tile of a fragment that is written again, and tells which slots are lost. Nothing is, without its coordinates.
func (n *newFragment) readable(ctx context.Context, f *frag, k int64) (t fragment.Tile, lost []int, ok bool) {
	t.Fields = make([]fragment.Cells, len(f.slots))
	for slot, x := range f.slots {
		if !n.Stored(slot) {
			continue
		}
		var err error
		at := f.tile(slot, k)
		switch t.Fields[slot], err = at.whole(ctx); {
		case err == nil && !at.contradicted(ctx): // written again, wrong values would get sums that agree
			ok = ok || x.Attr != nil || !f.meta.Dense
		case x.Attr == nil:
			return t, nil, false
		default:
			lost = append(lost, slot)
		}
	}
	return t, lost, ok
}

// unknown is n cells of an attribute whose values are lost: missing where they can be, and what cells say that were never written where not.
func unknown(ctx context.Context, f *frag, slot int, n int64) (t fragment.Cells, err error) {
	s := &f.slots[slot]
	v := fillValue(ctx, f.a, s.Attr)
	if s.Nullable && s.Attr.Enum.Text() != "" {
		clear(v.Data) // the package tiledb looks up the label of a missing cell too: its fill value is of none
	}
	if n > mostRewritten/max(8, int64(len(v.Data))) {
		return t, fmt.Errorf("the values of %s are lost in a tile of %s cells, which is too large to be rewritten", s.Name, model.Thousands(n))
	}
	for range n {
		if s.Variable() {
			t.Starts = append(t.Starts, int64(len(t.Data)))
		}
		t.Data = append(t.Data, v.Data...)
	}
	if s.Nullable {
		t.Valid = make([]byte, n)
	}
	return t, nil
}

// blanks notes the tiles in which the values of an attribute are lost, and how many there are in all tiles that are kept.
func (s *rescue) blanks(f *frag, slot int, lost []string, kept keptTiles) {
	if len(lost) == 0 {
		return
	}
	for i, k := range kept.places {
		n := f.meta.CellsPerTile(k)
		for c := range n {
			if in := kept.tiles[i].Inside; in != nil && !in(int(c)) { // it pads a tile of a dense array
				n--
			}
		}
		if s.values.Of += n; !slices.Contains(lost, fmt.Sprint(k)) {
			s.values.Saved += n
		}
	}
	instead := "the fill value"
	if f.slots[slot].Nullable {
		instead = "missing"
	}
	s.filled = append(s.filled, fmt.Sprintf("values of %s in tiles %s of fragment %s, which are %s now", f.slots[slot].Name, strings.Join(lost, ", "), f.name, instead))
}

// write adds a fragment and its commit.
func (s *rescue) write(ctx context.Context, n *newFragment) error {
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

// fresh starts a fragment of the same times as one that is damaged. One of a version that is not written any more gets the oldest that is.
func (s *rescue) fresh(f *frag) (*frag, error) {
	foot, dir := *f.meta.Footer, path.Dir(f.dir)
	if foot.Domain = nil; foot.Version < writesFrom {
		if why := s.a.unwritable(); why != "" {
			return nil, errors.New(why)
		}
		foot.Version, foot.SchemaName, dir = writesFrom, foot.Schema.File, s.a.path("__fragments")
	}
	x := s.a.fragmentOf(path.Join(dir, fmt.Sprintf("__%d_%d_%s_%d", f.stamp.from, f.stamp.to, randomHex(), foot.Version)), foot)
	if len(x.slots) != len(f.slots) {
		return nil, fmt.Errorf("its fields are not those of version %d", foot.Version)
	}
	return x, nil
}

// denseTile adds tile k of a dense fragment as a fragment of its own, of the same times.
func (s *rescue) denseTile(ctx context.Context, f *frag, t fragment.Tile, k int64) error {
	g, ok := f.meta.Grid()
	x, err := s.fresh(f)
	if !ok || err != nil {
		return cmp.Or(err, errors.New("its box makes no tiles"))
	}
	at := make([]uint64, len(g.Dims))
	fragment.Split(uint64(k), g.Count, g.Tiles, at)
	t.Box = nil
	rows := int64(1)
	for i := range g.Dims {
		low := g.Dims[i].Low.Uint() + (g.First[i]+at[i])*g.Extent[i]
		box := [2]model.Value{storage.IntOf(g.Dims[i].Datatype, int64(low)), storage.IntOf(g.Dims[i].Datatype, int64(low+g.Extent[i]-1))}
		from, to := f.meta.Domain[i].Ends()
		if storage.Compare(box[0], from) < 0 {
			box[0] = from
		}
		if storage.Compare(box[1], to) > 0 {
			box[1] = to
		}
		t.Box = append(t.Box, box)
		rows *= int64(storage.Spread(box[0], box[1]) + 1)
	}
	s.cells.Saved += rows
	s.frags.Saved--
	n := x.writing()
	n.Tiles = []fragment.Tile{t}
	return s.write(ctx, n)
}
