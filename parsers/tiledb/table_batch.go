package tiledb

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"math"

	"spandrel/model"
	"spandrel/parsers/tiledb/filter"
	"spandrel/parsers/tiledb/fragment"
	"spandrel/parsers/tiledb/storage"
)

// errAsCells means that rows must be read as cells: for fields that a fragment does not have, or has in another type.
var errAsCells = errors.New("not as a column")

// withBatches lets the columns of a table of cells be read as columns.
func withBatches(x readAs, columns []model.Column) {
	t := x.table()
	for j := range columns {
		columns[j].Batch = func(ctx context.Context, first, n int64) (model.Batch, error) {
			b := newColumnBatch(t, j, n)
			if err := x.runs(ctx, first, n, b.take); err != nil {
				return model.Batch{}, err
			}
			return b.done(ctx)
		}
		if j == len(t.cols) {
			columns[j].Names = func(context.Context) []string { return t.fragmentNames() }
			continue
		}
		if c := &t.cols[j]; storage.IsNumber(c.Datatype) {
			columns[j].Len, columns[j].Clock = vectorLength(c.Num), clockOf(c.Datatype)
			if e := t.named(c); e != "" {
				columns[j].Names = func(ctx context.Context) []string { return t.names(ctx, e) }
			}
		}
	}
}

// vectorLength is the number of values per cell; 0 for one, and if it varies.
func vectorLength(num uint32) int64 {
	if num == 1 || num == storage.VariableCells {
		return 0
	}
	return int64(num)
}

// clockOf is the unit of a datatype's times; nil if it has none, or one without constant length.
func clockOf(t uint8) *model.Clock {
	const firstTime = 31
	unit, length := int(t)-filter.Year-2, false
	if t >= firstTime {
		unit, length = 2+int(t)-firstTime, true
	}
	if !filter.IsTime(t) || unit < 0 || unit >= len(storage.TimeUnits) || storage.TimeUnits[unit] < 1 {
		return nil
	}
	return &model.Clock{Step: storage.TimeUnits[unit], Length: length}
}

// named is the enumeration that a column's values index; "" for none.
func (x *cellTable) named(c *column) string {
	if c.Attr == nil || c.Num != 1 || !filter.IsInteger(c.Datatype) {
		return ""
	}
	return c.Attr.Enum.Text()
}

// names are the distinct values of an enumeration: a repeated or empty one is replaced by its number.
func (x *cellTable) names(ctx context.Context, name string) (out []string) {
	e := x.a.schemas.Enumeration(ctx, x.view.schema, name)
	if e == nil {
		return nil
	}
	for i := range min(e.Count(), mostNames) {
		out = append(out, e.Text(ctx, x.a.d.t, i))
	}
	return model.Distinct(out, 0)
}

// mostNames is the largest enumeration that is used as names.
const mostNames = 1 << 20

func (x *cellTable) fragmentNames() (out []string) {
	for _, f := range x.frags {
		out = append(out, f.name)
	}
	return out
}

// columnBatch is a column assembled from runs of cells.
type columnBatch struct {
	fragment.Cells // Valid may be shorter: the other cells are valid
	x              *cellTable
	at             int   // of the column; that of the fragment comes last
	rows           int64 // so far
}

// newColumnBatch is a batch with room for n cells, as most batches have.
func newColumnBatch(x *cellTable, j int, n int64) *columnBatch {
	b := &columnBatch{x: x, at: j}
	n = max(0, min(n, mostReserved))
	width := int64(4)
	if j < len(x.cols) {
		c := &x.cols[j]
		if width = int64(filter.SizeOf(c.Datatype)) * min(max(1, vectorLength(c.Num)), mostReserved); c.Variable() {
			b.Starts = make([]int64, 0, n)
		}
	}
	if n*width <= mostReserved*8 {
		b.Data = make([]byte, 0, n*width)
	}
	return b
}

// mostReserved is how many cells a batch has room for from the beginning.
const mostReserved = 1 << 17

// take appends a run.
func (b *columnBatch) take(ctx context.Context, run runOfRows) error {
	if b.at == len(b.x.cols) {
		b.rows += run.n
		b.Data = append(b.Data, bytes.Repeat(binary.LittleEndian.AppendUint32(nil, uint32(int32(run.index))), int(run.n))...)
		return nil
	}
	c, err := b.x.cells(ctx, run, b.at)
	if col := &b.x.cols[b.at]; err == nil && (c.Slot == nil || c.Datatype != col.Datatype || c.Num != col.Num) {
		err = errAsCells
	}
	if err != nil {
		return err
	}
	b.append(c, run.n)
	return nil
}

