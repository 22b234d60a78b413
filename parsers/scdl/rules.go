package scdl

import "spandrel/model"

// rules are the rules of section 8 of the reference sheet, with its numbers.
var rules = model.NewRules("SCDL")

// The header (section 8.1).
var (
	tooShort = rules.Error(1, "the header is shorter than 16 bytes",
		"The archive cannot be read from it. A download or a copy stopped at once, or the file was never written. Rebuild it from "+
			"the arrays, which contain most of its information.", "8.1")
	badMagic = rules.Error(2, "the file does not begin with SCDL",
		"Readers check these bytes first and reject the file. Either the beginning is damaged or missing, or this is another kind "+
			"of file with the name of a header.", "8.1").Worth(32)
	otherEndian = rules.Error(3, "the byte order in the header does not exist",
		"Only network byte order (1) was ever written. Usually the byte is damaged.", "8.1")
	otherBackend = rules.Error(4, "the layout in the header is unknown",
		"1 means arrays beside the header, 2 the experimental chunked layout. Readers reject anything else. Usually the field is "+
			"damaged.", "8.1")
	laterMajor = rules.Warning(5, "the header has a newer major version",
		"The reader loads it, but does not save it. A newer package wrote it, or the byte is damaged.", "8.1")
	otherVersion = rules.Warning(6, "the header version is not 0.1.0",
		"Released packages write 0.1.0. Usually a byte is damaged, or a development version wrote it.", "8.1")
	arrayTotal = rules.Error(7, "the array count in the header does not match the arrays described",
		"Readers reject the header. Either the count is damaged, or a length before the missing array is.", "8.1")
	tooManyArrays = rules.Error(8, "the array count in the header is larger than the header has room for",
		"Readers reject the header. Usually the count is damaged, or the file is truncated.", "8.1")
	textLength = rules.Error(10, "the length of a string is wrong",
		"Everything after it is read from the wrong bytes. Usually the length is damaged, or the string was edited without it.", "8.1")
	noName = rules.Error(11, "a name is empty or blank",
		"Readers load it, but cannot save it again. Give it a name.", "8.1")
	notUTF8 = rules.Error(12, "a string is not valid UTF-8",
		"Readers reject the header. Usually the bytes, or a length before them, are damaged.", "8.1")
	longName = rules.Warning(13, "a name is longer than 1024 bytes",
		"Readers load it, but do not save it again.", "8.1")
	repeatedArray = rules.Error(14, "two arrays have the same name",
		"Readers load one of them, but cannot save the header again. Usually one name is damaged.", "8.1")
	badType = rules.Error(15, "the element type of an array is unknown",
		"Readers reject the header. Types are numbered 1 to 9. Usually the field is damaged; the size of the file shows what it "+
			"was.", "8.1").Worth(28) // 9 of 2³²
	oddShapeFlag = rules.Warning(16, "the flag for a shape is neither 0 nor 1",
		"Readers treat any other number as 1. Usually the byte is damaged.", "8.1").Worth(16)
	noDimensions = rules.Error(17, "a shape has no dimensions",
		"Readers load it, but cannot save it again. Usually the flag before it is damaged.", "8.1")
	zeroDimension = rules.Error(18, "a dimension of a shape is 0",
		"Readers load it, but cannot save it again. Usually the field is damaged.", "8.1")
	shapeCount = rules.Error(19, "the number of dimensions of a shape is wrong",
		"Everything after it is read from the wrong bytes. Usually the field is damaged.", "8.1")
	shapeProduct = rules.Warning(20, "the shape and the length of an array disagree",
		"This is only a convention, and readers use neither. One of the two was edited without the other.", "8.1").Worth(24)
	strangeName = rules.Warning(21, "a name is not a plain file name",
		"It contains control characters, a backslash or a drive letter, or leads out of the folder. Such names are never used to "+
			"open files.", "8.1")
	noIndexBlock = rules.Note(30, "the list of feature folders is missing",
		"Readers accept the header, but all writers end it with such a list, even an empty one.", "8.1")
	strayBytes = rules.Warning(31, "the bytes where the list of feature folders should be are not a list",
		"Readers skip them. The header was truncated there, or edited.", "8.1")
	indexBlock = rules.Error(32, "the list of feature folders is truncated or damaged",
		"Readers reject the header. A count or a length in it is damaged, or the file is truncated.", "8.1").Worth(24)
	repeatedIndex = rules.Error(33, "two feature folders have the same name",
		"Readers load one of them, but cannot save the header again. Usually one name is damaged.", "8.1")
	sharedName = rules.Error(34, "an array and a feature folder have the same name",
		"Readers load it, but cannot save it again. Usually one name is damaged.", "8.1")
	noPath = rules.Error(35, "a path in the list of feature files is empty",
		"Readers load it, but cannot save it again.", "8.1")
	oddPath = rules.Warning(36, "a path in the list of feature files is not plain, or is repeated",
		"It is absolute, leads out of the folder, or occurs twice. Such a file is never opened.", "8.1")
	unknownTail = rules.Warning(37, "extra bytes follow the header",
		"Readers skip them and drop them when they save. Something was appended, or the file was written over a longer one.", "8.1")
	chunkInfo = rules.Error(38, "the chunk information in the header contradicts itself",
		"Readers of chunked archives stop. Usually one of the numbers is damaged.", "8.1")
	inlineArrays = rules.Warning(39, "array data is stored inside the header",
		"The schema text asks for it, but no writer does it, and readers reject the header.", "8.1")
)

