package safetensors

import "spandrel/model"

var rules = model.NewRules("STS")

var (
	headerLong = rules.Error(1, "the header length does not match the file",
		"Readers find the header and the data by this number and refuse the file. Usually the file was cut, or its first bytes are not its own.", "Format")
	headerHuge = rules.Error(2, "the header is longer than readers allow",
		"Readers refuse headers of more than 100 MB, so that a hostile file cannot use up their memory. Usually the first bytes are damaged.", "Format")
	notJSON = rules.Error(3, "the header is not a JSON object",
		"Names, types and places of all tensors stand in it, so nothing can be loaded. Usually the file was cut or edited by hand.", "Format").Worth(32)
	nameTwice = rules.Warning(4, "two tensors have the same name",
		"Readers load the last of them, and some refuse the file. Usually files were joined by hand.", "Format")
	badEntry = rules.Error(5, "an entry of the header is not a tensor",
		"A tensor needs a dtype, a shape of whole numbers and two data_offsets, and nothing else. Usually the header was written by hand or by another tool.", "Format")
	badType = rules.Error(6, "the data type of a tensor is unknown",
		"Readers do not know how long its values are and refuse the file. It was written by a newer library, or the name is damaged.", "Format")
	wrongSize = rules.Error(7, "the shape of a tensor does not match its bytes",
		"Shape and type say how many bytes a tensor has, its offsets say so too, and they disagree: readers refuse the file. Usually one of them was edited alone.", "Format")
	outside = rules.Error(8, "the bytes of a tensor lie outside the file",
		"The file ends before the tensor does. Usually a download or a copy was interrupted; the tensors before that place are whole.", "Format")
	overlap = rules.Error(9, "two tensors claim the same bytes",
		"Readers refuse the file, as one of the two is read from the wrong place. Usually an offset was edited by hand.", "Format")
	hole = rules.Error(10, "some data bytes belong to no tensor",
		"Readers refuse files with holes, since something could be hidden there. Usually a tensor was dropped from the header alone, or bytes were appended to the file.", "Format")
	badMetadata = rules.Error(11, "a metadata value is not a string",
		"Readers take only texts under __metadata__ and refuse the file. Numbers and lists have to be written as texts.", "Format")
	misaligned = rules.Note(12, "the data does not start at a multiple of 8",
		"It loads, but some readers copy tensors that they could have used in place. Newer writers fill the header up with blanks.", "Format")
	noShard = rules.Error(13, "a file listed in the index is missing",
		"The tensors in it cannot be loaded, so that the model is not whole. Usually a download of several files was interrupted, or a file was renamed.", "Index").Worth(24)
	stray = rules.Error(14, "a file of the checkpoint is not listed in its index",
		"Readers load only the files that the index names, so the tensors in this one are left out. Usually the index was interrupted or is of another save.", "Index")
	foreignShard = rules.Error(15, "a shard lacks tensors that the index lists for it",
		"Readers leave these tensors as they were initialised, or refuse the model. Usually files of two saves, or of two models, are mixed.", "Index").Worth(24)
	unlistedTensor = rules.Error(16, "a shard contains tensors that the index does not list",
		"Readers disagree on whether they are loaded. Usually files of two saves, or of two models, are mixed.", "Index").Worth(16)
	wrongTotal = rules.Warning(17, "metadata/total_size does not match the size of all tensors",
		"Readers use it for progress and for planning memory only. Usually the index was edited by hand.", "Index")
	noIndex = rules.Error(18, "the index of a sharded checkpoint is missing",
		"transformers finds the shards by it and refuses the folder. Usually it was left out of a download; it can be rebuilt from the shards.", "Index")
)
