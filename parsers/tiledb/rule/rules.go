package rule

import (
	"spandrel/model"
)

// The rules of the reference sheet (part 4). A rule that the sheet calls an error is a warning if TileDB 2.31 opens the file without
// a warning: only reading cells, or another reader, fails.
var Rules = model.NewRules("TDB")

const silent = " TileDB opens it without a warning; problems appear when cells are read, or in other readers."

// Files and generic tiles.
var (
	OddFileName = Rules.Warning(1, "the file name is not one that TileDB writes",
		"TileDB finds files by name and ignores most others; one in __schema or __meta without an underscore in its name keeps it "+
			"from opening the array. Usually a copy, a backup or a download was renamed, or another program left a file here.", "4.1")
	NameTimes = Rules.Error(2, "the time range in the file name ends before it begins",
		"The first timestamp of a name must not be later than the second. TileDB rejects the array. The file was renamed by hand.", "4.1")
	HeaderCut = Rules.Error(3, "the file ends inside its header",
		"Nothing after the header is left. Usually a download, a copy or a save was interrupted.", "4.1")
	HeaderVersion = Rules.Warning(4, "the version in the header was never used by TileDB",
		"It affects only filter options, so the file may still open. A byte is damaged, or a newer release wrote the file.", "4.1")
	HeaderDiffers = Rules.Warning(5, "the version in the header does not match the schema",
		"TileDB writes the same version in both places. One of them was edited or damaged.", "4.1").Worth(24)
	PersistedBeyond = Rules.Error(6, "the stored size of the tile is larger than the file",
		"TileDB reads past the end and fails. The file is truncated, or the size is damaged.", "4.1")
	PersistedShort = Rules.Error(7, "the stored size of the tile is smaller than its chunks",
		"TileDB reads too few bytes and fails. The size is damaged, or an edit did not update it.", "4.1")
	BehindTile = Rules.Warning(8, "extra bytes follow the end of the content",
		"TileDB never reads them. Usually the file was padded, written twice or joined to another one.", "4.1")
	InsideTile = Rules.Warning(9, "unused bytes lie between the last chunk and the end of the tile",
		"TileDB skips them. The stored size is too large, or something was inserted there.", "4.1")
	TileSizeWrong = Rules.Error(10, "the size of the content does not match the chunks",
		"TileDB allocates this many bytes and rejects chunks that do not fill them. The size, or the header of a chunk, is damaged.", "4.1")
	NotChar = Rules.Warning(11, "the header does not say that the content is single bytes",
		"Content of this kind is always single bytes (CHAR, size 1). The header is damaged, or TileDB did not write this file.", "4.1")
	BadEncryption = Rules.Error(12, "the kind of encryption is unknown",
		"TileDB supports none (0) and AES-256-GCM (1). The byte is damaged, or a newer release wrote the file.", "4.1")
	EncryptionDiffers = Rules.Error(13, "the header and the filters disagree about encryption",
		"Encrypted content has AES as its last filter, and the header says so too. One of the two is damaged.", "4.1").Worth(24)
	PipelineSize = Rules.Error(14, "the length of the filter list does not match the filters",
		"TileDB uses this length to find the content. The length, or a filter in the list, is damaged.", "4.1")
	NoChunk = Rules.Error(15, "the tile should have content, but has no chunks",
		"The number of chunks is damaged, or the content was lost.", "4.1")
	ChunkBeyond = Rules.Error(16, "a chunk extends past the end of its tile",
		"The lengths at the start of a chunk lead to the next one, so nothing can be unfiltered from here on. The file is "+
			"truncated, or a length is damaged.", "4.1")
	ChunkCount = Rules.Warning(17, "the number of chunks is not what TileDB writes for this much content",
		"TileDB reads it, but another program wrote the file.", "4.1").Worth(16)
	SpareMetadata = Rules.Error(18, "the filter metadata of a chunk has the wrong length",
		"Each filter stores a few bytes that are needed to reverse it. They are damaged, or the chunk was written with different "+
			"filters.", "4.1")
	PartLengths = Rules.Warning(19, "a chunk is longer than its filters read",
		"The lengths of its parts do not add up to its own. A length is damaged, or bytes were inserted.", "4.1").Worth(16)
	PartUndecoded = Rules.Error(20, "compressed content does not decompress to its recorded length",
		"The compressed bytes or the length are damaged. The cells of this chunk are lost; those of others are not.", "4.1").Worth(32)
	ZlibDamaged = Rules.Error(21, "compressed content is damaged (zlib)",
		"A byte of the stream was changed, or bytes are missing: its header, its structure or its checksum (Adler-32) is wrong.", "4.1").Worth(32)
	DigestDiffers = Rules.Error(22, "the content does not match its MD5 or SHA-256 checksum",
		"The content or the checksum is damaged, or the content was edited without updating the checksum.", "4.1").Worth(40)
	KeyFails = Rules.Error(23, "encrypted content cannot be opened with this key",
		"The key does not belong to the array, or the encrypted bytes were changed.", "4.1")
	Experimental = Rules.Warning(24, "the file was written by an experimental build: released TileDB refuses it",
		"Such builds wrote the version 0xFFFFFFFF. The file is shown, but never changed here.", "4.1")
)

