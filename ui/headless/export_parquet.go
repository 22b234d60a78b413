package headless

import (
	"bytes"
	"encoding/base64"
	"io"
	"math"
	"time"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"spandrel/model"
)

// inOrder is a record with fields in the order of the table, because the library's own sorts them by name.
type inOrder struct {
	parquet.Group
	fields []parquet.Field
}

func (o inOrder) Fields() []parquet.Field { return o.fields }

// exportParquet writes rows as a Parquet file, with a row group per page.
func exportParquet(c *call, w io.Writer, p *part) error {
	columns, err := exportedColumns(c, p, time.Millisecond)
	if err != nil {
		return err
	}
	all := inOrder{Group: parquet.Group{}}
	for k := range columns {
		node := parquet.Optional(columns[k].parquetItem())
		if columns[k].IsVector() {
			node = parquet.Optional(parquet.List(node))
		}
		all.Group[columns[k].name] = node
	}
	byName := map[string]parquet.Field{}
	for _, field := range all.Group.Fields() {
		byName[field.Name()] = field
	}
	for k := range columns {
		all.fields = append(all.fields, byName[columns[k].name])
	}
	options, err := parquetOptions(columns)
	if err != nil {
		return err
	}
	out := parquet.NewGenericWriter[any](w, append(options, parquet.NewSchema("table", all))...)
	err = exportBatches(c, p, columns, func(list []model.Batch, _ int64) (func() error, error) {
		group := out.BeginRowGroup()
		for k := range list {
			if _, err := group.ColumnWriters()[k].WriteRowValues(columns[k].parquetValues(list[k], k)); err != nil {
				return nil, err
			}
		}
		err := group.Flush()
		return func() error { _, err := group.Commit(); return err }, err
	})
	if err != nil {
		return err
	}
	return out.Close()
}

// parquetOptions say how columns are written.
func parquetOptions(columns []exported) ([]parquet.WriterOption, error) {
	types, err := arrowTypesOf(columns)
	out := []parquet.WriterOption{parquet.Compression(&parquet.Snappy), parquet.DataPageVersion(1), parquet.KeyValueMetadata("ARROW:schema", types)}
	for k := range columns {
		if path := columns[k].path(); columns[k].item == "f16" { // the library orders them as bytes, and readers would skip the wrong pages
			out = append(out, parquet.SkipPageStatistics(path...), parquet.SkipPageBounds(path...))
		}
	}
	return out, err
}

// arrowTypesOf is the Arrow schema in the form stored in Parquet files, from which readers restore types that Parquet lacks.
func arrowTypesOf(columns []exported) (string, error) {
	var b bytes.Buffer
	w := ipc.NewWriter(&b, ipc.WithSchema(arrowSchema(columns)))
	err := w.Close()
	return base64.StdEncoding.EncodeToString(b.Bytes()), err
}

// path is where the values of a column are in a Parquet file.
func (x *exported) path() []string {
	if x.IsVector() {
		return []string{x.name, "list", "element"}
	}
	return []string{x.name}
}

// float16 is the Parquet type of floats of half the width.
type float16 struct{ parquet.Type }

func (float16) LogicalType() *format.LogicalType {
	return &format.LogicalType{Value: &format.Float16Type{}}
}

func (x *exported) parquetItem() parquet.Node {
	switch {
	case x.clock != nil && x.clock.unit == 24*time.Hour:
		return parquet.Date()
	case x.clock != nil && x.Clock.Length:
		return parquet.Int(64)
	case x.clock != nil:
		unit := map[time.Duration]parquet.TimeUnit{time.Millisecond: parquet.Millisecond, time.Microsecond: parquet.Microsecond, time.Nanosecond: parquet.Nanosecond}
		return parquet.TimestampAdjusted(unit[x.clock.unit], false)
	}
	switch width := 8 * model.WidthOf(x.item); x.item {
	case "names":
		return parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
	case "u8", "u16", "u32", "u64":
		return parquet.Uint(width)
	case "i8", "i16", "i32", "i64":
		return parquet.Int(width)
	case "f16":
		return parquet.Leaf(float16{parquet.FixedLenByteArrayType(2)})
	case "bf16", "f32":
		return parquet.Leaf(parquet.FloatType)
	case "f64":
		return parquet.Leaf(parquet.DoubleType)
	case "bool":
		return parquet.Leaf(parquet.BooleanType)
	case "bytes":
		return parquet.Leaf(parquet.ByteArrayType)
	}
	return parquet.String()
}

