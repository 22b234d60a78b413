// Package parsers lists the formats. Each is a package of its own below this one and exports one value, Format; no format
// imports another. What two of them share is in parsers/internal.
package parsers

import (
	"spandrel/model"
	"spandrel/parsers/gguf"
	"spandrel/parsers/idv"
	"spandrel/parsers/npy"
	"spandrel/parsers/safetensors"
	"spandrel/parsers/samediff"
	"spandrel/parsers/scdl"
	"spandrel/parsers/tar"
	"spandrel/parsers/taridx"
	"spandrel/parsers/tiledb"
	"spandrel/parsers/wds"
)

// All returns every format, ordered by name.
func All() []*model.Format {
	return []*model.Format{gguf.Format, idv.Format, npy.Format, safetensors.Format, samediff.Format, scdl.Format, tar.Format, taridx.Format, tiledb.Format, wds.Format}
}
