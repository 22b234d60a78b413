package scdl

import (
	"bytes"
	"context"

	"spandrel/model"
)

const (
	measured = "measured with 0.1.3"
	source   = "its source"
)

// readers are those of the format, what they do about broken rules and what they say, in the order in which they look.
var readers = []*model.Software{{Name: "bionemo-scdl", Title: "bionemo-scdl", Folder: "archive", Versions: []string{"0.1"}, Beyond: unreleased,
	Reactions: []model.Reaction{
		{Does: model.Refuses, Rules: model.IDs("SCDL", 1), Source: measured, Text: "Header data too short: … bytes < 16 bytes minimum",
			Means: "The file is shorter than the fixed part of a header: usually a copy or a save was interrupted."},
		{Does: model.Refuses, Rules: model.IDs("SCDL", 2), Source: source},
		{Does: model.Refuses, Rules: model.IDs("SCDL", 3), Source: measured, Text: "Invalid endianness: … (must be 1 for NETWORK)"},
		{Does: model.Refuses, Rules: model.IDs("SCDL", 4), Source: measured, Text: "Invalid backend value:",
			Means: "The byte that says how arrays are stored is damaged, or the archive is chunked, which no release reads."},
		{Does: model.Refuses, Rules: model.IDs("SCDL", 10), Source: measured, Text: "Insufficient data for string: need"},
		{Does: model.Refuses, Rules: model.IDs("SCDL", 7, 8, 19), Source: measured, Text: "Insufficient data for uint"},
		{Does: model.Refuses, Rules: model.IDs("SCDL", 12), Source: measured, Text: "Cannot decode UTF-8 string:"},
		{Does: model.Refuses, Rules: model.IDs("SCDL", 15), Source: measured, Text: "Invalid ArrayDType value:"},
		model.Refuses.Of(measured, model.IDs("SCDL", 32)...),
		{Does: model.Refuses, Rules: model.IDs("SCDL", 50), Source: measured, Text: "Error: the metadata file … does not exist"},
		{Does: model.Refuses, Rules: model.IDs("SCDL", 41), Source: measured, Text: "KeyError: 'data.npy'"},
		{Does: model.Refuses, Rules: model.IDs("SCDL", 42), Source: measured, Text: "data type 'string' not understood"},
		{Does: model.Refuses, Rules: model.IDs("SCDL", 45, 100), Source: measured, Text: "The mmap file at … is missing",
			Means: "An array file of the archive is missing: usually the copy is incomplete."},
		{Does: model.Refuses, Rules: model.IDs("SCDL", 46), Source: measured, Text: "Size of available data is not a multiple of the data-type size"},
		{Does: model.Refuses, Rules: model.IDs("SCDL", 61, 66, 73), Source: source},
		{Does: model.Refuses, Rules: model.IDs("SCDL", 65), Grade: model.Error, Source: measured, Text: "Cannot safely load labels.npy in … because it contains pickled objects"},
		{Does: model.Fails, Rules: model.IDs("SCDL", 67), Source: measured, Text: "The number of rows in the feature index … does not correspond to"},
		model.Fails.Of(source, model.IDs("SCDL", 83)...),
		model.Misreads.Of(measured, model.IDs("SCDL", 49, 54, 62, 63, 71, 80, 81, 82, 84, 91, 94)...),
		model.Misreads.Of(source, model.IDs("SCDL", 48, 60, 92, 93)...),
		model.Ignores.Of(measured, model.IDs("SCDL", 6, 11, 17, 20, 21, 30, 33, 34, 35, 37, 38, 39, 43, 47, 51, 53, 68, 69, 85, 86)...),
		model.Ignores.Of(source, model.IDs("SCDL", 5, 13, 14, 16, 18, 31, 36, 52, 55, 64, 70, 72, 90, 110, 111)...),
		{Rules: []string{"SCDL-047", "SCDL-102", "model.truncated"}, By: "bionemo-scdl (numpy)", Text: "mmap length is greater than file size",
			Means: "An array file is shorter than the archive says."},
	}}}

// unreleased is what releases say of archives that other software writes: of arrays in chunks, and of headers that hold the arrays, in
// which they take the first array for more of the header.
func unreleased(ctx context.Context, t *model.Tree, _ string) string {
	state := model.StateOf[*archiveState](t)
	if state == nil {
		return ""
	}
	for _, a := range state.archives {
		if a.header != nil && a.header.chunked {
			return "The mmap file at … is missing"
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
