package scdl

import "spandrel/model"

// rules are the rules of the reference sheet, section 8, under its numbers.
var rules = model.NewRules("SCDL")

// The header (section 8.1).
var (
	tooShort = rules.Error(1, "the header is shorter than 16 bytes",
		"The archive cannot be read by it. A download or a copy stopped at once, or the file was never written. The arrays say most of what it "+
			"said: build it from them.", "8.1")
	badMagic = rules.Error(2, "the file does not begin with SCDL",
		"Readers refuse it at the first bytes. Either the beginning is damaged or missing, or this is another kind of file under the name of a "+
			"header.", "8.1").Worth(32)
	otherEndian = rules.Error(3, "the byte order in the header does not exist",
		"Only network order was ever written, and it is marked by 1. Usually the byte is damaged.", "8.1")
	otherBackend = rules.Error(4, "the layout in the header is unknown",
		"1 is arrays beside the header, 2 the experimental form in chunks. Readers refuse others. Usually the field is damaged.", "8.1")
	laterMajor = rules.Warning(5, "the header has a newer major version",
		"The reader takes it, but does not save it. A newer package wrote it, or the byte is damaged.", "8.1")
	otherVersion = rules.Warning(6, "the header version is not 0.1.0",
		"Released packages write 0.1.0. Usually a byte is damaged, or a version in development wrote it.", "8.1")
	arrayTotal = rules.Error(7, "the array count in the header does not match the arrays described",
		"Readers refuse the header. Either the count is damaged, or a length in front of what is missing.", "8.1")
	tooManyArrays = rules.Error(8, "the array count in the header is larger than the header has room for",
		"Readers refuse the header. Usually the count is damaged, or the file is cut.", "8.1")
	textLength = rules.Error(10, "the length of a string is wrong",
		"Everything behind it is read from the wrong bytes. Usually the length is damaged, or the text was edited without it.", "8.1")
	noName = rules.Error(11, "a name is empty or blank",
		"Readers load it, but cannot save it again. Give it a name.", "8.1")
	notUTF8 = rules.Error(12, "a string is not valid UTF-8",
		"Readers refuse the header. Usually the bytes are damaged, or a length in front of them.", "8.1")
	longName = rules.Warning(13, "a name is longer than 1024 bytes",
		"Readers load it, but do not save it again.", "8.1")
	repeatedArray = rules.Error(14, "two arrays have the same name",
		"Readers load one of them, but cannot save the header again. Usually one name is damaged.", "8.1")
	badType = rules.Error(15, "the element type of an array is unknown",
		"Readers refuse the header. Types are numbered 1 to 9. Usually the field is damaged; the size of the file tells what it was.", "8.1").Worth(24)
	oddShapeFlag = rules.Warning(16, "the flag for a shape is neither 0 nor 1",
		"Readers take any other number for 1. Usually the byte is damaged.", "8.1").Worth(16)
	noDimensions = rules.Error(17, "a shape has no dimensions",
		"Readers load it, but cannot save it again. Usually the mark in front of it is damaged.", "8.1")
	zeroDimension = rules.Error(18, "a dimension of a shape is 0",
		"Readers load it, but cannot save it again. Usually the field is damaged.", "8.1")
	shapeCount = rules.Error(19, "the number of dimensions of a shape is wrong",
		"Everything behind it is read from the wrong bytes. Usually the field is damaged.", "8.1")
	shapeProduct = rules.Warning(20, "the shape and the length of an array disagree",
		"Only a convention; readers look at neither. One of the two was edited without the other.", "8.1").Worth(24)
	strangeName = rules.Warning(21, "a name is not a plain file name",
		"It holds control characters, a backslash, a drive letter, or leads out of the folder. Files are never opened by such a name.", "8.1")
	noIndexBlock = rules.Note(30, "the list of feature folders is missing",
		"Readers take the header as it is; all writers end it with such a list, if an empty one.", "8.1")
	strayBytes = rules.Warning(31, "the bytes where the list of feature folders should be are not a list",
		"Readers pass over them. The header was cut there, or edited.", "8.1")
	indexBlock = rules.Error(32, "the list of feature folders is truncated or damaged",
		"Readers refuse the header. A count or a length in it is damaged, or the file is cut.", "8.1").Worth(24)
	repeatedIndex = rules.Error(33, "two feature folders have the same name",
		"Readers load one of them, but cannot save the header again. Usually one name is damaged.", "8.1")
	sharedName = rules.Error(34, "an array and a feature folder have the same name",
		"Readers load it, but cannot save it again. Usually one name is damaged.", "8.1")
	noPath = rules.Error(35, "a path in the list of feature files is empty",
		"Readers load it, but cannot save it again.", "8.1")
	oddPath = rules.Warning(36, "a path in the list of feature files is not plain, or is repeated",
		"It is absolute, leads out of the folder or is there twice. Such a file is never opened.", "8.1")
	unknownTail = rules.Warning(37, "extra bytes follow the header",
		"Readers pass over them and drop them when they save. Something was appended, or the file was copied over a longer one.", "8.1")
	chunkInfo = rules.Error(38, "the chunk information in the header contradicts itself",
		"Readers of chunked archives stop. Usually one of the numbers is damaged.", "8.1")
	inlineArrays = rules.Warning(39, "array data is stored inside the header",
		"No writer does this, though the text of the schema asks for it, and readers refuse the header.", "8.1")
)

