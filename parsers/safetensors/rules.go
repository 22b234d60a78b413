package safetensors

import "spandrel/model"

var rules = model.NewRules("STS")

var (
	headerLong = rules.Error(1, "the header length does not match the file",
		"Readers use this number to find the header and the data, and reject the file. Usually the file is truncated, or its first bytes are damaged.", "Format")
	headerHuge = rules.Error(2, "the header is longer than readers allow",
		"Readers reject headers of more than 100 MB, so that a hostile file cannot exhaust their memory. Usually the first bytes are damaged.", "Format")
	notJSON = rules.Error(3, "the header is not a JSON object",
		"It contains the names, types and offsets of all tensors, so nothing can be loaded. Usually the file was truncated or edited by hand.", "Format").Worth(32)
	nameTwice = rules.Warning(4, "two tensors have the same name",
		"Readers load the last of them, and some reject the file. Usually files were joined by hand.", "Format")
	badEntry = rules.Error(5, "an entry of the header is not a tensor",
		"A tensor needs exactly a dtype, a shape of whole numbers and two data_offsets. Usually the header was written by hand or by another tool.", "Format")
	badType = rules.Error(6, "the data type of a tensor is unknown",
		"Readers cannot tell how long its values are and reject the file. Either a newer library wrote it, or the name is damaged.", "Format").Worth(20) // some 20 names among those of three characters
	wrongSize = rules.Error(7, "the shape of a tensor does not match its bytes",
		"Shape and type give a different size than the offsets, and readers reject the file. Usually only one of them was edited.", "Format").Worth(24)
	outside = rules.Error(8, "the bytes of a tensor lie outside the file",
		"The file ends before the tensor does. Usually a download or a copy was interrupted; the tensors before that point are intact.", "Format")
	overlap = rules.Error(9, "two tensors claim the same bytes",
		"At least one of them is read from the wrong place, and readers reject the file. Usually an offset was edited by hand.", "Format")
	hole = rules.Error(10, "some data bytes belong to no tensor",
		"Readers reject files with gaps, because something could be hidden there. Usually a tensor was removed from the header only, or bytes were appended to the file.", "Format")
	badMetadata = rules.Error(11, "a metadata value is not a string",
		"Readers accept only strings under __metadata__ and reject the file. Write numbers and lists as strings.", "Format")
	misaligned = rules.Note(12, "the data does not start at a multiple of 8",
		"The file loads, but some readers must copy tensors that they could otherwise use in place. Newer writers pad the header with spaces.", "Format")
	noShard = rules.Error(13, "a file listed in the index is missing",
		"Its tensors cannot be loaded, so the model is incomplete. Usually a download of several files was interrupted, or a file was renamed.", "Index").Worth(24)
	stray = rules.Error(14, "a file of the checkpoint is not listed in its index",
		"Readers load only the files that the index names, so they skip the tensors in this one. Usually writing the index was interrupted, or it is from another save.", "Index")
	foreignShard = rules.Error(15, "a shard lacks tensors that the index lists for it",
		"Readers leave these tensors at their initial values, or reject the model. Usually files of two saves, or of two models, are mixed.", "Index").Worth(24)
	unlistedTensor = rules.Error(16, "a shard contains tensors that the index does not list",
		"Some readers load them, some do not. Usually files of two saves, or of two models, are mixed.", "Index").Worth(16)
	wrongTotal = rules.Warning(17, "metadata/total_size does not match the size of all tensors",
		"Readers use it only for progress and memory planning. Usually the index was edited by hand.", "Index")
	noIndex = rules.Error(18, "the index of a sharded checkpoint is missing",
		"transformers needs it to find the shards and rejects the folder. Usually it was left out of a download; it can be rebuilt from the shards.", "Index")
	otherCount = rules.Error(20, "the offsets of the tensors are not counted as readers count them",
		"Readers count offsets in bytes from the start of the data, and reject the file. Usually a script wrote it that counts from the start of the file, or in elements.", "Format").Worth(40)
	otherNames = rules.Error(21, "the names in the index are not those in the shards",
		"Readers find none of these tensors and leave them at their initial values, or reject the model. Usually the shards were converted to other names, and the index is from before.", "Index").Worth(40)
	misnamed = rules.Error(22, "the name of a tensor is that of the other layers but for one letter",
		"Readers look for the name that the layer lacks, and leave that tensor at its initial values or reject the model. A byte of the name is damaged, or was edited.", "Format").Worth(24)
	otherSave = rules.Warning(19, "a shard is from another save than the others",
		"Readers load its tensors, so the model is a mixture of two saves. Usually saving or copying the checkpoint was interrupted. The shard from the same save as the others is needed.", "Index")
	otherHalf = rules.Warning(23, "the values of float16 tensors are those of bfloat16",
		"Readers load them without an error, as numbers that mean nothing: nearly all are between 0.5 and 2, or -0.5 and -2. Usually a converter wrote the wrong dtype into the header.", "Format")
)
