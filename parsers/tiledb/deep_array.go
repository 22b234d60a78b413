package tiledb

import (
	"context"
	"math"
	"slices"
	"strings"

	"spandrel/model"
)

// mostBad is how many fragments, and files of metadata, with findings a deep check adds to the tree.
const mostBad = 256

// part is a fragment or a file of metadata: its place in the tree, how it is read separately, and how it is read in place.
type part struct {
	frag  *frag // nil for metadata
	at    *model.Span
	read  func(*array, *model.Cursor)
	again func()
	found []model.Finding
	err   error
}

// deepArray checks the fragments and the metadata of an array, each separately and several in parallel. Those with findings are read
// again as part of the document's tree; if there are too many, the last ones are only summarised.
func deepArray(ctx context.Context, a *array, p *model.Probe) {
	a.mu.Lock()
	frags, metas := a.fragList, a.metas
	a.mu.Unlock()
	var parts []part
	for _, f := range frags {
		if f.group == nil || f.group.Parent() == nil { // a file or fragment opened alone
			deepFrag(ctx, f, p, false)
			continue
		}
		parts = append(parts, part{frag: f, at: f.group, read: f.show, again: func() { deepFrag(ctx, f, p, false) }})
	}
	parts = append(parts, metadataParts(ctx, a, metas)...)
	p.Each(ctx, "fragments", int64(len(parts)), func(_ context.Context, _ *model.Probe, i int64) error { // an error in one does not end the others
		x := &parts[i]
		if x.found, x.err = deepApart(ctx, a, x.read); x.err == nil && len(x.found) == 0 && ctx.Err() == nil {
			x.at.Sound()
		}
		return ctx.Err()
	})
	bad := 0
	for i := range parts {
		x := &parts[i]
		switch {
		case ctx.Err() != nil:
			return
		case x.err != nil:
			p.Wrong(model.RuleUndecoded, x.at, nil, nil, model.Saying("%s", x.err.Error()))
		case len(x.found) == 0:
		case bad < mostBad:
			bad++
			x.again()
			x.open(ctx, a.d.t)
		default:
			x.at.Sound()
			for _, d := range x.found {
				p.Wrong(d.Rule, x.at, d.Found, d.Expected, model.Saying("%s", d.Path()+": "+d.Text()), model.Graded(d.Severity))
			}
		}
	}
	checkMerged(ctx, a, damagedIn(parts), p)
}

// damagedIn are the fragments of which something cannot be read.
func damagedIn(parts []part) map[*frag]bool {
	out := map[*frag]bool{}
	for _, x := range parts {
		if x.err != nil || slices.ContainsFunc(x.found, func(f model.Finding) bool { return f.Grade() == model.Error }) {
			out[x.frag] = true
		}
	}
	return out
}

// open reads the frames of the document with findings, so that they report them.
func (x *part) open(ctx context.Context, t *model.Tree) {
	for _, d := range x.found {
		if s, err := t.Find(ctx, strings.TrimSuffix(x.at.Path(), x.at.Name())+d.Path()); err == nil {
			t.Open(ctx, s)
		}
	}
}

// metadataParts are the files of the metadata, each by itself.
func metadataParts(ctx context.Context, a *array, metas *model.Span) (parts []part) {
	if metas == nil || a.d.t.Open(ctx, metas) != nil {
		return nil
	}
	for i := range metas.Count() {
		at := metas.Child(i)
		e := model.Entry{Name: a.d.t.FileName(at.Range), Size: at.Range.Len, Regular: true}
		parts = append(parts, part{at: at, again: func() {},
			read: func(b *array, c *model.Cursor) { subfolder{b, "__meta", kindMetadata}.files(c, []model.Entry{e}) }})
	}
	return parts
}

// deepApart checks what read parses in a tree of its own, in which all frames are opened.
func deepApart(ctx context.Context, a *array, read func(*array, *model.Cursor)) (found []model.Finding, err error) {
	snap, done, err := a.d.t.Snapshot.Aside()
	if err != nil {
		return nil, err
	}
	defer done()
	b := arrayApart(ctx, a, snap, read)
	t := b.d.t
	t.Passing()
	for _, f := range b.fragList {
		deepFrag(ctx, f, &model.Probe{Report: t.Report}, true)
	}
	if err := t.Walk(ctx, t.Root, math.MaxInt64); err != nil {
		return nil, err
	}
	found, _ = t.Findings()
	return found, nil
}
