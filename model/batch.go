package model

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Batch is a column of some rows in columnar form: the values one after the other, little-endian. Exports write it unchanged.
type Batch struct {
	Rows int64
	// Data are the values: numbers of the width that Column.Item says, one byte for a Boolean, and the content of texts and bytes. If
	// the column has Names, each value is an i32 index of Names, or -1 for none.
	Data   []byte
	Starts []int32 // for texts and bytes: start of each in Data, and end of the last
	Null   []bool  // missing values; nil: none
	Lists  []int32 // for vectors: the values of each row, as in Starts; nil if every row has one value, or Column.Len
	Gone   []bool  // for vectors: rows without one; nil: none
}

// Clock is the unit of a column of times: steps since an epoch, or a duration.
type Clock struct {
	Step   time.Duration
	Epoch  int64 // seconds from 1970 on
	Length bool
}

// Text is a time or duration for people; "" if it has no calendar form, such as the year 300,000.
func (c *Clock) Text(v int64) string {
	switch perSecond := int64(time.Second / c.Step); {
	case c.Length:
		if most := int64(math.MaxInt64 / c.Step); v > most || v < -most {
			return ""
		}
		return (time.Duration(v) * c.Step).String()
	case perSecond > 1:
		seconds := v / perSecond
		if v%perSecond < 0 {
			seconds--
		}
		return time.Unix(c.Epoch+seconds, (v-seconds*perSecond)*int64(c.Step)).UTC().Format("2006-01-02 15:04:05.999999999")
	case v <= -1<<40 || v >= 1<<40 || c.Step/time.Second > 1<<20:
		return ""
	}
	at := time.Unix(c.Epoch+v*int64(c.Step/time.Second), 0).UTC()
	if c.Step%(24*time.Hour) == 0 {
		return at.Format(time.DateOnly)
	}
	return at.Format("2006-01-02 15:04:05")
}

// Item is the type of a single value of a column, or of an element of its vectors: u8 … f64, bf16, bool, utf8 or bytes.
func (c *Column) Item() string {
	typ := strings.TrimSuffix(c.Type, "[]")
	switch {
	case WidthOf(typ) > 0:
		return typ
	case c.Kind == Uint:
		return "u64"
	case c.Kind == Int:
		return "i64"
	case c.Kind == Float:
		return "f64"
	case c.Kind == Bytes:
		return "bytes"
	}
	return "utf8"
}

// IsVector tells whether the cells of a column are vectors.
func (c *Column) IsVector() bool { return strings.HasSuffix(c.Type, "[]") }

var widths = map[string]int{"u8": 1, "i8": 1, "bool": 1, "u16": 2, "i16": 2, "f16": 2, "bf16": 2, "u32": 4, "i32": 4, "f32": 4, "u64": 8, "i64": 8, "f64": 8}

// WidthOf is the width of a numeric type in bytes; 0 for other types.
func WidthOf(typ string) int { return widths[typ] }

// Batches returns columns of n rows from first: as the format stores them, or built from cells.
func (t *Table) Batches(ctx context.Context, columns []int, first, n int64) ([]Batch, error) {
	out := make([]Batch, len(columns))
	var left, places []int
	for k, i := range columns {
		if b, ok := t.Columns[i].Stored(ctx, first, n); ok {
			out[k] = b
		} else {
			left, places = append(left, i), append(places, k) // the cells report errors
		}
	}
	if len(left) == 0 || ctx.Err() != nil {
		return out, ctx.Err()
	}
	made, err := t.batchesOfCells(ctx, left, first, n)
	for j := range made {
		out[places[j]] = made[j].Batch
	}
	return out, err
}

// Stored is the batch that the format provides; ok is false if the rows must be read as cells.
func (c *Column) Stored(ctx context.Context, first, n int64) (b Batch, ok bool) {
	if c.Batch == nil || n == 0 {
		return b, false
	}
	b, err := c.Batch(ctx, first, n)
	return b, err == nil && b.Rows == n
}