// Filter pipelines.
var (
	UnknownFilter = Rules.Error(30, "the filter type is unknown",
		"TileDB rejects the array. The byte is damaged, or the filter is from a newer release, or is the one that 2.13 had for a "+
			"while.", "4.2")
	SchemaEncrypts = Rules.Warning(31, "encryption is among the filters of a schema",
		"TileDB adds it automatically if there is a key, and never writes it here.", "4.2")
	OptionBytes = Rules.Warning(32, "the length of the options does not match this filter",
		"TileDB uses the filter's own length and opens the file. Other readers trust the stored length and lose their place.", "4.2").Worth(24)
	CompressorDiffers = Rules.Warning(33, "the compressor in the options does not match the filter",
		"TileDB uses the one in the options, so data written with the other cannot be decompressed.", "4.2")
	LevelRange = Rules.Warning(34, "the compression level is out of range",
		"Reading does not need it, but writing may fail. The level is damaged or was set by hand.", "4.2")
	FilterTooNew = Rules.Warning(35, "the filter did not exist in this version of the format",
		"Old releases that open such arrays do not support it. The version or the filter is damaged.", "4.2")
	WindowSmall = Rules.Error(36, "the window of the filter is smaller than one value",
		"TileDB divides by it and fails when it writes.", "4.2")
	FilterIdle = Rules.Warning(37, "the filter has no effect on this datatype",
		"It leaves such values unchanged. Usually the datatype or the filter was chosen by mistake.", "4.2")
	FloatDeltas = Rules.Error(38, "the filter takes differences of floating-point values, which is not possible",
		"TileDB fails when it writes or reads such cells.", "4.2")
	BadReinterpret = Rules.Error(39, "the filter reinterprets values as a datatype that does not fit them",
		"The size of that type must divide the size of a value.", "4.2")
	DictionaryMisplaced = Rules.Error(40, "the DICTIONARY filter works only on strings of variable length",
		"TileDB rejects such an attribute, or fails when it writes cells.", "4.2")
	StringFilterLate = Rules.Error(41, "RLE or DICTIONARY must be the first filter on strings",
		"TileDB rejects the array.", "4.2")
	BadScale = Rules.Error(42, "the FLOAT SCALE filter cannot work with these options on this type",
		"It needs values of 4 or 8 bytes, a width of 1, 2, 4 or 8, and a scale that is a normal number. Otherwise the values read "+
			"differ from those written.", "4.2")
	WebPMisplaced = Rules.Error(43, "the WEBP filter needs UINT8 in a dense array of two integer dimensions",
		"Only such tiles are images.", "4.2")
	WebPOptions = Rules.Error(44, "the options of the WEBP filter do not match the tile",
		"The image must be as wide and high as the tile; any other size cannot be decoded.", "4.2")
	WebPPadding = Rules.Warning(45, "unused bytes of the WEBP options are not zero",
		"Nothing reads them.", "4.2").Worth(16)
	FilterCount = Rules.Error(46, "the number of filters is impossible",
		"There is no room for that many. Usually an earlier length or field is wrong, so other bytes are read as the filter count.", "4.2")
	RealDoubleDelta = Rules.Error(47, "a floating-point dimension inherits DOUBLE DELTA, which works on integers only",
		"TileDB rejects the array. Dimensions without filters of their own use those of the coordinates.", "4.2")
	StringInherits = Rules.Error(48, "a string dimension inherits RLE or DICTIONARY after another filter",
		"TileDB rejects the array: on strings they must come first.", "4.2")
	SameCompressor = Rules.Warning(49, "the same compressor is used twice",
		"The second one gains nothing and costs time.", "4.2")
)

