package samediff

import "spandrel/model"

// The rules of SameDiff models, by section of the reference sheet. "spandrel rules" prints what each one means and its usual cause, which is also shown next
// to a finding.
var rules = model.NewRules("SDF")

// Section 4.1: the file as a whole.
var (
	notAModel = rules.Error(1, "the file does not begin like any SameDiff model",
		"No reader opens it. Its beginning is damaged or missing, something was inserted before it, or another file was saved "+
			"under this name.", "4.1").Worth(40)
	oddMagic = rules.Note(2, "the signature is not exactly SAMEDIFF_MODEL",
		"Drafts of the format disagreed on the length of the signature. All forms are read here; other readers may accept only "+
			"the 14 letters.", "4.1")
	badVersion = rules.Error(3, "the container has a version that does not exist",
		"The version decides how the rest is read, so readers reject the file. Usually its four bytes are damaged, or a newer "+
			"program wrote it.", "4.1")
	littleContainer = rules.Warning(4, "the numbers of the container are in the wrong byte order",
		"Lengths, version and checksums are little-endian, but the format requires big-endian. A non-standard writer made the "+
			"file, and other readers may reject it.", "4.1").Worth(24)
	oddRecords = rules.Note(5, "the sections have an unusual layout",
		"The proposal of the format left the layout of sections open. This variant is read and kept; other readers may support "+
			"only the usual one.", "4.1")
	wrongExtension = rules.Warning(6, "the file name extension does not match the content",
		"SameDiff.load chooses its reader by the file extension, and fails on such a file. Usually the file was renamed.", "4.1")
	otherKind = rules.Error(7, "the file is not a SameDiff model",
		"It was saved under the wrong name, or is a placeholder for the model, such as a Git LFS pointer before the real file is "+
			"fetched.", "4.1")
	tooShort = rules.Error(8, "the file is empty, or ends inside its header",
		"Nothing of the model is left. A download, a copy or a save was interrupted at the very beginning.", "4.1")
	gzipWrapped = rules.Warning(9, "the model is wrapped in gzip",
		"SameDiff readers do not unpack it and reject the file. A web server or a script compressed it on the way.", "4.1")
)

