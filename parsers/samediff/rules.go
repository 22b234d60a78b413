package samediff

import "spandrel/model"

// The rules of SameDiff models, by the sections of the reference sheet. What each means and what usually causes it is printed by
// "spandrel rules" and shown beside a finding.
var rules = model.NewRules("SDF")

// Section 4.1: the file as a whole.
var (
	notAModel = rules.Error(1, "the file does not begin like any SameDiff model",
		"No reader opens it. Its beginning is damaged or missing, something was put in front of it, or another file was saved "+
			"under this name.", "4.1").Worth(40)
	oddMagic = rules.Note(2, "the signature is not exactly SAMEDIFF_MODEL",
		"Drafts of the format left open how many letters and bytes the signature has. All forms are read here; other readers may "+
			"know the 14 letters only.", "4.1")
	badVersion = rules.Error(3, "the container has a version that does not exist",
		"Readers decide by it how to read all the rest, and refuse the file. Usually its four bytes are damaged, or a newer "+
			"program wrote it.", "4.1")
	littleContainer = rules.Warning(4, "the numbers of the container are in the wrong byte order",
		"Lengths, version and checksums are little-endian; the format wants big-endian. A writer of its own made the file: readers "+
			"other than that may refuse it.", "4.1").Worth(24)
	oddRecords = rules.Note(5, "the sections have an unusual layout",
		"The proposal of the format left the layout of sections open. This variant is read and kept; other readers may know the "+
			"usual one only.", "4.1")
	wrongExtension = rules.Warning(6, "the file name extension does not match the content",
		"SameDiff.load chooses its reader by the ending of the name, and fails on such a file. Usually the file was renamed.", "4.1")
	otherKind = rules.Error(7, "the file is not a SameDiff model",
		"It was saved under a wrong name, or stands in for the model, as a Git-LFS pointer does until the real file is fetched.", "4.1")
	tooShort = rules.Error(8, "the file is empty, or ends inside its header",
		"Nothing of a model is left. A download, a copy or a save was interrupted at its very beginning.", "4.1")
	gzipWrapped = rules.Warning(9, "the model is wrapped in gzip",
		"Readers of SameDiff do not unpack it and refuse the file. A web server or a script compressed it on the way.", "4.1")
)

