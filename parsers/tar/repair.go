package tar

import (
	"context"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

var repairs = map[*model.Rule]model.Repairer{badChecksum: solveHeader, behindEnd: joinOrCut, noEnd: writeEnd, noHeader: rename}

// joinOrCut removes zeros that end the archive before others, or what follows the end.
func joinOrCut(_ context.Context, t *model.Tree, f *model.Finding) (out []model.Fix) {
	at, loses := f.Where(), "the bytes after the end"
	if end := t.Root.Range.End(); at.End() < end {
		out = []model.Fix{{Label: "remove the zeros, so that readers continue with the members after them", Edits: []model.Edit{model.Replace(at, nil)}}}
		at.Len, loses = end-at.Off, "the members after the end"
	}
	return append(out, model.Fix{Label: model.Words("remove the last %s bytes", model.Thousands(at.Len)), Loses: loses, Edits: []model.Edit{model.Replace(at, nil)}})
}

// rename offers to repair headers whose names a text tool replaced.
func rename(ctx context.Context, t *model.Tree, f *model.Finding) []model.Fix {
	in := t.Root.Range
	return tarfile.Renames(ctx, in.Space, t.Peek(ctx, in.Space), f.Where().Off, in.End())
}

// solveHeader offers values of fields that would make a header valid.
var solveHeader = model.Knowing(func(_ context.Context, _ *model.Tree, _ *model.Finding, about tarfile.Broken) []model.Fix {
	return about.Fixes(true)
})

// writeEnd offers the blocks of zeros that are missing.
func writeEnd(_ context.Context, t *model.Tree, f *model.Finding) []model.Fix {
	at := t.Root.Range
	if at.Off = at.End(); f.Where().Off != at.Off || model.StateOf[*file](t).ends > 0 {
		return nil // more than the end is missing
	}
	at.Len = 0
	n := 2*tarfile.Block + tarfile.Padded(at.Off) - at.Off
	return []model.Fix{{Label: "append the end of the archive", Edits: []model.Edit{model.Splice{Range: at, With: model.Fill(0, n), Loose: true}}}}
}