// Section 4.2: containers.
var (
	recordCut = rules.Error(10, "the file ends inside a section header",
		"It is unknown what the last bytes belong to. The file is truncated, or extra bytes follow the last section.", "4.2")
	recordTooLong = rules.Error(11, "a section is longer than the rest of the file",
		"Its content ends early, and the sections after it are missing. The file is truncated, or the length of the section is "+
			"wrong.", "4.2")
	afterLast = rules.Warning(12, "extra bytes follow the last section",
		"The header gives the number of sections, and these bytes belong to none of them. Something was appended, or the number "+
			"is wrong.", "4.2")
	unknownSection = rules.Warning(13, "a section has an unknown type",
		"It is kept unchanged and not read. A newer program wrote it, or its type byte is damaged.", "4.2")
	privateSection = rules.Note(14, "a section has a private type",
		"Programs may store their own data in sections of type 128 to 255. It is kept unchanged.", "4.2")
	sectionTwice = rules.Error(15, "a section that may occur once is present twice",
		"Some readers use the first, some the last. Usually two files were joined, or a type byte is damaged.", "4.2")
	noGraph = rules.Error(16, "the container does not contain a graph",
		"Without a GRAPH section there are no variables or operations, so nothing can be run. It was lost, or its type byte is "+
			"damaged.", "4.2")
	noHeader = rules.Warning(17, "the container has no HEADER section",
		"Readers cannot tell how many sections there should be, so a truncated file looks complete. The writer omitted the "+
			"section, or it was lost.", "4.2")
	sectionOrder = rules.Warning(18, "the sections are not in the usual order",
		"Readers that expect HEADER, METADATA, GRAPH, ARRAYS, SHARD_INFO in this order stop too early. Another program assembled "+
			"the file.", "4.2")
	badFlags = rules.Error(19, "the flags of a section have undefined bits set",
		"The flags say whether the section is compressed and has a checksum, so its end and content are uncertain. Usually the "+
			"byte is damaged.", "4.2")
	zstdSection = rules.Warning(20, "a section uses a compression that no reader supports",
		"The format reserves a number for Zstandard but does not define it, so the section cannot be read. The flags are damaged, "+
			"or a non-standard program wrote the file.", "4.2").Worth(24)
	inflateFailed = rules.Error(21, "a compressed section is damaged",
		"Nothing after the damage can be decompressed. Bytes were changed, lost or inserted inside the section.", "4.2").Worth(32)
	oddFraming = rules.Warning(22, "a compressed section is raw deflate or gzip",
		"The format requires zlib. It is read here, but other readers reject it. Another program compressed the section.", "4.2")
	inflatesTooFar = rules.Error(23, "a compressed section decompresses to far more than it should",
		"Readers stop at 100 times the compressed size, to protect themselves from decompression bombs. A model of nothing but "+
			"zeros can exceed that too.", "4.2")
	afterStream = rules.Error(24, "extra bytes follow the compressed content of a section",
		"They belong to nothing. The length of the section is too large, or its content was replaced by something shorter.", "4.2")
	hiddenDeflate = rules.Warning(25, "a section is compressed, but its flags do not say so",
		"Readers take the compressed bytes for the content and fail. The flag was lost, or never set.", "4.2")
	headerCompressed = rules.Error(26, "the HEADER section is compressed",
		"Readers read it before they know how to decompress anything. The writer compressed all sections alike.", "4.2")
	arraysCompressed = rules.Warning(27, "the arrays are compressed as a whole",
		"All arrays must be decompressed to read one. The file is smaller, but opening it takes more time and memory.", "4.2")
	sectionChecksum = rules.Error(28, "the checksum of a section does not match its bytes",
		"Bytes were changed after the section was written: damage in transit or on disk, or an edit that did not update the "+
			"checksum.", "4.2").Worth(32)
	noChecksum = rules.Note(29, "a section has no checksum",
		"Damage inside it would go unnoticed. The writer omitted the checksum, which is allowed.", "4.2")
	emptySection = rules.Error(30, "a section that must not be empty is empty",
		"There is no graph, or no shard position. The save was interrupted, or the length of the section is damaged.", "4.2")
	tooManySections = rules.Warning(31, "there are more than 65,536 sections",
		"The rest is not read. No program writes that many: the lengths of sections are damaged, or the file was made to exhaust "+
			"readers.", "4.2")
	headerUnreadable = rules.Error(32, "the HEADER section cannot be read",
		"The expected number of sections and their checksum are unknown. Its bytes are damaged, or a non-standard program wrote it.", "4.2").Worth(24)
	headerVersion = rules.Error(33, "the version in the HEADER section does not match the first bytes of the file",
		"One of the two is wrong, and readers may reject the file. Usually one of them is damaged.", "4.2")
	sectionCount = rules.Error(34, "the number of sections in the HEADER section is wrong",
		"Readers conclude that sections are missing. The file is truncated, a section was added by hand, or the number is damaged.", "4.2")
	wholeChecksum = rules.Error(35, "the checksum over all sections does not match their bytes",
		"Bytes of a section were changed after the file was saved, or a section was added, removed or moved without updating the "+
			"checksum.", "4.2").Worth(32)
	metadataUnreadable = rules.Error(36, "the METADATA section cannot be read",
		"Readers lose the keys and values that describe the model. Its bytes are damaged, or it has a non-standard form.", "4.2").Worth(24)
	badKey = rules.Error(37, "a metadata entry has no key, or a key that is already used",
		"Readers keep one of the values, and which one depends on the reader. An edit added a key twice, or damage changed one.", "4.2")
	keyOrder = rules.Warning(38, "metadata keys are out of order, or one has no value",
		"Keys are stored in order, each with a value. Another program wrote them, or damage changed a key.", "4.2")
	reservedKey = rules.Warning(39, "a reserved metadata key has an impossible value",
		"Loaders read these keys. The time must be a number, and the format and version must match the file. An edit or damage "+
			"changed the value.", "4.2")
	metadataDiffers = rules.Warning(40, "the graph and METADATA have different values for the same key",
		"Readers see different values depending on where they look. An edit changed only one side.", "4.2")
	noIndex = rules.Error(41, "the index of the ARRAYS section cannot be read",
		"Without it, no array can be located. Its length or its first bytes are damaged.", "4.2")
	arrayTwice = rules.Error(42, "an array is stored twice under one name",
		"Which of the two a variable gets depends on the reader. Two files were joined, or damage made two names equal.", "4.2")
	blobOutside = rules.Error(43, "an array lies outside its section",
		"It cannot be read. The section is truncated, or the offset or length in the index is wrong.", "4.2")
	blobOverlap = rules.Error(44, "two arrays overlap",
		"At most one of them can be right. An offset or a length in the index is wrong.", "4.2")
	blobGap = rules.Warning(45, "bytes between arrays are not just padding",
		"Arrays start at multiples of 64, with zeros between them. An array is missing from the index, or another program laid "+
			"out the file.", "4.2")
	arrayInBoth = rules.Error(46, "an array is both in the graph and in the ARRAYS section",
		"Readers reject it, or take either. A conversion left the old copy behind.", "4.2")
	arrayUnknown = rules.Warning(47, "an array does not belong to any variable of the graph",
		"It is loaded but never used. A variable was renamed or removed without its array, or a name is damaged.", "4.2")
	arrayMissing = rules.Error(48, "a variable that must have values has none",
		"The model cannot be run, because a parameter or constant has no values. A shard or a file is missing, or its entry was "+
			"lost.", "4.2")
	modelContainer = rules.Note(49, "the file is a ModelContainer, which no known program writes",
		"The software ships the description of this format but no writer. The file is shown, and can only be changed in place.", "4.2")
)