// Section 4.2: containers.
var (
	recordCut = rules.Error(10, "the file ends inside a section header",
		"What the last bytes belong to is not known. The file is cut, or bytes that do not belong to it follow the last section.", "4.2")
	recordTooLong = rules.Error(11, "a section is longer than the rest of the file",
		"Its content ends early, and sections behind it are missing. The file is cut, or the length of the section is wrong.", "4.2")
	afterLast = rules.Warning(12, "extra bytes follow the last section",
		"The header says how many sections there are, and these bytes belong to none. Something was appended, or the number of "+
			"sections is wrong.", "4.2")
	unknownSection = rules.Warning(13, "a section has an unknown type",
		"It is kept as it is and not read. A newer program wrote it, or its type byte is damaged.", "4.2")
	privateSection = rules.Note(14, "a section has a private type",
		"Programs may keep what is theirs in sections of type 128 to 255. It is kept as it is.", "4.2")
	sectionTwice = rules.Error(15, "a section that may occur once is present twice",
		"Readers take the first or the last of them, and which one is up to the reader. Usually two files were joined, or a type "+
			"byte is damaged.", "4.2")
	noGraph = rules.Error(16, "the container does not contain a graph",
		"Without the section GRAPH there are no variables and no operations, so nothing can be run. It was lost, or the type byte "+
			"of the section is damaged.", "4.2")
	noHeader = rules.Warning(17, "the container has no HEADER section",
		"Readers cannot tell how many sections there should be, so that a cut file looks whole. The writer left it out, or the "+
			"section was lost.", "4.2")
	sectionOrder = rules.Warning(18, "the sections are not in the usual order",
		"Readers that want HEADER, METADATA, GRAPH, ARRAYS, SHARD_INFO one after the other stop too early. Another program put the "+
			"file together.", "4.2")
	badFlags = rules.Error(19, "the flags of a section have undefined bits set",
		"Whether the section is compressed and has a checksum follows from them, so its end and content are in doubt. Usually the "+
			"byte is damaged.", "4.2")
	zstdSection = rules.Warning(20, "a section uses a compression that no reader supports",
		"Zstandard has a number in the format and nothing else: the section cannot be read. The flags are damaged, or a private "+
			"program wrote the file.", "4.2").Worth(24)
	inflateFailed = rules.Error(21, "a compressed section is damaged",
		"What lies behind the damage cannot be unpacked. Bytes were changed, lost or added inside the section.", "4.2").Worth(32)
	oddFraming = rules.Warning(22, "a compressed section is raw deflate or gzip",
		"The format wants zlib. It is read here; other readers refuse it. Another program compressed the section.", "4.2")
	inflatesTooFar = rules.Error(23, "a compressed section decompresses to far more than it should",
		"Readers stop at 100 times the packed size, against files made to fill the memory. A model of nothing but zeros can do "+
			"that too.", "4.2")
	afterStream = rules.Error(24, "extra bytes follow the compressed content of a section",
		"They belong to nothing. The length of the section is too large, or its content was replaced by a shorter one.", "4.2")
	hiddenDeflate = rules.Warning(25, "a section is compressed, but its flags do not say so",
		"Readers take the compressed bytes for the content and fail. The flag was lost, or never set.", "4.2")
	headerCompressed = rules.Error(26, "the HEADER section is compressed",
		"Readers look at it before they know how to unpack anything. The writer compressed all sections alike.", "4.2")
	arraysCompressed = rules.Warning(27, "the arrays are compressed as a whole",
		"To read one array all of them must be unpacked. The file is smaller, and opening it takes more time and memory.", "4.2")
	sectionChecksum = rules.Error(28, "the checksum of a section does not match its bytes",
		"Bytes were changed since the section was written: by damage in transit or on the disk, or by an edit that did not follow "+
			"up.", "4.2").Worth(32)
	noChecksum = rules.Note(29, "a section has no checksum",
		"Damage inside it would go unnoticed. The writer left the checksum out, which is allowed.", "4.2")
	emptySection = rules.Error(30, "a section that must not be empty is empty",
		"There is no graph, or no place in the set of shards. The save was interrupted, or the length of the section is damaged.", "4.2")
	tooManySections = rules.Warning(31, "there are more than 65,536 sections",
		"The rest is not read. No program writes as many: the lengths of sections are damaged, or the file was made to tire "+
			"readers.", "4.2")
	headerUnreadable = rules.Error(32, "the HEADER section cannot be read",
		"How many sections there should be, and their checksum, are not known. Its bytes are damaged, or it was written by a "+
			"program of its own.", "4.2").Worth(24)
	headerVersion = rules.Error(33, "the version in the HEADER section does not match the first bytes of the file",
		"One of the two is wrong, and readers may refuse the file. Usually one of them is damaged.", "4.2")
	sectionCount = rules.Error(34, "the number of sections in the HEADER section is wrong",
		"Readers take it for a sign that sections are missing. The file is cut, a section was added by hand, or the number is "+
			"damaged.", "4.2")
	wholeChecksum = rules.Error(35, "the checksum over all sections does not match their bytes",
		"Bytes of some section were changed since the file was saved, or one was added, dropped or moved without "+
			"rewriting the checksum.", "4.2").Worth(32)
	metadataUnreadable = rules.Error(36, "the METADATA section cannot be read",
		"Keys and values that describe the model are lost to readers. Its bytes are damaged, or it is in a form of its own.", "4.2").Worth(24)
	badKey = rules.Error(37, "a metadata entry has no key, or a key that is already used",
		"Readers keep one of the values, and which one is up to the reader. An edit added a key twice, or damage changed one.", "4.2")
	keyOrder = rules.Warning(38, "metadata keys are out of order, or one has no value",
		"Keys are stored in order, and each with a value. Another program wrote them, or damage changed a key.", "4.2")
	reservedKey = rules.Warning(39, "a reserved metadata key has an impossible value",
		"Loaders read these keys: the time must be a number, the format and its version those of the file. An edit or damage "+
			"changed the value.", "4.2")
	metadataDiffers = rules.Warning(40, "the graph and METADATA have different values for the same key",
		"Readers of one and of the other see different things. An edit changed one side alone.", "4.2")
	noIndex = rules.Error(41, "the index of the ARRAYS section cannot be read",
		"Without it nothing tells which array lies where. Its length or its first bytes are damaged.", "4.2")
	arrayTwice = rules.Error(42, "an array is stored twice under one name",
		"Which of the two a variable gets is up to the reader. Two files were joined, or damage made two names alike.", "4.2")
	blobOutside = rules.Error(43, "an array lies outside its section",
		"It cannot be read. The section is cut, or the place or length that the index gives is wrong.", "4.2")
	blobOverlap = rules.Error(44, "two arrays overlap",
		"At most one of them can be right. A place or a length in the index is wrong.", "4.2")
	blobGap = rules.Warning(45, "bytes between arrays are not just padding",
		"Arrays start at multiples of 64, with zeros between them. An array was lost from the index, or another program laid the "+
			"file out.", "4.2")
	arrayInBoth = rules.Error(46, "an array is both in the graph and in the ARRAYS section",
		"Readers refuse it, or take either. A conversion left the old copy behind.", "4.2")
	arrayUnknown = rules.Warning(47, "an array does not belong to any variable of the graph",
		"It is loaded and never used. A variable was renamed or removed without its array, or a name is damaged.", "4.2")
	arrayMissing = rules.Error(48, "a variable that must have values has none",
		"The model cannot be run: the values of the parameter or constant are nowhere. A shard or a file is missing, or its entry "+
			"was lost.", "4.2")
	modelContainer = rules.Note(49, "the file is a ModelContainer, which no known program writes",
		"Its description ships with the software, its writer does not. It is shown, and changed in place only.", "4.2")
)