// Schemas.
var (
	SchemaCut = Rules.Error(50, "the schema ends before its last field",
		"The rest was lost, or a length or count in it is wrong, so its fields are read at the wrong offsets. TileDB rejects the "+
			"array.", "4.3")
	BehindSchema = Rules.Warning(51, "extra bytes follow the last field of the schema",
		"TileDB skips them. They were added, or an earlier count is too small.", "4.3")
	PayloadVersion = Rules.Error(52, "the schema has a version that TileDB never used",
		"TileDB rejects versions newer than its own. The number is damaged, or a newer release wrote the file.", "4.3")
	BadDups = Rules.Warning(53, "the flag for duplicates is neither yes (1) nor no (0)",
		"TileDB treats it as yes.", "4.3").Worth(16)
	DenseDups = Rules.Warning(54, "a dense array cannot allow duplicates",
		"Each of its cells exists once. The flag, or the array type, is damaged.", "4.3")
	BadArrayType = Rules.Error(55, "the array type is neither dense (0) nor sparse (1)",
		"TileDB rejects it. The byte is damaged, or an earlier field has the wrong length.", "4.3")
	BadTileOrder = Rules.Error(56, "the tile order is neither row-major (0) nor column-major (1)",
		"TileDB rejects the array.", "4.3")
	BadCellOrder = Rules.Error(57, "the cell order is unknown",
		"TileDB rejects the array.", "4.3")
	UselessCellOrder = Rules.Warning(58, "cells cannot be stored in this order",
		"Cells are stored in row-major, column-major or Hilbert order; the others are for queries."+silent, "4.3")
	DenseHilbert = Rules.Warning(59, "a dense array cannot be in Hilbert order",
		"Only cells of sparse arrays are stored along the curve."+silent, "4.3")
	HilbertDims = Rules.Error(60, "Hilbert order has more than 16 dimensions",
		"TileDB's curve supports no more and it rejects the array.", "4.3")
	NoCapacity = Rules.Warning(61, "tiles of a sparse array have no room for cells",
		"TileDB divides cells into tiles of this capacity and cannot write any."+silent, "4.3")
	HugeCapacity = Rules.Warning(62, "the tile capacity is implausible",
		"Every sparse tile except the last should contain this many cells. The number is damaged, or read at the wrong offset.", "4.3")
	NoDimension = Rules.Error(63, "the array has no dimensions",
		"The number of dimensions, or an earlier field, is damaged.", "4.3")
	NoAttribute = Rules.Error(64, "the dense array has no attributes",
		"Its cells would be empty, so TileDB rejects it.", "4.3")
	CountTooLarge = Rules.Error(65, "the count is larger than the remaining bytes allow",
		"The rest of the file has no room for that many. The count is damaged, or an earlier length leads to the wrong place.", "4.3")
	SameName = Rules.Error(66, "two fields have the same name",
		"TileDB rejects the array: queries find fields by name.", "4.3")
	BadName = Rules.Warning(67, "the name is not valid text",
		"It is not UTF-8, or contains a NUL, so most languages cannot request it. Usually a byte is damaged.", "4.3")
	ReservedName = Rules.Warning(68, "the attribute's name starts with __, which TileDB reserves",
		"TileDB opens such arrays, but does not create them.", "4.3")
	EmptyName = Rules.Note(69, "the field has no name",
		"TileDB allows it, and uses it for arrays with one attribute. Among several attributes, an application can hardly request "+
			"it.", "4.3")
	OwnName = Rules.Error(70, "the name is reserved for a field of TileDB",
		"Queries would get TileDB's coordinates or times instead of this field.", "4.3")
)

