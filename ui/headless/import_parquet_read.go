package headless

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"spandrel/model"
)

// parquetReader reads the columns of a Parquet file, one row group after the other.
type parquetReader struct {
	groups  []parquet.RowGroup // the present one first
	sizes   []format.RowGroup  // of all
	columns []leafReader
	open    bool  // the columns read the present group
	left    int64 // rows of it
	per     int64 // of a page
}

// leafReader reads a column of a row group.
type leafReader struct {
	leafOf
	item    string // of its values; "" for a type that is not supported
	pages   parquet.Pages
	values  parquet.ValueReader // of the present page; nil: of the next one
	buf     []parquet.Value
	some    []parquet.Value // of buf, not used yet
	pending []model.Cell    // the last one may be incomplete
}

func (r *parquetReader) close() {
	for k := range r.columns {
		if r.open {
			r.columns[k].pages.Close()
		}
	}
	r.open = false
}

func (r *parquetReader) next() (*someRows, error) {
	for r.left == 0 {
		if r.open {
			r.groups = r.groups[1:]
		}
		if r.close(); len(r.groups) == 0 {
			return nil, io.EOF
		}
		r.begin(r.groups[0])
	}
	n := min(r.left, r.per)
	p := &someRows{rows: int(n), columns: make([]given, len(r.columns))}
	for k := range r.columns {
		c, err := &r.columns[k], error(nil)
		if c.celled() {
			p.columns[k].cells, err = c.cells(n)
		} else {
			p.columns[k].item = c.item
			p.columns[k].Batch, err = c.batch(n)
		}
		if err != nil {
			return nil, fmt.Errorf("column %d of the file: %w", k, err)
		}
	}
	r.left -= n
	return p, nil
}

// begin opens the columns of a row group.
func (r *parquetReader) begin(g parquet.RowGroup) {
	for k, chunk := range g.ColumnChunks() {
		c := &r.columns[k]
		c.pages, c.values, c.some, c.pending = chunk.Pages(), nil, nil, nil
	}
	size := r.sizes[len(r.sizes)-len(r.groups)].TotalByteSize
	r.open, r.left = true, g.NumRows()
	r.per = max(1, min(batchRows, batchBytes*r.left/max(1, size)))
	if slices.ContainsFunc(r.columns, leafReader.celled) {
		r.per = min(r.per, cellRows)
	}
}

// celled tells whether rows of a column are read as cells.
func (c leafReader) celled() bool { return c.list || c.item == "" }

// more reads values, at least one; io.EOF at the end of the row group.
func (c *leafReader) more() error {
	for len(c.some) == 0 {
		if c.values == nil {
			page, err := c.pages.ReadPage()
			if err != nil {
				return err
			}
			c.values = page.Values()
		}
		n, err := c.values.ReadValues(c.buf)
		if c.some = c.buf[:n]; err == io.EOF {
			c.values, err = nil, nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// batch is the next n values.
func (c *leafReader) batch(n int64) (b model.Batch, err error) {
	w := model.WidthOf(c.item)
	if w == 0 {
		b.Starts = append(make([]int32, 0, n+1), 0)
	} else {
		b.Data = make([]byte, 0, n*int64(w))
	}
	for b.Rows < n {
		if err := c.more(); err != nil {
			return b, short(err)
		}
		some := c.some[:min(int64(len(c.some)), n-b.Rows)]
		c.some = c.some[len(some):]
		for i := range some {
			if err := appendParquet(&b, w, &some[i]); err != nil {
				return b, err
			}
		}
	}
	return b, nil
}

// short is an error for the end of a row group that has more rows.
func short(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// appendParquet adds a value of w bytes, or a text if w is 0.
func appendParquet(b *model.Batch, w int, v *parquet.Value) error {
	b.Rows++
	b.Null = model.Flagged(b.Null, b.Rows, v.IsNull())
	if w == 0 {
		if b.Data = append(b.Data, v.ByteArray()...); len(b.Data) > math.MaxInt32 {
			return fmt.Errorf("more than 2 GB of text in one page")
		}
		b.Starts = append(b.Starts, int32(len(b.Data)))
		return nil
	}
	var bits uint64
	switch v.Kind() {
	case parquet.Boolean:
		if v.Boolean() {
			bits = 1
		}
	case parquet.Int32:
		bits = uint64(v.Int32())
	case parquet.Int64:
		bits = uint64(v.Int64())
	case parquet.Float:
		bits = uint64(math.Float32bits(v.Float()))
	case parquet.Double:
		bits = math.Float64bits(v.Double())
	case parquet.FixedLenByteArray: // of two bytes
		bits = uint64(le.Uint16(v.ByteArray()))
	}
	b.Data = le.AppendUint64(b.Data, bits)[:len(b.Data)+w]
	return nil
}

// cells are the next n rows as cells.
func (c *leafReader) cells(n int64) ([]model.Cell, error) {
	for int64(len(c.pending)) <= n {
		err := c.more()
		if err == io.EOF && int64(len(c.pending)) == n {
			break
		}
		if err != nil {
			return nil, short(err)
		}
		for _, v := range c.some {
			if err := c.add(v); err != nil {
				return nil, err
			}
		}
		c.some = nil
	}
	out := c.pending[:n:n]
	c.pending = slices.Clone(c.pending[n:])
	return out, nil
}

// add adds a value to the last cell, or to a new one.
func (c *leafReader) add(v parquet.Value) error {
	if v.RepetitionLevel() == 0 {
		c.pending = append(c.pending, model.Cell{})
	}
	if len(c.pending) == 0 {
		return io.ErrUnexpectedEOF
	}
	to, level := &c.pending[len(c.pending)-1], v.DefinitionLevel()
	if to.Vector = to.Vector || c.list && level >= c.there; c.list && level < c.listed {
		return nil
	}
	one, err := c.value(&v)
	if level < c.present {
		one = model.Value{}
	}
	if !c.list {
		to.Value = one
		return err
	}
	to.Items = append(to.Items, one)
	to.Len = int64(len(to.Items))
	return err
}

// value is a value of a column.
func (c *leafReader) value(v *parquet.Value) (model.Value, error) {
	if c.item == "" && !v.IsNull() {
		return model.Value{}, fmt.Errorf("%s is not supported", c.typ)
	}
	w, b := model.WidthOf(c.item), model.Batch{}
	if w == 0 {
		b.Starts = []int32{0}
	}
	err := appendParquet(&b, w, v)
	return b.Value(c.item, 0), err
}

// itemOfParquet is the type of values as batches have them; "" for others.
func itemOfParquet(t parquet.Type) string {
	logical := logicalOf(t)
	if n, ok := logical.(*format.IntType); ok && n.BitWidth%8 == 0 {
		if n.IsSigned {
			return fmt.Sprint("i", n.BitWidth)
		}
		return fmt.Sprint("u", n.BitWidth)
	}
	switch t.Kind() {
	case parquet.Boolean:
		return "bool"
	case parquet.Int32, parquet.Int64:
		if _, ok := logical.(*format.DecimalType); ok {
			return ""
		}
		return map[parquet.Kind]string{parquet.Int32: "i32", parquet.Int64: "i64"}[t.Kind()]
	case parquet.Float:
		return "f32"
	case parquet.Double:
		return "f64"
	case parquet.ByteArray, parquet.FixedLenByteArray:
		switch logical.(type) {
		case *format.StringType, *format.EnumType, *format.JsonType:
			return "utf8"
		case *format.Float16Type:
			return map[bool]string{true: "f16"}[t.Length() == 2]
		case *format.DecimalType:
			return ""
		}
		return "bytes"
	}
	return ""
}
