package idv

import (
	"context"
	"fmt"
	"strings"

	"spandrel/model"
	"spandrel/parsers/idv/block"
)

// Remarks beside fields: what is derived from them and is not in the file.

func spanNote(ctx context.Context, t *model.Tree, s *model.Span) string {
	v, err := t.Value(ctx, s)
	switch {
	case err != nil:
		return ""
	case v.Int() == block.Missing:
		return "missing"
	}
	return block.Duration(v.Int())
}

func dateNote(ctx context.Context, t *model.Tree, s *model.Span) string {
	v, err := t.Value(ctx, s)
	switch {
	case err != nil:
		return ""
	case v.Int() == block.Missing:
		return "missing"
	}
	return block.Date(v.Int())
}

func countNote(ctx context.Context, t *model.Tree, s *model.Span) string {
	if v, err := t.Value(ctx, s); err == nil && v.Int() == -1 {
		return "dense"
	}
	return "sparse"
}

// bitsNote lists the booleans of a unit, the first one first.
func bitsNote(ctx context.Context, t *model.Tree, s *model.Span) string {
	v, err := t.Value(ctx, s)
	if err != nil {
		return ""
	}
	var b strings.Builder
	if s.Range.Len == 1 {
		for i := range 8 {
			b.WriteByte("01"[v.Uint()>>i&1])
		}
		return b.String()
	}
	for i := range 16 {
		b.WriteByte("01.!"[v.Uint()>>(2*i)&3])
	}
	return b.String()
}

// maxNote is how much of a text a remark shows.
const maxNote = 80

// boundNote is the text that ends at a bound.
func boundNote(ctx context.Context, t *model.Tree, s *model.Span) string {
	k := stateOf(t).textsOf(ctx, t, s.Range.Space)
	if k == nil {
		return ""
	}
	text, label, ok := k.TextAt(s.Index())
	switch {
	case !ok:
		return ""
	case label != "":
		return label
	case len(text) > maxNote:
		text = strings.ToValidUTF8(text[:maxNote], "") + "…"
	}
	return fmt.Sprintf("%q", text)
}

// textsOf returns a decoded block of texts; the one that was asked for last is kept.
func (st *state) textsOf(ctx context.Context, t *model.Tree, space model.SpaceID) *block.Block {
	d, ok := st.derived.Load(space)
	if !ok {
		return nil
	}
	st.recent.Lock()
	defer st.recent.Unlock()
	if st.recent.ix == nil || st.recent.space != space {
		k, err := d.(*derivedBlock).read(ctx, t, space)
		if err != nil {
			return nil
		}
		st.recent.space, st.recent.ix = space, k
	}
	return st.recent.ix
}

// blockTarget is the block that a lookup entry refers to.
func blockTarget(t *model.Tree, s *model.Span) (model.Range, bool) {
	b, ok := t.Cached(model.Range{Space: s.Range.Space, Off: s.Range.Off, Len: 16})
	stream := stateOf(t).holding(s.Range)
	if !ok || len(b) < 16 || stream == nil {
		return model.Range{}, false
	}
	e := decodeEntry(b, 0, 0)
	r := model.Range{Space: stream.space, Off: stream.base + e.off, Len: max(0, int64(e.n))}
	return r, e.off >= 0 && e.off <= stream.size && r.Len <= stream.size-e.off
}