// Dimensions.
var (
	DimTypeRefused = Rules.Error(80, "dimensions cannot have this datatype",
		"Only numbers, dates, times and ASCII strings can be coordinates; TileDB rejects the array. The byte is damaged, or read "+
			"at the wrong offset.", "4.4")
	DenseDimType = Rules.Error(81, "dimensions of a dense array must be integers, dates or times",
		"Cells of a dense array are counted along their dimensions.", "4.4")
	DenseDimsDiffer = Rules.Error(82, "dimensions of a dense array must all have the same datatype",
		"TileDB refuses to create such arrays and misreads them.", "4.4")
	CoordValues = Rules.Error(83, "a coordinate does not have exactly one value",
		"Each coordinate is one number, or one string of variable length. TileDB crashes, or reads no cell of a sparse array.", "4.4")
	DomainSize = Rules.Error(84, "the length of the domain does not match two values of its datatype",
		"Everything after it is read at the wrong offset. The length or the datatype is damaged.", "4.4")
	DomainEmpty = Rules.Warning(85, "the domain ends before it begins",
		"It cannot contain any cell. Usually the two ends were swapped, or a byte is damaged."+silent, "4.4")
	DomainInfinite = Rules.Error(86, "a bound of the domain is infinite or NaN",
		"TileDB cannot tell which cells lie inside.", "4.4")
	DomainWhole = Rules.Error(87, "the domain is the whole range of its datatype",
		"TileDB cannot count the tiles, because there must be room for one more.", "4.4")
	BadNullExtent = Rules.Warning(88, "the flag for a tile extent is neither yes (0) nor no (1)",
		"TileDB treats it as no.", "4.4").Worth(16)
	NoExtent = Rules.Warning(89, "the dimension has no tile extent",
		"TileDB writes the width of the domain if none is given. The flag is damaged, or the extent was lost.", "4.4")
	StringExtent = Rules.Warning(90, "a text dimension has a tile extent",
		"Strings cannot be divided into tiles of equal width, so TileDB does not write one.", "4.4")
	ExtentNotPositive = Rules.Warning(91, "the tile extent is not positive",
		"Tiles would have no width: TileDB divides by it when it reads cells."+silent, "4.4")
	ExtentTooLarge = Rules.Warning(92, "the tile extent is larger than the domain",
		"TileDB refuses to create such an array."+silent, "4.4")
	ExtentOverflow = Rules.Error(93, "whole tiles of this extent exceed the range of the datatype",
		"The last tile cannot be counted. The extent, or the end of the domain, is damaged.", "4.4")
	HugeTile = Rules.Warning(94, "a tile has too many cells to count",
		"No machine has enough memory for one. The extents are damaged.", "4.4")
	OldDimType = Rules.Error(95, "the domain has a datatype that dimensions cannot have",
		"Old schemas store one datatype for all dimensions; TileDB rejects the array.", "4.4")
)

