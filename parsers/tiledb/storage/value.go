package storage

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
)

// Layout is the version that determines the layout of a payload.
func Layout(version uint32) uint32 {
	if version == VersionTrial {
		return 14
	}
	return version
}

// CodecOf reads one value of a datatype; text and opaque types take all the bytes they are given.
func CodecOf(t uint8) model.Codec {
	switch {
	case t == filter.Float32:
		return model.F32LE
	case t == filter.Float64:
		return model.F64LE
	case t == filter.Ascii || t == filter.UtF8 || t == filter.Char || t == filter.GeomWKT:
		return model.UTF8
	case filter.IsInteger(t) || filter.IsTime(t):
		if filter.IsSigned(t) {
			return integers[filter.SizeOf(t)][1]
		}
		return integers[filter.SizeOf(t)][0]
	}
	return model.RawBytes
}

// integers are the codecs of integers by size: unsigned ones, and signed.
var integers = [...][2]model.Codec{1: {model.U8, model.I8}, 2: {model.U16LE, model.I16LE}, 4: {model.U32LE, model.I32LE}, 8: {model.U64LE, model.I64LE}}

// IsNumber tells whether single values of a datatype are shown as numbers.
func IsNumber(t uint8) bool { return filter.IsInteger(t) || filter.IsFloat(t) || filter.IsTime(t) }

var typedFields sync.Map // of typedKey to *model.Field

type typedKey struct {
	f *model.Field
	t uint8
}

// Typed is a field with the codec of a datatype. There is one for each field and datatype, so fields can be compared.
func Typed(f *model.Field, t uint8) *model.Field {
	key := typedKey{f, t}
	if g, ok := typedFields.Load(key); ok {
		return g.(*model.Field)
	}
	g := *f
	g.Codec = CodecOf(t)
	if g.Doc == "" {
		g.Doc = TypeName(t)
	} else {
		g.Doc += " (" + TypeName(t) + ")"
	}
	if filter.IsTime(t) {
		g.Note = timeNote(t)
	}
	got, _ := typedFields.LoadOrStore(key, &g)
	return got.(*model.Field)
}

// values reads n bytes as values of a datatype: a number, an array of numbers, text or bytes.
func ReadValues(c *model.Cursor, f *model.Field, t uint8, n int64) model.Node {
	g, size := Typed(f, t), int64(filter.SizeOf(t))
	switch {
	case !IsNumber(t) || size == 0 || n%size != 0 || n == 0:
		if IsNumber(t) {
			g = Typed(f, filter.Blob)
		}
		return c.FieldN(g, n)
	case n == size:
		return c.Field(g)
	}
	if c.Left() < n {
		return c.FieldN(Typed(f, filter.Blob), n) // reports the truncation
	}
	return c.Elements(f, g, n/size)
}

