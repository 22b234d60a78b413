package taridx

import "spandrel/model"

const measured = "measured with commit 5945015"

// readers are those of the format, what they do about broken rules and what they say, in the order in which they look.
var readers = []*model.Software{{Name: "glzn", Title: "glzn", Versions: []string{"5945015"}, Reactions: []model.Reaction{
	{Does: model.Refuses, Rules: model.IDs("TIX", 2), Source: measured, Text: "Invalid ParseState tar index file!",
		Means: "The file does not begin as an index does: its first bytes are damaged, or it is another kind of file."},
	{Does: model.Refuses, Rules: model.IDs("TIX", 1, 21), Source: measured, Text: "buffer size must be a multiple of element size",
		Means: "The file does not end where a row ends: usually it is truncated."},
	{Does: model.Refuses, Rules: model.IDs("TIX", 9, 10), Source: measured, Text: "read length must be non-negative or -1",
		Means: "An offset in the header is damaged. Where it is too large the reader asks for that much memory instead: MemoryError."},
	model.Refuses.Of("its source", model.IDs("TIX", 11)...),
	{Does: model.Refuses, Rules: model.IDs("TIX", 13), Source: measured, Text: "n_ext does not match extensions in header!",
		Means: "The list of extensions has more or fewer names than the header says."},
	{Does: model.Refuses, Rules: model.IDs("TIX", 22), Source: measured, Text: "n_rows in data do not match header!",
		Means: "The file has more or fewer rows than the header says."},
	model.Fails.Of("its source", model.IDs("TIX", 32, 38, 39, 50)...),
	model.Misreads.Of(measured, model.IDs("TIX", 40, 41, 42, 43, 45, 47)...),
	model.Misreads.Of("its source", model.IDs("TIX", 46, 48, 53, 58)...),
	model.Ignores.Of(measured, model.IDs("TIX", 4, 5, 6, 12, 24, 26, 27, 29, 30, 33, 34, 35, 37, 49, 52, 54, 55)...),
	model.Ignores.Of("its source", model.IDs("TIX", 3, 7, 8, 14, 20, 25, 44, 51)...),
}}}
