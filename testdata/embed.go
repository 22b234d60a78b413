// Package testdata is the samples of the tests. One of each format is part of the program, for its start page.
package testdata

import "embed"

//go:embed all:taridx/good/three-shards
//go:embed idv/good/deflated.idv
//go:embed all:scdl/good/archive
//go:embed all:tiledb/good/sparse-v23
//go:embed samediff/good/arrays.sdc
//go:embed npy/good/arrays.npz
//go:embed tar/good/pax.tar
//go:embed safetensors/good/model.safetensors
//go:embed gguf/good/types.gguf
var files embed.FS
