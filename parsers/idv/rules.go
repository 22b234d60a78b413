package idv

import "spandrel/model"

// The rules of the format, with the ids of the reference sheet (§5).
var (
	rules = model.NewRules("IDV")

	tooShort = rules.Error(1, "the file is shorter than the 256 bytes of its header",
		"Nothing can be read without the header. Usually a download or a copy stopped at once, or this is another kind of file.", "§1.1")
	noSignature = rules.Error(2, "the file does not begin with the IDV signature",
		"ML.NET rejects the file. The first bytes are damaged, something was inserted before them, or the save was not finished "+
			"(the header is written last).", "§1.1").Worth(40)
	newerThanItself = rules.Error(3, "the file requires a newer reader than its own version",
		"No reader accepts that. One of the two version fields is damaged.", "§1.2")
	versionTooOld = rules.Error(4, "the version is older than 1.1.1.2, which no reader accepts",
		"Such files were never released; the field is probably damaged.", "§1.2")
	readerTooOld = rules.Error(5, "the file asks for a reader version that is no longer supported",
		"ML.NET rejects files for readers below 1.1.1.4. A tool older than the first public ML.NET wrote it, or the field is "+
			"damaged.", "§1.2")
	readerTooNew = rules.Error(6, "the file requires a newer version than any known ML.NET",
		"A newer ML.NET wrote it, or the field is damaged; in that case, neighbouring fields look wrong too.", "§1.2")
	versionUnknown = rules.Warning(7, "no release of ML.NET wrote this version",
		"Readers do not mind. Usually the field is damaged.", "§1.2")
	rowsNegative = rules.Error(8, "the number of rows is negative",
		"ML.NET rejects the file. The field is damaged; the blocks show how many rows there are.", "§1.1")
	columnsNegative = rules.Error(9, "the number of columns is negative",
		"ML.NET rejects the file. The field is damaged; the column directory shows how many there are.", "§1.1")
	directoryInHeader = rules.Error(10, "the column directory starts inside the header",
		"Readers cannot find the columns. The offset is damaged or was never written.", "§1.1")
	directoryOutside = rules.Error(11, "the column directory lies outside the file",
		"Readers cannot find the columns. The file is truncated, or the offset is damaged.", "§1.1")
	tailInHeader = rules.Error(12, "the end mark lies inside the header",
		"ML.NET rejects the file. The offset is damaged or was never written.", "§1.1")
	cutShort = rules.Error(13, "the file ends before the place that the header gives for its end",
		"ML.NET rejects the file. Usually a download, a copy or a save was interrupted; otherwise the offset in the header is "+
			"damaged.", "§1.1")
	noTail = rules.Error(14, "the end mark is missing at the place that the header gives",
		"ML.NET rejects the file. The offset or the end mark is damaged, or bytes were inserted or lost before it.", "§1.1").Worth(40)
	behindTail = rules.Warning(15, "extra bytes follow the end of the data",
		"ML.NET ignores them. Usually they are padding, a second copy, or an earlier version of the file.", "§2.6")
	deadSpace = rules.Note(16, "the unused part of the header is not empty",
		"Readers ignore it. Another tool stores data there, or bytes were shifted.", "§1.1")
	rowsOnly = rules.Note(17, "the file has rows but no columns",
		"Readers return empty rows. The number of columns may have been lost.", "§6")
	foreignHeader = rules.Error(127, "the header is from another file, or from another save",
		"ML.NET rejects the file, or reads garbage. The header is of another table, or of another save of this one: its numbers contradict the "+
			"directory at the end of the file, which matches the blocks.", "§1.1").Worth(40)
	entryCut = rules.Error(20, "a column description is truncated",
		"Readers lose all columns from this one on. The number of columns is too large, the file is truncated, or a length before "+
			"it is damaged.", "§2.2")
	textLengthWrong = rules.Error(21, "a string is longer than the remaining bytes, or its length is malformed",
		"Readers reject the file, or the block. The length is damaged, or the bytes before it are read as the wrong structure.", "§0").Worth(32)
	numberMalformed = rules.Error(22, "a variable-length number does not end",
		"Readers reject the file. The bytes are damaged.", "§0")
	numberPadded = rules.Note(23, "a number is encoded in more bytes than it needs",
		"Readers accept it, but no writer does this. An editing tool may have padded it.", "§0")
	nameEncoding = rules.Warning(24, "a name is not valid UTF-8",
		"Readers show replacement characters and lose the name when they save. A character is damaged.", "§0")
	nameMissing = rules.Error(25, "a column has no name",
		"ML.NET 0.10 and later reject the file. The length of the name is damaged, or a tool wrote none.", "§2.2")
	nameTwice = rules.Warning(26, "two columns have the same name: ML.NET hides the earlier one",
		"ML.NET drops the hidden column when it saves the file. Pipelines create one when a step writes to the column that it "+
			"reads.", "§5")
	codecNameless = rules.Error(27, "the type of a column or of metadata has no name",
		"Readers reject the file. The bytes before it are probably damaged or shifted.", "§3.1")
	parametersOutside = rules.Error(28, "the parameters of a type are longer than the remaining bytes",
		"Readers reject the file. The length is damaged, or the bytes before it are shifted.", "§3.1")
	parametersLength = rules.Error(29, "the parameters of a type do not have the length that is stored for them",
		"ML.NET rejects the whole file. The length is damaged, or there is one parameter too few or too many.", "§3.1")
	codecUnknown = rules.Warning(30, "the type of a column is unknown, so the column cannot be read",
		"ML.NET skips the column. The name of the type is damaged, or is from a newer or older version.", "§3.1")
	itemUnknown = rules.Error(31, "the type inside a vector or a key is unknown",
		"ML.NET rejects the whole file. Row ids inside vectors were renamed between versions; otherwise the name is damaged.", "§3.1")
	itemWrong = rules.Error(32, "a type is a vector of vectors, or a key over something other than an unsigned number",
		"ML.NET rejects the file. The name of the inner type is damaged.", "§3.1")
	dimensionsWrong = rules.Error(33, "the dimensions of a vector type are impossible",
		"ML.NET rejects the file. The number of dimensions, or one of the dimensions, is damaged.", "§3.1")
	keyCountRange = rules.Error(34, "the number of keys does not fit the type of the key",
		"ML.NET rejects the file. The count is damaged; the key values and the keys in the rows give its minimum.", "§3.1")
	oldKey = rules.Error(35, "a key uses an old form that ML.NET has refused since 0.10",
		"ML.NET rejects the whole file. An old ML.NET wrote the key, or a parameter is damaged.", "§3.1")
	compressionUnknown = rules.Warning(36, "the compression of a column is unknown, so the column cannot be read",
		"ML.NET skips the column. The byte is damaged; the blocks themselves show how they are compressed.", "§4.1")
	blockRowsZero = rules.Error(37, "the number of rows per block is zero or negative",
		"ML.NET rejects the file. The number is damaged; other columns and the blocks show the right one.", "§4.5")
	blockRowsDiffer = rules.Error(38, "columns have different numbers of rows in the same block",
		"ML.NET rejects the file. All columns share this number, so it is damaged in one of them.", "§4.5")
	blockRowsWrap = rules.Warning(39, "there are 2147483648 rows per block or more: readers misread the number",
		"Readers use only the lower 32 bits. The number is damaged or was padded.", "§4.5")
	lookupOutside = rules.Error(40, "the block table of a column lies outside the file",
		"The rows of the column cannot be read. The offset is damaged, the file is truncated, or there are fewer rows than the "+
			"header says.", "§2.3")
	lookupUnset = rules.Note(41, "the block table of a column is misplaced, which is harmless without rows",
		"Without rows, readers ignore the offset. Writers store the same one for all columns, so one of its bytes is damaged.", "§2.3")
	metadataOutside = rules.Error(42, "the metadata of a column lies outside the file",
		"ML.NET rejects the file. The offset is damaged, or the file is truncated.", "§2.4")
	legacyName = rules.Note(43, "a type is from an old version of ML.NET",
		"Newer ML.NET reads it, but misreads missing values.", "§3.1")
	hiddenEntries = rules.Note(44, "unexplained bytes lie between the last column and the end: perhaps more columns",
		"Readers ignore them. The number of columns may be too small.", "§2.2")
	tooManyBlocks = rules.Error(50, "the number of rows requires more blocks than a file can contain",
		"ML.NET rejects the file. The number of rows is damaged.", "§2.3")
	blockMisplaced = rules.Error(49, "a block is read from the place of another one",
		"ML.NET does not notice, and reads the values of the other block. The offset is damaged: nothing refers to the bytes of the block, which are "+
			"elsewhere in the file.", "§2.3").Worth(40)
	blockLengthNegative = rules.Error(51, "the length of a block is negative",
		"The rows of the block cannot be read. The block table is damaged, or its offset is wrong.", "§2.3")
	decodedLengthWrong = rules.Error(52, "the uncompressed length of a block is impossible",
		"The rows of the block cannot be read. The block table is damaged, or its offset is wrong.", "§2.3")
	blockOutside = rules.Error(53, "a block lies outside the file",
		"The rows of the block cannot be read. The file is truncated, the block table is damaged, or there are fewer rows than "+
			"the header says.", "§2.3")
	storedLengthDiffers = rules.Error(54, "an uncompressed block has two different lengths",
		"Readers reject the block if the second length is larger. One of the two is damaged.", "§4.2")
	blockOverlap = rules.Warning(55, "a block overlaps another structure",
		"At most one of them can be right. An offset or a length is damaged.", "§2.6").Worth(16)
	inflateShort = rules.Error(56, "a compressed block cannot be decompressed to its length",
		"Its rows cannot be read. A byte of the block, or its length, is damaged; only another copy of the file can restore the "+
			"values.", "§4.2").Worth(32)
	inflateBeyond = rules.Error(104, "a compressed block is damaged: it decompresses to more than its length",
		"ML.NET does not notice: it reads the first bytes of the result, some of which are not what was saved. Only another copy of the file can restore the "+
			"values.", "§4.2").Worth(24)
	inflateSurplus = rules.Warning(57, "a compressed block does not end where it should",
		"ML.NET does not notice, and may read too few values. A length or the block is damaged.", "§4.2").Worth(16)
	valuesSurplus = rules.Warning(58, "extra bytes follow the values of a block",
		"ML.NET does not notice. Often the row count in the header is smaller than the number of rows in the blocks.", "§4.2").Worth(24)
	valuesShort = rules.Error(59, "the values of a block end early",
		"Its rows cannot be read. Often the row count in the header is larger than the number of rows in the blocks; otherwise "+
			"the block is damaged.", "§4.2")
	textCount = rules.Error(60, "the number of strings in a block does not match its rows",
		"Its rows cannot be read. Often the row count in the header is wrong; otherwise the number in the block is damaged.", "§3.4")
	textOrder = rules.Error(61, "a string ends before it begins",
		"The strings of the block cannot be read. The end of this string, or of the one before it, is damaged.", "§3.4")
	textEnd = rules.Error(62, "the last string does not end where the characters of the block end",
		"The strings of the block cannot be read. The end of the last string, or the length of the characters, is damaged.", "§3.4")
	textEncoding = rules.Warning(63, "the strings of a block are not valid UTF-8",
		"Readers show replacement characters. A character is damaged.", "§3.4")
	threeState = rules.Error(64, "a Boolean is neither true, false nor missing",
		"ML.NET fails when it reads the row. The bits are damaged.", "§3.3")
	unusedBits = rules.Note(65, "unused bits after the last Boolean are set",
		"Readers ignore them.", "§3.3")
	blockFramed = rules.Error(129, "a block is compressed with a zlib header",
		"ML.NET expects a bare deflate stream and fails when it reads the block. Another program compressed it. Its values are whole: the checksum of the frame matches.", "§4.5").Worth(32)
	mirroredBits = rules.Error(128, "the Booleans begin with the highest bit of each byte",
		"ML.NET begins with the lowest, so that rows have the values of others. Another program wrote them, with another order of the bits.", "§3.3").Worth(32)
	dateRange = rules.Error(66, "a date is before year 1 or after year 9999",
		"ML.NET fails when it reads the row. The value is damaged, or is not a date.", "§3.2")
	zoneRange = rules.Error(67, "a time zone offset exceeds 14 hours, or its date is out of range",
		"ML.NET fails when it reads the row. The value is damaged.", "§3.5")
	vectorCount = rules.Error(68, "the number of vectors in a block does not match its rows",
		"Its rows cannot be read. Often the row count in the header is wrong; otherwise the number in the block is damaged.", "§3.7")
	vectorSize = rules.Error(69, "the vectors of a block do not have the length of the column's type",
		"Its rows cannot be read. The length in the block or in the type is damaged.", "§3.7")
	vectorLength = rules.Error(70, "the length of a vector is impossible",
		"Its rows cannot be read. The length is damaged.", "§3.7")
	vectorItems = rules.Error(71, "the number of items stored for a vector is impossible",
		"Its rows cannot be read. The number is damaged, or a tool stored a dense vector as sparse.", "§3.7")
	indexOrder = rules.Error(72, "the indices of a sparse vector do not increase, or are out of range",
		"Its rows cannot be read. An index is damaged, or a tool did not sort them.", "§3.7")
	indexCount = rules.Error(73, "the number of indices in a block does not match its vectors",
		"ML.NET reads past the values, or reads wrong ones. The number, or that of a vector, is damaged.", "§3.7")
	keyRange = rules.Warning(74, "a key is larger than the number of keys",
		"ML.NET does not notice, but the key has no value. The key or the number of keys is damaged.", "§3.2")
	legacyMissing = rules.Note(75, "a missing value uses an old form, which newer ML.NET reads as another value",
		"ML.NET 0.6 and later read 0, false, an empty string or year 1 instead, and save that.", "§3.9")
	metadataCount = rules.Error(80, "the number of metadata entries of a column is impossible",
		"ML.NET rejects the file. The number is damaged, or the offset of the metadata is wrong.", "§2.4")
	metadataCut = rules.Error(81, "a metadata entry is truncated",
		"ML.NET rejects the file. The file is truncated, or a length before the entry is damaged.", "§2.4")
	kindMissing = rules.Error(82, "a metadata entry has no name",
		"ML.NET rejects the file. The length of the name is damaged.", "§2.4")
	kindTwice = rules.Error(83, "two metadata entries of a column have the same name",
		"ML.NET rejects the file. A tool wrote the entry twice, or the name is damaged.", "§2.4")
	metadataCodec = rules.Warning(84, "the type of a metadata entry is unknown: ML.NET drops it",
		"The name of the type is damaged, or is from a newer or older version.", "§2.4")
	metadataCompression = rules.Warning(85, "the compression of a metadata entry is unknown: ML.NET drops it",
		"The byte is damaged.", "§2.4")
	metadataBlockOutside = rules.Error(86, "the value of a metadata entry lies outside the file",
		"ML.NET rejects the file. The offset is damaged, or the file is truncated.", "§2.4")
	metadataBlockLength = rules.Error(87, "the length of a metadata value is impossible",
		"ML.NET rejects the file. The length is damaged, or the file is truncated.", "§2.4")
	metadataDecode = rules.Error(88, "the value of a metadata entry cannot be read",
		"ML.NET rejects the file. The value, its length or its compression is damaged.", "§2.4").Worth(24)
	metadataSurplus = rules.Warning(89, "extra bytes follow the value of a metadata entry",
		"ML.NET does not notice.", "§2.4").Worth(16)
	slotNamesMisfit = rules.Warning(90, "the number of slot names does not match the length of the vector",
		"ML.NET and its tools ignore the slot names. A tool changed one without the other.", "§10")
	keyValuesMisfit = rules.Warning(91, "the number of key values does not match the keys, or the column is not a key",
		"ML.NET and its tools ignore the key values. A tool changed one without the other.", "§10")
	kindType = rules.Warning(92, "a well-known metadata entry does not have the type that ML.NET expects",
		"ML.NET ignores it. A tool wrote it with another type.", "§10")
	rangesWrong = rules.Warning(93, "slot ranges do not increase, or lie outside the vector",
		"ML.NET ignores them. A tool changed the slots without updating the ranges.", "§10")
	kindUnknown = rules.Note(94, "a metadata entry is unknown to ML.NET",
		"ML.NET keeps it. Pipelines and tools may define their own.", "§10")
	unreachable = rules.Note(100, "some bytes are not referenced by anything",
		"ML.NET never reads them. Editing a file of more than 64 MiB leaves some; Compact removes them. A damaged offset leaves "+
			"some too, and then their data is missing elsewhere.", "§2.6")
	directoriesOverlap = rules.Warning(101, "two directories overlap",
		"At most one of them can be right. An offset is damaged.", "§2.6").Worth(16)
	unusualOrder = rules.Note(102, "the parts of the file are in an unusual order",
		"Readers do not mind. Editing tools append what they change.", "§2.1")
	compressionMixed = rules.Note(103, "columns use different compressions",
		"Readers do not mind, but no writer does this.", "§4.2")
	prefixWrong = rules.Error(110, "the length before the data does not match the data",
		"ML.NET reads too little or too much of the model. The length is damaged, or the data was changed without it.", "§9.1")
	schemaRows = rules.Error(111, "the schema of a loader contains rows",
		"ML.NET rejects the model. The schema was replaced by a data file.", "§9.1")
	namedData = rules.Error(112, "the file is a model, but its name is that of a data file",
		"ML.NET's binary loader rejects it (Need a valid header). Load it with mlContext.Model.Load, and rename it to .zip.", "§9.1")
	modelInFolder = rules.Error(113, "the model is in a folder of the archive",
		"ML.NET looks for its parts at the root. The model was unpacked and its folder was packed again, as a file manager does it.", "§9.1")
	transposedHead = rules.Error(120, "the file does not begin as a transposed file does, or its version is wrong",
		"ML.NET rejects the file. The first bytes are damaged.", "§9.3")
	transposedCounts = rules.Error(121, "a number or the table of the transposed file is out of range",
		"ML.NET rejects the file. A field of the header is damaged, or the file is truncated.", "§9.3")
	transposedTail = rules.Error(122, "the end mark of the transposed file is missing",
		"ML.NET rejects the file. The file is truncated, or the offset is damaged.", "§9.3").Worth(24)
	transposedEntry = rules.Error(123, "a part of the transposed file lies outside it",
		"The column cannot be read. The table is damaged, or the file is truncated.", "§9.3")
	transposedSchema = rules.Error(124, "the schema of the transposed file is missing or disagrees with the header",
		"ML.NET rejects the file. A number in the header or the schema is damaged.", "§9.3").Worth(24)
	transposedColumn = rules.Error(125, "a transposed column disagrees with the schema",
		"ML.NET rejects the file. The column belongs to another file, or a number is damaged.", "§9.3")
	transposedNoColumn = rules.Error(126, "a column has neither a part of its own nor rows in the schema",
		"ML.NET cannot read the column.", "§9.3")
)
