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

// arrowSource reads a file or a stream of Arrow.
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
		row = make([]model.Cell, batch.NumCols())
		for k := range row {
			if row[k], err = cellOfArrow(batch.Column(k), at); err != nil {
				return nil, fmt.Errorf("column %q: %w", s.names[k], err)
			}
		}
		at++
		return row, nil
	}
	return s, nil
}

// unitOfArrow is what the numbers of a type of times count; nil for other types.
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
	if c.Value, err = valueOfArrow(a, i); err != nil {
		c.Value, err = textOfArrow(a, i)
	}
	return c, err
}

// errArrow is of a type that is not taken.
func errArrow(a arrow.Array) error { return fmt.Errorf("%s is not taken", a.DataType()) }

// valueOfArrow is number i of an array.
func valueOfArrow(a arrow.Array, i int) (v model.Value, err error) {
	switch a := a.(type) {
	case *array.Int8:
		v = model.I(int64(a.Value(i)))
	case *array.Int16:
		v = model.I(int64(a.Value(i)))
	case *array.Int32:
		v = model.I(int64(a.Value(i)))
	case *array.Int64:
		v = model.I(a.Value(i))
	case *array.Uint8:
		v = model.U(uint64(a.Value(i)))
	case *array.Uint16:
		v = model.U(uint64(a.Value(i)))
	case *array.Uint32:
		v = model.U(uint64(a.Value(i)))
	case *array.Uint64:
		v = model.U(a.Value(i))
	case *array.Float16:
		v = model.F(float64(a.Value(i).Float32()))
	case *array.Float32:
		v = model.F(float64(a.Value(i)))
	case *array.Float64:
		v = model.F(a.Value(i))
	case *array.Boolean:
		v = model.B(a.Value(i))
	case *array.Timestamp:
		v = model.I(int64(a.Value(i)))
	case *array.Duration:
		v = model.I(int64(a.Value(i)))
	case *array.Date32:
		v = model.I(int64(a.Value(i)))
	case *array.Date64:
		v = model.I(int64(a.Value(i)))
	default:
		return v, errArrow(a)
	}
	return v, nil
}

// textOfArrow is text or bytes i of an array.
func textOfArrow(a arrow.Array, i int) (v model.Value, err error) {
	switch a := a.(type) {
	case *array.String:
		v = model.S(a.Value(i))
	case *array.LargeString:
		v = model.S(a.Value(i))
	case *array.StringView:
		v = model.S(a.Value(i))
	case *array.Binary:
		v = model.Raw(a.Value(i))
	case *array.LargeBinary:
		v = model.Raw(a.Value(i))
	case *array.FixedSizeBinary:
		v = model.Raw(a.Value(i))
	case *array.Null:
	default:
		return v, errArrow(a)
	}
	return v, nil
}
