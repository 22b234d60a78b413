package idv

import (
	"context"
	"fmt"
	"strings"

	"spandrel/model"
)

// Remarks beside fields: what is derived from them and is not in the file.

func spanNote(ctx context.Context, t *model.Tree, s *model.Span) string {
	v, err := read(t, s)
	switch {
	case err != nil:
		return ""
	case v.Int() == missing:
		return "missing"
	}
	return duration(v.Int())
}

func dateNote(ctx context.Context, t *model.Tree, s *model.Span) string {
	v, err := read(t, s)
	switch {
	case err != nil:
		return ""
	case v.Int() == missing:
		return "missing"
	}
	return date(v.Int())
}

func countNote(ctx context.Context, t *model.Tree, s *model.Span) string {
	if v, err := read(t, s); err == nil && v.Int() == -1 {
		return "dense"
	}
	return "sparse"
}

// bitsNote lists the booleans of a unit, the first one first.
func bitsNote(ctx context.Context, t *model.Tree, s *model.Span) string {
	v, err := read(t, s)
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
	st := stateOf(t)
	ix := st.textsOf(t, s.Range.Space)
	if ix == nil || s.Index() < 0 || s.Index() >= ix.n {
		return ""
	}
	v, label, _, _ := ix.text(s.Index())
	if v.Kind == model.None {
		return label
	}
	text := v.Text()
	if len(text) > maxNote {
		text = strings.ToValidUTF8(text[:maxNote], "") + "…"
	}
	return fmt.Sprintf("%q", text)
}

// textsOf returns the texts of a decoded block; those of the block that was asked for last are kept.
func (st *state) textsOf(t *model.Tree, space model.SpaceID) *index {
	d, ok := st.derived.Load(space)
	if !ok {
		return nil
	}
	st.recent.Lock()
	defer st.recent.Unlock()
	if st.recent.ix != nil && st.recent.space == space {
		return st.recent.ix
	}
	size, err := t.Size(background, space)
	if err != nil || size == 0 {
		return nil
	}
	var ix *index
	err = t.Stream(background, model.Range{Space: space, Len: size}, size, func(_ int64, b []byte) error {
		ix = d.(*derivedBlock).texts(b)
		return nil
	})
	if err != nil || ix == nil {
		return nil
	}
	st.recent.space, st.recent.ix = space, ix
	return ix
}

// blockTarget is the block that a lookup entry refers to.
func blockTarget(t *model.Tree, s *model.Span) (model.Range, bool) {
	b, err := t.Bytes(background, model.Range{Space: s.Range.Space, Off: s.Range.Off, Len: 16})
	stream := stateOf(t).holding(s.Range)
	if err != nil || stream == nil {
		return model.Range{}, false
	}
	e := decodeEntry(b, 0, 0)
	r := model.Range{Space: stream.space, Off: stream.base + e.off, Len: max(0, int64(e.n))}
	return r, e.off >= 0 && e.off <= stream.size && r.Len <= stream.size-e.off
}
