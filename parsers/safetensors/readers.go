package safetensors

import (
	"context"

	"spandrel/model"
)

const measured = "measured with 0.3 to 0.8"

// readers are the readers of the format: their reactions to violated rules and their messages, in the order of their checks. Since 0.6
// safetensors prints its errors in words.
var readers = []*model.Software{{Name: "safetensors", Title: "safetensors", Beyond: newerType,
	Versions: []string{"0.3", "0.4", "0.5", "0.6", "0.7", "0.8"},
	Reactions: []model.Reaction{
		refuses("STS-002", "header too large", "HeaderTooLarge", "The first 8 bytes, which are the length of the header, give more than readers "+
			"allow: usually the file is something else, such as a Git-LFS pointer or a web page.", false),
		refuses("STS-002", "header too large", "HeaderTooLarge", "The first 8 bytes, which are the length of the header, give more than readers "+
			"allow: usually the file is something else, such as a Git-LFS pointer or a web page.", true),
		refuses("STS-001", "invalid header length", "InvalidHeaderLength", "The header is longer than the file.", false),
		refuses("STS-001", "invalid header length", "InvalidHeaderLength", "The header is longer than the file.", true),
		{Rules: []string{"STS-001", "model.truncated", "model.unknown"}, Text: "header too small", Means: tooSmall},
		{Rules: []string{"STS-001", "model.truncated", "model.unknown"}, Text: "HeaderTooSmall", Means: tooSmall},
		{Rules: []string{"STS-003", "STS-001", "model.blank", "model.unknown"}, Text: "EOF while parsing a value at line 1 column 0",
			Means: "The header is empty: usually the file consists of zeros, because space for it was reserved and never filled."},
		{Rules: []string{"STS-003"}, Text: "trailing characters at line", Means: "Text follows the JSON object of the header."},
		{Does: model.Refuses, Rules: []string{"STS-006"}, From: "0.6", Source: measured, Text: "unknown variant",
			Means: "The data type of a tensor is unknown to the reader: the header is damaged, or the file needs a newer reader.",
			Do:    "Update safetensors: 0.4.5 reads F8_E4M3 and F8_E5M2, 0.6 F4, F6 and F8_E8M0, 0.7 C64, 0.8 the FNUZ types."},
		{Does: model.Refuses, Rules: []string{"STS-011"}, From: "0.6", Source: "measured with 0.8", Text: "expected a string at line",
			Means: "A value of the metadata in the header is not text."},
		{Rules: []string{"STS-003"}, Text: "invalid UTF-8 in header", Means: "The header contains bytes that are not UTF-8."},
		{Does: model.Refuses, Rules: []string{"STS-003", "STS-005"}, From: "0.6", Source: "measured with 0.8", Text: "invalid JSON in header", Means: otherJSON},
		{Does: model.Refuses, Rules: []string{"STS-003", "STS-005", "STS-006", "STS-011"}, To: "0.5", Source: "measured with 0.4",
			Text: "InvalidHeaderDeserialization", Means: otherJSON},
		refuses("STS-009", "invalid offset for tensor", "InvalidOffset", "The bytes of a tensor do not begin where those of the tensor before it end.", false),
		refuses("STS-009", "invalid offset for tensor", "InvalidOffset", "The bytes of a tensor do not begin where those of the tensor before it end.", true),
		refuses("STS-007", "invalid shape, data type, or offset for tensor", "TensorInvalidInfo", "The shape and type of a tensor do not match the number of its bytes.", false),
		refuses("STS-007", "invalid shape, data type, or offset for tensor", "TensorInvalidInfo", "The shape and type of a tensor do not match the number of its bytes.", true),
		refuses("STS-008", "incomplete metadata, file not fully covered", "MetadataIncompleteBuffer", notCovered, false),
		refuses("STS-008", "incomplete metadata, file not fully covered", "MetadataIncompleteBuffer", notCovered, true),
		{Does: model.Refuses, Rules: []string{"STS-020"}, From: "0.6", When: model.Says("too large"), Source: measured, Text: "invalid offset for tensor",
			Means: "The bytes of a tensor do not begin where those of the tensor before it end."},
		{Does: model.Refuses, Rules: []string{"STS-020"}, From: "0.6", Source: measured, Text: "invalid shape, data type, or offset for tensor",
			Means: "The shape and type of a tensor do not match the number of its bytes."},
		model.Refuses.Of("measured with 0.4 and 0.8", "STS-010"), // a hole is an invalid offset, trailing bytes are not covered
		{Rules: []string{"STS-010", "STS-013", "model.truncated"}, Text: "incomplete metadata, file not fully covered", Means: notCovered},
		model.Ignores.Of("measured with 0.8", "STS-012"),
		model.Refuses.Of("its source", "model.unknown"),
		{Rules: []string{"STS-007", "STS-008"}, Text: "overflow computing buffer size from shape and/or element type", Means: overflow},
		{Rules: []string{"STS-007", "STS-008"}, Text: "ValidationOverflow", Means: overflow},
		{Text: "share memory, this will lead to duplicate memory", Means: "The model to be saved has two tensors over the same memory, which the format cannot express; nothing is wrong with a file.",
			Do: "Save it with safetensors.torch.save_model, or clone one of the tensors first."},
		{Text: "You are trying to save a non contiguous tensor", Means: "A tensor to be saved is a view of another one; nothing is wrong with a file.",
			Do: "Call .contiguous() on it first."},
		{Rules: []string{"STS-015", "STS-021"}, Text: "File does not contain tensor", Means: "The index lists a tensor that its shard does not contain."},
	}}, {Name: "transformers", Title: "transformers", Folder: "checkpoint", Reactions: []model.Reaction{
	{Rules: []string{"STS-013"}, Text: "No such file or directory: …-of-….safetensors", Means: "A file of a sharded model is missing."},
	{Rules: []string{"STS-013"}, Text: "does not appear to have a file named …-of-….safetensors", Means: "A file of a sharded model is missing."},
	{Rules: []string{"STS-018"}, Text: "no file named … found in directory",
		Means: "The folder contains neither a single model file nor the index of a sharded model."},
	{Rules: []string{"model.unknown", "STS-002", "STS-001"}, Text: "cloned a repository without having git-lfs installed",
		Means: "The file is a Git LFS pointer of a few lines: the model itself was never downloaded.", Do: "Run git lfs install and git lfs pull in that folder."},
	{Text: "does not contain the valid metadata", Means: "The metadata of the file have no \"format\", by which transformers knows the framework that saved it. The tensors are not affected.",
		Do: "Save the file again with metadata={\"format\": \"pt\"}."},
	{Text: "size mismatch for", By: "PyTorch", Means: "A tensor of the file has another shape than the model: they are of different versions or sizes. The file is not damaged by that.",
		Do: "spandrel table PATH tensors lists the shapes in the file."},
	{Rules: []string{"STS-015", "STS-014", "STS-013", "STS-021"}, Text: "were not initialized from the model checkpoint",
		Means: "Some tensors of the model are in none of the loaded files: a shard is from another save, or the index does not list it."},
}}}