// Section 4.3: SDNB.
var (
	nativeVersion = rules.Error(50, "the SDNB version is not 1",
		"The check after a save demands 1, and later readers may too. Usually the number is damaged, or a newer program wrote the "+
			"file.", "4.3")
	metadataOffset = rules.Error(51, "the header does not place the graph at byte 32",
		"It always does. Readers that trust the number start in the wrong place. Usually it is damaged.", "4.3")
	saveInterrupted = rules.Error(52, "the save was interrupted before the header was completed",
		"The header does not say where the manifest is, so that loaders find no large array. The program or the machine stopped "+
			"while it saved.", "4.3")
	manifestOutside = rules.Error(53, "the manifest lies outside the file",
		"Loaders do not find the large arrays. The file is cut behind it, or one of the two numbers is damaged.", "4.3").Worth(32)
	afterManifest = rules.Warning(54, "extra bytes follow the manifest",
		"The manifest ends the file. Something was appended, or the place or length of the manifest is wrong.", "4.3")
	noManifest = rules.Error(55, "there is no manifest at the place that the header gives",
		"Loaders fail, and large arrays have no place. The place is wrong, or the bytes there are damaged.", "4.3").Worth(32)
	manifestForeign = rules.Error(56, "the manifest is not what the SDNB writer produces",
		"It may hold five known Java classes, and nothing else is read. A byte of it is damaged.", "4.3").Worth(32)
	manifestCount = rules.Warning(57, "the numbers of the manifest do not match its entries",
		"Java makes a map of the size that stands there: too few or too many entries fail. Usually a number is damaged, or entries "+
			"were added by hand.", "4.3").Worth(24)
	manifestBroken = rules.Error(58, "the manifest is truncated, or refers to something that does not exist",
		"Arrays named behind this place are not found. The manifest is cut, or a length or reference in it is damaged.", "4.3")
	entryOutside = rules.Error(59, "the manifest places an array outside the array data",
		"Loaders refuse the file. The offset or the length of the entry is wrong, or bytes of the file are missing.", "4.3")
	entryOverlap = rules.Error(60, "the manifest places an array over the graph or another array",
		"At most one of them can be right. The offset or the length of an entry is wrong.", "4.3")
	nativeGap = rules.Warning(61, "bytes between the arrays belong to none of them",
		"The writer leaves no gaps. An entry of the manifest was lost, or an offset or length is wrong.", "4.3")
	entryUnknown = rules.Error(62, "the manifest names an array that belongs to no variable",
		"Loading fails. A variable was renamed or removed without its array, or a name is damaged.", "4.3")
	inlineAndEntry = rules.Error(63, "an array is both in the graph and in the manifest",
		"Loading fails, as the two could differ. A conversion left the old copy behind.", "4.3")
	entryLength = rules.Error(64, "the length of an array does not match its shape and type",
		"Loading fails. The length in the manifest, the shape or the type of the variable is wrong.", "4.3")
	stubDiffers = rules.Warning(65, "the graph and the manifest disagree about the place of an array",
		"The Java loader takes the manifest, the C++ reader takes the graph: one of them reads wrong values. One number is wrong, "+
			"or an old reader's rule was followed.", "4.3").Worth(24)
	noStub = rules.Warning(66, "the graph does not say where a large array is",
		"The Java loader finds it by the manifest, the C++ reader does not find it. The first writer of 2025 left it out.", "4.3")
	smallBlob = rules.Warning(67, "a small array is stored outside the graph",
		"Arrays of less than 1 MiB are usually kept inside it. It is read all the same; another program wrote the file.", "4.3")
	emptyEntry = rules.Warning(68, "the manifest lists an empty array",
		"The array was null or empty when the model was saved, and cannot be told from one that got lost.", "4.3")
	beyondGraph = rules.Note(69, "unused bytes follow the graph",
		"An edit that made the graph smaller leaves them. They do no harm.", "4.3")
	orderIgnored = rules.Warning(70, "a large array is stored column by column",
		"The C++ reader takes it row by row and gets its values in the wrong order. The Java loader reads it right.", "4.3")
	formatType = rules.Warning(71, "the metadata does not say that arrays are appended",
		"The key nd4j.format.type should be APPENDED_BLOB. The writer left it out, or it was changed.", "4.3")
)

