package taridx

import "spandrel/model"

// rules are the rules of section 9 of the reference sheet, with its numbers.
var rules = model.NewRules("TIX")

// The header.
var (
	tooShort = rules.Error(1, "the file is shorter than an index header",
		"The index cannot be read at all. Usually a download or a copy stopped at once. The shards contain everything an index "+
			"stores, so rebuild it from them.", "9.1")
	badMagic = rules.Error(2, "the file does not begin with TARIDX",
		"Readers check these bytes first and reject the file. Either the beginning is damaged or missing, or this is another kind "+
			"of file with the name of an index.", "9.1").Worth(40)
	otherMajor = rules.Error(3, "the major version is not 1",
		"Only version 1.0 was ever written, and the reader does not check it. Usually the byte is damaged.", "9.1")
	otherMinor = rules.Warning(4, "the minor version is not 0",
		"Only version 1.0 was ever written, and the reader does not check it. A later writer may have added something that is not "+
			"shown.", "9.1").Worth(16)
	otherRowSize = rules.Error(5, "the stored row size is not 32 bytes",
		"Rows always have 32 bytes; a reader that trusts this number goes astray. Usually the field is damaged.", "9.1")
	otherHeaderSize = rules.Error(6, "the stored header size is not 64 bytes",
		"The header always has 64 bytes; a reader that trusts this number goes astray. Usually the field is damaged.", "9.1")
	unknownFlags = rules.Warning(7, "undefined flags are set",
		"Only the first flag is defined: the rows of each sample are contiguous. The others are damage, or belong to a later "+
			"version.", "9.1").Worth(16)
	reservedUsed = rules.Note(8, "reserved bytes are not zero",
		"They should be zero, and readers ignore them. They are kept unchanged.", "9.1")
	stemsMisplaced = rules.Error(9, "the offset of the collision stems in the header is wrong",
		"Extension names end and collision stems begin there, so both are read from the wrong bytes. Usually the field is damaged, or the names "+
			"were edited without it.", "9.1")
	rowsMisplaced = rules.Error(10, "the offset of the rows in the header is wrong",
		"Each row is read from the wrong bytes, or the reader runs out of memory. Usually the field is damaged, or the names were edited "+
			"without it.", "9.1")
	extCount = rules.Error(13, "the number of extension names in the header is wrong",
		"Readers reject the index. Either the count is damaged, or a newline between two names was added or lost.", "9.1")
	stemCount = rules.Error(14, "the number of collision stems in the header is wrong",
		"The reader does not check the count, but it needs the stems to tell samples with the same hash apart. Either the count "+
			"or a newline between two stems is damaged.", "9.1")
	rowCount = rules.Error(22, "the number of rows in the header is wrong",
		"Readers reject the index. If the file is too short for its rows, it is truncated; otherwise the count is damaged, or "+
			"rows were added or removed without it.", "9.1").Worth(40)
	sampleCount = rules.Error(27, "the number of samples in the header is wrong",
		"The reader does not check it. Rows are missing or damaged, or the index was saved after filtering: the writer then keeps "+
			"the old number.", "9.1")
	groupedFlag = rules.Error(28, "the flag that says whether the rows of a sample are contiguous is wrong",
		"If it is set by mistake, samples are assembled from rows of others; if it is clear by mistake, shards cannot be mixed. "+
			"Usually rows were reordered or damaged.", "9.1")
)

