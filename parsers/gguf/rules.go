package gguf

import "spandrel/model"

var rules = model.NewRules("GGUF")

var (
	badMagic = rules.Error(1, "the file does not begin with GGUF",
		"Readers look at these 4 bytes first and refuse the file. Usually it is another file under this name, or its beginning was "+
			"overwritten.", "gguf_header_t").Worth(32)
	badVersion = rules.Error(2, "the format version is unknown",
		"Readers know versions 2 and 3 and refuse others. A file of version 1 has to be converted again from the original "+
			"model.", "gguf_header_t")
	bigEndian = rules.Note(3, "the file is big-endian",
		"Only machines with that byte order (s390x) load it with llama.cpp; gguf-convert-endian turns it round.", "gguf_header_t")
	badKind = rules.Error(4, "the type of a metadata value is unknown",
		"How long the value is follows from its type, so readers can read nothing after it and refuse the file. Usually a byte before it is "+
			"damaged.", "gguf_metadata_value_type")
	keyTwice = rules.Error(5, "two metadata pairs have the same key",
		"llama.cpp and the Python package refuse the file. Usually metadata was added by a script that did not look whether it was "+
			"there.", "gguf_metadata_kv_t")
	badStrings = rules.Error(6, "the strings of an array extend past the end of the file",
		"The number of strings, or the length of one of them, leads past the end of the file, so nothing after it can be read. Usually the "+
			"file is truncated, or a length is damaged.", "gguf_metadata_value_t")
	nested = rules.Warning(7, "an array contains arrays",
		"The specification allows it, but llama.cpp refuses the file, and the Python package reads all items as one "+
			"list.", "gguf_metadata_value_t")
	badAlignment = rules.Error(8, "the alignment is not a power of two of type UINT32",
		"general.alignment says where the data of the tensors begins. Readers refuse another value.", "general.alignment")
	noArchitecture = rules.Warning(9, "general.architecture is missing",
		"llama.cpp needs it to know what the tensors are, and refuses the model. Programs with a format of their own in GGUF may do "+
			"without.", "general.architecture")
	nameLong = rules.Error(10, "the name of a tensor is longer than 63 bytes",
		"ggml has no room for it, and llama.cpp refuses the file.", "gguf_tensor_info_t")
	nameTwice = rules.Error(11, "two tensors have the same name",
		"llama.cpp and the Python package refuse the file, since one of the two could never be found.", "gguf_tensor_info_t")
	badDims = rules.Error(12, "a tensor has more than 4 dimensions",
		"ggml knows at most 4, and llama.cpp refuses the file. Usually the number is damaged.", "gguf_tensor_info_t")
	badType = rules.Error(13, "the type of a tensor is unknown",
		"Readers do not know how long its data is and refuse the file. It was written by a newer program, has a type that was given up "+
			"(Q4_2, Q4_0_4_4), or is damaged.", "ggml_type")
	badRow = rules.Error(14, "the shape of a tensor is impossible",
		"The first dimension of a quantised tensor is a multiple of its block, and no tensor has more values than 64 bits can count. "+
			"Readers refuse the file.", "gguf_tensor_info_t")
	badOffset = rules.Error(15, "a tensor does not start where the one before it ends",
		"Tensors follow each other, each padded to the alignment, and llama.cpp refuses the file where an offset says "+
			"otherwise.", "gguf_tensor_info_t")
	wrongSize = rules.Error(16, "the shape of a tensor does not match its data",
		"Shape and type say how many bytes a tensor has, and the next tensor begins elsewhere: llama.cpp refuses the file. Usually one of "+
			"the numbers was edited alone.", "gguf_tensor_info_t")
	outside = rules.Error(17, "the data of a tensor lies outside the file",
		"The file ends before the tensor does. Usually a download or a copy was interrupted; the tensors before that place are "+
			"whole.", "File structure")
	trailing = rules.Warning(18, "bytes follow the last tensor",
		"Readers ignore them. Usually a tensor was removed from the header alone, or something was appended to the file.", "File structure")
	padded = rules.Warning(19, "padding is not zero",
		"Readers ignore it, but every writer fills it with zeros: the alignment may be another, and the tensors elsewhere than they are "+
			"read.", "File structure").Worth(24)
	noShard = rules.Error(20, "a file of a split model is missing",
		"llama.cpp needs all files of a model beside each other and refuses it. Usually a download of several files was interrupted, or a "+
			"file was renamed.", "split").Worth(24)
	badSplit = rules.Error(21, "the split information in the metadata does not match the file name",
		"llama.cpp finds the other files by name, number and count, and refuses the model where they differ. Usually a file was renamed by "+
			"hand.", "split")
	splitCount = rules.Error(22, "the files of the model do not contain as many tensors as the metadata says",
		"split.tensors.count is the sum of all files. llama.cpp refuses the model: a file is of another model or of another "+
			"conversion.", "split")
	notText = rules.Warning(23, "a key or a name is not valid text",
		"Writers use printable characters for keys and names of tensors. Usually a length before it is damaged, and other bytes are taken "+
			"for text.", "gguf_string_t").Worth(16)
	headGoesOn = rules.Error(24, "the padding between header and data is not zero",
		"Every writer fills it with zeros: the header has more pairs or tensors than it counts, or the alignment is another, and all "+
			"tensors are read from the wrong place.", "File structure").Worth(24)
	otherAlignment = rules.Error(25, "the tensors are not aligned as the metadata says",
		"Where the data begins and where each tensor is follows from general.alignment, or is 32 where it is missing: llama.cpp refuses the "+
			"file. All offsets and the length of the file agree on the other one.", "general.alignment").Worth(32)
	otherSize = rules.Warning(26, "a size in the metadata does not match the tensors",
		"llama.cpp looks for the tensors that it expects by the metadata, and refuses a model where one is missing or has another shape. "+
			"Other programs do not compare them.", "LLM")
	badText = rules.Warning(27, "a string in the metadata is not valid UTF-8",
		"The Python package opens the file, and fails when it is asked for the value; llama.cpp takes the bytes as they are. Usually a byte is "+
			"damaged, or an old converter wrote tokens as bytes.", "gguf_string_t")
)