// Section 4.3: SDNB.
var (
	nativeVersion = rules.Error(50, "the SDNB version is not 1",
		"The check after a save requires 1, and later readers may too. Usually the number is damaged, or a newer program wrote "+
			"the file.", "4.3")
	metadataOffset = rules.Error(51, "the header does not place the graph at byte 32",
		"The graph always begins there. Readers that trust the number start in the wrong place. Usually it is damaged.", "4.3")
	saveInterrupted = rules.Error(52, "the save was interrupted before the header was completed",
		"The header does not say where the manifest is, so loaders find no large arrays. The program or the machine stopped "+
			"during the save.", "4.3")
	manifestOutside = rules.Error(53, "the manifest lies outside the file",
		"Loaders do not find the large arrays. The file is truncated, or one of the two numbers is damaged.", "4.3").Worth(32)
	afterManifest = rules.Warning(54, "extra bytes follow the manifest",
		"The manifest ends the file. Something was appended, or the offset or length of the manifest is wrong.", "4.3")
	noManifest = rules.Error(55, "there is no manifest at the place that the header gives",
		"Loaders fail, because they cannot find the large arrays. The offset is wrong, or the bytes there are damaged.", "4.3").Worth(32)
	manifestForeign = rules.Error(56, "the manifest is not what the SDNB writer produces",
		"It may contain five known Java classes only; nothing else is read. One of its bytes is damaged.", "4.3").Worth(32)
	manifestCount = rules.Warning(57, "the numbers of the manifest do not match its entries",
		"Java creates a map of the stored size, and fails if there are more or fewer entries. Usually a number is damaged, or "+
			"entries were added by hand.", "4.3").Worth(24)
	manifestBroken = rules.Error(58, "the manifest is truncated, or refers to something that does not exist",
		"Arrays listed after this point are not found. The manifest is truncated, or a length or reference in it is damaged.", "4.3")
	entryOutside = rules.Error(59, "the manifest places an array outside the array data",
		"Loaders reject the file. The offset or the length of the entry is wrong, or bytes of the file are missing.", "4.3")
	entryOverlap = rules.Error(60, "the manifest places an array over the graph or another array",
		"At most one of them can be right. The offset or the length of an entry is wrong.", "4.3")
	nativeGap = rules.Warning(61, "bytes between the arrays belong to none of them",
		"The writer leaves no gaps. A manifest entry was lost, or an offset or length is wrong.", "4.3")
	entryUnknown = rules.Error(62, "the manifest names an array that belongs to no variable",
		"Loading fails. A variable was renamed or removed without its array, or a name is damaged.", "4.3")
	inlineAndEntry = rules.Error(63, "an array is both in the graph and in the manifest",
		"Loading fails, because the two could differ. A conversion left the old copy behind.", "4.3")
	entryLength = rules.Error(64, "the length of an array does not match its shape and type",
		"Loading fails. The length in the manifest, or the shape or type of the variable, is wrong.", "4.3")
	stubDiffers = rules.Warning(65, "the graph and the manifest disagree about the place of an array",
		"The Java loader uses the manifest, the C++ reader the graph, so one of them reads wrong values. One number is wrong, or "+
			"the writer followed an old reader's rule.", "4.3").Worth(24)
	noStub = rules.Warning(66, "the graph does not say where a large array is",
		"The Java loader finds it through the manifest; the C++ reader does not find it. The first writer of 2025 omitted it.", "4.3")
	smallBlob = rules.Warning(67, "a small array is stored outside the graph",
		"Arrays under 1 MiB are usually stored in the graph. Readers accept it; another program wrote the file.", "4.3")
	emptyEntry = rules.Warning(68, "the manifest lists an empty array",
		"The array was null or empty when the model was saved. It cannot be told apart from one that was lost.", "4.3")
	beyondGraph = rules.Note(69, "unused bytes follow the graph",
		"An edit that shrinks the graph leaves them. They are harmless.", "4.3")
	orderIgnored = rules.Warning(70, "a large array is stored column by column",
		"The C++ reader reads it row by row and gets its values in the wrong order. The Java loader reads it correctly.", "4.3")
	formatType = rules.Warning(71, "the metadata does not say that arrays are appended",
		"The key nd4j.format.type should be APPENDED_BLOB. The writer omitted it, or it was changed.", "4.3")
)

