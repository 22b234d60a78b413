package tar

import "spandrel/model"

// messages are what readers of the format say, as people report it. The more particular come first.
var messages = []model.Message{
	{Reader: "tarfile, webdataset", Text: "unexpected end of data", Rules: []string{"TAR-004", "TAR-005", "model.truncated"},
		Means: "The archive ends inside a member: it is truncated, or the size of a member is too large."},
	{Reader: "webdataset", Text: "duplicate file name in tar file", Rules: []string{"TAR-009"},
		Means: "Two members of one sample have the same extension, so one value would replace the other."},
	{Reader: "tarfile", Text: "not a gzip file", Rules: []string{"TAR-002", "TAR-001", "model.unknown"},
		Means: "The file is not the compressed archive that its name or its reader says."},
	{Reader: "tarfile", Text: "bad checksum", Rules: []string{"TAR-001"},
		Means: "The checksum of a header does not match its bytes."},
	{Reader: "tarfile", Text: "truncated header", Rules: []string{"TAR-004", "TAR-002", "model.truncated"},
		Means: "The archive ends inside the header of a member."},
	{Reader: "tarfile", Text: "invalid header", Rules: []string{"TAR-001", "TAR-002", "TAR-003", "model.unknown"},
		Means: "A header should begin at this place, and the bytes are none."},
	{Reader: "tarfile, webdataset", Text: "file could not be opened successfully",
		Rules: []string{"TAR-001", "TAR-002", "model.unknown"},
		Means: "The file does not begin as a tar archive does."},
	{Reader: "tar", Text: "does not look like a tar archive", Rules: []string{"TAR-001", "TAR-002", "model.unknown"},
		Means: "The file does not begin as a tar archive does."},
}
