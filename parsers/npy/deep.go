package npy

import (
	"cmp"
	"context"
	"slices"

	"spandrel/model"
	"spandrel/parsers/internal/npyfile"
	"spandrel/parsers/internal/zipfile"
)

// deep compares the members of an archive with their checksums, looks at the numbers of an array by itself and for other arrays in it, and reads pickles completely.
func deep(ctx context.Context, t *model.Tree, p *model.Probe) (err error) {
	f := model.StateOf[*file](t)
	switch {
	case f == nil:
		return nil
	case f.zip != nil:
		err = members(ctx, t, p, f)
	default:
		deepJoined(ctx, t, p, f)
		deepPitch(ctx, t, p, f.array)
		all := model.Numbers{Values: f.array.Data}
		err = cmp.Or(p.SwappedArrays(ctx, t, all), p.Outliers(ctx, t, all))
	}
	if err != nil {
		return err
	}
	f.mu.Lock()
	pickles := slices.SortedFunc(slices.Values(f.pickles), func(a, b *model.Span) int { return cmp.Compare(a.Range.Space, b.Range.Space) })
	f.mu.Unlock()
	for _, s := range pickles {
		end, stopped, err := npyfile.PickleEnd(ctx, t, s)
		rest := model.Range{Space: s.Range.Space, Off: end, Len: s.Range.End() - end}
		switch {
		case err != nil:
			return err
		case t.Unknown(s.Range):
		case !stopped:
			b, _ := t.Bytes(ctx, model.Range{Space: rest.Space, Off: end, Len: min(rest.Len, 4)})
			p.Wrong(noStop, model.Spot{Span: s, Range: rest}, model.Opening(b), "another instruction")
		case rest.Len > 0:
			p.Wrong(bytesBehind, model.Spot{Span: s, Range: rest}, model.Words("%s bytes", model.Thousands(rest.Len)), "the end of the array")
		}
	}
	return ctx.Err()
}

// members compares those of an archive with their checksums.
func members(ctx context.Context, t *model.Tree, p *model.Probe, f *file) error {
	if err := f.zip.OpenedSums(ctx, t, p, wrongData); err != nil {
		return err
	}
	for _, m := range f.zip.Members {
		streamed(ctx, t, p, m)
	}
	return ctx.Err()
}

// streamed compares the shape of an array of which only the beginning is decoded with its length.
func streamed(ctx context.Context, t *model.Tree, p *model.Probe, m *zipfile.Member) {
	if m.Plain.Span == nil || m.Streamed != m.Size || m.Streamed == 0 || !t.Unknown(m.Plain.Range) {
		return
	}
	h, err := npyfile.Parse(t.Peek(ctx, m.Plain.Range.Space)(0, 12+npyfile.MaxHeader))
	if err != nil || h.Item == 0 {
		return
	}
	if want := h.Data + h.Count*h.Item; m.Streamed < want {
		p.Wrong(tooShort, m.Data, model.Words("%s bytes", model.Thousands(m.Streamed)), model.Words("%s bytes", model.Thousands(want)), model.Saying("%s: %s", m.Name, tooShort.Title))
	}
}
