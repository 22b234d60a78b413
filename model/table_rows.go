package model

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// mostRows is how many rows of a table are read at once.
const mostRows = 4096

// Each passes the rows from one on to see, in order. It reads more of them at once while they are small: a row of vectors has
// many values. progress may be nil.
func (t *Table) Each(ctx context.Context, first, end int64, progress func(done, total int64), see func(i int64, r Row) error) error {
	page := int64(64)
	for at := first; at < end; {
		rows, err := t.some(ctx, at, min(t.Page(page), end-at))
		if err != nil {
			return err
		}
		values := 0
		for _, r := range rows {
			if err := see(at, r); err != nil {
				return err
			}
			at++
			values += r.values()
		}
		switch {
		case values > pageCells && page > 1:
			page /= 2
		case values < pageCells/4 && page < mostRows:
			page *= 2
		}
		if progress != nil {
			progress(at-first, end-first)
		}
	}
	return nil
}

// some reads up to n rows, at least one; none is an error.
func (t *Table) some(ctx context.Context, first, n int64) ([]Row, error) {
	rows, err := t.Read(ctx, first, n)
	if err = cmp.Or(err, ctx.Err()); err == nil && len(rows) == 0 {
		err = fmt.Errorf("row %d of %s cannot be read", first, t.Name)
	}
	return rows, err
}

// values is how many values a row has, and cells.
func (r Row) values() (n int) {
	for i := range r {
		n += 1 + len(r[i].Items)
	}
	return n
}

// Part returns a table of n rows of this one, from first on.
func (t Table) Part(first, n int64) Table {
	read := t.Read
	return t.withRows(n, func(ctx context.Context, from, n int64) ([]Row, error) { return read(ctx, first+from, n) })
}

// Only returns a table of some of the rows, in the order of the list.
func (t Table) Only(list []int64) Table {
	read := t.Read
	return t.withRows(int64(len(list)), func(ctx context.Context, first, n int64) (out []Row, err error) {
		for i := first; i < first+n; {
			k := i + 1 // rows that stand together are read together
			for k < first+n && list[k] == list[k-1]+1 {
				k++
			}
			rows, err := read(ctx, list[i], k-i)
			if err != nil || int64(len(rows)) < k-i {
				return append(out, rows...), err
			}
			out, i = append(out, rows...), k
		}
		return out, nil
	})
}

// withRows is a table with n other rows, which are read as cells, and whose positions are not those of edits.
func (t Table) withRows(n int64, read func(ctx context.Context, first, n int64) ([]Row, error)) Table {
	t.Rows, t.Columns, t.Set, t.Put, t.Fill = n, slices.Clone(t.Columns), nil, nil, nil
	t.Read = func(ctx context.Context, first, count int64) ([]Row, error) {
		return read(ctx, first, max(0, min(count, n-first)))
	}
	for i := range t.Columns {
		t.Columns[i].Batch = nil
	}
	return t
}

// RowReader reads rows of a table, sequentially or at random.
type RowReader struct {
	*Table
	first int64
	page  []Row
}

// At is one row.
func (r *RowReader) At(ctx context.Context, row int64) (Row, error) {
	if row < r.first || row >= r.first+int64(len(r.page)) {
		n := int64(512)
		if row == r.first+int64(len(r.page)) {
			n = mostRows // they are read one after the other
		}
		page, err := r.some(ctx, row, min(r.Page(n), r.Rows-row))
		if err != nil {
			return nil, err
		}
		r.first, r.page = row, page
	}
	return r.page[row-r.first], nil
}
