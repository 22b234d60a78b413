package npy

import (
	"spandrel/model"
	"spandrel/parsers/internal/zipfile"
)

var rules = model.NewRules("NPY")

var (
	badMagic = rules.Error(1, "the file does not begin with the NumPy signature",
		"numpy rejects it, or tries to load it as a pickle. Usually it is another file saved under this name, or its beginning was overwritten.", "numpy.lib.format").Worth(40)
	badHeader = rules.Error(2, "the header cannot be read by numpy",
		"numpy needs a dict of exactly descr, fortran_order and shape, and loads nothing without it. Usually it was edited by hand, or some of its bytes are damaged.", "numpy.lib.format").Worth(24)
	tooShort = rules.Error(3, "the file ends before the array does",
		"numpy will not load it. Usually a download or a save was interrupted; the elements before the end are intact. The shape may also have been edited.", "numpy.lib.format")
	bytesBehind = rules.Warning(4, "extra bytes follow the last element",
		"numpy does not read them. Usually the shape was reduced, or something was appended to the file.", "numpy.lib.format")
	notDecoded = rules.Note(5, "the element type can be shown as bytes only",
		"Python objects are shown as pickle instructions, which are never run because they can execute anything. Structures of more than 1,000 values have too many columns to show.", "numpy.lib.format")
	longHeader = rules.Error(6, "the header is longer than numpy accepts from an untrusted file",
		"numpy rejects the file unless max_header_size or allow_pickle is given. Real headers are much shorter.", "numpy.lib.format")
	noFeed = rules.Warning(7, "the header does not end with a line feed",
		"Every writer ends it with one. Usually the header length is wrong, so elements are read as header, or the other way round.", "numpy.lib.format").Worth(16)
	noStop = rules.Error(8, "the Python objects of the array are truncated",
		"The pickle that creates them ends without its last instruction, and Python fails with \"pickle data was truncated\". Usually a save or a download was interrupted, or some of its bytes are damaged.", "pickletools")
	wrongLength = rules.Error(9, "the header does not have the length that header_len says",
		"numpy reads the values from where header_len says that they begin, without an error. Usually the text of the header was edited in place, by sed or in an editor, and became longer or shorter.", "numpy.lib.format").Worth(40)
	noDirectory = rules.Error(10, "the directory of the archive cannot be read",
		"The directory is at the end of the file and says where the arrays are, so numpy finds none. Usually a download was truncated; the arrays before that point are intact.", "numpy.savez").Worth(24)
	noMember = rules.Error(11, "the directory lists an array that is not at the given place",
		"numpy cannot load it. Usually bytes were inserted into the file or removed from it.", "numpy.savez")
	differs = rules.Error(12, "an array's own header and the directory of the archive disagree",
		"Some readers trust one, some the other. One of the two was damaged, or edited on its own.", "numpy.savez")
	junk = rules.Warning(13, "extra bytes precede or follow the archive",
		"numpy skips them; other tools may not.", "numpy.savez")
	wrongData = rules.Error(14, "the bytes of an array do not match its checksum",
		"They were damaged in transit or on disk, or edited without updating the checksum. numpy rejects the array.", "numpy.savez").Worth(32)
	noArray = rules.Warning(15, "a member of the archive is not a NumPy array",
		"numpy returns its bytes unchanged. Usually something else was added to the archive.", "numpy.savez")
	otherType = rules.Error(16, "the values are those of another type than the header says",
		"numpy loads them without an error, as numbers that are far too large and far too small. Usually the type was edited in the header, or a script wrote the bytes of one type under another.", "numpy.lib.format").Worth(20).Silent()
	headInside = rules.Error(17, "the header of another array is among the values",
		"numpy reads it as values, and everything after it from the wrong place, without an error. Usually files were joined with cat, and the shape was edited to that of all of them.", "numpy.lib.format").Worth(40).Silent()
	otherPitch = rules.Warning(18, "the rows are further apart than the shape says",
		"numpy loads the array without an error, and nearly all values in wrong columns. Usually a buffer whose rows are padded, such as an image or memory of a GPU, was written as it is.", "numpy.lib.format")
)

// zipRules report the problems of the archive.
var zipRules = map[zipfile.Kind]*model.Rule{
	zipfile.NoDirectory: noDirectory, zipfile.NoMember: noMember, zipfile.Differs: differs, zipfile.Junk: junk, zipfile.WrongData: wrongData,
}
