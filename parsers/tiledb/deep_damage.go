package tiledb

import (
	"context"
	"path"

	"spandrel/model"
	"spandrel/parsers/tiledb/fragment"
)

// What the diagnosis of damage builds on, beside how long files should be: numbers that several places state.

// mostDeclared is how many fragments tell the diagnosis what they know.
const mostDeclared = 64

// declared are the fragments whose metadata can be read.
func declared(ctx context.Context, t *model.Tree) (out []*frag) {
	d, ok := t.State.(*doc)
	if !ok {
		return nil
	}
	for _, a := range d.inOrder {
		for _, f := range a.fragList {
			if len(out) < mostDeclared && f.group != nil && f.load(ctx) != nil && f.meta.Complete {
				out = append(out, f)
			}
		}
	}
	return out
}

// quantities are the numbers of tiles, which footer, bounding boxes and every list state.
func quantities(ctx context.Context, t *model.Tree) (out []model.Quantity) {
	for _, f := range declared(ctx, t) {
		f.eachFile(func(slot, part int, name string) {
			if end := f.chained(name); end >= 0 && f.meta.SizeAt(part, slot) != nil {
				out = append(out, model.Quantity{Name: "bytes of " + path.Base(name), Witnesses: []model.Witness{
					{Text: "the footer", Value: model.U(f.meta.Size[part][slot]), Field: f.meta.SizeAt(part, slot)},
					{Text: "its tiles", Value: model.U(uint64(end))}}})
			}
		})
		if f.meta.Dense || f.meta.Old != nil || f.meta.TilesAt.Span == nil {
			continue
		}
		q := model.Quantity{Name: "tiles", Witnesses: []model.Witness{{Text: "the footer", Value: model.U(f.meta.Tiles), Field: f.meta.TilesAt.Span}}}
		if deepTree(ctx, f); f.meta.Leaves >= 0 {
			q.Witnesses = append(q.Witnesses, model.Witness{Text: "the bounding boxes", Value: model.U(uint64(f.meta.Leaves))})
		}
		for slot := range f.slots {
			if slot >= len(f.meta.Size[fragment.Fixed]) || f.meta.Size[fragment.Fixed][slot] == 0 {
				continue
			}
			if p := f.listPayload(ctx, fragment.TileOffsets, slot); p != nil && t.Open(ctx, p) == nil {
				if n := p.Get(fragment.ListCount.Name); n != nil {
					v, err := t.Value(ctx, n)
					if err == nil {
						q.Witnesses = append(q.Witnesses, model.Witness{Text: "the list of tiles of " + f.slots[slot].Name, Value: v, Field: n})
					}
				}
			}
		}
		if len(q.Witnesses) > 2 {
			out = append(out, q)
		}
	}
	return out
}
