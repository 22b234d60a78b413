package tiledb

import (
	"context"
	"encoding/binary"
	"iter"
	"math"
	"path"
	"path/filepath"

	"spandrel/model"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// How long files should be, according to themselves and the footers of their fragments.

// extents are the lengths of data files according to footers, and of generic tiles according to themselves.
func extents(ctx context.Context, t *model.Tree) (out []model.Extent) {
	d := model.StateOf[*doc](t)
	if d == nil {
		return nil
	}
	for _, f := range declared(ctx, t) {
		for x := range f.knownFiles() {
			if x.size() > 0 && !x.misstated() {
				out = append(out, model.Extent{File: x.path(), Title: x.Name, Size: int64(min(x.size(), 1<<62)), Says: "the footer of its fragment gives its length"})
			}
		}
	}
	var lost []model.Extent
	for _, a := range d.inOrder {
		for _, f := range a.fragList[:min(len(a.fragList), mostDeclared)] {
			lost = append(lost, f.lost(ctx)...)
		}
	}
	for _, s := range t.Spaces() {
		if e, ok := d.lengthOf(ctx, s); ok {
			e.File = s.File
			out = append(out, e)
		}
	}
	return append(out, lost...)
}

// lost are missing files that the fragment should have.
func (f *frag) lost(ctx context.Context) (out []model.Extent) {
	a := f.a
	add := func(file string, least int64, says string) {
		out = append(out, model.Extent{File: file, Size: least, Least: true, Says: says})
	}
	if f.stamp.version > 0 && f.stamp.version < 10 && len(a.schemas.Order) == 0 && f.metaAt != nil {
		add(a.path(schema.OldSchema), 1, "arrays of the version of its fragments have one")
	}
	if name := namesSchema(ctx, f, a.d.t); name != "" && filepath.IsLocal(name) && !a.schemas.HasSchema(name) && a.schemas.Misspelt(name) == "" {
		add(a.path("__schema", name), 1, "fragments written with it exist")
	}
	if f.group != nil && f.metaAt == nil && len(f.files) > 0 && !ignored(f) {
		add(path.Join(f.dir, metaFileF.Name), leastFooter, "every fragment has one")
	}
	return out
}

// knownFiles are the data files that the footer of a fragment knows, and other existing ones.
func (f *frag) knownFiles() iter.Seq[dataFile] {
	return func(yield func(dataFile) bool) {
		for x := range f.dataFiles() {
			if (x.size() > 0 && x.legal() || x.span() != nil) && !yield(x) {
				return
			}
		}
	}
}

// misstated tells whether the file is intact, but the footer states a different length.
func (x dataFile) misstated() bool {
	c, err := x.f.a.d.t.Snapshot.Content(x.path())
	return err == nil && uint64(c.Len()) != x.size() && x.chained() == c.Len()
}

// chained is the start of the last of as many consecutive tiles in a file as the fragment has; -1 if they are not consecutive.
// The footer of a dense fragment does not count them: they extend to the end of the file.
func (x dataFile) chained() int64 {
	f := x.f
	c, err := f.a.d.t.Snapshot.Content(x.path())
	if err != nil || f.meta.Tiles > storage.MostChained {
		return -1
	}
	at, b, chunks := int64(0), make([]byte, 8), uint64(1)
	for n := uint64(0); n < f.meta.Tiles || f.meta.Tiles == 0 && at < c.Len() && n < storage.MostChained; n++ {
		if _, err := c.ReadAt(b, at); err != nil {
			return -1
		}
		if chunks = binary.LittleEndian.Uint64(b); chunks > storage.MostChained {
			return -1
		}
		var whole bool
		if at, whole = storage.ChunksEnd(c, at+8, chunks, math.MaxInt64); !whole {
			return -1
		}
	}
	if at > c.Len() || f.meta.Tiles == 0 && chunks == 0 { // a tile without chunks is all zeros, like the padding of a file
		return -1
	}
	return at
}

// lengthOf is how long a file of generic tiles should be: unless header and chunks agree, it is unknown.
func (d *doc) lengthOf(ctx context.Context, s *model.Space) (model.Extent, bool) {
	kind, dir := d.kindOf(s.File)
	c, err := d.t.Snapshot.Content(s.File)
	if err != nil || c.Len() == 0 || s.Derived() || ctx.Err() != nil {
		return model.Extent{}, false
	}
	switch kind {
	case kindTile, kindSchema, kindEnumeration, kindMetadata, kindGroup, kindDelete, kindUpdate:
		end, least := storage.TileEnd(c, 0)
		if c.Len() < storage.LeastTile {
			return model.Extent{Size: end, Least: true, Says: "it is shorter than its header"}, kind != kindTile // it may be any file
		}
		return model.Extent{Size: end, Least: least, Says: "its header gives its length"}, end > 0
	case kindFragment:
		return chainExtent(ctx, c, d.arrays[dir])
	}
	return model.Extent{}, false
}

// chainExtent follows the lists of a fragment, which are consecutive before the footer.
func chainExtent(ctx context.Context, c *model.Content, a *array) (model.Extent, bool) {
	at, n, beyond, least := fragment.ListsEnd(c)
	switch {
	case beyond > 0:
		return model.Extent{Size: beyond, Least: true, Says: "it ends inside a list"}, !least || n > 0 || c.Len() < storage.LeastTile
	case n == 0 || n == storage.MostChained:
		return model.Extent{}, false
	}
	if left := c.Len() - at; left < leastFooter {
		return model.Extent{Size: at + leastFooter, Least: true, Says: "the footer at its end is missing"}, true
	}
	if length := make([]byte, 8); a != nil {
		if _, err := c.ReadAt(length, c.Len()-8); err == nil && int64(binary.LittleEndian.Uint64(length)) == c.Len()-8-at {
			return model.Extent{Size: c.Len(), Says: "its last number gives the length of its footer"}, true // whatever its flags say
		}
		if end, least := fragment.FooterEnd(ctx, a.schemas, c, at); end > 0 && (!least || end > c.Len()) {
			return model.Extent{Size: end, Least: least, Says: "it ends inside its footer"}, true
		}
	}
	return model.Extent{}, false
}

// leastFooter is shorter than any footer: version, two flags, three numbers and the place of the R-tree.
const leastFooter = 4 + 2 + 3*8
