package npy

import (
	"context"

	"spandrel/model"
	"spandrel/parsers/internal/npyfile"
	"spandrel/parsers/internal/zipfile"
)

const measured = "measured with 1.23 to 2.4"

// readers are the readers of the format: their reactions to violated rules and their messages, in the order of their checks.
var readers = []*model.Software{{Name: "numpy", Title: "numpy", Versions: []string{"1.23", "1.24", "1.26", "2.0", "2.1", "2.2", "2.3", "2.4"},
	Reactions: []model.Reaction{
		// An archive is opened through its directory; its arrays are read on demand.
		{Does: model.Fails, When: objectsInArchive, Rules: []string{"NPY-005"}, Source: "measured with 2.4"},
		{Does: model.Fails, When: inArchive, Rules: []string{"NPY-001", "NPY-002", "NPY-003", "NPY-006"}, Source: "measured with 2.4"},
		{Does: model.Refuses, When: atStart, Rules: notZip, To: "2.1", Source: measured,
			Text: "Cannot load file containing pickled data when allow_pickle=False", Means: notArray, Do: notTrusted},
		{Does: model.Refuses, When: atStart, Rules: notZip, From: "2.2", Source: measured, Text: "This file contains pickled",
			Means: notArray, Do: notTrusted},
		{Does: model.Refuses, When: says(noZip), Rules: inZip, Source: "measured with 1.26 and 2.4", By: "numpy (zipfile)", Text: noZip,
			Means: "The directory at the end of the archive is missing: the archive is truncated, or it is another kind of file."},
		{Does: model.Refuses, When: says(noMark), Rules: inZip, Source: "measured with 2.4", By: "numpy (zipfile)", Text: noMark,
			Means: "The directory of the archive is not where the end record says."},
		{Does: model.Refuses, When: says(noList), Rules: inZip, Source: "measured with 2.4", By: "numpy (zipfile)", Text: noList,
			Means: "The directory of the archive ends inside an entry."},
		{Does: model.Refuses, When: says(noPlace), Rules: inZip, Source: "measured with 2.4", By: "numpy (zipfile)", Text: noPlace,
			Means: "The end record says that the directory of the archive is longer than the file."},
		{Does: model.Refuses, Rules: []string{"NPY-002"}, Source: "measured with 1.26 and 2.4"},
		{Does: model.Refuses, When: ofObjects, Source: measured, Rules: []string{"NPY-005"}, Text: "Object arrays cannot be loaded when allow_pickle=False",
			Means: "The elements are Python objects, which numpy loads only with allow_pickle=True, because loading them can run code.",
			Do:    "Pass allow_pickle=True if you trust the file, and save the array again with a numeric or string type."},
		{Does: model.Refuses, Rules: []string{"NPY-008"}, Source: "measured with 2.4", By: "Python (pickle)", Text: "pickle data was truncated",
			Means: "The Python objects of the array end in the middle.", Do: "Download or copy the file again: Python objects cannot be read in part."},
		{Does: model.Refuses, Rules: []string{"NPY-006"}, Source: measured, Text: "is large and may not be safe to load securely",
			Means: "The header is longer than numpy reads from an untrusted file.",
			Do:    "Pass max_header_size to numpy.load if you trust the source of the file."},
		{Does: model.Refuses, Rules: []string{"NPY-003"}, From: "2.3", Source: measured, Text: "Failed to read all data",
			Means: "The file ends before the last element that its header counts."},
		{Does: model.Refuses, Rules: []string{"NPY-003"}, To: "2.2", Source: measured, Text: "cannot reshape array of size … into shape",
			Means: "The file contains fewer elements than the shape in its header needs."},
		{Does: model.Refuses, When: tooNew, Rules: []string{"NPY-012"}, Source: "measured with 2.4", By: "numpy (zipfile)", Text: "zip file version",
			Means: "The directory says that an array needs a ZIP version that does not exist."},
		{Does: model.Ignores, When: listed(true), Rules: []string{"NPY-010", "NPY-013"}, Source: "measured with 2.4"},
		{Does: model.Misreads, When: listed(false), Rules: []string{"NPY-010", "NPY-013"}, Source: "measured with 2.4"}, // as an archive of fewer arrays
		{Does: model.Fails, When: says(""), Rules: []string{"NPY-010", "NPY-013"}, Source: "measured with 2.4"},         // the arrays are not where it says
		{Does: model.Fails, Rules: []string{"NPY-011"}, Source: "measured with 1.26 and 2.4"},
		{Does: model.Fails, When: field("name", "nameLength"), Rules: []string{"NPY-012"}, Source: "measured with 2.4", By: "numpy (zipfile)",
			Text: "File name in directory … and header … differ", Means: "The directory of the archive and the array's own header give different names."},
		{Does: model.Fails, When: field("extraLength"), Rules: []string{"NPY-012"}, Source: "measured with 2.4"},
		{Does: model.Ignores, Rules: []string{"NPY-012"}, Source: "measured with 2.4"}, // it believes the directory
		{Does: model.Ignores, When: tooLarge, Rules: []string{"NPY-014"}, Source: "measured with 2.4"},
		{Does: model.Fails, When: inArchive, Rules: []string{"model.undecoded"}, Source: "measured with 2.4"},
		{Does: model.Fails, Rules: []string{"NPY-014"}, Source: "measured with 1.26 and 2.4", By: "numpy (zipfile)", Text: "Bad CRC-32 for file",
			Means: "The bytes of an array do not match their checksum in the archive."},
		{Does: model.Refuses, When: model.Says("too few values"), Rules: []string{"NPY-009"}, From: "2.3", Source: measured, Text: "Failed to read all data",
			Means: "The file ends before the last element that its header counts."},
		{Does: model.Refuses, When: model.Says("too few values"), Rules: []string{"NPY-009"}, To: "2.2", Source: "its source", Text: "cannot reshape array of size … into shape",
			Means: "The file contains fewer elements than the shape in its header needs."},
		model.Misreads.Of("its source", "NPY-009", "NPY-016", "NPY-017", "NPY-018"),
		model.Ignores.Of("measured with 1.26 and 2.4", "NPY-004", "NPY-007", "NPY-013", "NPY-015"),
		model.Refuses.Of("its source", "model.unknown"),
		{Rules: []string{"NPY-001", "NPY-005", "model.unknown"}, Text: "contains pickled", Means: notArray, Do: notTrusted},
		{Rules: []string{"NPY-001", "model.unknown"}, Text: "as a pickle",
			Means: "The file does not begin like a NumPy array, and is not a Python pickle either."},
		{Rules: []string{"NPY-003", "model.truncated"}, Text: "mmap length is greater than file size",
			Means: "The file is shorter than the shape in its header needs, so it cannot be mapped into memory."},
		{Rules: []string{"NPY-003", "NPY-002"}, Text: "Unable to allocate … for an array with shape", Means: tooLargeShape},
		{Rules: []string{"NPY-003", "NPY-002"}, Text: "array is too big; `arr.size * arr.dtype.itemsize`", Means: tooLargeShape},
		{Text: "requested and … written", Means: "The disk became full while the array was saved: that file is truncated.", Do: "Free some space and save the array again."},
		{Rules: []string{"NPY-001", "model.unknown", "model.truncated"}, Text: "No data left in file", Means: "The file is empty."},
		{Rules: []string{"NPY-001", "NPY-002"}, Text: "we only support format version", Means: "The version after the signature is unknown: the header is damaged."},
		{Rules: []string{"NPY-001", "model.unknown"}, Text: "the magic string is not correct", Means: "The file does not begin like a NumPy array."},
		{Rules: unreadableHead, Text: "EOF: reading", Means: "The file ends inside its header, or the length of the header is damaged."},
		{Rules: unreadableHead, Text: "Cannot parse header", Means: "The text of the header, or its length, is damaged."},
		{Rules: unreadableHead, Text: "malformed node or string", By: "numpy (ast)", Means: "The header has a word that is not a value: its text is damaged."},
		{Rules: unreadableHead, Text: "Header is not a dictionary", Means: "The text of the header is damaged."},
		{Rules: unreadableHead, Text: "Header does not contain the correct keys", Means: "The header must have exactly the keys descr, fortran_order and shape."},
		{Rules: unreadableHead, Text: "shape is not valid", Means: "The shape in the header is not a tuple of whole numbers."},
		{Rules: unreadableHead, Text: "fortran_order is not a valid bool", Means: "fortran_order in the header is neither True nor False."},
		{Rules: unreadableHead, Text: "descr is not a valid dtype descriptor", Means: "The header gives a data type that numpy does not know."},
		{Rules: []string{"NPY-005"}, Text: "Array can't be memory-mapped: Python objects in dtype", Means: "The elements are Python objects, which are not stored as they are in memory.",
			Do: "Open the file without mmap_mode, with allow_pickle=True if you trust it."},
		{Rules: []string{"model.undecoded", "NPY-014"}, Text: "while decompressing data", By: "numpy (zlib)", Means: "The compressed bytes of an array are damaged."},
		{Rules: []string{"model.cap", "NPY-012"}, Text: "That compression method is not supported", By: "numpy (zipfile)",
			Means: "An array of the archive is compressed by a method that Python does not know, or the number of the method is damaged."},
		{Rules: []string{"NPY-011", "NPY-012"}, Text: "Bad magic number for file header", By: "numpy (zipfile)",
			Means: "An array is not where the directory of the archive says: bytes were lost or inserted before it, or its header is damaged."},
		{Rules: []string{"NPY-011", "model.truncated"}, Text: "Truncated file header", By: "numpy (zipfile)",
			Means: "The directory of the archive places an array at the end of the file."},
		{Rules: []string{"NPY-012"}, Text: "Overlapped entries", By: "numpy (zipfile)",
			Means: "The directory of the archive lets one array extend into the next: a size or an offset is damaged."},
		{Rules: []string{"NPY-012"}, Text: "Corrupt extra field", By: "numpy (zipfile)", Means: "An extra field in the directory of the archive is damaged, or its length."},
		{Rules: []string{"NPY-012"}, Text: "is encrypted, password required for extraction", By: "numpy (zipfile)",
			Means: "An array of the archive is encrypted, which numpy never does, or the byte that says so is damaged."},
		{Rules: []string{"NPY-010"}, Text: "is not a file in the archive",
			Means: "The archive has no array of that name: it is another archive, its save was interrupted, or its directory is damaged.",
			Do:    "spandrel table PATH lists the arrays that it has."},
		{Text: "invalid load key", By: "Python (pickle)", Rules: []string{"model.unknown", "NPY-001"},
			Means: "Python's pickle was given a file that is not a pickle. The letter is the file's first byte: '<' begins a web page, 'v' a Git LFS pointer, " +
				"'\\x93' a NumPy array.", Do: "Load arrays with numpy.load. " + notTrusted},
		{Text: "can't decode byte 0x93 in position 0", By: "Python", Means: "A NumPy array was opened as text.",
			Do: "Open it in binary mode (\"rb\"), or give its name to numpy.load. Saving it from a text editor destroys it."},
		{Text: "No module named 'numpy._core", By: "Python (pickle)", Means: "Python objects that numpy 2 saved are loaded by numpy 1.",
			Do: "Load the file with numpy 2. Arrays of numbers do not have this problem."},
	}}}

