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
		{Text: "File too small to be a valid SDNB file", Rules: []string{"SDF-008", "model.truncated"}, Means: "The file is shorter than the 32 bytes of its header."},
		{Text: "Invalid header offsets/lengths in file", Rules: []string{"SDF-051", "SDF-052", "SDF-053", "model.truncated"},
			Means: "The header places the manifest outside the file: the file is truncated, the save was interrupted, or the header is damaged."},
		{Text: "Failed to deserialize manifest from file", Rules: []string{"SDF-055", "SDF-056", "SDF-058", "model.truncated"},
			Means: "The manifest, which says where the arrays are, is damaged or is not where the header says."},
		{Text: "Invalid manifest … for variable", Rules: []string{"SDF-059", "SDF-060"}, Means: "The manifest places an array outside the array data."},
		{Text: "Error parsing FlatBuffer metadata from file", Rules: []string{"SDF-120", "SDF-121", "SDF-126", "SDF-127", "SDF-128"}, Means: "The graph in the file is damaged."},
		{Text: "Unexpected EOF while reading SDNB", Rules: []string{"SDF-053", "SDF-008", "model.truncated"}, Means: "The file ends early: it is truncated."},
		{Text: "Failed during ZIP extraction", Rules: []string{"SDF-080", "SDF-085", "SDF-087", "model.truncated", "model.unknown"},
			Means: "A member of the archive cannot be unpacked: the archive is truncated or damaged."},
		{Text: "Zip Slip vulnerability detected", Rules: []string{"SDF-082"}, Means: "The name of a member leads out of the folder that the archive is unpacked to."},
		{Text: "Unexpected end of ZLIB input stream", By: "Java", Rules: []string{"SDF-085", "SDF-009", "model.truncated", "model.undecoded"}, Means: "Compressed data end early: the archive is truncated."},
		{Text: "ZipException: invalid", By: "Java", Rules: []string{"SDF-085", "SDF-080", "SDF-087", "model.undecoded"}, Means: "Compressed data or a header of the archive are damaged."},
		{Text: "zip END header not found", By: "Java", Rules: []string{"SDF-080", "model.truncated", "model.unknown"},
			Means: "The directory at the end of the archive is missing: the archive is truncated, or it is another kind of file."},
		{Text: "UTFDataFormatException: malformed input", By: "Java", Rules: []string{"SDF-007", "SDF-001", "model.unknown"},
			Means: "The bytes were read as an array of another version: usually the file is an archive of DL4J's ModelSerializer of before 1.0.0-beta.",
			Do:    "Read such archives with ModelSerializer of the version that wrote them."},
		{Text: "Cannot grow buffer beyond 2 gigabytes", By: "FlatBuffers", Rules: []string{"SDF-137"}, Means: "A graph with its arrays cannot be larger than 2 GiB.",
			Do: "Save it as SDNB or SDZ, which store large arrays outside the graph."},
		{Text: "InvalidTypeIdException", Rules: []string{"SDF-158"},
			Means: "The training configuration names a class that ND4J does not have."},
	}},
}

// loaded tells whether a finding is about what ND4J reads of a graph: not the configuration, the metadata, nested graphs, the names of loss variables,
// and not the lists of a property, of which it reads the first that is not empty (FlatBuffersMapper), nor the types of outputs.
func loaded(_ context.Context, _ *model.Tree, f *model.Finding) bool {
	place := f.Path() + " " + f.Found
	return !slices.ContainsFunc([]string{"configuration", "metadata", "nstance", "lossVariables", "properties[", "outputTypes"}, func(part string) bool { return strings.Contains(place, part) })
}

// needed tells whether a finding is about an offset without which ND4J cannot load a graph.
func needed(ctx context.Context, t *model.Tree, f *model.Finding) bool {
	return loaded(ctx, t, f) && slices.ContainsFunc([]string{"variables", "nodes", "outputNames", "id", "updaterState", "opName"},
		func(field string) bool { return strings.Contains(f.Found, " of "+field+" ") })
}