// The names.
var (
	notUTF8 = rules.Error(11, "names contain bytes that are not text",
		"Readers reject the index. Usually these bytes are damaged, or their offset in the header is.", "9.1")
	trailingNewline = rules.Warning(12, "a newline follows the last name",
		"Readers ignore it, but by the specification it adds an empty name. Usually the names were edited by hand.", "9.1")
	splitsOtherwise = rules.Warning(15, "the reader splits these names differently",
		"The reader splits at any white space, not only at newlines, so it counts or numbers the names differently. Rename the "+
			"members.", "9.1")
	emptyName = rules.Error(16, "a name is empty",
		"The reader skips it, then rejects the index because one name is missing. Empty names come from members without an "+
			"extension: folders, and helper headers of PAX and GNU tar.", "9.1")
	blankInName = rules.Error(17, "a name contains white space",
		"The reader takes it for two names. Rename the members, unless damage put the character there.", "9.1")
	upperCase = rules.Warning(18, "an extension has capital letters or a leading dot",
		"The indexer writes extensions in lower case without a dot, so no lookup finds this one. Usually it was edited by hand or "+
			"or a newline between two stems is damaged.", "9.1")
	repeatedName = rules.Error(19, "a name occurs twice",
		"Readers reject an index that lists an extension twice. Usually one of the two is damaged, or was renamed to the other.", "9.1")
	dottedStem = rules.Warning(20, "a collision stem contains a dot or a slash",
		"A stem is the part of a file name before the first dot, so no member can have this one. Usually it is damaged.", "9.1")
	unusedStem = rules.Warning(29, "no row uses this collision stem",
		"Harmless to readers. It is left over from rows that were filtered out, or a row lost its collision number.", "9.1")
	noFirstStem = rules.Error(30, "no other sample collides with a collision stem",
		"The first sample with a hash is not listed, only later ones are; here the first is missing. Rows were filtered out, or "+
			"the stem or a hash is damaged.", "9.1")
	unusedExt = rules.Warning(31, "no row uses this extension",
		"The dataset may reject it. It is left over from rows that were filtered out, or the extension of a row is damaged.", "9.1")
	noDecoder = rules.Note(38, "the reader has no decoder for this extension",
		"The dataset stops at it, even if the extension was not requested, unless a decoder is registered.", "9.1")
)

// The rows.
var (
	partialRow = rules.Error(21, "extra bytes follow the last whole row",
		"Readers reject the index. Either the last row is truncated, or something was appended.", "9.1")
	unknownExt = rules.Error(23, "a row has an extension that is not in the table",
		"Its member cannot be decoded. Usually the row is damaged, or names were removed from the table.", "9.1")
	unknownStem = rules.Error(24, "a row has a collision number that is not in the table",
		"Its member joins no sample. Usually the row is damaged, or stems were removed from the table.", "9.1")
	oddOffset = rules.Error(25, "a row does not point to a multiple of 512 in its shard",
		"Members of a tar begin at multiples of 512. The row is damaged, or the offset of the rows in the header is.", "9.1").Worth(16)
	stemHash = rules.Error(26, "a row's hash does not match its collision stem",
		"No name finds its member. Either the row or the stem is damaged.", "9.1").Worth(40)
	samePlace = rules.Error(32, "two rows point to the same member",
		"The dataset rejects the sample. A row was duplicated, or the offset of one of the two is damaged.", "9.1")
	otherOrder = rules.Note(33, "the rows are not in the order of the shards",
		"Harmless: an index that was regrouped by sample looks like this. Reading it jumps around in the shards.", "9.1")
	overlap = rules.Error(34, "two members overlap in their shard",
		"At least one of the two rows has a wrong offset or size.", "9.1")
	shardGap = rules.Warning(35, "no row points into one of the shards",
		"Either that shard is empty, or rows or shard numbers were lost.", "9.1")
	extTwice = rules.Error(36, "two members of a sample have the same extension",
		"The dataset rejects the sample. Usually helper headers were indexed, two folders contain files of the same name, or a "+
			"row is damaged.", "9.1")
	raggedSamples = rules.Note(37, "some samples lack an extension that others have",
		"Harmless: the dataset skips samples that lack a requested extension. It may also mean that rows were lost.", "9.1")
	helperHash = rules.Warning(39, "a row is about a helper header, or a file without a name",
		"PAX and GNU tar put such headers before members with long or non-ASCII names. The indexer takes them for members, and "+
			"the dataset fails on them.", "9.1")
	blankRows = rules.Error(60, "rows are all zeros",
		"No writer makes such rows. Usually a disk block was never written or was lost. The shards still have the data to rebuild "+
			"them.", "5")
)