// The folder (section 8.2).
var (
	noHeader = rules.Warning(40, "the archive has no header",
		"Readers assume float32, uint64 and uint32 for the arrays, and read garbage if the types differ. The header was deleted "+
			"or never copied.", "8.2").Worth(24)
	unknownArray = rules.Error(41, "an array has a name that no reader knows",
		"Readers reject the archive. Arrays must be called DATA, ROWPTR and COLPTR, not by their file names. Usually the name is "+
			"damaged or was edited.", "8.2")
	textArray = rules.Error(42, "an array of numbers is described as strings",
		"Readers fail with a type error. Usually the type is damaged.", "8.2")
	unlistedArray = rules.Warning(43, "one of the three main arrays is missing from the header",
		"Readers guess its type, and read garbage if it differs. Its entry was removed, or its name is damaged.", "8.2")
	signedPointer = rules.Error(44, "row pointers are described as floating-point numbers",
		"Pointers are unsigned whole numbers. Usually the type is damaged, or is that of the values.", "8.2")
	missingArray = rules.Error(45, "one of the three main arrays is missing",
		"Without it no cell can be read. The file was moved, renamed or never copied.", "8.2").Worth(24)
	partialElement = rules.Error(46, "the size of an array file is not a whole number of elements",
		"Readers reject the archive. Either the file is truncated, or the type in the header is wrong.", "8.2")
	arrayLength = rules.Error(47, "the length of an array in the header does not match its file",
		"Readers use the file. If the file is shorter, it was truncated; otherwise the header is older than the file, as after a "+
			"cast or a concat.", "8.2")
	npyHeader = rules.Error(48, "an array file has a header of its own, which would be read as values",
		"These files are named like NPY but must contain bare numbers. This one was written with numpy.save; remove its header.", "8.2")
	valueCount = rules.Error(49, "the number of columns does not match the number of values",
		"Each value needs the number of its gene. One of the two files is truncated, or from another version of the archive.", "8.2")
	badMetadata = rules.Error(50, "metadata.json is missing or is not a JSON object",
		"Readers reject the archive. The file was edited by hand, truncated or never copied. Its row count can be computed from "+
			"the row pointers.", "8.2").Worth(24)
	rowCount = rules.Warning(51, "the stated number of cells does not match the cells",
		"Readers ignore it. Every concat keeps the number of the first part; otherwise row pointers are missing.", "8.2")
	badVersion = rules.Warning(52, "the version is missing or is not a JSON string",
		"Readers write a new one when they open the archive.", "8.2").Worth(24)
	leftover = rules.Warning(53, "a temporary file was left behind",
		"A cast or a concat was interrupted. The archive itself may be half old and half new.", "8.2")
	swappedArray = rules.Warning(54, "an array makes sense only with its bytes swapped",
		"It was written on a big-endian machine. Readers assume little-endian and read garbage.", "8.2")
	wideType = rules.Note(55, "row pointers use more bytes than they need",
		"Older releases always wrote 8 and 4 bytes. Harmless.", "8.2")
	foreignHeader = rules.Error(56, "the header does not describe the files beside it",
		"Readers use its types, and read garbage. It is the header of another archive, as after a mixed copy, is older than the files, as after a "+
			"concat, or is damaged in several places. The files contain nearly all of it.", "8.2").Worth(24)
	stoppedAppend = rules.Error(57, "values and columns continue after the last cell",
		"No row pointer leads to them, so they belong to no cell. An append stopped before it wrote the row pointers and the header.", "8.2").Worth(32)
	startsOver = rules.Error(58, "the row pointers start over",
		"Readers give the later cells the values of the first ones. The arrays of several archives were joined, but their row pointers count from the "+
			"values of each; or they were counted in fewer bits than they need.", "8.2").Worth(32)
)

