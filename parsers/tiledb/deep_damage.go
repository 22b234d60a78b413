package tiledb

import (
	"context"
	"path"

	"spandrel/model"
	"spandrel/parsers/tiledb/fragment"
)

// For the diagnosis, besides the lengths of files: numbers that several places state.

// mostDeclared is how many fragments contribute to the diagnosis.
const mostDeclared = 64

// declared are fragments whose metadata can be read, those with problems first.
func declared(ctx context.Context, t *model.Tree) (out []*frag) {
	d, ok := t.State.(*doc)
	if !ok {
		return nil
	}
	wrong := map[string]bool{}
	found, _ := t.Findings()
	for i := range found {
		wrong[path.Dir(t.FileName(found[i].Where()))] = true
	}
	for _, has := range []bool{true, false} {
		for _, a := range d.inOrder {
			for _, f := range a.fragList {
				if wrong[f.dir] == has && len(out) < mostDeclared && f.group != nil && f.load(ctx) != nil && f.meta.Complete {
					out = append(out, f)
				}
			}
		}
	}
	return out
}

// quantities are the lengths of data files, which footers and their tiles state, and the numbers of tiles.
func quantities(ctx context.Context, t *model.Tree) (out []model.Quantity) {
	for _, f := range declared(ctx, t) {
		for x := range f.knownFiles() {
			if end, at := x.chained(), f.meta.SizeAt(x.part, x.slot); end >= 0 && at != nil {
				out = append(out, model.Quantity{Name: "bytes of " + path.Base(x.path()), Witnesses: []model.Witness{
					{Text: "the footer", Value: model.U(x.size()), Field: at},
					{Text: "its tiles", Value: model.U(uint64(end))}}})
			}
		}
		if q := (model.Quantity{Name: "tiles", Witnesses: f.tileCounts(ctx)}); len(q.Witnesses) > 2 {
			out = append(out, q)
		}
	}
	return out
}

// tileCounts are the numbers of tiles that the footer, the bounding boxes and every list of a sparse fragment state.
func (f *frag) tileCounts(ctx context.Context) []model.Witness {
	if f.meta.Dense || f.meta.Old != nil || f.meta.TilesAt.Span == nil {
		return nil
	}
	out := []model.Witness{{Text: "the footer", Value: model.U(f.meta.Tiles), Field: f.meta.TilesAt.Span}}
	if deepTree(ctx, f); f.meta.Leaves >= 0 {
		out = append(out, model.Witness{Text: "the bounding boxes", Value: model.U(uint64(f.meta.Leaves))})
	}
	t := f.a.d.t
	for x := range f.stored() {
		p := x.payload(ctx, fragment.TileOffsets)
		if p == nil || t.Open(ctx, p) != nil || p.Get(fragment.ListCount.Name) == nil {
			continue
		}
		n := p.Get(fragment.ListCount.Name)
		if v, err := t.Value(ctx, n); err == nil {
			out = append(out, model.Witness{Text: "the list of tiles of " + x.Name, Value: v, Field: n})
		}
	}
	return out
}
