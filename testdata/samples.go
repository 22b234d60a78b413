package testdata

import "embed"

// files are the samples of the formats, which `make generate` lists from their values: one of each, which the program has with it to be opened
// on the start page.
//
//go:embed all:gguf/good/types.gguf
//go:embed all:idv/good/deflated.idv
//go:embed all:npy/good/arrays.npz
//go:embed all:safetensors/good/model.safetensors
//go:embed all:samediff/good/arrays.sdc
//go:embed all:scdl/good/archive
//go:embed all:tar/good/pax.tar
//go:embed all:taridx/good/three-shards
//go:embed all:tiledb/good/sparse-v23
//go:embed all:wds/good/dali
var files embed.FS

// Samples has one of each format.
var Samples = []Sample{
	{"gguf", "gguf/good/types.gguf", ""},
	{"idv", "idv/good/deflated.idv", ""},
	{"npy", "npy/good/arrays.npz", ""},
	{"safetensors", "safetensors/good/model.safetensors", ""},
	{"samediff", "samediff/good/arrays.sdc", ""},
	{"scdl", "scdl/good/archive", ""},
	{"tar", "tar/good/pax.tar", ""},
	{"taridx", "taridx/good/three-shards", "train.taridx"},
	{"tiledb", "tiledb/good/sparse-v23", ""},
	{"wds", "wds/good/dali", "train.idx"},
}
