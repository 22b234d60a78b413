package headless

import (
	"encoding/binary"
	"io"
	"math"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"spandrel/model"
)

var le = binary.LittleEndian

// arrowWriter writes record batches: to a stream, or to a file with an index.
type arrowWriter interface {
	Write(arrow.RecordBatch) error
	Close() error
}

// exportArrow writes rows as an Arrow file, or as a stream if the output cannot seek.
func exportArrow(c *call, w io.Writer, p *part, stream bool) error {
	columns, err := exportedColumns(c, p, time.Second)
	if err != nil {
		return err
	}
	schema := arrowSchema(columns)
	var out arrowWriter
	if stream {
		out = ipc.NewWriter(w, ipc.WithSchema(schema))
	} else if out, err = ipc.NewFileWriter(w, ipc.WithSchema(schema)); err != nil {
		return err
	}
	dictionaries := dictionariesOf(columns)
	err = exportBatches(c, p, columns, func(list []model.Batch, rows int64) (func() error, error) {
		arrays := make([]arrow.Array, len(list))
		for k := range list {
			arrays[k] = arrowArray(&columns[k], schema.Field(k).Type, list[k], dictionaries[k])
		}
		rec := array.NewRecordBatch(schema, arrays, rows)
		return func() error { return out.Write(rec) }, nil
	})
	if err != nil {
		return err
	}
	return out.Close()
}

// arrowSchema is the schema of the columns. What a type cannot express is in the metadata of the field.
func arrowSchema(columns []exported) *arrow.Schema {
	var fields []arrow.Field
	for k := range columns {
		x := &columns[k]
		t := x.arrowItem()
		switch {
		case x.IsVector() && x.Len > 0 && x.Len <= math.MaxInt32:
			t = arrow.FixedSizeListOf(int32(x.Len), t)
		case x.IsVector():
			t = arrow.ListOf(t)
		}
		about := map[string]string{"spandrel.type": x.Type}
		if x.Clock != nil && x.clock == nil {
			about["spandrel.step"] = x.Clock.Step.String()
			if !x.Clock.Length {
				about["spandrel.since"] = time.Unix(x.Clock.Epoch, 0).UTC().Format(time.DateTime)
			}
		}
		fields = append(fields, arrow.Field{Name: x.name, Type: t, Nullable: true, Metadata: arrow.MetadataFrom(about)})
	}
	return arrow.NewSchema(fields, nil)
}

var arrowTypes = map[string]arrow.DataType{"u8": arrow.PrimitiveTypes.Uint8, "u16": arrow.PrimitiveTypes.Uint16, "u32": arrow.PrimitiveTypes.Uint32,
	"u64": arrow.PrimitiveTypes.Uint64, "i8": arrow.PrimitiveTypes.Int8, "i16": arrow.PrimitiveTypes.Int16, "i32": arrow.PrimitiveTypes.Int32,
	"i64": arrow.PrimitiveTypes.Int64, "f16": arrow.FixedWidthTypes.Float16, "bf16": arrow.PrimitiveTypes.Float32, "f32": arrow.PrimitiveTypes.Float32,
	"f64": arrow.PrimitiveTypes.Float64, "bool": arrow.FixedWidthTypes.Boolean, "bytes": arrow.BinaryTypes.Binary, "utf8": arrow.BinaryTypes.String,
	"names": &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}}

var arrowUnits = map[time.Duration]arrow.TimeUnit{time.Second: arrow.Second, time.Millisecond: arrow.Millisecond, time.Microsecond: arrow.Microsecond,
	time.Nanosecond: arrow.Nanosecond}

// arrowItem is the type of a value. Arrow has no bfloat16: float32 represents all of them.
func (x *exported) arrowItem() arrow.DataType {
	switch {
	case x.clock == nil:
		return arrowTypes[x.item]
	case x.clock.unit == 24*time.Hour:
		return arrow.FixedWidthTypes.Date32
	case x.Clock.Length:
		return &arrow.DurationType{Unit: arrowUnits[x.clock.unit]}
	}
	return &arrow.TimestampType{Unit: arrowUnits[x.clock.unit]}
}

