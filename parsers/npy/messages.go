package npy

import "spandrel/model"

// messages are what readers of the format say, as people report it. The more particular come first.
var messages = []model.Message{
	{Reader: "numpy", Text: "Cannot load file containing pickled data when allow_pickle=False",
		Rules: []string{"NPY-001", "NPY-005", "model.unknown"},
		Means: "The file does not begin as a NumPy array does, and numpy then takes it for a Python pickle, which it " +
			"does not load unless it is told to."},
	{Reader: "numpy", Text: "This file contains pickled", Rules: []string{"NPY-001", "NPY-005", "model.unknown"},
		Means: "The file does not begin as a NumPy array does, and numpy then takes it for a Python pickle, which it " +
			"does not load unless it is told to."},
	{Reader: "numpy", Text: "Object arrays cannot be loaded when allow_pickle=False", Rules: []string{"NPY-005"},
		Means: "The elements are Python objects, which numpy loads only with allow_pickle=True, because loading them can " +
			"run code."},
	{Reader: "numpy", Text: "as a pickle", Rules: []string{"NPY-001", "model.unknown"},
		Means: "The file does not begin as a NumPy array does, and it is no Python pickle either."},
	{Reader: "numpy", Text: "Failed to read all data", Rules: []string{"NPY-003", "model.truncated"},
		Means: "The file ends before the last element that its header counts."},
	{Reader: "numpy", Text: "cannot reshape array of size … into shape", Rules: []string{"NPY-003", "model.truncated"},
		Means: "The file contains fewer elements than the shape in its header needs."},
	{Reader: "numpy", Text: "mmap length is greater than file size", Rules: []string{"NPY-003", "model.truncated"},
		Means: "The file is shorter than the shape in its header needs, so it cannot be mapped into memory."},
	{Reader: "numpy", Text: "No data left in file", Rules: []string{"NPY-001", "model.unknown", "model.truncated"},
		Means: "The file is empty."},
	{Reader: "numpy (zipfile)", Text: "File is not a zip file", Rules: []string{"NPY-010", "NPY-001", "model.unknown"},
		Means: "The directory at the end of the archive is missing: the archive is truncated, or it is another kind of file."},
	{Reader: "numpy (zipfile)", Text: "Bad CRC-32 for file", Rules: []string{"NPY-014", "NPY-013", "NPY-012"},
		Means: "The bytes of an array do not match the checksum that the archive has for them."},
}
