package scdl

import (
	"context"
	"path"
	"slices"
	"strconv"
	"strings"

	"spandrel/model"
)

// guessing returns the condition that reading the archive without its header has this effect in the package.
func guessing(does model.Does) model.Condition {
	return func(_ context.Context, t *model.Tree, f *model.Finding) bool {
		dir := path.Dir(t.FileName(f.Where()))
		return slices.ContainsFunc(archivesOf(t), func(a *archive) bool { return a.dir == dir && a.guessed() == does })
	}
}

// guessed is what the package does with an archive without a header, given the array types that it then assumes.
func (a *archive) guessed() model.Does {
	counts := map[string]int64{}
	for _, k := range keys[:3] {
		size, w := a.entries[k.file].Size, widthOf(k.dtype)
		if size == 0 || size%w != 0 {
			return model.Refuses
		}
		counts[k.file] = size / w
	}
	for _, f := range a.folders {
		if f.genes && len(f.parquet) > 0 && f.last() != counts["row_ptr.npy"]-1 {
			return model.Fails
		}
	}
	values := counts["data.npy"]
	last := a.slice("row_ptr.npy", a.entries["row_ptr.npy"].Size-8, 8)
	if last != nil && values == counts["col_ptr.npy"] && numbers(nil, last, 8)[0] == uint64(values) {
		return model.Ignores
	}
	return model.Misreads
}

// headerOnly tells whether the document is a header without an archive.
func headerOnly(_ context.Context, t *model.Tree, _ *model.Finding) bool {
	return len(archivesOf(t)) == 0
}

func notEmpty(_ context.Context, _ *model.Tree, f *model.Finding) bool { return f.Found != "0 bytes" }

// of returns the condition that a finding expects this file.
func of(file string) model.Condition {
	return func(_ context.Context, _ *model.Tree, f *model.Finding) bool {
		return strings.HasSuffix(f.Expected, file)
	}
}

// otherTypes tells whether the header of an archive gives an array elements of another size than its file has.
func otherTypes(_ context.Context, _ *model.Tree, f *model.Finding) bool {
	a, is := f.About.(*archive)
	if !is {
		return false
	}
	fit, _, _, foreign := judge{a}.foreign()
	for _, k := range keys[:3] {
		if w, _ := fit.width(k.key); foreign && a.raws[k.file] != nil && widthOf(a.raws[k.file].dtype) != w {
			return true
		}
	}
	return false
}

// fewer tells whether a finding reports fewer than expected.
func fewer(_ context.Context, _ *model.Tree, f *model.Finding) bool {
	return leading(f.Found) < leading(f.Expected)
}

func more(_ context.Context, _ *model.Tree, f *model.Finding) bool {
	return leading(f.Found) > leading(f.Expected)
}

// leading is the number at the beginning of a text; 0 if there is none.
func leading(s string) int {
	s = strings.ReplaceAll(s, ",", "")
	end := strings.IndexFunc(s, func(r rune) bool { return (r < '0' || r > '9') && r != '-' })
	if end < 0 {
		end = len(s)
	}
	n, _ := strconv.Atoi(s[:end])
	return n
}

// ofType tells whether a finding is about an element type in the header.
func ofType(_ context.Context, _ *model.Tree, f *model.Finding) bool {
	return f.Span != nil && f.Span.Name() == "dtype"
}

// ofHeader tells whether a finding is about the header.
func ofHeader(_ context.Context, t *model.Tree, f *model.Finding) bool {
	return path.Base(t.FileName(f.Where())) == "header.sch"
}

// ofOneBlock tells whether a finding is about the index of a folder with one block: readers use that block whatever the index says.
func ofOneBlock(_ context.Context, _ *model.Tree, f *model.Finding) bool {
	return f.Span != nil && f.Span.Parent() != nil && f.Span.Parent().Count() == 2
}

func all(conditions ...model.Condition) model.Condition {
	return func(ctx context.Context, t *model.Tree, f *model.Finding) bool {
		return !slices.ContainsFunc(conditions, func(is model.Condition) bool { return !is(ctx, t, f) })
	}
}

func either(conditions ...model.Condition) model.Condition {
	return func(ctx context.Context, t *model.Tree, f *model.Finding) bool {
		return slices.ContainsFunc(conditions, func(is model.Condition) bool { return is(ctx, t, f) })
	}
}