// Section 4.4: archives.
var (
	noDirectory = rules.Error(80, "the ZIP directory at the end of the archive is missing or damaged",
		"Programs find members by it alone, and refuse the archive. Usually the file is cut; the members in front may be whole.", "4.4").Worth(32)
	noModelMember = rules.Error(81, "no member of the archive is a SameDiff model",
		"There is nothing to load. It is another kind of ZIP, or the first bytes of the model are damaged.", "4.4")
	unsafeName = rules.Error(82, "the name of a member leads out of the folder",
		"Java refuses such archives, as unpacking one could overwrite other files. The name was made on Windows, on purpose, or is "+
			"damaged.", "4.4")
	memberTwice = rules.Error(83, "two members of the archive have the same name",
		"Readers take the first or the last, and which one is up to the reader. A member was added and not replaced.", "4.4")
	memberMethod = rules.Error(84, "a member is encrypted, or uses an unknown compression",
		"It cannot be read. The archive was made with options that Java does not know, or the number is damaged.", "4.4")
	memberChecksum = rules.Error(85, "the checksum or size of a member does not match its content",
		"Java fails when it reads the member to its end. Its bytes are damaged, or they were changed without the checksum.", "4.4").Worth(32)
	memberDeflated = rules.Warning(86, "a model inside the archive is compressed",
		"Newer readers map stored members into memory, and early C++ readers take no others. Older Java wrote them compressed.", "4.4")
	localHeader = rules.Warning(87, "the two headers of a member disagree",
		"Readers that go through the file take one, those that use the directory the other. One of the two is damaged, or an edit "+
			"changed one alone.", "4.4")
	archiveLimits = rules.Error(88, "the archive exceeds the limits that Java sets",
		"More than 1,000 members, 10 GiB or a ratio of 100 are refused, against archives made to fill the disk.", "4.4")
	memberName = rules.Warning(89, "the model inside the archive is not named model",
		"Readers that look for that name do not find it. The archive was packed by hand.", "4.4")
	modelAndShards = rules.Warning(90, "the archive contains both a whole model and shards of one",
		"Which of the two is loaded is up to the reader. Two archives were joined.", "4.4")
	otherMembers = rules.Note(91, "the archive contains other files besides the model",
		"They are allowed, such as vocabularies of a tokenizer, and ignored.", "4.4")
	aroundArchive = rules.Warning(92, "extra bytes precede or follow the archive",
		"Java refuses an archive that does not begin with its first member. Something was put in front of it, or appended.", "4.4")
)

