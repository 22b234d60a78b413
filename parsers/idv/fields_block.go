package idv

import (
	"spandrel/model"
	"spandrel/parsers/idv/block"
)

// Decoded blocks (§3.2 to §3.7): the field of each part, and that of its elements.
var (
	decoded   = &model.Field{Name: "decoded", Doc: "the block inflated", Ref: "§3"}
	values    = &model.Field{Name: "values", Ref: "§3.2", Values: true}
	bits      = &model.Field{Name: "bits", Doc: "one bit per value, lowest first", Ref: "§3.3"}
	bitsElem  = &model.Field{Name: "byte", Codec: model.U8, Show: model.ShowHex, Note: bitsNote, Ref: "§3.3"}
	bits2     = &model.Field{Name: "bits", Doc: "two bits per value: 0 false, 1 true, 2 missing", Ref: "§3.3"}
	bits2Elem = &model.Field{Name: "word", Codec: model.U32LE, Show: model.ShowHex, Note: bitsNote, Ref: "§3.3"}
	spanTick  = &model.Field{Name: "ticks", Codec: model.I64LE, Doc: "100 ns", Note: spanNote, Ref: "§3.2"}
	dateElem  = &model.Field{Name: "ticks", Codec: model.I64LE, Doc: "100 ns since year 1", Note: dateNote, Ref: "§3.2"}
	rowIDs    = model.NewRecord(&model.Field{Name: "low", Codec: model.U64LE, Ref: "§3.6"},
		&model.Field{Name: "high", Codec: model.U64LE, Ref: "§3.6"})
	items = &model.Field{Name: "items", Doc: "explicit items of all vectors", Ref: "§3.7"}

	entriesF   = &model.Field{Name: "entries", Codec: model.I32LE, Doc: "number of strings", Ref: "§3.4"}
	bounds     = &model.Field{Name: "bounds", Doc: "where each string ends, in UTF-16 units; the high bit marks a missing string", Ref: "§3.4"}
	textLength = &model.Field{Name: "textLength", Codec: model.ULEB31, Doc: "bytes of UTF-8", Ref: "§3.4"}
	textF      = &model.Field{Name: "text", Codec: model.UTF8, Doc: "all strings, one after the other", Ref: "§3.4"}
	numVectors = &model.Field{Name: "numVectors", Codec: model.I32LE, Ref: "§3.7"}
	counts     = &model.Field{Name: "counts", Doc: "explicit items of each vector; -1: all", Ref: "§3.7"}
	numIndices = &model.Field{Name: "numIndices", Codec: model.I32LE, Doc: "explicit items of all sparse vectors", Ref: "§3.7"}
	indices    = &model.Field{Name: "indices", Ref: "§3.7"}
)

// partField is how a part of a block is shown: a leaf, or numbers of one width.
type partField struct{ field, elem *model.Field }

var partFields = map[block.Role]partField{
	block.Minutes: {&model.Field{Name: "offsetMinutes", Doc: "of each time zone", Ref: "§3.5"},
		&model.Field{Name: "minutes", Codec: model.I16LE, Ref: "§3.5"}},
	block.Ticks: {&model.Field{Name: "ticks", Doc: "local clock, 100 ns since year 1", Ref: "§3.5"},
		&model.Field{Name: "ticks", Codec: model.I64LE, Note: dateNote, Ref: "§3.5"}},
	block.Entries:    {entriesF, nil},
	block.Bounds:     {bounds, nil},
	block.TextLength: {textLength, nil},
	block.Chars:      {textF, nil},
	block.NumVectors: {numVectors, nil},
	block.Size:       {&model.Field{Name: "size", Codec: model.I32LE, Doc: "length of every vector; 0: lengths follow", Ref: "§3.7"}, nil},
	block.Lengths:    {&model.Field{Name: "lengths", Ref: "§3.7"}, &model.Field{Name: "length", Codec: model.I32LE, Ref: "§3.7"}},
	block.Counts:     {counts, &model.Field{Name: "count", Codec: model.I32LE, Note: countNote, Ref: "§3.7"}},
	block.NumIndices: {numIndices, nil},
	block.Indices:    {indices, &model.Field{Name: "index", Codec: model.I32LE, Ref: "§3.7"}},
	block.Opaque:     {&model.Field{Name: "unknown", Codec: model.RawBytes, Doc: "values of an unknown codec", Ref: "§3.1"}, nil},
	block.Leftover:   {&model.Field{Name: "leftover", Codec: model.RawBytes, Doc: "bytes after the values", Ref: "§4.2"}, nil},
}

// numberElems are the fields of single numbers.
var numberElems = func() map[block.Kind]*model.Field {
	out := map[block.Kind]*model.Field{block.TimeSpan: spanTick, block.DateTime: dateElem}
	for k := block.I1; k <= block.R8; k++ {
		out[k] = &model.Field{Name: "value", Codec: k.Number()}
	}
	return out
}()
