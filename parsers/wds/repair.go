package wds

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"spandrel/model"
	"spandrel/parsers/internal/jsontext"
	"spandrel/parsers/internal/tarfile"
)

var repairs = map[*model.Rule]model.Repairer{badHeading: unsorted, badVersion: rebuilt, badLine: rebuilt, badOffset: countAgain, noMember: countAgain, badSize: rebuilt, badName: countAgain, unlisted: rebuilt, badArchive: solveHeader, wrongSamples: restated,
	notJSON: func(ctx context.Context, t *model.Tree, f *model.Finding) []model.Fix {
		return jsontext.Fixes(ctx, t, f.Where().Space, func(x *model.Finding) bool { return x.Grade() == model.Error })
	}}

// solveHeader offers values of fields that would make a header in an archive valid.
var solveHeader = model.Knowing(func(ctx context.Context, t *model.Tree, _ *model.Finding, about tarfile.Broken) []model.Fix {
	size, err := t.Size(ctx, about.At.Space)
	return about.Fixes(err == nil && size%tarfile.Block == 0) // otherwise bytes were inserted or lost, and the fields only seem wrong
})

var actions = []model.Action{{
	Name: "rebuild", Removes: true, Label: "Rebuild index from the archive", Doc: "Rebuilds the DALI index (version 1.2) from the members of its archive.",
	On: func(t *model.Tree, s *model.Span) bool { return s == t.Root && rebuildable(t) },
	Plan: func(ctx context.Context, t *model.Tree, _ *model.Span, _ map[string]string) ([]model.Edit, error) {
		return rebuild(ctx, t)
	},
}}

func rebuildable(t *model.Tree) bool {
	x := model.StateOf[*index](t)
	return x != nil && x.dali && x.archives[0].beside != nil
}

// rebuilt offers to rebuild an index.
func rebuilt(_ context.Context, t *model.Tree, _ *model.Finding) []model.Fix {
	if !rebuildable(t) {
		return nil
	}
	fix := model.Fix{Label: "rebuild index from the archive", Build: rebuild}
	found, _ := t.Findings()
	wrong := 0
	for i := range found {
		wrong += b2i(found[i].Rule == noMember || found[i].Rule == badSize || found[i].Rule == badName || found[i].Rule == unlisted)
	}
	if wrong >= leastStale {
		fix.Says = "The index is that of another archive: either the archive was written again after it, or it is not the one that belongs to it."
	}
	return []model.Fix{fix}
}

// leastStale is how many entries are wrong in an index of another archive.
const leastStale = 3

// restated offers to describe an archive as it is, if the number of samples, the size and the checksum in an index are those of another one.
func restated(_ context.Context, t *model.Tree, f *model.Finding) []model.Fix {
	if f.Span == nil || f.Span.Parent() == nil {
		return nil
	}
	var edits []model.Edit
	found, _ := t.Findings()
	for _, x := range found {
		if (x.Rule == wrongSamples || x.Rule == wrongSize || x.Rule == wrongSum) && x.Span != nil && x.Span.Parent() == f.Span.Parent() && x.Want.Kind != model.None {
			edits = append(edits, model.SetValue(x.Span, x.Want))
		}
	}
	if len(edits) < 3 {
		return nil
	}
	return []model.Fix{{Label: "describe the archive as it is", Once: true, Copies: true, Edits: edits,
		Says: "An entry of the index describes another archive: either the archive was written again after it, or it is not the one that belongs to it."}}
}

// unsorted offers the lines of an index in the order of its archive, if they are those of that index; otherwise to rebuild it.
func unsorted(ctx context.Context, t *model.Tree, f *model.Finding) []model.Fix {
	fixes := rebuilt(ctx, t, f)
	if len(fixes) == 0 || t.Root.Range.Len > mostJSON {
		return fixes
	}
	is, err := t.Bytes(ctx, t.Root.Range)
	if err != nil {
		return fixes
	}
	edits, err := rebuild(ctx, t)
	if err != nil {
		return fixes
	}
	with := edits[0].(model.Splice).With
	should := make([]byte, with.Len())
	if _, err := with.ReadAt(should, 0); err == nil && slices.Equal(sortedLines(is), sortedLines(should)) {
		sorted := slices.IsSorted(slices.Collect(strings.Lines(string(is)))) // by a program, which says that they had the order in which wds2idx writes them
		return []model.Fix{{Label: "put the lines in the order of the archive", Says: "The lines of the index are in another order than its archive" + map[bool]string{true: ": it was sorted"}[sorted] + ".",
			Once: true, Safe: sorted, Witnessed: sorted, Edits: edits}}
	}
	return fixes
}

func sortedLines(b []byte) []string {
	return slices.Sorted(strings.Lines(strings.TrimRight(string(b), "\r\n") + "\n"))
}

// rebuild writes the index of an archive as DALI does: samples are consecutive members with one key, and hidden files are skipped.
func rebuild(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
	is, err := members(ctx, t.Reader(ctx, model.StateOf[*index](t).archives[0].beside.Range))
	if err == nil && is.end != io.EOF {
		err = errors.New("the archive cannot be read completely: repair it first")
	}
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	n, last := 0, ""
	for _, m := range is.files {
		key, ext := keyOf(m.name)
		switch {
		case hidden(key):
			continue
		case n > 0 && key == last:
			b.WriteByte(' ')
		default:
			if n++; n > 1 {
				b.WriteByte('\n')
			}
			last = key
		}
		fmt.Fprintf(&b, "%s %d %d %s", ext, m.off, m.size, m.name)
	}
	if n == 0 {
		return nil, errors.New("no member of the archive belongs to a sample")
	}
	text := fmt.Sprintf("v1.2 %d\n%s\n", n, b.Bytes())
	return []model.Edit{model.Splice{Range: t.Root.Range, With: model.Memory([]byte(text)), Loose: true}}, nil
}

// countAgain offers the offsets as DALI counts them, or to rebuild the index.
func countAgain(ctx context.Context, t *model.Tree, f *model.Finding) []model.Fix {
	x := model.StateOf[*index](t)
	if x == nil || x.recount.Load() == nil {
		return rebuilt(ctx, t, f)
	}
	r := x.recount.Load()
	says := "The offsets of all components " + r.Text(map[int64]string{}) + "."
	return []model.Fix{{Label: "count the offsets of all components from the start of the archive, in bytes", Says: says, Once: true, Safe: true, Witnessed: true,
		Build: func(ctx context.Context, t *model.Tree) ([]model.Edit, error) {
			b, err := t.Bytes(ctx, x.lines.Range)
			if err != nil {
				return nil, err
			}
			return []model.Edit{model.Splice{Range: x.lines.Range, With: model.Memory(x.withOffsets(b, r.want)), Loose: true}}, nil
		}}}
}

// withOffsets is the lines of an index with other offsets.
func (x *index) withOffsets(lines []byte, want []int64) (out []byte) {
	for line := range bytes.Lines(lines) {
		last := int64(0)
		for k, at := range wordsOf(bytes.TrimRight(line, "\r\n")) {
			if k%x.per() == 1 && len(want) > 0 {
				out = strconv.AppendInt(append(out, line[last:at[0]]...), want[0], 10)
				last, want = at[1], want[1:]
			}
		}
		out = append(out, line[last:]...)
	}
	return out
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