// Section 4.5: shards and external arrays.
var (
	shardIndex = rules.Error(100, "the shard number does not fit the number of shards",
		"Its number must be below the number of shards. One of the two numbers is damaged.", "4.5")
	shardNumber = rules.Error(101, "the shard number does not match the file name",
		"Loaders put arrays of the wrong shard together. The file was renamed, or the number is damaged.", "4.5")
	shardCounts = rules.Error(102, "the file names of the shards give different numbers of shards",
		"Loaders refuse the set: files of two saves lie in one folder, or one was renamed.", "4.5")
	noFirstShard = rules.Error(103, "shard 0, which contains the graph, is missing",
		"Nothing can be loaded without it. It was not copied, or has another name.", "4.5").Worth(24).Absent()
	shardMissing = rules.Error(104, "a shard with arrays is missing",
		"Java only logs it, and runs the model without these values. The file was not copied, or has another name.", "4.5").Worth(24).Absent()
	leftoverName = rules.Warning(105, "the name of a shard is one that is used only during a save",
		"Its end is -of-N in place of a number: the save was interrupted before the files got their names.", "4.5")
	singleBeside = rules.Warning(106, "a whole model and the shards of one are in the same folder",
		"The loader takes the shards, even when the single file is opened. One of them is of an older save.", "4.5")
	shardType = rules.Warning(107, "the type of the shard does not match its place in the set",
		"Shard 0 holds the graph, all others weights. The file was renamed, or the text was changed.", "4.5")
	arrayInTwo = rules.Error(108, "two shards contain the same array",
		"Which of the two values is used is up to the loader. Shards of two saves were mixed.", "4.5")
	shardBase = rules.Warning(109, "the shard was written for a set with another name",
		"It still loads. The files were renamed; or one of another set lies among them.", "4.5")
	onlyShard = rules.Warning(110, "the file calls itself the only shard of a set",
		"Shard information makes no sense for a single file. The writer left it in.", "4.5")
	externalMissing = rules.Error(111, "the file that should contain an array is missing",
		"The variable has no values. The folder of external arrays was not copied with the model, or a file in it was renamed.", "4.5").Worth(24)
	externalSize = rules.Error(112, "the size of a file does not match the array that it contains",
		"The array cannot be read, or only in part. The file is cut, or belongs to another save.", "4.5")
	externalName = rules.Error(113, "the name of an array file leads out of its folder",
		"It is not followed, as it could lead to any file of the machine. It was made by hand, or is damaged.", "4.5")
)

