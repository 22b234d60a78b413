package idv

import "spandrel/model"

// everyCheck is what looks at streams while they are read.
var everyCheck = checks{
	header:   (*directory).checkHeader,
	columns:  (*directory).checkColumns,
	metadata: (*directory).checkMetadata,
	types:    (*directory).codecFindings,
	places:   checkHidden,
	block:    inspect,
	mend:     mendColumns, mendMetadata: mendMetadata,
}

// read reads a document and checks it.
func read(c *model.Cursor) { parse(c, &state{checks: &everyCheck}) }
