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
	"spandrel/parsers/tiledb/storage"
)

// errAsCells means that rows must be read as cells: for fields whose type differs from the column's.
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
			return b.done(ctx), nil
		}
		if j == len(t.cols) {
			columns[j].Names = func(context.Context) []string { return t.fragmentNames() }
			continue
		}
		if c := &t.cols[j]; storage.IsNumber(c.typ) {
			columns[j].Len, columns[j].Clock = vectorLength(c.num), clockOf(c.typ)
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
	if c.attr == nil || c.num != 1 || !filter.IsInteger(c.typ) {
		return ""
	}
	return c.attr.Enum.Text()
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
	model.Batch
	x     *cellTable
	at    int    // of the column; that of the fragment comes last
	names string // of the enumeration
}

// newColumnBatch is a batch with room for n cells, as most batches have.
func newColumnBatch(x *cellTable, j int, n int64) *columnBatch {
	b := &columnBatch{x: x, at: j}
	n = max(0, min(n, mostReserved))
	width := int64(4)
	if j < len(x.cols) {
		c := &x.cols[j]
		width = int64(filter.SizeOf(c.typ)) * min(max(1, vectorLength(c.num)), mostReserved)
		if b.names = x.named(c); !storage.IsNumber(c.typ) {
			b.Starts = make([]int32, 1, n+1)
		} else if c.num == storage.VariableCells {
			b.Lists = make([]int32, 1, n+1)
		}
	}
	if n*width <= mostReserved*8 {
		b.Data = make([]byte, 0, n*width)
	}
	return b
}

// mostReserved is how many cells a batch has room for from the beginning.
const mostReserved = 1 << 17

// take appends a run. The coordinates of a run in a dense array start at its first cell, and the last coordinate increases from there.
func (b *columnBatch) take(ctx context.Context, run runOfRows) error {
	b.Rows += run.n
	if b.at == len(b.x.cols) {
		b.Data = append(b.Data, bytes.Repeat(binary.LittleEndian.AppendUint32(nil, uint32(int32(run.index))), int(run.n))...)
		return nil
	}
	c := &b.x.cols[b.at]
	if c.dim >= 0 && run.where != nil {
		v, w := run.where[c.dim].Uint(), filter.SizeOf(c.typ)
		step := uint64(0)
		if c.dim == len(run.where)-1 {
			step = 1
		}
		data := b.Data // in a local variable, which costs no write barrier
		for range run.n {
			data = binary.LittleEndian.AppendUint64(data, v)[:len(data)+w]
			v += step
		}
		b.Data = data
		return nil
	}
	if run.in == nil {
		return b.fill(ctx, c, run.n)
	}
	slot := c.in(run.in)
	if slot < 0 {
		return b.fill(ctx, c, run.n)
	}
	if s := &run.in.slots[slot]; s.Datatype != c.typ || s.Num != c.num {
		return errAsCells
	}
	return b.stored(ctx, run.cellRun, slot)
}

// fill appends the fill value of a column n times.
func (b *columnBatch) fill(ctx context.Context, c *column, n int64) error {
	if c.attr == nil {
		return errAsCells
	}
	v := fillValue(ctx, b.x.a, c.attr)
	for range n {
		if err := b.add(c, v.Data, v.Valid == 0); err != nil {
			return err
		}
	}
	return nil
}

// stored appends the cells of a field.
func (b *columnBatch) stored(ctx context.Context, run cellRun, slot int) (err error) {
	s, c := &run.in.slots[slot], &b.x.cols[b.at]
	plain := !s.Variable() && storage.IsNumber(s.Datatype) && run.step == 1 && run.in.meta.Stride(s) == s.Cell()
	if plain && !s.Nullable && b.Null == nil {
		b.Data, err = run.appended(ctx, b.Data, slot)
		return err
	}
	t, _, err := run.cells(ctx, slot)
	if err != nil {
		return err
	}
	if plain && s.Nullable && c.num == 1 && int64(len(t.Valid)) == run.n && int64(len(t.Data)) == run.n*s.Cell() {
		b.flagged(b.cellsOf(c), t.Valid)
		b.Data = append(b.Data, t.Data...)
		return nil
	}
	for i := range run.n {
		k := int(i * run.step)
		if err := b.add(c, t.At(s, k), t.Null(k)); err != nil {
			return err
		}
	}
	return nil
}

// flagged notes which cells from one on are null, if any is.
func (b *columnBatch) flagged(from int, valid []byte) {
	if b.Null == nil && bytes.IndexByte(valid, 0) < 0 {
		return
	}
	b.Null = append(b.Null, make([]bool, from-len(b.Null))...)
	for _, v := range valid {
		b.Null = append(b.Null, v == 0)
	}
}

// add appends a cell.
func (b *columnBatch) add(c *column, data []byte, null bool) error {
	if len(b.Data)+len(data) > math.MaxInt32 {
		return errAsCells
	}
	size := filter.SizeOf(c.typ)
	vector := storage.IsNumber(c.typ) && c.num != 1
	flags := &b.Null
	if vector {
		flags = &b.Gone
	}
	*flags = model.Flagged(*flags, int64(b.cellsOf(c))+1, null)
	if null && (b.Starts != nil || b.Lists != nil) {
		data = nil
	}
	switch b.Data = append(b.Data, data...); {
	case b.Starts != nil:
		b.Starts = append(b.Starts, int32(len(b.Data)))
	case b.Lists != nil:
		if len(data)%size != 0 {
			return errAsCells
		}
		b.Lists = append(b.Lists, int32(len(b.Data)/size))
	}
	return nil
}

// cellsOf is how many cells there are.
func (b *columnBatch) cellsOf(c *column) int {
	switch {
	case b.Starts != nil:
		return len(b.Starts) - 1
	case b.Lists != nil:
		return len(b.Lists) - 1
	}
	return len(b.Data) / (filter.SizeOf(c.typ) * int(max(1, vectorLength(c.num))))
}

// done is the finished batch; for indices of an enumeration, its values are places.
func (b *columnBatch) done(ctx context.Context) model.Batch {
	if b.names != "" {
		if e := b.x.a.schemas.Enumeration(ctx, b.x.view.schema, b.names); e != nil && e.Count() > 0 {
			b.Data = model.Places(b.Data, storage.CodecOf(b.x.cols[b.at].typ).Type(), 0, int(min(e.Count(), mostNames)), b.Null)
			b.Null = nil
		}
	}
	return b.Batch
}

// runs passes on the cells listed by rows, in runs within one tile.
func (x *cellTable) runs(ctx context.Context, first, n int64, f func(context.Context, runOfRows) error) error {
	if n > x.rows()-first || first < 0 {
		return errAsCells
	}
	for n > 0 {
		at, run := x.stored(first)
		run = min(run, n)
		took, err := x.storedRuns(ctx, at, run, func(ctx context.Context, r runOfRows) error {
			if r.in.meta.Dense {
				return errAsCells // dense fragments that do not fill a box are listed cell by cell
			}
			return f(ctx, r)
		})
		if err != nil || took < run {
			return cmp.Or(err, errAsCells)
		}
		first, n = first+run, n-run
	}
	return nil
}
