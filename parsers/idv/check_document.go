package idv

import "spandrel/model"

// everyCheck is what looks at streams while they are read.
var everyCheck = checks{
	header:   checkHeader,
	columns:  checkColumns,
	metadata: checkMetadata,
	types:    codecFindings,
	places:   checkHidden,
	block:    inspect,
	mend:     mendColumns, mendMetadata: mendMetadata,
}

// read reads a document and checks it.
func read(c *model.Cursor) { parse(c, &state{checks: &everyCheck}) }
