package bytes

import (
	"context"
	"errors"

	"spandrel/model"
	"spandrel/ui/doc"
)

// hexPage is the visible bytes with their meaning.
type hexPage struct {
	Space   model.SpaceID
	Off     int64
	Bytes   []byte
	Kind    []ByteKind
	Trouble string
	lost    error // why some of the bytes cannot be read any more
}

// ByteKind is what the pane knows about one byte.
type ByteKind struct {
	Hue      uint8 // 1 + colour number; 0: no span is known
	severity model.Severity
	state    model.State
	Edited   bool
	Tried    bool // the previewed change affects it
	hit      bool // of a search
	Gone     bool // it cannot be read any more
	Differs  bool // from the document that it is compared with
}

// readHex reads bytes and looks up their meaning.
func readHex(ctx context.Context, t *model.Tree, at model.Range) (hexPage, error) {
	b, err := t.Bytes(ctx, at)
	p := hexPage{Space: at.Space, Off: at.Off, Bytes: b, Kind: make([]ByteKind, at.Len)}
	if errors.Is(err, model.ErrShrunk) {
		p.Bytes, p.lost = make([]byte, at.Len), err
		readLeft(ctx, t, at, p.Bytes, p.Kind)
	} else if err != nil {
		return p, err
	}
	p.Kind = p.Kind[:len(p.Bytes)]
	if t.Format != nil { // otherwise all of it is a gap, which is no reason to hatch all of it
		t.Cover(at, func(s *model.Span) bool {
			hue := uint8(1 + doc.HueOf(s)%12)
			p.each(s.Range, func(k *ByteKind) { k.Hue, k.state = hue, s.State })
			return ctx.Err() == nil
		})
	}
	return p, ctx.Err()
}

// each passes f the bytes of the page that are in a range of its space.
func (p *hexPage) each(r model.Range, f func(*ByteKind)) {
	for i := max(0, r.Off-p.Off); i < min(r.End()-p.Off, int64(len(p.Kind))); i++ {
		f(&p.Kind[i])
	}
}

// changed marks edited bytes, and those that a previewed change would change.
func (p *hexPage) changed(edits []model.Changed, tried []model.Range) {
	for _, e := range edits {
		p.each(model.Range{Space: p.Space, Off: e.Off, Len: e.New}, func(k *ByteKind) { k.Edited = true })
	}
	for _, r := range tried {
		p.each(r, func(k *ByteKind) { k.Tried, k.Edited = true, true })
	}
}

// marked marks the bytes of findings and hits.
func (p *hexPage) marked(t *model.Tree, found []model.Finding, hits []model.Range) {
	for _, r := range hits {
		p.each(r, func(k *ByteKind) { k.hit = true })
	}
	at := model.Range{Space: p.Space, Off: p.Off, Len: int64(len(p.Kind))}
	for i := range found {
		if r := found[i].Where(); r.Overlaps(at) && !aboutAll(t, &found[i]) {
			grade := found[i].Grade()
			p.each(r, func(k *ByteKind) {
				if k.severity == 0 || grade < k.severity {
					k.severity = grade
				}
			})
		}
	}
}

// readLeft reads what remains of bytes some of which are gone, and marks those that are.
func readLeft(ctx context.Context, t *model.Tree, at model.Range, b []byte, kind []ByteKind) {
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
		kind[i].Gone = true
	}
}

// aboutAll tells whether a finding is about a whole file or block: then it underlines none of its bytes.
func aboutAll(t *model.Tree, f *model.Finding) bool {
	r, sp := f.Where(), t.Space(f.Where().Space)
	return r.Len > 1<<16 || r.Len > 64 && sp != nil && sp.Root != nil && r == sp.Root.Range
}
