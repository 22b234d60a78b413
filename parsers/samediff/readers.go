package samediff

import (
	"context"
	"slices"
	"strings"

	"spandrel/model"
)

const measured = "measured with 1.0.0-M2.1"

// readers are the readers of the format, and their messages about violated rules as users report them. More specific ones come first. ND4J is known
// to refuse graphs with misplaced parts; its reaction to others depends on operations that only it knows.
var readers = []*model.Software{
	{Name: "nd4j", Title: "ND4J", Partly: true, Reactions: []model.Reaction{
		{Does: model.Refuses, When: loaded, Rules: model.IDs("SDF", 121, 127, 128), Source: measured, Text: "IndexOutOfBoundsException",
			Means: "ND4J followed an offset or a length in the graph and left the file: it is truncated or damaged."},
		{Does: model.Refuses, When: needed, Rules: model.IDs("SDF", 126), Source: measured, Text: "IndexOutOfBoundsException",
			Means: "ND4J followed an offset or a length in the graph and left the file: it is truncated or damaged."},
		{Does: model.Refuses, When: loaded, Rules: model.IDs("SDF", 177), Source: measured, Text: "Unknown datatype:",
			Means: "ND4J knows no data type of that number: a byte of it is damaged."},
		{Text: "FlatGraph.__init",
			Rules: []string{"SDF-001", "SDF-007", "SDF-008", "SDF-120", "SDF-126", "model.unknown", "model.truncated"},
			Means: "ND4J followed the first bytes of the file as an offset and left the file: it is truncated, or it is " +
				"another kind of file."},
		{Text: "is not a constant in …DataBuffer$Type", Rules: []string{"SDF-007", "SDF-001", "model.unknown"},
			Means: "ND4J read the bytes as an array and found a data type that does not exist: usually the file is of " +
				"another kind, such as an archive of DL4J's ModelSerializer."},
		{Text: "Unknown datatype:", Rules: []string{"SDF-151", "SDF-177", "SDF-188"},
			Means: "This ND4J does not read the data type of an array: the file is of 2017 or 2018, or a byte of it is " +
				"damaged."},
		{Text: "Unknown op type passed in", Rules: []string{"SDF-151", "SDF-152"},
			Means: "The kind of an operation is unknown to this ND4J: it is too old for the file, or a byte is damaged."},
		{Text: "No known random op", Rules: []string{"SDF-152"},
			Means: "This ND4J does not know the number of an operation: operations had other numbers in 2018."},
		{Text: "InvalidTypeIdException", Rules: []string{"SDF-158"},
			Means: "The training configuration names a class that ND4J does not have."},
	}},
}

// loaded tells whether a finding is about what ND4J reads of a graph: not the configuration, the metadata, nested graphs, or the
// names of loss variables.
func loaded(_ context.Context, _ *model.Tree, f *model.Finding) bool {
	place := f.Path() + " " + f.Found
	return !slices.ContainsFunc([]string{"configuration", "metadata", "nstance", "lossVariables"}, func(part string) bool { return strings.Contains(place, part) })
}

// needed tells whether a finding is about an offset without which ND4J cannot load a graph.
func needed(ctx context.Context, t *model.Tree, f *model.Finding) bool {
	return loaded(ctx, t, f) && slices.ContainsFunc([]string{"variables", "nodes", "outputNames", "id", "updaterState", "opName"},
		func(field string) bool { return strings.Contains(f.Found, " of "+field+" ") })
}
