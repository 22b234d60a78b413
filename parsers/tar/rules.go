package tar

import "spandrel/model"

var rules = model.NewRules("TAR")

var (
	badChecksum = rules.Error(1, "the checksum of a header does not match its bytes",
		"Readers stop here, or look for the next header. A byte of the header is damaged, or it was edited without updating the checksum.", "ustar").Worth(16)
	noHeader = rules.Error(2, "there is no header where a member should begin",
		"Readers stop here, but the members after it can still be found. Usually the size of the previous member is wrong, or bytes were lost or inserted.", "ustar").Worth(40) // a magic of five bytes and a checksum
	badSize = rules.Error(3, "the size of a member is not a number",
		"Readers cannot find the next member. Usually the header is damaged.", "ustar")
	cut = rules.Error(4, "the archive ends inside a member",
		"The last member is incomplete; those before it are intact. Usually a download or a copy was interrupted.", "ustar")
	noEnd = rules.Warning(5, "the end of the archive is missing",
		"Two blocks of zeros should follow the last member. Most readers do not mind, but the archive may have been truncated right after a member.", "ustar")
	behindEnd = rules.Warning(6, "extra bytes follow the end of the archive",
		"Readers ignore them.", "ustar")
	badRecord = rules.Warning(7, "a pax record cannot be read",
		"It should be a length, a name, = and a value. Readers skip it, or reject the member that it describes.", "pax")
	oddPadding = rules.Note(8, "padding after a payload is not zero",
		"The padding fills up the block and is not read. Usually the size was reduced.", "ustar")
	sameName = rules.Warning(9, "two members of a sample have the same name",
		"webdataset rejects the shard (duplicate file name in tar file); tar keeps the last one. Usually a sample was written twice, or an archive was appended to. In a shard, where other samples have several members too, this is an error.", "webdataset")
	splitSample = rules.Warning(10, "the members of a sample are not next to each other",
		"webdataset groups consecutive members into samples, so it reads several incomplete samples with this key. Usually the files were not sorted when the archive was made, or one was appended later.", "webdataset")
	joined = rules.Error(11, "members follow the end of the archive",
		"Readers stop at the zeros that end it, and miss these members. Usually two archives were joined by cat; tar --ignore-zeros reads both.", "ustar").Worth(32) // the zeros and a header
	fromMacOS = rules.Note(12, "members are files that macOS added",
		"They hold what other systems cannot store beside a file, and are no data. webdataset skips them; programs that read every member do not. COPYFILE_DISABLE=1 keeps tar on macOS from adding them.", "AppleDouble")
	twice = rules.Warning(13, "a sample is in the archive twice",
		"webdataset reads it twice. Usually a program that merged or continued archives wrote it again.", "webdataset")
	lacking = rules.Note(14, "few samples lack a member that the others have",
		"A program that reads this member of every sample fails, or leaves the sample out. Usually the file was lost before the archive was made, unless not every sample has one.", "webdataset")
)
