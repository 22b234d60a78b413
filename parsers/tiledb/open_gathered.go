package tiledb

import (
	"context"
	"path"

	"spandrel/model"
	"spandrel/parsers/tiledb/fragment"
)

// In a store each footer is a request. TileDB can gather those of many fragments in one file, and reads it in their place; so does this program where it saves
// requests. Those that are not gathered are requested together.

// mostAhead is how many footers are requested together.
const mostAhead = 512

// asks tells whether reading the footer of the fragment takes a request.
func (f *frag) asks() bool { return f.a.d.t.Snapshot.Asks(path.Join(f.dir, metaFileF.Name)) }

// soon requests footers of fragments.
func soon(list []*frag) {
	var names []string
	for _, f := range list {
		names = append(names, path.Join(f.dir, metaFileF.Name))
	}
	if len(list) > 0 {
		list[0].a.d.t.Snapshot.Soon(names)
	}
}

// gatheredGlance is a fragment by its gathered footer, if reading its own takes a request.
func gatheredGlance(ctx context.Context, f *frag) (glance, bool) {
	if !f.asks() || f.metaAt == nil && f.group != nil && f.group.Ready() { // without its own file, it is damaged
		return glance{}, false
	}
	a := f.a
	a.gather.Lock()
	defer a.gather.Unlock()
	if a.gathered == nil {
		if readGathered(ctx, a); ctx.Err() != nil {
			a.gathered = nil
		}
	}
	g, ok := a.gathered[f.name]
	g.f = f
	return g, ok
}

// readGathered reads the files of consolidated footers in a tree of their own, of which only glances are kept. The lock gather is held.
func readGathered(ctx context.Context, a *array) {
	a.gathered = map[string]glance{}
	var at []*model.Span
	snap := a.d.t.Snapshot
	b := arrayApart(ctx, a, snap, func(b *array, c *model.Cursor) {
		for _, dir := range []string{a.dir, a.path("__fragment_meta")} {
			list, _, _ := snap.List(dot(dir))
			for _, e := range list {
				if kind, _ := kindOf(e.Name); kind == kindConMeta && e.Regular {
					at = append(at, file{b, kindConMeta, e.Name}.child(c, e))
				}
			}
		}
	})
	b.footer = func(name string, foot *fragment.Footer) {
		name = path.Base(name)
		f := b.newFrag(path.Join(a.path("__fragments"), name))
		f.meta = &fragment.Metadata{Footer: foot}
		f.slots = f.meta.Slots()
		a.gathered[name] = summary(f, f)
	}
	for _, s := range at {
		b.d.t.Open(ctx, s)
	}
}
