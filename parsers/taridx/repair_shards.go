package taridx

import (
	"context"
	"fmt"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

// repairShardHeader offers values of fields that would make a header valid.
func repairShardHeader(ctx context.Context, x editor, f *model.Finding) []model.Fix {
	about, _ := f.About.(tarfile.Broken)
	size, err := x.t.Size(ctx, about.At.Space)
	return about.Fixes(err == nil && size%tarfile.Block == 0) // otherwise bytes were inserted or lost, and the fields only seem wrong
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
