package headless

import (
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"spandrel/model"
)

// batchRows is how many rows make a record batch.
const batchRows = 64 << 10

// columnar writes Parquet or an Arrow file, a batch at a time.
type columnar struct {
	p      *part
	build  *array.RecordBuilder
	rows   int
	write  func(arrow.RecordBatch) error
	finish func() error
}

func newColumnar(w io.Writer, p *part, isParquet bool) (*columnar, error) {
	var fields []arrow.Field
	seen := map[string]bool{}
	for _, i := range p.pick {
		col := p.Columns[i]
		name := col.Name
		for seen[name] {
			name += "'"
		}
		seen[name] = true
		t := arrowType(col.Kind)
		if len(col.Type) > 2 && col.Type[len(col.Type)-2:] == "[]" {
			t = arrow.ListOf(t)
		}
		fields = append(fields, arrow.Field{Name: name, Type: t, Nullable: true})
	}
	schema := arrow.NewSchema(fields, nil)
	c := &columnar{p: p, build: array.NewRecordBuilder(memory.DefaultAllocator, schema)}
	if isParquet {
		props := parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Snappy))
		pw, err := pqarrow.NewFileWriter(schema, w, props, pqarrow.DefaultWriterProps())
		if err != nil {
			return nil, err
		}
		c.write, c.finish = pw.WriteBuffered, pw.Close
		return c, nil
	}
	aw, err := ipc.NewFileWriter(w, ipc.WithSchema(schema))
	if err != nil {
		return nil, err
	}
	c.write, c.finish = aw.Write, aw.Close
	return c, nil
}

func arrowType(k model.Kind) arrow.DataType {
	switch k {
	case model.Uint:
		return arrow.PrimitiveTypes.Uint64
	case model.Int:
		return arrow.PrimitiveTypes.Int64
	case model.Float:
		return arrow.PrimitiveTypes.Float64
	case model.Bool:
		return arrow.FixedWidthTypes.Boolean
	case model.Bytes:
		return arrow.BinaryTypes.Binary
	}
	return arrow.BinaryTypes.String
}

func (c *columnar) Row(r model.Row) error {
	for k, i := range c.p.pick {
		put(c.build.Field(k), r[i])
	}
	if c.rows++; c.rows < batchRows {
		return nil
	}
	return c.flush()
}

func (c *columnar) flush() error {
	rec := c.build.NewRecordBatch()
	defer rec.Release()
	c.rows = 0
	return c.write(rec)
}

func (c *columnar) Close() error {
	if c.rows > 0 {
		if err := c.flush(); err != nil {
			return err
		}
	}
	c.build.Release()
	return c.finish()
}

// put appends a cell to a column; what is missing or does not fit the column's type is null.
func put(b array.Builder, cell model.Cell) {
	l, isList := b.(*array.ListBuilder)
	switch {
	case cell.Trouble != "" || cell.Vector != isList:
		b.AppendNull()
	case !isList:
		scalar(b, cell.Value)
	default:
		items, ok := cell.Dense()
		l.Append(ok)
		for _, v := range items {
			scalar(l.ValueBuilder(), v)
		}
	}
}

func scalar(b array.Builder, v model.Value) {
	if v.Kind == model.None {
		b.AppendNull()
		return
	}
	switch b := b.(type) {
	case *array.Uint64Builder:
		b.Append(v.Uint())
	case *array.Int64Builder:
		b.Append(v.Int())
	case *array.Float64Builder:
		b.Append(v.Float())
	case *array.BooleanBuilder:
		b.Append(v.Bool())
	case *array.BinaryBuilder:
		b.Append([]byte(v.Text()))
	case *array.StringBuilder:
		b.Append(v.Text())
	default:
		b.AppendNull()
	}
}
