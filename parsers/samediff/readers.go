package samediff

import "spandrel/model"

// readers are those of the format, and what they say of broken rules, as people report it. The more particular come first.
var readers = []*model.Software{
	{Name: "nd4j", Title: "ND4J", Reactions: []model.Reaction{
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
