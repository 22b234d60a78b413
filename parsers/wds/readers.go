package wds

import "spandrel/model"

const source = "its source"

// readers are the readers of the format: their reactions to violated rules and their messages.
var readers = []*model.Software{
	{Name: "dali", Title: "NVIDIA DALI", Versions: []string{"1"}, Partly: true, Reactions: []model.Reaction{
		{Does: model.Refuses, Rules: []string{"WDS-001"}, Source: source, Text: "no version signature found", Means: "The index of the archive is empty."},
		{Does: model.Refuses, Rules: []string{"WDS-001"}, Source: source, Text: "no sample count found", Means: "The first line of the index has no number of samples."},
		{Does: model.Refuses, Rules: []string{"WDS-002"}, Source: source, Text: "Unsupported version of the index file", Means: "DALI does not support the version of the index, or its first line is damaged."},
		{Does: model.Refuses, Rules: []string{"WDS-005"}, Source: source, Text: "tar offset is not a multiple of tar block size"},
		{Does: model.Refuses, Rules: []string{"WDS-004"}, Source: source, Text: "Could not find all necessary component parameters"},
		{Does: model.Refuses, Rules: []string{"WDS-003", "WDS-004"}, Source: source, Text: "no extensions provided for the sample", Means: "A line of the index is empty, or the index has fewer lines than its first line says."},
		{Rules: []string{"WDS-001"}, Text: "sample count must be positive", Means: "The number of samples in the first line of the index is 0 or negative."},
		{Rules: []string{"WDS-007", "WDS-006", "WDS-019"}, Text: "Error reading from a file", Means: "The archive ends inside a component: it is truncated, or a size in the index is too large."},
		{Rules: []string{"WDS-001", "WDS-002", "WDS-003", "WDS-004", "WDS-005"}, Text: "Malformed index file at",
			Means: "A line of the index is damaged; the message ends with the number of the line and what is wrong."},
		{Rules: []string{"WDS-006"}, Text: "offset is outside of the archive file", Means: "The archive is shorter than the index says: it is truncated, or a different archive."},
	}},
	{Name: "wids", Title: "wids", Versions: []string{"0.1"}, Partly: true, Reactions: []model.Reaction{
		{Does: model.Refuses, Rules: []string{"WDS-012"}, Source: source, Text: "No wids_version in dataset description", Means: "The index does not give its version."},
		{Does: model.Refuses, Rules: []string{"WDS-012"}, Source: source, Text: "Unknown wids_version"},
		{Does: model.Refuses, Rules: []string{"WDS-013"}, Source: source, Text: "No shards found"},
		{Rules: []string{"WDS-017"}, Text: "MD5 sum mismatch: expected"},
	}},
}