// Compare orders two values of one datatype.
func Compare(a, b model.Value) int {
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

// LimitsOf is the minimum and maximum of an integer, date or time type.
func LimitsOf(t uint8) (low, high model.Value) {
	bits := 8 * filter.SizeOf(t)
	if filter.IsSigned(t) {
		return model.I(-1 << (bits - 1)), model.I(1<<(bits-1) - 1)
	}
	return model.U(0), model.U(math.MaxUint64 >> (64 - bits))
}

// fill is TileDB's default fill value of a datatype.
func fill(t uint8) []byte {
	switch size := filter.SizeOf(t); {
	case t == filter.Float32:
		return []byte{0, 0, 0xC0, 0x7F}
	case t == filter.Float64:
		return []byte{0, 0, 0, 0, 0, 0, 0xF8, 0x7F}
	case t == filter.Char:
		return []byte{0x80}
	case t == filter.Bool || !IsNumber(t):
		return make([]byte, size)
	default:
		low, high := LimitsOf(t)
		if !filter.IsSigned(t) {
			low = high
		}
		b, err := CodecOf(t).Encode(low)
		if err != nil {
			panic(err)
		}
		return b
	}
}

// FillOf is the default fill of a cell of num values.
func FillOf(t uint8, num uint32) []byte {
	one := fill(t)
	if num == VariableCells {
		return one
	}
	var b []byte
	for range min(num, 1<<16) {
		b = append(b, one...)
	}
	return b
}

// IntOf is an integer as a value of a datatype.
func IntOf(t uint8, n int64) model.Value {
	if filter.IsSigned(t) {
		return model.I(n)
	}
	return model.U(uint64(n))
}

// Spread is the width of a closed range of integers, minus one.
func Spread(low, high model.Value) uint64 { return high.Uint() - low.Uint() }

func TypeName(t uint8) string {
	if n, ok := Datatypes[uint64(t)]; ok {
		return n
	}
	return fmt.Sprintf("datatype %d", t)
}

// TimeUnits are the lengths of the units of DATETIME_WEEK to DATETIME_NS.
var TimeUnits = [...]time.Duration{7 * 24 * time.Hour, 24 * time.Hour, time.Hour, time.Minute, time.Second, time.Millisecond,
	time.Microsecond, time.Nanosecond}

// timeText is a date or time value for people; "" if it has no calendar form.
func timeText(t uint8, v int64) string {
	const firstTime = 31
	switch unit := int(t) - filter.Year; {
	case v == math.MinInt64:
		return "not a time"
	case unit == 0:
		return fmt.Sprint(1970 + v)
	case unit == 1 && v > -1<<32 && v < 1<<32:
		return time.Date(1970, time.Month(1+v), 1, 0, 0, 0, 0, time.UTC).Format("2006-01")
	case unit >= 2 && unit < 2+len(TimeUnits):
		return (&model.Clock{Step: TimeUnits[unit-2]}).Text(v)
	case t >= firstTime && t < firstTime+6:
		return (&model.Clock{Step: TimeUnits[2+int(t)-firstTime], Length: true}).Text(v)
	}
	return ""
}

// ParseTime reads what timeText writes, as far as it is a date with or without a time of day.
func ParseTime(t uint8, text string) (int64, bool) {
	unit := int(t) - filter.Year
	for _, layout := range []string{"2006-01-02 15:04:05.999999999", "2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02", "2006-01", "2006"} {
		at, err := time.Parse(layout, text)
		switch {
		case err != nil:
		case unit == 0:
			return int64(at.Year() - 1970), len(text) == 4
		case unit == 1:
			return int64(at.Year()-1970)*12 + int64(at.Month()-1), true
		case unit < 2+len(TimeUnits):
			step := TimeUnits[unit-2]
			if step < time.Second {
				return at.Unix()*int64(time.Second/step) + int64(at.Nanosecond())/int64(step), layout != "2006"
			}
			return floorDiv(at.Unix(), int64(step/time.Second)), layout != "2006"
		}
	}
	return 0, false
}

func floorDiv(a, b int64) int64 {
	if q := a / b; a%b != 0 && a < 0 {
		return q - 1
	}
	return a / b
}

func timeNote(t uint8) func(context.Context, *model.Tree, *model.Span) string {
	return func(_ context.Context, tree *model.Tree, s *model.Span) string {
		b, ok := tree.Cached(s.Range)
		if !ok || len(b) != 8 {
			return ""
		}
		return timeText(t, int64(filter.Uint(b, 8)))
	}
}

// Cell is a cell of num values of a datatype.
func Cell(t uint8, num uint32, b []byte) (c model.Cell) {
	codec, size := CodecOf(t), filter.SizeOf(t)
	if !IsNumber(t) {
		if codec == model.UTF8 {
			return model.Cell{Value: model.S(string(b))}
		}
		c = model.Cell{Value: model.Raw(b)}
		if t == filter.GeomWKB {
			c.Label = wktOf(b)
		}
		return c
	}
	if num == 1 {
		c.Value, _, _ = codec.Decode(b)
		if filter.IsTime(t) {
			c.Label = timeText(t, c.Value.Int())
		}
		return c
	}
	if len(b)%size != 0 { // values shorter than their type, as some writers of enumerations made them
		return model.Cell{Value: model.Raw(b)}
	}
	c.Vector = true
	for ; len(b) >= size; b = b[size:] {
		v, _, _ := codec.Decode(b)
		c.Items = append(c.Items, v)
	}
	c.Len = int64(len(c.Items))
	return c
}

// ParseCell returns the bytes of a cell given as text: one value, or several separated by spaces or commas, also as [1, 2].
func ParseCell(datatype uint8, num uint32, text string) ([]byte, error) {
	codec := CodecOf(datatype)
	if !IsNumber(datatype) {
		b := []byte(text)
		if codec == model.RawBytes {
			v, err := model.ParseValue(model.Bytes, text)
			if err != nil {
				return nil, err
			}
			b = []byte(v.Text())
		}
		if n := int(num) * filter.SizeOf(datatype); num != VariableCells && len(b) != n {
			return nil, fmt.Errorf("%q has %d bytes, cells have %d", text, len(b), n)
		}
		return b, nil
	}
	return parseNumbers(codec, num, text)
}

// parseNumbers returns the bytes of numbers that are given as text.
func parseNumbers(codec model.Codec, num uint32, text string) (out []byte, err error) {
	words := strings.FieldsFunc(strings.Trim(text, "[] "), func(r rune) bool { return r == ' ' || r == ',' })
	if num != VariableCells && len(words) != int(num) {
		return nil, fmt.Errorf("%q is not %d numbers between spaces", text, num)
	}
	for _, word := range words {
		v, err := model.ParseValue(codec.Kind(), word)
		if err != nil {
			return nil, err
		}
		b, err := codec.Encode(v)
		if err != nil {
			return nil, err
		}
		out = append(out, b...)
	}
	return out, nil
}
