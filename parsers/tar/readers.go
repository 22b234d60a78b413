package tar

import (
	"bytes"
	"context"
	"slices"
	"sort"

	"spandrel/model"
	"spandrel/parsers/internal/tarfile"
)

const (
	python  = "measured with Python 3.11"
	dataset = "measured with 1.0.2"
)

// readers are the readers of the format: their reactions to violated rules and their messages, in the order of their checks.
var readers = []*model.Software{
	{Name: "tarfile", Title: "Python's tarfile", Versions: []string{"3.11"}, Reactions: []model.Reaction{
		{Does: model.Refuses, Rules: []string{"model.unknown"}, Source: python, By: "tarfile, webdataset", Text: "file could not be opened successfully",
			Means: "The file does not begin like a tar archive."},
		// At the first member tarfile refuses the archive. At a later invalid header it stops as if the archive ended there, unless a helper header
		// was read before.
		{Does: model.Refuses, When: atFirst, Rules: []string{"TAR-001"}, Source: python, By: "tarfile, webdataset", Text: "bad checksum",
			Means: "The checksum of a header does not match its bytes."},
		{Does: model.Refuses, When: atFirst, Rules: []string{"TAR-003"}, Source: python, By: "tarfile, webdataset", Text: "invalid header",
			Means: "A header should begin here, but these bytes are not one."},
		{Does: model.Misreads, When: blankFirst, Rules: []string{"TAR-002"}, Source: python},
		{Does: model.Refuses, When: atFirst, Rules: []string{"TAR-002", "TAR-004"}, Source: python},
		{Does: model.Fails, When: asDescribed, Rules: []string{"TAR-001"}, Source: python, By: "tarfile, webdataset", Text: "bad checksum",
			Means: "The checksum of a header does not match its bytes."},
		{Does: model.Fails, When: asDescribed, Rules: []string{"TAR-002", "TAR-003"}, Source: python},
		{Does: model.Fails, Rules: []string{"TAR-004"}, Source: python, By: "tarfile, webdataset", Text: "unexpected end of data",
			Means: "The archive ends inside a member: it is truncated, or the size of a member is too large."},
		{Does: model.Misreads, When: endsReading, Rules: []string{"TAR-001", "TAR-002", "TAR-003"}, Source: python},
		model.Misreads.Of(python, "TAR-011"),
		{Does: model.Refuses, When: emptyFile, Rules: []string{"TAR-005"}, Source: python, By: "tarfile, webdataset", Text: "empty file", Means: "The file is empty."},
		model.Ignores.Of(python, "TAR-005", "TAR-006", "TAR-007", "TAR-008", "TAR-009", "TAR-010", "TAR-012", "TAR-013", "TAR-014"),
		{Rules: []string{"TAR-002", "TAR-001", "model.unknown"}, Text: "not a gzip file", By: "tarfile",
			Means: "The file is not compressed, although its name or the reader expects it."},
		{Rules: []string{"TAR-004", "TAR-002", "model.truncated"}, Text: "truncated header", By: "tarfile",
			Means: "The archive ends inside the header of a member."},
		{Rules: []string{"TAR-001", "TAR-002", "model.unknown"}, Text: "invalid header", By: "tarfile",
			Means: "A header should begin here, but these bytes are not one."},
		{Rules: []string{"TAR-001", "TAR-002", "model.unknown"}, Text: "does not look like a tar archive", By: "tar",
			Means: "The file does not begin like a tar archive."},
		{Rules: []string{"TAR-001", "TAR-002", "TAR-003"}, Text: "Skipping to next header", By: "tar",
			Means: "A header should begin here, but these bytes are not one, or its checksum is wrong: tar leaves out what follows, up to the next header."},
		{Rules: []string{"TAR-001", "TAR-002", "TAR-003"}, Text: "Damaged tar archive", By: "bsdtar",
			Means: "A header should begin here, but these bytes are not one, or its checksum is wrong."},
		{Rules: []string{"TAR-004", "TAR-005", "model.truncated"}, Text: "Unexpected EOF in archive", By: "tar",
			Means: "The archive ends inside a member: it is truncated, or the size of a member is too large."},
		{Rules: []string{"TAR-005", "TAR-002"}, Text: "A lone zero block at", By: "tar",
			Means: "One block of zeros ends the archive, not two: the end is missing, or a header was overwritten with zeros."},
		{Rules: []string{"TAR-007"}, Text: "Malformed extended header", By: "tar", Means: "A pax record, which holds a long name or a time, is damaged."},
		{Rules: []string{"model.unknown", "TAR-001"}, Text: "Unrecognized archive format", By: "bsdtar", Means: "The file does not begin like an archive."},
		{Rules: []string{"model.unknown", "TAR-001"}, Text: "not in gzip format", By: "gzip",
			Means: "The file is not compressed by gzip, although its name or the options of tar say so.", Do: "Leave out z from the options of tar."},
		{Rules: []string{"model.unknown", "model.truncated"}, Text: "gzip: …: unexpected end of file", By: "gzip", Means: endsInGzip, Do: getAgain},
		{Rules: []string{"model.unknown", "model.truncated"}, Text: "truncated gzip input", By: "bsdtar", Means: endsInGzip, Do: getAgain},
		{Rules: []string{"model.unknown", "model.truncated"}, Text: "Compressed file ended before the end-of-stream marker was reached", By: "tarfile (gzip)",
			Means: endsInGzip, Do: getAgain},
		{Rules: []string{"model.unknown"}, Text: "invalid compressed data--", By: "gzip", Means: "The compressed bytes of the archive are damaged.", Do: getAgain},
		{Rules: []string{"model.unknown"}, Text: "BadGzipFile: CRC check failed", By: "tarfile (gzip)", Means: "The compressed bytes of the archive are damaged.", Do: getAgain},
	}},
	{Name: "webdataset", Title: "webdataset", Versions: []string{"1.0"}, Reactions: []model.Reaction{
		{Does: model.Fails, Rules: []string{"TAR-009"}, Source: dataset, Text: "duplicate file name in tar file",
			Means: "Two members of one sample have the same extension, so one value would replace the other."},
		model.Refuses.Of(dataset, "model.unknown"),
		model.Fails.Of(dataset, "TAR-004"),
		model.Misreads.Of(dataset, "TAR-002"),
		model.Misreads.Of(dataset, "TAR-011"),
		model.Misreads.Of(dataset, "TAR-010"), // reads several incomplete samples with one key, without a warning
		{Does: model.Refuses, When: emptyFile, Rules: []string{"TAR-005"}, Source: dataset, By: "tarfile, webdataset", Text: "empty file", Means: "The file is empty."},
		model.Ignores.Of(dataset, "TAR-005", "TAR-006", "TAR-007", "TAR-008", "TAR-012", "TAR-013", "TAR-014"),
		{Rules: []string{"TAR-001", "model.unknown"}, Text: "is not a tar archive, but a", By: "webdataset (cache)",
			Means: "The program file did not recognise a downloaded shard. For archives that begin with a pax header, old versions of file are wrong about that.",
			Do:    "If check finds nothing wrong, leave out cache_dir, or update file (libmagic)."},
		{Rules: []string{"TAR-001", "TAR-002", "TAR-005", "model.unknown"}, Text: "pipeline stage received no data at all",
			Means: "No sample was read: the shards are empty or damaged at their beginning, or there are fewer shards than workers."},
	}},
}