// Section 4.4: archives.
var (
	noDirectory = rules.Error(80, "the ZIP directory at the end of the archive is missing or damaged",
		"Programs find members through it alone, and reject the archive. Usually the file is truncated; the members before that "+
			"point may be intact.", "4.4").Worth(32)
	noModelMember = rules.Error(81, "no member of the archive is a SameDiff model",
		"There is nothing to load. It is another kind of ZIP, or the first bytes of the model are damaged.", "4.4")
	unsafeName = rules.Error(82, "the name of a member leads out of the folder",
		"Java rejects such archives, because unpacking one could overwrite other files. The name was made on Windows or on "+
			"purpose, or is damaged.", "4.4")
	memberTwice = rules.Error(83, "two members of the archive have the same name",
		"Some readers use the first, some the last. A member was added instead of being replaced.", "4.4")
	memberMethod = rules.Error(84, "a member is encrypted, or uses an unknown compression",
		"It cannot be read. The archive was made with options that Java does not support, or the number is damaged.", "4.4")
	memberChecksum = rules.Error(85, "the checksum or size of a member does not match its content",
		"Java fails when it reads to the end of the member. Its bytes are damaged, or were changed without updating the checksum.", "4.4").Worth(32)
	memberDeflated = rules.Warning(86, "a model inside the archive is compressed",
		"Newer readers map stored members into memory, and early C++ readers accept nothing else. Older Java compressed them.", "4.4")
	localHeader = rules.Warning(87, "the two headers of a member disagree",
		"Sequential readers use one, readers of the directory the other. One of the two is damaged, or an edit changed only one.", "4.4")
	archiveLimits = rules.Error(88, "the archive exceeds the limits that Java sets",
		"Java rejects more than 1,000 members, 10 GiB or a ratio of 100, to protect itself from archives made to fill the disk.", "4.4")
	memberName = rules.Warning(89, "the model inside the archive is not named model",
		"Readers that look for that name do not find it. The archive was packed by hand.", "4.4")
	modelAndShards = rules.Warning(90, "the archive contains both a whole model and shards of one",
		"Which of the two is loaded depends on the reader. Two archives were joined.", "4.4")
	otherMembers = rules.Note(91, "the archive contains other files besides the model",
		"They are allowed, for example the vocabulary of a tokenizer, and ignored.", "4.4")
	aroundArchive = rules.Warning(92, "extra bytes precede or follow the archive",
		"Java rejects an archive that does not begin with its first member. Something was inserted before it, or appended.", "4.4")
)

