package ui

import (
	"context"
	"errors"

	"spandrel/model"
)

// hexPage is the bytes of the visible rows and what each is.
type hexPage struct {
	space   model.SpaceID
	off     int64
	bytes   []byte
	kind    []byteKind
	trouble string
	lost    error // why some of the bytes cannot be read any more
}

// byteKind is what the pane knows of one byte.
type byteKind struct {
	hue      uint8 // 1 + colour number; 0: no span is known
	severity model.Severity
	state    model.State
	edited   bool
	tried    bool // a change that is looked at changes it
	hit      bool // of a search
	gone     bool // it cannot be read any more
	differs  bool // from the document that it is compared with
}

// readHex reads bytes and looks up what each is.
func readHex(ctx context.Context, t *model.Tree, at model.Range, found []model.Finding, edits []model.Changed, hits []model.Range, tints trialView) (hexPage, error) {
	p := hexPage{space: at.Space, off: at.Off}
	var err error
	p.bytes, err = t.Bytes(ctx, at)
	p.kind = make([]byteKind, at.Len)
	if errors.Is(err, model.ErrShrunk) {
		p.bytes, p.lost = make([]byte, at.Len), err
		readLeft(ctx, t, at, p.bytes, p.kind)
	} else if err != nil {
		return p, err
	}
	p.kind = p.kind[:len(p.bytes)]
	mark := func(r model.Range, f func(*byteKind)) {
		for i := max(0, r.Off-at.Off); i < min(r.End()-at.Off, at.Len); i++ {
			f(&p.kind[i])
		}
	}
	t.Cover(at, func(s *model.Span) bool {
		hue := uint8(1 + hueOf(s)%12)
		mark(s.Range, func(k *byteKind) { k.hue, k.state = hue, s.State })
		return ctx.Err() == nil
	})
	for _, e := range edits {
		mark(model.Range{Space: at.Space, Off: e.Off, Len: e.New}, func(k *byteKind) { k.edited = true })
	}
	for _, r := range tints.runsIn(ctx, at, p.bytes) {
		mark(r, func(k *byteKind) { k.tried, k.edited = true, true })
	}
	for _, r := range hits {
		mark(r, func(k *byteKind) { k.hit = true })
	}
	for i := range found {
		if r := found[i].Where(); r.Overlaps(at) && !aboutAll(t, &found[i]) {
			grade := found[i].Grade()
			mark(r, func(k *byteKind) {
				if k.severity == 0 || grade < k.severity {
					k.severity = grade
				}
			})
		}
	}
	return p, ctx.Err()
}

// readLeft reads what is left of bytes of which some are gone, and marks those that are.
func readLeft(ctx context.Context, t *model.Tree, at model.Range, b []byte, kind []byteKind) {
	if sp := t.Space(at.Space); at.Len > 1 && sp != nil && !sp.Derived() {
		if some, err := t.Bytes(ctx, at); err == nil {
			copy(b, some)
			return
		}
		half := at.Len / 2
		readLeft(ctx, t, model.Range{Space: at.Space, Off: at.Off, Len: half}, b[:half], kind[:half])
		readLeft(ctx, t, model.Range{Space: at.Space, Off: at.Off + half, Len: at.Len - half}, b[half:], kind[half:])
		return
	}
	if some, err := t.Bytes(ctx, at); err == nil {
		copy(b, some)
		return
	}
	for i := range kind {
		kind[i].gone = true
	}
}

// aboutAll tells whether a finding is about a whole file or block: it underlines none of its bytes.
func aboutAll(t *model.Tree, f *model.Finding) bool {
	r, sp := f.Where(), t.Space(f.Where().Space)
	return r.Len > 1<<16 || r.Len > 64 && sp != nil && sp.Root != nil && r == sp.Root.Range
}
