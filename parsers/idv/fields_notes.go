package idv

import (
	"context"
	"strings"

	"spandrel/model"
	"spandrel/parsers/idv/block"
)

// Remarks beside fields: derived, and not stored in the file.

var spanNote, dateNote = timeNote(block.Duration), timeNote(block.Date)

// timeNote tells what time a number of ticks is.
func timeNote(text func(ticks int64) string) func(context.Context, *model.Tree, *model.Span) string {
	return func(ctx context.Context, t *model.Tree, s *model.Span) string {
		v, err := t.Value(ctx, s)
		switch {
		case err != nil:
			return ""
		case v.Int() == block.Missing:
			return "missing"
		}
		return text(v.Int())
	}
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