// The folder (section 8.2).
var (
	noHeader = rules.Warning(40, "the archive has no header",
		"Readers go on with float32, uint64 and uint32 for the arrays, and read garbage where these are others. It was deleted or never "+
			"copied.", "8.2").Worth(24)
	unknownArray = rules.Error(41, "an array has a name that no reader knows",
		"Readers refuse the archive. Arrays are named DATA, ROWPTR and COLPTR, not by their files. Usually the name is damaged or was "+
			"edited.", "8.2")
	textArray = rules.Error(42, "an array of numbers is described as strings",
		"Readers stop with an error of types. Usually the type is damaged.", "8.2")
	unlistedArray = rules.Warning(43, "one of the three main arrays is missing from the header",
		"Readers guess its type, and read garbage where that is another. Its entry was removed, or its name is damaged.", "8.2")
	signedPointer = rules.Error(44, "row pointers are described as floating-point numbers",
		"Pointers are unsigned whole numbers. Usually the type is damaged, or it is that of the values.", "8.2")
	missingArray = rules.Error(45, "one of the three main arrays is missing",
		"Without it no cell can be read. The file was moved, renamed or never copied.", "8.2").Worth(24)
	partialElement = rules.Error(46, "the size of an array file is not a whole number of elements",
		"Readers refuse the archive. Either the file is cut, or its type in the header does not match its elements.", "8.2")
	arrayLength = rules.Error(47, "the length of an array in the header does not match its file",
		"Readers go by the file. Where the file is the shorter one it was cut; otherwise the header is older than the file, as after a cast or "+
			"a concat.", "8.2")
	npyHeader = rules.Error(48, "an array file has a header of its own, which would be read as values",
		"The files are named like NPY but hold bare numbers. It was written with numpy.save: strip the header.", "8.2")
	valueCount = rules.Error(49, "the number of columns does not match the number of values",
		"Each value needs the number of its gene. One of the two files is cut, or of another version of the archive.", "8.2")
	badMetadata = rules.Error(50, "metadata.json is missing or is not a JSON object",
		"Readers refuse the archive. It was edited by hand, cut, or never copied; its number of rows follows from the row pointers.", "8.2").Worth(24)
	rowCount = rules.Warning(51, "the stated number of cells does not match the cells",
		"Readers do not look. Every concat leaves the number of the first part; or row pointers are missing.", "8.2")
	badVersion = rules.Warning(52, "the version is missing or is not a JSON string",
		"Readers write a new one when they open the archive.", "8.2").Worth(24)
	leftover = rules.Warning(53, "a temporary file was left behind",
		"A cast or a concat was interrupted; the archive itself may be half old and half new.", "8.2")
	swappedArray = rules.Warning(54, "an array makes sense only with its bytes swapped",
		"It was written on a big-endian machine. Readers take it for little-endian and read garbage.", "8.2")
	wideType = rules.Note(55, "row pointers use more bytes than they need",
		"Older releases wrote 8 and 4 bytes always. Harmless.", "8.2")
)

