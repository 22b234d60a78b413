package tiledb

import (
	"fmt"
	"math"
	"sync"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// Enum tables of TileDB (3.8 of the reference sheet; tiledb/sm/enums).
var (
	datatypes = enum("INT32", "INT64", "FLOAT32", "FLOAT64", "CHAR", "INT8", "UINT8", "INT16", "UINT16", "UINT32", "UINT64",
		"STRING_ASCII", "STRING_UTF8", "STRING_UTF16", "STRING_UTF32", "STRING_UCS2", "STRING_UCS4", "ANY",
		"DATETIME_YEAR", "DATETIME_MONTH", "DATETIME_WEEK", "DATETIME_DAY", "DATETIME_HR", "DATETIME_MIN", "DATETIME_SEC", "DATETIME_MS",
		"DATETIME_US", "DATETIME_NS", "DATETIME_PS", "DATETIME_FS", "DATETIME_AS", "TIME_HR", "TIME_MIN", "TIME_SEC", "TIME_MS",
		"TIME_US", "TIME_NS", "TIME_PS", "TIME_FS", "TIME_AS", "BLOB", "BOOL", "GEOM_WKB", "GEOM_WKT")
	layouts     = enum("ROW_MAJOR", "COL_MAJOR", "GLOBAL_ORDER", "UNORDERED", "HILBERT")
	arrayTypes  = enum("DENSE", "SPARSE")
	dataOrders  = enum("UNORDERED", "INCREASING", "DECREASING")
	encryptions = enum("NO_ENCRYPTION", "AES_256_GCM")
	objects     = enum("INVALID", "GROUP", "ARRAY")
	compressors = enum("NONE", "GZIP", "ZSTD", "LZ4", "RLE", "BZIP2", "DOUBLE_DELTA", "DICTIONARY", "DELTA")
	filterEnum  = model.Enum{}
	varCells    = model.Enum{math.MaxUint32: "variable"}
	ops         = model.Enum{0: "LT", 1: "LE", 2: "GT", 3: "GE", 4: "EQ", 5: "NE", 6: "IN", 7: "NOT_IN", 253: "ALWAYS_TRUE",
		254: "ALWAYS_FALSE"}
	combine    = enum("AND", "OR", "NOT")
	shapes     = enum("NDRECTANGLE")
	pixelOrder = model.Enum{1: "RGB", 2: "BGR", 3: "RGBA", 4: "BGRA"}
)

func init() {
	for i, name := range filter.Names {
		if name != "" {
			filterEnum[uint64(i)] = name
		}
	}
}

func enum(names ...string) model.Enum {
	e := model.Enum{}
	for i, n := range names {
		e[uint64(i)] = n
	}
	return e
}

const (
	variableCells = math.MaxUint32 // cell_val_num of cells of varying size
	versionNewest = 23
	versionTrial  = math.MaxUint32 // version of experimental builds: laid out as version 14
)

// layout is the version whose layout a payload follows.
func layout(version uint32) uint32 {
	if version == versionTrial {
		return 14
	}
	return version
}

// codecOf reads one value of a datatype; text and opaque types take all the bytes they are given.
func codecOf(t uint8) model.Codec {
	switch {
	case t == filter.Float32:
		return model.F32LE
	case t == filter.Float64:
		return model.F64LE
	case t == filter.Ascii || t == filter.UtF8 || t == filter.Char:
		return model.UTF8
	case filter.IsInteger(t) || filter.IsTime(t):
		i := map[int][2]model.Codec{1: {model.U8, model.I8}, 2: {model.U16LE, model.I16LE}, 4: {model.U32LE, model.I32LE},
			8: {model.U64LE, model.I64LE}}
		if pair := i[filter.SizeOf(t)]; filter.IsSigned(t) {
			return pair[1]
		} else {
			return pair[0]
		}
	}
	return model.RawBytes
}

// isNumber tells whether single values of a datatype are shown as numbers.
func isNumber(t uint8) bool { return filter.IsInteger(t) || filter.IsFloat(t) || filter.IsTime(t) }

var typedFields sync.Map // of typedKey to *model.Field

type typedKey struct {
	f *model.Field
	t uint8
}

// typed is a field with the codec of a datatype. Of each field and datatype there is one, so comparing fields works.
func typed(f *model.Field, t uint8) *model.Field {
	key := typedKey{f, t}
	if g, ok := typedFields.Load(key); ok {
		return g.(*model.Field)
	}
	g := *f
	g.Codec = codecOf(t)
	if g.Doc += " (" + datatypes[uint64(t)] + ")"; filter.IsTime(t) {
		g.Note = timeNote(t)
	}
	got, _ := typedFields.LoadOrStore(key, &g)
	return got.(*model.Field)
}

// values reads n bytes as values of a datatype: a number, an array of numbers, text or bytes.
func readValues(c *model.Cursor, f *model.Field, t uint8, n int64) model.Node {
	g, size := typed(f, t), int64(filter.SizeOf(t))
	switch {
	case !isNumber(t) || size == 0 || n%size != 0 || n == 0:
		if isNumber(t) {
			g = typed(f, filter.Blob)
		}
		return c.FieldN(g, n)
	case n == size:
		return c.Field(g)
	}
	if c.Left() < n {
		return c.FieldN(typed(f, filter.Blob), n) // reports that it is cut
	}
	return c.Elements(f, g, n/size)
}

// compare orders two values of one datatype.
func compare(a, b model.Value) int {
	less := a.Uint() < b.Uint()
	more := a.Uint() > b.Uint()
	switch a.Kind {
	case model.Int:
		less, more = a.Int() < b.Int(), a.Int() > b.Int()
	case model.Float:
		less, more = a.Float() < b.Float(), a.Float() > b.Float()
	case model.Text, model.Bytes:
		less, more = a.Text() < b.Text(), a.Text() > b.Text()
	}
	switch {
	case less:
		return -1
	case more:
		return 1
	}
	return 0
}

// limitsOf is the least and the greatest value of an integer, date or time type.
func limitsOf(t uint8) (low, high model.Value) {
	bits := 8 * filter.SizeOf(t)
	if filter.IsSigned(t) {
		return model.I(-1 << (bits - 1)), model.I(1<<(bits-1) - 1)
	}
	return model.U(0), model.U(math.MaxUint64 >> (64 - bits))
}

// fill is the value that TileDB gives new attributes of a datatype for missing cells.
func fill(t uint8) []byte {
	switch size := filter.SizeOf(t); {
	case t == filter.Float32:
		return []byte{0, 0, 0xC0, 0x7F}
	case t == filter.Float64:
		return []byte{0, 0, 0, 0, 0, 0, 0xF8, 0x7F}
	case t == filter.Char:
		return []byte{0x80}
	case t == filter.Bool || !isNumber(t):
		return make([]byte, size)
	default:
		low, high := limitsOf(t)
		if !filter.IsSigned(t) {
			low = high
		}
		b, err := codecOf(t).Encode(low)
		if err != nil {
			panic(err)
		}
		return b
	}
}

// fillOf is the default fill of a cell of num values.
func fillOf(t uint8, num uint32) []byte {
	one := fill(t)
	if num == variableCells {
		return one
	}
	var b []byte
	for range min(num, 1<<16) {
		b = append(b, one...)
	}
	return b
}

// spread tells how wide a closed range of integers is, less one.
func spread(low, high model.Value) uint64 { return high.Uint() - low.Uint() }

func typeName(t uint8) string {
	if n, ok := datatypes[uint64(t)]; ok {
		return n
	}
	return fmt.Sprintf("datatype %d", t)
}