// batchesOfCells builds batches of some columns from cells.
func (t *Table) batchesOfCells(ctx context.Context, columns []int, first, n int64) ([]*batcher, error) {
	makers := make([]*batcher, len(columns))
	for j, i := range columns {
		makers[j] = newBatcher(ctx, &t.Columns[i])
	}
	err := t.Each(ctx, first, first+n, nil, func(_ int64, r Row) error {
		for j, i := range columns {
			if err := makers[j].add(&r[i]); err != nil {
				return err
			}
		}
		return nil
	})
	return makers, err
}

// batcher builds a batch from cells.
type batcher struct {
	Batch
	col    *Column
	item   string
	named  int64            // how many names the column has
	places map[string]int32 // of names; nil where it has none
}

func newBatcher(ctx context.Context, c *Column) *batcher {
	b := &batcher{col: c, item: c.Item()}
	if c.Names != nil {
		b.places = map[string]int32{}
		names := c.Names(ctx)
		b.named = int64(len(names))
		for i, name := range names {
			b.places[name] = int32(i)
		}
	}
	if b.named == 0 {
		b.places = nil
	}
	if b.places == nil && WidthOf(b.item) == 0 {
		b.Starts = []int32{0}
	}
	if c.IsVector() && c.Len == 0 {
		b.Lists = []int32{0}
	}
	return b
}

// add appends a cell; one that cannot be shown or has another kind counts as missing.
func (b *batcher) add(c *Cell) error {
	b.Rows++
	if !b.col.IsVector() {
		if c.Trouble != "" || c.Vector {
			return b.value(Value{})
		}
		return b.value(c.Value)
	}
	items, ok := c.Dense()
	ok = ok && c.Vector && c.Trouble == "" && (b.col.Len == 0 || int64(len(items)) == b.col.Len)
	if !ok {
		items = make([]Value, b.col.Len)
	}
	b.Gone = Flagged(b.Gone, b.Rows, !ok)
	for _, v := range items {
		if err := b.value(v); err != nil {
			return err
		}
	}
	if b.Lists != nil {
		b.Lists = append(b.Lists, int32(b.values()))
	}
	return nil
}

// Flagged appends flag n, counted from 1, to a list that is nil as long as no flag is set.
func Flagged(list []bool, n int64, set bool) []bool {
	if list == nil && !set {
		return nil
	}
	return append(append(list, make([]bool, n-1-int64(len(list)))...), set)
}

// errBatch means that texts do not fit into one batch.
var errBatch = errors.New("more than 2 GB of text in one batch of rows")

// values is the number of values.
func (b *batcher) values() int64 {
	switch {
	case b.places != nil:
		return int64(len(b.Data) / 4)
	case b.Starts != nil:
		return int64(len(b.Starts) - 1)
	}
	return int64(len(b.Data) / WidthOf(b.item))
}

func (b *batcher) value(v Value) error {
	if b.places != nil {
		place, ok := b.places[v.Text()]
		if v.IsNumber() {
			at := v.Int() - b.col.NamesFrom
			place, ok = int32(at), at >= 0 && at < b.named
		}
		if !ok || v.Kind == None {
			place = -1
		}
		b.Data = binary.LittleEndian.AppendUint32(b.Data, uint32(place))
		return nil
	}
	b.Null = Flagged(b.Null, b.values()+1, v.Kind == None)
	if b.Starts != nil {
		if b.Data = append(b.Data, v.Text()...); len(b.Data) > math.MaxInt32 {
			return errBatch
		}
		b.Starts = append(b.Starts, int32(len(b.Data)))
		return nil
	}
	b.Data = appendNumber(b.Data, b.item, v)
	return nil
}

