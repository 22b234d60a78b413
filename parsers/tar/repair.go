package tar

import (
	"context"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

var repairs = map[*model.Rule]model.Repairer{badChecksum: mendHeader, behindEnd: joinOrCut, noEnd: writeEnd}

// joinOrCut takes zeros out that end the archive in front of others, or cuts what is behind the end.
func joinOrCut(_ context.Context, t *model.Tree, f *model.Finding) (out []model.Fix) {
	at, loses := f.Where(), "the bytes behind the end"
	if end := t.Root.Range.End(); at.End() < end {
		out = []model.Fix{{Label: "take the zeros out, so that readers go on to the members behind them", Edits: []model.Edit{model.Replace(at, nil)}}}
		at.Len, loses = end-at.Off, "the members behind the end"
	}
	return append(out, model.Fix{Label: model.Words("cut the last %s bytes", model.Thousands(at.Len)), Loses: loses, Edits: []model.Edit{model.Replace(at, nil)}})
}

// mendHeader offers the one digit that would make a header right.
func mendHeader(ctx context.Context, t *model.Tree, f *model.Finding) (out []model.Fix) {
	s := memberOf(f.Span)
	if s == nil || s.Range.Len < tarfile.Block {
		return nil
	}
	b, err := t.Bytes(ctx, model.Range{Space: s.Range.Space, Off: s.Range.Off, Len: tarfile.Block})
	if err != nil {
		return nil
	}
	for _, d := range tarfile.Mend(b, s.Range.Len) {
		at := model.Range{Space: s.Range.Space, Off: s.Range.Off + int64(d.At), Len: 1}
		out = append(out, model.Fix{Label: fmt.Sprintf("set %s to %d", nameAt(d.Field), d.Makes),
			Edits: []model.Edit{model.Splice{Range: at, With: model.Memory([]byte{d.Digit}), Loose: true}}})
	}
	return out
}

// nameAt is the name of the field of a header that starts at an offset.
func nameAt(off int) string {
	for _, f := range fields {
		if off == 0 {
			return f.Name
		}
		off -= f.Codec.Size()
	}
	return ""
}

// writeEnd offers the blocks of zeros that are missing.
func writeEnd(_ context.Context, t *model.Tree, f *model.Finding) []model.Fix {
	at := t.Root.Range
	if at.Off = at.End(); f.Where().Off != at.Off || model.StateOf[*file](t).ends > 0 {
		return nil // what is missing is more than the end
	}
	at.Len = 0
	n := 2*tarfile.Block + tarfile.Padded(at.Off) - at.Off
	return []model.Fix{{Label: "write the end", Edits: []model.Edit{model.Splice{Range: at, With: model.Fill(0, n), Loose: true}}}}
}