// Section 4.5: shards and external arrays.
var (
	shardIndex = rules.Error(100, "the shard number does not fit the number of shards",
		"It must be less than the number of shards. One of the two numbers is damaged.", "4.5")
	shardNumber = rules.Error(101, "the shard number does not match the file name",
		"Loaders mix up the arrays of shards. The file was renamed, or the number is damaged.", "4.5")
	shardCounts = rules.Error(102, "the file names of the shards give different numbers of shards",
		"Loaders reject the set. Files of two saves are in one folder, or one was renamed.", "4.5")
	noFirstShard = rules.Error(103, "shard 0, which contains the graph, is missing",
		"Nothing can be loaded without it. It was not copied, or was renamed.", "4.5").Worth(24).Absent()
	shardMissing = rules.Error(104, "a shard with arrays is missing",
		"Java only logs it, and runs the model without these values. The file was not copied, or was renamed.", "4.5").Worth(24).Absent()
	leftoverName = rules.Warning(105, "the name of a shard is one that is used only during a save",
		"It ends in -of-N instead of a number: the save was interrupted before the files got their final names.", "4.5")
	singleBeside = rules.Warning(106, "a whole model and the shards of one are in the same folder",
		"The loader uses the shards, even if you open the single file. One of them is from an older save.", "4.5")
	shardType = rules.Warning(107, "the type of the shard does not match its place in the set",
		"Shard 0 contains the graph, all others contain weights. The file was renamed, or the text was changed.", "4.5")
	arrayInTwo = rules.Error(108, "two shards contain the same array",
		"Which of the two values is used depends on the loader. Shards of two saves were mixed.", "4.5")
	shardBase = rules.Warning(109, "the shard was written for a set with another name",
		"It still loads. The files were renamed, or one of another set is among them.", "4.5")
	onlyShard = rules.Warning(110, "the file calls itself the only shard of a set",
		"Shard information is meaningless for a single file. The writer did not remove it.", "4.5")
	externalMissing = rules.Error(111, "the file that should contain an array is missing",
		"The variable has no values. The folder of external arrays was not copied with the model, or a file in it was renamed.", "4.5").Worth(24)
	externalSize = rules.Error(112, "the size of a file does not match the array that it contains",
		"The array cannot be read, or only in part. The file is truncated, or belongs to another save.", "4.5")
	externalName = rules.Error(113, "the name of an array file leads out of its folder",
		"It is never opened, because it could lead to any file on the machine. The name was made by hand, or is damaged.", "4.5")
)

