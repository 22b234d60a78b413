package headless

import (
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"spandrel/model"
)

// batchRows is how many rows make a record batch of an Arrow file, or a row group of a Parquet file.
const batchRows = 64 << 10

// columnNames gives every picked column a name of its own, and says which hold lists.
func (p *part) columnNames() (names []string, lists []bool) {
	seen := map[string]bool{}
	for _, i := range p.pick {
		col := p.Columns[i]
		name := col.Name
		for seen[name] {
			name += "'"
		}
		seen[name] = true
		names = append(names, name)
		lists = append(lists, len(col.Type) > 2 && col.Type[len(col.Type)-2:] == "[]")
	}
	return names, lists
}

// arrowFile writes an Arrow file, a batch at a time.
type arrowFile struct {
	p     *part
	build *array.RecordBuilder
	rows  int
	out   *ipc.FileWriter
}

func newArrow(w io.Writer, p *part) (*arrowFile, error) {
	var fields []arrow.Field
	names, lists := p.columnNames()
	for k, i := range p.pick {
		t := arrowType(p.Columns[i].Kind)
		if lists[k] {
			t = arrow.ListOf(t)
		}
		fields = append(fields, arrow.Field{Name: names[k], Type: t, Nullable: true})
	}
	schema := arrow.NewSchema(fields, nil)
	out, err := ipc.NewFileWriter(w, ipc.WithSchema(schema))
	return &arrowFile{p: p, build: array.NewRecordBuilder(memory.DefaultAllocator, schema), out: out}, err
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

func (c *arrowFile) Row(r model.Row) error {
	for k, i := range c.p.pick {
		put(c.build.Field(k), r[i])
	}
	if c.rows++; c.rows < batchRows {
		return nil
	}
	return c.flush()
}

func (c *arrowFile) flush() error {
	rec := c.build.NewRecordBatch()
	defer rec.Release()
	c.rows = 0
	return c.out.Write(rec)
}

func (c *arrowFile) Close() error {
	if c.rows > 0 {
		if err := c.flush(); err != nil {
			return err
		}
	}
	c.build.Release()
	return c.out.Close()
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