// The feature folders (section 8.3).
var (
	noFolder = rules.Error(60, "a feature folder is missing",
		"Without the gene table, readers see an archive with no rows. The folder was moved, renamed or never copied.", "8.3").Worth(24)
	badIndex = rules.Error(61, "the block index of a feature folder cannot be read",
		"Readers reject the archive. cumulative_sum_index.npy, which says which cells each table covers, is missing, truncated or "+
			"damaged.", "8.3").Worth(32)
	indexOrder = rules.Error(62, "the block index does not increase from −1",
		"Cells get the genes of other blocks. A number in the index is damaged.", "8.3")
	blockCount = rules.Error(63, "the number of feature tables does not match the number of blocks",
		"Cells get the genes of other blocks. A table is missing, or an old one was left behind.", "8.3")
	badLabels = rules.Error(64, "the number of labels does not match the number of feature blocks",
		"Readers reject an archive without labels. Usually labels.json was edited or is missing.", "8.3")
	oldLabels = rules.Note(65, "the labels are in labels.npy, not in labels.json",
		"Releases up to 0.1.3 need labels.npy; unreleased versions read labels.json as well. If labels.npy contains Python objects, it is never decoded here, because that can run code.", "8.3")
	folderVersion = rules.Error(66, "the version of a feature folder is missing or is not text",
		"Readers reject the archive without version.npy, but ignore its content.", "8.3").Worth(32)
	indexEnd = rules.Error(67, "the feature blocks do not end at the last cell",
		"Readers get the row count from the blocks. Usually row pointers or blocks are missing, or one of the two is from another "+
			"version.", "8.3")
	folderLength = rules.Warning(68, "the length of a feature folder in the header is wrong",
		"Readers ignore it. The header is older than the folder, as after a concat.", "8.3")
	fileList = rules.Warning(69, "the feature files listed in the header do not match the folder",
		"Readers ignore the list. The header is older than the folder, or files were added or lost.", "8.3").Worth(24)
	blockRows = rules.Error(70, "the number of rows of a cell table does not match its block",
		"Cells get the data of others. The table is from another version, or rows are missing.", "8.3")
	staleTables = rules.Error(71, "old feature tables are among those in use",
		"Readers treat every Parquet file in the folder as a block, so all later blocks shift.", "8.3")
	bothFolders = rules.Warning(72, "both features and var_features exist",
		"Readers ignore the old one. An archive of an older release was saved again.", "8.3")
	badParquet = rules.Error(73, "a feature table cannot be read",
		"The Parquet file is truncated, or damaged in its footer or in a page of a column.", "8.3").Worth(32)
)

// The matrix, neighbours, chunks and collections (section 8.4).
var (
	firstPointer = rules.Error(80, "the first row pointer is not 0",
		"The first cell begins elsewhere, so the values before it belong to no cell. Usually the file is damaged, or counts from 1.", "8.4")
	pointerOrder = rules.Error(81, "a row pointer is smaller than the one before it",
		"The cell between them has a negative number of values. Usually bytes are damaged, or the element type is wrong.", "8.4")
	lastPointer = rules.Error(82, "the row pointers do not end at the number of values",
		"Values are missing or left over. Usually one of the files is truncated, or from another version of the archive.", "8.4")
	noSuchGene = rules.Error(83, "a value refers to a gene that does not exist",
		"Readers stop at it. A column number is damaged, or the gene table is from another version.", "8.4")
	columnOrder = rules.Warning(84, "the genes of a cell are not in order",
		"Looking up one gene stops at the first larger number and returns 0. Older writers kept the order of the source; otherwise the file is damaged, or from another save.", "8.4").Silent()
	notFinite = rules.Warning(85, "some values are NaN or infinite",
		"Sums and means that include them are not finite either. They came from the source, or bytes are damaged.", "8.4")
	storedZero = rules.Note(86, "zeros are stored",
		"They take up space and have no meaning.", "8.4")
	zeroedValues = rules.Error(87, "a run of values is zero",
		"The format does not store zeros. A download, a copy or a disk lost the values, and readers take the zeros for values.", "8.4")
	someNeighbors = rules.Warning(90, "only some of the neighbour files exist",
		"Readers need all three files to return neighbours. A file was never copied.", "8.4")
	neighborRows = rules.Error(91, "the number of neighbour pointers is not one more than the cells",
		"The neighbours of some cells cannot be read. A concat does not extend these files; otherwise one of them is truncated.", "8.4")
	neighborPointers = rules.Error(92, "neighbour pointers do not increase from 0 to the number of neighbours",
		"Cells get the neighbours of others. Bytes are damaged, or one of the files is truncated.", "8.4")
	neighborValues = rules.Error(93, "the number of neighbour values does not match the neighbours",
		"One of the two files is truncated, or from another version.", "8.4")
	noSuchNeighbor = rules.Error(94, "a neighbour is a cell that does not exist",
		"Readers stop at it. A number is damaged, or the files are from another version of the archive.", "8.4")
	missingChunk = rules.Error(100, "a chunk of the archive is missing",
		"Its cells cannot be read, and readers reject the archive. A folder was never copied.", "8.4").Worth(24)
	chunkRows = rules.Error(101, "the row pointers of a chunk do not match its rows",
		"Its file is truncated, or from another version.", "8.4")
	chunkTotals = rules.Error(102, "the length of all chunks does not match the header",
		"A chunk is missing or truncated, or the header is older.", "8.4")
	isCollection = rules.Note(110, "the folder is a collection of archives",
		"Each folder in it is an archive of its own.", "8.4")
	mixedVersions = rules.Note(111, "the archives of a collection were written by different package versions",
		"Readers ignore this.", "8.4")
)