// Section 4.6: FlatBuffers.
var (
	rootLost = rules.Error(120, "the first bytes of the graph do not lead to its root",
		"Readers find nothing of the graph. The bytes are damaged, or other bytes were inserted before the graph.", "4.6")
	tableNoShape = rules.Error(121, "a table does not lead to its vtable",
		"Nothing in the table can be read. Four bytes at its start are damaged, or the offset that leads to the table is.", "4.6")
	tableBadShape = rules.Error(122, "the vtable of a table is impossible",
		"No table that uses it can be read. Its bytes are damaged or missing.", "4.6")
	noOperations = rules.Note(123, "the graph has no operations",
		"There is nothing to execute, and the C++ reader rejects it. Models in a zoo sometimes contain only placeholders.", "4.6")
	slotOutside = rules.Error(124, "a field lies outside its table",
		"It cannot be read, and is treated as absent. The vtable is damaged.", "4.6")
	fieldOverlap = rules.Error(125, "two fields of a table overlap",
		"At most one of them can be right. The vtable is damaged.", "4.6")
	offsetOutside = rules.Error(126, "an offset leads out of the graph",
		"Its target is treated as absent. The offset is damaged, or the file is truncated before the target.", "4.6").Worth(24)
	vectorTooLong = rules.Error(127, "a list extends past the end of the graph",
		"It cannot be read. Its count is damaged, or the file is truncated.", "4.6").Worth(24)
	textTooLong = rules.Error(128, "a string extends past the end of the graph",
		"It cannot be read. Its length is damaged, or the file is truncated.", "4.6").Worth(24)
	textNoZero = rules.Warning(129, "a string does not end in a zero byte",
		"C++ readers continue past its end. Its length is damaged, or another program wrote it.", "4.6")
	textNotUTF8 = rules.Error(130, "a string is not valid UTF-8",
		"Java substitutes replacement characters, so names no longer match. Bytes are damaged, or the text has an older encoding.", "4.6")
	unaligned = rules.Warning(131, "a value does not start at a multiple of its size",
		"Some processors and verifiers reject it. Bytes were inserted or removed before it, or another program wrote the file.", "4.6")
	claimedTwice = rules.Error(132, "two structures overlap",
		"At most one of them can be right. An offset, a count or a length is damaged.", "4.6")
	nestsTooDeep = rules.Error(133, "the graph nests too deeply, or refers to itself",
		"Readers would never finish. An offset is damaged, or the file was made to exhaust readers.", "4.6")
	unknownField = rules.Note(134, "a table has an unknown field",
		"A newer program wrote it. It is shown as bytes and kept.", "4.6")
	unreached = rules.Warning(135, "some bytes of the graph are not used",
		"Either what led to them is lost, and they contain data that is no longer visible, or an edit left them behind.", "4.6")
	sharedShape = rules.Note(136, "vtables are shared, or longer than needed",
		"Both are common and harmless.", "4.6")
	graphTooLarge = rules.Error(137, "the graph is larger than 2 GiB",
		"Offsets cannot reach that far, and no reader loads it. Large arrays belong outside the graph.", "4.6")
	neverSet = rules.Warning(138, "a graph of 2017 refers to its own end where it has nothing to refer to",
		"Programs of that time marked omitted items this way: a list of dimensions, or an operation that was not exported. It is "+
			"treated as absent here; other readers may read past the end. Nothing was lost.", "4.6")
)