const (
	tooSmall   = "The file is shorter than the 8 bytes that give the length of the header."
	otherJSON  = "The header is not the JSON that the reader expects."
	overflow   = "The shape of a tensor is impossibly large: a dimension is damaged."
	notCovered = "The file does not end where its last tensor ends: it is truncated, or has bytes that belong to no tensor."
)

// refuses is the message of safetensors about a rule since 0.6, or the earlier one.
func refuses(rule, text, before, means string, old bool) model.Reaction {
	x := model.Reaction{Does: model.Refuses, Rules: []string{rule}, From: "0.6", Source: measured, Text: text, Means: means}
	if old {
		x.Text, x.From, x.To = before, "", "0.5"
	}
	return x
}

// since is the first version of safetensors that reads a type, if that is not the oldest known.
var since = map[string]string{"F8_E4M3": "0.4", "F8_E5M2": "0.4", "F4": "0.6", "F6_E2M3": "0.6", "F6_E3M2": "0.6", "F8_E8M0": "0.6", "C64": "0.7",
	"F8_E4M3FNUZ": "0.8", "F8_E5M2FNUZ": "0.8"}

// newerType is the message of a version of safetensors about a tensor of unknown type.
func newerType(_ context.Context, t *model.Tree, version string) string {
	for _, x := range model.StateOf[*file](t).tensors {
		switch from := since[x.typ.Text()]; {
		case from == "" || from <= version: // both are 0.N
		case version < "0.6":
			return "InvalidHeaderDeserialization"
		default:
			return "unknown variant `" + x.typ.Text() + "`"
		}
	}
	return ""
}