// Attributes.
var (
	UnknownType = Rules.Error(100, "the datatype is unknown: TileDB crashes on it",
		"The byte is damaged, read at the wrong offset, or from a newer release.", "4.5")
	NoValues = Rules.Error(101, "a cell of the attribute has no values",
		"TileDB rejects the array. The number is damaged.", "4.5")
	FixedAny = Rules.Error(102, "an attribute of type ANY must have variable length",
		"TileDB rejects the array.", "4.5")
	NoFill = Rules.Error(103, "the fill value is empty",
		"TileDB needs it for cells that were never written, and stops.", "4.5")
	FillSize = Rules.Warning(104, "the length of the fill value does not match a cell",
		"Cells that were never written read as garbage."+silent, "4.5").Worth(16)
	FillValues = Rules.Warning(105, "the fill value is not a whole number of values",
		"Its length is not a multiple of the length of a value.", "4.5")
	BadNullable = Rules.Warning(106, "the flag for nullable cells is neither yes (1) nor no (0)",
		"TileDB treats it as yes, and looks for a file of nulls.", "4.5").Worth(16)
	BadFillValid = Rules.Warning(107, "the flag for a null fill value is neither yes (0) nor no (1)",
		"TileDB treats it as a value.", "4.5").Worth(16)
	BadOrder = Rules.Error(108, "the order of the attribute's cells is unknown",
		"TileDB rejects the array.", "4.5")
	OrderMisplaced = Rules.Error(109, "cells of this attribute cannot be ordered",
		"Only attributes of one-dimensional dense arrays can be ordered: they contain the labels of a dimension.", "4.5")
	OrderedValues = Rules.Error(110, "ordered cells must have exactly one value",
		"TileDB rejects the array.", "4.5")
	EnumMissing = Rules.Warning(111, "the attribute's enumeration is not in the schema",
		"Its cells are numbers without a meaning."+silent, "4.5")
	EnumType = Rules.Warning(112, "an attribute with an enumeration must be one integer",
		"Its cells are indices into the enumeration."+silent, "4.5")
	EnumTooLong = Rules.Warning(113, "the enumeration has more values than the attribute can count",
		"The last values cannot be written. The datatype is too small.", "4.5")
)

// Labels, enumerations, the current domain.
var (
	LabelDimMissing = Rules.Warning(120, "the label belongs to a dimension that does not exist",
		"The number is damaged, or a dimension was dropped."+silent, "4.6")
	BadLabelOrder = Rules.Error(121, "labels are neither in increasing nor in decreasing order",
		"TileDB rejects the array: it searches labels by their order.", "4.6")
	LabelEmpty = Rules.Error(122, "the name or the address of a label is empty",
		"TileDB rejects the array.", "4.6")
	LabelTypeRefused = Rules.Error(123, "labels cannot have this datatype",
		"Labels can have the same datatypes as coordinates: numbers, dates, times, ASCII strings.", "4.6")
	LabelAbsolute = Rules.Error(124, "a label that the array contains has an address outside it",
		"TileDB rejects the array. The flag is damaged.", "4.6")
	LabelArray = Rules.Error(125, "the array of the label is missing or does not match it",
		"Queries by label fail. The array was not copied along, or one of the two was changed.", "4.6").Worth(24)
	EnumEntryBad = Rules.Error(130, "the name or the file of an enumeration is empty, repeated or not a file name",
		"TileDB finds enumerations by both.", "4.6")
	EnumFileMissing = Rules.Warning(131, "the file of an enumeration is missing",
		"Cells of attributes that use it have no values. The file was renamed, or not copied along."+silent, "4.6")
	EnumNameDiffers = Rules.Error(132, "the name in the enumeration file does not match the schema or the folder",
		"TileDB does not load it. The file was renamed or copied from elsewhere.", "4.6")
	EnumVersion = Rules.Error(133, "the version of the enumeration is unknown",
		"Only 0 exists. The file is damaged, or from a newer release.", "4.6")
	EnumFields = Rules.Error(134, "the datatype, number of values or order of the enumeration is not allowed",
		"TileDB does not load it.", "4.6")
	EnumData = Rules.Error(135, "the values of the enumeration are truncated",
		"The total length is not a multiple of the length of one value. The length or the datatype is damaged.", "4.6")
	EnumOffsets = Rules.Error(136, "the values of the enumeration start at impossible offsets",
		"Offsets must increase from 0 and stay inside the values. Otherwise strings are split wrongly, and cells show the wrong "+
			"ones.", "4.6")
	EnumTwice = Rules.Error(137, "the enumeration contains the same value twice",
		"TileDB does not load it.", "4.6")
	BehindEnum = Rules.Warning(138, "extra bytes follow the last field of the enumeration",
		"TileDB ignores them.", "4.6")
	EnumUnused = Rules.Note(139, "no attribute uses the enumeration",
		"It is left over when an attribute is dropped. Harmless.", "4.6")
	EnumFileUnused = Rules.Warning(140, "no schema refers to this enumeration file",
		"Harmless. Usually a schema was lost, or the file was copied here.", "4.6")
	CurrentVersion = Rules.Error(145, "the version of the current domain is unknown",
		"Only 0 exists; TileDB rejects the array.", "4.6")
	CurrentEmpty = Rules.Warning(146, "the flag for an empty current domain is neither yes (1) nor no (0)",
		"TileDB treats it as yes.", "4.6").Worth(16)
	CurrentType = Rules.Error(147, "the shape of the current domain is unknown",
		"Only boxes (0) exist; TileDB rejects the array.", "4.6")
	CurrentRange = Rules.Error(148, "the current domain ends before it begins, or is NaN",
		"Nothing can be read or written. Usually the two ends were swapped.", "4.6")
	CurrentSizes = Rules.Error(149, "the lengths of a string range disagree, or it ends before it begins",
		"The low end is read from the wrong bytes.", "4.6")
	CurrentOutside = Rules.Warning(150, "the current domain extends past the domain",
		"TileDB refuses to create such an array."+silent, "4.6")
	CurrentExceeded = Rules.Warning(151, "a fragment has cells outside the current domain",
		"These cells cannot be reached. The current domain was reduced, or the fragment belongs to another array.", "4.6")
)

