package headless

import (
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"spandrel/model"
)

// arrowSource reads an Arrow file or stream.
func arrowSource(f *os.File) (*source, error) {
	head := make([]byte, 6)
	io.ReadFull(f, head)
	f.Seek(0, io.SeekStart)
	var batch arrow.RecordBatch
	var schema *arrow.Schema
	var more func() (arrow.RecordBatch, error)
	if string(head) == "ARROW1" {
		r, err := ipc.NewFileReader(f)
		if err != nil {
			return nil, err
		}
		schema, more = r.Schema(), r.Read
	} else {
		r, err := ipc.NewReader(f)
		if err != nil {
			return nil, err
		}
		schema, more = r.Schema(), r.Read
	}
	s := &source{}
	for _, field := range schema.Fields() {
		s.names, s.units = append(s.names, field.Name), append(s.units, unitOfArrow(field.Type))
	}
	at := 0
	s.next = func() (*someRows, error) {
		for batch == nil || at >= int(batch.NumRows()) {
			var err error
			if batch, err = more(); err != nil {
				return nil, err
			}
			at = 0
		}
		p, err := pageOfArrow(batch, at)
		at += p.rows
		return p, err
	}
	return s, nil
}

// pageOfArrow is rows of a batch from one on: fewer where some are read as cells.
func pageOfArrow(batch arrow.RecordBatch, at int) (*someRows, error) {
	p := &someRows{rows: min(batchRows, int(batch.NumRows())-at), columns: make([]given, batch.NumCols())}
	if slices.ContainsFunc(batch.Columns(), func(a arrow.Array) bool { return itemOfArrow(a) == "" }) {
		p.rows = min(p.rows, cellRows)
	}
	for k := range p.columns {
		g, a := &p.columns[k], batch.Column(k)
		if g.item = itemOfArrow(a); g.item != "" {
			g.Batch = batchOfArrow(a, g.item, at, p.rows)
			continue
		}
		for i := range p.rows {
			c, err := cellOfArrow(a, at+i)
			if err != nil {
				return p, fmt.Errorf("column %q: %w", batch.ColumnName(k), err)
			}
			g.cells = append(g.cells, c)
		}
	}
	return p, nil
}

// itemOfArrow is the type of the values of an array as batches have them; "" for others.
func itemOfArrow(a arrow.Array) string {
	switch a := a.(type) {
	case *array.Dictionary:
		return itemOfArrow(a.Dictionary())
	case *array.Boolean:
		return "bool"
	case *array.String:
		return "utf8"
	case *array.Binary:
		return "bytes"
	}
	return numbersOfArrow[a.DataType().ID()]
}

// batchOfArrow is n values of an array, of the type that itemOfArrow says.
func batchOfArrow(a arrow.Array, item string, from, n int) model.Batch {
	b, data := model.Batch{}, a.Data()
	switch a.(type) {
	case *array.Boolean, *array.Dictionary: // values are not stored one after another
		for i := range n {
			c, _ := cellOfArrow(a, from+i)
			b.Append(item, c.Value)
		}
		return b
	}
	b.Rows = int64(n)
	for i := 0; i < n && a.NullN() > 0; i++ {
		b.Null = append(b.Null, a.IsNull(from+i))
	}
	at, raw := data.Offset()+from, data.Buffers()[1].Bytes()
	if w := model.WidthOf(item); w > 0 {
		b.Data = raw[at*w : (at+n)*w]
	} else {
		base := le.Uint32(raw[4*at:])
		for i := range n + 1 {
			b.Starts = append(b.Starts, int32(le.Uint32(raw[4*(at+i):])-base))
		}
		if texts := data.Buffers()[2]; texts != nil {
			b.Data = texts.Bytes()[base:][:b.Starts[n]]
		}
	}
	return b
}

// unitOfArrow is the unit of a time type; nil for other types.
func unitOfArrow(t arrow.DataType) *model.Clock {
	switch t := t.(type) {
	case *arrow.TimestampType:
		return &model.Clock{Step: t.Unit.Multiplier()}
	case *arrow.DurationType:
		return &model.Clock{Step: t.Unit.Multiplier(), Length: true}
	case *arrow.Date32Type:
		return &model.Clock{Step: 24 * time.Hour}
	case *arrow.Date64Type:
		return &model.Clock{Step: time.Millisecond}
	case arrow.ListLikeType:
		return unitOfArrow(t.Elem())
	}
	return nil
}

// cellOfArrow is value i of an array.
func cellOfArrow(a arrow.Array, i int) (c model.Cell, err error) {
	if a.IsNull(i) {
		return c, nil
	}
	if list, ok := a.(array.ListLike); ok {
		from, to := list.ValueOffsets(i)
		c.Vector, c.Len, c.Items = true, to-from, make([]model.Value, to-from)
		for j := range c.Items {
			item, err := cellOfArrow(list.ListValues(), int(from)+j)
			if err != nil || item.Vector {
				return c, errArrow(a)
			}
			c.Items[j] = item.Value
		}
		return c, nil
	}
	if d, ok := a.(*array.Dictionary); ok {
		return cellOfArrow(d.Dictionary(), d.GetValueIndex(i))
	}
	c.Value, err = valueOfArrow(a, i)
	return c, err
}

// errArrow means that a type is not supported.
func errArrow(a arrow.Array) error { return fmt.Errorf("%s is not supported", a.DataType()) }

// numbersOfArrow are the types of Arrow's numbers.
var numbersOfArrow = map[arrow.Type]string{arrow.INT8: "i8", arrow.INT16: "i16", arrow.INT32: "i32", arrow.INT64: "i64",
	arrow.UINT8: "u8", arrow.UINT16: "u16", arrow.UINT32: "u32", arrow.UINT64: "u64", arrow.FLOAT16: "f16", arrow.FLOAT32: "f32", arrow.FLOAT64: "f64",
	arrow.TIMESTAMP: "i64", arrow.DURATION: "i64", arrow.DATE32: "i32", arrow.DATE64: "i64"}

// valueOfArrow is value i of an array.
func valueOfArrow(a arrow.Array, i int) (v model.Value, err error) {
	switch a := a.(type) {
	case *array.Null:
		return v, nil
	case *array.Boolean:
		return model.B(a.Value(i)), nil
	case interface{ Value(int) string }:
		return model.S(a.Value(i)), nil
	case interface{ Value(int) []byte }:
		return model.Raw(a.Value(i)), nil
	}
	codec := model.Items[numbersOfArrow[a.DataType().ID()]]
	if codec == nil {
		return v, errArrow(a)
	}
	v, _, err = codec.Decode(a.Data().Buffers()[1].Bytes()[(a.Data().Offset()+i)*codec.Size():])
	return v, err
}