// append appends n cells. Those without a value of variable size are empty.
func (b *columnBatch) append(c columnCells, n int64) {
	if c.Valid != nil {
		b.Valid = append(b.Valid, bytes.Repeat([]byte{1}, int(b.rows)-len(b.Valid))...)
	}
	if b.rows += n; c.step == 1 && !(c.Variable() && bytes.IndexByte(c.Valid, 0) >= 0) {
		for _, at := range c.Starts {
			b.Starts = append(b.Starts, int64(len(b.Data))+at)
		}
		b.Data, b.Valid = append(b.Data, c.Data...), append(b.Valid, c.Valid...)
		return
	}
	for i := 0; n > 0; i, n = i+c.step, n-1 {
		b.add(&c, i)
	}
}

// add appends one cell.
func (b *columnBatch) add(c *columnCells, i int) {
	if c.Valid != nil {
		b.Valid = append(b.Valid, storage.Flag(!c.Null(i)))
	}
	if c.Variable() {
		b.Starts = append(b.Starts, int64(len(b.Data)))
	}
	if !c.Variable() || !c.Null(i) {
		b.Data = append(b.Data, c.Cells.At(c.Slot, i)...)
	}
}

// all are the cells, each with its validity if s is nullable.
func (b *columnBatch) all(s *fragment.Slot) fragment.Cells {
	out := b.Cells
	if out.Valid = append(out.Valid, bytes.Repeat([]byte{1}, int(b.rows)-len(out.Valid))...); !s.Nullable {
		out.Valid = nil
	}
	return out
}

// done is the finished batch; for indices of an enumeration, its values are places.
func (b *columnBatch) done(ctx context.Context) (out model.Batch, err error) {
	if out = (model.Batch{Rows: b.rows, Data: b.Data}); b.at == len(b.x.cols) {
		return out, nil
	}
	c := &b.x.cols[b.at]
	flags, number, size := &out.Null, storage.IsNumber(c.Datatype), 1
	if number && c.Num != 1 {
		flags, size = &out.Gone, filter.SizeOf(c.Datatype)
	}
	for i, v := range b.Valid {
		*flags = model.Flagged(*flags, int64(i)+1, v == 0)
	}
	if (c.Variable() || !number) && len(b.Data) > math.MaxInt32 {
		return out, errAsCells
	}
	switch {
	case number && c.Variable():
		out.Lists, err = b.starts(size)
	case c.Variable():
		out.Starts, err = b.starts(size)
	case !number:
		out.Data, out.Starts = b.texts(c)
	}
	if err != nil {
		return out, err
	}
	if name := b.x.named(c); name != "" {
		if e := b.x.a.schemas.Enumeration(ctx, b.x.view.schema, name); e != nil && e.Count() > 0 {
			out.Data, out.Null = model.Places(out.Data, storage.CodecOf(c.Datatype).Type(), 0, int(min(e.Count(), mostNames)), out.Null), nil
		}
	}
	return out, nil
}

// starts are where the values of variable size begin and the last one ends, in elements.
func (b *columnBatch) starts(size int) ([]int32, error) {
	out := []int32{0}
	for i := range int(b.rows) {
		end := len(b.Data)
		if i+1 < len(b.Starts) {
			end = int(b.Starts[i+1])
		}
		if end%size != 0 {
			return nil, errAsCells
		}
		out = append(out, int32(end/size))
	}
	return out, nil
}

// texts are those of a column whose texts have one length, and where each begins.
func (b *columnBatch) texts(c *column) (data []byte, starts []int32) {
	starts = []int32{0}
	for i := range b.rows {
		if i >= int64(len(b.Valid)) || b.Valid[i] != 0 {
			data = append(data, b.Cells.At(&c.Slot, int(i))...)
		}
		starts = append(starts, int32(len(data)))
	}
	return data, starts
}

// runs passes on the cells listed by rows, in runs within one tile.
func (x *cellTable) runs(ctx context.Context, first, n int64, f func(context.Context, runOfRows) error) error {
	if n > x.rows()-first || first < 0 {
		return errAsCells
	}
	for n > 0 {
		at, run := x.stored(first)
		run = min(run, n)
		took, err := x.storedRuns(ctx, at, run, f)
		if err != nil || took < run {
			return cmp.Or(err, errAsCells)
		}
		first, n = first+run, n-run
	}
	return nil
}