// Section 4.6: FlatBuffers.
var (
	rootLost = rules.Error(120, "the first bytes of the graph do not lead to its root",
		"Readers find nothing of the graph. They are damaged, or other bytes stand in front of the graph.", "4.6")
	tableNoShape = rules.Error(121, "a table does not lead to its vtable",
		"Nothing in the table can be read. Four bytes at its start are damaged, or what leads to the table is.", "4.6")
	tableBadShape = rules.Error(122, "the vtable of a table is impossible",
		"No table that uses it can be read. Its bytes are damaged, or cut off.", "4.6")
	noOperations = rules.Note(123, "the graph has no operations",
		"There is nothing to execute; the C++ reader refuses it. Models in a zoo sometimes hold placeholders only.", "4.6")
	slotOutside = rules.Error(124, "a field lies outside its table",
		"It cannot be read, and counts as absent. The description of the table is damaged.", "4.6")
	fieldOverlap = rules.Error(125, "two fields of a table overlap",
		"At most one of them can be right. The description of the table is damaged.", "4.6")
	offsetOutside = rules.Error(126, "an offset leads out of the graph",
		"What it should lead to counts as absent. The offset is damaged, or the file is cut in front of its target.", "4.6").Worth(24)
	vectorTooLong = rules.Error(127, "a list extends past the end of the graph",
		"It cannot be read. Its count is damaged, or the file is cut.", "4.6").Worth(24)
	textTooLong = rules.Error(128, "a string extends past the end of the graph",
		"It cannot be read. Its length is damaged, or the file is cut.", "4.6").Worth(24)
	textNoZero = rules.Warning(129, "a string does not end in a zero byte",
		"Readers in C++ go on reading behind its end. Its length is damaged, or another program wrote it.", "4.6")
	textNotUTF8 = rules.Error(130, "a string is not valid UTF-8",
		"Java puts replacement characters in its place, so that names no longer match. Bytes are damaged, or the text is in an "+
			"older encoding.", "4.6")
	unaligned = rules.Warning(131, "a value does not start at a multiple of its size",
		"Some processors and checkers refuse it. Bytes were inserted or removed in front of it, or another program wrote the file.", "4.6")
	claimedTwice = rules.Error(132, "two structures overlap",
		"At most one of them can be right. An offset, a count or a length is damaged.", "4.6")
	nestsTooDeep = rules.Error(133, "the graph nests too deeply, or refers to itself",
		"Readers would not come to an end. An offset is damaged, or the file was made to tire readers.", "4.6")
	unknownField = rules.Note(134, "a table has an unknown field",
		"A newer program wrote it. It is shown as bytes and kept.", "4.6")
	unreached = rules.Warning(135, "some bytes of the graph are not used",
		"What led to them is lost: then they hold data that cannot be seen. Or an edit left them behind.", "4.6")
	sharedShape = rules.Note(136, "vtables are shared, or longer than needed",
		"Both are usual and do no harm.", "4.6")
	graphTooLarge = rules.Error(137, "the graph is larger than 2 GiB",
		"Offsets inside it cannot reach so far, and no reader loads it. Large arrays belong outside the graph.", "4.6")
	neverSet = rules.Warning(138, "a graph of 2017 refers to its own end where it has nothing to refer to",
		"Programs of that time wrote what they had left out in this way: a list of dimensions, or an operation that was not exported. It "+
			"counts as absent here, and other readers may read behind the end. Nothing was lost.", "4.6")
)

