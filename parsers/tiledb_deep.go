package parsers

import (
	"bytes"
	"context"

	"spandrel/model"
)

// deep reads all tiles of a fragment and compares the files of each field with each other.
func (f *tdbFrag) deep(ctx context.Context, p *model.Probe) {
	f.deepTree(ctx)
	tiles, _ := f.count()
	for slot := range f.slots {
		s := &f.slots[slot]
		if slot >= len(f.meta.size[tdbFixed]) || f.meta.size[tdbFixed][slot] == 0 {
			continue
		}
		if n := len(f.list(ctx, tdbLTiles, slot)); tiles > 0 && int64(n) != tiles {
			p.Report(model.Diagnostic{Rule: tdb(169), Span: f.metaAt, Found: tdbText(n) + " tiles of " + s.name, Expected: tdbText(tiles)})
			continue
		}
		for k := range tiles {
			if ctx.Err() != nil {
				return
			}
			f.deepTile(ctx, p, slot, k)
		}
	}
}

// deepTree reads the R-tree, which reports when its leaves are not the tiles.
func (f *tdbFrag) deepTree(ctx context.Context) {
	t := f.a.d.t
	if f.meta.listsAt.Span == nil || t.Open(ctx, f.meta.listsAt.Span) != nil || f.meta.tree.Span == nil || t.Open(ctx, f.meta.tree.Span) != nil {
		return
	}
	if payload := f.meta.tree.Get(tdbPayloadF.Name); payload != nil {
		t.Open(ctx, payload)
	}
}

func (f *tdbFrag) deepTile(ctx context.Context, p *model.Probe, slot int, k int64) {
	s, t, cells := &f.slots[slot], f.a.d.t, f.cellsPerTile(k)
	r, err := f.space(ctx, tdbPlaceOf{slot: slot, part: tdbFixed, tile: k})
	if err != nil {
		return // opening the tile has reported why
	}
	if n := s.cell(); !s.variable() && r.Len != cells*n && cells > 0 {
		p.Report(model.Diagnostic{Rule: tdb(169), Range: r, Span: t.Space(r.Space).Root, Found: tdbText(r.Len) + " bytes", Expected: tdbText(cells * n)})
	}
	if s.variable() {
		f.deepOffsets(ctx, p, slot, k, cells)
	}
	var valid []byte
	if s.nullable {
		v, err := f.space(ctx, tdbPlaceOf{slot: slot, part: tdbValid, tile: k})
		if err != nil {
			return
		}
		if valid, err = t.Bytes(ctx, v); err != nil {
			return
		}
		root := t.Space(v.Space).Root
		if v.Len != cells && cells > 0 {
			p.Report(model.Diagnostic{Rule: tdb(169), Range: v, Span: root, Found: tdbText(v.Len) + " bytes", Expected: tdbText(cells)})
		}
		if i := bytes.IndexFunc(valid, func(r rune) bool { return r > 1 }); i >= 0 {
			p.Report(model.Diagnostic{Rule: tdb(175), Range: model.Range{Space: v.Space, Off: int64(i), Len: 1}, Span: root, Found: tdbText(valid[i]), Expected: "0 or 1"})
		}
	}
	if s.attr != nil && s.attr.enum.Text() != "" && !s.variable() {
		f.deepEnum(ctx, p, s, r, valid)
	}
}

// deepOffsets checks the offsets of the variable cells of a tile against its values.
func (f *tdbFrag) deepOffsets(ctx context.Context, p *model.Probe, slot int, k, cells int64) {
	t := f.a.d.t
	values, err := f.space(ctx, tdbPlaceOf{slot: slot, part: tdbVar, tile: k})
	if err != nil {
		return
	}
	if sizes := f.list(ctx, tdbLVarSizes, slot); k < int64(len(sizes)) && sizes[k] != uint64(values.Len) {
		p.Report(model.Diagnostic{Rule: tdb(172), Range: values, Span: t.Space(values.Space).Root, Found: tdbText(values.Len) + " bytes", Expected: tdbText(sizes[k])})
	}
	place := tdbPlaceOf{slot: slot, part: tdbFixed, tile: k}
	if filters, tile := f.pipeline(slot, tdbVar); f.stringMode(filters, tile) {
		place = tdbPlaceOf{slot: slot, part: tdbVar, tile: k, offsets: true}
	}
	r, err := f.space(ctx, place)
	if err != nil {
		return
	}
	root := t.Space(r.Space).Root
	if r.Len != cells*8 && cells > 0 {
		p.Report(model.Diagnostic{Rule: tdb(169), Range: r, Span: root, Found: tdbText(r.Len) + " bytes", Expected: tdbText(cells * 8)})
	}
	b, err := t.Bytes(ctx, r)
	if err != nil {
		return
	}
	last := uint64(0)
	for i := range len(b) / 8 {
		at := tdbUint(b[8*i:], 8)
		if at < last || at > uint64(values.Len) || i == 0 && at != 0 {
			p.Report(model.Diagnostic{Rule: tdb(172), Range: model.Range{Space: r.Space, Off: int64(8 * i), Len: 8}, Span: root, Found: tdbText(at), Expected: "ascending from 0, at most " + tdbText(values.Len)})
			return
		}
		last = at
	}
}

// deepEnum checks that cells are indexes of values that there are. Null cells and fill values say nothing.
func (f *tdbFrag) deepEnum(ctx context.Context, p *model.Probe, s *tdbSlot, r model.Range, valid []byte) {
	e := f.a.newestEnumeration(ctx, s.attr.enum.Text())
	if e == nil || s.cell() == 0 {
		return
	}
	size := int(s.cell())
	t := f.a.d.t
	var fill []byte
	if s.attr.fill.Span != nil {
		fill, _ = t.Bytes(ctx, s.attr.fill.Range)
	}
	b, err := t.Bytes(ctx, r)
	if err != nil {
		return
	}
	for i := 0; i+size <= len(b); i += size {
		if v := tdbUint(b[i:], size); v >= uint64(e.count()) && !bytes.Equal(b[i:i+size], fill) && (i/size >= len(valid) || valid[i/size] != 0) && !f.meta.dense {
			p.Report(model.Diagnostic{Rule: tdb(176), Range: model.Range{Space: r.Space, Off: int64(i), Len: int64(size)}, Span: t.Space(r.Space).Root, Found: tdbText(v), Expected: "less than " + tdbText(e.count())})
			return
		}
	}
}

// newestEnumeration is an enumeration as the current schema has it: it may have grown since a fragment was written.
func (a *tdbArray) newestEnumeration(ctx context.Context, name string) *tdbEnumeration {
	if s := a.current(); s != nil {
		return a.enumeration(ctx, s, name)
	}
	return nil
}
