package tiledb

import (
	"context"
	"errors"
	"fmt"
	"path"
	"time"

	"spandrel/model"
)

// Writing fragments (5): what TileDB itself would make of a write. Every file of a new fragment is new; nothing that is there is touched.

// The oldest and the newest version in which fragments are written again, and the newest of new ones, which releases of TileDB read.
const (
	writesFrom = 12
	againTo    = versionNewest
	writesTo   = versionReleased
)

// newFragment is a fragment to be written, and where.
type newFragment struct {
	f *frag
	*draft
}

// writing is the fragment as one to be written, of which there are no cells yet.
func (f *frag) writing() *newFragment {
	return &newFragment{f, &draft{meta: f.meta, slots: f.slots, fanout: 10}}
}

// timestamp is a time for something new: later than all that the array has.
func (a *array) timestamp() uint64 {
	now := uint64(time.Now().UnixMilli())
	for _, f := range a.fragList {
		now = max(now, f.stamp.to+1)
	}
	for _, name := range a.schemas.order {
		now = max(now, stampOf(name).to)
	}
	return now
}

// writingVersion is the version of new fragments: the newest that the array has, as far as it is written here.
func (a *array) writingVersion() uint32 {
	v := uint32(writesFrom)
	if s := a.schemas.current(); s != nil && s.version != versionTrial {
		v = max(v, s.layout)
	}
	for _, f := range a.fragList {
		v = max(v, min(f.stamp.version, versionNewest))
	}
	return min(v, writesTo)
}

// draft starts a fragment of the current schema at a time.
func (a *array) draft(now uint64) (*newFragment, error) {
	if why := a.unwritable(); why != "" {
		return nil, errors.New(why)
	}
	s := a.schemas.current()
	id, err := randomHex()
	if err != nil {
		return nil, err
	}
	v := a.writingVersion()
	f := a.newFrag(a.path("__fragments", fmt.Sprintf("__%d_%d_%s_%d", now, now, id, v)))
	f.meta = &fragmentMeta{footer: &footer{schema: s, schemaName: s.file, version: v, dense: s.dense()}}
	f.slots = f.meta.slotList()
	f.meta.slots = len(f.slots)
	return f.writing(), nil
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
	key, err := n.f.a.d.writingKey(n.meta.schema.crypt)
	if err != nil {
		return nil, err
	}
	w := newMetaWriter(n.draft, key)
	for slot := range n.slots {
		if !n.stored(slot) {
			continue
		}
		var out [3][]byte
		for k := range n.tiles {
			if err := w.tile(ctx, &out, slot, k); err != nil {
				return nil, fmt.Errorf("%s: %w", n.slots[slot].name, err)
			}
		}
		for part, b := range out {
			if w.size[part][slot] = uint64(len(b)); b != nil {
				name := path.Join(n.f.dir, n.slots[slot].file+partNames[part]+".tdb")
				edits = append(edits, model.FileEdit{File: name, Create: model.Memory(b)})
			}
		}
	}
	meta, err := w.metadata(ctx)
	return append(edits, model.FileEdit{File: path.Join(n.f.dir, metaFileF.Name), Create: model.Memory(meta)}), err
}
