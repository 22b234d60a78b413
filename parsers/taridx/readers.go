package taridx

import (
	"context"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

const (
	measured = "measured with commit 5945015"
	dataset  = "measured with the dataset of commit 5945015"
)

// readers are the readers of the format: their reactions to violated rules and their messages, in the order of their checks.
// The index is opened as a fold, and read as a dataset whose rows are grouped by sample.
var readers = []*model.Software{{Name: "glzn", Title: "glzn", Versions: []string{"5945015"}, Reactions: []model.Reaction{
	{Does: model.Refuses, Rules: model.IDs("TIX", 2), Source: measured, Text: "Invalid ParseState tar index file!",
		Means: "The file does not begin like an index: its first bytes are damaged, or it is another kind of file."},
	{Does: model.Refuses, Rules: model.IDs("TIX", 1, 21), Source: measured, Text: "buffer size must be a multiple of element size",
		Means: "The file does not end where a row ends: usually it is truncated."},
	{Does: model.Refuses, When: backward, Rules: model.IDs("TIX", 9, 10), Source: measured, Text: "read length must be non-negative or -1",
		Means: "An offset in the header is damaged."},
	{Does: model.Refuses, When: from(1 << 63), Rules: model.IDs("TIX", 9, 10), Source: measured, Text: "cannot fit 'int' into an index-sized integer",
		Means: "An offset in the header is damaged."},
	{Does: model.Refuses, When: from(1 << 34), Rules: model.IDs("TIX", 9, 10), Source: measured, Text: "MemoryError",
		Means: "An offset in the header is damaged, and the reader tries to allocate that much memory."},
	{Does: model.Refuses, Rules: model.IDs("TIX", 9, 10), Source: measured, Text: "buffer size must be a multiple of element size"},
	model.Refuses.Of("its source", model.IDs("TIX", 11)...),
	{Does: model.Refuses, Rules: model.IDs("TIX", 22), Source: measured, Text: "n_rows in data do not match header!",
		Means: "The file has more or fewer rows than the header says."},
	{Does: model.Refuses, Rules: model.IDs("TIX", 13), Source: measured, Text: "n_ext does not match extensions in header!",
		Means: "The list of extensions has more or fewer names than the header says."},
	{Does: model.Refuses, When: model.Found("no "), Rules: model.IDs("TIX", 40), Source: dataset, Text: "Invalid fold …. Valid folds are:",
		Means: "None of the shards of the index is in its folder."},
	{Does: model.Fails, Rules: model.IDs("TIX", 40), Source: dataset, Text: "IndexError: list index out of range",
		Means: "A row refers to a shard that is not in the folder: it was moved, renamed or never copied."},
	{Does: model.Fails, When: from(1 << 63), Rules: model.IDs("TIX", 41), Source: dataset, Text: "OverflowError: Python int too large to convert to C long"},
	{Does: model.Fails, When: from(1 << 40), Rules: model.IDs("TIX", 45, 46), Source: dataset, Text: "MemoryError",
		Means: "The size in a row is damaged, and the package tries to allocate that much memory."},
	model.Fails.Of(dataset, model.IDs("TIX", 36)...),
	{Does: model.Fails, When: oneSample, Rules: model.IDs("TIX", 23, 24, 26, 47, 49), Source: dataset, Text: "no stem has all of"},
	model.Fails.Of("its source", model.IDs("TIX", 38, 39, 50)...),
	// Of a header it looks at the name alone, and at that of the first member of a sample.
	{Does: model.Ignores, When: ofHeader, Rules: model.IDs("TIX", 43), Source: dataset}, // covered by TIX-061
	{Does: model.Ignores, When: named, Rules: model.IDs("TIX", 43, 61), Source: dataset},
	{Does: model.Misreads, Rules: model.IDs("TIX", 43, 61), Source: dataset},
	{Does: model.Ignores, When: miscounted, Rules: model.IDs("TIX", 28), Source: dataset},
	{Does: model.Ignores, When: oneExtension, Rules: model.IDs("TIX", 26, 47, 49), Source: dataset},
	model.Misreads.Of(dataset, model.IDs("TIX", 23, 24, 26, 28, 32, 40, 41, 42, 45, 47, 49)...), // samples that lack a member are left out
	model.Misreads.Of("its source", model.IDs("TIX", 46, 48, 53, 58)...),
	model.Ignores.Of(measured, model.IDs("TIX", 4, 5, 6, 12, 27, 29, 30, 33, 34, 35, 37, 52, 54, 55)...),
	model.Ignores.Of("its source", model.IDs("TIX", 3, 7, 8, 14, 20, 25, 44, 51)...),
}}}

// from is the condition that a finding found a number that is at least this.
func from(least uint64) model.Condition {
	return func(_ context.Context, _ *model.Tree, f *model.Finding) bool {
		words := strings.Fields(f.Found)
		if len(words) == 0 {
			return false
		}
		n, err := strconv.ParseUint(words[len(words)-1], 0, 64)
		return err == nil && n >= least
	}
}

// miscounted tells whether the flag for contiguous samples is right, and their number is not.
func miscounted(_ context.Context, _ *model.Tree, f *model.Finding) bool { return f.Expected == "" }

// oneSample tells whether there is no sample except the one that a member is lost to.
func oneSample(_ context.Context, t *model.Tree, _ *model.Finding) bool {
	x := stateOf(t)
	return x != nil && len(x.exts) > 1 && x.n <= int64(len(x.exts))
}

// oneExtension tells whether each row is a sample of its own, whatever its key.
func oneExtension(_ context.Context, t *model.Tree, _ *model.Finding) bool {
	x := stateOf(t)
	return x != nil && len(x.exts) == 1
}

// named tells whether the header that a finding is about, or that its row points at, has the name of the sample. Only the name of the first member of a
// sample is checked. If the length of the shard is no whole number of blocks, bytes have moved, and what follows the header is other data.
func named(ctx context.Context, t *model.Tree, f *model.Finding) bool {
	x := stateOf(t)
	row, ofRow := f.About.(int64)
	about, broken := f.About.(tarfile.Broken)
	var h *shard
	var is entryRow
	x.each(ctx, func(i int64, r entryRow) {
		if at := x.fold.of(r.fid); at != nil && at.span != nil && (ofRow && i == row || at.span.Range.Space == about.At.Space && r.off == uint64(about.At.Off)) {
			row, is, h = i, r, at
		}
	})
	if h == nil {
		return broken // no row leads to it
	}
	if h.entry.Size%tarfile.Block != 0 {
		return false
	}
	first := true
	x.each(ctx, func(i int64, r entryRow) { first = first && (i >= row || r.key() != is.key()) })
	return !ofRow && !first || x.fold.stemHash(h, is.off) == is.hash
}

// backward tells whether an offset in the header is below the previous one.
func backward(_ context.Context, t *model.Tree, _ *model.Finding) bool {
	x := stateOf(t)
	return x.head["off_crash"].Uint() < headerSize || x.head["off_arr"].Uint() < x.head["off_crash"].Uint()
}

// ofHeader tells whether a row points at a header that is damaged.
func ofHeader(_ context.Context, _ *model.Tree, f *model.Finding) bool { return f.Found == "" }

// stemHash is the hash of the stem that a header in a shard has.
func (f *fold) stemHash(h *shard, off uint64) uint64 {
	b := make([]byte, tarfile.Block)
	f.read(h, int64(off), b)
	stem, _ := nameParts(tarfile.Parse(b).Name)
	return xxhash.Sum64String(stem)
}
