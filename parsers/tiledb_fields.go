package parsers

import (
	"fmt"
	"math"
	"sync"

	"spandrel/model"
)

// Enum tables of TileDB (3.8 of the reference sheet; tiledb/sm/enums).
var (
	tdbDatatypes = tdbEnum("INT32", "INT64", "FLOAT32", "FLOAT64", "CHAR", "INT8", "UINT8", "INT16", "UINT16", "UINT32", "UINT64",
		"STRING_ASCII", "STRING_UTF8", "STRING_UTF16", "STRING_UTF32", "STRING_UCS2", "STRING_UCS4", "ANY",
		"DATETIME_YEAR", "DATETIME_MONTH", "DATETIME_WEEK", "DATETIME_DAY", "DATETIME_HR", "DATETIME_MIN", "DATETIME_SEC", "DATETIME_MS",
		"DATETIME_US", "DATETIME_NS", "DATETIME_PS", "DATETIME_FS", "DATETIME_AS", "TIME_HR", "TIME_MIN", "TIME_SEC", "TIME_MS",
		"TIME_US", "TIME_NS", "TIME_PS", "TIME_FS", "TIME_AS", "BLOB", "BOOL", "GEOM_WKB", "GEOM_WKT")
	tdbLayouts     = tdbEnum("ROW_MAJOR", "COL_MAJOR", "GLOBAL_ORDER", "UNORDERED", "HILBERT")
	tdbArrayTypes  = tdbEnum("DENSE", "SPARSE")
	tdbDataOrders  = tdbEnum("UNORDERED", "INCREASING", "DECREASING")
	tdbEncryptions = tdbEnum("NO_ENCRYPTION", "AES_256_GCM")
	tdbObjects     = tdbEnum("INVALID", "GROUP", "ARRAY")
	tdbCompressors = tdbEnum("NONE", "GZIP", "ZSTD", "LZ4", "RLE", "BZIP2", "DOUBLE_DELTA", "DICTIONARY", "DELTA")
	tdbFilterEnum  = model.Enum{}
	tdbVarCells    = model.Enum{math.MaxUint32: "variable"}
	tdbOps         = model.Enum{0: "LT", 1: "LE", 2: "GT", 3: "GE", 4: "EQ", 5: "NE", 6: "IN", 7: "NOT_IN", 253: "ALWAYS_TRUE", 254: "ALWAYS_FALSE"}
	tdbCombine     = tdbEnum("AND", "OR", "NOT")
	tdbShapes      = tdbEnum("NDRECTANGLE")
	tdbPixelOrder  = model.Enum{1: "RGB", 2: "BGR", 3: "RGBA", 4: "BGRA"}
)

func init() {
	for i, name := range tdbFilterNames {
		if name != "" {
			tdbFilterEnum[uint64(i)] = name
		}
	}
}

func tdbEnum(names ...string) model.Enum {
	e := model.Enum{}
	for i, n := range names {
		e[uint64(i)] = n
	}
	return e
}

const (
	tdbVariable = math.MaxUint32 // cell_val_num of cells of varying size
	tdbNewest   = 23
	tdbTrial    = math.MaxUint32 // version of experimental builds: laid out as version 14
)

// tdbLayout is the version whose layout a payload follows.
func tdbLayout(version uint32) uint32 {
	if version == tdbTrial {
		return 14
	}
	return version
}

// tdbCodec reads one value of a datatype; text and opaque types take all the bytes they are given.
func tdbCodec(t uint8) model.Codec {
	switch {
	case t == tdbFloat32:
		return model.F32LE
	case t == tdbFloat64:
		return model.F64LE
	case t == tdbASCII || t == tdbUTF8 || t == tdbChar:
		return model.UTF8
	case tdbIsInteger(t) || tdbIsTime(t):
		i := map[int][2]model.Codec{1: {model.U8, model.I8}, 2: {model.U16LE, model.I16LE}, 4: {model.U32LE, model.I32LE}, 8: {model.U64LE, model.I64LE}}
		if pair := i[tdbDatatypeSize(t)]; tdbIsSigned(t) {
			return pair[1]
		} else {
			return pair[0]
		}
	}
	return model.RawBytes
}

