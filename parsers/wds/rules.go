package wds

import "spandrel/model"

var rules = model.NewRules("WDS")

var (
	badHeading = rules.Error(1, "the first line is not a version and a number of samples",
		"DALI rejects the index. Usually this is another kind of file, or its first line was lost.", "DALI").Worth(24)
	badVersion = rules.Error(2, "the version of the index is unknown",
		"DALI reads v1.1 and v1.2 and rejects all others. Usually the index was made by a newer wds2idx, or the first line is damaged.", "DALI")
	badCount = rules.Error(3, "the number of samples does not match the number of lines",
		"DALI reads as many lines as the first line says. With fewer lines it rejects the index; with more it skips samples. Usually the index was truncated or edited by hand.", "DALI").Worth(24)
	badLine = rules.Error(4, "a line is not a list of components",
		"Each component needs an extension, an offset, a size and, since v1.2, a name. DALI rejects the index.", "DALI")
	badOffset = rules.Error(5, "the offset of a component is not a multiple of 512",
		"Payloads in archives begin at multiples of 512. DALI rejects the index. Usually size and offset were swapped.", "DALI")
	noMember = rules.Error(6, "no member of the archive begins where the index says",
		"DALI reads bytes of other members without an error. Usually the archive was rewritten after its index was made.", "DALI").Worth(24)
	badSize = rules.Error(7, "the size of a component does not match its member",
		"DALI reads too few bytes, or part of the next member as well. Usually the archive was rewritten after its index was made.", "DALI").Worth(24)
	badName = rules.Error(8, "a component is not the member at its offset",
		"DALI returns the bytes of another sample or extension. Usually the archive was rewritten after its index was made.", "DALI").Worth(16)
	unlisted = rules.Warning(9, "members of the archive are missing from the index",
		"DALI skips these samples. Usually the archive was appended to after the index was made.", "DALI").Worth(16)
	noArchive = rules.Warning(10, "the archive of an index is missing",
		"The index cannot be compared with the archive. Usually one of the two was renamed or not copied.", "webdataset")
	notJSON = rules.Error(11, "the index is not a JSON object",
		"wids cannot read it. Usually the file was truncated or edited by hand.", "wids").Worth(24)
	noVersion = rules.Error(12, "wids_version is not 1",
		"wids rejects the index. Usually the file describes something else, or was written by hand.", "wids")
	noShards = rules.Error(13, "the index does not list any shards",
		"wids rejects the index. Usually no file matched when it was made.", "wids")
	badShard = rules.Error(14, "an entry of the shard list has no url or no number of samples",
		"wids rejects the index. Usually it was written by hand.", "wids")
	wrongSamples = rules.Error(15, "the value of nsamples does not match the samples in the archive",
		"wids finds samples by adding up these numbers, so it returns the wrong samples or fails (list index out of range). Usually the archive was rewritten after the index was made.", "wids").Worth(24)
	wrongSize = rules.Warning(16, "the value of filesize does not match the size of the archive",
		"Usually the archive was rewritten after its index was made, or a download was interrupted.", "wids").Worth(24)
	wrongSum = rules.Warning(17, "the value of md5sum does not match the archive",
		"The archive is damaged, or was rewritten after its index was made.", "wids").Worth(40)
	badArchive = rules.Error(19, "the archive of an index cannot be read to its end",
		"DALI and webdataset fail there, or return wrong bytes. Usually the archive was truncated or overwritten. Open the archive itself to see what is wrong.", "webdataset").Worth(24)
	appended = rules.Warning(18, "another index follows",
		"DALI reads the first index and skips the samples of the second. Usually two indexes were written to one file.", "DALI")
)