// Section 4.7: graphs.
var (
	variableName = rules.Error(140, "a variable has no name, or the name of another variable",
		"Operations and arrays find variables by their names: the second one is lost. Usually a name is damaged.", "4.7")
	variableID = rules.Error(141, "a variable has no id, or the id of another variable",
		"Operations find their inputs by these ids, and take the wrong variable. Usually an id is damaged.", "4.7")
	sameNodeID = rules.Error(142, "two operations have the same id",
		"Results are taken from the wrong operation. Usually an id is damaged.", "4.7")
	inputUnknown = rules.Error(143, "an input of an operation is not a variable",
		"It cannot be run. An id is damaged, or a variable was removed.", "4.7")
	inputsDiffer = rules.Warning(144, "the two lists of inputs of an operation have different lengths",
		"Newer readers take the pairs, older ones the list. Another program wrote it, or a count is damaged.", "4.7")
	outputUnknown = rules.Error(145, "an output of an operation is not a variable, or already has an operation",
		"Its result is lost, or overwrites another. A variable was renamed or removed, or a name is damaged.", "4.7")
	makerDiffers = rules.Warning(146, "the type of a variable does not match how it gets its values",
		"Results of operations are of type ARRAY, and only they. The type is damaged, or an operation was removed.", "4.7")
	graphOutput = rules.Error(147, "an entry of the list of outputs is not a variable",
		"Who asks the graph for its outputs gets none. An id is damaged, or a variable was removed.", "4.7")
	placeholderList = rules.Warning(148, "the list of placeholders does not match the variables",
		"Readers that use the list ask for the wrong inputs. A variable was changed or renamed without the list.", "4.7")
	lossUnknown = rules.Error(149, "a loss variable does not exist",
		"Training fails. The variable was renamed or removed without this list, or the name is damaged.", "4.7")
	dependencyUnknown = rules.Error(150, "a control dependency names something that does not exist",
		"The order of execution cannot be kept. A variable or operation was renamed or removed, or the name is damaged.", "4.7")
	badEnum = rules.Error(151, "a field has a value that is not allowed",
		"Readers refuse it, or take it for something else. Usually the byte is damaged, or a newer program wrote it.", "4.7")
	oddOperation = rules.Error(152, "an operation has no name, or its number belongs to another list",
		"Readers know operations of type CUSTOM by their names, and refuse a graph with one that has none. The graph was written by an older generation, or is damaged.", "4.7")
	outputTypes = rules.Warning(153, "the number of types of an operation does not match its outputs",
		"Readers guess the types of the others. A count is damaged, or another program wrote it.", "4.7")
	circle = rules.Error(154, "operations depend on each other in a cycle",
		"None of them can ever run. The id of an input is wrong, or the graph was put together wrongly.", "4.7")
	oddLogic = rules.Warning(155, "a scope has no name, or a control operation has an unknown number",
		"Loops and branches are not run as meant. A number is damaged, or a newer program wrote it.", "4.7")
	keysUnpaired = rules.Error(156, "the keys and values of the metadata do not pair",
		"Readers give keys the wrong values or fail. A count is damaged, or an edit changed one list alone.", "4.7")
	graphKeyOrder = rules.Warning(157, "the metadata keys of the graph are out of order",
		"The writer sorts them. A key is damaged, or another program wrote them.", "4.7")
	trainingBroken = rules.Error(158, "the training configuration is not a JSON object",
		"The loader fails as soon as training is asked for. An edit made a mistake in the text, or it is damaged.", "4.7").Worth(24)
	trainingNames = rules.Warning(159, "the training configuration names something that does not exist",
		"Training fails, or takes other losses than the graph. A variable was renamed without this text.", "4.7")
	updaterPairs = rules.Error(160, "the names and values of an updater's state do not pair",
		"Training cannot go on from this state. A count or a name is damaged.", "4.7")
	updaterUnknown = rules.Error(161, "updater state belongs to no variable, or to one that already has some",
		"Training cannot go on from this state. A variable was renamed or removed, or the name is damaged.", "4.7")
	updaterShape = rules.Warning(162, "the shape of updater state does not match its variable",
		"Training cannot go on from this state. The variable was replaced without it.", "4.7")
	instanceBroken = rules.Error(163, "a subgraph has no name of its own, or is damaged",
		"What calls it cannot be run. Its bytes or its name are damaged.", "4.7")
	propertyMixed = rules.Warning(164, "the values of an operation's property do not match each other",
		"Readers take one kind and ignore the rest. A count is damaged, or another program wrote it.", "4.7")
	placeholderArray = rules.Note(165, "a placeholder has values, or has no shape",
		"Values of a placeholder are given when the graph is run: these are ignored. Imported models often carry them.", "4.7")
	typeless = rules.Warning(166, "a variable is of a kind that Java drops when it saves",
		"After the next save it is gone. Its type byte is damaged, or the model was made by an import.", "4.7")
	gradientLeft = rules.Warning(167, "a gradient is left without its variable",
		"It does no harm. The variable was renamed or removed after training.", "4.7")
)

