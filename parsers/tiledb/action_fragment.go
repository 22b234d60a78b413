package tiledb

import (
	"context"
	"errors"
	"fmt"
	"path"
	"time"

	"spandrel/model"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/schema"
	"spandrel/parsers/tiledb/storage"
)

// Writing fragments (5) as TileDB itself would. Every file of a new fragment is new; existing files are not touched.

// The oldest and newest version in which fragments are rewritten, and the newest of new ones, which released versions of TileDB read.
const (
	writesFrom = 12
	againTo    = storage.VersionNewest
	writesTo   = versionReleased
)

// newFragment is a fragment to be written, and its folder.
type newFragment struct {
	f *frag
	*fragment.Draft
}

// writing is the fragment prepared for writing, without cells.
func (f *frag) writing() *newFragment {
	return &newFragment{f, &fragment.Draft{Meta: f.meta, Slots: f.slots, Fanout: 10}}
}

// timestamp is a time for something new: later than everything in the array.
func (a *array) timestamp() uint64 {
	now := uint64(time.Now().UnixMilli())
	for _, f := range a.fragList {
		now = max(now, f.stamp.to+1)
	}
	for _, name := range a.schemas.Order {
		now = max(now, stampOf(name).to)
	}
	return now
}

// writingVersion is the version of new fragments: the newest in the array, up to the newest supported one.
func (a *array) writingVersion() uint32 {
	v := uint32(writesFrom)
	if s := a.schemas.Current(); s != nil && s.Version != storage.VersionTrial {
		v = max(v, s.Layout)
	}
	for _, f := range a.fragList {
		v = max(v, min(f.stamp.version, storage.VersionNewest))
	}
	return min(v, writesTo)
}

// addition is cells that are added to an array at a time, by a schema.
type addition struct {
	a   *array
	now uint64
	s   *schema.Schema
}

// adding is an addition later than everything in the array, by its current schema.
func (a *array) adding() addition { return addition{a, a.timestamp(), a.schemas.Current()} }

// draft starts a fragment of the addition.
func (x addition) draft() (*newFragment, error) {
	if why := x.a.unwritable(); why != "" {
		return nil, errors.New(why)
	}
	s, v := x.s, x.a.writingVersion()
	return x.a.fragmentOf(x.a.path("__fragments", fmt.Sprintf("%s_%d", stamped(x.now), v)),
		fragment.Footer{Schema: s, SchemaName: s.File, Version: v, Dense: s.Dense()}).writing(), nil
}

// files are the edits that write the fragment, its metadata and its commit.
func (n *newFragment) files(ctx context.Context) ([]model.Edit, error) {
	edits, err := n.content(ctx)
	if err != nil {
		return nil, err
	}
	commit := n.f.a.path("__commits", n.f.name+".wrt")
	return append(edits, model.FileEdit{File: commit, Create: model.Memory(nil)}), nil
}

// content are the edits that write the data files and the metadata.
func (n *newFragment) content(ctx context.Context) (edits []model.Edit, err error) {
	key, err := n.f.a.d.writingKey(n.Meta.Schema.Crypt)
	if err != nil {
		return nil, err
	}
	w := fragment.NewWriter(n.Draft, key)
	for slot, s := range n.Files() {
		out, err := w.Field(ctx, slot)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		for part, b := range out {
			if b != nil {
				name := path.Join(n.f.dir, s.File+fragment.PartNames[part]+".tdb")
				edits = append(edits, model.FileEdit{File: name, Create: model.Memory(b)})
			}
		}
	}
	meta, err := w.Metadata(ctx)
	return append(edits, model.FileEdit{File: path.Join(n.f.dir, metaFileF.Name), Create: model.Memory(meta)}), err
}