// appendNumber writes a number in the given type, which must hold it.
func appendNumber(b []byte, typ string, v Value) []byte {
	bits := v.Uint()
	switch typ {
	case "bool":
		bits &= 1
	case "f16":
		bits = uint64(toFloat16(v.Float()))
	case "bf16":
		bits = uint64(math.Float32bits(float32(v.Float())) >> 16)
	case "f32":
		bits = uint64(math.Float32bits(float32(v.Float())))
	case "f64":
		bits = math.Float64bits(v.Float())
	}
	w := WidthOf(typ)
	return binary.LittleEndian.AppendUint64(b, bits)[:len(b)+w]
}

// Places turns integers of a type into indices of names, the first of which belongs to number from. Numbers for which null is set
// have none.
func Places(data []byte, typ string, from int64, names int, null []bool) []byte {
	w := WidthOf(typ)
	out := make([]byte, 0, len(data)/max(w, 1)*4)
	for i := 0; (i+1)*w <= len(data); i++ {
		var wide [8]byte
		copy(wide[:], data[i*w:(i+1)*w])
		place := int64(binary.LittleEndian.Uint64(wide[:]))
		if unused := 64 - 8*w; typ[0] == 'i' {
			place = place << unused >> unused // its sign
		}
		place -= from
		if place < 0 || place >= int64(names) || null != nil && null[i] {
			place = -1
		}
		out = binary.LittleEndian.AppendUint32(out, uint32(place))
	}
	return out
}

// Distinct makes the names of numbers distinct, the first of which belongs to number from: an empty or repeated name is replaced by
// its number.
func Distinct(names []string, from int) []string {
	seen := map[string]bool{}
	for i, name := range names {
		for n := i + from; name == "" || seen[name]; n += len(names) {
			name = strconv.Itoa(n)
		}
		seen[name], names[i] = true, name
	}
	return names
}

// Swap converts numbers of w bytes in place from big-endian to little-endian.
func Swap(b []byte, w int) {
	for ; w > 1 && len(b) >= w; b = b[w:] {
		slices.Reverse(b[:w])
	}
}

// storedBatch reads the number or text at start in each of n records of stride bytes; nil for other codecs.
func storedBatch(t *Tree, codec Codec, at Range, stride, start int64) func(ctx context.Context, first, n int64) (Batch, error) {
	size := int64(codec.Size())
	number := int64(WidthOf(codec.Type())) == size
	if size <= 0 || stride <= 0 || !number && codec.Kind() != Text && codec.Kind() != Bytes {
		return nil
	}
	return func(ctx context.Context, first, n int64) (Batch, error) {
		if first < 0 || n < 0 || n > at.Len/stride-first {
			return Batch{}, ErrShort
		}
		b, err := t.Bytes(ctx, Range{at.Space, at.Off + first*stride, n * stride})
		switch {
		case err != nil:
			return Batch{}, err
		case !number:
			return storedTexts(codec, b, n, stride, start)
		case stride > size:
			all := b
			b = make([]byte, 0, n*size)
			for from := start; from+size <= int64(len(all)); from += stride {
				b = append(b, all[from:from+size]...)
			}
		}
		if codec.Endian() == "be" {
			Swap(b, int(size))
		}
		return Batch{Rows: n, Data: b}, nil
	}
}

// storedTexts are the texts or byte strings at start in each of n records of stride bytes.
func storedTexts(codec Codec, b []byte, n, stride, start int64) (Batch, error) {
	out, size := Batch{Rows: n, Starts: make([]int32, 1, n+1)}, int64(codec.Size())
	var last, text string // consecutive rows often have the same text
	for from := start; from+size <= int64(len(b)); from += stride {
		if raw := b[from : from+size]; from == start || string(raw) != last {
			v, _, err := codec.Decode(raw)
			if err != nil {
				return Batch{}, err
			}
			last, text = string(raw), v.Text()
		}
		if out.Data = append(out.Data, text...); len(out.Data) > math.MaxInt32 {
			return Batch{}, errBatch
		}
		out.Starts = append(out.Starts, int32(len(out.Data)))
	}
	return out, nil
}
