package idv

import "spandrel/model"

// messages are what readers of the format say, as people report it. The more particular come first.
var messages = []model.Message{
	{Reader: "ML.NET", Text: "Read only … bytes … expected header size of", Rules: []string{"IDV-001", "model.truncated"},
		Means: "The file is shorter than the header of 256 bytes: usually the save that wrote it was interrupted."},
	{Reader: "ML.NET", Text: "beyond the end of the stream", Rules: []string{"IDV-013", "IDV-011", "IDV-053", "model.truncated"},
		Means: "The file ends before a place that its header or its directory refers to: usually it is truncated."},
	{Reader: "ML.NET", Text: "does not appear to be a binary dataview", Rules: []string{"IDV-002", "model.unknown"},
		Means: "The file does not begin with the signature of an IDV file: its first bytes are damaged, or it is another " +
			"kind of file."},
	{Reader: "ML.NET", Text: "Need a valid header", Rules: []string{"IDV-002", "IDV-001"},
		Means: "The file does not begin with a header that ML.NET takes."},
	{Reader: "ML.NET", Text: "Exception thrown in decompressing",
		Rules: []string{"IDV-056", "IDV-057", "IDV-059", "model.undecoded"},
		Means: "A block of a column cannot be decompressed or decoded; ML.NET does not say which one."},
	{Reader: "ML.NET (ZipArchive)", Text: "local file header is corrupt",
		Rules: []string{"model.link", "model.overrun", "model.unknown", "model.truncated"},
		Means: "A member of the model archive is not where the directory of the archive says."},
	{Reader: "ML.NET (ZipArchive)", Text: "End of Central Directory record could not be found",
		Rules: []string{"model.truncated", "model.unknown"},
		Means: "The directory at the end of the model archive is missing: the archive is truncated, or it is another " +
			"kind of file."},
	{Reader: "ML.NET", Text: "Corrupt model file",
		Rules: []string{"IDV-110", "IDV-111", "IDV-112", "model.unknown", "model.truncated"},
		Means: "A member that ML.NET expects in the model archive is missing or cannot be read."},
}
