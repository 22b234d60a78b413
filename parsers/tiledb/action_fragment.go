package tiledb

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"path"
	"time"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// Writing fragments (5): what TileDB itself would make of a write. Every file of a new fragment is new; nothing that is there is touched.

// The oldest and the newest version in which fragments are written again, and the newest of new ones, which releases of TileDB read.
const (
	writesFrom = 12
	againTo    = versionNewest
	writesTo   = versionReleased
)

// newFragment is a fragment to be written.
type newFragment struct {
	*frag
	tiles  []newTile
	done   []string // delete commits that the cells have gone through
	fanout uint32
}

// newTile is the cells of a tile.
type newTile struct {
	fields []tileField      // by slot; those of slots that are not stored are empty
	box    [][2]model.Value // the least box that holds the cells
	inside func(i int) bool // which cells of a dense tile are data; nil: all
}

// timestamp is a time for something new: later than all that the array has.
func (a *array) timestamp() uint64 {
	now := uint64(time.Now().UnixMilli())
	for _, f := range a.fragList {
		now = max(now, f.stamp.to+1)
	}
	for _, name := range a.order {
		now = max(now, stampOf(name).to)
	}
	return now
}

// writingVersion is the version of new fragments: the newest that the array has, as far as it is written here.
func (a *array) writingVersion() uint32 {
	v := uint32(writesFrom)
	if s := a.current(); s != nil && s.version != versionTrial {
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
	s := a.current()
	id, err := randomHex()
	if err != nil {
		return nil, err
	}
	v := a.writingVersion()
	f := a.newFrag(a.path("__fragments", fmt.Sprintf("__%d_%d_%s_%d", now, now, id, v)))
	f.meta = &fragmentMeta{footer: &footer{schema: s, schemaName: s.file, version: v, dense: s.dense()}}
	f.slots = f.meta.slotList()
	f.meta.slots = len(f.slots)
	return &newFragment{frag: f, fanout: 10}, nil
}

// stored tells whether a slot has files: __coords never has, and dense fragments have no coordinates.
func (n *newFragment) stored(slot int) bool {
	s := &n.slots[slot]
	return !s.coords && (s.dim == nil || !n.meta.dense)
}

// files are the edits that write the fragment, its metadata and its commit.
func (n *newFragment) files(ctx context.Context) ([]model.Edit, error) {
	edits, err := n.content(ctx)
	if err != nil {
		return nil, err
	}
	commit := n.a.path("__commits", n.name+".wrt")
	return append(edits, model.FileEdit{File: commit, Create: model.Memory(nil)}), nil
}

// content are the edits that write the data files and the metadata.
func (n *newFragment) content(ctx context.Context) (edits []model.Edit, err error) {
	key, err := n.a.d.writingKey(n.meta.schema.crypt)
	if err != nil {
		return nil, err
	}
	w := newMetaWriter(n, key)
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
				name := path.Join(n.dir, n.slots[slot].file+partNames[part]+".tdb")
				edits = append(edits, model.FileEdit{File: name, Create: model.Memory(b)})
			}
		}
	}
	meta, err := w.metadata(ctx)
	return append(edits, model.FileEdit{File: path.Join(n.dir, metaFileF.Name), Create: model.Memory(meta)}), err
}

// tile filters tile k of a field and appends it to its files.
func (w *metaWriter) tile(ctx context.Context, out *[3][]byte, slot, k int) error {
	s, t := &w.slots[slot], &w.tiles[k].fields[slot]
	add := func(part int, data []byte) error {
		filters, tile := w.meta.pipeline(&w.slots[slot], part)
		w.starts[part][slot] = append(w.starts[part][slot], uint64(len(out[part])))
		var b []byte
		var err error
		switch {
		case part == fileVar && stringMode(filters, tile) && len(t.starts) > 0:
			b, err = filter.FilterStrings(ctx, filters, tile, w.key, data, t.starts)
		default:
			b, err = filter.FilterTile(ctx, filters, tile, w.key, data)
		}
		if out[part] == nil {
			out[part] = b // tiles may be large
		} else {
			out[part] = append(out[part], b...)
		}
		return err
	}
	w.stats[slot] = append(w.stats[slot], t.measure(s, w.tiles[k].inside))
	if s.nullable {
		if err := add(fileValid, t.valid); err != nil {
			return err
		}
	}
	if !s.variable() {
		return add(fileFixed, t.data)
	}
	w.varSizes[slot] = append(w.varSizes[slot], uint64(len(t.data)))
	var offsets []byte
	if filters, tile := w.meta.pipeline(&w.slots[slot], fileVar); !stringMode(filters, tile) {
		for _, at := range t.starts {
			offsets = binary.LittleEndian.AppendUint64(offsets, uint64(at))
		}
	}
	if err := add(fileFixed, offsets); err != nil {
		return err
	}
	return add(fileVar, t.data)
}
