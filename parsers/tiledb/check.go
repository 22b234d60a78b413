package tiledb

// whenRead are the checks of the parts of an array as they are read. What must read everything is in the deep checks.
var whenRead = checks{schema: checkSchema, enumeration: checkEnumEntry, fragment: checkFragment, data: checkFile, array: checkArray,
	sizes: checkSizes, commits: checkCommits}