// Files compared with each other.
var (
	NoSchema = Rules.Error(160, "the array has no schema",
		"Nothing can be read without one. The schema folder was lost, or this is only part of an array.", "4.7").Worth(24)
	SchemaMissing = Rules.Error(161, "the schema that the fragment was written with is missing",
		"TileDB does not open the array at all. The schema file was renamed, deleted or not copied.", "4.7").Worth(24)
	OldSchemaMissing = Rules.Error(162, "an old fragment needs __array_schema.tdb, which is missing",
		"All fragments older than version 10 use that file, and cannot be read without it.", "4.7").Worth(24)
	VersionsDiffer = Rules.Warning(163, "the versions in a fragment's name, footer and tiles differ",
		"TileDB writes the same version in all three. The folder was renamed, or a number is damaged.", "4.7").Worth(16)
	FooterLength = Rules.Error(164, "the footer of the fragment does not end where it should",
		"A count, a size or the length at the end of the file is damaged, bytes are missing, or the fragment was written with "+
			"another schema.", "4.7").Worth(32)
	OffsetLeadsNowhere = Rules.Error(165, "the footer refers to a place where no list begins",
		"TileDB fails when it needs that list. The offset or the list is damaged.", "4.7")
	FooterUnreached = Rules.Warning(166, "the footer does not refer to some bytes of the fragment's metadata",
		"TileDB never reads them. Usually the file was written twice.", "4.7")
	FileSizeWrong = Rules.Error(167, "the size of a data file does not match its fragment",
		"If it is shorter, cells are lost: a download or a copy was interrupted. If it is longer, TileDB never reads the rest.", "4.7")
	TileOffsets = Rules.Error(168, "tiles start at impossible offsets in their file",
		"Offsets must increase from 0 and stay inside the file. Otherwise tiles are read from the wrong bytes.", "4.7")
	TileCounts = Rules.Error(169, "the fields of the fragment have different tiles",
		"Cells are assembled from all fields, tile by tile. One of the fields is damaged or from another fragment.", "4.7")
	TileCells = Rules.Error(170, "a tile does not contain as many cells as it should",
		"The schema's capacity gives the number of cells in each sparse tile but the last. TileDB fails to read the fragment.", "4.7")
	TreeLeaves = Rules.Error(171, "the number of tiles does not match the number of bounding boxes",
		"TileDB finds tiles through their boxes, so some are never read, or reading fails.", "4.7")
	CellOffsetsBad = Rules.Error(172, "cells of variable length start at impossible offsets",
		"Offsets must increase from 0 and stay inside the values. Otherwise cells show the wrong bytes.", "4.7")
	FragmentDomain = Rules.Error(173, "the bounding box of the fragment is empty or extends past the domain",
		"TileDB uses this box to decide whether to read the fragment. A bound is damaged, or the fragment belongs to another array.", "4.7")
	Uncommitted = Rules.Warning(174, "a fragment has no commit, or a commit has no fragment",
		"TileDB reads only fragments that a commit names. A write was interrupted, or a copy left out the empty commit file.", "4.7")
	BadValidity = Rules.Warning(175, "the validity of a cell is neither 0 (null) nor 1 (valid)",
		"TileDB treats it as a value. The byte is damaged.", "4.7").Worth(16)
	EnumIndex = Rules.Warning(176, "a cell refers to a value that its enumeration does not have",
		"The cell is damaged, or the enumeration was truncated or replaced.", "4.7")
	OddMetadata = Rules.Warning(177, "metadata has an unreadable key or type, or a file is incomplete",
		"A byte is damaged, or a save was interrupted.", "4.7")
	OddMember = Rules.Warning(178, "a member of the group has an unusual kind, name or address",
		"The group cannot find it, or finds it twice.", "4.7")
	CommitLineBad = Rules.Error(179, "a line of the list of commits does not match the array",
		"It names a fragment that is missing, or the length of a deletion in it is wrong.", "4.7")
	MergedDamaged = Rules.Error(189, "a fragment is damaged, but others with its cells are whole",
		"Consolidation writes the cells of several fragments as one, and keeps those until they are vacuumed. Without a damaged consolidated fragment, its commit and its "+
			"vacuum file (.vac), TileDB reads the others again: do not vacuum the array. If a vacuum stopped half-way, the rest of what it removes can go.", "5.4")
	DenseDiffers = Rules.Error(190, "the fragment is dense but stores coordinates, or is sparse and stores none",
		"TileDB looks for the cells in the wrong way: without a message, every cell of a dense array reads as its fill value. The flag is damaged.", "5.1.2")
	MemberMoved = Rules.Error(187, "a member of the group is at another place than the group says",
		"Its address is absolute, and the group was moved or copied. TileDB looks in the old place: it fails if nothing is there, "+
			"and reads old data otherwise.", "5.5")
	StatisticsDiffer = Rules.Error(181, "cells do not match the statistics of their fragment",
		"The minimum, maximum, sum or null count stored for a tile does not match it: bytes of the tile, or the stored value, are "+
			"damaged. Queries that trust the stored value return wrong results.", "5.1.1")
	BoxDiffers = Rules.Error(182, "the bounding box of the fragment does not match its cells",
		"TileDB uses this box to decide whether to read the fragment, so cells outside it are never found. A bound of the box, or "+
			"a coordinate, is damaged.", "5.1")
	OddPipeline = Rules.Warning(183, "the filters of a header are not those that TileDB uses",
		"TileDB has always stored this content with GZIP at level 1 in chunks of 65,536 bytes. Readers ignore these two numbers, "+
			"so nothing is lost. A byte of the header is damaged, or another program wrote it.", "2.3")
	TextBad = Rules.Warning(188, "a text of an attribute or of an enumeration is not valid UTF-8",
		"TileDB returns the bytes as they are, but Python cannot decode them, and reading the array fails. A byte is damaged, or "+
			"another program wrote text in another encoding.", "3.4")
	TwoArrays = Rules.Error(191, "the schema belongs to another array than the newest schema",
		"Evolution changes attributes, enumerations and the current domain, never dimensions, orders or the array type. TileDB reads the newest schema, and the "+
			"fragments of the other array as if they had no values. Files of two arrays were copied into one folder.", "7.3").Worth(24)
	SameTimes = Rules.Warning(180, "two schemas have the same timestamp",
		"It is unclear which one is newer. A copy was made under another name.", "4.7")
)