// Section 4.7: graphs.
var (
	variableName = rules.Error(140, "a variable has no name, or the name of another variable",
		"Operations and arrays find variables by name, so the second one is lost. Usually a name is damaged.", "4.7")
	variableID = rules.Error(141, "a variable has no id, or the id of another variable",
		"Operations find their inputs by id, and use the wrong variable. Usually an id is damaged.", "4.7")
	sameNodeID = rules.Error(142, "two operations have the same id",
		"Results are taken from the wrong operation. Usually an id is damaged.", "4.7")
	inputUnknown = rules.Error(143, "an input of an operation is not a variable",
		"The operation cannot be run. An id is damaged, or a variable was removed.", "4.7")
	inputsDiffer = rules.Warning(144, "the two lists of inputs of an operation have different lengths",
		"Newer readers use the pairs, older ones the list. Another program wrote it, or a count is damaged.", "4.7")
	outputUnknown = rules.Error(145, "an output of an operation is not a variable, or already has an operation",
		"Its result is lost, or overwrites another. A variable was renamed or removed, or a name is damaged.", "4.7")
	makerDiffers = rules.Warning(146, "the type of a variable does not match how it gets its values",
		"Results of operations, and nothing else, have type ARRAY. The type is damaged, or an operation was removed.", "4.7")
	graphOutput = rules.Error(147, "an entry of the list of outputs is not a variable",
		"That output of the graph is empty. An id is damaged, or a variable was removed.", "4.7")
	placeholderList = rules.Warning(148, "the list of placeholders does not match the variables",
		"Readers that use the list ask for the wrong inputs. A variable was changed or renamed without the list.", "4.7")
	lossUnknown = rules.Error(149, "a loss variable does not exist",
		"Training fails. The variable was renamed or removed without this list, or the name is damaged.", "4.7")
	dependencyUnknown = rules.Error(150, "a control dependency names something that does not exist",
		"The order of execution cannot be kept. A variable or operation was renamed or removed, or the name is damaged.", "4.7")
	badEnum = rules.Error(151, "a field has a value that is not allowed",
		"Readers reject it, or misinterpret it. Usually the byte is damaged, or a newer program wrote it.", "4.7")
	oddOperation = rules.Error(152, "an operation has no name, or its number belongs to another list",
		"Readers find CUSTOM operations by name, and reject a graph with a nameless one. An older generation wrote the graph, or "+
			"it is damaged.", "4.7")
	outputTypes = rules.Warning(153, "the number of types of an operation does not match its outputs",
		"Readers guess the types of the others. A count is damaged, or another program wrote it.", "4.7")
	circle = rules.Error(154, "operations depend on each other in a cycle",
		"None of them can ever run. The id of an input is wrong, or the graph was assembled incorrectly.", "4.7")
	oddLogic = rules.Warning(155, "a scope has no name, or a control operation has an unknown number",
		"Loops and branches do not run as intended. A number is damaged, or a newer program wrote it.", "4.7")
	keysUnpaired = rules.Error(156, "the keys and values of the metadata do not pair",
		"Readers assign values to the wrong keys, or fail. A count is damaged, or an edit changed only one list.", "4.7")
	graphKeyOrder = rules.Warning(157, "the metadata keys of the graph are out of order",
		"The writer sorts them. A key is damaged, or another program wrote them.", "4.7")
	trainingBroken = rules.Error(158, "the training configuration is not a JSON object",
		"The loader fails as soon as training is requested. The text was edited incorrectly, or is damaged.", "4.7").Worth(24)
	trainingNames = rules.Warning(159, "the training configuration names something that does not exist",
		"Training fails, or uses different losses than the graph. A variable was renamed without updating this text.", "4.7")
	updaterPairs = rules.Error(160, "the names and values of an updater's state do not pair",
		"Training cannot continue from this state. A count or a name is damaged.", "4.7")
	updaterUnknown = rules.Error(161, "updater state belongs to no variable, or to one that already has some",
		"Training cannot continue from this state. A variable was renamed or removed, or the name is damaged.", "4.7")
	updaterShape = rules.Warning(162, "the shape of updater state does not match its variable",
		"Training cannot continue from this state. The variable was replaced without it.", "4.7")
	instanceBroken = rules.Error(163, "a subgraph has no name of its own, or is damaged",
		"Operations that call it cannot be run. Its bytes or its name are damaged.", "4.7")
	propertyMixed = rules.Warning(164, "the values of an operation's property do not match each other",
		"Readers use one kind and ignore the rest. A count is damaged, or another program wrote it.", "4.7")
	placeholderArray = rules.Note(165, "a placeholder has values, or has no shape",
		"Placeholders get their values when the graph is run, so these are ignored. Imported models often have them.", "4.7")
	typeless = rules.Warning(166, "a variable is of a kind that Java drops when it saves",
		"It is lost in the next save. Its type byte is damaged, or an import created the model.", "4.7")
	gradientLeft = rules.Warning(167, "a gradient is left without its variable",
		"Harmless. The variable was renamed or removed after training.", "4.7")
)

