package headless

import (
	"fmt"
	"io"
	"os"
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
	s.next = func() (row []model.Cell, err error) {
		for batch == nil || at >= int(batch.NumRows()) {
			if batch, err = more(); err != nil {
				return nil, err
			}
			at = 0
		}
		at++
		return rowOfArrow(batch, at-1)
	}
	return s, nil
}

// rowOfArrow is row i of a batch.
func rowOfArrow(batch arrow.RecordBatch, i int) (row []model.Cell, err error) {
	row = make([]model.Cell, batch.NumCols())
	for k := range row {
		if row[k], err = cellOfArrow(batch.Column(k), i); err != nil {
			return nil, fmt.Errorf("column %q: %w", batch.ColumnName(k), err)
		}
	}
	return row, nil
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
	case *arrow.ListType:
		return unitOfArrow(t.Elem())
	case *arrow.FixedSizeListType:
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

// numbersOfArrow are the memory layouts of Arrow's numeric types.
var numbersOfArrow = map[arrow.Type]model.Codec{arrow.INT8: model.I8, arrow.INT16: model.I16LE, arrow.INT32: model.I32LE, arrow.INT64: model.I64LE,
	arrow.UINT8: model.U8, arrow.UINT16: model.U16LE, arrow.UINT32: model.U32LE, arrow.UINT64: model.U64LE,
	arrow.FLOAT16: model.F16LE, arrow.FLOAT32: model.F32LE, arrow.FLOAT64: model.F64LE,
	arrow.TIMESTAMP: model.I64LE, arrow.DURATION: model.I64LE, arrow.DATE32: model.I32LE, arrow.DATE64: model.I64LE}

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
	codec := numbersOfArrow[a.DataType().ID()]
	if codec == nil {
		return v, errArrow(a)
	}
	v, _, err = codec.Decode(a.Data().Buffers()[1].Bytes()[(a.Data().Offset()+i)*codec.Size():])
	return v, err
}
