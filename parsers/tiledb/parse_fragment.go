package tiledb

import (
	"context"
	"fmt"
	"path"
	"sync"

	"spandrel/model"
	"spandrel/parsers/tiledb/fragment"
)

// frag is a fragment folder.
type frag struct {
	a         *array
	dir, name string
	stamp     stamp
	live      bool
	group     *model.Span            // nil when a file of it was opened alone
	metaAt    *model.Span            // the metadata file
	files     map[string]*model.Span // data files by base name without .tdb
	sized     bool                   // their sizes were compared with the footer
	only      string                 // the field whose file was opened alone

	mu     sync.Mutex
	meta   *fragment.Metadata
	slots  []fragment.Slot
	lists  map[[2]int][]uint64
	listed int // numbers in lists
	spaces map[spaceOf]model.Range
}

func (a *array) newFrag(dir string) *frag {
	name := path.Base(dir)
	return &frag{a: a, dir: dir, name: name, stamp: stampOf(name), files: map[string]*model.Span{}, lists: map[[2]int][]uint64{},
		spaces: map[spaceOf]model.Range{}}
}

// load reads the metadata of the fragment; nil if they cannot be read.
func (f *frag) load(ctx context.Context) *fragment.Metadata {
	if f.group != nil {
		f.a.d.t.Open(ctx, f.group)
	}
	if f.metaAt != nil {
		f.a.d.t.Open(ctx, f.metaAt)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.meta
}

// cut returns n bytes of a tile.
func (f *frag) cut(ctx context.Context, r model.Range, off, n int64) ([]byte, error) {
	if off+n > r.Len {
		return nil, fmt.Errorf("the tile has %d bytes, its cells need %d", r.Len, off+n)
	}
	return f.a.d.t.Bytes(ctx, model.Range{Space: r.Space, Off: r.Off + off, Len: n})
}

// lostMetadata is a fragment whose metadata file is missing.
type lostMetadata struct{ f *frag }

// outdates tells whether the fragment was consolidated from the time of another one.
func outdates(f, x *frag) bool {
	return f != x && f.stamp.from < f.stamp.to && f.stamp.from <= x.stamp.from && x.stamp.to <= f.stamp.to
}