// Section 4.8: arrays.
var (
	shapeUnclear = rules.Error(170, "the shape of an array does not match its bytes in any way",
		"Shapes are written in two ways, and neither gives the number of elements stored. The shape or the length is damaged.", "4.8")
	shapeImpossible = rules.Error(171, "the shape of an array is negative, too deep or too large",
		"The array cannot be read. A dimension is damaged.", "4.8")
	arrayLength = rules.Error(172, "the number of bytes of an array does not match its shape and type",
		"Some of its values cannot be read. The shape, the type or the length is damaged, or bytes are missing.", "4.8")
	stridesDiffer = rules.Warning(173, "the strides of an array do not match its shape",
		"Readers that use them take elements from the wrong places. They belong to a view that was copied, or are damaged.", "4.8")
	orderLetter = rules.Error(174, "the order of an array is neither c nor f",
		"It must be 99 (the letter c) or 102 (f). The number is damaged.", "4.8")
	typeBit = rules.Warning(175, "the type in the shape of an array does not match the array",
		"Some readers trust one, some the other, and get wrong values. One of the two is damaged.", "4.8").Worth(24)
	emptyBit = rules.Warning(176, "an array is marked empty but has bytes, or the reverse",
		"Some readers skip its values. The flag is damaged, or the bytes were lost.", "4.8")
	typeUndecodable = rules.Error(177, "the element type of an array cannot be read",
		"No known writer makes such arrays. Usually the type byte is damaged.", "4.8")
	badByteOrder = rules.Error(178, "the byte order of an array is neither of the two",
		"Readers cannot tell which byte of an element comes first. The byte is damaged.", "4.8")
	oddByteOrder = rules.Warning(179, "the values of an array look as if their bytes were swapped",
		"Java writes these files big-endian, and the values make sense in only one byte order. Either the order byte or the "+
			"values are wrong.", "4.8")
	typesDiffer = rules.Warning(180, "the type of an array does not match its variable",
		"Java converts the values when it loads the model, and may lose precision. One of the two types was changed or is damaged.", "4.8")
	textsBroken = rules.Error(181, "the strings of an array cannot be separated",
		"The numbers that say where each one ends do not fit the bytes. One of them, or the shape, is damaged.", "4.8")
	textsSwapped = rules.Warning(182, "the offsets of an array of strings are in the other byte order",
		"Java writes them this way, and the C++ reader cannot read them.", "4.8")
	elementNotUTF8 = rules.Warning(183, "a string of an array is not valid UTF-8",
		"Older Java kept only one byte of each character, so non-Latin letters were lost on writing. Otherwise the bytes are "+
			"damaged.", "4.8")
	badBool = rules.Warning(184, "a Boolean is neither 0 nor 1",
		"Readers treat it as true, or compare it wrongly. Usually the byte is damaged.", "4.8")
	notFinite = rules.Warning(185, "an array contains NaN or infinite values",
		"Everything computed from them is NaN or infinite too. Training diverged, or the bytes are damaged.", "4.8")
	chunksBroken = rules.Error(186, "the pieces of a large array do not fit together",
		"They must be numbered from 0 and add up to the whole. A number is damaged, or a piece is missing.", "4.8")
	stubTotal = rules.Warning(187, "the graph gives two different lengths for an array",
		"The length is stored twice and must be the same. One of the two is damaged.", "4.8")
	narrowShapes = rules.Note(188, "shapes use the form of 2017",
		"The graph is from an old generation that later readers may not load. It is shown, and can only be changed in place.", "4.8")
	allEqual = rules.Note(189, "all values of a variable are the same",
		"The model was never trained, or the values are placeholders.", "4.8")
)
