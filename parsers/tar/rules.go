package tar

import "spandrel/model"

var rules = model.NewRules("TAR")

var (
	badChecksum = rules.Error(1, "the checksum of a header does not match its bytes",
		"Readers stop here, or look for the next header. A byte of the header is damaged, or it was edited without the checksum.", "ustar").Worth(16)
	noHeader = rules.Error(2, "there is no header where a member should begin",
		"Readers stop here; members behind it can still be found. Usually the size of the member in front is wrong, or bytes were lost or put in.", "ustar").Worth(40) // a magic of five bytes and a sum
	badSize = rules.Error(3, "the size of a member is not a number",
		"Readers cannot find the next member. Usually the header is damaged.", "ustar")
	cut = rules.Error(4, "the archive ends inside a member",
		"The member is not whole; those in front of it are. Usually a download or a copy was interrupted.", "ustar")
	noEnd = rules.Warning(5, "the end of the archive is missing",
		"Two blocks of zeros should follow the last member. Most readers do not mind, but the archive may have been cut behind a member.", "ustar")
	behindEnd = rules.Warning(6, "extra bytes follow the end of the archive",
		"Readers do not look at them. Usually two archives were joined; with the option to ignore zeros tar reads the second as well.", "ustar")
	badRecord = rules.Warning(7, "a pax record cannot be read",
		"It should be its length, a name, = and a value. Readers pass over it or refuse the member that it is for.", "pax")
	oddPadding = rules.Note(8, "padding after a payload is not zero",
		"They fill the block up and are not read. Usually the size was made smaller.", "ustar")
	sameName = rules.Warning(9, "two members of a sample have the same name",
		"webdataset refuses the shard (duplicate file name in tar file); tar keeps the last of the two. Usually a sample was written twice, "+
			"or an archive was appended to. It is an error where the archive is a shard: other samples of it have several members too.", "webdataset")
	splitSample = rules.Warning(10, "the members of a sample are not next to each other",
		"webdataset makes a sample of members that follow each other, so it reads several incomplete ones of this key. Usually the files were not sorted "+
			"when the archive was made, or one was appended later.", "webdataset")
)
