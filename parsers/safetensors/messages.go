package safetensors

import "spandrel/model"

// messages are what readers of the format say, as people report it. The more particular come first.
var messages = []model.Message{
	{Reader: "safetensors", Text: "HeaderTooLarge", Rules: []string{"STS-002", "STS-001", "model.unknown"},
		Means: "The first 8 bytes, which are the length of the header, give more than readers allow: usually the file is " +
			"something else, such as a Git-LFS pointer or a web page."},
	{Reader: "safetensors", Text: "header too large", Rules: []string{"STS-002", "STS-001", "model.unknown"},
		Means: "The first 8 bytes, which are the length of the header, give more than readers allow: usually the file is " +
			"something else, such as a Git-LFS pointer or a web page."},
	{Reader: "safetensors", Text: "HeaderTooSmall", Rules: []string{"STS-001", "model.truncated", "model.unknown"},
		Means: "The file is shorter than the 8 bytes that give the length of the header."},
	{Reader: "safetensors", Text: "header too small", Rules: []string{"STS-001", "model.truncated", "model.unknown"},
		Means: "The file is shorter than the 8 bytes that give the length of the header."},
	{Reader: "safetensors", Text: "InvalidHeaderLength", Rules: []string{"STS-001", "model.truncated"},
		Means: "The header is longer than the file."},
	{Reader: "safetensors", Text: "invalid header length", Rules: []string{"STS-001", "model.truncated"},
		Means: "The header is longer than the file."},
	{Reader: "safetensors", Text: "MetadataIncompleteBuffer", Rules: []string{"STS-008", "STS-010", "STS-013", "model.truncated"},
		Means: "The file does not end where its last tensor ends: it is truncated, or has bytes that belong to no tensor."},
	{Reader: "safetensors", Text: "not fully covered", Rules: []string{"STS-008", "STS-010", "model.truncated"},
		Means: "The file does not end where its last tensor ends: it is truncated, or has bytes that belong to no tensor."},
	{Reader: "safetensors", Text: "EOF while parsing a value at line 1 column 0",
		Rules: []string{"STS-003", "STS-001", "model.blank", "model.unknown"},
		Means: "The header is empty: usually the file consists of zeros, because space for it was reserved and never filled."},
	{Reader: "safetensors", Text: "trailing characters at line", Rules: []string{"STS-003"},
		Means: "Text follows the JSON object of the header."},
	{Reader: "safetensors", Text: "unknown variant", Rules: []string{"STS-006"},
		Means: "The data type of a tensor is unknown to the reader: the header is damaged, or the file needs a newer reader."},
	{Reader: "safetensors", Text: "expected a string at line", Rules: []string{"STS-011"},
		Means: "A value of the metadata in the header is not a text."},
	{Reader: "safetensors", Text: "InvalidHeaderDeserialization", Rules: []string{"STS-003", "STS-005", "STS-006", "STS-011"},
		Means: "The header is not the JSON that the reader expects."},
	{Reader: "safetensors", Text: "invalid JSON in header", Rules: []string{"STS-003", "STS-005", "STS-006", "STS-011"},
		Means: "The header is not the JSON that the reader expects."},
	{Reader: "safetensors", Text: "invalid UTF-8 in header", Rules: []string{"STS-003"},
		Means: "The header contains bytes that are not UTF-8."},
	{Reader: "transformers", Text: "No such file or directory: …-of-….safetensors", Rules: []string{"STS-013"},
		Means: "A file of a model in several files is missing."},
}
