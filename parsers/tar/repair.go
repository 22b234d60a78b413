package tar

import (
	"bytes"
	"context"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

var repairs = map[*model.Rule]model.Repairer{badChecksum: solveHeader, behindEnd: removeRest, joined: join, noEnd: writeEnd, noHeader: findMembers, badSize: findMembers, splitSample: regroup, twice: removeCopy}

// removeRest removes what follows the end.
func removeRest(_ context.Context, _ *model.Tree, f *model.Finding) []model.Fix {
	at := f.Where()
	return []model.Fix{{Label: model.Words("remove the last %s bytes", model.Thousands(at.Len)), Loses: "the bytes after the end", Edits: []model.Edit{model.Replace(at, nil)}}}
}

// join removes the zeros that end an archive before others. It is not safe: whole sectors of members that were lost look the same. If they are no end, what
// describes a member that they cover goes with them.
func join(_ context.Context, t *model.Tree, f *model.Finding) []model.Fix {
	at := f.Where()
	x := model.Fix{Label: "remove the zeros, so that readers continue with the members after them", Says: "Two archives were joined: readers stop at the end of the first one, and miss the members after it."}
	if from, wiped := model.StateOf[*file](t).wiped[at.Off]; wiped {
		x.Says = model.Words("%s bytes at 0x%x are zero where members should be: readers stop there, and miss the members after them.", model.Thousands(at.Len), at.Off)
		if at.Len, at.Off = at.End()-from, from; at.Len > f.Where().Len {
			x.Loses = "what describes a member that they cover"
		}
	}
	x.Edits = []model.Edit{model.Replace(at, nil)}
	return []model.Fix{x}
}

// findMembers offers to repair headers whose names a text tool replaced, or whose sizes are decimal, with which all members are found, or to remove messages
// that shift them.
func findMembers(ctx context.Context, t *model.Tree, f *model.Finding) []model.Fix {
	in := t.Root.Range
	if fix := tarfile.Decimals(ctx, in.Space, t.Peek(ctx, in.Space), in.End()); fix != nil {
		return fix
	}
	if fix := continued(ctx, t, f); fix != nil {
		return fix
	}
	if fix := tarfile.Messages(ctx, in.Space, t.Peek(ctx, in.Space), in.End()); fix != nil {
		return fix
	}
	return tarfile.Renames(ctx, in.Space, t.Peek(ctx, in.Space), f.Where().Off, in.End())
}

// solveHeader offers values of fields that would make a header valid, or the checksums of all headers whose texts were changed.
var solveHeader = model.Knowing(func(ctx context.Context, t *model.Tree, _ *model.Finding, about tarfile.Broken) []model.Fix {
	f, in := model.StateOf[*file](t), t.Root.Range
	f.resummed.Do(func() { f.resum = tarfile.Renames(ctx, in.Space, t.Peek(ctx, in.Space), 0, in.End()) })
	about.Resum = f.resum
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

// continued offers to remove a member that goes over into the same one, if that is complete: its writer was stopped, and another one continued from it on.
func continued(ctx context.Context, t *model.Tree, at *model.Finding) []model.Fix {
	f, read, end := model.StateOf[*file](t), t.Peek(ctx, t.Root.Range.Space), t.Root.Range.End()
	k := f.place(at) - 1
	if k < 0 {
		return nil
	}
	own := f.members.Child(k).Range
	from, values := own.Off, own.Off+tarfile.Block
	if helpers := f.before(k); len(helpers) > 0 {
		from = f.members.Child(helpers[0]).Range.Off
	}
	next, _ := tarfile.HeaderFrom(ctx, read, values, at.Where().End())
	head, _ := memberFrom(ctx, read, next, end)
	name := nextName(ctx, read, next, end)
	if head < 0 || next-values > mostContinued || name != nextName(ctx, read, from, end) || !tarfile.Ended(ctx, read, next, end) ||
		!bytes.Equal(read(values, next-values), read(head+tarfile.Block, next-values)) {
		return nil
	}
	return []model.Fix{{Label: "remove the incomplete member", Safe: true, Copies: true, Once: true, Edits: []model.Edit{model.Replace(model.Range{Space: own.Space, Off: from, Len: next - from}, nil)},
		Says: "The archive was continued after a stop inside " + name + ": the beginning of that member is followed by all of it."}}
}

// mostContinued is how many bytes of a member are compared with those of a later one.
const mostContinued = 64 << 20
