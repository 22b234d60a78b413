package taridx

import (
	"bytes"
	"context"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

// repairShardHeader offers the values of fields that would make a header right.
func repairShardHeader(ctx context.Context, x editor, f *model.Finding) (out []model.Fix) {
	about, ok := f.About.(brokenHeader)
	if !ok {
		return nil
	}
	size, err := x.t.Size(ctx, about.at.Space)
	whole := err == nil && size%tarfile.Block == 0 // otherwise bytes came in or are missing, and fields only seem wrong
	for _, m := range about.answers {
		at, is := m.Change(about.header)
		r := about.at
		r.Off, r.Len = r.Off+int64(at), int64(len(is))
		out = append(out, model.Fix{Label: fmt.Sprintf("set %s to %s", m.Field.Name, m.Says()), Safe: m.Proven && whole,
			Witnessed: m.Proven && whole, Edits: []model.Edit{model.Splice{Range: r, With: model.Memory(bytes.Clone(is)), Loose: true}}})
	}
	return out
}

// repairEnd writes the zeros that end a shard.
func repairEnd(_ context.Context, _ editor, f *model.Finding) (out []model.Fix) {
	e, ok := f.About.(ending)
	if !ok {
		return nil
	}
	at := f.Where()
	if len(e.odd) > 0 {
		var edits []model.Edit
		for _, off := range e.odd {
			edits = append(edits, model.Splice{Range: model.Range{Space: at.Space, Off: off, Len: 1}, With: model.Fill(0, 1), Loose: true})
		}
		return []model.Fix{{Label: fmt.Sprintf("overwrite %s with zeros", model.Count(int64(len(e.odd)), "bytes")), Safe: true, Witnessed: true, Edits: edits}}
	}
	n, label := e.should-e.size, "append the missing zeros"
	if n <= 0 {
		n = tarfile.Padded(e.from) + 2*tarfile.Block - e.size
	}
	if n <= 0 {
		return nil
	}
	at.Off, at.Len = e.size, 0
	return []model.Fix{{Label: label, Safe: e.should > 0, Copies: true, Edits: []model.Edit{model.Splice{Range: at, With: model.Fill(0, n), Loose: true}}}}
}
