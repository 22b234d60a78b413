package tiledb

import (
	"context"

	"spandrel/model"
)

// An array may have very many fragments and files of metadata. Reading them all needs little memory if each is read in a
// tree of its own, which is dropped. The schemas and the key are those of the document.

// arrayApart is the array in a tree of its own over a snapshot, with as much of it as read parses.
func arrayApart(ctx context.Context, a *array, snap *model.Snapshot, read func(*array, *model.Cursor)) *array {
	b := &array{schemas: a.schemas, dir: a.dir, frags: map[string]*frag{}}
	b.lock.Key = a.lock.Key
	b.lock.Told.Store(a.lock.Told.Load())
	model.Parse(ctx, snap, &model.Format{Parse: func(c *model.Cursor) {
		b.d = &doc{t: c.Tree(), readKey: a.d.readKey, arrays: map[string]*array{a.dir: b}, inOrder: []*array{b}}
		read(b, c)
	}})
	return b
}

// show makes the fragment a child of its array's frame in a tree of its own.
func (f *frag) show(a *array, c *model.Cursor) {
	x := a.newFrag(f.dir)
	x.live = f.live
	a.own(x)
	x.group = c.Group(fragF.Named("%s", f.name), x.readFolder).Span
}

// fragApart is the fragment in a tree of its own over a snapshot.
func fragApart(ctx context.Context, f *frag, snap *model.Snapshot) *frag {
	return arrayApart(ctx, f.a, snap, f.show).fragList[0]
}
