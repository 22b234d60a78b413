package idv

import "spandrel/model"

const (
	measured = "measured with the loader of 0.6"
	source   = "its source"
)

const loadRows = "Load data files with LoadFromBinary, and models with Model.Load."

const endsBefore = "The file ends before a place that its header or its directory refers to: usually it is truncated."

// readers are the readers of the format: their reactions to violated rules and their messages, in the order of their checks.
var readers = []*model.Software{{Name: "mlnet", Title: "ML.NET", Versions: []string{"0.6", "0.7", "0.8", "0.9", "0.10", "0.11", "1.0", "1.1", "1.2", "1.3", "1.4", "1.5", "1.6",
	"1.7", "2.0", "3.0", "4.0", "5.0"}, Reactions: []model.Reaction{
	{Does: model.Refuses, Rules: model.IDs("IDV", 1), Source: measured, Text: "Read only … bytes … expected header size of",
		Means: "The file is shorter than the header of 256 bytes: usually the save that wrote it was interrupted."},
	{Does: model.Refuses, Rules: model.IDs("IDV", 2), Source: measured, Text: "does not appear to be a binary dataview",
		Means: "The file does not begin with the signature of an IDV file: its first bytes are damaged, or it is another kind of file.",
		Do:    "Load text files with the text loader, and model archives with Model.Load."},
	{Does: model.Refuses, Rules: model.IDs("IDV", 3), Source: measured, Text: "Compatibility version … cannot be greater than file version"},
	{Does: model.Refuses, Rules: model.IDs("IDV", 4, 5), Source: measured, Text: "data, earliest that can be handled is"},
	{Does: model.Refuses, Rules: model.IDs("IDV", 6), Source: measured, Text: "data, latest that can be handled is"},
	{Does: model.Refuses, Rules: model.IDs("IDV", 8), Source: measured, Text: "Row count cannot be negative"},
	{Does: model.Refuses, Rules: model.IDs("IDV", 9), Source: measured, Text: "Column count cannot be negative"},
	model.Refuses.Of(source, model.IDs("IDV", 10, 12)...),
	{Does: model.Refuses, Rules: model.IDs("IDV", 13), Source: measured, Text: "beyond the end of the stream", Means: endsBefore},
	{Does: model.Refuses, Rules: model.IDs("IDV", 14), Source: measured, Text: "Incorrect tail signature"},
	{Does: model.Refuses, Rules: model.IDs("IDV", 11, 20, 21), Source: measured, Text: "beyond the end of the stream", Means: endsBefore},
	{Does: model.Refuses, Rules: model.IDs("IDV", 25), From: "0.10", Source: source},
	{Does: model.Ignores, Rules: model.IDs("IDV", 25), To: "0.6", Source: measured},
	{Does: model.Refuses, Rules: model.IDs("IDV", 27), Source: measured, Text: "Non-empty signature string expected"},
	{Does: model.Refuses, Rules: model.IDs("IDV", 28, 29, 31), Source: measured, Text: "Codec type definition supposedly has … bytes, but"},
	{Does: model.Refuses, Rules: model.IDs("IDV", 34), Source: measured, Text: "One of the identified items was in an invalid format",
		Means: "ML.NET does not accept one of the numbers; it does not say which one."},
	{Does: model.Refuses, Rules: model.IDs("IDV", 35), From: "0.10", Source: source},
	{Does: model.Refuses, Rules: model.IDs("IDV", 40), Source: measured, Text: "Lookup table offset out of range"},
	model.Refuses.Of(source, model.IDs("IDV", 22, 32, 33, 37, 38, 42)...),
	// Since 0.10 metadata are read when the file is opened; before, on demand.
	{Does: model.Refuses, Rules: model.IDs("IDV", 80, 81, 82, 83, 86, 87, 88), From: "0.10", Source: source},
	{Does: model.Fails, Rules: model.IDs("IDV", 80), To: "0.9", Source: measured, Text: "Bad number of metadata TOC entries read"},
	{Does: model.Fails, Rules: model.IDs("IDV", 86), To: "0.9", Source: measured, Text: "Metadata block offset out of range"},
	{Does: model.Fails, Rules: model.IDs("IDV", 87), To: "0.9", Source: measured, Text: "Metadata block size out of range"},
	{Does: model.Fails, Rules: model.IDs("IDV", 84, 88), To: "0.9", Source: measured},
	{Does: model.Fails, Rules: model.IDs("IDV", 51), Source: measured, Text: "negative compressed block length detected"},
	{Does: model.Fails, Rules: model.IDs("IDV", 53), Source: measured, Text: "block offset out of range"},
	{Does: model.Fails, Rules: model.IDs("IDV", 64), Source: measured, Text: "Invalid bit pattern in BoolCodec"},
	{Does: model.Fails, Rules: model.IDs("IDV", 66), Source: measured, Text: "Ticks must be between DateTime.MinValue.Ticks"},
	{Does: model.Fails, Rules: model.IDs("IDV", 67), Source: measured, Text: "Offset must be within plus or minus 14 hours"},
	{Does: model.Fails, Rules: append(model.IDs("IDV", 56, 60, 61, 62, 68, 69, 70, 71, 72), "model.undecoded"), Source: measured,
		Text: "Exception thrown in decompressing", Means: "A block of a column cannot be decompressed or decoded; ML.NET does not say which one."},
	model.Fails.Of(measured, model.IDs("IDV", 59)...),
	model.Fails.Of(source, model.IDs("IDV", 50, 52, 54, 73, 129)...),
	model.Misreads.Of(measured, model.IDs("IDV", 30, 44, 63, 74, 75)...),
	model.Misreads.Of(source, model.IDs("IDV", 26, 49, 36, 84, 85, 104, 128)...),
	model.Ignores.Of(measured, model.IDs("IDV", 15, 23, 39, 41, 65, 92, 100, 102)...),
	model.Ignores.Of(source, model.IDs("IDV", 7, 16, 17, 24, 43, 55, 57, 58, 89, 90, 91, 93, 94, 103)...),
	model.Refuses.Of(source, "model.unknown"),
	{Rules: model.IDs("IDV", 10, 11), Text: "Table of contents offset … less than header size"},
	{Rules: model.IDs("IDV", 12, 13), Text: "Tail offset … less than header size"},
	{Rules: model.IDs("IDV", 20, 21, 22), Text: "LEB128 encoded integer exceeded expected length", Means: "A length in the directory of columns is damaged."},
	{Rules: model.IDs("IDV", 28, 29), Text: "Codec type definition read from stream too large"},
	{Rules: model.IDs("IDV", 37), Text: "Bad number of rows per block"},
	{Rules: model.IDs("IDV", 20, 21, 29, 11), Text: "unexpected offsets after", Means: "A text or a number in the directory of columns has another length than it should."},
	{Rules: model.IDs("IDV", 82), Text: "Metadata kind must be non-empty string"},
	{Rules: model.IDs("IDV", 83), Text: "Duplicate metadata kind read from file"},
	{Rules: model.IDs("IDV", 52), Text: "negative decompressed block length detected"},
	{Rules: model.IDs("IDV", 36), Text: "unrecognized compression codec"},
	{Rules: model.IDs("IDV", 30, 31), Text: "Could not get codec for requested column", Means: "ML.NET does not know the type of a column: it is damaged, or was registered by a program of its own."},
	{Rules: model.IDs("IDV", 112), Text: "Failed to open a zip archive", Means: "The model is not an archive: it is truncated, or another kind of file.", Do: loadRows},
	{Rules: []string{"IDV-110", "IDV-111", "IDV-112", "model.unknown", "model.truncated"}, Text: "Could not load legacy format model",
		Means: "A member of the model archive is missing or cannot be read.", Do: loadRows},
	{Rules: []string{"IDV-112", "model.unknown", "model.truncated"}, Text: "Repository doesn't contain entry", Means: "A member that ML.NET expects in the model archive is missing."},
	{Text: "binary loader must be created with one file", Means: "LoadFromBinary was given several files or a pattern.", Do: "Load one file at a time."},
	{Text: "Unknown loadable class", Means: "The model needs a component that this program did not load.", Do: "Add the NuGet package that has the component, in the version that saved the model."},
	{Text: "Could not find input column", Means: "The data have no column of that name. Names are compared exactly.", Do: "spandrel table PATH lists the columns."},
	{Rules: model.IDs("IDV", 2, 1), Text: "Need a valid header", Means: "The file does not begin with a header that ML.NET accepts."},
	{By: "ML.NET (ZipArchive)", Text: "local file header is corrupt",
		Rules: []string{"model.link", "model.overrun", "model.unknown", "model.truncated"},
		Means: "A member of the model archive is not where the directory of the archive says."},
	{By: "ML.NET (ZipArchive)", Text: "End of Central Directory record could not be found",
		Rules: []string{"model.truncated", "model.unknown"},
		Means: "The directory at the end of the model archive is missing: the archive is truncated, or it is another kind of file."},
	{Text: "Corrupt model file", Rules: []string{"IDV-110", "IDV-111", "IDV-112", "model.unknown", "model.truncated"},
		Means: "A member that ML.NET expects in the model archive is missing or cannot be read."},
}}}
