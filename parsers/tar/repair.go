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
	return append(out, model.Fix{Label: fmt.Sprintf("cut the last %s bytes", model.Thousands(at.Len)), Loses: loses, Edits: []model.Edit{model.Replace(at, nil)}})
}

// mendHeader offers the one digit that would make a header right: with it the checksum agrees, and, in the size, the next header stands
// where the payload ends.
func mendHeader(ctx context.Context, t *model.Tree, f *model.Finding) (out []model.Fix) {
	s := memberOf(f.Span)
	if s == nil || s.Range.Len < tarfile.Block || t.Open(ctx, s) != nil || s.Get(header.Name) == nil || t.Open(ctx, s.Get(header.Name)) != nil {
		return nil
	}
	b, err := t.Bytes(ctx, model.Range{Space: s.Range.Space, Off: s.Range.Off, Len: tarfile.Block})
	if err != nil {
		return nil
	}
	b = append([]byte(nil), b...)
	fits := func() bool {
		h := tarfile.Parse(b)
		return h.Size >= 0 && tarfile.Block+tarfile.Padded(h.Payload()) == s.Range.Len
	}
	fitted := fits()
	for k := range s.Get(header.Name).Count() {
		field := s.Get(header.Name).Child(k)
		size, numeric := field.Field.Codec.(tarfile.Octal)
		if !numeric || field.Name() == sumF.Name {
			continue
		}
		from := field.Range.Off - s.Range.Off
		for i := from; i < from+int64(size)-1; i++ {
			was := b[i]
			for digit := byte('0'); digit <= '7'; digit++ {
				b[i] = digit
				odd := (was < '0' || was > '7') && was != ' '
				if digit != was && tarfile.Parse(b).SumOK && fits() && (odd || field.Name() == sizeF.Name && !fitted) {
					out = append(out, model.Fix{Label: fmt.Sprintf("set %s to %d", field.Name(), tarfile.Number(b[from:from+int64(size)])),
						Edits: []model.Edit{model.Splice{Range: model.Range{Space: s.Range.Space, Off: s.Range.Off + i, Len: 1}, With: model.Memory([]byte{digit}), Loose: true}}})
				}
			}
			b[i] = was
		}
	}
	return out
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
