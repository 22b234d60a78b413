package samediff

import (
	"context"

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

// keyIn is a key with different values in METADATA and a graph.
type keyIn struct {
	k          *container
	p          *placed
	key, value string // of the graph
}

// nativeEntry is a useless or wrong entry of a manifest, and the name of the variable that it may be of.
type nativeEntry struct {
	nb *native
	e  *appended
	is string
}

// manifestAt is what the repair of a lost or broken manifest starts from.
type manifestAt struct {
	nb         *native
	at, length int64  // where one can be read; at is -1 for nowhere
	sound      bool   // it is complete and ends at the end of the file
	end        int64  // otherwise: the latest possible end of the arrays
	put        []byte // what Java writes for the arrays, if nearly all of it exists
	wrong      int
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

// planned makes the edits of an action or a repair.
type planned = func(ctx context.Context, t *model.Tree) ([]model.Edit, error)

// later is a fix that is made on demand.
func later(label string, safe bool, edits planned) model.Fix {
	return model.Fix{Label: label, Safe: safe, Build: edits}
}
