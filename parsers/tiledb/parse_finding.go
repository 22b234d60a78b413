package tiledb

import "spandrel/model"

// What findings tell their repairs.

// to says which value repairs a field where what is expected is said in words.
func to(v model.Value) model.Detail { return func(f *model.Finding) { f.Want = v } }

// toIf is to where a condition holds.
func toIf(ok bool, v model.Value) model.Detail {
	if !ok {
		v = model.Value{}
	}
	return to(v)
}

// setting is a value that a field other than the one at fault should have.
type setting struct {
	at model.Node
	v  model.Value
}

// manySettings are settings that are made together.
type manySettings struct {
	label string // "" for a single one, which says what it does
	list  []setting
}

func settings(label string, list ...setting) model.Detail {
	return model.About(manySettings{label, list})
}

// swapped are the settings that exchange two ends.
func swapped(low, high model.Node) model.Detail {
	return settings("swap low and high", setting{low, high.Value}, setting{high, low.Value})
}

// inPipe is a filter of a pipeline.
type inPipe struct {
	*pipe
	i int
}

// entryOf is an entry of a schema's enumeration map.
type entryOf struct {
	*schemaInfo
	enumRef
}

// chunkSum is what the headers of the chunks of a generic tile add up to.
type chunkSum struct {
	lock *lock
	tile  *genericTile
	total int64
}

// lostMetadata is a fragment whose metadata file is gone.
type lostMetadata struct{ *frag }
