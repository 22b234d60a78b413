package model

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// slice is a part of an array as rows and columns.
type slice struct {
	of         *Table
	base       int64 // of the first element, in the order of the file
	rows, cols axis  // their strides include their steps
}

// Slice returns the elements of an array that an index selects, such as [2, :, 0:10], as a table whose rows and columns are the two remaining
// axes; if one remains, its elements are the rows. Columns are named by their indices, and Number names the rows.
func (t *Table) Slice(index string) (Table, error) {
	if t.Tensor == nil {
		return Table{}, fmt.Errorf("table %q is not an array", t.Name)
	}
	axes, err := t.Tensor.axes(index)
	if err != nil {
		return Table{}, err
	}
	of := *t // the caller may let the slice take its place
	s, free := &slice{of: &of, rows: axis{n: 1, step: 1}, cols: axis{n: 1, step: 1}}, []axis(nil)
	for _, x := range axes {
		s.base += x.first * x.stride
		x.stride *= x.step
		if !x.fixed {
			free = append(free, x)
		}
	}
	switch len(free) {
	case 0:
	case 1:
		s.rows = free[0]
	case 2:
		s.rows, s.cols = free[0], free[1]
	default:
		return Table{}, fmt.Errorf("%s leaves %d axes: give a number for all but two", index, len(free))
	}
	if s.cols.n > mostSliced {
		return Table{}, fmt.Errorf("%s has %s columns, but a table can have at most %s", index, Thousands(s.cols.n), Thousands(mostSliced))
	}
	out := s.table(len(free) > 1)
	out.Name += "[" + strings.Trim(strings.TrimSpace(index), "[]") + "]"
	return out, nil
}

// table is a slice as a table. titled means that columns are indices of an axis.
func (s *slice) table(titled bool) Table {
	value := s.of.Columns[s.of.Tensor.Column]
	out := Table{Name: s.of.Name, Title: s.of.Title, Doc: s.of.Doc, Rows: s.rows.n, Read: s.read, Of: s.of,
		Number: func(row int64) int64 { return s.rows.index(row) }}
	for i := range s.cols.n {
		if titled {
			value.Name = strconv.FormatInt(s.cols.index(i), 10)
		}
		out.Columns = append(out.Columns, value)
	}
	if set := s.of.Set; set != nil {
		out.Set = func(ctx context.Context, cells []Typed) ([]Edit, error) {
			all := make([]Typed, len(cells))
			for i, c := range cells {
				all[i] = c
				all[i].Row, all[i].Column = s.at(c.Row, int64(c.Column)), s.of.Tensor.Column
				if all[i].Row >= s.of.Rows {
					return nil, errors.New("the file ends before this element")
				}
			}
			return set(ctx, all)
		}
	}
	return out
}

// at is the position of an element in file order.
func (s *slice) at(row, col int64) int64 { return s.base + row*s.rows.stride + col*s.cols.stride }

// elements reads n elements from first on, in file order, or fewer at the end.
func (s *slice) elements(ctx context.Context, first, n int64) ([]Cell, error) {
	if n = min(n, s.of.Rows-first); n <= 0 {
		return nil, nil // the array is truncated
	}
	if read := s.of.Tensor.Read; read != nil {
		return read(ctx, first, n)
	}
	rows, err := s.of.Read(ctx, first, n)
	out := make([]Cell, len(rows))
	for i, r := range rows {
		if s.of.Tensor.Column < len(r) {
			out[i] = r[s.of.Tensor.Column]
		}
	}
	return out, err
}

// nearStride is the largest distance of elements that are read together with those between them.
const nearStride = 16

// strip is a run of elements that are read together: count of them, stride apart, from the element from on, and the cells they
// become: every step-th from to on.
type strip struct{ from, count, stride, to, step int64 }

// strips are the elements of n rows from first on. Those that are consecutive in the file form one strip.
func (s *slice) strips(first, n int64) (out []strip) {
	switch wide := s.cols.n; {
	case s.cols.stride == 1 && s.rows.stride == wide || wide == 1 && s.rows.stride == 1: // without gaps
		return []strip{{s.at(first, 0), n * wide, 1, 0, 1}}
	case s.rows.stride == 1 && s.cols.stride > nearStride && wide > 1: // the columns lie together
		for c := range wide {
			out = append(out, strip{s.at(first, c), n, 1, c, wide})
		}
	default:
		for r := range n {
			out = append(out, strip{s.at(first+r, 0), wide, s.cols.stride, r * wide, 1})
		}
	}
	return out
}

// fill reads the elements of a strip.
func (s *slice) fill(ctx context.Context, cells []Cell, r strip) error {
	if r.stride < 1 || r.stride > nearStride { // one by one
		for k := range r.count {
			got, err := s.elements(ctx, r.from+k*r.stride, 1)
			if err != nil || len(got) < 1 {
				return err
			}
			cells[r.to+k*r.step] = got[0]
		}
		return nil
	}
	got, err := s.elements(ctx, r.from, (r.count-1)*r.stride+1)
	for k := int64(0); k < r.count && k*r.stride < int64(len(got)); k++ {
		cells[r.to+k*r.step] = got[k*r.stride]
	}
	return err
}

// read returns n rows from first on.
func (s *slice) read(ctx context.Context, first, n int64) ([]Row, error) {
	n = max(0, min(n, s.rows.n-first))
	cells, rows := make([]Cell, n*s.cols.n), make([]Row, n)
	for i := range rows {
		rows[i] = cells[int64(i)*s.cols.n : int64(i+1)*s.cols.n]
	}
	if len(cells) == 0 {
		return rows, nil
	}
	for _, r := range s.strips(first, n) {
		if err := s.fill(ctx, cells, r); err != nil {
			return nil, err
		}
	}
	return rows, ctx.Err()
}
