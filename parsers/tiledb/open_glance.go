package tiledb

import (
	"context"
	"path"
	"slices"

	"spandrel/model"
)

// glances examines all fragments, on all cores, and returns the readable ones.
func glances(ctx context.Context, a *array) (out []glance) {
	a.mu.Lock()
	list := a.fragList
	a.mu.Unlock()
	found := make([]glance, len(list))
	for at := 0; at < len(list); at += mostAhead {
		part := list[at:min(len(list), at+mostAhead)]
		soon(slices.DeleteFunc(slices.Clone(part), func(f *frag) bool { _, gathered := gatheredGlance(ctx, f); return gathered }))
		(&model.Probe{Report: a.d.t.Report}).Each(ctx, "", int64(len(part)), func(ctx context.Context, _ *model.Probe, i int64) error {
			found[at+int(i)] = glanceAt(ctx, part[i])
			return ctx.Err()
		})
	}
	for _, g := range found {
		if g.schema != nil {
			out = append(out, g)
		}
	}
	return out
}

// glanceAt reads the footer separately. Fragments before version 5, whose footer may be elsewhere, and those with long footers become part of the
// document's tree.
func glanceAt(ctx context.Context, f *frag) glance {
	f.mu.Lock()
	m := f.meta
	f.mu.Unlock()
	if g, ok := gatheredGlance(ctx, f); m == nil && ok {
		return g
	}
	if m == nil && f.stamp.version > 0 {
		if x := footerApart(ctx, f); x != nil {
			return summary(x, f)
		}
	}
	if f.load(ctx) == nil {
		return glance{}
	}
	return summary(f, f)
}

// footerApart is the fragment in a tree of its own, which is dropped, with the footer at the end of its metadata file; nil if there is none.
func footerApart(ctx context.Context, f *frag) *frag {
	const ends = 16 << 10
	name := path.Join(f.dir, metaFileF.Name)
	content, err := f.a.d.t.Snapshot.Ends(name, ends)
	if err != nil {
		return nil
	}
	x := fragApart(ctx, f, new(model.Snapshot).With(name, content))
	if m := x.load(ctx); m == nil || m.Self.Span == nil || m.Self.Range.Len >= ends {
		return nil
	}
	return x
}

// mostSized is how many fragments are compared with their footers when an array is opened. If each takes a request, they are compared if there are at most mostAsked.
const (
	mostSized = 64
	mostAsked = 6
)

// checkSizes compares the sizes of the data files with the footers, so that a truncated file is noticed before anyone reads cells.
func checkSizes(c *model.Cursor, a *array) {
	list := a.fragList[:min(len(a.fragList), mostSized)]
	if len(list) > 0 && list[0].asks() {
		if len(list) > mostAsked {
			return // a check compares them
		}
		soon(list)
	}
	for _, f := range list {
		if len(a.fragList) > mostLoaded && f.fits(c.Context()) {
			f.sized = true
			continue
		}
		if f.load(c.Context()) == nil {
			continue
		}
		for x := range f.dataFiles() {
			if at := x.span(); at != nil {
				reportSize(c, x, at)
			}
		}
		f.sized = true
	}
}

// compareSizes compares the lengths of the data files of all fragments whose footers take requests.
func compareSizes(ctx context.Context, t *model.Tree) error {
	d, ok := t.State.(*doc)
	if !ok {
		return nil
	}
	d.mu.Lock()
	arrays := d.inOrder
	d.mu.Unlock()
	for _, a := range arrays {
		a.mu.Lock()
		list := a.fragList
		a.mu.Unlock()
		for part := range slices.Chunk(list, mostAhead) {
			part = slices.DeleteFunc(slices.Clone(part), func(f *frag) bool { return f.sized || !f.asks() })
			soon(part)
			(&model.Probe{Report: t.Report}).Each(ctx, "", int64(len(part)), func(ctx context.Context, _ *model.Probe, i int64) error {
				compareSize(ctx, t, part[i])
				return ctx.Err()
			})
		}
	}
	return ctx.Err()
}

// compareSize reports data files of a fragment that have wrong lengths, which opening them does.
func compareSize(ctx context.Context, t *model.Tree, f *frag) {
	if f.fits(ctx) || f.load(ctx) == nil {
		return
	}
	for x := range f.dataFiles() {
		if at := x.span(); at != nil {
			t.Open(ctx, at)
		}
	}
}

// fits tells whether the data files of the fragment have the lengths in its footer, without making it part of the tree.
func (f *frag) fits(ctx context.Context) bool {
	list, more, err := f.a.d.t.Snapshot.List(dot(f.dir))
	x := footerApart(ctx, f)
	if err != nil || more || x == nil || !x.meta.Complete {
		return false
	}
	sizes := map[string]uint64{}
	for _, e := range list {
		sizes[path.Base(e.Name)] = uint64(e.Size)
	}
	for file := range x.dataFiles() {
		if sizes[file.name()+".tdb"] != file.size() {
			return false
		}
	}
	return true
}
