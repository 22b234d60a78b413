package npy

import (
	"spandrel/model"
	"spandrel/parsers/internal/zipfile"
)

var rules = model.NewRules("NPY")

var (
	badMagic = rules.Error(1, "the file does not begin with the NumPy signature",
		"numpy refuses it, or takes it for Python objects. Usually it is another file under this name, or its beginning was overwritten.", "numpy.lib.format").Worth(40)
	badHeader = rules.Error(2, "the header cannot be read by numpy",
		"numpy needs a dict of exactly descr, fortran_order and shape, and loads nothing without it. Usually it was edited by hand, or bytes of it are damaged.", "numpy.lib.format").Worth(24)
	tooShort = rules.Error(3, "the file ends before the array does",
		"numpy refuses to load it. Usually a download or a save was interrupted; the elements before the end are whole. It may also be that the shape was edited.", "numpy.lib.format")
	bytesBehind = rules.Warning(4, "extra bytes follow the last element",
		"numpy does not read them. Usually the shape was made smaller, or something was appended to the file.", "numpy.lib.format")
	notDecoded = rules.Note(5, "the element type can be shown as bytes only",
		"Python objects are shown as the instructions of the pickle that makes them, which are never run because they can do anything, and structures of more than 1,000 values have more columns than can be read.", "numpy.lib.format")
	longHeader = rules.Error(6, "the header is longer than numpy accepts from an untrusted file",
		"numpy refuses the file unless it is given max_header_size or allow_pickle. Real headers are much shorter.", "numpy.lib.format")
	noFeed = rules.Warning(7, "the header does not end with a line feed",
		"Every writer ends it so. Usually the length of the header is wrong, and elements are taken for header or the other way round.", "numpy.lib.format").Worth(16)
	noStop = rules.Error(8, "the Python objects of the array are truncated",
		"The pickle that makes them ends without its last instruction, so Python refuses it: \"pickle data was truncated\". Usually a save or a download was interrupted, or bytes of it are damaged.", "pickletools")
	noDirectory = rules.Error(10, "the directory of the archive cannot be read",
		"It stands at the end of the file and says where the arrays are, so numpy finds none. Usually a download was cut; the arrays in front of that are whole.", "numpy.savez").Worth(24)
	noMember = rules.Error(11, "the directory lists an array that is not at the given place",
		"numpy cannot load it. Usually bytes were put into the file or taken out of it.", "numpy.savez")
	differs = rules.Error(12, "an array's own header and the directory of the archive disagree",
		"Some readers believe the one, some the other. One of the two was damaged or edited alone.", "numpy.savez")
	junk = rules.Warning(13, "extra bytes precede or follow the archive",
		"numpy passes over them; other tools may not.", "numpy.savez")
	wrongData = rules.Error(14, "the bytes of an array do not match its checksum",
		"Their checksum says so: they were damaged in transit or on the disk, or edited without it. numpy refuses the array.", "numpy.savez").Worth(32)
	noArray = rules.Warning(15, "a member of the archive is not a NumPy array",
		"numpy gives its bytes as they are. Usually something else was put into the archive.", "numpy.savez")
)

// zipRules are what problems of the archive are reported as.
var zipRules = map[zipfile.Kind]*model.Rule{
	zipfile.NoDirectory: noDirectory, zipfile.NoMember: noMember, zipfile.Differs: differs, zipfile.Junk: junk, zipfile.WrongData: wrongData,
}