// dictionariesOf are the names of columns as arrays; nil for columns without names.
func dictionariesOf(columns []exported) []*array.Data {
	out := make([]*array.Data, len(columns))
	for k := range columns {
		if columns[k].item == "names" {
			b := model.Batch{Rows: int64(len(columns[k].names)), Data: []byte(strings.Join(columns[k].names, "")), Starts: []int32{0}}
			for _, name := range columns[k].names {
				b.Starts = append(b.Starts, b.Starts[len(b.Starts)-1]+int32(len(name)))
			}
			out[k] = array.NewData(arrow.BinaryTypes.String, len(columns[k].names), []*memory.Buffer{nil, int32s(b.Starts), memory.NewBufferBytes(b.Data)}, nil, 0, 0)
		}
	}
	return out
}

// arrowArray is a batch as an array of a type.
func arrowArray(x *exported, typ arrow.DataType, b model.Batch, names *array.Data) arrow.Array {
	if x.clock != nil {
		b = x.clock.convert(b)
	}
	if !x.IsVector() {
		return array.MakeFromData(x.values(b, int(b.Rows), names))
	}
	n, valid := int(b.Rows*x.Len), []*memory.Buffer{bitmap(b.Gone, int(b.Rows))}
	if b.Lists != nil {
		n, valid = int(b.Lists[len(b.Lists)-1]), append(valid, int32s(b.Lists))
	}
	items := []arrow.ArrayData{x.values(b, n, names)}
	return array.MakeFromData(array.NewData(typ, int(b.Rows), valid, items, nullsOf(b.Gone), 0))
}

// values are the values of a batch, n of them.
func (x *exported) values(b model.Batch, n int, names *array.Data) *array.Data {
	typ, valid, nulls := x.arrowItem(), bitmap(b.Null, n), nullsOf(b.Null)
	switch {
	case x.item == "names":
		var none []bool
		for i := range n {
			if le.Uint32(b.Data[4*i:]) == math.MaxUint32 {
				none = model.Flagged(none, int64(i)+1, true)
			}
		}
		return array.NewDataWithDictionary(typ, n, []*memory.Buffer{bitmap(none, n), memory.NewBufferBytes(b.Data)}, nullsOf(none), 0, names)
	case b.Starts != nil:
		return array.NewData(typ, n, []*memory.Buffer{valid, int32s(b.Starts), memory.NewBufferBytes(b.Data)}, nil, nulls, 0)
	case x.item == "bool":
		truths := make([]bool, n)
		for i := range truths {
			truths[i] = b.Data[i] == 0
		}
		return array.NewData(typ, n, []*memory.Buffer{valid, bitmap(truths, n)}, nil, nulls, 0)
	case x.item == "bf16":
		wide := make([]byte, 4*n)
		for i := range n {
			copy(wide[4*i+2:], b.Data[2*i:2*i+2])
		}
		b.Data = wide
	}
	return array.NewData(typ, n, []*memory.Buffer{valid, memory.NewBufferBytes(b.Data)}, nil, nulls, 0)
}

// bitmap has a bit for each of n values, set unless it is missing; nil if none is.
func bitmap(missing []bool, n int) *memory.Buffer {
	if missing == nil {
		return nil
	}
	out := make([]byte, (n+7)/8)
	for i := range n {
		if i >= len(missing) || !missing[i] {
			out[i/8] |= 1 << (i % 8)
		}
	}
	return memory.NewBufferBytes(out)
}

// nullsOf counts the flags that are set.
func nullsOf(flags []bool) (n int) {
	for _, f := range flags {
		if f {
			n++
		}
	}
	return n
}

func int32s(list []int32) *memory.Buffer {
	out := make([]byte, 0, 4*len(list))
	for _, n := range list {
		out = le.AppendUint32(out, uint32(n))
	}
	return memory.NewBufferBytes(out)
}
