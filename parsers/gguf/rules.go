package gguf

import "spandrel/model"

var rules = model.NewRules("GGUF")

var (
	badMagic = rules.Error(1, "the file does not begin with GGUF",
		"Readers check these 4 bytes first and reject the file. Usually it is another file saved under this name, or its "+
			"beginning was overwritten.", "gguf_header_t").Worth(32)
	badVersion = rules.Error(2, "the format version is unknown",
		"Readers accept versions 2 and 3. A version 1 file has to be converted again from the original model. One with a higher version needs newer software, or the number is damaged.", "gguf_header_t")
	bigEndian = rules.Note(3, "the file is big-endian",
		"llama.cpp loads it only on big-endian machines (s390x). gguf-convert-endian swaps the byte order.", "gguf_header_t")
	badKind = rules.Error(4, "the type of a metadata value is unknown",
		"The type determines how long the value is, so nothing after it can be read, and readers reject the file. Usually an "+
			"earlier byte is damaged.", "gguf_metadata_value_type")
	keyTwice = rules.Error(5, "two metadata pairs have the same key",
		"llama.cpp and the Python package reject the file. Usually a script added metadata without checking whether the key "+
			"existed.", "gguf_metadata_kv_t")
	badStrings = rules.Error(6, "the strings of an array extend past the end of the file",
		"The number of strings, or the length of one of them, leads past the end of the file, so nothing after it can be read. Usually the "+
			"file is truncated, or a length is damaged.", "gguf_metadata_value_t")
	nested = rules.Warning(7, "an array contains arrays",
		"The specification allows it, but llama.cpp rejects the file, and the Python package reads all items as one list.", "gguf_metadata_value_t")
	badAlignment = rules.Error(8, "the alignment is not a power of two of type UINT32",
		"general.alignment determines where the tensor data begins. Readers reject any other value.", "general.alignment")
	noArchitecture = rules.Warning(9, "general.architecture is missing",
		"llama.cpp needs it to interpret the tensors and rejects the model. Programs that use GGUF for formats of their own may "+
			"not need it.", "general.architecture")
	nameLong = rules.Error(10, "the name of a tensor is longer than 63 bytes",
		"ggml has no room for longer names, and llama.cpp rejects the file.", "gguf_tensor_info_t")
	nameTwice = rules.Error(11, "two tensors have the same name",
		"llama.cpp and the Python package reject the file, because one of the two could never be found.", "gguf_tensor_info_t")
	badDims = rules.Error(12, "a tensor has more than 4 dimensions",
		"ggml supports at most 4, and llama.cpp rejects the file. Usually the number is damaged.", "gguf_tensor_info_t")
	badType = rules.Error(13, "the type of a tensor is unknown",
		"Readers cannot tell how long its data is and reject the file. The type is from a newer program, was removed from ggml "+
			"(Q4_2, Q4_0_4_4), or is damaged.", "ggml_type")
	badRow = rules.Error(14, "the shape of a tensor is impossible",
		"The first dimension of a quantised tensor must be a multiple of its block size, and the number of values must fit in 64 "+
			"bits. Readers reject the file.", "gguf_tensor_info_t")
	badOffset = rules.Error(15, "a tensor does not start where the one before it ends",
		"Each tensor follows the one before it, padded to the alignment. llama.cpp rejects the file if an offset differs.", "gguf_tensor_info_t")
	wrongSize = rules.Error(16, "the shape of a tensor does not match its data",
		"Shape and type determine the size of a tensor, but the next tensor begins elsewhere. llama.cpp rejects the file. Usually "+
			"only one of the numbers was edited.", "gguf_tensor_info_t")
	outside = rules.Error(17, "the data of a tensor lies outside the file",
		"The file ends before the tensor does. Usually a download or a copy was interrupted; the tensors before that point are "+
			"intact.", "File structure")
	trailing = rules.Warning(18, "bytes follow the last tensor",
		"Readers ignore them. Usually a tensor was removed from the header only, or something was appended to the file.", "File structure")
	padded = rules.Warning(19, "padding is not zero",
		"Readers ignore padding, but every writer fills it with zeros. The alignment may be wrong, and the tensors read from the "+
			"wrong place.", "File structure").Worth(24)
	noShard = rules.Error(20, "a file of a split model is missing",
		"llama.cpp needs all files of a model in one folder and rejects it. Usually a download of several files was interrupted, "+
			"or a file was renamed.", "split").Worth(24)
	badSplit = rules.Error(21, "the split information in the metadata does not match the file name",
		"llama.cpp finds the other files by name, number and count, and rejects the model if they differ. Usually a file was "+
			"renamed by hand.", "split")
	splitCount = rules.Error(22, "the files of the model do not contain as many tensors as the metadata says",
		"split.tensors.count is the total over all files. llama.cpp rejects the model. Usually one file is from another model or "+
			"another conversion.", "split")
	otherSplit = rules.Error(30, "the files of a split model do not belong together",
		"llama.cpp rejects a model in which a tensor is in two files, and other programs load a mixture. Usually files of two downloads or conversions have the same names. The file from the "+
			"same model as the others is needed.", "split").Worth(24).Absent()
	notText = rules.Warning(23, "a key or a name is not valid text",
		"Writers use printable characters for keys and tensor names. Usually a length before it is damaged, so other bytes are "+
			"read as text.", "gguf_string_t").Worth(16)
	headGoesOn = rules.Error(24, "the padding between header and data is not zero",
		"Every writer fills it with zeros. Either the header has more pairs or tensors than it counts, or the alignment is wrong "+
			"and every tensor is read from the wrong place.", "File structure").Worth(24)
	otherAlignment = rules.Error(25, "the tensors are not aligned as the metadata says",
		"general.alignment (32 if missing) determines where the data begins and where each tensor is, and llama.cpp rejects the "+
			"file. All offsets and the file size agree on a different alignment.", "general.alignment").Worth(32)
	otherLength = rules.Error(28, "the length of a text does not match the text",
		"Everything after it is read from the wrong place, and readers reject the file. Usually a script replaced a name by a longer or shorter one without changing the length before it.", "gguf_string_t").Worth(32)
	otherCount = rules.Error(29, "the offsets of the tensors are not counted as readers count them",
		"Readers count offsets in bytes from the start of the data, and llama.cpp rejects the file. Usually a script wrote it that counts from the start of the file, or in blocks.",
		"gguf_tensor_info_t").Worth(40)
	lateData = rules.Error(31, "the data begin later than the alignment says",
		"Readers compute from the length of the header where the data begin, so they load every tensor from a wrong place, without an error. Usually a script changed the length of a text and did not "+
			"renew the padding after the header.", "File structure").Worth(32).Silent()
	otherSize = rules.Warning(26, "a size in the metadata does not match the tensors",
		"llama.cpp looks for the tensors that the metadata implies, and rejects a model if one is missing or has another shape. "+
			"Other programs do not compare them.", "LLM")
	misnamed = rules.Error(32, "the name of a tensor is that of the other layers but for one letter",
		"llama.cpp looks for the name that the layer lacks, and rejects the model. A byte of the name is damaged, or was edited.", "gguf_tensor_info_t").Worth(24)
	badText = rules.Warning(27, "a string in the metadata is not valid UTF-8",
		"The Python package opens the file but fails when it reads the value; llama.cpp uses the bytes unchanged. Usually a byte "+
			"is damaged, or an old converter stored tokens as raw bytes.", "gguf_string_t")
)