// The feature folders (section 8.3).
var (
	noFolder = rules.Error(60, "a feature folder is missing",
		"Without the table of genes readers see an archive of no rows. The folder was moved, renamed or never copied.", "8.3").Worth(24)
	badIndex = rules.Error(61, "the block index of a feature folder cannot be read",
		"Readers refuse the archive. cumulative_sum_index.npy is missing, cut or damaged; it says which cells each table is for.", "8.3").Worth(32)
	indexOrder = rules.Error(62, "the block index does not increase from −1",
		"Cells get the genes of other blocks. A number in it is damaged.", "8.3")
	blockCount = rules.Error(63, "the number of feature tables does not match the number of blocks",
		"Cells get the genes of other blocks. A table is missing, or an old one was left.", "8.3")
	badLabels = rules.Error(64, "the number of labels does not match the number of feature blocks",
		"Readers refuse the archive without labels. Usually labels.json was edited, or is missing.", "8.3")
	oldLabels = rules.Note(65, "the labels use the form of an older release",
		"Readers take labels.npy; where it holds Python objects it is never decoded here, as that can run code.", "8.3")
	folderVersion = rules.Error(66, "the version of a feature folder is missing or is not text",
		"Readers refuse the archive without version.npy. Its content is not looked at.", "8.3").Worth(32)
	indexEnd = rules.Error(67, "the feature blocks do not end at the last cell",
		"Readers count rows by it. Usually row pointers or blocks are missing, or one of the two is of another version.", "8.3")
	folderLength = rules.Warning(68, "the length of a feature folder in the header is wrong",
		"Readers do not look. The header is older than the folder, as after a concat.", "8.3")
	fileList = rules.Warning(69, "the feature files listed in the header do not match the folder",
		"Readers do not look. The header is older than the folder, or files were added or lost.", "8.3").Worth(24)
	blockRows = rules.Error(70, "the number of rows of a cell table does not match its block",
		"Cells get the data of others. The table is of another version, or rows are missing.", "8.3")
	staleTables = rules.Error(71, "old feature tables are among those in use",
		"Readers take every Parquet file in the folder for a block, so all blocks behind it shift.", "8.3")
	bothFolders = rules.Warning(72, "both features and var_features exist",
		"Readers pass over the old one. An archive of an older release was saved again.", "8.3")
	badParquet = rules.Error(73, "a feature table cannot be read",
		"The Parquet file is cut or damaged, in its footer or in a page of a column.", "8.3").Worth(32)
)

// The matrix, neighbours, chunks and collections (section 8.4).
var (
	firstPointer = rules.Error(80, "the first row pointer is not 0",
		"The first cell begins elsewhere, so values before it belong to none. Usually the file is damaged, or counts from 1.", "8.4")
	pointerOrder = rules.Error(81, "a row pointer is smaller than the one before it",
		"The cell between them has a negative number of values. Usually bytes are damaged, or the type of the file is another.", "8.4")
	lastPointer = rules.Error(82, "the row pointers do not end at the number of values",
		"Values are missing or left over. Usually one of the files is cut, or of another version of the archive.", "8.4")
	noSuchGene = rules.Error(83, "a value refers to a gene that does not exist",
		"Readers stop at it. A column number is damaged, or the gene table is of another version.", "8.4")
	columnOrder = rules.Warning(84, "the genes of a cell are not in order",
		"Looking up one gene stops at the first larger one and gives 0. Older writers kept the order of the source.", "8.4")
	notFinite = rules.Warning(85, "some values are NaN or infinite",
		"Sums and means over them are neither. They came from the source, or bytes are damaged.", "8.4")
	storedZero = rules.Note(86, "zeros are stored",
		"They take room and mean nothing.", "8.4")
	zeroedValues = rules.Error(87, "a run of values is zero",
		"The format stores no zeros. A download, a copy or a disk lost the values, and readers take them for zeros.", "8.4")
	someNeighbors = rules.Warning(90, "only some of the neighbour files exist",
		"Readers that were asked for neighbours need all three. A file was never copied.", "8.4")
	neighborRows = rules.Error(91, "the number of neighbour pointers is not one more than the cells",
		"Neighbours of some cells cannot be read. A concat does not extend these files; or one of them is cut.", "8.4")
	neighborPointers = rules.Error(92, "neighbour pointers do not increase from 0 to the number of neighbours",
		"Cells get neighbours of others. Bytes are damaged, or one of the files is cut.", "8.4")
	neighborValues = rules.Error(93, "the number of neighbour values does not match the neighbours",
		"One of the two files is cut, or of another version.", "8.4")
	noSuchNeighbor = rules.Error(94, "a neighbour is a cell that does not exist",
		"Readers stop at it. A number is damaged, or the files are of another version of the archive.", "8.4")
	missingChunk = rules.Error(100, "a chunk of the archive is missing",
		"Its cells cannot be read, and readers refuse the archive. A folder was never copied.", "8.4").Worth(24)
	chunkRows = rules.Error(101, "the row pointers of a chunk do not match its rows",
		"Its file is cut, or of another version.", "8.4")
	chunkTotals = rules.Error(102, "the length of all chunks does not match the header",
		"A chunk is missing or cut, or the header is older.", "8.4")
	isCollection = rules.Note(110, "the folder is a collection of archives",
		"Each of its folders is an archive of its own.", "8.4")
	mixedVersions = rules.Note(111, "the archives of a collection were written by different package versions",
		"Readers do not look.", "8.4")
)