// unreadableHead are the rules for headers that numpy cannot read.
var unreadableHead = []string{"NPY-002", "model.truncated"}

// inZip are the rules for archives whose directory is not found, and notZip those for files that do not begin like one.
var (
	inZip  = []string{"NPY-010", "NPY-011", "NPY-012", "NPY-013"}
	notZip = append([]string{"NPY-001"}, inZip...)
)

const notArray = "The file does not begin like a NumPy array, so numpy takes it for a Python pickle, which it does not load " +
	"unless told to."

const tooLargeShape = "The shape in the header needs more memory than there is: the array is that large, or a dimension is damaged."

const notTrusted = "Do not pass allow_pickle=True before you know what the file is: loading a pickle can run code."

// tooLarge tells whether a finding is that the directory states a size larger than the array.
func tooLarge(ctx context.Context, t *model.Tree, f *model.Finding) bool {
	i, ok := f.About.(zipfile.Issue)
	if !ok || !field("usize")(ctx, t, f) || i.Wants().Kind == model.None {
		return false
	}
	v, err := t.Value(ctx, f.Span)
	return err == nil && v.Uint() > i.Wants().Uint()
}

// tooNew tells whether a finding is that the directory states a ZIP version that zipfile does not know. It reads the lower of the two bytes, and not
// the header before the array.
func tooNew(ctx context.Context, t *model.Tree, f *model.Finding) bool {
	if i, ok := f.About.(zipfile.Issue); !ok || i.Member == nil || f.Span != i.Member.Entry["needs"].Span {
		return false
	}
	v, err := t.Value(ctx, f.Span)
	return err == nil && v.Uint()&0xff > newestZIP
}

// newestZIP is the latest version of ZIP that zipfile reads (MAX_EXTRACT_VERSION).
const newestZIP = 63

// inArchive tells whether a finding is about an array of an archive.
func inArchive(ctx context.Context, t *model.Tree, _ *model.Finding) bool {
	x := model.StateOf[*file](t)
	return x != nil && x.zip != nil
}

// ofObjects tells whether a finding is that the elements are Python objects, or have some.
func ofObjects(ctx context.Context, _ *model.Tree, f *model.Finding) bool {
	return npyfile.Objects(f.Found)
}

func objectsInArchive(ctx context.Context, t *model.Tree, f *model.Finding) bool {
	return inArchive(ctx, t, f) && ofObjects(ctx, t, f)
}

// atStart tells whether the file does not begin like an archive.
func atStart(ctx context.Context, t *model.Tree, _ *model.Finding) bool {
	b, err := t.Bytes(ctx, model.Range{Space: t.Root.Range.Space, Len: 4})
	return err == nil && string(b) != "PK\x03\x04" && string(b) != "PK\x05\x06"
}