// The shards.
var (
	unknownShard = rules.Error(40, "rows point into a shard that is missing",
		"Their members cannot be read. A shard was moved, renamed or never copied, or the row is damaged. Readers number shards "+
			"in the order of their names.", "9.2").Worth(24)
	outsideShard = rules.Error(41, "a row points past the end of its shard",
		"The row is damaged, the shard is truncated, or it is a different shard.", "9.2")
	zeroBlock = rules.Error(42, "a row points to zeros in its shard",
		"The row is damaged, or the shard was rewritten after it was indexed.", "9.2")
	noHeader = rules.Error(43, "a row does not point to a member of its shard",
		"There is no tar header at that offset. Either the row is damaged, or the shard was rewritten, truncated, or is not a tar.", "9.2").Worth(24)
	offChain = rules.Warning(44, "a row points to a header inside another member",
		"It looks like a member, but lies in the payload of another, as in a tar within a tar.", "9.2")
	memberSize = rules.Error(45, "the size in a row does not match its member",
		"Readers get a truncated payload, or one that runs into the next member. The row is damaged, or the shard was rewritten.", "9.2").Worth(24)
	payloadCut = rules.Error(46, "a member ends past the end of its shard",
		"Readers get only part of the payload. Usually the shard is truncated.", "9.2")
	memberHash = rules.Error(47, "the hash in a row does not match the name of its member",
		"Members of other samples are mixed into this one. A single such row is damaged; if all rows of a shard are like this, it "+
			"was replaced by another shard.", "9.2").Worth(40)
	memberExt = rules.Error(48, "the extension in a row does not match its member",
		"The payload goes to the wrong decoder. The row is damaged, or an extension was renamed in the index only.", "9.2")
	memberStem = rules.Error(49, "the collision number in a row does not match the name of its member",
		"The member joins the wrong sample. The row or a collision stem is damaged.", "9.2")
	helperRow = rules.Error(50, "a row is about a helper header, not a file",
		"PAX and GNU tar put such headers before members with long or non-ASCII names. The indexer takes them for members, and "+
			"the dataset rejects them.", "9.2")
	notAFile = rules.Warning(51, "a row is about a folder, a link or a device",
		"It has no payload to decode. The indexer treats every header as a file.", "9.2")
	longName = rules.Warning(52, "the name of a member fills its field and may be truncated",
		"The indexer sees only the first 100 bytes of a name, so the stem or the extension may be wrong.", "9.2")
	twoStems = rules.Error(53, "two samples have the same key",
		"Their hashes collide and no collision number tells them apart, so their members are mixed.", "9.2")
	missingRow = rules.Warning(54, "members of a shard have no row",
		"Readers do not know about them. Rows were lost, the shard grew after it was indexed, or the index was filtered on purpose.", "9.2")
	openEnd = rules.Note(55, "the end of a shard is not the end of a tar archive",
		"A tar ends with two blocks of zeros. Without them it may be truncated. If more follows them, several archives were "+
			"joined, and only the first is indexed.", "9.2").Worth(16)
	misfitName = rules.Error(56, "the name of a shard cannot be split into fold and suffix",
		"Readers reject the whole folder if the name of one tar file has no underscore, or more than one.", "9.2")
	foldWithoutIndex = rules.Error(57, "a fold has shards but no index",
		"Readers reject the whole folder, or index all of it again.", "9.2").Absent()
	shardOrder = rules.Warning(58, "readers count the shards in another order than the writer",
		"They sort names as text, so 10 comes before 2. A missing or empty shard shifts all that follow, and rows are read from "+
			"the wrong file.", "9.2")
	damagedHeader = rules.Error(61, "the header of a member is damaged",
		"Its checksum does not match its bytes, so tar stops here, and readers get a wrong name or size. If exactly one value of "+
			"one field restores the checksum, that field is the damaged one.", "9.2")
	newerShard = rules.Warning(59, "a shard is newer than the index",
		"It may have been rewritten since. A full check will tell.", "9.2")
)
