package model

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Tensor says that the rows of a table are the elements of an array, in file order, and how the array is indexed.
type Tensor struct {
	Shape       []int64 // elements along each axis
	ColumnMajor bool    // the first index changes fastest in the file; otherwise the last
	Column      int     // of the table: where the values are
	Origin      []int64 // the index of the first element along each axis; nil: 0, and negative indices count from the end
	// Read returns n elements from first on, or fewer at the end. Nil: they are read as rows of the table.
	Read  func(ctx context.Context, first, n int64) ([]Cell, error)
	At    Range  // where the elements are stored one after another; no bytes if they are not
	Dtype string // their type there, as numpy calls it; "" for none of its types
}

// Dtypes are the types of numbers that numpy has, by its names for them.
var Dtypes = map[string]Codec{
	"<i8": I64LE, "<i4": I32LE, "<i2": I16LE, "|i1": I8, "<u8": U64LE, "<u4": U32LE, "<u2": U16LE, "|u1": U8,
	">i8": I64BE, ">i4": I32BE, ">i2": I16BE, ">u8": U64BE, ">u4": U32BE, ">u2": U16BE,
	"<f8": F64LE, "<f4": F32LE, "<f2": F16LE, ">f8": F64BE, ">f4": F32BE, ">f2": F16BE,
	"|b1": Bool8,
}

// dtypeOf is numpy's name for a type of numbers, or "".
func dtypeOf(codec Codec) string {
	for name, c := range Dtypes {
		if c == codec {
			return name
		}
	}
	return ""
}

// AsTensor says that the rows of a table are the elements of an array, whose values are in the last column. It has no effect unless the table has
// exactly that many rows, which it does not in a truncated file.
func (t Table) AsTensor(shape []int64, columnMajor bool) Table {
	if len(shape) > 0 && len(shape) <= mostAxes && len(t.Columns) > 0 && elementsIn(shape) == t.Rows {
		if t.Tensor == nil {
			t.Tensor = &Tensor{}
		}
		t.Tensor.Shape, t.Tensor.ColumnMajor, t.Tensor.Column = shape, columnMajor, len(t.Columns)-1
	}
	if t.Tensor != nil && t.Tensor.Shape == nil {
		t.Tensor = nil
	}
	return t
}

// Grid is one column of a table whose rows are the cells of an array, as an array by itself: what is read and written is the table's.
func (t *Table) Grid(name string, column int, shape, origin []int64) Table {
	of := *t
	c := of.Columns[column]
	out := Table{Name: name, Title: fmt.Sprintf("%s: %s [%s]", c.Name, c.Type, ShapeText(shape)), Doc: c.Doc, Rows: of.Rows, Columns: []Column{c}, Times: of.Times,
		Read: func(ctx context.Context, first, n int64) ([]Row, error) {
			rows, err := of.Read(ctx, first, n)
			for i, r := range rows {
				if rows[i] = nil; column < len(r) {
					rows[i] = Row{r[column]}
				}
			}
			return rows, err
		}}
	if of.Set != nil {
		out.Set = func(ctx context.Context, cells []Typed) ([]Edit, error) {
			cells = slices.Clone(cells)
			for i := range cells {
				cells[i].Column = column
			}
			return of.Set(ctx, cells)
		}
	}
	if out = out.AsTensor(shape, false); out.Tensor != nil {
		out.Tensor.Origin = origin
	}
	return out
}

// mostAxes is how many axes an array has at most, as in numpy: a file may state any number of axes of one element.
const mostAxes = 64

// elementsIn is the product of a shape; -1 where it has a negative number or is too large.
func elementsIn(shape []int64) int64 {
	n := int64(1)
	for _, d := range shape {
		if d < 0 || d > 0 && n > math.MaxInt64/d {
			return -1
		}
		n *= d
	}
	return n
}

// ShapeText prints a shape as numpy does, without brackets: 3, 40, 60.
func ShapeText(shape []int64) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(shape), "[]"), " ", ", ")
}

// How many columns a slice has at most, and how many of them are shown of an array before someone asks for others.
const (
	mostSliced  = 1 << 16
	firstSliced = 1024
)

