package tiledb

import (
	"context"
	"math"
	"strings"

	"spandrel/model"
)

// Of some things an array has very many: fragments, files of metadata. To read them all costs little memory when each is read in a
// tree of its own, which is dropped. The schemas and the key are those of the document.

// apart is the array in a tree of its own over a snapshot, with as much of it as read lays out.
func arrayApart(ctx context.Context, a *array, snap *model.Snapshot, read func(*array, *model.Cursor)) *array {
	b := &array{schemaSet: a.schemaSet, dir: a.dir, frags: map[string]*frag{}}
	b.lockTold.Store(a.lockTold.Load())
	model.Parse(ctx, snap, &model.Format{Parse: func(c *model.Cursor) {
		b.d = &doc{t: c.Tree(), readKey: a.d.readKey, arrays: map[string]*array{a.dir: b}, inOrder: []*array{b}}
		read(b, c)
	}})
	return b
}

// show makes the fragment a child of the frame of its array in a tree of its own.
func (f *frag) show(a *array, c *model.Cursor) {
	x := a.newFrag(f.dir)
	x.live = f.live
	a.frags[f.dir], a.fragList = x, []*frag{x}
	x.group = c.Group(fragF.Named("%s", f.name), x.readFolder).Span
}

// apart is the fragment in a tree of its own over a snapshot.
func fragApart(ctx context.Context, f *frag, snap *model.Snapshot) *frag {
	return arrayApart(ctx, f.a, snap, f.show).fragList[0]
}

// mostBad is how many fragments, and files of metadata, with findings a deep check makes part of the tree.
const mostBad = 256

// deep checks the fragments and the metadata of an array one after the other, each apart. Where something is wrong they are read
// again as part of the document's tree; when that is in too many places, the last ones say what it is without being read.
func deepArray(ctx context.Context, a *array, p *model.Probe) {
	a.mu.Lock()
	frags, metas := a.fragList, a.metas
	a.mu.Unlock()
	bad := 0
	check := func(at *model.Span, read func(*array, *model.Cursor), again func()) {
		found, err := deepApart(ctx, a, read)
		switch {
		case ctx.Err() != nil:
		case err != nil:
			p.Wrong(model.RuleUndecoded, at, nil, nil, model.Saying("%s", err.Error()))
		case len(found) == 0:
			at.Sound()
		case bad < mostBad:
			bad++
			again()
			for _, d := range found { // reading a frame reports what is wrong there
				if s, err := a.d.t.Find(ctx, strings.TrimSuffix(at.Path(), at.Name())+d.Path()); err == nil {
					a.d.t.Open(ctx, s)
				}
			}
		default:
			at.Sound()
			for _, d := range found {
				p.Wrong(d.Rule, at, d.Found, d.Expected, model.Saying("%s", d.Path()+": "+d.Text()), model.Graded(d.Severity))
			}
		}
	}
	for i, f := range frags {
		if p.Progress(int64(i), int64(len(frags)), f.name); ctx.Err() != nil {
			return
		}
		if f.group == nil || f.group.Parent() == nil { // a file or a fragment that was opened alone
			deepFrag(ctx, f, p)
			continue
		}
		check(f.group, f.show, func() { deepFrag(ctx, f, p) })
	}
	if metas == nil || a.d.t.Open(ctx, metas) != nil {
		return
	}
	for i := int64(0); i < metas.Count() && ctx.Err() == nil; i++ {
		at := metas.Child(i)
		e := model.Entry{Name: a.d.t.FileName(at.Range), Size: at.Range.Len, Regular: true}
		check(at, func(b *array, c *model.Cursor) { b.listFiles(c, []model.Entry{e}, kindMetadata) }, func() {})
	}
}

// deepApart checks what read lays out in a tree of its own, where all frames are opened.
func deepApart(ctx context.Context, a *array, read func(*array, *model.Cursor)) (found []model.Finding, err error) {
	snap, done, err := a.d.t.Snapshot.Aside()
	if err != nil {
		return nil, err
	}
	defer done()
	b := arrayApart(ctx, a, snap, read)
	t := b.d.t
	for _, f := range b.fragList {
		deepFrag(ctx, f, &model.Probe{Report: t.Report})
	}
	if err := t.Walk(ctx, t.Root, math.MaxInt64); err != nil {
		return nil, err
	}
	found, _ = t.Findings()
	return found, nil
}
