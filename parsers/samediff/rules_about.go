package samediff

import (
	"spandrel/model"
	"spandrel/parsers/samediff/flat"
)

// What findings carry for their repairs, besides the place, if the fix is not made with the finding: each has a method fixes in a file of repairs.

// shardEdit is the right shard information.
type shardEdit struct {
	k    *container
	kind string // the type of the shard, also in the metadata
	meta string // its type in the metadata alone
	name *shard // number and count
	base string
}

// keyAt is an entry of METADATA, and the right value of a reserved key.
type keyAt struct {
	k    *container
	i    int
	want string
}

// issueAt is an issue that a walk found in a buffer.
type issueAt struct {
	p  *placed
	is flat.Issue
}

// rootEdit is other values for fields of a graph, or for keys of its metadata.
type rootEdit struct {
	p            *placed
	label, loses string
	safe         bool
	fields       map[int]any
	keys         map[string]*string // nil removes the key
}

// cutting is the fix that removes bytes from the file; loses says what may be lost with them.
func cutting(r model.Range, loses string) model.Detail {
	return model.About([]model.Fix{{Label: "remove these bytes", Loses: loses, Edits: []model.Edit{model.Replace(r, nil)}}})
}