// FirstIndex is the initial slice of an array: its last two axes, at index 0 of the others.
func (a *Tensor) FirstIndex() string {
	var parts []string
	for i, d := range a.Shape {
		switch {
		case i < len(a.Shape)-2:
			parts = append(parts, strconv.FormatInt(a.origin(i), 10))
		case i == len(a.Shape)-1 && i > 0 && d > firstSliced:
			parts = append(parts, fmt.Sprintf("%d:%d", a.origin(i), a.origin(i)+firstSliced))
		default:
			parts = append(parts, ":")
		}
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// origin is the index of the first element along an axis.
func (a *Tensor) origin(axis int) int64 {
	if axis < len(a.Origin) {
		return a.Origin[axis]
	}
	return 0
}

// axis is what an index selects along an axis: n elements, step apart, from first on. An axis with a single number is fixed.
type axis struct {
	first, n, step int64
	fixed          bool
	origin         int64 // the index of its first element
	stride         int64 // elements of the array, in the order of the file, between two of the axis
}

// index is the index of a selected element.
func (x axis) index(i int64) int64 { return x.origin + x.first + i*x.step }

// axes parses an index such as [2, :, 0:10]: a number, or first:end:step as in Python, for each axis. "..." stands for
// as many whole axes as are missing, and so does nothing at the end.
func (a *Tensor) axes(index string) ([]axis, error) {
	text := strings.TrimSpace(index)
	text = strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
	parts := strings.Split(text, ",")
	for i, p := range parts {
		parts[i] = strings.TrimSpace(p)
	}
	for i, p := range parts {
		if p == "..." || i == len(parts)-1 && p == "" {
			whole := strings.Split(strings.Repeat(":", max(0, len(a.Shape)-len(parts)+1)), "")
			parts = append(append(append([]string{}, parts[:i]...), whole...), parts[i+1:]...)
			break
		}
	}
	for len(parts) < len(a.Shape) {
		parts = append(parts, ":")
	}
	if len(parts) > len(a.Shape) {
		return nil, fmt.Errorf("%s has %s, but the array has %s", index, Count(int64(len(parts)), "axes"), Count(int64(len(a.Shape)), "axes"))
	}
	out := make([]axis, len(parts))
	for i, p := range parts {
		x, err := pick(p, a.Shape[i], a.origin(i), a.Origin == nil)
		if err != nil {
			return nil, fmt.Errorf("axis %d: %w", i, err)
		}
		out[i] = x
	}
	stride := int64(1)
	for j := range a.Shape {
		k := len(a.Shape) - 1 - j
		if a.ColumnMajor {
			k = j
		}
		out[k].stride = stride
		stride *= a.Shape[k]
	}
	return out, nil
}

// pick parses the index for an axis of d elements whose first index is origin. wraps means that negative numbers count from
// the end.
func pick(text string, d, origin int64, wraps bool) (x axis, err error) {
	parts := strings.Split(text, ":")
	if len(parts) > 3 {
		return x, fmt.Errorf("%q is not an index", text)
	}
	number := [3]int64{origin, origin + d, 1}
	for i, p := range parts {
		if p = strings.TrimSpace(p); p == "" && len(parts) > 1 {
			continue
		}
		if number[i], err = strconv.ParseInt(p, 10, 64); err != nil {
			return x, fmt.Errorf("%q is not an index: write a number, or first:end", text)
		}
	}
	for i := range number[:2] {
		if number[i] -= origin; number[i] < 0 && wraps {
			number[i] += d
		}
	}
	if len(parts) == 1 {
		if number[0] < 0 || number[0] >= d {
			return x, fmt.Errorf("index %s is out of range: the axis has %s", text, Count(d, "elements"))
		}
		return axis{first: number[0], n: 1, step: 1, origin: origin, fixed: true}, nil
	}
	if number[2] < 1 {
		return x, errors.New("the step must be 1 or more")
	}
	from, to := max(0, min(number[0], d)), max(0, min(number[1], d))
	n := int64(0)
	if to > from {
		n = (to - from + number[2] - 1) / number[2]
	}
	return axis{first: from, n: n, step: number[2], origin: origin}, nil
}

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

// FindTable finds a table by name: its position in the list, and the index if the name is that of a slice; otherwise "".
func FindTable(list []Table, name string) (i int, index string, ok bool) {
	if i = TableIndex(list, name); i >= 0 {
		return i, "", true
	}
	if at := strings.LastIndexByte(name, '['); at > 0 {
		if i = TableIndex(list, name[:at]); i >= 0 && list[i].Tensor != nil {
			return i, name[at:], true
		}
	}
	return -1, "", false
}

// TableNamed returns the table with a name, or a slice of an array.
func TableNamed(list []Table, name string) (Table, bool) {
	i, index, ok := FindTable(list, name)
	if !ok {
		return Table{}, false
	}
	if index == "" {
		return list[i], true
	}
	t, err := list[i].Slice(index)
	return t, err == nil
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
			}
			return set(ctx, all)
		}
	}
	return out
}

// at is the position of an element in file order.
func (s *slice) at(row, col int64) int64 { return s.base + row*s.rows.stride + col*s.cols.stride }

// elements reads n elements from first on, in file order.
func (s *slice) elements(ctx context.Context, first, n int64) ([]Cell, error) {
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