// tdbIsNumber tells whether single values of a datatype are shown as numbers.
func tdbIsNumber(t uint8) bool { return tdbIsInteger(t) || tdbIsFloat(t) || tdbIsTime(t) }

var tdbTypedFields sync.Map // of tdbTypedKey to *model.Field

type tdbTypedKey struct {
	f *model.Field
	t uint8
}

// tdbTyped is a field with the codec of a datatype. Of each field and datatype there is one, so comparing fields works.
func tdbTyped(f *model.Field, t uint8) *model.Field {
	key := tdbTypedKey{f, t}
	if g, ok := tdbTypedFields.Load(key); ok {
		return g.(*model.Field)
	}
	g := *f
	g.Codec = tdbCodec(t)
	if g.Doc += " (" + tdbDatatypes[uint64(t)] + ")"; tdbIsTime(t) {
		g.Note = tdbTimeNote(t)
	}
	got, _ := tdbTypedFields.LoadOrStore(key, &g)
	return got.(*model.Field)
}

// tdbValues reads n bytes as values of a datatype: a number, an array of numbers, text or bytes.
func tdbReadValues(c *model.Cursor, f *model.Field, t uint8, n int64) model.Node {
	g, size := tdbTyped(f, t), int64(tdbDatatypeSize(t))
	switch {
	case !tdbIsNumber(t) || size == 0 || n%size != 0 || n == 0:
		if tdbIsNumber(t) {
			g = tdbTyped(f, tdbBlob)
		}
		return c.FieldN(g, n)
	case n == size:
		return c.Field(g)
	}
	if c.Left() < n {
		return c.FieldN(tdbTyped(f, tdbBlob), n) // reports that it is cut
	}
	return c.Elements(f, g, n/size)
}

// tdbCompare orders two values of one datatype.
func tdbCompare(a, b model.Value) int {
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

// tdbRange is the least and the greatest value of an integer, date or time type.
func tdbRange(t uint8) (low, high model.Value) {
	bits := 8 * tdbDatatypeSize(t)
	if tdbIsSigned(t) {
		return model.I(-1 << (bits - 1)), model.I(1<<(bits-1) - 1)
	}
	return model.U(0), model.U(math.MaxUint64 >> (64 - bits))
}

// tdbFill is the value that TileDB gives new attributes of a datatype for missing cells.
func tdbFill(t uint8) []byte {
	switch size := tdbDatatypeSize(t); {
	case t == tdbFloat32:
		return []byte{0, 0, 0xC0, 0x7F}
	case t == tdbFloat64:
		return []byte{0, 0, 0, 0, 0, 0, 0xF8, 0x7F}
	case t == tdbChar:
		return []byte{0x80}
	case t == tdbBool || !tdbIsNumber(t):
		return make([]byte, size)
	default:
		low, high := tdbRange(t)
		if !tdbIsSigned(t) {
			low = high
		}
		b, err := tdbCodec(t).Encode(low)
		if err != nil {
			panic(err)
		}
		return b
	}
}

// tdbFillOf is the default fill of a cell of num values.
func tdbFillOf(t uint8, num uint32) []byte {
	one := tdbFill(t)
	if num == tdbVariable {
		return one
	}
	var b []byte
	for range min(num, 1<<16) {
		b = append(b, one...)
	}
	return b
}

// tdbExtent tells how wide a closed range of integers is, less one.
func tdbExtent(low, high model.Value) uint64 { return high.Uint() - low.Uint() }

func tdbTypeName(t uint8) string {
	if n, ok := tdbDatatypes[uint64(t)]; ok {
		return n
	}
	return fmt.Sprintf("datatype %d", t)
}
