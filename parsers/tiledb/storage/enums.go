package storage

import (
	"math"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// Enum tables of TileDB (3.8 of the reference sheet; tiledb/sm/enums).
var (
	Datatypes = Enum("INT32", "INT64", "FLOAT32", "FLOAT64", "CHAR", "INT8", "UINT8", "INT16", "UINT16", "UINT32", "UINT64",
		"STRING_ASCII", "STRING_UTF8", "STRING_UTF16", "STRING_UTF32", "STRING_UCS2", "STRING_UCS4", "ANY",
		"DATETIME_YEAR", "DATETIME_MONTH", "DATETIME_WEEK", "DATETIME_DAY", "DATETIME_HR", "DATETIME_MIN", "DATETIME_SEC", "DATETIME_MS",
		"DATETIME_US", "DATETIME_NS", "DATETIME_PS", "DATETIME_FS", "DATETIME_AS", "TIME_HR", "TIME_MIN", "TIME_SEC", "TIME_MS",
		"TIME_US", "TIME_NS", "TIME_PS", "TIME_FS", "TIME_AS", "BLOB", "BOOL", "GEOM_WKB", "GEOM_WKT")

	encryptions = Enum("NO_ENCRYPTION", "AES_256_GCM")

	Compressors = Enum("NONE", "GZIP", "ZSTD", "LZ4", "RLE", "BZIP2", "DOUBLE_DELTA", "DICTIONARY", "DELTA")
	filterEnum  = filterNames()

	pixelOrder = model.Enum{1: "RGB", 2: "BGR", 3: "RGBA", 4: "BGRA"}
)

func filterNames() model.Enum {
	e := model.Enum{}
	for i, name := range filter.Names {
		if name != "" {
			e[uint64(i)] = name
		}
	}
	return e
}

func Enum(names ...string) model.Enum {
	e := model.Enum{}
	for i, n := range names {
		e[uint64(i)] = n
	}
	return e
}

const (
	VariableCells = math.MaxUint32 // cell_val_num of cells of varying size
	VersionNewest = 23

	VersionTrial = math.MaxUint32 // version of experimental builds: laid out as version 14

)