// parquetValues are the values of a batch with their definition levels: for a list first the list itself, then an item, then
// the item's value.
func (x *exported) parquetValues(b model.Batch, column int) []parquet.Value {
	if x.clock != nil {
		b = x.clock.convert(b)
	}
	if !x.IsVector() {
		out := make([]parquet.Value, b.Rows)
		for i := range out {
			out[i] = x.parquetValue(b, i, 0, 0, column)
		}
		return out
	}
	var out []parquet.Value
	for row := range int(b.Rows) {
		from, to := row*int(x.Len), (row+1)*int(x.Len)
		if b.Lists != nil {
			from, to = int(b.Lists[row]), int(b.Lists[row+1])
		}
		switch {
		case b.Gone != nil && b.Gone[row]:
			out = append(out, parquet.NullValue().Level(0, 0, column))
		case from == to:
			out = append(out, parquet.NullValue().Level(0, 1, column))
		default:
			for i := from; i < to; i++ {
				out = append(out, x.parquetValue(b, i, min(i-from, 1), 2, column))
			}
		}
	}
	return out
}

// parquetValue is value i of a batch; missing is the level of a missing value.
func (x *exported) parquetValue(b model.Batch, i, repetition, missing, column int) parquet.Value {
	v, ok := x.parquetScalar(b, i)
	if !ok {
		return v.Level(repetition, missing, column)
	}
	return v.Level(repetition, missing+1, column)
}

func (x *exported) parquetScalar(b model.Batch, i int) (v parquet.Value, ok bool) {
	if b.Null != nil && b.Null[i] {
		return parquet.NullValue(), false
	}
	item := x.item
	if x.clock != nil {
		if item = "i64"; x.clock.unit == 24*time.Hour {
			item = "i32"
		}
	}
	switch item {
	case "names":
		place := int32(le.Uint32(b.Data[4*i:]))
		if place < 0 {
			return parquet.NullValue(), false
		}
		return parquet.ByteArrayValue([]byte(x.names[place])), true
	case "u8":
		return parquet.Int32Value(int32(b.Data[i])), true
	case "i8":
		return parquet.Int32Value(int32(int8(b.Data[i]))), true
	case "u16":
		return parquet.Int32Value(int32(le.Uint16(b.Data[2*i:]))), true
	case "i16":
		return parquet.Int32Value(int32(int16(le.Uint16(b.Data[2*i:])))), true
	case "u32", "i32":
		return parquet.Int32Value(int32(le.Uint32(b.Data[4*i:]))), true
	case "u64", "i64":
		return parquet.Int64Value(int64(le.Uint64(b.Data[8*i:]))), true
	case "f16":
		return parquet.FixedLenByteArrayValue(b.Data[2*i : 2*i+2]), true
	case "bf16":
		return parquet.FloatValue(math.Float32frombits(uint32(le.Uint16(b.Data[2*i:])) << 16)), true
	case "f32":
		return parquet.FloatValue(math.Float32frombits(le.Uint32(b.Data[4*i:]))), true
	case "f64":
		return parquet.DoubleValue(math.Float64frombits(le.Uint64(b.Data[8*i:]))), true
	case "bool":
		return parquet.BooleanValue(b.Data[i] != 0), true
	}
	return parquet.ByteArrayValue(b.Data[b.Starts[i]:b.Starts[i+1]]), true
}