// Section 4.8: arrays.
var (
	shapeUnclear = rules.Error(170, "the shape of an array does not match its bytes in any way",
		"Neither of the two ways in which shapes are written gives as many elements as there are. The shape or the length is "+
			"damaged.", "4.8")
	shapeImpossible = rules.Error(171, "the shape of an array is negative, too deep or too large",
		"The array cannot be read. A dimension is damaged.", "4.8")
	arrayLength = rules.Error(172, "the number of bytes of an array does not match its shape and type",
		"Its values cannot be read to the end. The shape, the type or the length is damaged, or bytes are missing.", "4.8")
	stridesDiffer = rules.Warning(173, "the strides of an array do not match its shape",
		"Readers that use them take elements from the wrong places. They belong to a view that was copied, or are damaged.", "4.8")
	orderLetter = rules.Error(174, "the order of an array is neither c nor f",
		"It must be 99, the letter c, or 102, the letter f. The number is damaged.", "4.8")
	typeBit = rules.Warning(175, "the type in the shape of an array does not match the array",
		"Some readers trust one, some the other, and get wrong values. One of the two is damaged.", "4.8").Worth(24)
	emptyBit = rules.Warning(176, "an array is marked empty but has bytes, or the reverse",
		"Some readers skip its values. The mark is damaged, or the bytes were lost.", "4.8")
	typeUndecodable = rules.Error(177, "the element type of an array cannot be read",
		"No writer is known to make such arrays. Usually the type byte is damaged.", "4.8")
	badByteOrder = rules.Error(178, "the byte order of an array is neither of the two",
		"Readers cannot tell which byte of an element comes first. The byte is damaged.", "4.8")
	oddByteOrder = rules.Warning(179, "the values of an array look as if their bytes were swapped",
		"Java writes the most significant byte first in these files, and the values make sense in one order only. The order byte "+
			"is wrong, or the values are.", "4.8")
	typesDiffer = rules.Warning(180, "the type of an array does not match its variable",
		"Java converts the values when it loads the model, and may lose digits. One of the two types was changed or is damaged.", "4.8")
	textsBroken = rules.Error(181, "the strings of an array cannot be separated",
		"The numbers that say where each one ends do not fit the bytes. One of them, or the shape, is damaged.", "4.8")
	textsSwapped = rules.Warning(182, "the offsets of an array of strings are in the other byte order",
		"Java writes it so, and the C++ reader cannot read it.", "4.8")
	elementNotUTF8 = rules.Warning(183, "a string of an array is not valid UTF-8",
		"Older Java kept one byte of each character only: other letters were lost when it was written. Or the bytes are damaged.", "4.8")
	badBool = rules.Warning(184, "a Boolean is neither 0 nor 1",
		"Readers take it for true, or compare it wrongly. Usually the byte is damaged.", "4.8")
	notFinite = rules.Warning(185, "an array contains NaN or infinite values",
		"Everything computed from them is not a number either. Training diverged, or the bytes are damaged.", "4.8")
	chunksBroken = rules.Error(186, "the pieces of a large array do not fit together",
		"They must be numbered from 0 and make up the whole. A number is damaged, or a piece is missing.", "4.8")
	stubTotal = rules.Warning(187, "the graph gives two different lengths for an array",
		"They are written as the same number. One of them is damaged.", "4.8")
	narrowShapes = rules.Note(188, "shapes use the form of 2017",
		"The graph is of an old generation, which later readers may not load. It is shown and changed in place only.", "4.8")
	allEqual = rules.Note(189, "all values of a variable are the same",
		"The model was never trained, or the values are there to keep the place.", "4.8")
)