const (
	endsInGzip = "The compressed archive ends early: it is truncated."
	getAgain   = "Download or copy the file again."
)

// blankFirst tells whether the file begins with a block of zeros, which ends an archive: then there is nothing in it.
func blankFirst(ctx context.Context, t *model.Tree, _ *model.Finding) bool {
	b, err := t.Bytes(ctx, model.Range{Space: t.Root.Range.Space, Len: tarfile.Block})
	return err == nil && len(bytes.Trim(b, "\x00")) == 0
}

// emptyFile tells whether a finding is about an empty file.
func emptyFile(ctx context.Context, t *model.Tree, f *model.Finding) bool {
	n, err := t.Size(ctx, f.Where().Space)
	return err == nil && n == 0
}

// atFirst tells whether a finding is about the headers of the first member, or what precedes it: for a truncated archive, that
// they are incomplete.
func atFirst(ctx context.Context, t *model.Tree, f *model.Finding) bool {
	x := model.StateOf[*file](t)
	if x == nil || x.members == nil {
		return true
	}
	for i := range x.members.Count() {
		if !slices.Contains(x.helpers, i) {
			return f.Rule != cut && f.Where().Off < x.members.Child(i).Range.Off+tarfile.Block
		}
	}
	return true
}

// place is the index of the member, including helpers, that a finding is about; -1 for none.
func (f *file) place(at *model.Finding) int64 {
	off := at.Where().Off
	i := int64(sort.Search(int(f.members.Count()), func(i int) bool { return f.members.Child(int64(i)).Range.Off > off })) - 1
	if i < 0 || off >= f.members.Child(i).Range.End() {
		return -1
	}
	return i
}

// asDescribed tells whether a finding is about a header described by records before it: both are read at once.
func asDescribed(ctx context.Context, t *model.Tree, f *model.Finding) bool {
	x := model.StateOf[*file](t)
	if x == nil || x.members == nil {
		return false
	}
	_, helped := slices.BinarySearch(x.helpers, x.place(f)-1)
	return helped
}

// endsReading tells whether a finding is about a header that ends reading early. It is not known whether a last block that is nearly all zeros
// should be one.
func endsReading(ctx context.Context, t *model.Tree, f *model.Finding) bool {
	x := model.StateOf[*file](t)
	if x == nil || x.members == nil || f.Rule != noHeader {
		return x != nil && x.members != nil
	}
	i := x.place(f)
	if i < 0 || i < x.members.Count()-1 {
		return i >= 0
	}
	at := x.members.Child(i).Range
	b, err := t.Bytes(ctx, model.Range{Space: at.Space, Off: at.Off, Len: min(at.Len, tarfile.Block)})
	return err == nil && (at.Len > tarfile.Block || bytes.Count(b, []byte{0}) < fewZeros)
}

// fewZeros is less than the zeros in a block with some damaged bytes.
const fewZeros = tarfile.Block - 64
