package scdl

import (
	"bytes"
	"context"
	"slices"

	"spandrel/model"
)

const (
	measured = "measured with 0.1.3"
	branch   = "measured with the main branch of April 2026"
	source   = "its source"
)

// headerless are the rules of a header that the package does not read. Of an archive it warns then, and goes on with types of its own.
var headerless = model.IDs("SCDL", 1, 2, 3, 4, 7, 8, 10, 12, 15, 19, 32)

const (
	notElements = "Size of available data is not a multiple of the data-type size"
	otherRows   = "The number of rows in the feature index … does not correspond to"
	noElement   = "is out of bounds for axis 0 with size"
	noRow       = "is larger than number of rows in FeatureIndex"
)

// readers are those of the format, what they do about broken rules and what they say, in the order in which they look. All that is released
// is of the versions 0.1; main is what is developed.
var readers = []*model.Software{{Name: "bionemo-scdl", Title: "bionemo-scdl", Folder: "archive", Versions: []string{"0.1", "main"}, Beyond: unreleased,
	Reactions: []model.Reaction{
		// Of a header alone.
		{Does: model.Refuses, When: headerOnly, Rules: model.IDs("SCDL", 1), Source: measured, Text: "Header data too short: … bytes < 16 bytes minimum",
			Means: "The file is shorter than the fixed part of a header: usually a copy or a save was interrupted."},
		{Does: model.Refuses, When: headerOnly, Rules: model.IDs("SCDL", 2), Source: source},
		{Does: model.Refuses, When: headerOnly, Rules: model.IDs("SCDL", 3), Source: measured, Text: "Invalid endianness: … (must be 1 for NETWORK)"},
		{Does: model.Refuses, When: headerOnly, Rules: model.IDs("SCDL", 4), Source: measured, Text: "Invalid backend value:",
			Means: "The byte that says how arrays are stored is damaged, or the archive is chunked, which no release reads."},
		{Does: model.Refuses, When: headerOnly, Rules: model.IDs("SCDL", 10), Source: measured, Text: "Insufficient data for string: need"},
		{Does: model.Refuses, When: headerOnly, Rules: model.IDs("SCDL", 7, 8, 19), Source: measured, Text: "Insufficient data for uint"},
		{Does: model.Refuses, When: headerOnly, Rules: model.IDs("SCDL", 12), Source: measured, Text: "Cannot decode UTF-8 string:"},
		{Does: model.Refuses, When: headerOnly, Rules: model.IDs("SCDL", 15), Source: measured, Text: "Invalid ArrayDType value:"},
		{Does: model.Refuses, When: headerOnly, Rules: model.IDs("SCDL", 32), Source: measured},
		// Of an archive, part by part.
		{Does: model.Refuses, Rules: model.IDs("SCDL", 41), Source: measured, Text: "KeyError: 'data.npy'"},
		{Does: model.Refuses, When: model.Says("metadata.json is missing"), Rules: model.IDs("SCDL", 50), Source: measured,
			Text: "Error: the metadata file … does not exist"},
		{Does: model.Ignores, When: either(model.Found("it is not a JSON object"), model.Found("it contains ")), Rules: model.IDs("SCDL", 50), Source: measured},
		{Does: model.Refuses, Rules: model.IDs("SCDL", 50), Source: measured},
		{Does: model.Refuses, Grade: model.Warning, When: fewer, Rules: model.IDs("SCDL", 61, 64, 66), Source: measured, By: "bionemo-scdl (numpy)",
			Text: "Failed to read all data for array"},
		{Does: model.Refuses, Rules: model.IDs("SCDL", 61, 66, 73), Source: source},
		{Does: model.Refuses, When: model.Found("no label file"), Rules: model.IDs("SCDL", 64), Source: measured, Text: "No such file or directory: …labels"},
		{Does: model.Fails, When: fewer, Rules: model.IDs("SCDL", 64), Source: source},
		{Does: model.Refuses, From: "main", When: model.Says("contains pickled objects"), Rules: model.IDs("SCDL", 65), Grade: model.Error, Source: branch,
			Text: "Cannot safely load labels.npy in … because it contains pickled objects"},
		{Does: model.Ignores, To: "0.1", When: model.Says("contains pickled objects"), Rules: model.IDs("SCDL", 65), Grade: model.Error, Source: source},
		{Does: model.Refuses, When: model.Says("labels.npy: "), Rules: model.IDs("SCDL", 65), Grade: model.Error, Source: measured},
		{Does: model.Refuses, When: guessing(model.Refuses), Rules: headerless, Source: measured, Text: notElements,
			Means: "The header cannot be read, or the length of an array does not match it. Without the header the package assumes float32, uint64 and uint32 for " +
				"the types of the arrays, and the size of a file does not fit them."},
		{Does: model.Fails, When: guessing(model.Fails), Rules: headerless, Source: measured, Text: otherRows},
		{Does: model.Misreads, When: guessing(model.Misreads), Rules: headerless, Source: measured},
		{Does: model.Ignores, When: guessing(model.Ignores), Rules: headerless, Source: measured},
		{Does: model.Refuses, Rules: model.IDs("SCDL", 42), Source: measured, Text: "data type 'string' not understood"},
		{Does: model.Refuses, Rules: model.IDs("SCDL", 45, 100), Source: measured, Text: "The mmap file at … is missing",
			Means: "An array file of the archive is missing: usually the copy is incomplete."},
		// Of an empty file it depends on numpy: 2.4 takes it for no elements, older ones refuse it.
		{Does: model.Refuses, When: notEmpty, Rules: model.IDs("SCDL", 46), Source: measured, Text: notElements},
		{Does: model.Fails, Rules: model.IDs("SCDL", 67), Source: measured, Text: otherRows},
		{Does: model.Fails, Grade: model.Warning, When: fewer, Rules: model.IDs("SCDL", 67), Source: measured, Text: noRow},
		{Does: model.Fails, When: model.Found("obs_features"), Rules: model.IDs("SCDL", 60), Source: measured, Text: "There are no features to lookup"},
		{Does: model.Fails, When: fewer, Rules: model.IDs("SCDL", 63), Source: measured, Text: "IndexError: list index out of range"},
		{Does: model.Fails, When: fewer, Rules: model.IDs("SCDL", 70), Source: source},
		model.Fails.Of(measured, model.IDs("SCDL", 83)...),
		// Readers use the types of the header, but not its lengths.
		{Does: model.Misreads, When: otherTypes, Rules: model.IDs("SCDL", 56), Source: source},
		{Does: model.Fails, When: all(of("row_ptr.npy"), either(ofType, model.Says(" is truncated"))),
			Rules: model.IDs("SCDL", 47), Source: measured, Text: otherRows},
		{Does: model.Misreads, When: either(ofType, model.Says(" than the header says")), Rules: model.IDs("SCDL", 47),
			Source: measured},
		{Does: model.Fails, When: model.Says(" is truncated"), Rules: model.IDs("SCDL", 47), Source: measured, Text: noElement},
		{Does: model.Ignores, When: either(ofHeader, more), Rules: model.IDs("SCDL", 49), Source: measured},
		{Does: model.Fails, When: fewer, Rules: model.IDs("SCDL", 49), Source: measured, Text: noElement},
		{Does: model.Ignores, When: ofOneBlock, Rules: model.IDs("SCDL", 62), Source: measured},
		model.Misreads.Of(measured, model.IDs("SCDL", 49, 54, 60, 62, 63, 70, 71, 80, 81, 82, 84, 91, 94)...),
		model.Misreads.Of(source, model.IDs("SCDL", 48, 58, 92, 93)...),
		model.Ignores.Of(measured, model.IDs("SCDL", 6, 11, 17, 20, 21, 30, 33, 34, 35, 37, 38, 39, 43, 47, 51, 53, 64, 68, 69, 85, 86)...),
		model.Ignores.Of(source, model.IDs("SCDL", 5, 13, 14, 16, 18, 31, 36, 52, 55, 56, 72, 90, 110, 111)...),
		{Rules: model.IDs("SCDL", 2), Text: "Invalid magic number: … != b'SCDL'", Means: "The header does not begin with SCDL: its first bytes are damaged, or it is another file."},
		{Rules: model.IDs("SCDL", 7, 8), Text: "Unexpected end of data while reading", Means: "The header ends before the last array that it counts: it is truncated, or the count is damaged."},
		{Rules: []string{"SCDL-040"}, Text: "Header file not found", Means: "The archive has no header.sch: the copy is incomplete, or an older release wrote it."},
		{Rules: model.IDs("SCDL", 14, 33), Text: "Duplicate … names found", Means: "Two arrays or feature folders in the header have the same name."},
		{Rules: model.IDs("SCDL", 11), Text: "Empty … name found", Means: "An array or a feature folder in the header has no name."},
		{Rules: model.IDs("SCDL", 73), By: "bionemo-scdl (pyarrow)", Text: "Parquet magic bytes not found in footer",
			Means: "A table of features is truncated, or is not a Parquet file."},
		{Rules: model.IDs("SCDL", 73), By: "bionemo-scdl (pyarrow)", Text: "Parquet file size is", Means: "A table of features is empty or shorter than any Parquet file."},
		{Rules: []string{"SCDL-047", "SCDL-102", "model.truncated"}, By: "bionemo-scdl (numpy)", Text: "mmap length is greater than file size",
			Means: "An array file is shorter than the archive says."},
	}}}

// unreleased is what the package says of archives that other software writes: of arrays in chunks, and of headers that hold the arrays, in
// which it takes the first array for more of the header; and what releases say of labels that only the main branch reads.
func unreleased(ctx context.Context, t *model.Tree, version string) string {
	state := model.StateOf[*archiveState](t)
	if state == nil {
		return ""
	}
	for _, a := range state.archives {
		switch {
		case a.header != nil && a.header.chunked:
			return "The mmap file at … is missing"
		case version != "main" && slices.ContainsFunc(a.folders, func(f features) bool {
			return a.entries[f.dir+"/labels.json"].Regular && !a.entries[f.dir+"/labels.npy"].Regular
		}):
			return "No such file or directory: …labels.npy"
		}
	}
	h := state.header
	if h == nil {
		return ""
	}
	if h.backend.Uint() == 2 {
		return "Invalid backend value: 2"
	}
	if len(h.inline) > 0 {
		r := h.inline[0].Span.Range
		if b, err := t.Bytes(ctx, model.Range{Space: r.Space, Off: r.Off, Len: min(r.Len, 4)}); err == nil && !bytes.Equal(b, make([]byte, 4)) {
			return "Insufficient data for string: need"
		}
	}
	return ""
}
